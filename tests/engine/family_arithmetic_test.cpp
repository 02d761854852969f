#include <gtest/gtest.h>

#include <algorithm>

#include "cells.h"
#include "encoder/runner.h"
#include "golden_families.h"
#include "picture.h"

// Every cell of every step of every family can be explained: the arithmetic strip's result,
// recomputed from the step's operands, equals the engine's.
namespace headlight::family_arithmetic_test {
namespace {

class FamilyArithmetic : public ::testing::TestWithParam<GoldenModel> {};

// With a picture of 47 × 50 pixels.
FileReader with_picture(const GoldenModel& model) {
    return [read = reader_of(model)](const std::string& path) -> File {
        return path == "picture" ? FileBytes(picture(50, 47)) : read(path);
    };
}

// First, second, middle and last, so that special cells are included.
std::vector<Index> places(Index count) {
    std::vector<Index> all{0, 1, count / 3, count / 2, count - 2, count - 1};
    std::erase_if(all, [&](Index i) { return i < 0 || i >= count; });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void expect_explained(const Trace& trace, Step step, Index head) {
    const Tensor result = trace.node(step)->result();
    if (!trace.has(result)) {
        EXPECT_TRUE(trace.model->is_maps()) << info(step).name;
        return;
    }
    for (const Index row : places(trace.rows(result)))
        for (const Index col : places(trace.cols(result))) {
            const Arithmetic a = explained(trace, step, head, row, col);
            EXPECT_TRUE(a.agrees) << "block " << trace.layer << ", " << info(step).name << ", head "
                                  << head << " [" << row << ", " << col << "]: recomputed "
                                  << a.recomputed << ", shown " << a.shown;
            EXPECT_TRUE(a.padding || !a.terms.empty()) << info(step).name;
            EXPECT_EQ(a.result, result);
        }
}

TEST_P(FamilyArithmetic, every_step_of_every_layer_is_explained) {
    Runner runner(with_picture(GetParam()));
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = GetParam().path();
    int layers = 1;
    for (recipe.layer = 0; recipe.layer < layers; ++recipe.layer) {
        const auto trace = runner.run(recipe);
        layers = static_cast<int>(trace->model->layers.size());
        for (const Step step : trace->steps()) {
            const bool per_head = info(trace->node(step)->result()).per_head;
            for (Index h = 0; h < (per_head ? trace->shape.heads : 1); ++h)
                expect_explained(*trace, step, h);
        }
    }
}

// The other heads are explained as usual, and so are later steps.
TEST(SwitchedOffArithmetic, is_zero_without_terms) {
    const GoldenModel model{"timm"};
    Runner runner(with_picture(model));
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    recipe.switched_off = {{0, 1}};
    const auto trace = runner.run(recipe);
    ASSERT_GT(trace->shape.heads, 1);
    for (Index head = 0; head < trace->shape.heads; ++head) {
        const Arithmetic a = explained(*trace, Step::mix, head, 2, 1);
        EXPECT_EQ(a.switched_off, head == 1);
        EXPECT_EQ(a.terms.empty(), head == 1);
        EXPECT_EQ(a.shown == 0, head == 1);
        EXPECT_TRUE(a.agrees);
        expect_explained(*trace, Step::concat, head);
    }
    expect_explained(*trace, Step::project, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyArithmetic, ::testing::ValuesIn(golden_files()),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace headlight::family_arithmetic_test
