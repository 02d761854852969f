#pragma once

#include <functional>

#include "frame/frame.h"
#include "program/words.h"

// Names, units and colors of tensors.
namespace headlight::screens {

ui::Hue hue_of(Tensor tensor);
ImU32 color_of(Frame& frame, Tensor tensor);  // of its role or its head
std::optional<Tensor> tensor_named(std::string_view name);
// For ui::equation: the color of the tensor that a symbol is named after.
std::function<ImU32(const std::string&)> symbol_colors(Frame& frame);

// The meaning of a tensor's axis: "N = 100 tokens", "head_dim = 16".
std::string axis_text(const Trace& trace, Tensor tensor, Axis axis, Index count);
// A range of an axis, first to last: "tokens 43–44 of 101", "channels 3–7 of 16".
struct AxisRange {
    Axis axis;
    Index first = 0, last = 0, count = 0;
};
std::string axis_range_text(const Trace& trace, Tensor tensor, const AxisRange& range);
// The rows that are no patches: "row 0: class token"; "" if there are none.
std::string prefix_text(const Trace& trace);
std::string shape_text_of(const Trace& trace, Tensor tensor);  // "4×100×16"
std::string_view title_of(const Frame& frame, Tensor tensor);  // CLIP has no logits
// For ui::parse_equation: the symbol with its name, subscript, and head if it has one.
std::string symbol_markup(const Frame& frame, Tensor tensor, int head);

}  // namespace headlight::screens
