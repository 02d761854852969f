#include "gradient/backward.h"

#include <algorithm>
#include <span>
#include <utility>

#include "encoder/ablation.h"
#include "encoder/layers.h"
#include "encoder/lens.h"
#include "gradient/pull_back.h"
#include "ops/limits.h"
#include "ops/picture.h"
#include "patches/soft_split.h"

namespace headlight {

namespace {

// Names an operation without a gradient, if there is one among the nodes.
std::string why_not(std::span<const Node> nodes, const std::string& where) {
    for (const Node& node : nodes)
        if (pull_back_of(node.op).pull_back == nullptr)
            return "Headlight has no gradient for the step \"" + node.title + "\" " + where + ".";
    return "";
}

// For y = cos(row, other): ∂y/∂row = (other/‖other‖ − y · row/‖row‖) / ‖row‖; 0 for a row of zeros.
Vector gradient_of_cosine(const Vector& row, const MatrixView& other) {
    if (other.cols != row.size()) throw RecipeError("The cosine needs two outputs of one width.");
    const Eigen::RowVectorXd a = row.cast<double>(), b = other.eigen().row(0).cast<double>();
    const double length = a.norm(), of_other = b.norm();
    if (length == 0 || of_other == 0) return Vector::Zero(row.size());
    const double cosine = a.dot(b) / (length * of_other);
    return ((b / of_other - cosine * a / length) / length).cast<float>();
}

// ∂y/∂(the output row): ones if y is its sum.
Vector seed_of_row(const Vector& row, const GradientTarget& target) {
    if (!target.cosine_with) return Vector::Ones(row.size());
    return gradient_of_cosine(row, target.cosine_with->view());
}

// ∂y/∂(all rows), for output rows that are not a tensor of their own.
Matrix seed_of_rows(const MatrixView& rows, const Trace& trace, const GradientTarget& target) {
    const Index batch = trace.shape.batch, tokens = rows.rows / batch;
    const TokenLayout layout =
        layout_of(*trace.model, static_cast<int>(trace.model->layers.size()) - 1,
                  grid_of_level(*trace.model, trace.grid, trace.model->last_level()));
    Matrix seed = Matrix::Zero(rows.rows, rows.cols);
    for (Index b = 0; b < batch; ++b)
        if (class_token_speaks(*trace.model, layout)) {
            seed.row(b * tokens) = seed_of_row(rows.eigen().row(b * tokens), target);
        } else {
            const auto patches =
                rows.eigen().middleRows(b * tokens + layout.prefix(), layout.patches);
            seed.middleRows(b * tokens + layout.prefix(), layout.patches).rowwise() =
                seed_of_row(patches.colwise().mean(), target) / static_cast<float>(layout.patches);
        }
    return seed;
}

void seed(Gradients& gradients, const Trace& trace, const GradientTarget& target) {
    const Model& model = *trace.model;
    if (target.of_class) {
        expect_class(trace, *target.of_class, "The gradient of a class");
        Matrix one = Matrix::Zero(trace.all(Tensor::logits).rows, trace.all(Tensor::logits).cols);
        one.col(*target.of_class).setOnes();
        return gradients.add(Tensor::logits, std::move(one));
    }
    if (const auto pooled = pooled_by(model)) {
        const MatrixView row = trace.all(*pooled);
        Matrix of_rows(row.rows, row.cols);
        for (Index b = 0; b < row.rows; ++b)
            of_rows.row(b) = seed_of_row(row.eigen().row(b), target);
        return gradients.add(*pooled, std::move(of_rows));
    }
    const Tensor rows = model.norm.exists() ? Tensor::norm : Tensor::encoded;
    gradients.add(rows, seed_of_rows(trace.all(rows), trace, target));
}

std::vector<Tensor> all_names() {
    std::vector<Tensor> names;
    for (const TensorInfo& tensor : all_tensors()) names.push_back(tensor.id);
    return names;
}

// The backward pass of cutting windows from a map of rows × cols cells with C channels. `cell(row,
// col, c)` returns the gradient cell that a feature of a patch belongs to, or null outside the map.
template <class Cell>
void fold(const Matrix& patches, Index first, const PatchGrid& grid, int channels,
          const Cell& cell) {
    const int size = grid.settings.size;
    for (int patch = 0; patch < grid.count(); ++patch) {
        const PixelRect rect = grid.rect(patch);
        const float* feature = patches.row(first + patch).data();
        for (int c = 0; c < channels; ++c)
            for (int y = rect.row; y < rect.row + size; ++y)
                for (int x = rect.col; x < rect.col + size; ++x, ++feature)
                    if (float* sum = cell(y, x, c)) *sum += *feature;
    }
}

// ∂y/∂(the tokens before T2T's soft split `level`), which are the output of the layer before it.
Matrix fold_split(const Matrix& patches, const Trace& trace, int level) {
    const Model& model = *trace.model;
    const SoftSplit& split = model.splits[static_cast<std::size_t>(level)];
    const PatchGrid from = grid_of_level(model, trace.grid, level - 1);
    const PatchGrid windows =
        soft_split_grid(make_patch_grid(from.rows, from.cols, {1, 1, Ragged::crop}), split.kernel,
                        split.stride, split.padding);
    const auto channels = static_cast<int>(patches.cols() / (split.kernel * split.kernel));
    Matrix tokens = Matrix::Zero(trace.shape.batch * from.count(), channels);
    for (Index b = 0; b < trace.shape.batch; ++b)
        fold(patches, b * windows.count(), windows, channels, [&](int y, int x, int c) {
            const bool inside = y >= 0 && x >= 0 && y < from.rows && x < from.cols;
            return inside ? &tokens(b * from.count() + static_cast<Index>(y) * from.cols + x, c)
                          : nullptr;
        });
    return tokens;
}

void fold_pixels(const Matrix& patches, const Trace& trace, InputGradient& input) {
    const Model& model = *trace.model;
    const PatchGrid grid = grid_of_level(model, trace.grid, 0);
    const int size = grid.settings.size;
    input.height = grid.image_height;
    input.width = grid.image_width;
    input.channels = static_cast<int>(patches.cols()) / (size * size);
    const std::size_t plane = static_cast<std::size_t>(input.height) * input.width;
    input.pixels.assign(static_cast<std::size_t>(trace.shape.batch) * input.channels * plane, 0);
    for (Index b = 0; b < trace.shape.batch; ++b)
        fold(patches, b * grid.count(), grid, input.channels, [&](int y, int x, int c) {
            const bool inside = y >= 0 && x >= 0 && y < input.height && x < input.width;
            const std::size_t at = (static_cast<std::size_t>(b) * input.channels + c) * plane +
                                   static_cast<std::size_t>(y) * input.width + x;
            return inside ? &input.pixels[at] : nullptr;
        });
}

// From the input of the first layer back to the patches before the embedding.
Matrix through_front(const Trace& trace, const Counterfactual& change, Matrix flow,
                     InputGradient& input, const StopFlag& stop) {
    const std::vector<Node> nodes = token_nodes(*trace.model, change.position);
    input.gradients.add(nodes.back().result(), std::move(flow));
    pull_back_all(nodes, trace, input.gradients, {}, stop);
    return input.gradients.of(Tensor::patches);
}

}  // namespace

// A model may be configured to pool its patches and yet end before pooling.
bool class_token_speaks(const Model& model, const TokenLayout& layout) {
    const bool pools = model.pooling == Pooling::patches || model.pooling == Pooling::attention;
    return layout.class_tokens > 0 && !(pools && pooled_by(model));
}

std::string why_no_gradient(const Model& model, const Counterfactual& change) {
    if (model.is_maps() || model.is_bare_layer())
        return "A gradient needs a whole model, from the pixels to its output.";
    if (const std::string why = why_not(token_nodes(model, change.position), "before the layers");
        !why.empty())
        return why;
    for (int b = 0; b < static_cast<int>(model.layers.size()); ++b)
        if (const std::string why = why_not(nodes_of_layer(model, b, settings_of(model, b, change)),
                                            "of " + model.layers[static_cast<std::size_t>(b)].name);
            !why.empty())
            return why;
    return why_not(end_nodes(model), "after the layers");
}

double value_of(const Trace& trace, const GradientTarget& target) {
    if (target.of_class) {
        expect_class(trace, *target.of_class, "The gradient of a class");
        return trace.view(Tensor::logits)(0, *target.of_class);
    }
    const Vector row = output_row(trace);
    if (!target.cosine_with) return row.cast<double>().sum();
    const MatrixView other = target.cosine_with->view();
    if (other.cols != row.size()) throw RecipeError("The cosine needs two outputs of one width.");
    const Eigen::RowVectorXd a = row.cast<double>(), b = other.eigen().row(0).cast<double>();
    return a.dot(b) / (a.norm() * b.norm());
}

Gradients gradients_at_end(const Trace& trace, const GradientTarget& target, const StopFlag& stop) {
    Gradients gradients;
    seed(gradients, trace, target);
    pull_back_all(end_nodes(*trace.model), trace, gradients, {}, stop);
    return gradients;
}

Matrix gradient_of_stream(const Trace& trace, int b, const GradientTarget& target,
                          const StopFlag& stop) {
    Trace probe;
    probe.model = trace.model;
    probe.shape = trace.shape;
    probe.grid = trace.grid;
    probe.set(Tensor::encoded, trace.stream[static_cast<std::size_t>(b)]);
    compute_all(end_nodes(*trace.model), probe, {nullptr, stop});
    return gradients_at_end(probe, target, stop).take(Tensor::encoded);
}

LayerGradients layer_gradients(const Trace& trace, int b, const Counterfactual& change,
                               Matrix of_output, std::optional<Tensor> last, const StopFlag& stop) {
    static const std::vector<Tensor> everything = all_names();
    // Steps after the last tensor that the backward pass needs are not recomputed. In most layers
    // that is the MLP's second linear layer, a third of the work.
    const std::vector<Node> nodes =
        nodes_of_layer(*trace.model, b, settings_of(*trace.model, b, change));
    LayerGradients of{compute_layer(trace, b, change, stop, {everything, {}, last_read(nodes)}),
                      {}};
    of.gradients.add(Tensor::output, std::move(of_output));
    pull_back_all(of.layer.nodes, of.layer, of.gradients, last, stop);
    return of;
}

// A layer without a norm also uses its input as Tensor::tokens.
Matrix gradient_of_input(const LayerGradients& of) {
    Matrix gradient = of.gradients.of(reads_stream(of.layer.model_layer()));
    if (of.gradients.has(Tensor::tokens)) gradient += of.gradients.of(Tensor::tokens);
    return gradient;
}

Trace with_gradients(Trace trace, const Gradients& gradients) {
    for (const TensorInfo& tensor : all_tensors()) {
        SharedResult result;
        if (gradients.has(tensor.id)) {
            Matrix gradient = gradients.of(tensor.id);
            // The same values under another name, which a skip adds.
            const bool is_value = tensor.id == Tensor::value;
            if (is_value && gradients.has(Tensor::values)) gradient += gradients.of(Tensor::values);
            result = make_result(std::move(gradient));
        }
        trace.set(tensor.id, std::move(result));
    }
    return trace;
}

InputGradient run_backward(const Trace& trace, const Counterfactual& change,
                           const GradientTarget& target, const GradientReach& reach,
                           const GradientObserver& observer, const StopFlag& stop) {
    const Model& model = *trace.model;
    if (const std::string why = why_no_gradient(model, change); !why.empty())
        throw RecipeError(why);
    const int first = model.token_transformers();
    InputGradient input;
    Matrix flow = gradients_at_end(trace, target, stop).take(Tensor::encoded);
    for (int b = static_cast<int>(model.layers.size()) - 1; b >= reach.layer; --b) {
        const bool ends = b == reach.layer && !reach.input;
        LayerGradients of = layer_gradients(trace, b, change, std::move(flow),
                                            ends ? reach.last : std::nullopt, stop);
        if (observer) observer(of);
        if (ends) return input;
        flow = gradient_of_input(of);
        if (b == first) flow = through_front(trace, change, std::move(flow), input, stop);
        // The output of a token transformer was split for the layer after it.
        if (b <= first && b > 0) flow = fold_split(flow, trace, b);
    }
    if (reach.input) fold_pixels(flow, trace, input);
    return input;
}

}  // namespace headlight
