#include "gradient/backward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "encoder/ablation.h"
#include "encoder/lens.h"
#include "encoder/runner.h"
#include "golden.h"
#include "golden_families.h"
#include "gradient/chain_rule.h"
#include "kernels/activation_gradient.h"
#include "ops/limits.h"
#include "ops/picture.h"
#include "program/mask_text.h"
#include "reference/named_results.h"

// Compares gradients with PyTorch's autograd (tests/golden/make_gradients.py), for every family.
namespace headlight::gradient_test {
namespace {

Trace front_of(const std::shared_ptr<const Model>& model, const NamedTensor& pixels) {
    Trace front;
    front.model = model;
    front.shape.batch = pixels.shape[0];
    const auto extent = [&](std::size_t axis) { return static_cast<int>(pixels.shape[axis]); };
    front.grid = make_grid(*model, extent(2), extent(3),
                           {model->patch_size, model->patch_size, Ragged::crop});
    set_patches(front, extract_patches(pixels.values, extent(0), extent(1), front.grid));
    return front;
}

GradientTarget target_of(const Model& model) {
    return {has_classes(model) ? std::optional<Index>(1) : std::nullopt};
}

// max |found − expected| / max |expected|, over blocks that are stacked vertically.
double error_of(const std::vector<MatrixView>& blocks, const NamedTensor& tensor) {
    const Matrix expected = golden::stacked(tensor);
    double worst = 0;
    Index row = 0;
    for (const MatrixView& block : blocks) {
        if (row + block.rows > expected.rows() || block.cols != expected.cols()) return INFINITY;
        const auto part = expected.middleRows(row, block.rows);
        const double error = (block.eigen() - part).cwiseAbs().maxCoeff();
        if (std::isnan(error)) return INFINITY;
        worst = std::max(worst, error);
        row += block.rows;
    }
    return row == expected.rows() ? worst / expected.cwiseAbs().maxCoeff() : INFINITY;
}

const TensorMap& autograd() {
    static const TensorMap all = golden::read("gradients.safetensors");
    return all;
}

class FamilyGradients : public ::testing::TestWithParam<GoldenFamily> {
  protected:
    void SetUp() override {
        model_ = load_golden(GetParam().name, GetParam().ending);
        const TensorMap input = golden::read("families/" + GetParam().name + ".input.safetensors");
        trace_ = Runner::run({front_of(model_, input.at("pixels"))});
    }

    void compare(const std::vector<MatrixView>& found, const std::string& name) {
        const auto expected = autograd().find(GetParam().name + "/" + name);
        if (expected == autograd().end()) return;
        ++compared_;
        EXPECT_LE(error_of(found, expected->second), 1e-5) << name;
    }
    void compare_attention(const Trace& trace, const Gradients& gradients, Tensor tensor,
                           const std::string& name) {
        if (!gradients.has(tensor)) return;
        const Trace found = with_gradients(trace, gradients);
        compare(shaped_for_file(found, tensor).blocks, name);
    }
    // The gradients of this model in PyTorch's file.
    [[nodiscard]] std::ptrdiff_t expected() const {
        return std::ranges::count_if(autograd(), [](const auto& entry) {
            return entry.first.starts_with(GetParam().name + "/");
        });
    }

    std::shared_ptr<const Model> model_;
    Trace trace_;
    std::ptrdiff_t compared_ = 0;
};

TEST_P(FamilyGradients, are_those_of_autograd) {
    int layers = 0;
    const InputGradient input =
        run_backward(trace_, {}, target_of(*model_), {}, [&](const LayerGradients& of) {
            compare_attention(of.layer, of.gradients, Tensor::attention,
                              of.layer.model_layer().file_name + ".attention");
            ++layers;
        });
    EXPECT_EQ(layers, static_cast<int>(model_->layers.size()));
    const Tensor first = model_->pre_norm.exists() ? Tensor::pre_norm : Tensor::tokens;
    compare({input.gradients.of(first)}, "tokens.input");
    const Index plane = static_cast<Index>(input.height) * input.width;
    compare({MatrixView(input.pixels.data(), trace_.shape.batch * input.channels * input.height,
                        input.width, input.width)},
            "pixels");
    compare_attention(trace_, gradients_at_end(trace_, target_of(*model_)), Tensor::pool_attention,
                      "pool.attention");
    EXPECT_EQ(static_cast<Index>(input.pixels.size()), plane * input.channels * trace_.shape.batch);
    EXPECT_EQ(compared_, expected());
    EXPECT_GT(compared_, layers);
}

// Stops at the requested layer, with the same numbers.
TEST_P(FamilyGradients, stop_where_they_are_asked_to) {
    const int last = static_cast<int>(model_->layers.size()) - 1;
    Matrix whole, part;
    run_backward(trace_, {}, target_of(*model_), {}, [&](const LayerGradients& of) {
        if (of.layer.layer == last) whole = of.gradients.of(Tensor::attention);
    });
    int layers = 0;
    run_backward(trace_, {}, target_of(*model_), {last, Tensor::attention, false},
                 [&](const LayerGradients& of) {
                     ++layers;
                     part = of.gradients.of(Tensor::attention);
                     EXPECT_FALSE(of.gradients.has(Tensor::scores));
                 });
    EXPECT_EQ(layers, 1);
    EXPECT_EQ(part, whole);
}

// The chain rule of single cells, recomputed from their terms, for every tensor of a layer.
TEST_P(FamilyGradients, are_what_the_chain_rule_of_each_cell_gives) {
    int written = 0;
    run_backward(trace_, {}, target_of(*model_), {}, [&](const LayerGradients& of) {
        const Trace gradients = with_gradients(of.layer, of.gradients);
        for (const TensorInfo& tensor : all_tensors()) {
            if (!gradients.has(tensor.id) || tensor.id == Tensor::values) continue;
            const Index heads = tensor.per_head ? of.layer.shape.heads : 1;
            const MatrixView cells = gradients.view(tensor.id, 0, heads - 1);
            for (const auto& [row, col] : {std::pair<Index, Index>{0, 0},
                                           {cells.rows - 1, cells.cols / 2},
                                           {cells.rows / 2, cells.cols - 1}}) {
                const ChainRule rule =
                    explain_gradient(of.layer, gradients, tensor.id, heads - 1, row, col);
                if (!rule.why_not.empty()) continue;
                ++written;
                EXPECT_TRUE(rule.agrees) << tensor.name << " [" << row << ", " << col
                                         << "]: " << rule.recomputed << " is not " << rule.shown;
            }
        }
    });
    EXPECT_GE(written, 30 * static_cast<int>(model_->layers.size()));
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyGradients, ::testing::ValuesIn(golden_families()),
                         [](const auto& test) { return test.param.name; });

// Compares the gradient with the effect of a small step on the logit, also with heads switched off
// and masks.
TEST(Gradient, tells_what_a_small_step_does) {
    const auto model = load_golden("timm");
    const TensorMap input = golden::read("families/timm.input.safetensors");
    NamedTensor pixels = input.at("pixels");
    Counterfactual change;
    change.switched_off = {{0, 1}};
    change.temperature = 0.7F;
    change.mask = parse_mask("mask", "no_self");
    const auto logit = [&](const NamedTensor& of) {
        return Runner::run({front_of(model, of), change}).view(Tensor::logits)(0, 2);
    };
    const Trace trace = Runner::run({front_of(model, pixels), change});
    bool off_is_zero = false;
    const InputGradient gradient =
        run_backward(trace, change, {2}, {}, [&](const LayerGradients& of) {
            if (of.layer.layer != 0) return;
            const Index n = of.layer.shape.queries;
            off_is_zero = of.gradients.of(Tensor::attention).middleRows(n, n).isZero(0);
        });
    EXPECT_TRUE(off_is_zero);
    for (const std::size_t at : {3UL, 100UL, 400UL}) {
        NamedTensor more = pixels, less = pixels;
        constexpr float kStep = 2e-3F;
        more.values[at] += kStep;
        less.values[at] -= kStep;
        const double slope = (static_cast<double>(logit(more)) - logit(less)) / (2 * kStep);
        EXPECT_NEAR(gradient.pixels[at], slope, 5e-3) << at;
    }
}

// For the cosine with another picture's output, compared with finite differences.
TEST(Gradient, of_a_cosine_tells_what_a_small_step_does) {
    const auto model = load_golden("dino");
    NamedTensor pixels = golden::read("families/dino.input.safetensors").at("pixels");
    NamedTensor other = pixels;
    for (std::size_t i = 0; i < other.values.size(); ++i)
        other.values[i] = std::sin(static_cast<float>(i));
    Matrix reference = output_row(Runner::run({front_of(model, other)}));
    const GradientTarget target{{}, make_result(std::move(reference))};
    const auto cosine = [&](const NamedTensor& of) {
        return value_of(Runner::run({front_of(model, of)}), target);
    };
    const InputGradient gradient =
        run_backward(Runner::run({front_of(model, pixels)}), {}, target, {}, nullptr);
    double largest = 0;
    for (const float slope : gradient.pixels) largest = std::max<double>(largest, std::abs(slope));
    for (const std::size_t at : {3UL, 100UL, 400UL}) {
        NamedTensor more = pixels, less = pixels;
        constexpr float kStep = 5e-3F;
        more.values[at] += kStep;
        less.values[at] -= kStep;
        const double slope = (cosine(more) - cosine(less)) / (2 * kStep);
        EXPECT_NEAR(gradient.pixels[at], slope, 0.01 * largest) << at;
    }
}

TEST(Gradient, of_what_has_none_says_so) {
    const auto maps = load_model(kFamilies + "maps.model.safetensors", read_disk);
    EXPECT_NE(why_no_gradient(*maps, {}).find("whole model"), std::string::npos);
    const auto model = load_golden("timm");
    EXPECT_EQ(why_no_gradient(*model, {}), "");
    const TensorMap input = golden::read("families/timm.input.safetensors");
    const Trace trace = Runner::run({front_of(model, input.at("pixels"))});
    EXPECT_THROW(run_backward(trace, {}, {99}, {}, nullptr), RecipeError);
    EXPECT_THROW(run_backward(trace, {}, {1}, {}, nullptr, [] { return true; }), Stopped);
}

// Derivatives of all activations compared with differences in double.
TEST(Gradient, of_activations_is_their_slope) {
    const auto curve = [](Activation activation, double x) {
        switch (curve_of(activation)) {
            case Activation::gelu:
                return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
            case Activation::gelu_tanh:
                return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
            case Activation::quick_gelu:
                return x / (1 + std::exp(-1.702 * x));
            case Activation::silu:
                return x / (1 + std::exp(-x));
            default:
                return std::max(x, 0.0);
        }
    };
    for (std::size_t i = 0; i < kNames<Activation>.size(); ++i) {
        const auto activation = static_cast<Activation>(i);
        const bool gate = is_gated(activation);
        for (float x = -9.05F; x < 9; x += 0.1F) {
            Matrix hidden(1, gate ? 2 : 1), gradient(1, 1);
            hidden(0, 0) = x;
            if (gate) hidden(0, 1) = -1.5F;
            gradient(0, 0) = 2;
            const Matrix found = activation_gradient(hidden, gradient, activation);
            constexpr double kStep = 1e-5;
            const double slope =
                (curve(activation, x + kStep) - curve(activation, x - kStep)) / (2 * kStep);
            const double factor = gate ? -3 : 2;
            EXPECT_NEAR(found(0, 0), factor * slope, 3e-6) << i << " " << x;
            if (gate) {
                EXPECT_NEAR(found(0, 1), 2 * curve(activation, x), 1e-5) << i << " " << x;
            }
        }
    }
}

}  // namespace
}  // namespace headlight::gradient_test
