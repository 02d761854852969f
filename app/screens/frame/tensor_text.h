#pragma once

#include <functional>

#include "frame/frame.h"
#include "program/words.h"

// What a tensor is called, counted and colored in.
namespace headlight::screens {

ui::Hue hue_of(Tensor tensor);
ImU32 color_of(Frame& frame, Tensor tensor);  // of its role, or of its head
std::optional<Tensor> tensor_named(std::string_view name);
// For ui::equation: the color of the tensor that a symbol is named after.
std::function<ImU32(const std::string&)> symbol_colors(Frame& frame);

// What an axis of a tensor counts: "N = 100 tokens", "head_dim = 16"
std::string axis_text(const Trace& trace, Tensor tensor, Axis axis, Index count);
// Of a part of them, first to last: "tokens 43–44 of 101", "channels 3–7 of 16"
struct AxisRange {
    Axis axis;
    Index first = 0, last = 0, count = 0;
};
std::string axis_range_text(const Trace& trace, Tensor tensor, const AxisRange& range);
// Which rows of the layer's tokens are no patches: "row 0: class token"; "" where there are none.
std::string prefix_text(const Trace& trace);
std::string shape_text_of(const Trace& trace, Tensor tensor);  // "4×100×16"
std::string_view title_of(const Frame& frame, Tensor tensor);  // CLIP has no logits
// For ui::parse_equation: the symbol with its name, its subscript, and the head where there is one.
std::string symbol_markup(const Frame& frame, Tensor tensor, int head);

}  // namespace headlight::screens
