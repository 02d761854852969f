#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>

#include "encoder/run_scene.h"
#include "encoder/runner.h"
#include "families/load.h"
#include "golden.h"
#include "kernels/parallel.h"
#include "model_files.h"
#include "scene/random_scene.h"
#include "tests/source_path.h"

// Compares the models in assets/models with PyTorch and with their model cards.
namespace headlight::shipped_model_test {
namespace {

const std::string kModels = source_path("assets/models/");
const std::string kFolder = kModels + "scenes/", kLayerFolder = kModels + "t2t-layer/";

std::shared_ptr<const Model> shipped() {
    static const auto model = load_model(kFolder + "model.safetensors", read_disk);
    return model;
}

// The layer on scenes, as the window runs it.
class ShippedLayer {
  public:
    std::shared_ptr<const Trace> on(std::uint64_t number) {
        Recipe recipe;
        recipe.weights = kLayerFolder + "model.safetensors";
        recipe.scene = random_scene(number);
        return runner_.run(recipe);
    }

  private:
    Runner runner_{read_disk};
};

// Largest difference relative to the largest expected number.
double relative(const MatrixView& found, const float* expected) {
    double off = 0, size = 0;
    for (Index r = 0; r < found.rows; ++r)
        for (Index c = 0; c < found.cols; ++c) {
            const double e = expected[r * found.cols + c];
            off = std::max(off, std::abs(found(r, c) - e));
            size = std::max(size, std::abs(e));
        }
    return off / size;
}

constexpr std::uint64_t kFirstGolden = 2'000'000'100;

void expect_near(const Trace& trace, Tensor tensor, const std::string& name, std::size_t scene) {
    static const TensorMap golden =
        read_safetensors(read_disk(source_path("tests/golden/scenes.safetensors")).bytes(), "");
    const NamedTensor& expected = golden.at(name);
    const std::size_t each = expected.values.size() / 3;
    const MatrixView found = trace.all(tensor);
    ASSERT_EQ(static_cast<std::size_t>(found.rows * found.cols), each) << name;
    EXPECT_LT(relative(found, expected.values.data() + scene * each), 1e-5) << name;
}

TEST(ShippedModel, equals_pytorch_on_three_scenes) {
    for (std::size_t i = 0; i < 3; ++i) {
        const auto look = [&](const Trace& layer) {
            const std::string name = "layer." + std::to_string(layer.layer);
            expect_near(layer, Tensor::attention, name + ".attention", i);
            expect_near(layer, Tensor::output, name + ".output", i);
        };
        const Trace done = run_scene(shipped(), random_scene(kFirstGolden + i), {}, look);
        expect_near(done, Tensor::tokens, "tokens", i);
        expect_near(done, Tensor::logits, "logits", i);
        expect_near(done, Tensor::pointing, "pointing", i);
    }
}

TEST(ShippedModel, is_small_and_says_what_it_is) {
    EXPECT_LT(read_disk(kFolder + "model.safetensors").size(), 1'000'000U);
    EXPECT_TRUE(answers_scenes(*shipped()));
    EXPECT_EQ(shipped()->class_names.at(5), "star");
    EXPECT_TRUE(shipped()->unused_tensors.empty());
    EXPECT_EQ(shipped()->preprocessing.height, kSceneSize);
}

// The output of `headlight heads` for all heads, as quoted in the card.
struct Card {
    double right = 0, near = 0;  // percent
    struct Head {
        int layer = 0, head = 0;
        double own = 0, twin = 0, other = 0, background = 0;
    };
    std::vector<Head> heads;
};

Card read_card() {
    Card card;
    std::ifstream file(kFolder + "heads.txt");
    std::smatch found;
    for (std::string line; std::getline(file, line);) {
        if (std::regex_search(line, found, std::regex(R"(right: ([0-9.]+) %)")))
            card.right = std::stod(found[1]);
        else if (std::regex_search(line, found, std::regex(R"(one cell: ([0-9.]+) %)")))
            card.near = std::stod(found[1]);
        std::istringstream words(line);
        Card::Head head;
        if (words >> head.layer >> head.head >> head.own >> head.twin >> head.other >>
            head.background)
            card.heads.push_back(head);
    }
    return card;
}

TEST(ShippedModel, does_what_its_card_says) {
    constexpr Index kScenes = 1000;
    const Card card = read_card();
    ASSERT_EQ(card.heads.size(), 16U);
    std::mutex guard;
    SceneScore score;
    std::vector<SceneHeads> layers(4);
    parallel_for(kScenes, [&](Index i) {
        const ShapeScene scene = random_scene(kFirstTestScene + static_cast<std::uint64_t>(i));
        const auto twins = twins_of(scene);
        const auto look = [&](const Trace& layer) {
            const SceneTruth truth = truth_of(layer, scene);
            const std::scoped_lock lock(guard);
            layers[static_cast<std::size_t>(layer.layer)].add(layer.all(Tensor::attention),
                                                              layer.shape.heads, layer.layout,
                                                              layer.grid, truth, twins);
        };
        const SceneScore one = headlight::score(run_scene(shipped(), scene, {}, look), scene);
        const std::scoped_lock lock(guard);
        score.add(one);
    });
    EXPECT_NEAR(100.0 * static_cast<double>(score.right) / kScenes, card.right, 1);
    EXPECT_NEAR(100.0 * static_cast<double>(score.near) / static_cast<double>(score.pointing),
                card.near, 1);
    double best = 0;
    for (const Card::Head& stated : card.heads) {
        const auto heads = layers.at(static_cast<std::size_t>(stated.layer) - 1).result();
        const SceneHeadNumbers& found = heads.at(static_cast<std::size_t>(stated.head) - 1);
        const std::string where =
            "layer " + std::to_string(stated.layer) + " head " + std::to_string(stated.head);
        EXPECT_NEAR(found.pair[Kin::own], stated.own, 0.02) << where;
        EXPECT_NEAR(found.pair[Kin::twin], stated.twin, 0.02) << where;
        EXPECT_NEAR(found.pair[Kin::other], stated.other, 0.02) << where;
        EXPECT_NEAR(found.pair[Kin::background], stated.background, 0.02) << where;
        best = std::max(best, found.twin_to_other);
    }
    EXPECT_GT(best, 10);  // some head gives the twin ten times as much as another shape
}

TEST(ShippedLayer, equals_pytorch_on_three_scenes) {
    ShippedLayer layer;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto trace = layer.on(kFirstGolden + i);
        expect_near(*trace, Tensor::attention, "t2t_layer.attention", i);
        expect_near(*trace, Tensor::output, "t2t_layer.output", i);
        expect_near(*trace, Tensor::logits, "t2t_layer.logits", i);
    }
}

// 100 tokens of 49 numbers, 64 channels, 4 heads, the skip from V.
TEST(ShippedLayer, has_the_dimensions_of_the_article) {
    ShippedLayer layer;
    const auto trace = layer.on(kFirstGolden);
    EXPECT_EQ(trace->shape.queries, 100);
    EXPECT_EQ(trace->config.dim, 49);
    EXPECT_EQ(trace->config.channels, 64);
    EXPECT_EQ(trace->config.heads, 4);
    EXPECT_EQ(trace->config.skip, Skip::value);
    EXPECT_EQ(trace->image->width, 70);
    EXPECT_TRUE(answers_scenes(*trace->model));
    EXPECT_TRUE(trace->model->unused_tensors.empty());
}

TEST(ShippedLayer, does_what_its_card_says) {
    std::ifstream file(kLayerFolder + "README.md");
    const std::string card(std::istreambuf_iterator<char>(file), {});
    std::smatch stated;
    ASSERT_TRUE(std::regex_search(card, stated, std::regex(R"(right class \| ([0-9.]+) %)")));
    constexpr std::uint64_t kScenes = 10'000;  // all that the card used
    ShippedLayer layer;
    SceneScore all;
    for (std::uint64_t i = 0; i < kScenes; ++i)
        all.add(score(*layer.on(kFirstTestScene + i), random_scene(kFirstTestScene + i)));
    EXPECT_NEAR(100.0 * static_cast<double>(all.right) / kScenes, std::stod(stated[1]), 0.2);
}

}  // namespace
}  // namespace headlight::shipped_model_test
