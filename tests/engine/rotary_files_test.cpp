#include <gtest/gtest.h>

#include <cmath>

#include "model_shapes.h"
#include "positions/rotary.h"

// Data about rotary positions in files that the formula gives as well, and models with the same
// names but other positions.
namespace headlight::rotary_files_test {
namespace {

using Tensors = std::vector<RawTensor>;

Tensors tensors_of(const Shapes& shapes) {
    Tensors tensors;
    for (const auto& [name, shape] : shapes) {
        std::size_t count = 1;
        for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
        tensors.push_back({name, "F32", shape, raw(std::vector<float>(count, 0.01F))});
    }
    return tensors;
}

RawTensor stored(const std::string& name, const Matrix& matrix, bool as_row = false) {
    std::vector<std::int64_t> shape{matrix.rows(), matrix.cols()};
    if (as_row) shape.erase(shape.begin());
    return {name, "F32", shape,
            raw(std::vector<float>(matrix.data(), matrix.data() + matrix.size()))};
}

// "no error" if it is accepted.
std::string error_with(const Shapes& shapes, const Tensors& more) {
    Tensors all = tensors_of(shapes);
    all.insert(all.end(), more.begin(), more.end());
    return error_of("m.safetensors", safetensors_of(all));
}

bool says(const std::string& error, const std::string& words) {
    return error.find(words) != std::string::npos;
}

Shapes unbiased_keys(Shapes shapes, const std::string& block, std::int64_t width) {
    shapes.erase(block + "attn.qkv.bias");
    shapes[block + "attn.q_bias"] = shapes[block + "attn.v_bias"] = {width};
    return shapes;
}

// One layer, three heads of 64 channels, 2 × 2 patches; its MLP is gated, in one product.
Shapes eva02() {
    Shapes shapes = unbiased_keys(vit("", 1), "blocks.0.", 192);
    shapes["blocks.0.mlp.fc1.weight"] = {16, 192};
    shapes["blocks.0.mlp.fc1.bias"] = {16};
    return shapes;
}

Shapes eva() { return unbiased_keys(vit("", 1), "blocks.0.", 192); }

Shapes huggingface_dinov3() {
    Shapes shapes{{"embeddings.patch_embeddings.weight", {kWidth, 3, 2, 2}},
                  {"embeddings.patch_embeddings.bias", {kWidth}},
                  {"embeddings.cls_token", {1, 1, kWidth}},
                  {"embeddings.register_tokens", {1, 4, kWidth}},
                  {"layer.0.layer_scale1.lambda1", {kWidth}},
                  {"layer.0.layer_scale2.lambda1", {kWidth}}};
    for (const char* norm : {"layer.0.norm1", "layer.0.norm2", "norm"})
        add_norm(shapes, norm, kWidth);
    for (const char* part : {"q", "k", "v", "o"})
        add_linear(shapes, std::string("layer.0.attention.") + part + "_proj", kWidth, kWidth,
                   *part != 'k');
    add_linear(shapes, "layer.0.mlp.up_proj", 8, kWidth);
    add_linear(shapes, "layer.0.mlp.down_proj", kWidth, 8);
    return shapes;
}

TEST(RotaryFiles, tables_of_eva02_are_the_formulas_or_refused) {
    ASSERT_EQ(error_with(eva02(), {}), "no error");
    const RotaryTables tables = rotary_tables(eva_rotary(64, 16, 16), {0, 2, 2}, 4);
    Matrix both(4, 128);
    both << tables.sine, tables.cosine;
    EXPECT_EQ(
        error_with(eva02(), {stored("rope.freqs_cos", tables.cosine),
                             stored("rope.freqs_sin", tables.sine), stored("rope.pos_embed", both),
                             stored("blocks.0.attn.rope.freqs_cos", tables.cosine),
                             stored("blocks.0.attn.rope.freqs_sin", tables.sine)}),
        "no error");
    for (const char* name : {"rope.freqs_cos", "rope.freqs_sin", "blocks.0.attn.rope.freqs_cos"}) {
        Matrix other = std::string(name).ends_with("cos") ? tables.cosine : tables.sine;
        other(2, 5) += 0.01F;
        const std::string error = error_with(eva02(), {stored(name, other)});
        EXPECT_TRUE(says(error, name) &&
                    says(error, "the value that the formula of its rotary positions"))
            << error;
    }
    EXPECT_TRUE(says(error_with(eva02(), {stored("rope.freqs_cos", Matrix::Ones(3, 64))}),
                     "expected n × n rows of 64 numbers, found [3, 64]"));
    EXPECT_TRUE(says(error_with(eva(), {stored("rope.freqs_cos", tables.cosine)}),
                     "\"rope.freqs_cos\": expected a model without this tensor"))
        << "EVA turns nothing";
}

TEST(RotaryFiles, frequencies_of_hugging_faces_dinov3_are_the_formulas_or_refused) {
    ASSERT_EQ(error_with(huggingface_dinov3(), {}), "no error");
    Matrix frequencies(1, 16);
    for (Index k = 0; k < 16; ++k)
        frequencies(0, k) = static_cast<float>(std::pow(100.0, -static_cast<double>(k) / 16));
    const std::string name = "rope_embeddings.inv_freq";
    EXPECT_EQ(error_with(huggingface_dinov3(), {stored(name, frequencies, true)}), "no error");
    frequencies(0, 3) += 0.01F;
    const std::string error = error_with(huggingface_dinov3(), {stored(name, frequencies, true)});
    EXPECT_TRUE(says(
        error, "\"" + name + "\": expected the value that the formula of its rotary positions"))
        << error;
}

TEST(RotaryFiles, models_of_evas_names_with_other_positions_are_refused) {
    ASSERT_EQ(error_of(eva()), "no error");
    Shapes scaled = eva(), registers = eva(), classless = eva(), normed = eva();
    scaled["blocks.0.gamma_1"] = scaled["blocks.0.gamma_2"] = {192};
    registers["reg_token"] = {1, 4, 192};
    classless["pos_embed"] = {1, 4, 192};
    add_norm(normed, "norm_pre", 192);
    for (const Shapes& shapes : {scaled, registers, classless, normed})
        EXPECT_TRUE(says(error_of(shapes), "models with different rotary positions"))
            << error_of(shapes);
}

TEST(RotaryFiles, perception_encoders_are_refused) {
    Shapes core = vit("", 1), lang = vit("", 1), clip = vit("", 1);
    for (Shapes* shapes : {&core, &lang, &clip}) add_norm(*shapes, "norm_pre", 192);
    ASSERT_EQ(error_of(clip), "no error") << "timm's CLIP has that norm too";
    core["attn_pool.latent"] = {1, 1, 192};
    lang["blocks.0.gamma_1"] = lang["blocks.0.gamma_2"] = {192};
    for (const Shapes& shapes : {core, lang})
        EXPECT_TRUE(says(error_of(shapes), "perception encoders")) << error_of(shapes);
}

TEST(RotaryFiles, heads_of_a_width_that_no_dinov3_has_are_a_guess) {
    const auto heads = [](const std::string& name) {
        return fact(*load_model(kFamilies + name + ".model.safetensors", read_disk), "heads");
    };
    EXPECT_TRUE(says(heads("hf_dinov3").origin, "a guess")) << heads("hf_dinov3").origin;
    EXPECT_FALSE(says(fact(*load(huggingface_dinov3()), "heads").origin, "a guess"));
}

TEST(BeitNames, have_as_many_heads_as_their_table_has_columns) {
    Shapes shapes = unbiased_keys(vit("", 1), "blocks.0.", 192);
    shapes.erase("pos_embed");
    shapes["blocks.0.gamma_1"] = shapes["blocks.0.gamma_2"] = {192};
    const std::string table = "blocks.0.attn.relative_position_bias_table";
    shapes[table] = {12, 6};
    EXPECT_EQ(load(shapes)->layers[0].attention.heads, 6);
    EXPECT_EQ(fact(*load(shapes), "heads").origin, "tensor shapes");
    shapes[table] = {12, 7};
    EXPECT_TRUE(says(error_of(shapes), "a number of heads that divides the width 192, found 7"))
        << error_of(shapes);
    shapes[table] = {12, 6};
    shapes["pos_embed"] = {1, 5, 192};
    EXPECT_TRUE(says(error_of(shapes), "\"pos_embed\": expected no added positions"))
        << error_of(shapes);
}

TEST(HuggingFaceNames, of_mae_are_told_by_the_config_or_the_decoder) {
    const auto by_config = load(huggingface(""), R"({"model_type": "vit_mae"})");
    Shapes with_decoder = huggingface("vit.");
    with_decoder["decoder.decoder_pos_embed"] = {1, 5, 16};
    for (const auto& model : {by_config, load(with_decoder)}) {
        EXPECT_EQ(model->family, "hf-mae");
        EXPECT_NEAR(model->preprocessing.mean[0], 0.485, 1e-6);
    }
    EXPECT_EQ(load(huggingface(""))->family, "hf-vit");
}

}  // namespace
}  // namespace headlight::rotary_files_test
