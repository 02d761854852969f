#pragma once

#include "views/scene.h"

// The middle of the screen: one function for each kind of picture that a step needs.
namespace headlight::views {

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
    bool bar_below = false;  // where its edge above has no room for the colour bar
    float spare_right = 0;   // of the edge above, for what stands beside it
    Index part = 0;          // > 0: shows only so many channels of the tensor,
    std::string markup{};    // and this is their symbol
    ImU32 frame = 0;         // a coloured outline, for roles and heads
};
ui::HeatmapHit draw_matrix(Scene& scene, const ui::Rect& rect, const Matrix2D& matrix);

// A matrix of the shape of the present step's result, lit where the focus is.
Matrix2D linked_matrix(const Scene& scene, Tensor tensor, std::string name);
// Draws such a matrix in the window that all of them share (a zoom of one is a zoom of all), and
// takes the mouse on it for the step's result.
void draw_linked(Scene& scene, const ui::Rect& rect, Matrix2D matrix);

// Takes a hit on the present step's result as the new focus, and a click as pinning.
void focus_result(Scene& scene, const ui::HeatmapHit& hit);
void focus_token(Scene& scene, const ui::HeatmapHit& hit);  // rows are tokens

void stage_source(Scene& scene, const ui::Rect& rect);
void stage_patches(Scene& scene, const ui::Rect& rect);
void stage_sum(Scene& scene, const ui::Rect& rect);
void stage_qkv(Scene& scene, const ui::Rect& rect);
void stage_heads(Scene& scene, const ui::Rect& rect);
void stage_product(Scene& scene, const ui::Rect& rect);  // Q·Kᵀ, A·V, projection
void stage_scale(Scene& scene, const ui::Rect& rect);
void stage_softmax(Scene& scene, const ui::Rect& rect);
void stage_concat(Scene& scene, const ui::Rect& rect);

// Left operand beside, right operand above, both sharing the result's rows and columns (rule 3).
struct Corner {
    ui::Rect left, top, result;
};
Corner corner_layout(Scene& scene, const ui::Rect& rect, Index rows, Index inner, Index cols);
struct Product {
    Tensor left, top, result;
    bool top_transposed = true;
    Index first_col = 0, cols = 0;  // of the result; cols == 0: all
    // Of a part: the end of the widgets' names, whose part it is, and the symbol of its operand.
    std::string suffix{};
    std::optional<Tensor> part{};
    std::string top_markup{};
};
void draw_product(Scene& scene, const ui::Rect& rect, const Product& product);

}  // namespace headlight::views
