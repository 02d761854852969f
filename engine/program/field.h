#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

// What a field of a table is: one thing that can be set, by its name and as text. Controls are
// drawn, commands checked, sessions written, options read and help listed from such tables.
namespace headlight {

enum class FieldKind {
    integer,
    number,
    optional_number,  // or the word for none
    toggle,           // "true" or "false"; "on" and "off" are understood as well
    choice,
    numbers,  // three, one per channel
    text,
    file,
    rules,      // several of them: "causal + local 2", or the word for none
    structure,  // of parts; sessions write it in a form of its own
};

// Fields of the last two groups have no control in a list: the columns' widths are set where they
// show; a picture is opened, a head switched off in its matrix, and the layer of a model walked to.
// `look` and `columns` change no number.
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

// What the command line may give instead of a picture, from the last to the first. What is given is
// nobody's to decide: a field has a say where its scope, or one after it, begins.
enum class Scope {
    layer,    // tokens are given
    patches,  // pixels are given
    image,    // an image is given
};

// Which models a field applies to.
enum class AppliesTo {
    all,
    whole_model,
    bare_layer,
    drawn_layer,     // only while no file decides it
    queries,         // a bare layer that looks at a picture, not at given tokens
    norms_and_mlp,   // whole models, and bare layers that have them
    order_of_norms,  // bare layers whose norms may stand before or after
    several_layers,  // whole models, and bare layers of which there are several
    several_parts,   // files with several encoders
    attention_maps,  // that come without a model
    signal,          // windows of a curve
};

// A value and its label on screen.
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

struct FieldInfo {
    std::string_view name;   // in commands and sessions: "temperature"
    std::string_view label;  // on screen: "Temperature"
    std::string_view help;   // one sentence
    FieldGroup group;
    FieldKind kind;
    // Of numbers, inclusive: what a person may ask for. The engine itself may take more.
    double low = 0, high = 0;
    bool nonzero = false;
    bool one_based = false;  // counts from 1, as people do; sessions store it from 0, as arrays do
    // Of a slider: what people want, narrower than what is allowed; equal: no slider is of use.
    double slide_low = 0, slide_high = 0;
    bool logarithmic = false;
    // The word by which nothing is set: "model", which decides then; empty: something always is.
    std::string_view unset;
    std::vector<std::string_view> choices;  // with that word, which comes last
    Labels labels;                          // of values that people call otherwise
    std::string_view brief;                 // a shorter label; empty: there is none
    AppliesTo applies_to = AppliesTo::all;
    // Where given: which values can be chosen here, and what the help says here beside.
    std::function<std::vector<std::string_view>(const Trace&)> options;
    std::function<std::string(const Trace&)> help_here;
    // Given where `unset` is "model": what that comes to.
    std::function<std::string(const Trace&)> of_model;
    // Where given: a slider says multiples of it.
    std::function<int(const Trace&)> unit;
    std::vector<std::string_view> parts;  // names of the fields after it that it sets all at once

    // Its key in `--attention`; empty: it cannot be said there. After a point: a member of what
    // stands under the key, as in {"positions": {"kind": ..., "base": 100}}.
    std::string_view option;
    Scope scope = Scope::layer;

    [[nodiscard]] std::string_view brief_label() const { return brief.empty() ? label : brief; }
};

// Throws ValueError when the text is not a value within the field's limits: what was expected, what
// was found. Texts, files and structures are left to the field.
void check_limits(const FieldInfo& field, const std::string& text);

// Whether the field changes anything for the model, or for that of this trace, beside other choices
// (`shown`).
bool applies(const FieldInfo& field, const Model& model);
bool applies(const FieldInfo& field, const Trace& trace);

template <class Subject>
struct FieldOf : FieldInfo {
    std::function<std::string(const Subject&)> get;
    // Takes any value of its kind, also beyond the limits. Throws ValueError when it is none.
    std::function<void(Subject&, const std::string&)> put;
    // Where given: the nearest value that goes together with the other fields, for a slider.
    std::function<double(const Subject&, double)> snap;
    // Where given: whether the field has an effect beside the subject's other choices. Only asked
    // where the field applies.
    std::function<bool(const Subject&, const Trace&)> shown;

    [[nodiscard]] bool is_shown(const Subject& subject, const Trace& trace) const {
        return !shown || shown(subject, trace);
    }

    // Throws ValueError when the text is not a value of this field within its limits: what was
    // expected, what was found. Then nothing has changed.
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
