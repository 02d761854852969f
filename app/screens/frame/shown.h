#pragma once

#include <memory>

#include "frame/frame.h"
#include "ui/heatmap_view.h"

// The matrices of the trace as they are shown with the present settings: their cells, the range of
// their colors, and the difference from the baseline instead of them.
namespace headlight::screens {

struct Shown {
    MatrixView view;
    ui::Cells cells;
    const MatrixSummary* summary = nullptr;
    ui::ColorScale scale;
    bool comparable = true;  // false: A has no such matrix of this shape, so there are no cells
    bool scale_is_chosen = false;  // attention, not a difference: scale and cut are the person's

    // keeper: see ui::Cells.
    void set_cells(const MatrixView& matrix, std::uint64_t version,
                   std::shared_ptr<const void> keeper = {});
    void set_cells(const SharedResult& result);  // all of it
};

Shown shown(Frame& frame, Tensor tensor, int head);
// The same with rows and columns exchanged, e.g. for Kᵀ above its product.
Shown shown_transposed(Frame& frame, Tensor tensor, int head);
// One row or one column of a matrix that holds several kinds of numbers (γ and β, mean and
// deviation), colored by its own range.
enum class Line { row, column };
Shown shown_line(Frame& frame, Tensor tensor, Line line, Index index);

// Colored by the range of the cells in the window alone, where the person chose that and some are
// out of sight. `name`: of the widget, which it is remembered by.
void fit_to_view(Frame& frame, const std::string& name, Tensor tensor, const gl::CellWindow& window,
                 Shown& what);

// Whose reading: a head's, all heads' on average, or the rollout's over all layers.
struct Reader {
    enum class Kind { head, all_heads, rollout };
    Kind kind = Kind::all_heads;
    int head = 0;  // of Kind::head
};

// What each token reads of each [N, N]; without cells where there is no such matrix.
Shown shown_reading(Frame& frame, const Reader& reader);
// One token's row ("reads from") or column ("read by") of it, laid out as the patch grid; without a
// token the mean of all rows.
Shown shown_token_map(Frame& frame, const Reader& reader, std::optional<int> token);

// The step belongs to attention pooling: then the maps show what its one query, the probe, reads.
bool reads_probe(const Frame& frame);
// What a head of it reads, laid out as the patch grid; of any other reader the mean of all heads.
Shown shown_probe_map(Frame& frame, const Reader& reader);

gl::ColorMap attention_map(const Frame& frame);
ui::ColorScale signed_scale(const Frame& frame, float low, float high);  // centered on zero
ui::ColorScale positive_scale(const Frame& frame, float high);           // from zero

}  // namespace headlight::screens
