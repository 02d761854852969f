#include <gtest/gtest.h>

#include "files/tensor_file.h"
#include "model_files.h"

// Every golden model is recognised as what it is. (What it computes is compared elsewhere.)
namespace headlight {
namespace {

struct Case {
    std::string name, family;
    int layers, heads, width;
    Index prefix;
    int grid_rows, grid_cols;
    PositionCover cover;
    Resampling resampling;
    Activation activation;
    float eps;
    Pooling pooling;
    Index head_rows;  // 0: none
    std::string ending = "safetensors";
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class GoldenFamily : public testing::TestWithParam<Case> {};

TEST_P(GoldenFamily, is_recognised) {
    const Case& c = GetParam();
    const auto model = load_golden(c.name, c.ending);
    EXPECT_EQ(model->family, c.family);
    EXPECT_EQ(static_cast<int>(model->layers.size()) - model->token_transformers(), c.layers);
    EXPECT_EQ(model->layers.back().attention.heads, c.heads);
    EXPECT_EQ(model->width(), c.width);
    EXPECT_EQ(model->prefix.count(), c.prefix);
    EXPECT_EQ(model->positions.grid_rows, c.grid_rows);
    EXPECT_EQ(model->positions.grid_cols, c.grid_cols);
    EXPECT_EQ(model->positions.cover, c.cover);
    EXPECT_EQ(model->positions.resampling, c.resampling);
    EXPECT_EQ(model->layers.back().activation, c.activation);
    EXPECT_EQ(model->layers.back().norm1.eps, c.eps);
    EXPECT_EQ(model->pooling, c.pooling);
    EXPECT_EQ(model->classifier.exists() ? model->classifier.weight->view().rows : 0, c.head_rows);
    EXPECT_TRUE(model->preprocessing.eight_bit);
    EXPECT_FALSE(model->parts.empty());
}

// [.., rows, cols] as a matrix of all rows.
Matrix rows_of(const NamedTensor& tensor) {
    const auto cols = tensor.shape.back();
    return Eigen::Map<const Matrix>(tensor.values.data(),
                                    static_cast<Index>(tensor.values.size()) / cols, cols);
}

Matrix apply(const Linear& linear, const Matrix& tokens) {
    Matrix result = tokens * linear.weight->view().eigen().transpose();
    if (linear.bias) result.rowwise() += linear.bias->view().eigen().row(0);
    return result;
}

void expect_near(const Matrix& found, const Matrix& expected, const std::string& what) {
    ASSERT_EQ(found.rows(), expected.rows()) << what;
    ASSERT_EQ(found.cols(), expected.cols()) << what;
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-5F * expected.cwiseAbs().maxCoeff())
        << what;
}

// The layouts that differ from one family to another, each by one product: the patches' kernel, and
// queries, keys and values with their heads.
TEST_P(GoldenFamily, has_its_weights_in_order) {
    const auto model = load_golden(GetParam().name, GetParam().ending);
    const std::string path = kFamilies + GetParam().name + ".safetensors";
    const TensorMap golden = read_safetensors(read_disk(path), path);
    const bool splits = !model->splits.empty();
    expect_near(
        apply(model->embedding, rows_of(golden.at(splits ? "t2t.split2" : "tokens.patches"))),
        rows_of(golden.at("tokens.embedded")), "embedding");

    const Layer& layer = model->layers[static_cast<std::size_t>(model->token_transformers())];
    const Matrix qkv = apply(layer.qkv, rows_of(golden.at("layer.0.norm1")));
    const NamedTensor& value = golden.at("layer.0.value");
    const Index batch = value.shape[0], heads = value.shape[1], tokens = value.shape[2],
                width = value.shape[3];
    Matrix cut(batch * heads * tokens, width);
    for (Index b = 0; b < batch; ++b)
        for (Index h = 0; h < heads; ++h)
            cut.middleRows((b * heads + h) * tokens, tokens) =
                qkv.block(b * tokens, 2 * heads * width + h * width, tokens, width);
    expect_near(cut, rows_of(value), "value");
    expect_near(apply(layer.mlp_in, rows_of(golden.at("layer.0.norm2"))),
                rows_of(golden.at("layer.0.mlp_hidden")), "mlp_hidden");
    const std::string read = layer.mlp_norm.exists() ? "mlp_norm" : "mlp_activation";
    expect_near(apply(layer.mlp_out, rows_of(golden.at("layer.0." + read))),
                rows_of(golden.at("layer.0.mlp")), "mlp");
}

using P = PositionCover;
using R = Resampling;
using A = Activation;
INSTANTIATE_TEST_SUITE_P(
    All, GoldenFamily,
    testing::Values(Case{"timm", "timm", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu,
                         1e-6F, Pooling::class_token, 5},
                    Case{"timm_registers", "timm", 2, 3, 24, 3, 4, 4, P::patches,
                         R::bicubic_antialiased, A::gelu, 1e-6F, Pooling::class_token, 5},
                    Case{"timm_pooled", "timm", 2, 4, 32, 0, 2, 5, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-6F, Pooling::patches, 3},
                    Case{"timm_swiglu", "timm", 2, 2, 24, 3, 3, 3, P::all, R::bicubic_antialiased,
                         A::swiglu, 1e-6F, Pooling::class_token, 0},
                    Case{"deit_distilled", "deit", 2, 3, 24, 2, 3, 3, P::all,
                         R::bicubic_antialiased, A::gelu, 1e-6F, Pooling::class_and_distillation,
                         5},
                    Case{"dino", "dino", 2, 3, 24, 1, 4, 4, P::all, R::bicubic_offset, A::gelu,
                         1e-6F, Pooling::class_token, 0},
                    Case{"dinov2", "dinov2", 2, 3, 24, 1, 5, 5, P::all, R::bicubic_offset, A::gelu,
                         1e-6F, Pooling::class_token, 0},
                    Case{"dinov2_registers", "dinov2", 4, 3, 24, 5, 5, 5, P::without_registers,
                         R::bicubic_antialiased, A::swiglu, 1e-6F, Pooling::class_token, 0},
                    Case{"mae", "mae", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu,
                         1e-6F, Pooling::class_token, 0},
                    Case{"clip_openai", "clip", 2, 3, 24, 1, 3, 3, P::all, R::bicubic,
                         A::quick_gelu, 1e-5F, Pooling::class_token, 16},
                    Case{"clip_open", "openclip", 2, 2, 24, 1, 4, 4, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-5F, Pooling::class_token, 10},
                    Case{"clip_pooled", "openclip", 2, 2, 24, 1, 3, 3, P::all,
                         R::bicubic_antialiased, A::gelu, 1e-5F, Pooling::patches, 10},
                    Case{"clip_huggingface", "hf-clip", 2, 3, 24, 1, 4, 4, P::all, R::bicubic,
                         A::quick_gelu, 1e-5F, Pooling::class_token, 16},
                    Case{"siglip", "siglip", 2, 3, 24, 0, 3, 3, P::all, R::bicubic, A::gelu_tanh,
                         1e-6F, Pooling::attention, 0},
                    Case{"siglip_classes", "siglip", 2, 3, 24, 0, 3, 3, P::all, R::bicubic,
                         A::gelu_tanh, 1e-6F, Pooling::patches, 5},
                    Case{"siglip_naflex", "siglip2-naflex", 2, 3, 24, 0, 4, 4, P::all,
                         R::bilinear_antialiased, A::gelu_tanh, 1e-6F, Pooling::attention, 0},
                    Case{"timm_siglip", "timm", 2, 3, 24, 0, 3, 3, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-6F, Pooling::attention, 0},
                    Case{"timm_siglip_classes", "timm", 2, 2, 24, 0, 3, 3, P::all,
                         R::bicubic_antialiased, A::gelu_tanh, 1e-6F, Pooling::attention, 5},
                    Case{"google_siglip", "google", 2, 3, 24, 0, 3, 3, P::all, R::linear_corners,
                         A::gelu_tanh, 1e-6F, Pooling::attention, 0, "npz"},
                    Case{"hf_vit", "hf-vit", 2, 3, 24, 1, 4, 4, P::all, R::bicubic, A::gelu, 1e-12F,
                         Pooling::class_token, 3},
                    Case{"hf_vit_newer", "hf-vit", 2, 2, 24, 1, 3, 3, P::all, R::bicubic, A::gelu,
                         1e-12F, Pooling::class_token, 0},
                    Case{"hf_deit", "hf-deit", 2, 3, 24, 2, 3, 3, P::all, R::bicubic, A::gelu,
                         1e-12F, Pooling::class_and_distillation, 5},
                    Case{"hf_dinov2", "hf-dinov2", 2, 3, 24, 1, 5, 5, P::all, R::bicubic, A::gelu,
                         1e-6F, Pooling::class_and_patches, 5},
                    Case{"hf_dinov2_registers", "hf-dinov2", 2, 3, 24, 4, 5, 5,
                         P::without_registers, R::bicubic_antialiased, A::swiglu, 1e-6F,
                         Pooling::class_token, 0},
                    Case{"google", "google", 2, 3, 24, 1, 3, 3, P::all, R::linear_corners,
                         A::gelu_tanh, 1e-6F, Pooling::class_token, 5, "npz"},
                    Case{"google_resampled", "google", 2, 2, 24, 1, 5, 5, P::all, R::linear_corners,
                         A::gelu_tanh, 1e-6F, Pooling::class_token, 5, "npz"},
                    Case{"dinov3", "dinov3", 2, 2, 32, 5, 0, 0, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-5F, Pooling::class_token, 0},
                    Case{"dinov3_gated", "dinov3", 2, 3, 24, 2, 0, 0, P::all,
                         R::bicubic_antialiased, A::swiglu, 1e-5F, Pooling::class_token, 0},
                    Case{"hf_dinov3", "hf-dinov3", 2, 2, 32, 5, 0, 0, P::all,
                         R::bicubic_antialiased, A::gelu, 1e-5F, Pooling::class_token, 0},
                    Case{"hf_dinov3_gated", "hf-dinov3", 2, 3, 24, 3, 0, 0, P::all,
                         R::bicubic_antialiased, A::swiglu, 1e-5F, Pooling::class_token, 0},
                    Case{"timm_dinov3", "timm-dinov3", 2, 2, 32, 5, 0, 0, P::all,
                         R::bicubic_antialiased, A::gelu, 1e-5F, Pooling::patches, 0},
                    Case{"timm_dinov3_gated", "timm-dinov3", 2, 3, 24, 5, 0, 0, P::all,
                         R::bicubic_antialiased, A::swiglu, 1e-5F, Pooling::patches, 0},
                    Case{"eva02", "eva02", 2, 2, 32, 1, 3, 3, P::all, R::bicubic_antialiased,
                         A::swiglu, 1e-6F, Pooling::patches, 5},
                    Case{"eva02_small", "eva02", 2, 3, 24, 1, 4, 4, P::all, R::bicubic_antialiased,
                         A::swiglu, 1e-6F, Pooling::patches, 5},
                    Case{"eva02_clip", "eva02", 2, 2, 32, 1, 3, 3, P::all, R::bicubic_antialiased,
                         A::swiglu, 1e-6F, Pooling::class_token, 5},
                    Case{"eva02_authors", "eva02", 2, 2, 32, 1, 3, 3, P::all,
                         R::bicubic_antialiased, A::swiglu, 1e-6F, Pooling::class_token, 5},
                    Case{"eva", "eva", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu,
                         1e-6F, Pooling::patches, 5},
                    Case{"torchvision", "torchvision", 2, 3, 24, 1, 3, 3, P::all,
                         R::bicubic_corners, A::gelu, 1e-6F, Pooling::class_token, 5},
                    Case{"torchvision_older", "torchvision", 2, 2, 24, 1, 2, 2, P::all,
                         R::bicubic_corners, A::gelu, 1e-6F, Pooling::class_token, 5},
                    Case{"beit", "beit", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu,
                         1e-6F, Pooling::patches, 5},
                    Case{"beit_shared", "beit", 2, 2, 24, 1, 2, 2, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-6F, Pooling::class_token, 5},
                    Case{"hf_beit", "hf-beit", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-12F, Pooling::patches, 5},
                    Case{"swin", "swin", 4, 4, 32, 0, 0, 0, P::all, R::bicubic_antialiased, A::gelu,
                         1e-5F, Pooling::patches, 5},
                    Case{"swin_authors", "swin", 5, 2, 16, 0, 0, 0, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-5F, Pooling::patches, 5},
                    Case{"swin_positions", "swin", 2, 2, 16, 0, 4, 4, P::all, R::bicubic, A::gelu,
                         1e-5F, Pooling::patches, 5},
                    Case{"hf_swin", "hf-swin", 5, 6, 48, 0, 0, 0, P::all, R::bicubic_antialiased,
                         A::gelu, 1e-5F, Pooling::patches, 5},
                    Case{"hf_swin_bare", "hf-swin", 3, 2, 16, 0, 0, 0, P::all,
                         R::bicubic_antialiased, A::gelu, 1e-5F, Pooling::patches, 0},
                    Case{"torchvision_swin", "torchvision-swin", 4, 4, 32, 0, 0, 0, P::all,
                         R::bicubic_antialiased, A::gelu, 1e-5F, Pooling::patches, 5},
                    Case{"t2t", "t2t", 1, 3, 24, 1, 2, 2, P::all, R::bicubic, A::gelu, 1e-5F,
                         Pooling::class_token, 5},
                    Case{"t2t_scaled", "t2t", 1, 2, 24, 1, 1, 2, P::all, R::bicubic, A::gelu, 1e-5F,
                         Pooling::class_token, 5},
                    Case{"t2t_performer", "t2t", 1, 3, 24, 1, 2, 2, P::all, R::bicubic, A::gelu,
                         1e-5F, Pooling::class_token, 5},
                    Case{"t2t_lanl", "t2t-lanl", 2, 3, 24, 1, 3, 2, P::all, R::bicubic, A::gelu,
                         1e-5F, Pooling::class_token, 5}),
    [](const auto& param) { return param.param.name; });

// Whatever is missing or of another shape: a model or one sentence.
TEST_P(GoldenFamily, survives_every_odd_tensor) {
    const std::string path = kFamilies + GetParam().name + ".model." + GetParam().ending;
    Shapes shapes;
    const TensorFile file = open_tensor_file(path, read_disk);
    for (const auto& [name, tensor] : file.tensors()) shapes[name] = tensor.shape;
    for (const auto& [name, shape] : shapes) {
        Shapes odd = shapes;
        odd.erase(name);
        EXPECT_NO_THROW((void)error_of(odd)) << name << " missing";
        for (const std::vector<std::int64_t>& other :
             {std::vector<std::int64_t>{}, {0}, {7, 5}, {2, 1, 2, 2}}) {
            odd[name] = other;
            EXPECT_NO_THROW((void)error_of(odd)) << name << ' ' << shape_text(other);
        }
    }
}

TEST(GoldenMaps, are_one_for_each_layer) {
    for (const auto& model : {load_golden("maps"), load_golden("maps_layers", "npz")}) {
        ASSERT_EQ(model->maps.size(), 2);
        EXPECT_TRUE(model->is_maps());
        EXPECT_EQ(model->layers[1].attention.heads, 3);
        EXPECT_EQ(model->maps[1]->view().rows, 30);
        EXPECT_EQ(model->maps[1]->view().cols, 10);
        EXPECT_EQ(map_layouts(10, model->map_layout, {}).at(0).words(), "3 × 3 after 1 other token");
        EXPECT_EQ(fact(*model, "note").what, "");
    }
    EXPECT_EQ(load_golden("maps")->maps[1]->view().eigen(),
              load_golden("maps_layers", "npz")->maps[1]->view().eigen());
}

}  // namespace
}  // namespace headlight
