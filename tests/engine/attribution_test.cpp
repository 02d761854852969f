#include "gradient/attribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/prediction.h"
#include "encoder/layers.h"
#include "encoder/run_scene.h"
#include "encoder/runner.h"
#include "golden.h"
#include "golden_families.h"
#include "measures/measure_heads.h"
#include "ops/limits.h"
#include "ops/picture.h"
#include "scene/random_scene.h"

// Compares gradient-based estimates for heads with runs in which heads are changed.
namespace headlight::attribution_test {
namespace {

// The logit with one head's A·V multiplied by the factor.
double logit_with(Trace trace, int layer, int head, float factor, Index of_class) {
    for (int b = layer; b < static_cast<int>(trace.model->layers.size()); ++b) {
        LayerWatch watch;
        if (b == layer)
            watch.meddle[Tensor::head_output] = [&](Trace& own) {
                Matrix all = own.all(Tensor::head_output).eigen();
                const Index width = own.shape.value_width();
                all.middleCols(head * width, width) *= factor;
                own.set(Tensor::head_output, make_result(std::move(all)));
            };
        end_layer(trace, b, compute_layer(trace, b, {}, {}, watch).result(Tensor::output));
    }
    compute_all(end_nodes(*trace.model), trace, {});
    return trace.view(Tensor::logits)(0, of_class);
}

Trace golden_front(const std::string& name, const std::string& ending) {
    const auto model = load_golden(name, ending);
    const TensorMap input = golden::read("families/" + name + ".input.safetensors");
    const NamedTensor& pixels = input.at("pixels");
    const auto extent = [&](std::size_t axis) { return static_cast<int>(pixels.shape[axis]); };
    Trace front;
    front.model = model;
    front.shape.batch = pixels.shape[0];
    front.grid = make_grid(*model, extent(2), extent(3),
                           {model->patch_size, model->patch_size, Ragged::crop});
    set_patches(front, extract_patches(pixels.values, extent(0), extent(1), front.grid));
    return front;
}

Trace golden_run(const std::string& name, const std::string& ending) {
    return Runner::run({golden_front(name, ending)});
}

// The derivative of the logit with respect to a head's scale, compared with finite differences.
TEST(Attribution, is_the_slope_of_the_logit_by_each_head) {
    for (const GoldenFamily& family : golden_families()) {
        const Trace trace = golden_run(family.name, family.ending);
        if (!trace.has(Tensor::logits) || trace.model->gives_embedding) continue;
        SCOPED_TRACE(family.name);
        const HeadAttributions found = attribute_heads(trace, {}, 1);
        const int first = trace.model->token_transformers();
        ASSERT_EQ(found.size(), trace.model->layers.size());
        for (int b = 0; b < static_cast<int>(found.size()); ++b) {
            const auto& heads = found[static_cast<std::size_t>(b)];
            if (b < first) {
                EXPECT_TRUE(heads.empty());
                continue;
            }
            for (int h = 0; h < static_cast<int>(heads.size()); ++h) {
                constexpr float kStep = 4e-3F;
                const double slope = (logit_with(trace, b, h, 1 + kStep, 1) -
                                      logit_with(trace, b, h, 1 - kStep, 1)) /
                                     (2 * kStep);
                EXPECT_NEAR(heads[static_cast<std::size_t>(h)], -slope,
                            2e-3 + 2e-3 * std::abs(slope))
                    << b << " " << h;
            }
        }
    }
}

TEST(Attribution, of_every_head_is_a_column_of_measured_heads) {
    for (const GoldenFamily& family : golden_families()) {
        const Trace trace = golden_run(family.name, family.ending);
        if (!trace.has(Tensor::logits) || trace.model->gives_embedding) continue;
        SCOPED_TRACE(family.name);
        const HeadAttributions expected = attribute_heads(trace, {}, 1);
        const MeasuredHeads found =
            measure_heads(golden_front(family.name, family.ending), {},
                          {.what = {HeadMeasure::attribution}, .of_class = 1});
        ASSERT_EQ(found.heads.size(), expected.size());
        for (std::size_t b = 0; b < expected.size(); ++b)
            for (std::size_t h = 0; h < found.heads[b].size(); ++h) {
                const double number = found.heads[b][h][HeadMeasure::attribution];
                if (expected[b].empty())
                    EXPECT_TRUE(std::isnan(number));
                else
                    EXPECT_NEAR(number, expected[b][h], 1e-4 * (1 + std::abs(expected[b][h])));
            }
    }
}

// Correlation over all heads between the estimate and the logit change when switched off.
double correlation_with_ablation(const Trace& trace, Index of_class) {
    const HeadAttributions found = attribute_heads(trace, {}, of_class);
    const HeadEffects effects = ablate_heads(trace, {}, of_class);
    std::vector<double> a, b;
    for (std::size_t l = 0; l < found.size(); ++l)
        for (std::size_t h = 0; h < found[l].size(); ++h) {
            a.push_back(found[l][h]);
            b.push_back(effects[l][h].logit);
        }
    using Numbers = Eigen::Map<const Eigen::ArrayXd>;
    const auto count = static_cast<Index>(a.size());
    const Eigen::ArrayXd x = Numbers(a.data(), count) - Numbers(a.data(), count).mean(),
                         y = Numbers(b.data(), count) - Numbers(b.data(), count).mean();
    return (x * y).sum() / std::sqrt((x * x).sum() * (y * y).sum());
}

TEST(Attribution, goes_with_what_switching_off_costs) {
    const auto model = load_model(source_path("assets/models/scenes/model.safetensors"), read_disk);
    double sum = 0;
    constexpr int kScenes = 8;
    for (int i = 0; i < kScenes; ++i) {
        const std::uint64_t number = 2'000'000'000 + static_cast<std::uint64_t>(i);
        const Trace trace = run_scene(model, random_scene(number), {});
        const Index answer = top_predictions(trace.view(Tensor::logits), 1).front().index;
        sum += correlation_with_ablation(trace, answer);
    }
    RecordProperty("correlation", std::to_string(sum / kScenes));
    EXPECT_GT(sum / kScenes, 0.6);
}

TEST(Attribution, of_a_head_that_is_off_is_zero) {
    const Trace trace = golden_run("timm", "safetensors");
    Counterfactual change;
    change.switched_off = {{1, 2}};
    EXPECT_NE(attribute_heads(trace, {}, 1)[1][2], 0);
    EXPECT_EQ(attribute_heads(trace, change, 1)[1][2], 0);
    EXPECT_THROW(attribute_heads(trace, {}, 77), RecipeError);
    EXPECT_THROW(attribute_heads(trace, {}, 1, {}, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace headlight::attribution_test
