#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/playback.h"
#include "state/state.h"

namespace headlight {

struct Trace;

// What the commands do that lead the eye: to a step, a head, a token, a cell. Every function checks
// its arguments first and changes something only when all of them are good; throws CommandError.
class WalkCommands {
  public:
    // `trace`: the one in view; null before the first.
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
    void next_query();  // becomes the first, and that the last
    void cell(const std::string& row, const std::string& col);
    // Where no cells are shown, none is let go of before its token.
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
