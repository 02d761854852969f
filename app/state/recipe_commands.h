#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/field.h"
#include "state/computation.h"
#include "state/state.h"

namespace headlight {

// The recipe's model if it was loaded for the current result; otherwise null.
const Model* known_model(const Outcome& now, const Recipe& recipe);

// The commands that change the experiment, or a field of Look, without a file. Every function
// checks all its arguments before it changes anything, and throws CommandError.
class RecipeCommands {
  public:
    RecipeCommands(State& state, const Outcome& now) : state_(state), now_(now) {}

    void set(const std::string& field, const std::string& value);
    void reset(const std::string& field);
    // Arguments: rows, columns and optionally the patch size. Frames the picture so that it is cut
    // into this grid.
    void patch_grid(const std::vector<std::string>& args);
    void defaults();
    // Shows only some heads: "least" or "most", the measure, and the bound.
    void filter_heads(const std::string& which, const std::string& by, const std::string& bound);
    // The class for importance, contributions and patching: its name or number; "" for the
    // predicted class.
    void heads_class(const std::string& which);
    void layer(const std::string& which);
    void sample(const std::string& which);  // of attention maps: a number from 1, next or previous
    void switch_head(const std::string& layer, const std::string& head);
    void switch_heads_on();
    // "blocked" or "free"; rows and keys as "3" or "3-9", in the current result.
    void mask_cells(const std::string& what, const std::string& rows, const std::string& keys);
    void mask_keys(const std::string& what, const std::string& keys);

  private:
    void change(const std::function<void(State&)>& how);
    void expect_effect(const std::string& name, const FieldInfo& field) const;

    State& state_;
    const Outcome& now_;
};

// The trace; throws CommandError if there is none.
const Trace& computed(const Trace* trace);

}  // namespace headlight
