#include "frame/tensor_text.h"

#include "kernels/counted.h"
#include "trace/token_rows.h"

namespace headlight::screens {

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

ImU32 color_of(Frame& frame, Tensor tensor) { return frame.colors().hue(hue_of(tensor)); }

std::optional<Tensor> tensor_named(std::string_view name) {
    for (const TensorInfo& tensor : all_tensors())
        if (tensor.name == name) return tensor.id;
    return std::nullopt;
}

std::function<ImU32(const std::string&)> symbol_colors(Frame& frame) {
    return [&frame](const std::string& name) {
        const auto tensor = tensor_named(name);
        return tensor ? color_of(frame, *tensor) : frame.colors().text;
    };
}

namespace {

// The symbol of a token's width. It is D if the width is the same everywhere. If a layer changes
// the width, input and output have symbols of their own.
std::string width_text(const Trace& trace, Tensor tensor, Axis axis, Index count) {
    const bool of_patch = tensor == Tensor::patches || tensor == Tensor::patch_weight;
    if (of_patch && axis == Axis::feature && !trace.model->is_bare_layer())
        return counted(count, "number");
    // With several widths, D is that of the selected layer.
    if (trace.model && trace.model->has_merges() && trace.cols(tensor) != trace.config.dim &&
        axis == info(tensor).cols)
        return counted(count, "channel");
    if (axis == Axis::feature || trace.config.dim == trace.config.channels) {
        // Two concatenated rows represent the image, and the classification head uses both.
        const bool of_pooled = tensor == Tensor::pooled || tensor == Tensor::classifier_weight;
        const bool doubled = of_pooled && trace.cols(tensor) == 2 * trace.cols(Tensor::encoded);
        return (doubled ? "2D = " : "D = ") + std::to_string(count);
    }
    const bool is_c = trace.cols(tensor) == trace.config.channels || axis != info(tensor).cols;
    return (is_c ? "C = " : "") + counted(count, "channel");
}

// Whether rows are key tokens of cross-attention, rather than queries.
bool of_keys(const Trace& trace, Tensor tensor, Axis axis) {
    return axis == Axis::key_token ||
           (axis == info(tensor).rows && side_of(trace, tensor) == Side::key);
}

}  // namespace

std::string axis_text(const Trace& trace, Tensor tensor, Axis axis, Index count) {
    const std::string n = std::to_string(count);
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
            if (!shares_tokens(trace, tensor) && trace.model->has_merges())
                return counted(count, "token");
            if (!is_cross(trace)) return "N = " + counted(count, "token");
            return of_keys(trace, tensor, axis) ? "M = " + counted(count, "key")
                                                : "N = " + counted(count, "query");
        case Axis::patch:
            return counted(count, "patch");
        case Axis::finer_token:
        case Axis::prefix_token:
            return counted(count, "token");
        case Axis::hidden:
            return "hidden = " + n;
        case Axis::class_index:
            return trace.model->gives_embedding ? "E = " + n : counted(count, "class");
        case Axis::cell:
            return counted(count, "cell");
        case Axis::moment:
            return "μ, σ";
        case Axis::affine:
            return "γ, β";
        case Axis::pixel_row:
            return counted(count, "row");
        case Axis::pixel:
            return counted(count, "column");
        case Axis::feature:
        case Axis::channel:
            return width_text(trace, tensor, axis, count);
        case Axis::qkv_channel:
            if (count != 3 * trace.config.channels) return counted(count, "channel");
            return trace.config.dim == trace.config.channels ? "3D = " + n
                                                             : "3C = " + n + " channels";
        case Axis::head_channel:
            return (count == trace.shape.head_dim ? "head_dim = " : "") + n;
        case Axis::offset:
            return counted(count, "offset");
        case Axis::sample:
            return counted(count, "sample");
        case Axis::head:
            return counted(count, "head");
        case Axis::one:
            return "1";
        case Axis::probe:
            return "1 query";
    }
    return n;
}

std::string axis_range_text(const Trace& trace, Tensor tensor, const AxisRange& range) {
    const auto& [axis, first, last, count] = range;
    const auto unit = [&, axis = axis]() -> std::string_view {
        switch (axis) {
            case Axis::token:
            case Axis::key_token:
                if (!is_cross(trace)) return "token";
                return of_keys(trace, tensor, axis) ? "key" : "query";
            case Axis::prefix_token:
            case Axis::finer_token:
                return "token";
            case Axis::patch:
                return "patch";
            case Axis::class_index:
                return trace.model->gives_embedding ? "number" : "class";
            case Axis::cell:
                return "cell";
            case Axis::pixel_row:
                return "row";
            case Axis::pixel:
                return "column";
            case Axis::offset:
                return "offset";
            case Axis::sample:
                return "sample";
            case Axis::head:
                return "head";
            case Axis::moment:
            case Axis::affine:
            case Axis::one:
            case Axis::probe:
                return "";
            case Axis::hidden:
            case Axis::feature:
            case Axis::channel:
            case Axis::qkv_channel:
            case Axis::head_channel:
                break;
        }
        return "channel";
    };
    const std::string_view one = unit();
    std::string text = one.empty() ? "" : (last > first ? plural(one) : std::string(one)) + " ";
    text += std::to_string(first);
    if (last > first) text += "–" + std::to_string(last);
    return text + " of " + std::to_string(count);
}

std::string prefix_text(const Trace& trace) {
    const Index prefix = trace.layout.prefix();
    if (prefix == 0) return "";
    if (prefix == 1) return "row 0: " + token_name(trace.layout, 0);
    return "rows 0–" + std::to_string(prefix - 1) + ": " + token_name(trace.layout, 0) +
           (trace.layout.registers > 0 ? ", registers" : ", distillation token");
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

std::string_view title_of(const Frame& frame, Tensor tensor) {
    const bool embedding = tensor == Tensor::logits && frame.trace.model->gives_embedding;
    return embedding ? "Embedding" : info(tensor).title;
}

std::string symbol_markup(const Frame& frame, Tensor tensor, int head) {
    if (tensor == Tensor::logits && frame.trace.model->gives_embedding) return "{logits:e}";
    const std::string_view letter = letter_of(tensor), symbol = info(tensor).symbol;
    std::string markup = "{" + std::string(info(tensor).name) + ":" + std::string(letter) + "}";
    markup += symbol.substr(letter.size());
    if (info(tensor).per_head) markup += "_{" + std::to_string(head + 1) + "}";
    return markup;
}

}  // namespace headlight::screens
