#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "state/state.h"
#include "trace/trace.h"

namespace headlight {

inline constexpr int kMostHeads = 64;  // of a bare layer, that a person can ask for

enum class FieldKind { integer, number, toggle, choice, text };
// Fields of the last two groups have no control in a list: the columns' widths are set where they
// show, and the layer of a model is walked to. `look` and `columns` change no number.
enum class FieldGroup { image, patches, layer, model, experiment, rollout, look, columns, walk };

// One thing that can be set. Controls are drawn, commands checked, sessions written and help listed
// from this table, in this order: image_size stands before image_height and image_width, which it
// sets both, and patch_size before stride, which follows it while patches touch.
//
// The text of a toggle is "true" or "false" ("on" and "off" are understood as well).
struct Field {
    std::string_view name;   // in commands and sessions: "temperature"
    std::string_view label;  // on screen: "Temperature"
    std::string_view help;   // one sentence
    FieldGroup group;
    FieldKind kind;
    double low = 0, high = 0;  // of integer and number, inclusive
    // Of a slider: what people want, narrower than what is allowed; equal: no slider is of use.
    double slide_low = 0, slide_high = 0;
    bool logarithmic = false;
    // Where given: the nearest value that goes together with the other fields, for a slider.
    std::function<double(const State&, double)> snap;
    std::vector<std::string_view> choices;
    // Given where the field can be left to the model, with the word "model": what that comes to.
    std::function<std::string(const Trace&)> of_model;
    bool of_bare_layer = true, of_whole_model = true;  // whom the field means something to
    std::function<std::string(const State&)> get;
    // Throws CommandError when the text is not a value of this field: what was expected, what was
    // found.
    std::function<void(State&, const std::string&)> set;
};

const std::vector<Field>& all_fields();
const Field* find_field(std::string_view name);  // null: no such field

// Whether the field changes anything for the model of this trace.
bool applies(const Field& field, const Trace& trace);

}  // namespace headlight
