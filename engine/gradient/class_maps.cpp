#include "gradient/class_maps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/rollout.h"
#include "encoder/ablation.h"
#include "encoder/layers.h"
#include "encoder/lens.h"
#include "encoder/token_maps.h"
#include "kernels/counted.h"
#include "ops/limits.h"
#include "ops/picture.h"

namespace headlight {

namespace {

using Progress = std::function<void(const std::string&)>;

// One layer's attention and its gradient, for the first sample, with the chosen heads.
struct AttentionOfLayer {
    MatrixView weights;  // [H·N, N]
    MatrixView gradient;
    std::vector<Index> heads;

    [[nodiscard]] Index tokens() const { return weights.cols; }
    [[nodiscard]] MatrixView head(const MatrixView& of, Index h) const {
        return of.block(h * tokens(), 0, tokens(), tokens());
    }
};

// Mean over the heads of A ⊙ ∇A; if `positive`, negative cells of each head are set to 0 first.
Matrix weighted(const AttentionOfLayer& layer, bool positive) {
    Matrix mean = Matrix::Zero(layer.tokens(), layer.tokens());
    for (const Index h : layer.heads) {
        const auto a = layer.head(layer.weights, h).eigen().array(),
                   d = layer.head(layer.gradient, h).eigen().array();
        if (positive)
            mean.array() += (a * d).max(0.0F);
        else
            mean.array() += a * d;
    }
    return mean / static_cast<float>(layer.heads.size());
}

// F̂ of gradient_rollout.
Matrix rolled(const AttentionOfLayer& layer, double discard_ratio) {
    Matrix map = weighted(layer, false).cwiseMax(0.0F);
    discard_lowest(map, discard_ratio);
    map *= 0.5F;
    map.diagonal().array() += 0.5F;
    const Eigen::VectorXf sums = map.cast<double>().rowwise().sum().cast<float>();
    map.array().colwise() /= sums.array();
    return map;
}

// As a run of the whole model leaves it.
bool is_complete(const Trace& trace) {
    return trace.model && trace.has(Tensor::encoded) &&
           trace.stream.size() == trace.model->layers.size() + 1 &&
           std::ranges::all_of(trace.stream,
                               [](const SharedResult& rows) { return rows != nullptr; });
}

bool reads_attention_on_the_way(MapMethod method) {
    return method == MapMethod::rollout || method == MapMethod::last_attention;
}

class Mapping {
  public:
    Mapping(Trace front, const Counterfactual& change, const ClassMapQuestion& question,
            const StopFlag& stop, const Progress& progress)
        : change_(change),
          question_(question),
          stop_(stop),
          progress_(progress),
          model_(front.model) {
        const MapMethod method = question.method;
        if (starts_at_a_layer(method)) expect_alike_layers(*model_);
        if (asks_for_class(method))
            if (const std::string why = why_no_gradient(*model_, change); !why.empty())
                throw RecipeError(why);
        if (is_complete(front)) {
            front_ = back_to_patches(front);
            if (!reads_attention_on_the_way(method)) done_ = std::move(front);
        } else {
            front_ = std::move(front);
        }
    }

    ClassMap run() {
        start();
        if (question_.method == MapMethod::integrated_gradients) return integrated();
        switch (question_.method) {
            case MapMethod::rollout:
                return on_last_grid(row_weights(trace_.layout) * rollout_.result());
            case MapMethod::last_attention:
                return on_grid(grid_, last_.tail(grid_.count()));
            case MapMethod::legrad:
                return legrad();
            case MapMethod::grad_cam:
                return grad_cam();
            case MapMethod::input_gradient:
            case MapMethod::gradient_times_input:
                return input_map(gradient_of_input());
            default:
                return through_attention();
        }
    }

  private:
    // A complete trace is not run again.
    void start() {
        if (!done_) return forward(front_);
        trace_ = std::move(*done_);
        const int last = static_cast<int>(model_->layers.size()) - 1;
        trace_.grid = grid_of_layer(*model_, trace_.grid, last);
        trace_.layout = layout_of(*model_, last, trace_.grid);
        choose_class();
    }

    void forward(Trace front) {
        const auto take = [this](const Trace& layer) {
            if (question_.method == MapMethod::rollout && is_chosen(layer.layer))
                rollout_.add(attention_of_heads(layer), static_cast<Index>(heads_of(layer).size()),
                             stop_);
            if (question_.method == MapMethod::last_attention && layer.layer == chosen().back())
                last_ = last_attention(layer);
            if (progress_) progress_(layer.model_layer().name);
        };
        trace_ = Runner::run({std::move(front), change_}, take, stop_, LayerDetail::lean);
        choose_class();
    }

    void choose_class() {
        target_.of_class = question_.of_class;
        if (!has_classes(*model_) || !trace_.has(Tensor::logits)) return;
        const MatrixView all = trace_.all(Tensor::logits), logits = all.block(0, 0, 1, all.cols);
        if (!target_.of_class) target_.of_class = top_predictions(logits, 1).front().index;
        expect_class(trace_, *target_.of_class, "A class map");
        const Index c = *target_.of_class;
        about_ =
            Prediction{c, logits(0, c), class_probabilities(logits)[static_cast<std::size_t>(c)]};
    }

    // The chosen heads.
    [[nodiscard]] std::vector<Index> heads_of(const Trace& layer) const {
        std::vector<Index> heads(question_.heads.begin(), question_.heads.end());
        if (heads.empty())
            for (Index h = 0; h < layer.shape.heads; ++h) heads.push_back(h);
        if (heads.back() >= layer.shape.heads)
            throw RecipeError(layer.model_layer().name + " has " +
                              counted(layer.shape.heads, "head") + ", so there is no head " +
                              std::to_string(heads.back() + 1) + ".");
        return heads;
    }
    // Attention of the chosen heads of the first sample, [heads·N, N].
    [[nodiscard]] Matrix attention_of_heads(const Trace& layer) const {
        const std::vector<Index> heads = heads_of(layer);
        const Index n = layer.shape.queries;
        Matrix all(static_cast<Index>(heads.size()) * n, layer.shape.keys);
        for (std::size_t i = 0; i < heads.size(); ++i)
            all.middleRows(static_cast<Index>(i) * n, n) =
                layer.view(Tensor::attention, 0, heads[i]).eigen();
        return all;
    }
    [[nodiscard]] AttentionOfLayer attention_of(const LayerGradients& of) const {
        const Trace& layer = of.layer;
        const Index rows = layer.shape.heads * layer.shape.queries;
        const MatrixView weights = layer.all(Tensor::attention),
                         gradient = of.gradients.of(Tensor::attention);
        return {weights.block(0, 0, rows, weights.cols), gradient.block(0, 0, rows, gradient.cols),
                heads_of(layer)};
    }

    // The chosen blocks, counting T2T's token transformers.
    [[nodiscard]] std::vector<int> chosen() const {
        std::vector<int> blocks;
        const int first = model_->token_transformers();
        for (int b = first; b < static_cast<int>(model_->layers.size()); ++b)
            if (question_.layers.empty() || std::ranges::binary_search(question_.layers, b - first))
                blocks.push_back(b);
        return blocks;
    }
    [[nodiscard]] bool is_chosen(int block) const {
        const std::vector<int> blocks = chosen();
        return std::ranges::binary_search(blocks, block);
    }

    void tell(const Trace& layer) const {
        if (progress_) progress_("back through " + layer.model_layer().name);
    }

    // The weights [1, N] of the rows of an [N, N] matrix that the map averages.
    [[nodiscard]] Vector row_weights(const TokenLayout& layout) const {
        Vector weights = Vector::Zero(layout.count());
        if (class_token_speaks(*model_, layout))
            weights(0) = 1;
        else
            weights.tail(layout.patches).setConstant(1.0F / static_cast<float>(layout.patches));
        return weights;
    }

    [[nodiscard]] ClassMap on_grid(const PatchGrid& grid, const Vector& patches) const {
        ClassMap map{grid, Matrix(grid.rows, grid.cols), about_};
        std::copy_n(patches.data(), patches.size(), map.cells.data());
        return map;
    }
    [[nodiscard]] ClassMap on_last_grid(const Vector& tokens) const {
        return on_grid(trace_.grid, tokens.tail(trace_.layout.patches));
    }

    // The averaged row of the mean attention over heads.
    Vector last_attention(const Trace& layer) {
        grid_ = layer.grid;
        const Matrix all = attention_of_heads(layer);
        const Index n = layer.shape.queries, heads = all.rows() / n;
        Matrix mean = Matrix::Zero(n, all.cols());
        for (Index h = 0; h < heads; ++h) mean += all.middleRows(h * n, n);
        return row_weights(layer.layout) * mean / static_cast<float>(heads);
    }

    // Multiplies a row vector with each layer's matrix, last layer first, instead of forming the
    // matrix product.
    ClassMap through_attention() {
        const std::vector<int> blocks = chosen();
        const bool last_alone = question_.method == MapMethod::attention_gradient;
        Vector row = row_weights(trace_.layout);
        GradientReach reach{last_alone ? blocks.back() : blocks.front(), Tensor::attention, false};
        run_backward(
            trace_, change_, target_, reach,
            [&](const LayerGradients& of) {
                tell(of.layer);
                if (!std::ranges::binary_search(blocks, of.layer.layer)) return;
                const AttentionOfLayer layer = attention_of(of);
                if (last_alone) {
                    if (of.layer.layer == blocks.back())
                        row = row_weights(of.layer.layout) * weighted(layer, true);
                } else if (question_.method == MapMethod::relevance) {
                    row += (row * weighted(layer, true)).eval();
                } else {
                    row = (row * rolled(layer, question_.discard_ratio)).eval();
                }
                grid_ = of.layer.grid;
            },
            stop_);
        return on_grid(grid_, row.tail(grid_.count()));
    }

    ClassMap legrad() {
        Vector sum = Vector::Zero(trace_.layout.count());
        for (const int b : chosen()) {
            const LayerGradients of = layer_gradients(
                trace_, b, change_, gradient_of_stream(trace_, b + 1, target_, stop_),
                Tensor::attention, stop_);
            tell(of.layer);
            const AttentionOfLayer layer = attention_of(of);
            const auto rows =
                static_cast<double>(layer.heads.size()) * static_cast<double>(layer.tokens());
            for (const Index h : layer.heads) {
                const auto positive = layer.head(layer.gradient, h).eigen().cwiseMax(0.0F);
                sum += (positive.cast<double>().colwise().sum() / rows).cast<float>();
            }
        }
        return on_last_grid(sum);
    }

    ClassMap grad_cam() {
        const int block = chosen().back();
        if (!model_->layers[static_cast<std::size_t>(block)].norm1.exists())
            throw RecipeError("Grad-CAM uses a layer's first norm, but this model has none.");
        Vector cells;
        run_backward(
            trace_, change_, target_, {block, Tensor::norm1, false},
            [&](const LayerGradients& of) {
                if (of.layer.layer != block) return;
                tell(of.layer);
                const Index rows = of.layer.shape.queries;
                const auto norm = of.layer.all(Tensor::norm1).eigen().topRows(rows);
                const Vector weights =
                    of.gradients.of(Tensor::norm1).topRows(rows).colwise().mean();
                cells = (norm * weights.transpose()).cwiseMax(0.0F).transpose();
                grid_ = of.layer.grid;
            },
            stop_);
        return on_grid(grid_, cells.tail(grid_.count()));
    }

    InputGradient gradient_of_input() {
        return run_backward(
            trace_, change_, target_, {}, [this](const LayerGradients& of) { tell(of.layer); },
            stop_);
    }

    ClassMap integrated() {
        question_.of_class = target_.of_class;  // that of the picture itself
        const std::optional<Prediction> about = about_;
        InputGradient mean;
        const Matrix patches = front_.all(Tensor::patches).eigen();
        const auto steps = static_cast<float>(question_.steps);
        for (int i = 0; i < question_.steps; ++i) {
            Trace front = front_;
            set_patches(front, patches * ((static_cast<float>(i) + 0.5F) / steps));
            forward(std::move(front));
            InputGradient one = gradient_of_input();
            if (i == 0) {
                mean = std::move(one);
                for (float& slope : mean.pixels) slope /= steps;
            } else {
                for (std::size_t p = 0; p < mean.pixels.size(); ++p)
                    mean.pixels[p] += one.pixels[p] / steps;
            }
        }
        about_ = about;
        return input_map(mean);
    }

    // Normalized pixels of the first sample.
    [[nodiscard]] double pixel_of(int y, int x, int channel) const {
        const auto c = static_cast<std::size_t>(channel);
        return (trace_.image->at(y, x, channel) - trace_.mean[c]) / trace_.std[c];
    }

    // Sums over the pixels of each patch.
    [[nodiscard]] ClassMap input_map(const InputGradient& gradient) const {
        const PatchGrid grid = grid_of_front(*model_, trace_.grid);
        const auto slope_at = [&](int y, int x, int c) -> double {
            return gradient
                .pixels[(static_cast<std::size_t>(c) * gradient.height + y) * gradient.width + x];
        };
        const bool size_alone = question_.method == MapMethod::input_gradient;
        Vector cells = Vector::Zero(grid.count());
        for (int patch = 0; patch < grid.count(); ++patch) {
            const PixelRect rect = grid.rect(patch);
            const int bottom = std::min(rect.row + rect.height, gradient.height),
                      right = std::min(rect.col + rect.width, gradient.width);
            double sum = 0;
            for (int c = 0; c < gradient.channels; ++c)
                for (int y = std::max(rect.row, 0); y < bottom; ++y)
                    for (int x = std::max(rect.col, 0); x < right; ++x)
                        sum += size_alone ? std::abs(slope_at(y, x, c))
                                          : slope_at(y, x, c) * pixel_of(y, x, c);
            cells(patch) = static_cast<float>(sum);
        }
        return on_grid(grid, cells);
    }

    const Counterfactual& change_;
    ClassMapQuestion question_;
    const StopFlag& stop_;
    const Progress& progress_;
    std::shared_ptr<const Model> model_;
    Trace front_, trace_;
    std::optional<Trace> done_;  // a complete trace to start from
    GradientTarget target_;
    std::optional<Prediction> about_;
    Rollout rollout_{RolloutSettings{}};
    Vector last_;     // for last_attention
    PatchGrid grid_;  // of the last processed layer
};

}  // namespace

Trace back_to_patches(const Trace& done) {
    if (!done.image || !done.has(Tensor::patches))
        throw RecipeError(
            "A class map needs a picture, but these tokens come from elsewhere. Open a picture "
            "first.");
    Trace front;
    front.model = done.model;
    front.shape.batch = done.shape.batch;
    front.image = done.image;
    front.mean = done.mean;
    front.std = done.std;
    front.grid = grid_of_level(*done.model, done.grid, 0);
    const SharedResult& patches =
        done.splits.empty() ? done.result(Tensor::patches) : done.splits.front();
    set_patches(front, patches->view().eigen());
    return front;
}

ClassMap class_map(Trace front, const Counterfactual& change, const ClassMapQuestion& question,
                   const StopFlag& stop, const Progress& progress) {
    return Mapping(std::move(front), change, question, stop, progress).run();
}

}  // namespace headlight
