#include "program/field.h"

#include "program/values.h"

namespace headlight {

namespace {

void check_optional_number(const FieldInfo& field, const std::string& text) {
    try {
        const double value = parse_number(field.name, text, field.low, field.high);
        if (!field.nonzero || static_cast<float>(value) != 0.0F) return;
    } catch (const ValueError&) {  // reported below, with the other notation
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
        case FieldKind::folder:
        case FieldKind::rules:
        case FieldKind::structure:
            return;
    }
}

bool applies(const FieldInfo& field, const Model& model) {
    const bool bare = model.is_bare_layer();
    switch (field.applies_to) {
        case AppliesTo::all:
            return true;
        case AppliesTo::whole_model:
            return !bare;
        case AppliesTo::bare_layer:
        case AppliesTo::drawn_layer:
        case AppliesTo::queries:
            return bare;
        case AppliesTo::norms_and_mlp:
            // In a decoder, the second layer of each block has the MLP.
            return !bare || model.layers.back().mlp_in.exists();
        case AppliesTo::order_of_norms:
            return bare && model.norms_may_follow;
        case AppliesTo::several_layers:
            return !bare || model.layers.size() > 1;
        case AppliesTo::several_parts:
            return model.encoders.size() > 1;
        case AppliesTo::attention_maps:
            return model.is_maps();
        case AppliesTo::signal:
            return false;
    }
    return false;
}

bool applies(const FieldInfo& field, const Trace& trace) {
    const AppliesTo to = field.applies_to;
    if (to == AppliesTo::signal) return trace.has(Tensor::curve);
    if (to == AppliesTo::queries && !trace.image) return false;
    if (trace.model) return applies(field, *trace.model);
    return to == AppliesTo::all || to == AppliesTo::bare_layer || to == AppliesTo::drawn_layer ||
           to == AppliesTo::queries;
}

}  // namespace headlight
