#include "gradient/deletion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/prediction.h"
#include "encoder/ablation.h"
#include "encoder/token_maps.h"
#include "kernels/random.h"
#include "ops/limits.h"
#include "ops/picture.h"

namespace headlight {

namespace {

// Runs the model on one picture with some patches hidden.
class Hider {
  public:
    Hider(const Trace& front, const Counterfactual& change, const DeletionQuestion& question,
          const StopFlag& stop)
        : front_(front), change_(change), question_(question), stop_(stop) {
        const Model& model = *front.model;
        if (question.hiding == Hiding::keys &&
            (model.has_merges() || model.token_transformers() > 0))
            throw RecipeError(
                "Patches can be hidden as keys only if all layers have the same tokens. Hide them "
                "with the mean color.");
        if (question.hiding == Hiding::mean_color &&
            (front.has(Tensor::tokens) || front.has(Tensor::pre_norm)))
            throw RecipeError(
                "The mean color can hide patches only if the model makes its tokens from a "
                "picture. Hide them as keys.");
        if (!front.image) throw RecipeError("There is no picture to hide patches in.");
        read_pixels();
    }

    Prediction answer_without(std::span<const int> hidden) const {
        Trace front = front_;
        Counterfactual change = change_;
        if (question_.hiding == Hiding::keys)
            block(hidden, change.mask);
        else
            paint(hidden, front);
        const Trace trace =
            Runner::run({std::move(front), std::move(change)}, {}, stop_, LayerDetail::lean);
        expect_class(trace, question_.of_class, "A curve of a class");
        const MatrixView logits = trace.view(Tensor::logits);
        const auto c = static_cast<std::size_t>(question_.of_class);
        return {question_.of_class, logits(0, question_.of_class), class_probabilities(logits)[c]};
    }

  private:
    // Normalized pixels, as planes [channels, height, width].
    void read_pixels() {
        const Image& image = *front_.image;
        planes_.reserve(static_cast<std::size_t>(image.channels) * image.height * image.width);
        for (int c = 0; c < image.channels; ++c)
            for (int y = 0; y < image.height; ++y)
                for (int x = 0; x < image.width; ++x)
                    planes_.push_back(
                        (image.at(y, x, c) - front_.mean[static_cast<std::size_t>(c)]) /
                        front_.std[static_cast<std::size_t>(c)]);
    }

    void paint(std::span<const int> hidden, Trace& front) const {
        const Image& image = *front.image;
        std::vector<float> planes = planes_;
        for (const int patch : hidden) {
            const PixelRect rect = question_.grid.rect(patch);
            const int left = std::max(rect.col, 0),
                      right = std::min(rect.col + rect.width, image.width),
                      bottom = std::min(rect.row + rect.height, image.height);
            for (int c = 0; c < image.channels; ++c)
                for (int y = std::max(rect.row, 0); y < bottom; ++y) {
                    const auto row =
                        planes.begin() +
                        (static_cast<std::ptrdiff_t>(c) * image.height + y) * image.width;
                    std::fill(row + left, row + right, 0.0F);
                }
        }
        set_patches(front, extract_patches(planes, 1, image.channels, front.grid));
    }

    // Adds the patches to those that are hidden already.
    void block(std::span<const int> hidden, MaskRules& rules) const {
        if (hidden.empty()) return;
        const auto prefix = static_cast<int>(front_.model->prefix.count());
        auto rule = std::ranges::find(rules, MaskKind::keys, &MaskRule::kind);
        if (rule == rules.end())
            rule =
                rules.insert(std::ranges::upper_bound(rules, MaskKind::keys, {}, &MaskRule::kind),
                             MaskRule{MaskKind::keys});
        for (const int patch : hidden) rule->numbers.push_back(prefix + patch);
        std::ranges::sort(rule->numbers);
        const auto twice = std::ranges::unique(rule->numbers);
        rule->numbers.erase(twice.begin(), twice.end());
    }

    const Trace& front_;
    const Counterfactual& change_;
    const DeletionQuestion& question_;
    const StopFlag& stop_;
    std::vector<float> planes_;
};

void finish(ClassCurve& curve, const std::vector<int>& taken) {
    const double all = taken.back();
    for (std::size_t i = 1; i < taken.size(); ++i)
        curve.area +=
            (curve.probability[i - 1] + curve.probability[i]) / 2 * (taken[i] - taken[i - 1]) / all;
}

void add(ClassCurve& curve, const Prediction& answer) {
    curve.probability.push_back(answer.probability);
    curve.logit.push_back(answer.logit);
}

}  // namespace

std::vector<int> order_of(const Matrix& map) {
    std::vector<int> order(static_cast<std::size_t>(map.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto weight = [&](int patch) {  // NaN comes last
        const float cell = map.data()[patch];
        return std::isnan(cell) ? -std::numeric_limits<float>::infinity() : cell;
    };
    std::ranges::stable_sort(order, [&](int a, int b) { return weight(a) > weight(b); });
    return order;
}

std::vector<int> random_order(int patches, std::uint64_t seed) {
    std::vector<int> order(static_cast<std::size_t>(patches));
    std::iota(order.begin(), order.end(), 0);
    SplitMix random(seed);
    for (int i = patches; i > 1; --i)
        std::swap(order[static_cast<std::size_t>(i - 1)],
                  order[static_cast<std::size_t>(random.below(i))]);
    return order;
}

std::vector<int> patches_taken(int patches, int steps) {
    const int count = std::min(steps, patches);
    std::vector<int> taken;
    for (int i = 0; i <= count; ++i)
        taken.push_back(static_cast<int>(static_cast<std::int64_t>(patches) * i / count));
    return taken;
}

DeletionCurves deletion_curves(const Trace& front, const Counterfactual& change,
                               const DeletionQuestion& question, const StopFlag& stop,
                               const std::function<void(float)>& progress) {
    const Hider hider(front, change, question, stop);
    const std::span order(question.order);
    const std::vector<int> taken = patches_taken(static_cast<int>(order.size()), question.steps);
    DeletionCurves curves;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const auto count = static_cast<std::size_t>(taken[i]);
        add(curves.deletion, hider.answer_without(order.first(count)));
        add(curves.insertion, hider.answer_without(order.subspan(count)));
        if (progress) progress(static_cast<float>(i + 1) / static_cast<float>(taken.size()));
    }
    finish(curves.deletion, taken);
    finish(curves.insertion, taken);
    return curves;
}

}  // namespace headlight
