#include "lessons/equation.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "program/values.h"
#include "state/command.h"

namespace headlight::lessons {

namespace {

struct Sign {
    std::string_view name, sign;
};
constexpr auto kSigns = std::to_array<Sign>({
    {"sum", "Σ"},    {"sqrt", "√"},    {"cdot", "·"},
    {"times", "×"},  {"top", "T"},     {"infty", "∞"},
    {"le", "≤"},     {"ge", "≥"},      {"ne", "≠"},
    {"approx", "≈"}, {"to", "→"},      {"in", "∈"},
    {"pm", "±"},     {"dots", "…"},    {"exp", "exp"},
    {"log", "log"},  {"sin", "sin"},   {"cos", "cos"},
    {"max", "max"},  {"min", "min"},   {"softmax", "softmax"},
    {"alpha", "α"},  {"beta", "β"},    {"gamma", "γ"},
    {"delta", "δ"},  {"epsilon", "ε"}, {"theta", "θ"},
    {"lambda", "λ"}, {"mu", "μ"},      {"pi", "π"},
    {"sigma", "σ"},  {"tau", "τ"},     {"phi", "φ"},
    {"omega", "ω"},  {"Delta", "Δ"},   {"Sigma", "Σ"},
});

// The name after a backslash at `at`, which is moved behind it.
std::string sign_at(std::string_view text, std::size_t& at) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const auto end =
        std::find_if_not(begin, text.end(), [](unsigned char c) { return std::isalpha(c); });
    const std::string_view name(begin, end);
    at += 1 + name.size();
    if (name.empty() && at < text.size()) return std::string(1, text[at++]);  // \{ and the like
    const auto found = std::ranges::find(kSigns, name, &Sign::name);
    if (found == kSigns.end())
        throw CommandError("an equation knows no " + in_quotes("\\" + std::string(name)) + ".");
    if (at < text.size() && text[at] == ' ') ++at;  // it only ends the name
    return std::string(found->sign);
}

}  // namespace

std::string equation_of(std::string_view text) {
    std::string out;
    int open = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\\') {
            out += sign_at(text, at);
            continue;
        }
        const bool script = (c == '_' || c == '^') && at + 1 < text.size() && text[at + 1] != '{';
        out += c;
        ++at;
        if (script) {
            // The whole letter, of however many bytes.
            out += '{';
            if (text[at] == '\\') {
                out += sign_at(text, at);
            } else {
                do out += text[at++];
                while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
            }
            out += '}';
        }
        if (c == '{' && ++open > 1) throw CommandError("an equation has no braces within braces.");
        if (c == '}' && --open < 0)
            throw CommandError("an equation closes a brace that is not open.");
    }
    if (open != 0) throw CommandError("an equation opens a brace and does not close it.");
    return out;
}

}  // namespace headlight::lessons
