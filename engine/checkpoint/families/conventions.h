#pragma once

#include "kernels/matrix.h"
#include "model/config.h"

// What each family computes and is shown where no config says otherwise. Each has epsilon,
// activation, resampling of positions, framing, interpolation, mean and standard deviation.
namespace headlight::conventions {

ModelConfig timm();       // as augreg's weights: mean and deviation ½
ModelConfig timm_clip();  // CLIP's towers in timm's names
ModelConfig deit();
ModelConfig dino();
ModelConfig dinov2(bool registers);
// Heads are as many as its authors have in models so wide, where the file does not say.
ModelConfig dinov3();
ModelConfig huggingface_dinov3(Index width);
ModelConfig timm_dinov3(Index width);
ModelConfig eva();  // EVA and EVA-02 in timm's names
ModelConfig torchvision();
ModelConfig swin(PixelSize learned);  // timm's, of pictures of so many pixels
ModelConfig huggingface_swin(PixelSize learned);
// Its three models differ in what their pictures are cut out of.
ModelConfig torchvision_swin(PixelSize learned, Index width, std::size_t layers);
ModelConfig beit();
ModelConfig huggingface_beit();
ModelConfig huggingface_vit();
ModelConfig huggingface_deit();
ModelConfig huggingface_mae();
ModelConfig huggingface_msn();
ModelConfig huggingface_dinov2(bool registers);
ModelConfig clip();       // OpenAI's
ModelConfig open_clip();  // with the exact GELU, and positions antialiased
// Its giants have fewer heads than others so wide.
ModelConfig siglip(Index width);
ModelConfig siglip2_naflex(Index width);
ModelConfig google();
ModelConfig t2t();
ModelConfig lanl();           // T2T-ViT as lanl writes it
ModelConfig bare_layer();     // of one attention layer: no model that learned from pictures
ModelConfig torch_encoder();  // torch.nn.TransformerEncoderLayer's defaults
ModelConfig lone_block(float eps);

}  // namespace headlight::conventions
