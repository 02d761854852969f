#pragma once

#include <string>
#include <vector>

#include "state/state.h"

namespace headlight {

// The commands for given tokens. Every function checks all its arguments before it changes
// anything, and throws CommandError. Vectors are counted from 1.
class TokenCommands {
  public:
    explicit TokenCommands(State& state) : state_(state) {}

    using Text = const std::string&;
    using Texts = const std::vector<std::string>&;
    void vectors(Texts which);  // the name of a set, or one text per vector
    void set_vector(Texts number_and_place);
    void name_vector(Text which, Text word);
    void add_vector(Texts place);
    void delete_vector(Text which);
    void signal(Text curve);
    void draw_signal(Texts line);
    void picture();
    void file(const TokenFile& tokens) { give(tokens); }
    void sample(Text which);  // a number from 1, next or previous
    void array(Text as);      // map or batch

  private:
    VectorSet present(Text verb) const;  // throws CommandError if there is none
    TokenFile present_file(Text verb) const;
    void give_checked(const TokenFile& tokens);
    void give(TokenSource tokens);
    void give_checked(const VectorSet& set);

    State& state_;
};

}  // namespace headlight
