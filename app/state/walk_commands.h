#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/playback.h"
#include "state/state.h"

namespace headlight {

struct Trace;

// The commands that select a step, a head, a token or a cell. Every function checks all its
// arguments before it changes anything, and throws CommandError.
class WalkCommands {
  public:
    // `trace`: the current one; null before the first.
    WalkCommands(Selection& selection, Playback& playback, const Trace* trace)
        : selection_(selection), playback_(playback), trace_(trace) {}

    void step(const std::string& where);
    void stop(const std::string& where);
    void scrub(const std::string& position);
    void head(const std::string& which);
    void head_click(const std::string& which);
    void solo(const std::string& which);
    void focus_key(const std::string& key);
    void focus(const std::string& token);
    void query(const std::string& token);
    void queries(const std::vector<std::string>& tokens);
    void next_query();  // rotates the queries: the second becomes the first
    void cell(const std::string& row, const std::string& col);
    // Deselects the cell, then its token; without visible cells, both at once.
    void release(bool shows_cells = true);

  private:
    [[nodiscard]] int parse_query(std::string_view verb, const std::string& text) const;
    [[nodiscard]] int head_count() const;
    [[nodiscard]] int parse_head(std::string_view verb, const std::string& text) const;

    Selection& selection_;
    Playback& playback_;
    const Trace* trace_;
};

}  // namespace headlight
