#include "program/field.h"

#include "program/values.h"

namespace headlight {

namespace {

void check_optional_number(const FieldInfo& field, const std::string& text) {
    try {
        const double value = parse_number(field.name, text, field.low, field.high);
        if (!field.nonzero || static_cast<float>(value) != 0.0F) return;
    } catch (const ValueError&) {  // said below, with the other way to write it
    }
    refuse_value(field.name,
                 std::string(field.unset) + " or a number from " + number_text(field.low) + " to " +
                     number_text(field.high) + (field.nonzero ? " other than 0" : ""),
                 text);
}

}  // namespace

void check_limits(const FieldInfo& field, const std::string& text) {
    if (!field.unset.empty() && text == field.unset) return;
    switch (field.kind) {
        case FieldKind::integer:
            parse_integer(field.name, text, static_cast<int>(field.low),
                          static_cast<int>(field.high));
            return;
        case FieldKind::number:
            parse_number(field.name, text, field.low, field.high);
            return;
        case FieldKind::optional_number:
            return check_optional_number(field, text);
        case FieldKind::toggle:
            parse_toggle(field.name, text);
            return;
        case FieldKind::choice:
            parse_name(field.name, text, field.choices);
            return;
        case FieldKind::numbers:
            parse_numbers(field.name, text, field.low, field.high);
            return;
        case FieldKind::text:
        case FieldKind::file:
        case FieldKind::rules:
        case FieldKind::structure:
            return;
    }
}

bool applies(const FieldInfo& field, const Model& model) {
    if (field.of_signal) return false;
    if (field.name == "part") return model.encoders.size() > 1;
    if (field.of_maps) return model.is_maps();
    if (!model.is_bare_layer()) return field.of_whole_model;
    if (field.of_order_of_norms && model.norms_may_follow) return true;
    if (field.of_block && model.layers.front().mlp_in.exists()) return true;
    return field.of_bare_layer || (field.of_stack && model.layers.size() > 1);
}

bool applies(const FieldInfo& field, const Trace& trace) {
    if (field.of_signal) return trace.has(Tensor::curve);
    if (field.of_picture && !trace.image) return false;
    if (!trace.model) return field.of_bare_layer && !field.of_maps;
    return applies(field, *trace.model);
}

}  // namespace headlight
