#include "views/scene.h"

#include <algorithm>
#include <cmath>

#include "encoder/layer_steps.h"
#include "views/file_browser.h"

namespace headlight::views {

namespace {

enum DerivedKind { kTransposed, kDifference, kColumn, kOfOneHead, kLine };

ui::Cells cells_of(const MatrixView& view, std::uint64_t version) {
    return {view.data, static_cast<int>(view.rows), static_cast<int>(view.cols),
            static_cast<int>(view.stride), version};
}

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise) {
    for (int i = 0; i < gl::kColorMapCount; ++i)
        if (gl::name(static_cast<gl::ColorMap>(i)) == name) return static_cast<gl::ColorMap>(i);
    return otherwise;
}

ui::ColorScale signed_scale(const Scene& scene, float low, float high) {
    const float largest = std::max(std::abs(low), std::abs(high));
    const float reach = largest > 0 && std::isfinite(largest) ? largest : 1.0F;
    return {map_named(scene.state.look.signed_map, gl::ColorMap::blue_white_red), -reach, reach};
}

ui::ColorScale positive_scale(const Scene& scene, float high) {
    return {map_named(scene.state.look.attention_map, gl::ColorMap::magma), 0,
            high > 0 && std::isfinite(high) ? high : 1.0F};
}

// Range of a tensor's colours: its own, or that of all heads together.
ui::ColorScale scale_for(const Scene& scene, const Summary& summary, Tensor tensor, int head) {
    RowSums range = summary.range(tensor);
    const MatrixSummary* own = summary.find(tensor, head);
    if (scene.state.look.range == RangeMode::own && own != nullptr)
        range = {own->statistics.min, own->statistics.max};
    if (tensor == Tensor::pixels) return {gl::ColorMap::grey, 0, 1};
    return info(tensor).from_zero ? positive_scale(scene, range.max)
                                  : signed_scale(scene, range.min, range.max);
}

MatrixSummary& summary_of(Derived::Entry& entry) {
    if (entry.summarised) return entry.summary;
    const MatrixView view = entry.result->view();
    entry.summary.statistics = statistics(view);
    entry.summary.bins =
        histogram(view, entry.summary.statistics.min, entry.summary.statistics.max, kHistogramBins);
    entry.summarised = true;
    return entry.summary;
}

// One head's products or scores, which a trace of many tokens does not keep.
Shown of_one_head(Scene& scene, const Trace& trace, Tensor tensor, int head) {
    // Two matrices of one source: told apart by the tensor in the place of the other source.
    Derived::Entry& entry = scene.memory.derived.get(
        {kOfOneHead, trace.version(tensor), trace.view(Tensor::attention, 0, head).data,
         static_cast<std::uint64_t>(tensor), nullptr, trace.shape.queries, trace.shape.keys},
        [&] { return compute_for_head(trace, tensor, 0, head); });
    Shown s;
    s.view = entry.result->view();
    s.cells = cells_of(s.view, entry.result->version());
    s.summary = &summary_of(entry);
    s.scale = signed_scale(scene, s.summary->statistics.min, s.summary->statistics.max);
    return s;
}

Shown plain(Scene& scene, const Trace& trace, const Summary& summary, Tensor tensor, int head) {
    if (trace.on_demand(tensor)) return of_one_head(scene, trace, tensor, head);
    Shown s;
    s.view = trace.view(tensor, 0, head);
    s.cells = cells_of(s.view, trace.version(tensor));
    s.summary = summary.find(tensor, head);
    s.scale = scale_for(scene, summary, tensor, head);
    return s;
}

float reach_of(const Statistics& range) {
    return std::max(std::abs(range.min), std::abs(range.max));
}

bool same_shape(const MatrixView& a, const MatrixView& b) {
    return a.rows == b.rows && a.cols == b.cols;
}

// Now − A; without cells where A has no matrix of this shape.
Shown subtracted(Scene& scene, Tensor tensor, int head) {
    const Trace& before = *scene.work.pinned_trace();
    Shown s;
    s.view = plain(scene, scene.trace, scene.summary, tensor, head).view;
    const MatrixView now = s.view;
    MatrixView old;
    if (head < before.shape.heads)
        old = plain(scene, before, *scene.work.pinned_summary(), tensor, head).view;
    s.comparable = !now.empty() && same_shape(now, old);
    if (!s.comparable) return s;
    Derived::Entry& entry =
        scene.memory.derived.get({kDifference, scene.trace.version(tensor), now.data,
                                  before.version(tensor), old.data, now.rows, now.cols},
                                 [&] { return difference(now, old); });
    s.view = entry.result->view();
    s.cells = cells_of(s.view, entry.result->version());
    s.summary = &summary_of(entry);
    s.scale = signed_scale(scene, s.summary->statistics.min, s.summary->statistics.max);
    return s;
}

// The column that is looked at before the person chose one: where a token meets itself, the most
// probable class, else the first.
int usual_column(const Trace& trace, Tensor result, std::optional<int> token) {
    const Axis columns = info(result).cols;
    if (columns == Axis::key_token) return token.value_or(0);
    const MatrixView row = trace.view(result);
    if (columns != Axis::class_index || row.empty()) return 0;
    return static_cast<int>(std::max_element(row.data, row.data + row.cols) - row.data);
}

}  // namespace

Memory::Memory() : browser(std::make_unique<FileBrowser>()) {}
Memory::~Memory() = default;

Derived::Entry& Derived::get(const Key& key, const std::function<Matrix()>& make) {
    Entry& entry = entries_[key];
    if (!entry.result) entry.result = make_result(make());
    entry.used = frame_;
    return entry;
}

void Derived::end_frame() {
    // A source that was freed could come back at the same address, but never with the same version.
    std::erase_if(entries_, [&](const auto& item) { return item.second.used + 8 < frame_; });
    ++frame_;
}

Focus resolve_focus(const State& state, const Trace& trace, const Memory& memory) {
    const Selection& pinned = state.selection;
    const Tensor result = describe(trace, pinned.step).result;
    const Axis col_axis = info(result).cols;
    Focus focus = memory.hovered;
    focus.hovered = focus.token || focus.col || focus.key_token;
    // A hovered patch is lit as query and as key; else a pinned column stays.
    const bool as_key = focus.hovered && focus.token && col_axis == Axis::key_token;
    if (!focus.token) focus.token = pinned.token;
    if (!focus.col && pinned.col_axis == col_axis && !as_key) focus.col = pinned.col;
    // Without a column there still is a cell to explain.
    const bool has_row = focus.token || info(result).rows == Axis::one;
    if (has_row && !focus.col && pinned.step != Step::image)
        focus.col = usual_column(trace, result, focus.token);
    if (!focus.key_token && col_axis == Axis::key_token) focus.key_token = focus.col;
    if (focus.col && *focus.col >= trace.cols(result)) focus.col.reset();
    if (focus.token && *focus.token >= trace.shape.queries) focus.token.reset();
    if (focus.key_token && *focus.key_token >= trace.shape.keys) focus.key_token.reset();
    return focus;
}

Shown shown(Scene& scene, Tensor tensor, int head) {
    // A picture is shown as it is: minus another it would be none.
    return scene.difference() && tensor != Tensor::pixels
               ? subtracted(scene, tensor, head)
               : plain(scene, scene.trace, scene.summary, tensor, head);
}

Shown shown_transposed(Scene& scene, Tensor tensor, int head) {
    Shown s = shown(scene, tensor, head);
    if (s.cells.empty()) return s;
    const MatrixView source = s.view;
    const auto& entry = scene.memory.derived.get(
        {kTransposed, s.cells.version, source.data, 0, nullptr, source.rows, source.cols},
        [&] { return Matrix(source.map().transpose()); });
    s.view = entry.result->view();
    s.cells = cells_of(s.view, entry.result->version());
    return s;
}

Shown shown_line(Scene& scene, Tensor tensor, Line line, Index index) {
    Shown s = shown(scene, tensor, 0);
    if (s.cells.empty()) return s;
    const MatrixView source = line == Line::row ? s.view.block(index, 0, 1, s.view.cols)
                                                : s.view.block(0, index, s.view.rows, 1);
    Derived::Entry& entry = scene.memory.derived.get(
        {kLine, s.cells.version, source.data, 0, nullptr, source.rows, source.cols},
        [&] { return Matrix(source.map()); });
    s.view = entry.result->view();
    s.cells = cells_of(s.view, entry.result->version());
    s.summary = &summary_of(entry);
    const Statistics& range = s.summary->statistics;
    const bool deviation = info(tensor).cols == Axis::moment && index == 1;
    s.scale = deviation && !scene.difference() ? positive_scale(scene, range.max)
                                               : signed_scale(scene, range.min, range.max);
    return s;
}

// A matrix of the summary; or its difference to A's.
Shown of_summary(Scene& scene, SharedResult Summary::*which) {
    const SharedResult& now = scene.summary.*which;
    if (!now) return {};
    Shown s;
    s.view = now->view();
    s.cells = cells_of(s.view, now->version());
    if (!scene.difference()) return s;
    const SharedResult& old = (*scene.work.pinned_summary()).*which;
    if (!old || !same_shape(now->view(), old->view())) return {};
    const auto& entry =
        scene.memory.derived.get({kDifference, now->version(), now->view().data, old->version(),
                                  old->view().data, s.view.rows, s.view.cols},
                                 [&] { return difference(now->view(), old->view()); });
    s.view = entry.result->view();
    s.cells = cells_of(s.view, entry.result->version());
    return s;
}

float shared_reach(Scene& scene, int token) {
    const Reading reading = scene.state.look.reading;
    const std::uint64_t before =
        scene.difference() ? scene.work.pinned_trace()->version(Tensor::attention) : 0;
    auto& [version, other, last_token, last_reading, reach] = scene.memory.shared_reach;
    const auto key = std::tuple(scene.trace.version(Tensor::attention), before, token, reading);
    if (std::tie(version, other, last_token, last_reading) == key) return reach;
    std::tie(version, other, last_token, last_reading) = key;
    reach = 0;
    for (int h = 0; h < static_cast<int>(scene.trace.shape.heads); ++h) {
        const Shown all = shown(scene, Tensor::attention, h);
        if (all.cells.empty() || token >= all.view.rows) continue;
        // Of the patches, which the picture shows: a class token may take most of the attention.
        const Index prefix = scene.trace.layout.prefix(), patches = all.view.cols - prefix;
        const Matrix column = reading == Reading::by
                                  ? Matrix(column_of(all.view, token).rightCols(patches))
                                  : Matrix();
        const Statistics range = statistics(
            reading == Reading::by ? MatrixView(column)
                                   : MatrixView{all.view.row(token) + prefix, 1, patches, patches});
        for (const float end : {range.min, range.max})
            if (std::isfinite(end)) reach = std::max(reach, std::abs(end));
    }
    return reach;
}

Shown shown_reading(Scene& scene, Reader reader) {
    if (reader == kRollout) return of_summary(scene, &Summary::rollout);
    if (reader == kAllHeads) return of_summary(scene, &Summary::mean_attention);
    return shown(scene, Tensor::attention, reader);
}

Shown shown_token_map(Scene& scene, Reader reader, int token) {
    const PatchGrid& grid = scene.trace.grid;
    const Index prefix = scene.trace.layout.prefix();
    const Shown all = shown_reading(scene, reader);
    if (all.cells.empty() || token >= all.view.rows || all.view.cols != prefix + grid.count())
        return {};
    Shown map = all;
    if (scene.state.look.reading == Reading::from) {
        map.view = {all.view.row(token) + prefix, grid.rows, grid.cols, grid.cols};
        map.cells = cells_of(map.view, all.cells.version);
    } else {
        const auto& entry = scene.memory.derived.get(
            {kColumn, all.cells.version, all.view.data + token, 0, nullptr, grid.rows, grid.cols},
            [&] {
                const Matrix column = column_of(all.view, token).rightCols(grid.count());
                return Matrix(column.reshaped<Eigen::RowMajor>(grid.rows, grid.cols));
            });
        map.view = entry.result->view();
        map.cells = cells_of(map.view, entry.result->version());
    }
    map.summary = nullptr;
    const bool shared = scene.state.look.range == RangeMode::shared && reader != kRollout;
    const float reach = shared ? shared_reach(scene, token) : reach_of(statistics(map.view));
    map.scale =
        scene.difference() ? signed_scale(scene, -reach, reach) : positive_scale(scene, reach);
    return map;
}

std::optional<int> focus_row(const Scene& scene, Tensor tensor) {
    const Axis rows = info(tensor).rows;
    if (rows == Axis::one) return 0;
    if (!scene.focus.token) return std::nullopt;
    // T2T: what follows the last layer has other tokens than the layer that is looked at.
    const bool earlier = scene.trace.block < scene.trace.model->token_transformers();
    if (earlier && tensor >= Tensor::encoded) return std::nullopt;
    const Index row = row_of_token(scene.trace, rows, *scene.focus.token);
    return row < 0 || row >= scene.trace.rows(tensor) ? std::nullopt
                                                      : std::optional(static_cast<int>(row));
}

ui::Hue hue_of(Tensor tensor) {
    switch (info(tensor).role) {
        case Role::token:
            return ui::Hue::token;
        case Role::query:
            return ui::Hue::query;
        case Role::key:
            return ui::Hue::key;
        case Role::value:
            return ui::Hue::value;
        case Role::attention:
            return ui::Hue::attention;
        case Role::weight:
            return ui::Hue::weight;
    }
    return ui::Hue::token;
}

ImU32 color_of(Scene& scene, Tensor tensor) { return scene.colors().hue(hue_of(tensor)); }

std::optional<Tensor> tensor_named(std::string_view name) {
    for (const TensorInfo& tensor : all_tensors())
        if (tensor.name == name) return tensor.id;
    return std::nullopt;
}

namespace {

// Of the numbers in a token. A model calls its width D wherever it is the same; where a layer makes
// wider or narrower tokens than it reads, the two have letters of their own.
std::string width_text(const Trace& trace, Tensor tensor, Axis axis, const std::string& n) {
    const bool of_patch = tensor == Tensor::patches || tensor == Tensor::patch_weight;
    if (of_patch && axis == Axis::feature && !trace.model->is_bare_layer()) return n + " numbers";
    if (axis == Axis::feature || trace.config.dim == trace.config.channels) {
        const bool doubled =
            tensor == Tensor::pooled && trace.cols(tensor) == 2 * trace.cols(Tensor::encoded);
        return (doubled ? "2D = " : "D = ") + n;
    }
    return "C = " + n + " channels";
}

}  // namespace

std::string axis_text(const Trace& trace, Tensor tensor, Axis axis, Index count) {
    const std::string n = std::to_string(count);
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
            return "N = " + n + " tokens";
        case Axis::patch:
            return n + " patches";
        case Axis::prefix_token:
            return n + (count == 1 ? " token" : " tokens");
        case Axis::hidden:
            return "hidden = " + n;
        case Axis::class_index:
            return trace.model->head_is_embedding ? "E = " + n : n + " classes";
        case Axis::moment:
            return "μ, σ";
        case Axis::affine:
            return "γ, β";
        case Axis::pixel_row:
            return n + " rows";
        case Axis::pixel:
            return n + " columns";
        case Axis::feature:
        case Axis::channel:
            return width_text(trace, tensor, axis, n);
        case Axis::qkv_channel:
            return trace.config.dim == trace.config.channels ? "3D = " + n
                                                             : "3C = " + n + " channels";
        case Axis::head_channel:
            return "head_dim = " + n;
        case Axis::one:
            return "1";
    }
    return n;
}

std::string shape_text_of(const Trace& trace, Tensor tensor) {
    if (!trace.has(tensor)) return "";
    if (tensor == Tensor::pixels && trace.image)
        return std::to_string(trace.image->height) + "×" + std::to_string(trace.image->width) +
               "×" + std::to_string(trace.image->channels);
    std::string text =
        std::to_string(trace.rows(tensor)) + "×" + std::to_string(trace.cols(tensor));
    return info(tensor).per_head ? std::to_string(trace.shape.heads) + "×" + text : text;
}

std::string_view title_of(const Scene& scene, Tensor tensor) {
    const bool embedding = tensor == Tensor::logits && scene.trace.model->head_is_embedding;
    return embedding ? "Embedding" : info(tensor).title;
}

std::string_view letter_of(Tensor tensor) {
    const std::string_view symbol = info(tensor).symbol;
    return symbol.substr(0, symbol.find('_'));
}

std::string symbol_markup(const Scene& scene, Tensor tensor, int head) {
    if (tensor == Tensor::skip && scene.trace.config.skip == Skip::input)
        return "{tokens:" + std::string(letter_of(Tensor::tokens)) + "}";
    if (tensor == Tensor::logits && scene.trace.model->head_is_embedding) return "{logits:e}";
    const std::string_view letter = letter_of(tensor), symbol = info(tensor).symbol;
    std::string markup = "{" + std::string(info(tensor).name) + ":" + std::string(letter) + "}";
    markup += symbol.substr(letter.size());
    if (info(tensor).per_head) markup += "_{" + std::to_string(head + 1) + "}";
    return markup;
}

}  // namespace headlight::views
