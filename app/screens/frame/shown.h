#pragma once

#include <memory>

#include "frame/frame.h"
#include "ui/heatmap_view.h"

// The trace's matrices for display with the current settings: their cells, color range, and
// optionally the difference from the baseline.
namespace headlight::screens {

struct Shown {
    MatrixView view;
    ui::Cells cells;
    const MatrixSummary* summary = nullptr;
    ui::ColorScale scale;
    bool comparable = true;        // false: no baseline matrix of this shape; there are no cells
    bool scale_is_chosen = false;  // attention, no difference: the user's scale and clipping apply

    // keeper: see ui::Cells.
    void set_cells(const MatrixView& matrix, std::uint64_t version,
                   std::shared_ptr<const void> keeper = {});
    void set_cells(const SharedResult& result);  // all cells
};

Shown shown(Frame& frame, Tensor tensor, int head);
// The same, transposed, e.g. for Kᵀ above its product.
Shown shown_transposed(Frame& frame, Tensor tensor, int head);
// One row or column of a matrix that holds several kinds of values (γ and β, mean and standard
// deviation), colored by its own range.
enum class Line { row, column };
Shown shown_line(Frame& frame, Tensor tensor, Line line, Index index);

// Colors by the range of the visible cells, if the user chose that and some cells are out of view.
// `name`: the widget whose window this is.
void fit_to_view(Frame& frame, const std::string& name, Tensor tensor, const gl::CellWindow& window,
                 Shown& what);

// Whose attention: one head's, the mean over heads, or the rollout over all layers.
struct Reader {
    enum class Kind { head, all_heads, rollout };
    Kind kind = Kind::all_heads;
    int head = 0;  // for Kind::head
};

// The attention matrix [N, N]; without cells if there is none.
Shown shown_reading(Frame& frame, const Reader& reader);
// One token's row (attends to) or column (attended by), laid out as the patch grid; without a token
// the mean over all rows.
Shown shown_token_map(Frame& frame, const Reader& reader, std::optional<int> token);

// Whether the step belongs to attention pooling. Maps then show the attention of its single query,
// the probe.
bool reads_probe(const Frame& frame);
// The probe's attention in one head, laid out as the patch grid; for other readers the mean over
// heads.
Shown shown_probe_map(Frame& frame, const Reader& reader);

gl::ColorMap attention_map(const Frame& frame);
ui::ColorScale signed_scale(const Frame& frame, float low, float high);  // centered on zero
ui::ColorScale positive_scale(const Frame& frame, float high);           // from zero

}  // namespace headlight::screens
