#include <utility>

#include "files/tensor_file.h"
#include "kernels/random.h"
#include "ops/limits.h"
#include "ops/table.h"

// Tokens that are given instead of a picture. They form a single row, as words do.
namespace headlight::ops {

namespace {

void place(Trace& trace, Index count, std::vector<std::string> names) {
    trace.source.reset();
    trace.source_file.clear();
    trace.image.reset();
    trace.preprocessing = {};
    trace.mean.clear();
    trace.std.clear();
    trace.grid = {};
    trace.grid.rows = 1;
    trace.grid.cols = static_cast<int>(count);
    trace.shape = {};
    trace.token_names = std::make_shared<const std::vector<std::string>>(std::move(names));
}

}  // namespace

void compute_given(const Node& node, Trace& trace, const Tools&) {
    const VectorSet& set = node.get<GivenParameters>().vectors;
    Matrix rows(static_cast<Index>(set.vectors.size()), set.width());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < set.vectors.size(); ++i) {
        rows.row(static_cast<Index>(i)) =
            Eigen::Map<const Vector>(set.vectors[i].at.data(), set.width());
        names.push_back(vector_name(set, i));
    }
    place(trace, rows.rows(), std::move(names));
    trace.set(node.result(), make_result(std::move(rows)));
}

void compute_array(const Node& node, Trace& trace, const Tools& tools) {
    const auto& [tokens, part] = node.get<ArrayParameters>();
    if (tools.read_file == nullptr) throw RecipeError(tokens.file + ": there is no file to read.");
    const TensorFile file = open_tensor_file(tokens.file, *tools.read_file, tools.stop);
    Matrix rows = rows_of(tokens, file, part, tools.stop);
    if (part == TokenPart::queries) return trace.set(node.result(), make_result(std::move(rows)));
    const TokenArray array = tokens.array();
    const bool map = array.map_cols > 0;
    std::vector<std::string> names;
    for (Index i = 0; i < rows.rows(); ++i)
        names.push_back(map ? "cell " + std::to_string(i / array.map_cols) + ", " +
                                  std::to_string(i % array.map_cols)
                            : "token " + std::to_string(i));
    place(trace, rows.rows(), std::move(names));
    if (map)  // each cell of a map is a token with the size of one pixel in a picture of the map's
              // size
        trace.grid = make_patch_grid(static_cast<int>(array.map_rows),
                                     static_cast<int>(array.map_cols), {1, 1, Ragged::crop});
    trace.set(node.result(), make_result(std::move(rows)));
}

// As nn.Embedding draws its rows: standard normal.
void compute_drawn(const Node& node, Trace& trace, const Tools&) {
    const auto& [count, width, seed] = node.get<DrawnParameters>();
    refuse_beyond_memory(4.0 * static_cast<double>(count) * static_cast<double>(width),
                         "These queries", "fewer queries or smaller patches");
    Matrix rows(count, width);
    SplitMix random(seed);
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<float>(random.normal());
    trace.set(node.result(), make_result(std::move(rows)));
}

// Results: the noisy curve and the clean one.
void compute_curve(const Node& node, Trace& trace, const Tools&) {
    const Signal& signal = node.get<CurveParameters>().signal;
    Matrix clean = clean_curve(signal);
    trace.set(node.result(), make_result(noisy_curve(signal, clean)));
    trace.set(node.results[1], make_result(std::move(clean)));
}

void compute_windows(const Node& node, Trace& trace, const Tools&) {
    Matrix windows = windows_of(trace.view(node.operands[0]), node.get<WindowParameters>().window);
    std::vector<std::string> names;
    for (Index i = 0; i < windows.rows(); ++i) names.push_back("window " + std::to_string(i));
    place(trace, windows.rows(), std::move(names));
    trace.set(node.result(), make_result(std::move(windows)));
}

void explain_given(Arithmetic& a, const Node&, const Trace&, Index) { take(a, a.shown); }

void explain_windows(Arithmetic& a, const Node&, const Trace& trace, Index) {
    take(a, trace.view(a.left)(0, a.row + a.col));
}

}  // namespace headlight::ops
