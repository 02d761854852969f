#include "state/layer_studies.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "encoder/runner.h"
#include "models.h"

// Measurements of a layer's heads, and of all layers' branches.
namespace headlight {
namespace {

using testing::model_files;

Recipe recipe() {
    Recipe recipe;
    recipe.image = "a.ppm";
    recipe.weights = "timm/model.safetensors";
    return recipe;
}

auto answered(const Studies& studies, const auto& study) {
    while (studies.busy(study)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return studies.last(study);
}

// From queries and keys, the same as from the attention itself.
TEST(LayerStudies, rings_are_those_of_the_attention) {
    const auto trace = Runner(model_files()).run(recipe());
    const auto kept = std::make_shared<const KeptAttention>(*trace);
    RingSums sums(trace->layout, trace->grid, trace->shape.heads);
    const MatrixView attention = trace->all(Tensor::attention);
    for (Index query = 0; query < attention.cols; ++query) {
        Matrix rows(trace->shape.heads, attention.cols);
        for (Index h = 0; h < rows.rows(); ++h)
            rows.row(h) = attention.eigen().row(h * attention.cols + query);
        sums.add(query, rows);
    }
    const auto expected = sums.means(), found = rings_of(*kept);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t h = 0; h < found.size(); ++h) EXPECT_EQ(found[h].mass, expected[h].mass);
    Studies studies;
    studies.ask(kRings, {kept});
    const auto said = answered(studies, kRings);
    ASSERT_TRUE(said && said->error.empty());
    EXPECT_EQ(said->answer[0].mass, expected[0].mass);
}

// Selecting another layer asks nothing new; another change does.
TEST(LayerStudies, branches_are_asked_for_once) {
    Runner runner(model_files());
    const auto trace = runner.run(recipe());
    Recipe other_layer = recipe();
    other_layer.layer = 1;
    const auto other = runner.run(other_layer);
    ASSERT_NE(trace, other);
    const Counterfactual change = counterfactual_of(recipe(), *trace->model);
    Counterfactual off = change;
    off.switched_off = {{0, 1}};
    EXPECT_EQ((BranchQuestion{trace, change}), (BranchQuestion{other, change}));
    EXPECT_FALSE((BranchQuestion{trace, change}) == (BranchQuestion{trace, off}));
    Studies studies;
    studies.ask(kBranches, {trace, change});
    const auto said = answered(studies, kBranches);
    ASSERT_TRUE(said && said->error.empty());
    EXPECT_EQ(said->answer.size(), trace->model->layers.size());
    EXPECT_EQ(studies.ask(kBranches, {other, change}), said);
    EXPECT_FALSE(studies.busy(kBranches));
}

}  // namespace
}  // namespace headlight
