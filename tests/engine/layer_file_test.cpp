#include "families/layer_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "files/safetensors.h"

namespace headlight::layer_file_test {
namespace {

// Counts up from `first`, so that every weight encodes its origin.
NamedTensor tensor(std::vector<std::int64_t> shape, float first = 0) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    NamedTensor result{std::move(shape), std::vector<float>(static_cast<std::size_t>(count))};
    std::iota(result.values.begin(), result.values.end(), first);
    return result;
}

TensorMap t2t(const std::string& prefix = "") {
    return {{prefix + "qkv.weight", tensor({12, 6})},
            {prefix + "proj.weight", tensor({4, 4}, 100)},
            {prefix + "proj.bias", tensor({4}, 200)}};
}

TensorMap mha() {
    return {{"in_proj_weight", tensor({12, 4})},
            {"in_proj_bias", tensor({12}, 50)},
            {"out_proj.weight", tensor({4, 4}, 100)},
            {"out_proj.bias", tensor({4}, 200)}};
}

// Views of the tensors, which the caller owns.
TensorReader file_of(const TensorMap& tensors) {
    StoredTensors stored;
    for (const auto& [name, values] : tensors)
        stored[name] = {values.shape, "F32",
                        FileBytes(std::as_bytes(std::span(values.values)), nullptr)};
    return TensorReader(TensorFile("file", std::move(stored)));
}

std::string error_of(const TensorMap& tensors) {
    try {
        read_layer_tensors(file_of(tensors));
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

TEST(ReadLayer, takes_the_layer_of_t2t) {
    const TensorMap tensors = t2t();
    const LayerTensors layer = read_layer_tensors(file_of(tensors));
    EXPECT_EQ(layer.family, "t2t");
    EXPECT_EQ(layer.prefix, "");
    EXPECT_EQ(layer.skip, Skip::value);
    EXPECT_EQ(layer.qkv.weight->view().cols, 6);
    EXPECT_EQ(layer.qkv.bias, nullptr);
    EXPECT_EQ(layer.qkv.weight->view()(1, 0), 6);
    EXPECT_EQ(layer.projection.weight->view()(3, 3), 115);
    EXPECT_EQ(layer.projection.bias->view()(0, 3), 203);
}

TEST(ReadLayer, takes_multihead_attention) {
    const TensorMap tensors = mha();
    const LayerTensors layer = read_layer_tensors(file_of(tensors));
    EXPECT_EQ(layer.family, "mha");
    EXPECT_EQ(layer.skip, Skip::none);
    EXPECT_EQ(layer.projection.weight->view().cols, 4);
    EXPECT_EQ(layer.qkv.bias->view()(0, 11), 61);
}

TEST(ReadLayer, stacks_separate_weights) {
    const TensorMap tensors{{"q_proj_weight", tensor({4, 4}, 0)},
                            {"k_proj_weight", tensor({4, 4}, 16)},
                            {"v_proj_weight", tensor({4, 4}, 32)},
                            {"out_proj.weight", tensor({4, 4}, 48)}};
    const LayerTensors layer = read_layer_tensors(file_of(tensors));
    EXPECT_EQ(layer.family, "mha");
    EXPECT_EQ(layer.qkv.weight->view()(4, 0), 16);
    EXPECT_EQ(layer.qkv.weight->view()(11, 3), 47);
    EXPECT_EQ(layer.projection.bias, nullptr);
}

TEST(ReadLayer, accepts_a_prefix_and_leaves_the_rest) {
    TensorMap tensors = t2t("blocks.0.attn.");
    tensors["blocks.0.norm1.weight"] = tensor({6});
    const TensorReader file = file_of(tensors);
    EXPECT_EQ(read_layer_tensors(file).prefix, "blocks.0.attn.");
    EXPECT_EQ(file.unused(), std::vector<std::string>{"blocks.0.norm1.weight"});
}

TEST(ReadLayer, refuses_files_without_one_layer) {
    EXPECT_NE(error_of({}).find("found no tensors"), std::string::npos);
    EXPECT_NE(error_of({{"xqkv.weight", tensor({3, 1})}}).find("found \"xqkv.weight\""),
              std::string::npos);
    TensorMap two = t2t("a.");
    two.merge(t2t("b."));
    EXPECT_NE(error_of(two).find("2 layers, including \"a.qkv.weight\" and \"b.qkv.weight\""),
              std::string::npos)
        << error_of(two);
}

TEST(ReadLayer, names_the_tensor_that_does_not_fit) {
    const auto with = [](TensorMap tensors, const std::string& name, const NamedTensor& other) {
        tensors[name] = other;
        return error_of(tensors);
    };
    EXPECT_EQ(with(t2t(), "proj.weight", tensor({4, 5})),
              "file: tensor \"proj.weight\": expected [4, 4], found [4, 5].");
    EXPECT_EQ(with(t2t(), "qkv.bias", tensor({11})),
              "file: tensor \"qkv.bias\": expected [12], found [11].");
    EXPECT_EQ(with(t2t(), "qkv.weight", tensor({11, 6})),
              "file: tensor \"qkv.weight\": expected 3·channels rows, found 11 rows.");
    EXPECT_EQ(with(t2t(), "qkv.weight", tensor({12, 6, 1})),
              "file: tensor \"qkv.weight\": expected a matrix, found [12, 6, 1].");
    EXPECT_EQ(with(t2t(), "qkv.weight", tensor({0, 6})),
              "file: tensor \"qkv.weight\": expected a matrix, found [0, 6].");
    EXPECT_EQ(with(mha(), "in_proj_weight", tensor({12, 5})),
              "file: tensor \"in_proj_weight\": expected [15, 5], found [12, 5].");
    TensorMap incomplete = mha();
    incomplete.erase("out_proj.weight");
    EXPECT_EQ(error_of(incomplete),
              "file: tensor \"out_proj.weight\": expected [4, 4], found none.");
}

TEST(ReadLayer, refuses_weights_that_are_not_numbers) {
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        TensorMap tensors = t2t();
        tensors["qkv.weight"].values[7] = bad;
        const std::string error = error_of(tensors);
        EXPECT_NE(error.find("\"qkv.weight\": expected finite numbers"), std::string::npos)
            << error;
        EXPECT_NE(error.find("at [1, 1]"), std::string::npos) << error;
    }
}

}  // namespace
}  // namespace headlight::layer_file_test
