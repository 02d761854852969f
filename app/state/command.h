#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headlight {

class CommandError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The one way to change anything: what menus, keys, the mouse, scripts and tests say.
// As text: the verb and its arguments, separated by blanks; double quotes keep blanks together,
// a backslash keeps a quote or backslash inside them. "#" at the start of a word starts a comment.
//
//   open PATH                show another image, a scene, or a model
//   open-model PATH          a checkpoint, or a folder with one; as it was made
//   close-model              one layer drawn from the seed instead
//   open PATH.json           a scene; the same as
//   open-scene PATH
//   scene N                  random scene number N, below 2^64
//   scene random             one that was never shown, and that no model was trained on
//   save-scene PATH          .json or .png; `json` or `png` alone: under a new name
//   shape I                  choose a shape of the scene, counted from 1 in drawing order
//   shape-move I X Y         its centre, in units of the frame, which is 80 × 80 of them
//   shape-resize I RADIUS    3 to 40 units
//   shape-turn I DEGREES     clockwise, -360 to 360
//   shape-colour I RRGGBB    as in the web
//   shape-kind I KIND        disc, square, triangle, ring, cross or star
//   shape-add KIND X Y       on top of the others, in a colour of its own
//   shape-delete I
//   twin I                   another shape gets its kind, or a new one has it
//   untwin I                 it gets a kind that no other shape has
//   switch-head LAYER HEAD   off, or on again; both counted from 1
//   switch-heads-on          all of them
//   layer N                  or next, previous: look at another layer, counted from 1
//   set FIELD VALUE          one row of fields.h, e.g. set temperature 0.5
//   reset FIELD              back to its default
//   step NAME                or next, previous, first, last
//   stop next|previous       a stop is a step, or a part of one (softmax has three)
//   head N                   or next, previous: choose and pin a head, counted from 1
//   head-click N             what a click does: choose and pin; release when it is the pinned one
//   solo N                   show only this head; again: all
//   focus TOKEN              pin a token (row), counted from 0
//   cell ROW COL             pin a cell of the present step's result
//   release                  let go of the chosen shape, then of the pinned cell, then of the token
//   undo, redo
//   pin-a, unpin-a           keep the present result for comparison
//   compare now|a|difference
//   play, pause, toggle-play
//   scrub POSITION           0..12: the step, and how far it has got
//   show files|model|help|about|nothing    panels over the walk
//   cancel                   stop the computation
struct Command {
    std::string verb;
    std::vector<std::string> args;

    friend bool operator==(const Command&, const Command&) = default;
};

// Throws CommandError: an open quote. An empty line or comment gives an empty verb.
Command parse_command(std::string_view line);
std::string to_text(const Command& command);

template <class... Args>
Command command(std::string verb, Args&&... args) {
    return {std::move(verb), {std::string(std::forward<Args>(args))...}};
}

}  // namespace headlight
