#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "picture.h"
#include "written_file.h"

// A switched-off head gives zero. So does a projection that ignores it, which these tests compare
// with.
namespace headlight::switched_off_test {
namespace {

FileReader with_picture(const FileReader& read) {
    return [read](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

Recipe recipe_of(const std::string& weights) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = weights;
    return recipe;
}

// The golden model with some columns of a projection's weight set to zero.
Bytes deaf_to(const GoldenModel& model, int layer, Index first, Index count) {
    TensorMap tensors = read_safetensors(read_disk(model.path()).bytes(), model.path());
    const std::string name = "blocks." + std::to_string(layer) + ".attn.proj.weight";
    std::vector<float>& weight = tensors.at(name).values;
    const Index width = tensors.at(name).shape[1];
    for (Index row = 0; row < width; ++row)
        for (Index col = first; col < first + count; ++col)
            weight[static_cast<std::size_t>(row * width + col)] = 0;
    const std::string file = ::testing::TempDir() + "deaf.safetensors";
    std::vector<TensorToWrite> all;
    for (const auto& [key, tensor] : tensors) {
        const auto size = static_cast<Index>(tensor.values.size());
        all.push_back({key, tensor.shape, {MatrixView{tensor.values.data(), 1, size, size}}});
    }
    write_safetensors(file, all);
    const FileBytes written = read_disk(file);
    return {written.bytes().begin(), written.bytes().end()};
}

float largest_difference(const MatrixView& a, const MatrixView& b) {
    return (a.eigen() - b.eigen()).cwiseAbs().maxCoeff();
}

TEST(SwitchedOff, is_a_projection_that_does_not_listen) {
    const GoldenModel model{"timm"};
    const FileReader read = with_picture(reader_of(model));
    Recipe recipe = recipe_of(model.path());
    const auto whole = Runner(read).run(recipe);
    const Index width = whole->shape.head_dim;
    recipe.switched_off = {{1, 1}};
    for (const int layer : {0, 1}) {  // the head's own layer, or another, is selected
        recipe.layer = layer;
        const auto off = Runner(read).run(recipe);
        Folder folder;
        folder.with(model.path(), deaf_to(model, 1, width, width));
        const auto deaf = [&](const std::string& path) -> File {
            return path == model.path() ? folder.reader()(path) : reader_of(model)(path);
        };
        Recipe other = recipe;
        other.switched_off.clear();
        const auto expected = Runner(with_picture(deaf)).run(other);
        for (const Tensor tensor : {Tensor::projection, Tensor::output, Tensor::logits})
            EXPECT_LT(largest_difference(off->view(tensor), expected->view(tensor)), 1e-5F)
                << info(tensor).name << ", layer " << layer;
        EXPECT_GT(largest_difference(off->view(Tensor::logits), whole->view(Tensor::logits)),
                  1e-3F);
        if (layer == 0) continue;
        EXPECT_TRUE(off->view(Tensor::head_output, 0, 1).eigen().isZero(0));
        EXPECT_FALSE(off->view(Tensor::head_output, 0, 0).eigen().isZero(1e-3F));
    }
}

TEST(SwitchedOff, of_a_bare_layer_too) {
    Recipe recipe;
    recipe.image = "a";
    recipe.heads = 4;
    Runner runner(with_picture(read_disk));
    runner.run(recipe);
    recipe.switched_off = {{0, 2}};
    const auto off = runner.run(recipe);
    EXPECT_TRUE(off->view(Tensor::head_output, 0, 2).eigen().isZero(0));
    EXPECT_FALSE(off->recomputed[static_cast<std::size_t>(Step::softmax)]);  // only from A·V on
    EXPECT_TRUE(off->recomputed[static_cast<std::size_t>(Step::mix)]);
    recipe.switched_off = {};
    EXPECT_FALSE(runner.run(recipe)->view(Tensor::head_output, 0, 2).eigen().isZero(0));
}

// With another layer's head, earlier layers are unchanged and are not reported again, except for a
// rollout, which needs all.
TEST(SwitchedOff, leaves_the_layers_before_it_alone) {
    const GoldenModel model{"timm"};
    Recipe recipe = recipe_of(model.path());
    recipe.image = "a";
    std::vector<int> heard;
    Runner runner(with_picture(reader_of(model)),
                  [&](const Trace& layer) { heard.push_back(layer.layer); });
    const auto before = runner.run(recipe);
    const auto hears = [&](std::vector<HeadPlace> off, std::optional<RolloutSettings> rollout) {
        heard.clear();
        recipe.switched_off = std::move(off);
        recipe.rollout = rollout;
        runner.run(recipe);
        return heard;
    };
    using Layers = std::vector<int>;
    EXPECT_EQ(hears({{1, 0}}, std::nullopt), Layers{1});
    const auto after = runner.last();
    for (const Node& node : after->nodes)
        EXPECT_EQ(after->recomputed[static_cast<std::size_t>(node.id)], node.place == Place::end)
            << node.name();
    EXPECT_NE(after->version(Tensor::logits), before->version(Tensor::logits));
    EXPECT_EQ(hears({{1, 0}}, RolloutSettings{}), (Layers{0, 1}));
    EXPECT_EQ(hears({}, RolloutSettings{}), (Layers{0, 1}));
    EXPECT_EQ(hears({{0, 0}}, std::nullopt), (Layers{0, 1}));
}

TEST(SwitchedOff, must_be_a_head_of_the_model) {
    const GoldenModel model{"timm"};
    Recipe recipe = recipe_of(model.path());
    recipe.switched_off = {{0, 99}};
    Runner runner(with_picture(reader_of(model)));
    const std::string sentence = naive::sentence_of<RecipeError>([&] { runner.run(recipe); });
    EXPECT_TRUE(sentence.starts_with("Head 100 of layer 1 cannot be switched off: that layer has "))
        << sentence;
}

}  // namespace
}  // namespace headlight::switched_off_test
