#include "lessons/equation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "program/values.h"
#include "state/command.h"

namespace headlight::lessons {

namespace {

struct Sign {
    std::string_view name, sign;
    bool has_limits = false;  // above and below it, instead of scripts
};
constexpr auto kLetters = std::to_array<Sign>({
    {"alpha", "α"},    {"beta", "β"},       {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"},
    {"zeta", "ζ"},     {"varepsilon", "ε"}, {"eta", "η"},   {"theta", "θ"},  {"iota", "ι"},
    {"kappa", "κ"},    {"lambda", "λ"},     {"mu", "μ"},    {"nu", "ν"},     {"xi", "ξ"},
    {"pi", "π"},       {"rho", "ρ"},        {"sigma", "σ"}, {"tau", "τ"},    {"upsilon", "υ"},
    {"phi", "φ"},      {"varphi", "φ"},     {"chi", "χ"},   {"psi", "ψ"},    {"omega", "ω"},
    {"Gamma", "Γ"},    {"Delta", "Δ"},      {"Theta", "Θ"}, {"Lambda", "Λ"}, {"Xi", "Ξ"},
    {"Pi", "Π"},       {"Sigma", "Σ"},      {"Phi", "Φ"},   {"Psi", "Ψ"},    {"Omega", "Ω"},
    {"sqrt", "√"},     {"top", "T"},        {"infty", "∞"}, {"nabla", "∇"},  {"partial", "∂"},
    {"dots", "…"},     {"ldots", "…"},      {"cdots", "⋯"}, {"prime", "′"},  {"emptyset", "∅"},
    {"forall", "∀"},   {"exists", "∃"},     {"neg", "¬"},   {"Vert", "‖"},   {"lVert", "‖"},
    {"Upsilon", "Υ"},  {"rVert", "‖"},      {"left", ""},   {"right", ""},   {"quad", "  "},
    {"qquad", "    "},
});
// Functions get a space before their argument: exp S, but exp(S).
constexpr auto kFunctions = std::to_array<Sign>({
    {"sum", "∑", true},
    {"prod", "∏", true},
    {"int", "∫"},
    {"exp", "exp"},
    {"log", "log"},
    {"ln", "ln"},
    {"sin", "sin"},
    {"cos", "cos"},
    {"tan", "tan"},
    {"sinh", "sinh"},
    {"cosh", "cosh"},
    {"tanh", "tanh"},
    {"max", "max", true},
    {"min", "min", true},
    {"argmax", "argmax", true},
    {"argmin", "argmin", true},
    {"softmax", "softmax"},
});
// Binary operators, with spaces on both sides.
constexpr auto kBetween = std::to_array<Sign>({
    {"cdot", "·"},   {"times", "×"},      {"div", "÷"},       {"pm", "±"},
    {"mp", "∓"},     {"ast", "∗"},        {"circ", "∘"},      {"odot", "⊙"},
    {"oplus", "⊕"},  {"otimes", "⊗"},     {"le", "≤"},        {"leq", "≤"},
    {"ge", "≥"},     {"geq", "≥"},        {"ll", "≪"},        {"gg", "≫"},
    {"lt", "<"},     {"gt", ">"},         {"ne", "≠"},        {"neq", "≠"},
    {"approx", "≈"}, {"equiv", "≡"},      {"sim", "∼"},       {"propto", "∝"},
    {"to", "→"},     {"rightarrow", "→"}, {"leftarrow", "←"}, {"leftrightarrow", "↔"},
    {"mapsto", "↦"}, {"Rightarrow", "⇒"}, {"in", "∈"},        {"notin", "∉"},
    {"cup", "∪"},    {"cap", "∩"},        {"subset", "⊂"},    {"land", "∧"},
    {"lor", "∨"},    {"mid", "|"},
});
// Commands whose braces contain plain words.
constexpr std::array<std::string_view, 5> kWords{"text", "mathrm", "mathbf", "mathit",
                                                 "operatorname"};

template <std::size_t N>
const Sign* find(const std::array<Sign, N>& signs, std::string_view name) {
    const auto found = std::ranges::find(signs, name, &Sign::name);
    return found == signs.end() ? nullptr : &*found;
}

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) > 127;
}
bool is_one_of(char c, std::string_view signs) { return signs.find(c) != signs.npos; }

constexpr int kDeepest = 8;

class Translation {
  public:
    explicit Translation(std::string_view text, int depth = 0) : rest_(text), depth_(depth) {}

    std::string all() {
        while (!rest_.empty()) next();
        if (open_) throw CommandError("an equation has an opening brace and no closing one.");
        trim();
        return std::move(out_);
    }

    // Up to the brace that closes what it is of; what follows that brace is left in `rest`. Nothing
    // where no brace does.
    std::optional<std::string> part(std::string_view& rest) {
        skip_blanks();
        while (open_ || !rest_.starts_with('}')) {
            if (rest_.empty()) return std::nullopt;
            next();
        }
        rest = rest_.substr(1);
        trim();
        return std::move(out_);
    }

  private:
    void next() {
        const char c = rest_.front();
        if (c == '\\') return sign();
        rest_.remove_prefix(1);
        out_ += c;
        if ((c == '_' || c == '^') && !rest_.empty() && rest_.front() != '{') return script();
        if (c == '{' && std::exchange(open_, true))
            throw CommandError("equations do not support braces within braces.");
        if (c == '}' && !std::exchange(open_, false))
            throw CommandError("an equation has a closing brace and no opening one.");
    }

    // Reads a script of one character (possibly several bytes) or one sign.
    void script() {
        if (open_) throw CommandError("equations do not support scripts within braces.");
        if (rest_.front() == '}')
            throw CommandError(std::string("an equation has nothing after ") + out_.back() + ".");
        out_ += '{';
        open_ = true;
        if (rest_.front() == '\\') {
            sign();
        } else {
            do out_ += take();
            while (!rest_.empty() && (static_cast<unsigned char>(rest_.front()) & 0xC0U) == 0x80U);
        }
        out_ += '}';
        open_ = false;
    }

    void sign() {
        rest_.remove_prefix(1);
        const auto end =
            std::ranges::find_if_not(rest_, [](unsigned char c) { return std::isalpha(c) != 0; });
        const std::string_view name =
            rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(name.size());
        if (name.empty()) return escaped();
        if (std::ranges::find(kWords, name) != kWords.end()) return words(name);
        if (name == "frac") return parts("\\frac", 2);
        if (name == "sqrt" && rest_.starts_with('{')) return parts("\\sqrt", 1);
        if (const Sign* letter = find(kLetters, name)) {
            out_ += letter->sign;
            // The space only ends the name; after a script it separates two factors.
            if (!open_ && rest_.starts_with(' ')) rest_.remove_prefix(1);
        } else if (const Sign* function = find(kFunctions, name)) {
            put_function(function->sign, function->has_limits);
        } else if (const Sign* between = find(kBetween, name)) {
            put_between(between->sign);
        } else {
            throw CommandError("equations do not support " + in_quotes("\\" + std::string(name)) +
                               ".");
        }
    }

    // The arguments of a fraction or a root, in braces, each an equation of its own.
    void parts(std::string_view name, int count) {
        if (open_)
            throw CommandError("equations do not support " + std::string(name) + " in scripts.");
        if (depth_ == kDeepest)
            throw CommandError("equations have at most " + std::to_string(kDeepest) +
                               " nested fractions and roots.");
        out_ += name;
        for (int i = 0; i < count; ++i) {
            skip_blanks();
            const auto inside = rest_.starts_with('{')
                                    ? Translation(rest_.substr(1), depth_ + 1).part(rest_)
                                    : std::nullopt;
            if (!inside)
                throw CommandError("expected braces after " + std::string(name) +
                                   ", as in \\frac{a}{b} and \\sqrt{d}.");
            out_ += '{' + *inside + '}';
        }
    }

    // Reads "\," and other spaces; "\_" and other signs.
    void escaped() {
        if (rest_.empty()) throw CommandError("an equation ends with a backslash.");
        const char c = take();
        if (is_one_of(c, "{}\\")) throw CommandError("equations cannot contain \\\\, \\{ or \\}.");
        if (c == '|')
            out_ += "‖";
        else if (is_one_of(c, ",;: "))
            out_ += ' ';
        else if (c != '!')
            out_ += c;
    }

    void words(std::string_view name) {
        const std::size_t close = rest_.find('}');
        if (!rest_.starts_with('{') || close == rest_.npos)
            throw CommandError("expected words in braces after \\" + std::string(name) + ".");
        const std::string_view inside = rest_.substr(1, close - 1);
        if (is_one_of('{', inside) || is_one_of('\\', inside))
            throw CommandError("expected only words in the braces after \\" + std::string(name) +
                               ".");
        rest_.remove_prefix(close + 1);
        if (name == "operatorname")
            put_function(inside);
        else
            out_ += inside;
    }

    void put_function(std::string_view sign, bool has_limits = false) {
        if (open_) {  // in a script all stands as close as it was written
            out_ += sign;
            return;
        }
        if (!out_.empty() && (is_letter(out_.back()) || is_one_of(out_.back(), ")}]"))) out_ += ' ';
        skip_blanks();
        if (has_limits && !rest_.empty() && is_one_of(rest_.front(), "_^")) {
            out_ += "\\limits{" + std::string(sign) + '}';
            return;
        }
        out_ += sign;
        if (!rest_.empty() && !is_one_of(rest_.front(), "([{)]}_^,;.:!|") &&
            !rest_.starts_with("\\left") && !rest_.starts_with("\\right"))
            out_ += ' ';
    }

    void put_between(std::string_view sign) {
        if (open_) {
            trim();
            out_ += sign;
            return skip_blanks();
        }
        const bool apart = out_.ends_with(' ');
        trim();
        const bool alone = out_.empty() || is_one_of(out_.back(), "([,;=<>");  // as in = ±1
        if (apart || !alone) out_ += ' ';
        out_ += sign;
        skip_blanks();
        if (!alone) out_ += ' ';
    }

    char take() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    void skip_blanks() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    void trim() {
        while (out_.ends_with(' ')) out_.pop_back();
    }

    std::string_view rest_;
    std::string out_;
    int depth_ = 0;      // nesting depth of fractions and roots
    bool open_ = false;  // a brace
};

}  // namespace

std::string equation_of(std::string_view text) { return Translation(text).all(); }

}  // namespace headlight::lessons
