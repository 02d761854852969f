#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>

#include "checkpoint/load.h"
#include "encoder/run_scene.h"
#include "golden.h"
#include "kernels/parallel.h"
#include "model_files.h"
#include "scene/random_scene.h"

// The model in assets/models/scenes against PyTorch, and against what its card says of it.
namespace headlight {
namespace {

const std::string kFolder = std::string(HEADLIGHT_SOURCE) + "/assets/models/scenes/";

std::shared_ptr<const Model> shipped() {
    static const auto model = load_model(kFolder + "model.safetensors", read_disk);
    return model;
}

// Greatest difference, by the greatest number that was expected.
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

TEST(ShippedModel, EqualsPyTorchOnThreeScenes) {
    const TensorMap golden = read_safetensors(
        read_disk(std::string(HEADLIGHT_SOURCE) + "/tests/golden/scenes.safetensors").bytes(), "");
    constexpr std::uint64_t kFirst = 2'000'000'100;
    const auto expect_near = [&](const Trace& trace, Tensor tensor, const std::string& name,
                                 std::size_t scene) {
        const NamedTensor& expected = golden.at(name);
        const std::size_t each = expected.values.size() / 3;
        const MatrixView found = trace.all(tensor);
        ASSERT_EQ(static_cast<std::size_t>(found.rows * found.cols), each) << name;
        EXPECT_LT(relative(found, expected.values.data() + scene * each), 1e-5) << name;
    };
    for (std::size_t i = 0; i < 3; ++i) {
        const auto look = [&](const Trace& layer) {
            const std::string name = "layer." + std::to_string(layer.block);
            expect_near(layer, Tensor::attention, name + ".attention", i);
            expect_near(layer, Tensor::output, name + ".output", i);
        };
        const Trace done = run_scene(shipped(), random_scene(kFirst + i), {}, look);
        expect_near(done, Tensor::tokens, "tokens", i);
        expect_near(done, Tensor::logits, "logits", i);
        expect_near(done, Tensor::pointing, "pointing", i);
    }
}

TEST(ShippedModel, IsSmallAndSaysWhatItIs) {
    EXPECT_LT(read_disk(kFolder + "model.safetensors").size(), 1'000'000U);
    EXPECT_TRUE(answers_scenes(*shipped()));
    EXPECT_EQ(shipped()->class_names.at(5), "star");
    EXPECT_TRUE(shipped()->unused_tensors.empty());
    EXPECT_EQ(shipped()->preprocessing.height, kSceneSize);
}

// What `headlight heads` printed of all heads, as it stands in the card.
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

TEST(ShippedModel, DoesWhatItsCardSays) {
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
            layers[static_cast<std::size_t>(layer.block)].add(layer.all(Tensor::attention),
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
    EXPECT_GT(best, 10);  // some head gives the twin ten times what it gives another shape
}

}  // namespace
}  // namespace headlight
