#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "model_files.h"

// Tests files of attention without a model.
namespace headlight::family_maps_test {
namespace {

std::size_t count_of(const std::vector<std::int64_t>& shape) {
    std::size_t count = 1;
    for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
    return count;
}

// Rows of [.., N, N] that sum to 1, all different from their neighbors.
std::vector<float> shares(const std::vector<std::int64_t>& shape) {
    const auto tokens = static_cast<std::size_t>(shape.back());
    std::vector<float> numbers(count_of(shape));
    for (std::size_t row = 0; row < numbers.size(); row += tokens) {
        float sum = 0;
        for (std::size_t m = 0; m < tokens; ++m)
            sum += numbers[row + m] = static_cast<float>(1 + (row + 3 * m) % 7);
        for (std::size_t m = 0; m < tokens; ++m) numbers[row + m] /= sum;
    }
    return numbers;
}

RawTensor map(const std::string& name, const std::vector<std::int64_t>& shape) {
    return {name, "F32", shape, raw(shares(shape))};
}

std::shared_ptr<const Model> load(const std::vector<RawTensor>& tensors) {
    return load_model("m", Folder().with("m", safetensors_of(tensors)).reader());
}

std::string error_of(const std::vector<RawTensor>& tensors) {
    return headlight::error_of("m", safetensors_of(tensors));
}

TEST(Maps, are_taken_in_the_order_of_their_numbers) {
    const auto model = load({map("block10", {1, 2, 5, 5}),
                             map("block9", {2, 5, 5}),
                             {"step", "F32", {3}, raw(std::vector<float>(3))}});
    EXPECT_EQ(model->family, "maps");
    ASSERT_EQ(model->maps.size(), 2);
    EXPECT_EQ(model->maps[0]->view().rows, 10);
    EXPECT_EQ(model->unused, std::vector<std::string>{"step"});
    EXPECT_EQ(load({map("a", {3, 1, 2, 4, 4})})->maps.size(), 3U);
    EXPECT_NE(error_of({map("a", {2, 4, 4}), map("b", {2, 5, 5})}).find("maps of 4 tokens"),
              std::string::npos);
}

TEST(Maps, may_have_blocked_rows) {
    std::vector<float> numbers = shares({2, 5, 5});
    std::fill_n(numbers.begin() + 10, 5, 0.0F);
    EXPECT_TRUE(load({{"attn", "F32", {2, 5, 5}, raw(numbers)}})->is_maps());
}

TEST(Maps, share_out_one_in_every_row) {
    const auto with = [](std::size_t at, float number) {
        std::vector<float> numbers = shares({2, 5, 5});
        numbers[at] = number;
        return error_of({{"attn", "F32", {2, 5, 5}, raw(numbers)}});
    };
    EXPECT_EQ(with(7, shares({2, 5, 5})[7] + 5e-4F), "no error");
    EXPECT_NE(with(7, shares({2, 5, 5})[7] + 5e-3F)
                  .find("whose rows add up to 1, found a row that adds up to 1."),
              std::string::npos);
    EXPECT_EQ(with(7, -0.25F),
              "m: tensor \"attn\": expected attention, which is never negative, found -0.25.");
    EXPECT_NE(with(7, std::nanf("")).find("expected finite numbers"), std::string::npos);
}

// Each number is rounded in the same direction: 1/197 in BF16 is 0.2 % less.
TEST(Maps, of_half_precision_may_be_rounded) {
    const std::vector<std::int64_t> shape{1, 197, 197};
    const std::size_t count = count_of(shape);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(1 / 197.0F);
    const auto brain = static_cast<std::uint16_t>((bits + 0x8000U) >> 16U);
    const std::string rounded = raw(std::vector<std::uint16_t>(count, brain));
    const auto model = load({{"attn", "BF16", shape, rounded}});
    EXPECT_GT(std::abs(model->maps[0]->view().eigen().row(0).sum() - 1), 1e-3F);
    // The same numbers as F32 are not rounded.
    const float wide = std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16U);
    const std::vector<float> exact(count, wide);
    EXPECT_NE(error_of({{"attn", "F32", shape, raw(exact)}}).find("add up to 1"),
              std::string::npos);
    EXPECT_TRUE(load({{"attn", "F16", {1, 2, 2}, raw(std::vector<std::uint16_t>(4, 0x3800))}})
                    ->is_maps());  // ½
}

TEST(Maps, are_no_whole_numbers_and_no_weights) {
    const RawTensor truth{"attn", "BOOL", {1, 2, 2}, std::string("\1\0\0\1", 4)};
    EXPECT_NE(error_of({truth}).find("has one tensor, \"attn\" (BOOL [1, 2, 2])"),
              std::string::npos)
        << error_of({truth});
    for (const char* name : {"out.weight", "out.bias", "out/kernel", "norm.running_mean",
                             "norm.running_var", "norm.gamma", "tokens/embedding"})
        EXPECT_NE(error_of({map("attn", {2, 5, 5}), map(name, {2, 5, 5})}).find("reads vision"),
                  std::string::npos)
            << name;
    // Maps are often called so.
    EXPECT_TRUE(load({map("attention_weights", {2, 5, 5})})->is_maps());
}

// [layers, samples, heads, N, N], with axes of size one left out. The first cell of each map
// encodes its number: 1 − (number + 1) / 100.
std::vector<float> numbered(Index maps, Index tokens) {
    std::vector<float> numbers;
    for (Index m = 0; m < maps; ++m)
        for (Index r = 0; r < tokens; ++r)
            for (Index c = 0; c < tokens; ++c) {
                const float rest = static_cast<float>(m + 1) / 100;
                numbers.push_back(c == 0 ? 1 - rest : rest / static_cast<float>(tokens - 1));
            }
    return numbers;
}

RawTensor numbered_map(const std::string& name, const std::vector<std::int64_t>& shape) {
    const auto tokens = static_cast<Index>(shape.back());
    return {name, "F32", shape,
            raw(numbered(static_cast<Index>(count_of(shape)) / (tokens * tokens), tokens))};
}

// The numbers of layer l's heads.
std::vector<int> numbers_of(const Model& model, std::size_t l) {
    std::vector<int> numbers;
    const MatrixView rows = model.maps[l]->view();
    for (Index row = 0; row < rows.rows; row += rows.cols)
        numbers.push_back(static_cast<int>(std::lround(100 * (1 - rows(row, 0)))) - 1);
    return numbers;
}

TEST(Maps, of_one_array_are_layers_and_heads) {
    using Numbers = std::vector<int>;
    const auto layers_of = [](const std::vector<std::int64_t>& shape) {
        const auto model = load({numbered_map("m", shape)});
        std::vector<Numbers> layers;
        for (std::size_t l = 0; l < model->maps.size(); ++l)
            layers.push_back(numbers_of(*model, l));
        EXPECT_EQ(model->layers.size(), model->maps.size());
        EXPECT_EQ(model->map_samples, 1);
        return layers;
    };
    EXPECT_EQ(layers_of({5, 5}), (std::vector<Numbers>{{0}}));
    EXPECT_EQ(layers_of({3, 5, 5}), (std::vector<Numbers>{{0, 1, 2}}));
    const std::vector<Numbers> two{{0, 1, 2}, {3, 4, 5}};
    EXPECT_EQ(layers_of({2, 3, 5, 5}), two);
    EXPECT_EQ(layers_of({2, 1, 3, 5, 5}), two);
    EXPECT_EQ(layers_of({1, 2, 3, 5, 5}), two);
    EXPECT_EQ(layers_of({1, 1, 3, 5, 5}), (std::vector<Numbers>{{0, 1, 2}}));
}

TEST(Maps, of_several_arrays_are_a_layer_each_and_may_be_a_batch) {
    const std::vector<RawTensor> batch{numbered_map("arr_0", {2, 3, 5, 5}),
                                       numbered_map("arr_1", {2, 3, 5, 5})};
    const auto sample = [&](std::optional<int> which) {
        ModelOptions options;
        options.sample = which;
        return load_model("m", Folder().with("m", safetensors_of(batch)).reader(), options);
    };
    for (const auto& [which, first] : {std::pair{std::optional<int>(), 0}, {1, 0}, {2, 3}}) {
        const auto model = sample(which);
        EXPECT_EQ(model->map_samples, 2);
        ASSERT_EQ(model->maps.size(), 2U);
        for (std::size_t l = 0; l < 2; ++l)
            EXPECT_EQ(numbers_of(*model, l), (std::vector<int>{first, first + 1, first + 2}));
        EXPECT_EQ(fact(*model, "sample").value, std::to_string(which.value_or(1)) + " of 2");
    }
    EXPECT_THROW((void)sample(3), CheckpointError);
    EXPECT_EQ(load({map("a", {5, 5}), map("b", {5, 5})})->maps.size(), 2U);
    EXPECT_NE(error_of({map("a", {2, 3, 5, 5}), map("b", {4, 3, 5, 5})}).find("2 samples"),
              std::string::npos);
    // A rollout beside them is not a layer.
    EXPECT_EQ(load({map("attn", {4, 3, 5, 5}), map("rollout", {5, 5})})->maps.size(), 4U);
}

TEST(Maps, of_other_shapes_are_refused_with_the_shapes_that_will_do) {
    const auto expect = [](const std::vector<RawTensor>& tensors, const std::string& found) {
        const std::string error = error_of(tensors);
        EXPECT_NE(error.find("[layers, heads, N, N]"), std::string::npos) << error;
        EXPECT_NE(error.find("[samples, heads, N, N]"), std::string::npos) << error;
        EXPECT_NE(error.find(found), std::string::npos) << error;
    };
    const auto zeros = [](const std::vector<std::int64_t>& shape) {
        return RawTensor{"attn", "F32", shape, raw(std::vector<float>(count_of(shape), 0.01F))};
    };
    expect({zeros({3, 4, 17})}, "[3, 4, 17]");  // the class token's rows
    expect({zeros({6, 7, 9})}, "[6, 7, 9]");    // DINO's maps of it
    expect({zeros({6, 7, 7})}, "[6, 7, 7] of one token");
    expect({zeros({3, 6, 7, 7})}, "[3, 6, 7, 7] of one token");
    expect({zeros({2, 4, 10, 17})}, "[2, 4, 10, 17]");  // cross-attention
    // Under any name: rows that sum to 1.
    expect({{"rows", "F32", {3, 4, 10}, raw(std::vector<float>(120, 0.1F))}}, "[3, 4, 10]");
    EXPECT_NE(error_of({{"w1", "F32", {4, 3, 3, 2}, raw(std::vector<float>(72, 0.1F))}})
                  .find("reads vision transformers"),
              std::string::npos);
    // Layers and samples, or samples and layers.
    expect({map("attn", {2, 3, 4, 5, 5})}, "array[:, 0]");
    expect({map("a", {2, 1, 4, 5, 5}), map("b", {2, 1, 4, 5, 5})}, "[2, 1, 4, 5, 5]");
}

// Beside its maps are scores, which are no maps, and rollout.
TEST(Maps, of_a_trace_are_those_of_its_layers) {
    const RawTensor scores{
        "layer.0.scores", "F32", {1, 2, 5, 5}, raw(std::vector<float>(50, -INFINITY))};
    const auto model = load({map("layer.0.attention", {1, 2, 5, 5}),
                             map("layer.1.attention", {1, 2, 5, 5}),
                             map("rollout", {1, 5, 5}),
                             {"embedding", "F32", {1, 3}, raw(std::vector<float>(3))},
                             map("t2t.1.attention", {1, 1, 7, 7}),
                             scores});
    EXPECT_EQ(model->maps.size(), 2);
    EXPECT_EQ(model->unused_tensors, (std::vector<std::string>{"embedding", "layer.0.scores",
                                                               "rollout", "t2t.1.attention"}));
    EXPECT_EQ(error_of({map("layer.0.attention", {2, 2, 5, 5})}),
              "m: tensor \"layer.0.attention\": expected one sample, found 2.");
}

}  // namespace
}  // namespace headlight::family_maps_test
