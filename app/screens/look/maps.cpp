#include <algorithm>

#include "look/view.h"
#include "state/all_heads.h"

namespace headlight::screens {

namespace {

const std::shared_ptr<const Summary>& summary_of(const Frame& frame) {
    const bool before = &frame.trace == frame.work.pinned_trace().get();
    return before ? frame.work.pinned_summary() : frame.work.summary();
}

// Only the current layer's rows: if its queries and keys are different tokens, or if no other layer
// is kept.
SharedResult rows_in_view(const Frame& frame, Index token) {
    const Trace& trace = frame.trace;
    const MatrixView first = trace.view(Tensor::attention);
    if (first.empty() || token >= first.rows) return nullptr;
    Matrix rows(trace.shape.heads, first.cols);
    for (Index h = 0; h < trace.shape.heads; ++h)
        rows.row(h) = trace.view(Tensor::attention, 0, h).eigen().row(token);
    return make_result(std::move(rows));
}

std::vector<SharedResult> read_rows(const Frame& frame, const AttentionRows& of) {
    const KeptLayers& kept = of.summary->kept;
    const auto layers = of.trace->model ? of.trace->model->layers.size() : 1;
    std::vector<SharedResult> rows(std::max({layers, kept.size(), std::size_t{1}}));
    if (!is_cross(*of.trace)) {
        const TokenQuestion question{of.trace, of.summary, of.token};
        for (std::size_t b = 0; b < kept.size(); ++b)
            if (const auto there = token_in_layer(question, static_cast<int>(b), of.token))
                rows[b] = make_result(kept[b]->of_query(*there));
    }
    SharedResult& present = rows[static_cast<std::size_t>(of.trace->layer)];
    if (!present) present = rows_in_view(frame, of.token);
    return rows;
}

const AttentionRows& rows_of(const Frame& frame, LookMemory& memory, Index token) {
    AttentionRows& rows = memory.rows;
    const auto& trace = frame.shared(frame.trace);
    const auto& summary = summary_of(frame);
    if (rows.trace == trace && rows.summary == summary && rows.token == token) return rows;
    rows = {trace, summary, token, {}, {}};
    rows.layers = read_rows(frame, rows);
    for (const SharedResult& heads : rows.layers)
        rows.reachable.push_back(heads ? (heads->view().eigen().array() > 0).colwise().any().count()
                                       : 0);
    return rows;
}

// For a scene with a pair: a patch of one of the twins, which shows what the model has to find.
std::optional<int> token_of_pair(Frame& frame) {
    const auto* shapes = frame.picture_tools.shapes_of_patches(frame);
    if (shapes == nullptr) return std::nullopt;
    const PatchGrid& grid = frame.trace.grid;
    const auto& scene = *frame.recipe.scene;
    for (std::size_t s = scene.shapes.size(); s-- > 0;) {
        if (std::ranges::count(scene.shapes, scene.shapes[s].kind, &Shape::kind) != 2) continue;
        // The middle of the shape, which may be covered by another one.
        const auto col = static_cast<int>(scene.shapes[s].x / kSceneSize *
                                          static_cast<float>(grid.cols)),
                   row = static_cast<int>(scene.shapes[s].y / kSceneSize *
                                          static_cast<float>(grid.rows));
        const int patch =
            std::clamp(row, 0, grid.rows - 1) * grid.cols + std::clamp(col, 0, grid.cols - 1);
        if ((*shapes)[static_cast<std::size_t>(patch)] == static_cast<std::int16_t>(s))
            return static_cast<int>(token_of_row(frame.trace, Axis::patch, patch));
    }
    return std::nullopt;
}

int usual(Frame& frame) {
    if (const auto token = token_of_pair(frame)) return *token;
    const Selection& s = frame.state.selection;
    if (s.token && *s.token < frame.trace.shape.queries) return *s.token;
    const int token = is_cross(frame.trace) ? 0 : usual_token(frame.trace);
    return std::clamp(token, 0, static_cast<int>(frame.trace.shape.queries) - 1);
}

void find_token(Frame& frame, const LookMemory& memory, LookView& view) {
    const Selection& s = frame.state.selection;
    const bool by_keys = memory.moves_at_key == frame.ui.pointer_moves();
    const Focus& hovered = frame.memory.hovered;
    if (!by_keys && !frame.memory.pointer_rests && hovered.token &&
        *hovered.token < frame.trace.shape.queries) {
        view.token = *hovered.token;
        view.asking = Asking::hovered;
    } else if (s.token && s.token_chosen && *s.token < frame.trace.shape.queries) {
        view.token = *s.token;
        view.asking = Asking::pinned;
    } else {
        view.token = usual(frame);
    }
}

}  // namespace

bool LookView::has(const HeadPlace& place) const {
    return place.layer >= 0 && place.head >= 0 && place.head < heads(place.layer);
}

Index LookView::heads(int layer) const {
    const auto at = static_cast<std::size_t>(layer);
    return at < rows->layers.size() && rows->layers[at] ? rows->layers[at]->view().rows : 0;
}

int LookView::most_heads() const {
    Index most = 0;
    for (int b = 0; b < static_cast<int>(rows->layers.size()); ++b) most = std::max(most, heads(b));
    return static_cast<int>(most);
}

int LookView::count() const {
    Index all = 0;
    for (int b = 0; b < static_cast<int>(rows->layers.size()); ++b) all += heads(b);
    return static_cast<int>(all);
}

LookView view_of(Frame& frame, LookMemory& memory) {
    LookView view;
    find_token(frame, memory, view);
    frame.focus.token = view.token;
    view.rows = &rows_of(frame, memory, view.token);
    view.chosen = {frame.trace.layer, frame.state.selection.head};
    if (!view.has(view.chosen)) view.chosen.head = 0;
    view.shown = memory.hovered && view.has(*memory.hovered) ? *memory.hovered : view.chosen;
    return view;
}

MatrixView row_of(const LookView& view, const HeadPlace& place) {
    if (!view.has(place)) return {};
    const MatrixView rows = view.rows->layers[static_cast<std::size_t>(place.layer)]->view();
    return rows.block(place.head, 0, 1, rows.cols);
}

const PatchGrid& patch_grid_of(const Frame& frame, int layer) {
    return grid_in_layer(frame.trace, frame.summary.kept, layer);
}

MatrixView patches_of(const Frame& frame, const LookView& view, const HeadPlace& place) {
    const MatrixView row = row_of(view, place);
    const PatchGrid& grid = patch_grid_of(frame, place.layer);
    const Index prefix = frame.trace.layout.prefix();
    if (row.empty() || grid.count() == 0 || row.cols != prefix + grid.count()) return {};
    return {row.data + prefix, grid.rows, grid.cols, grid.cols};
}

Index reachable(const LookView& view, int layer) {
    return std::max<Index>(view.rows->reachable[static_cast<std::size_t>(layer)], 1);
}

ui::ColorScale times_even(Index tokens) {
    const float even = 1.0F / static_cast<float>(std::max<Index>(tokens, 1));
    ui::ColorScale scale{gl::ColorMap::amber, 0, kBrightest * even};
    scale.curve = gl::Curve::square_root;
    scale.unit = even;
    return scale;
}

Shown shown_map(const Frame& frame, const LookView& view, const HeadPlace& place) {
    Shown map;
    const MatrixView patches = patches_of(frame, view, place);
    if (patches.empty()) return map;
    const SharedResult& rows = view.rows->layers[static_cast<std::size_t>(place.layer)];
    map.set_cells(patches, rows->version());
    map.scale = times_even(reachable(view, place.layer));
    return map;
}

}  // namespace headlight::screens
