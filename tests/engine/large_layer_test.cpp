#include <gtest/gtest.h>

#include <malloc.h>

#include <fstream>

#include "encoder/layers.h"
#include "encoder/runner.h"
#include "kernels/recycle.h"
#include "model_files.h"
#include "naive.h"
#include "picture.h"

// Layers whose squared matrices exceed kMaxSquaresBytes together.
namespace headlight::large_layer_test {
namespace {

constexpr Index kSide = 84, kTokens = kSide * kSide + 1, kWidth = 8;  // one patch per pixel

// Two layers with one head, in timm's names.
Shapes one_head() {
    Shapes shapes{{"cls_token", {1, 1, kWidth}},
                  {"pos_embed", {1, kTokens, kWidth}},
                  {"patch_embed.proj.weight", {kWidth, 3, 1, 1}},
                  {"patch_embed.proj.bias", {kWidth}},
                  {"norm.weight", {kWidth}},
                  {"norm.bias", {kWidth}}};
    for (const std::string layer : {"blocks.0.", "blocks.1."}) {
        for (const std::string norm : {"norm1", "norm2"})
            for (const std::string part : {".weight", ".bias"})
                shapes[layer + norm + part] = {kWidth};
        const auto add = [&](const std::string& name, Index outputs, Index inputs) {
            shapes[layer + name + ".weight"] = {outputs, inputs};
            shapes[layer + name + ".bias"] = {outputs};
        };
        add("attn.qkv", 3 * kWidth, kWidth);
        add("attn.proj", kWidth, kWidth);
        add("mlp.fc1", 4 * kWidth, kWidth);
        add("mlp.fc2", kWidth, 4 * kWidth);
    }
    return shapes;
}

constexpr std::size_t kAttentionBytes = kTokens * kTokens * sizeof(float);

Recipe large_recipe() {
    Recipe recipe;
    recipe.weights = "m.safetensors";
    recipe.model.num_heads = 1;
    recipe.image = "a.ppm";
    recipe.image_height = recipe.image_width = kSide;
    return recipe;
}

// The first layer's attention makes room for the second one's, and is recomputed at the end.
TEST(LargeLayer, has_its_attention_and_one_more_in_memory) {
    Folder folder;
    folder.with("m.safetensors", safetensors_of(one_head())).with("a.ppm", picture(kSide, kSide));
    std::vector<int> heard;
    Runner runner(folder.reader(), [&](const Trace& layer) {
        EXPECT_EQ(layer.view(Tensor::attention).rows, kTokens);
        heard.push_back(layer.layer);
    });
    const auto trace = runner.run(large_recipe());

    EXPECT_EQ(heard, (std::vector<int>{0, 1}));
    ASSERT_FALSE(trace->keeps_squares);
    const Matrix expected = attention_of(trace->view(Tensor::query), trace->view(Tensor::key),
                                         factor_of(*trace), nullptr, trace->shape);
    EXPECT_TRUE(naive::identical(trace->view(Tensor::attention), expected));
    EXPECT_LT(idle_bytes(), kAttentionBytes);  // the first layer reuses the second's
}

// The sanitizers' own memory would be counted too.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Peak memory of this process since forget_peak().
std::size_t peak_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::size_t kilobytes = 0; word == "VmHWM:" && status >> kilobytes)
            return kilobytes * 1024;
    ADD_FAILURE() << "the system does not say how much memory was in use";
    return 0;
}

void forget_peak() { ASSERT_TRUE(std::ofstream("/proc/self/clear_refs") << "5" << std::flush); }

// The attention of the layer in view and of the one being computed, but never a third.
TEST(LargeLayer, another_layer_takes_one_more_attention_than_is_in_view) {
    Folder folder;
    folder.with("m.safetensors", safetensors_of(one_head())).with("a.ppm", picture(kSide, kSide));
    Runner runner(folder.reader());
    Recipe recipe = large_recipe();
    malloc_trim(0);  // memory freed by earlier tests
    forget_peak();
    const std::size_t before = peak_bytes() - idle_bytes();
    auto in_view = runner.run(recipe);
    for (recipe.layer = 1; recipe.layer >= 0; --recipe.layer) in_view = runner.run(recipe);
    recipe.layer = 0;
    recipe.temperature = 2;
    in_view = runner.run(recipe);
    EXPECT_GT(peak_bytes() - before, 2 * kAttentionBytes);
    EXPECT_LT(peak_bytes() - before, 2.5 * kAttentionBytes);
}
#endif

}  // namespace
}  // namespace headlight::large_layer_test
