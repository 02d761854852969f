#include "state/token_commands.h"

#include <algorithm>
#include <array>
#include <utility>

#include "program/fields.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "state/command.h"

namespace headlight {

namespace {

float coordinate(const std::string& what, const std::string& text) {
    return static_cast<float>(parse_number(what, text, -kMostCoordinate, kMostCoordinate));
}

// "king=1.5,0.8": the word is before the last "=".
NamedVector parse_vector(const std::string& text) {
    NamedVector vector;
    const std::size_t sign = text.rfind('=');
    std::size_t from = 0;
    if (sign != std::string::npos) {
        vector.word = text.substr(0, sign);
        from = sign + 1;
    }
    while (from <= text.size()) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        vector.at.push_back(coordinate("vectors", text.substr(from, comma - from)));
        from = comma + 1;
    }
    return vector;
}

std::vector<float> place_of(const std::string& verb, std::span<const std::string> texts) {
    std::vector<float> at;
    for (const std::string& text : texts) at.push_back(coordinate(verb, text));
    return at;
}

std::size_t number_of(const std::string& verb, const VectorSet& set, const std::string& text) {
    return static_cast<std::size_t>(
        parse_ordinal(verb, text, static_cast<int>(set.vectors.size()), "vectors"));
}

}  // namespace

// ---- whole sources

void TokenCommands::give(TokenSource tokens) {
    const Recipe before = state_.recipe;
    state_.recipe = with_tokens(before, std::move(tokens));
    if (gives_tokens(before.tokens)) return;
    state_.on_picture = before;
    const auto* signal = std::get_if<Signal>(&state_.recipe.tokens);
    const int looked_at = signal != nullptr ? signal->tokens() / 2 : 0;
    state_.selection = {};  // it belonged to a picture
    state_.selection.step = Step::given;
    state_.selection.token = looked_at;
}

void TokenCommands::give_checked(const VectorSet& set) {
    try {
        validate(set);
    } catch (const TokenError& error) {
        throw CommandError(error.what());
    }
    give(set);
}

void TokenCommands::vectors(Texts which) {
    if (which.size() == 1)
        if (const VectorPreset* preset = find_preset(which.front())) return give(preset->set);
    VectorSet set;
    for (const std::string& text : which) set.vectors.push_back(parse_vector(text));
    give_checked(set);
}

void TokenCommands::signal(Text curve) {
    const Signal* present = std::get_if<Signal>(&state_.recipe.tokens);
    Recipe recipe;
    recipe.tokens = present ? *present : Signal{};
    find_field(recipe_fields(), "curve")->set(recipe, curve);
    give(std::move(recipe.tokens));
}

void TokenCommands::picture() {
    if (!gives_tokens(state_.recipe.tokens))
        throw CommandError("picture: a picture is shown already.");
    if (!state_.on_picture)
        throw CommandError(
            "There is no earlier picture to go back to. Open one, or draw a scene (S).");
    leave_tokens(state_, picture_again(state_));
}

// ---- vectors

VectorSet TokenCommands::present(Text verb) const {
    const VectorSet* set = std::get_if<VectorSet>(&state_.recipe.tokens);
    if (!set) throw CommandError(verb + ": there are no vectors to change. Use vectors first.");
    return *set;
}

void TokenCommands::set_vector(Texts number_and_place) {
    VectorSet set = present("set-vector");
    NamedVector& vector = set.vectors[number_of("set-vector", set, number_and_place.front())];
    vector.at = place_of("set-vector", std::span(number_and_place).subspan(1));
    give_checked(set);
}

void TokenCommands::name_vector(Text which, Text word) {
    VectorSet set = present("name-vector");
    set.vectors[number_of("name-vector", set, which)].word = word;
    give_checked(set);
}

void TokenCommands::add_vector(Texts place) {
    VectorSet set = present("add-vector");
    set.vectors.push_back({"", place_of("add-vector", place)});
    give_checked(set);
}

void TokenCommands::delete_vector(Text which) {
    VectorSet set = present("delete-vector");
    set.vectors.erase(set.vectors.begin() +
                      static_cast<std::ptrdiff_t>(number_of("delete-vector", set, which)));
    give_checked(set);
}

// ---- tokens of a file

TokenFile TokenCommands::present_file(Text verb) const {
    const TokenFile* file = std::get_if<TokenFile>(&state_.recipe.tokens);
    if (!file) throw CommandError(verb + ": there are no tokens from a file. Open one first.");
    return *file;
}

void TokenCommands::give_checked(const TokenFile& tokens) {
    try {
        validate(tokens);
    } catch (const TokenError& error) {
        throw CommandError(error.what());
    }
    give(tokens);
}

void TokenCommands::sample(Text which) {
    TokenFile tokens = present_file("sample");
    const int last = static_cast<int>(tokens.array().samples) - 1;
    if (which == "next")
        tokens.sample = std::min(tokens.sample + 1, last);
    else if (which == "previous")
        tokens.sample = std::max(tokens.sample - 1, 0);
    else
        tokens.sample = parse_ordinal("sample", which, last + 1, "samples");
    give(std::move(tokens));
}

void TokenCommands::array(Text as) {
    constexpr std::array<std::string_view, 2> words{"map", "batch"};
    TokenFile tokens = present_file("array");
    const bool batch = parse_name("array", as, words) == 1;
    if (tokens.named || tokens.shape.size() != 3)
        throw CommandError("array: expected one unnamed array with three dimensions, found " +
                           shape_text(tokens.shape) + ".");
    tokens.batch = batch;
    tokens.sample = 0;
    give_checked(tokens);
}

// ---- a signal

void TokenCommands::draw_signal(Texts line) {
    constexpr const char* verb = "draw-signal";
    const Signal* present = std::get_if<Signal>(&state_.recipe.tokens);
    if (!present) throw CommandError("draw-signal: there is no signal. Use signal first.");
    if (line.size() == 3) refuse_value(verb, "two samples, each with a level", line[2]);
    const int last = present->length() - 1;
    const auto sample = [&](std::size_t i) { return parse_integer(verb, line[i], 0, last); };
    const auto level = [&](std::size_t i) {
        return static_cast<float>(parse_number(verb, line[i], -kMostLevel, kMostLevel));
    };
    int from = sample(0), to = line.size() > 2 ? sample(2) : from;
    float low = level(1), high = line.size() > 2 ? level(3) : low;
    if (from > to) std::swap(from, to), std::swap(low, high);
    Signal signal = *present;
    if (signal.curve != Curve::drawn) {
        const Matrix clean = clean_curve(signal);
        signal.drawn.assign(clean.data(), clean.data() + clean.size());
        signal.curve = Curve::drawn;
    }
    for (int i = from; i <= to; ++i) {
        const float part =
            to > from ? static_cast<float>(i - from) / static_cast<float>(to - from) : 0;
        signal.drawn[static_cast<std::size_t>(i)] = low + (high - low) * part;
    }
    give(std::move(signal));
}

}  // namespace headlight
