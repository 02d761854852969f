#include <gtest/gtest.h>

#include "files/tensor_file.h"
#include "golden_families.h"

// Every golden model is recognized correctly. (Its numbers are compared elsewhere.)
namespace headlight::family_golden_test {
namespace {

class Recognition : public ::testing::TestWithParam<GoldenFamily> {};

TEST_P(Recognition, is_recognized) {
    const GoldenFamily& c = GetParam();
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

// The layouts that differ between families, each checked with one product: the patch kernel, and
// queries, keys and values with their heads.
TEST_P(Recognition, has_its_weights_in_order) {
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

INSTANTIATE_TEST_SUITE_P(All, Recognition, ::testing::ValuesIn(golden_families()),
                         [](const auto& param) { return param.param.name; });

// With a missing tensor or another shape, it gives a model or an error of one sentence.
TEST_P(Recognition, survives_every_odd_tensor) {
    const std::string path = GoldenModel{GetParam().name, GetParam().ending}.path();
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

// Each row of the list of families, which the help prints too.
TEST(Families, are_listed_in_the_manual) {
    const FileBytes file = read_disk(source_path("assets/manual/models.md"));
    const std::string text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    for (const KnownModels& known : known_models()) {
        const std::string row = "| " + known.whose + " | " + known.models + " |\n";
        EXPECT_NE(text.find(row), std::string::npos) << row;
    }
    for (const KnownModels& known : known_models()) {
        if (!known.whole) continue;
        const std::string first = known.whose.substr(0, known.whose.find(", "));
        EXPECT_NE(names_of_models().find(first), std::string::npos) << first;
    }
}

TEST(GoldenMaps, are_one_for_each_layer) {
    for (const auto& model : {load_golden("maps"), load_golden("maps_layers", "npz")}) {
        ASSERT_EQ(model->maps.size(), 2);
        EXPECT_TRUE(model->is_maps());
        EXPECT_EQ(model->layers[1].attention.heads, 3);
        EXPECT_EQ(model->maps[1]->view().rows, 30);
        EXPECT_EQ(model->maps[1]->view().cols, 10);
        EXPECT_EQ(map_layouts(10, model->map_layout, {}).at(0).words(),
                  "3 × 3 after 1 other token");
        EXPECT_EQ(fact(*model, "note").what, "");
    }
    EXPECT_EQ(load_golden("maps")->maps[1]->view().eigen(),
              load_golden("maps_layers", "npz")->maps[1]->view().eigen());
}

}  // namespace
}  // namespace headlight::family_golden_test
