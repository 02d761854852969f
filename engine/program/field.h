#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

// A field is one setting with a name and a text form. Controls, commands, sessions, options and
// help are all driven by tables of fields.
namespace headlight {

enum class FieldKind {
    integer,
    number,
    optional_number,  // or the word for none
    toggle,           // "true" or "false"; also accepts "on" and "off"
    choice,
    numbers,  // three, one per channel
    text,
    file,
    folder,
    rules,      // several mask rules: "causal + local 2", or the word for none
    structure,  // compound value; sessions write it in a form of its own
};

// Whether the value is a path.
constexpr bool is_path(FieldKind kind) {
    return kind == FieldKind::file || kind == FieldKind::folder;
}

// Fields of the last two groups have no control in a list. Column widths are set at the columns, a
// picture is opened, a head is switched off in its matrix, and a layer is selected in the walk.
// `look` and `columns` do not change any result.
enum class FieldGroup {
    signal,
    image,
    patches,
    layer,
    model,
    scores,
    mask,
    positions,
    rollout,
    look,
    columns,
    elsewhere
};

// What the command line may provide instead of computing it, from the last stage to the first. A
// field has no effect on provided data: it only applies if its scope, or a later one, is the start.
enum class Scope {
    layer,    // tokens are provided
    patches,  // pixels are provided
    image,    // an image is provided
};

// The models that a field applies to.
enum class AppliesTo {
    all,
    whole_model,
    bare_layer,
    drawn_layer,     // bare layers drawn from the seed, without a file
    queries,         // bare layers on a picture, not on given tokens
    norms_and_mlp,   // whole models, and bare layers with norms and an MLP
    order_of_norms,  // bare layers whose norms may be before or after
    several_layers,  // whole models, and several bare layers
    several_parts,   // files with several encoders
    attention_maps,  // attention maps without a model
    signal,          // windows of a curve
};

// Values and their labels on screen.
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

struct FieldInfo {
    std::string_view name;   // in commands and sessions: "temperature"
    std::string_view label;  // on screen: "Temperature"
    std::string_view help;   // one sentence
    FieldGroup group;
    FieldKind kind;
    // Limits for user input, inclusive, for numbers. The engine may accept more.
    double low = 0, high = 0;
    bool nonzero = false;
    bool one_based = false;  // shown counted from 1; sessions store it from 0
    // Range of the slider: the useful values; equal: no slider.
    double slide_low = 0, slide_high = 0;
    bool logarithmic = false;
    // The word for "not set", such as "model", which then decides; empty: the field is always set.
    std::string_view unset;
    std::vector<std::string_view> choices;  // including that word, which comes last
    Labels labels;                          // of values with another name on screen
    std::string_view brief;                 // a shorter label; empty: none
    AppliesTo applies_to = AppliesTo::all;
    // If set: the values that can be chosen for this trace, and additional help for it.
    std::function<std::vector<std::string_view>(const Trace&)> options;
    std::function<std::string(const Trace&)> help_here;
    // If set, and `unset` is "model": the model's value.
    std::function<std::string(const Trace&)> of_model;
    // If set: the slider shows multiples of this number.
    std::function<int(const Trace&)> unit;
    std::vector<std::string_view> parts;  // names of later fields that this field sets together

    // Its key in `--attention`; empty: not available there. After a point comes a member of the
    // object under the key, as in {"positions": {"kind": ..., "base": 100}}.
    std::string_view option;
    Scope scope = Scope::layer;

    [[nodiscard]] std::string_view brief_label() const { return brief.empty() ? label : brief; }
};

// Throws ValueError, saying what was expected and what was found, unless the text is a value within
// the field's limits. Texts, files and structures are checked by the field itself.
void check_limits(const FieldInfo& field, const std::string& text);

// True if the field can change anything for this model, or for this trace's model. `shown` tells
// whether it does under the other settings.
bool applies(const FieldInfo& field, const Model& model);
bool applies(const FieldInfo& field, const Trace& trace);

template <class Subject>
struct FieldOf : FieldInfo {
    std::function<std::string(const Subject&)> get;
    // Accepts any value of its kind, even beyond the limits. Throws ValueError for anything else.
    std::function<void(Subject&, const std::string&)> put;
    // If set: the nearest value that is compatible with the other fields, for a slider.
    std::function<double(const Subject&, double)> snap;
    // If set: whether the field has an effect under the subject's other settings. Only called if
    // the field applies.
    std::function<bool(const Subject&, const Trace&)> shown;

    [[nodiscard]] bool is_shown(const Subject& subject, const Trace& trace) const {
        return !shown || shown(subject, trace);
    }

    // Throws ValueError, saying what was expected and what was found, unless the text is a value
    // within the field's limits. The subject is unchanged then.
    void set(Subject& subject, const std::string& text) const {
        check_limits(*this, text);
        put(subject, text);
    }
};

template <class Subject>
const FieldOf<Subject>* find_field(const std::vector<FieldOf<Subject>>& table,
                                   std::string_view name) {
    for (const auto& field : table)
        if (field.name == name) return &field;
    return nullptr;
}

}  // namespace headlight
