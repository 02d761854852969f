#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scene/scene.h"
#include "state/scene_edit.h"
#include "state/state.h"

namespace headlight {

struct Trace;

// The commands that edit scenes. Every function checks all its arguments before it changes
// anything, and throws CommandError. Shapes are counted from 1.
class SceneCommands {
  public:
    // `trace`: the current one, whose tokens the selection names; null before the first.
    SceneCommands(State& state, const Trace* trace) : state_(state), trace_(trace) {}

    using Text = const std::string&;
    void draw(Text number);  // "random", or the number of a random scene
    void look_at(ShapeScene scene);
    void move(Text which, Text x, Text y);
    void resize(Text which, Text radius);
    void turn(Text which, Text degrees);
    void color(Text which, Text color);
    void kind(Text which, Text kind);
    void add(Text kind, Text x, Text y);
    void erase(Text which);
    void twin(Text which);
    void untwin(Text which);
    void choose(Text which);

    // Selects a patch of one of the twins, which attends to the other.
    void focus_on_twins();

  private:
    [[nodiscard]] std::optional<int> token_at(ScenePoint place) const;
    void follow(const Shape& before, const Shape& after);
    ShapeScene& scene();  // throws CommandError if there is none
    std::size_t parse_shape(std::string_view verb, Text text);

    State& state_;
    const Trace* trace_;
};

}  // namespace headlight
