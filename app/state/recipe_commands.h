#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/field.h"
#include "state/computation.h"
#include "state/state.h"

namespace headlight {

// The recipe's model, where it has been read for the result in view; otherwise null.
const Model* known_model(const Outcome& now, const Recipe& recipe);

// What the commands do that change the experiment, or a field of the look, without a file. Every
// function checks its arguments first and changes something only when all of them are good; throws
// CommandError.
class RecipeCommands {
  public:
    RecipeCommands(State& state, const Outcome& now) : state_(state), now_(now) {}

    void set(const std::string& field, const std::string& value);
    void reset(const std::string& field);
    // Rows, columns and, where it is chosen, the size of a patch: frames the picture so that so
    // many are cut from it.
    void patch_grid(const std::vector<std::string>& args);
    void defaults();
    // Which heads are shown: "least" or "most", of which order's number, and the bound.
    void filter_heads(const std::string& which, const std::string& by, const std::string& bound);
    // Of which class importance, contributions and patching are: its name or number; "": of the
    // model's answer.
    void heads_class(const std::string& which);
    void layer(const std::string& which);
    void sample(const std::string& which);  // of attention maps: counted from 1, next or previous
    void switch_head(const std::string& layer, const std::string& head);
    void switch_heads_on();
    // "blocked" or "free"; rows and keys as "3" or "3-9", of the result that is there.
    void mask_cells(const std::string& what, const std::string& rows, const std::string& keys);
    void mask_keys(const std::string& what, const std::string& keys);

  private:
    void change(const std::function<void(State&)>& how);
    void expect_effect(const std::string& name, const FieldInfo& field) const;

    State& state_;
    const Outcome& now_;
};

// The trace, or the refusal of what needs one.
const Trace& computed(const Trace* trace);

}  // namespace headlight
