#pragma once

#include <cmath>

#include "frame/shown.h"

// The middle of the screen: one function for each kind of picture that a step needs.
namespace headlight::screens {

// In whole pixels, so that edges are crisp and cells align.
inline ui::Rect whole(const ui::Rect& r) {
    return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
}

// A matrix with its symbol above it, its extents on its edges, lit where the focus is.
struct Matrix2D {
    Tensor tensor;
    int head = 0;
    bool transposed = false;
    std::string name;                   // of the widget
    gl::CellWindow window{0, 0, 0, 0};  // rows == 0: all
    float revealed = 1;
    std::optional<int> row{}, col{};  // lit
    bool outline_cell = true;
    bool label_top = true, label_left = true;
    bool bar_below = false;  // where its edge above has no room for the color bar
    ui::Rect bar_beside{};   // or here, at its right end
    std::string below{};     // words that stand before the bar on that line
    float spare_right = 0;   // of the edge above, for what stands beside it
    Index part = 0;          // > 0: shows only so many channels of the tensor,
    std::string markup{};    // and this is their symbol
    ImU32 frame = 0;         // a colored outline, for roles and heads
};
ui::HeatmapHit draw_matrix(Frame& frame, const ui::Rect& rect, const Matrix2D& matrix);

// In the place of a matrix that A has in another shape, or has not.
void no_difference(Frame& frame, const ui::Rect& rect);

// A matrix's width for its height, by its cells, kept between two bounds.
float aspect_of(Index rows, Index cols, float least, float most);

// How wide for its height a matrix of that width for its height may be drawn. Large type takes
// height away, which a narrow one gets back as width.
float widest(const Frame& frame, float aspect);
// How wide a matrix that would be drawn in that size becomes, up to `most`, so that its cells have
// room for their numbers; as wide as it would be where that is not enough, or its rows are too low.
float wide_for_numbers(Frame& frame, Index rows, Index cols, ImVec2 size, float most);

// A matrix of the shape of the present step's result, lit where the focus is.
Matrix2D linked_matrix(const Frame& frame, Tensor tensor, std::string name);
// Draws such a matrix in the window that all of them share (a zoom of one is a zoom of all), and
// takes the mouse on it for the step's result.
void draw_linked(Frame& frame, const ui::Rect& rect, Matrix2D matrix);

// Takes a hit on the present step's result as what is hovered,
void hover_result(Frame& frame, const ui::HeatmapHit& hit);
// as the new focus, and a click as pinning.
void focus_result(Frame& frame, const ui::HeatmapHit& hit);
// Takes a hit on another matrix as the token that its row stands for.
void focus_token(Frame& frame, const ui::HeatmapHit& hit, Tensor tensor);

// The window of cells that all matrices of the present result's rows and columns share.
gl::CellWindow& shared_window(Frame& frame);

void stage_source(Frame& frame, const ui::Rect& rect);
void stage_patches(Frame& frame, const ui::Rect& rect);
void stage_merge(Frame& frame, const ui::Rect& rect);    // two by two tokens side by side
void stage_vectors(Frame& frame, const ui::Rect& rect);  // in their plane, and their mixtures
void stage_array(Frame& frame, const ui::Rect& rect);    // tokens of a file: points.cpp
void stage_signal(Frame& frame, const ui::Rect& rect);   // the curve, and what is left of its noise
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
void stage_share(Frame& frame, const ui::Rect& rect);  // a row by its sum
void stage_dropout(Frame& frame, const ui::Rect& rect);
void stage_turn(Frame& frame, const ui::Rect& rect);  // rows and columns exchanged
void stage_softmax(Frame& frame, const ui::Rect& rect);
void stage_softmax_bench(Frame& frame, ui::Rect rect);  // one row of it, to play with
bool shows_softmax_bench(const Frame& frame);
void stage_concat(Frame& frame, const ui::Rect& rect);
void stage_map(Frame& frame, const ui::Rect& rect);  // the MLP's curve, and the pooler's
void stage_pool(Frame& frame, const ui::Rect& rect);
void stage_head(Frame& frame, const ui::Rect& rect);

// Another view of the step than its usual one (Look::stage_view). Takes the row of the choice off
// the rectangle where it is offered; true where the view is drawn.
bool stage_view(Frame& frame, ui::Rect& rect);
bool view_has_no_cells(Frame& frame);  // so that the arithmetic of one would explain nothing there
void stage_all_heads(Frame& frame, const ui::Rect& rect);
bool has_all_heads(const Frame& frame);
void stage_maps(Frame& frame, const ui::Rect& rect);  // the result as maps of the token grid
bool has_maps(const Frame& frame);
void stage_fills(Frame& frame, const ui::Rect& rect);  // −100, −9·10¹⁵ and −∞ in blocked cells
void stage_timing(Frame& frame, const ui::Rect& rect);
void stage_listing(Frame& frame, const ui::Rect& rect);  // the layer as one PyTorch module
bool has_listing(Frame& frame);
// The tokens as a sequence: an RNN, an LSTM and attention, and how far each remembers.
void stage_recurrent(Frame& frame, const ui::Rect& rect);
bool has_recurrent(const Frame& frame);
// Attention among the vectors that learns W_Q and W_K, both to be dragged.
void stage_learning(Frame& frame, const ui::Rect& rect);
bool has_learning(const Frame& frame);
void stage_cloud(Frame& frame, const ui::Rect& rect);  // by the first two principal components
bool has_cloud(const Frame& frame);
void stage_schematic(Frame& frame, const ui::Rect& rect);  // model and layer as boxes and arrows
bool has_schematic(const Frame& frame);
void stage_why_heads(Frame& frame, const ui::Rect& rect);  // 1, 2 and 4 heads on one task

// Where the result is the one row of the query that pools, or is made of it.
bool stage_is_row(const Frame& frame);
void stage_learned(Frame& frame, const ui::Rect& rect);
void stage_row_sum(Frame& frame, const ui::Rect& rect);
void stage_row_scale(Frame& frame, const ui::Rect& rect);
void stage_row_softmax(Frame& frame, const ui::Rect& rect);  // and where it looks

// One line of numbers that a whole matrix shares: γ over its columns, μ beside its rows.
struct Strip {
    Tensor tensor;
    Line line = Line::row;       // which way it runs
    Index index = 0;             // which row or column of the tensor
    std::string markup{};        // its symbol, for ui::parse_equation
    std::string name{};          // of the widget
    float first = 0, count = 0;  // the cells that are shown
    std::optional<int> lit{};
};
void draw_strip(Frame& frame, const ui::Rect& rect, const Strip& strip);
float strip_thickness(const Frame& frame, Line line);
// What symbol and range need behind a row.
float strip_margin(const Frame& frame, const std::string& markup = "");

// Below a matrix, for its color bar and where it is attention's, the choice of scale.
float room_below(const Frame& frame);

// Left operand beside, right operand above, both sharing the result's rows and columns (rule 3).
struct Corner {
    ui::Rect left, top, result;
};
// `gap`: between the result and its operands. `below`: for what stands under the result.
Corner corner_layout(Frame& frame, const ui::Rect& rect, Index rows, Index inner, Index cols,
                     float gap, float below);
struct Product {
    Tensor left, top, result;
    bool top_transposed = true;
    Index first_col = 0, cols = 0;  // of the result; cols == 0: all
    Index top_first = 0;            // column of the operand above that the first of those is made of
    // Of a part: the end of the widgets' names, whose part it is, and the symbol of its operand.
    std::string suffix{};
    std::optional<Tensor> part{};
    std::string top_markup{};
    bool hint = true;  // under scores, what rows and columns are
};
void draw_product(Frame& frame, ui::Rect rect, const Product& product);

}  // namespace headlight::screens
