#pragma once

#include <cmath>

#include "frame/shown.h"

// The middle of Walk: one function for each kind of stage.
namespace headlight::screens {

// Rounds to whole pixels, so that edges are crisp and cells align.
inline ui::Rect whole(const ui::Rect& r) {
    return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
}

// A matrix with its symbol above and its sizes along the edges; the focus is highlighted.
struct Matrix2D {
    Tensor tensor;
    int head = 0;
    bool transposed = false;
    std::string name;                   // of the widget
    gl::CellWindow window{0, 0, 0, 0};  // visible cells; rows == 0: all
    float revealed = 1;
    std::optional<int> row{}, col{};  // highlighted
    bool outline_cell = true;
    bool label_top = true, label_left = true;
    bool bar_below = false;  // if the upper edge has no space for the color bar
    ui::Rect bar_beside{};   // or here, at its right end
    std::string below{};     // text before the bar on that line
    float spare_right = 0;   // space left free in the upper edge, in pixels
    Index part = 0;          // > 0: shows only this many channels of the tensor,
    std::string markup{};    // with this symbol
    ImU32 frame = 0;         // colored outline, for roles and heads
};
ui::HeatmapHit draw_matrix(Frame& frame, const ui::Rect& rect, const Matrix2D& matrix);

// Replaces the difference of a matrix that the baseline lacks or has in another shape.
void no_difference(Frame& frame, const ui::Rect& rect);

// A matrix's aspect ratio (width / height) by its cells, clamped to [least, most].
float aspect_of(Index rows, Index cols, float least, float most);

// The largest aspect ratio at which to draw a matrix with that aspect ratio. Large type takes
// height, which a narrow matrix regains as width.
float widest(const Frame& frame, float aspect);
// The width, up to `most`, that gives the cells of a matrix space for their numbers; its original
// width if that is not enough, or if its rows are too low.
float wide_for_numbers(Frame& frame, Index rows, Index cols, ImVec2 size, float most);

// A matrix of the shape of the current step's result, with the focus highlighted.
Matrix2D linked_matrix(const Frame& frame, Tensor tensor, std::string name);
// Draws such a matrix with the cell window that all of them share (they zoom together), and handles
// the mouse as on the step's result.
void draw_linked(Frame& frame, const ui::Rect& rect, Matrix2D matrix);

// Handles a hit on the current step's result: as hovered,
void hover_result(Frame& frame, const ui::HeatmapHit& hit);
// or as the new focus, where a click pins it.
void focus_result(Frame& frame, const ui::HeatmapHit& hit);
// Handles a hit on another matrix as the token of its row.
void focus_token(Frame& frame, const ui::HeatmapHit& hit, Tensor tensor);

// The cell window shared by all matrices with the current result's rows and columns.
gl::CellWindow& shared_window(Frame& frame);

void stage_source(Frame& frame, const ui::Rect& rect);
void stage_patches(Frame& frame, const ui::Rect& rect);
void stage_merge(Frame& frame, const ui::Rect& rect);    // concatenates 2 × 2 tokens
void stage_vectors(Frame& frame, const ui::Rect& rect);  // in their plane, with the weighted sums
void stage_array(Frame& frame, const ui::Rect& rect);    // tokens of a file: points.cpp
void stage_signal(Frame& frame, const ui::Rect& rect);   // the signal, and its remaining noise
void stage_windows(Frame& frame, const ui::Rect& rect);
void stage_stack(Frame& frame, const ui::Rect& rect);  // learned tokens and patches
void stage_sum(Frame& frame, const ui::Rect& rect);
void stage_norm(Frame& frame, const ui::Rect& rect);
void stage_batch_norm(Frame& frame, const ui::Rect& rect);
void stage_qk_norm(Frame& frame, const ui::Rect& rect);
void stage_rotate(Frame& frame, const ui::Rect& rect);
void stage_stretch(Frame& frame, const ui::Rect& rect);
void stage_qkv(Frame& frame, const ui::Rect& rect);
void stage_heads(Frame& frame, const ui::Rect& rect);
void stage_product(Frame& frame, const ui::Rect& rect);
void stage_six_scores(Frame& frame, const ui::Rect& rect);
void stage_score_widths(Frame& frame, const ui::Rect& rect);
void stage_scale(Frame& frame, const ui::Rect& rect);
void stage_mask(Frame& frame, const ui::Rect& rect);
void stage_unit(Frame& frame, const ui::Rect& rect);
void stage_largest(Frame& frame, const ui::Rect& rect);
void stage_share(Frame& frame, const ui::Rect& rect);  // divides a row by its sum
void stage_dropout(Frame& frame, const ui::Rect& rect);
void stage_turn(Frame& frame, const ui::Rect& rect);  // a transpose
void stage_softmax(Frame& frame, const ui::Rect& rect);
void stage_softmax_bench(Frame& frame, ui::Layout rect);  // one row to experiment with
bool shows_softmax_bench(const Frame& frame);
void stage_concat(Frame& frame, const ui::Rect& rect);
void stage_map(Frame& frame, const ui::Rect& rect);  // the MLP's activation, and the pooler's
void stage_pool(Frame& frame, const ui::Rect& rect);
void stage_head(Frame& frame, const ui::Rect& rect);

// Draws another view of the step than the default (Look::stage_view). Takes a row for the choice
// off the rectangle if there is one; true if a view was drawn.
bool stage_view(Frame& frame, ui::Layout& rect);
bool view_has_no_cells(Frame& frame);  // the arithmetic of one would not fit
void stage_all_heads(Frame& frame, const ui::Rect& rect);
bool has_all_heads(const Frame& frame);
void stage_maps(Frame& frame, const ui::Rect& rect);  // the result as maps of the token grid
bool has_maps(const Frame& frame);
void stage_fills(Frame& frame, const ui::Rect& rect);  // −100, −9·10¹⁵ and −∞ in blocked cells
void stage_timing(Frame& frame, const ui::Rect& rect);
void stage_listing(Frame& frame, const ui::Rect& rect);  // the layer as one PyTorch module
bool has_listing(Frame& frame);
// The tokens as a sequence: an RNN, an LSTM and attention, and how far back each remembers.
void stage_recurrent(Frame& frame, const ui::Rect& rect);
bool has_recurrent(const Frame& frame);
// Attention among draggable vectors that learns W_Q and W_K.
void stage_learning(Frame& frame, const ui::Rect& rect);
bool has_learning(const Frame& frame);
void stage_cloud(Frame& frame, const ui::Rect& rect);  // by the first two principal components
bool has_cloud(const Frame& frame);
void stage_schematic(Frame& frame, const ui::Rect& rect);  // model and layer as boxes and arrows
bool has_schematic(const Frame& frame);
void stage_why_heads(Frame& frame, const ui::Rect& rect);  // 1, 2 and 4 heads on one task

// Whether the result is the single row of the pooling query, or is computed from it.
bool stage_is_row(const Frame& frame);
void stage_learned(Frame& frame, const ui::Rect& rect);
void stage_row_sum(Frame& frame, const ui::Rect& rect);
void stage_row_scale(Frame& frame, const ui::Rect& rect);
void stage_row_softmax(Frame& frame, const ui::Rect& rect);  // and where it attends

// A row or column of values next to a matrix: γ over its columns, μ beside its rows.
struct Strip {
    Tensor tensor;
    Line line = Line::row;       // orientation
    Index index = 0;             // of the row or column in the tensor
    std::string markup{};        // its symbol, for ui::parse_equation
    std::string name{};          // of the widget
    float first = 0, count = 0;  // visible cells
    std::optional<int> lit{};
    bool range = true;  // written out, if there is space
};
void draw_strip(Frame& frame, const ui::Rect& rect, const Strip& strip);
float strip_thickness(const Frame& frame, Line line, bool range = true);
// Space after a row for its symbol and range, in pixels.
float strip_margin(const Frame& frame, const std::string& markup = "", bool range = true);

// Space below a matrix for its color bar and, for attention, the choice of scale; in pixels.
float room_below(const Frame& frame);

// The layout of a product: left operand beside, right operand above; both share the result's rows
// and columns (rule 3).
struct Corner {
    ui::Rect left, top, result;
};
// `gap`: between the result and its operands. `below`: space under the result.
Corner corner_layout(Frame& frame, const ui::Rect& rect, Index rows, Index inner, Index cols,
                     float gap, float below);
struct Product {
    Tensor left, top, result;
    bool top_transposed = true;
    Index first_col = 0, cols = 0;  // of the result; cols == 0: all
    Index top_first = 0;            // first column of the upper operand in this part
    // For a part: the suffix of the widgets' names, the head it belongs to, and its operand's
    // symbol.
    std::string suffix{};
    std::optional<Tensor> part{};
    std::string top_markup{};
    bool hint = true;  // under scores: explains rows and columns
};
void draw_product(Frame& frame, ui::Layout rect, const Product& product);

}  // namespace headlight::screens
