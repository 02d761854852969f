#include "program/formula.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace headlight {

namespace {

// How tightly an expression's outermost operation binds.
enum class Binding { sum, quotient, product, atom };

struct Expression {
    std::vector<FormulaPart> parts;
    Binding binding = Binding::atom;
};

using Nodes = std::vector<Node>;

// Steps whose equations are substituted for their results.
bool is_substituted(Op op) {
    switch (op) {
        case Op::unit:
        case Op::linear_heads:
        case Op::learned_keys:
        case Op::multiply:
        case Op::additive:
        case Op::scale:
        case Op::relative:
        case Op::mask:
        case Op::softmax:
        case Op::largest:
        case Op::share:
        case Op::dropout:
        case Op::turn:
        case Op::mix:
            return true;
        default:
            return false;
    }
}

// Steps that compute the letters of the formula: queries, keys, values and their features.
bool prepares_letters(Op op) {
    switch (op) {
        case Op::project:
        case Op::linear:
        case Op::activate:
        case Op::cut:
        case Op::norm_heads:
        case Op::rotate:
        case Op::features:
            return true;
        default:
            return false;
    }
}

bool makes(const Node& node, Tensor tensor) {
    return std::ranges::find(node.results, tensor) != node.results.end();
}

// The step before `reader` that computes the tensor; null: an input or a weight.
const Node* maker_of(const Nodes& nodes, const Node& reader, Tensor tensor) {
    const auto end = std::ranges::find(nodes, reader.id, &Node::id);
    for (auto at = end; at != nodes.begin();)
        if (--at; at->place == reader.place && makes(*at, tensor)) return &*at;
    return nullptr;
}

// The operand that a result comes from, where a step treats queries and keys separately.
Tensor source_of(const Node& node, Tensor result) {
    const auto at =
        static_cast<std::size_t>(std::ranges::find(node.results, result) - node.results.begin());
    const bool both = node.operands.size() > 1 && node.op != Op::linear && node.op != Op::project;
    return node.operands[both ? std::min<std::size_t>(at, 1) : 0];
}

// Whether the present step is on the way to this letter.
bool leads_to(const Nodes& nodes, Step present, const Node& reader, Tensor letter) {
    const Node* maker = maker_of(nodes, reader, letter);
    if (maker == nullptr || !prepares_letters(maker->op)) return false;
    return maker->id == present || leads_to(nodes, present, *maker, source_of(*maker, letter));
}

std::optional<Tensor> tensor_called(std::string_view name) {
    const auto found = std::ranges::find(all_tensors(), name, &TensorInfo::name);
    return found == all_tensors().end() ? std::nullopt : std::optional(found->id);
}

// A symbol of an equation, "{key:K}^{T}", or the text between two symbols.
struct Piece {
    std::string text;     // of a symbol, with its subscripts
    std::string scripts;  // superscripts after the symbol
    std::optional<Tensor> tensor{};
};

std::string without_head(std::string text) {
    constexpr std::string_view kHead = "_{#}";
    for (auto at = text.find(kHead); at != std::string::npos; at = text.find(kHead, at))
        text.erase(at, kHead.size());
    return text;
}

std::vector<Piece> pieces_of(std::string_view text) {
    std::vector<Piece> pieces;
    const auto braced = [&] {
        const std::size_t end = std::min(text.find('}'), text.size() - 1) + 1;
        const std::string taken(text.substr(0, end));
        text.remove_prefix(end);
        return taken;
    };
    while (!text.empty()) {
        if (text.front() != '{') {
            std::size_t end = 0;
            for (; end < text.size() && text[end] != '{'; ++end)
                if ((text[end] == '_' || text[end] == '^') && text.substr(end + 1, 1) == "{")
                    end = std::min(text.find('}', end), text.size() - 1);
            pieces.push_back({std::string(text.substr(0, end)), ""});
            text.remove_prefix(end);
            continue;
        }
        Piece symbol{braced(), ""};
        symbol.tensor = tensor_called(symbol.text.substr(1, symbol.text.find(':') - 1));
        while (text.starts_with("_{")) symbol.text += braced();
        while (text.starts_with("^{")) symbol.scripts += braced();
        pieces.push_back(std::move(symbol));
    }
    return pieces;
}

// The operations outside all brackets.
Binding binding_of(const std::vector<Piece>& pieces) {
    Binding loosest = pieces.size() > 1 ? Binding::product : Binding::atom;
    int depth = 0;
    bool calls = pieces.size() > 1;  // one function of everything: "softmax(S)"
    for (const Piece& piece : pieces) {
        if (piece.tensor) {
            calls = calls && depth > 0;
            continue;
        }
        for (std::size_t at = 0; at < piece.text.size(); ++at) {
            const std::string_view rest = std::string_view(piece.text).substr(at);
            if (rest.front() == '(') ++depth;
            if (rest.front() == ')') --depth;
            if (depth > 0) continue;
            calls = calls && rest.front() != ' ';
            if (rest.starts_with(" + ") || rest.starts_with(" − ")) loosest = Binding::sum;
            if (rest.starts_with(" / ") || rest.starts_with(" · "))
                loosest = std::min(loosest, Binding::quotient);
        }
    }
    return calls ? Binding::atom : loosest;
}

// How tightly what replaces a symbol must bind to need no brackets.
Binding needed_between(std::string_view before, std::string_view after, bool has_power) {
    if (has_power) return Binding::atom;
    Binding needed = Binding::sum;
    const auto need = [&](Binding binding) { needed = std::max(needed, binding); };
    const auto is = [](std::string_view text, std::initializer_list<std::string_view> signs,
                       bool ends) {
        return std::ranges::any_of(signs, [&](std::string_view sign) {
            return ends ? text.ends_with(sign) : text.starts_with(sign);
        });
    };
    if (is(after, {" / ", " · "}, false))
        need(Binding::quotient);
    else if (after.starts_with(' ') && !is(after, {" + ", " − "}, false))
        need(Binding::product);
    if (is(before, {" / ", " · "}, true))
        need(Binding::product);
    else if (before.ends_with(" − "))
        need(Binding::quotient);
    else if (before.ends_with(' ') && !before.ends_with(" + "))
        need(Binding::product);
    return needed;
}

class Writer {
  public:
    Writer(const Nodes& nodes, Step present, bool head_off)
        : nodes_(nodes), present_(present), head_off_(head_off) {}

    [[nodiscard]] Expression of(const Node& node) const {
        const std::string& equation =
            head_off_ && !node.equation_off.empty() ? node.equation_off : node.equation;
        const std::size_t sign = equation.find(" = ");
        const std::vector<Piece> pieces = pieces_of(
            without_head(sign == std::string::npos ? equation : equation.substr(sign + 3)));
        const bool is_present = node.id == present_;
        Expression whole{{}, binding_of(pieces)};
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const Piece& piece = pieces[i];
            const Node* maker = piece.tensor ? maker_of(nodes_, node, *piece.tensor) : nullptr;
            if (maker == nullptr || !is_substituted(maker->op)) {
                const bool leads = piece.tensor && leads_to(nodes_, present_, node, *piece.tensor);
                add(whole, {piece.text + piece.scripts, is_present || leads, leads});
                continue;
            }
            Expression inner = of(*maker);
            if (pieces.size() == 1 && piece.scripts.empty()) {
                // The step changes nothing, so all of it is what the step computes.
                for (FormulaPart& part : inner.parts) part.present |= is_present;
                whole = std::move(inner);
                continue;
            }
            const Binding needed = needed_between(i > 0 ? pieces[i - 1].text : "",
                                                  i + 1 < pieces.size() ? pieces[i + 1].text : "",
                                                  !piece.scripts.empty());
            const bool brackets = inner.binding < needed;
            if (brackets) add(whole, {"(", is_present});
            for (FormulaPart& part : inner.parts) add(whole, std::move(part));
            const std::string close = (brackets ? ")" : "") + piece.scripts;
            if (!close.empty()) add(whole, {close, is_present});
        }
        if (is_present)
            for (FormulaPart& part : whole.parts) part.computed = true;
        return whole;
    }

  private:
    // Joins neighbors that are drawn alike.
    static void add(Expression& to, FormulaPart part) {
        if (!to.parts.empty() && to.parts.back().present == part.present &&
            to.parts.back().computed == part.computed)
            to.parts.back().text += part.text;
        else
            to.parts.push_back(std::move(part));
    }

    const Nodes& nodes_;
    Step present_;
    bool head_off_;
};

}  // namespace

std::vector<FormulaPart> whole_formula(const Nodes& nodes, Step present, bool head_off) {
    const auto now = std::ranges::find(nodes, present, &Node::id);
    if (now == nodes.end()) return {};
    const auto mix = std::ranges::find_if(
        nodes, [&](const Node& node) { return node.op == Op::mix && node.place == now->place; });
    if (mix == nodes.end()) return {};
    Expression whole = Writer(nodes, present, head_off).of(*mix);
    if (std::ranges::none_of(whole.parts, &FormulaPart::present)) return {};
    return std::move(whole.parts);
}

}  // namespace headlight
