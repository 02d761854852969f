#pragma once

#include "frame/frame.h"
#include "ui/heatmap_view.h"

// The trace's matrices as the person has chosen to see them: their cells, their range of colours,
// and the difference to A in their place.
namespace headlight::screens {

struct Shown {
    MatrixView view;
    ui::Cells cells;
    const MatrixSummary* summary = nullptr;
    ui::ColorScale scale;
    bool comparable = true;  // false: A has no such matrix of this shape, so there are no cells

    void set_cells(const MatrixView& matrix, std::uint64_t version);
};

Shown shown(Frame& frame, Tensor tensor, int head);
// The same with rows and columns exchanged, e.g. for Kᵀ above its product.
Shown shown_transposed(Frame& frame, Tensor tensor, int head);
// One row or one column of a matrix that holds several kinds of numbers (γ and β, mean and
// deviation), coloured by its own range.
enum class Line { row, column };
Shown shown_line(Frame& frame, Tensor tensor, Line line, Index index);

// Whose reading: a head's, all heads' on average, or the rollout's over all layers.
struct Reader {
    enum class Kind { head, all_heads, rollout };
    Kind kind = Kind::all_heads;
    int head = 0;  // of Kind::head
};

// What each token reads of each [N, N]; without cells where there is no such matrix.
Shown shown_reading(Frame& frame, const Reader& reader);
// One token's row ("reads from") or column ("read by") of it, laid out as the patch grid.
Shown shown_token_map(Frame& frame, const Reader& reader, int token);
// The largest size of a number in any head's map of this token: what a shared range reaches to.
float shared_reach(Frame& frame, int token);

gl::ColorMap attention_map(const Frame& frame);
ui::ColorScale signed_scale(const Frame& frame, float low, float high);  // centred on zero
ui::ColorScale positive_scale(const Frame& frame, float high);           // from zero

}  // namespace headlight::screens
