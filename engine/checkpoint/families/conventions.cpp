#include "families/conventions.h"

#include "model/model.h"
#include "model/pixel_statistics.h"

namespace headlight::conventions {

namespace {

constexpr Index kSiglipGiant = 1536;

// 224 of 256 pixels.
constexpr float kSevenEighths = 0.875F;

// Heads are 64 wide, except in the largest model. Nothing for a width that none of them has.
std::optional<int> heads_of_dinov3(Index width) {
    if (width == 4096) return 32;
    if (width % 64 != 0) return {};
    return static_cast<int>(width / 64);
}

ModelConfig base(float eps, Resampling resampling, const std::array<float, 3>& mean,
                 const std::array<float, 3>& std, float crop_fraction) {
    ModelConfig config;
    config.layer_norm_eps = eps;
    config.activation = Activation::gelu;
    config.resampling = resampling;
    config.framing = Framing::crop;
    config.interpolation = Interpolation::bicubic;
    config.mean = mean;
    config.std = std;
    config.crop_fraction = crop_fraction;
    return config;
}

}  // namespace

ModelConfig timm() { return base(1e-6F, Resampling::bicubic_antialiased, kHalf, kHalf, 0.9F); }

ModelConfig timm_clip() {
    return base(1e-5F, Resampling::bicubic_antialiased, kClipMean, kClipStd, 1);
}

ModelConfig deit() {
    return base(1e-6F, Resampling::bicubic_antialiased, kImageNetMean, kImageNetStd, kSevenEighths);
}

ModelConfig dino() {
    return base(1e-6F, Resampling::bicubic_offset, kImageNetMean, kImageNetStd, kSevenEighths);
}

// Its positions are learned for 518 pixels, but it is evaluated with 224.
ModelConfig dinov2(bool registers) {
    ModelConfig config =
        base(1e-6F, registers ? Resampling::bicubic_antialiased : Resampling::bicubic_offset,
             kImageNetMean, kImageNetStd, kSevenEighths);
    config.frame = PixelSize{224, 224};
    return config;
}

ModelConfig dinov3() {
    ModelConfig config = base(1e-5F, Resampling::bicubic, kImageNetMean, kImageNetStd, 1);
    config.native_size = PixelSize{256, 256};
    config.framing = Framing::stretch;
    config.interpolation = Interpolation::bilinear;
    return config;
}

ModelConfig huggingface_dinov3(Index width) {
    ModelConfig config = dinov3();
    config.native_size = PixelSize{224, 224};
    config.num_heads = heads_of_dinov3(width);
    return config;
}

ModelConfig timm_dinov3(Index width) {
    ModelConfig config = dinov3();
    config.framing = Framing::crop;
    config.interpolation = Interpolation::bicubic;
    config.num_heads = heads_of_dinov3(width);
    config.pooling = "avg";
    return config;
}

ModelConfig eva() {
    return base(1e-6F, Resampling::bicubic_antialiased, kClipMean, kClipStd, 0.9F);
}

// torchvision's own function only resamples between square grids. For other grids, the same is done
// along each side.
ModelConfig torchvision() {
    ModelConfig config =
        base(1e-6F, Resampling::bicubic_corners, kImageNetMean, kImageNetStd, kSevenEighths);
    config.interpolation = Interpolation::bilinear;
    return config;
}

ModelConfig swin(PixelSize learned) {
    constexpr int kShownWhole = 384;
    ModelConfig config = base(1e-5F, Resampling::bicubic, kImageNetMean, kImageNetStd,
                              learned.height >= kShownWhole ? 1.0F : 0.9F);
    config.native_size = learned;
    return config;
}

ModelConfig huggingface_swin(PixelSize learned) {
    ModelConfig config = swin(learned);
    config.framing = Framing::stretch;
    config.crop_fraction = 1;
    return config;
}

ModelConfig torchvision_swin(PixelSize learned, Index width, std::size_t layers) {
    constexpr Index kBase = 128;
    constexpr std::size_t kTiny = 12;
    const float whole = width >= kBase ? 238 : layers > kTiny ? 246 : 232;
    ModelConfig config = swin(learned);
    config.crop_fraction = 224 / whole;
    return config;
}

ModelConfig beit() { return base(1e-6F, Resampling::bicubic, kHalf, kHalf, 0.9F); }

ModelConfig huggingface_beit() {
    ModelConfig config = base(1e-12F, Resampling::bicubic, kHalf, kHalf, kSevenEighths);
    config.interpolation = Interpolation::bilinear;
    return config;
}

ModelConfig huggingface_vit() {
    ModelConfig config = base(1e-12F, Resampling::bicubic, kHalf, kHalf, 1);
    config.framing = Framing::stretch;
    config.interpolation = Interpolation::bilinear;
    return config;
}

// A ViT with ImageNet's mean and standard deviation.
ModelConfig huggingface_mae() {
    ModelConfig config = huggingface_vit();
    config.mean = kImageNetMean;
    config.std = kImageNetStd;
    return config;
}

// The same with another epsilon.
ModelConfig huggingface_msn() {
    ModelConfig config = huggingface_mae();
    config.layer_norm_eps = 1e-6F;
    return config;
}

// Its processor resizes pictures to a square, 256 for 224, before cropping.
ModelConfig huggingface_deit() {
    ModelConfig config =
        base(1e-12F, Resampling::bicubic, kImageNetMean, kImageNetStd, kSevenEighths);
    config.framing = Framing::stretch;
    return config;
}

ModelConfig huggingface_dinov2(bool registers) {
    ModelConfig config = dinov2(registers);
    if (!registers) config.resampling = Resampling::bicubic;
    return config;
}

ModelConfig clip() {
    ModelConfig config = base(1e-5F, Resampling::bicubic, kClipMean, kClipStd, 1);
    config.activation = Activation::quick_gelu;
    return config;
}

ModelConfig open_clip() {
    return base(1e-5F, Resampling::bicubic_antialiased, kClipMean, kClipStd, 1);
}

ModelConfig siglip(Index width) {
    ModelConfig config = base(1e-6F, Resampling::bicubic, kHalf, kHalf, 1);
    config.activation = Activation::gelu_tanh;
    config.framing = Framing::stretch;
    if (width == kSiglipGiant) config.num_heads = 16;
    return config;
}

ModelConfig siglip2_naflex(Index width) {
    ModelConfig config = siglip(width);
    config.resampling = Resampling::bilinear_antialiased;
    config.interpolation = Interpolation::bilinear;
    config.most_patches = PatchLimit{}.most;
    return config;
}

// Its pictures are resized by TensorFlow without antialiasing; bilinear is the nearest supported
// interpolation.
ModelConfig google() {
    ModelConfig config = base(1e-6F, Resampling::linear_corners, kHalf, kHalf, 1);
    config.activation = Activation::gelu_tanh;
    config.framing = Framing::stretch;
    config.interpolation = Interpolation::bilinear;
    return config;
}

ModelConfig bare_layer() {
    const Preprocessing how = bare_preprocessing();
    ModelConfig config;
    config.frame = PixelSize{how.height, how.width};
    config.framing = how.framing;
    config.interpolation = how.interpolation;
    config.mean = how.mean;
    config.std = how.std;
    return config;
}

ModelConfig torch_encoder() {
    ModelConfig config = bare_layer();
    config.layer_norm_eps = 1e-5F;
    config.activation = Activation::relu;
    config.norm_first = false;
    return config;
}

ModelConfig lone_block(float eps) {
    ModelConfig config = bare_layer();
    config.layer_norm_eps = eps;
    config.activation = Activation::gelu;
    return config;
}

// Its num_heads defaults to 1. It was trained on special pictures and has no convention for others.
ModelConfig lanl() {
    ModelConfig config = base(1e-5F, Resampling::bicubic, kHalf, kHalf, 1);
    config.num_heads = 1;
    config.framing = Framing::stretch;
    return config;
}

ModelConfig t2t() { return base(1e-5F, Resampling::bicubic, kImageNetMean, kImageNetStd, 0.9F); }

}  // namespace headlight::conventions
