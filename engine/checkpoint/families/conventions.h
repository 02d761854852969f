#pragma once

#include "kernels/matrix.h"
#include "model/config.h"

// The defaults of each family, used if no config says otherwise. Each has epsilon, activation,
// resampling of positions, framing, interpolation, mean and standard deviation.
namespace headlight::conventions {

ModelConfig timm();       // as for augreg's weights: mean and standard deviation ½
ModelConfig timm_clip();  // CLIP's towers in timm's names
ModelConfig deit();
ModelConfig dino();
ModelConfig dinov2(bool registers);
// If the file does not show the number of heads, it is that of the authors' model of this width.
ModelConfig dinov3();
ModelConfig huggingface_dinov3(Index width);
ModelConfig timm_dinov3(Index width);
ModelConfig eva();  // EVA and EVA-02 in timm's names
ModelConfig torchvision();
ModelConfig swin(PixelSize learned);  // timm's; `learned` is the picture size in training
ModelConfig huggingface_swin(PixelSize learned);
// Its three models differ in the size before cropping.
ModelConfig torchvision_swin(PixelSize learned, Index width, std::size_t layers);
ModelConfig beit();
ModelConfig huggingface_beit();
ModelConfig huggingface_vit();
ModelConfig huggingface_deit();
ModelConfig huggingface_mae();
ModelConfig huggingface_msn();
ModelConfig huggingface_dinov2(bool registers);
ModelConfig clip();       // OpenAI's
ModelConfig open_clip();  // with the exact GELU, and antialiased resampling of positions
// Its giants have fewer heads than other models of their width.
ModelConfig siglip(Index width);
ModelConfig siglip2_naflex(Index width);
ModelConfig google();
ModelConfig t2t();
ModelConfig lanl();           // T2T-ViT by lanl
ModelConfig bare_layer();     // for bare attention layers, which were not trained on pictures
ModelConfig torch_encoder();  // defaults of torch.nn.TransformerEncoderLayer
ModelConfig lone_block(float eps);

}  // namespace headlight::conventions
