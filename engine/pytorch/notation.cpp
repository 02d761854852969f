#include "pytorch/notation.h"

#include <algorithm>
#include <regex>

namespace headlight {

namespace {

// Learned keys, the same for all samples, have no axis for the batch.
bool reads_learned_keys(const Trace& trace, const Node& node) {
    return std::ranges::any_of(trace.nodes, [&](const Node& earlier) {
        return earlier.op == Op::learned_keys && earlier.place == node.place &&
               earlier.result() == node.operands.back();
    });
}

std::string einsum(const std::string& axes, const std::string& left, const std::string& right) {
    return "torch.einsum(\"" + axes + "\", " + left + ", " + right + ")";
}

std::string product(const Trace& trace, const Node& node, const std::string& line) {
    static const std::regex kProduct(R"((\w+) @ (\w+)\.transpose\(-2, -1\))");
    std::smatch found;
    if (!std::regex_match(line, found, kProduct)) return "";
    const std::string keys = reads_learned_keys(trace, node) ? "hkd" : "bhkd";
    return einsum("bhqd," + keys + "->bhqk", found[1], found[2]);
}

std::string weighted_sum(const std::string& line) {
    static const std::regex kProduct(R"((\w+) @ (\w+))");
    std::smatch found;
    if (!std::regex_match(line, found, kProduct)) return "";
    return einsum("bhqk,bhkd->bhqd", found[1], found[2]);
}

std::string product_of_heads(const std::string& line) {
    static const std::regex kProduct(R"((\w+) @ (\w+(\[[^\]]*\])?)\.transpose\(-2, -1\))");
    std::smatch found;
    if (!std::regex_match(line, found, kProduct)) return "";
    return einsum("bhnd,hed->bhne", found[1], found[2]);
}

std::string projection(const Node& node, const std::string& line) {
    static const std::regex kLinear(R"(F\.linear\((\w+), (\w+)(, (\w+))?\))");
    std::smatch found;
    if (node.place != Place::layer || !std::regex_match(line, found, kLinear)) return "";
    return einsum("bnc,oc->bno", found[1], found[2]) +
           (found[4].matched ? " + " + found[4].str() : "");
}

std::string cut(const std::string& line) {
    static const std::regex kThree(R"((\w+)\.reshape\(B, N, 3, H, hd\)\.permute\(2, 0, 3, 1, 4\))"),
        kEach(R"(\(x\.unflatten\(-1, \(H, -1\)\)\.transpose\(1, 2\) for x in (.*)\))");
    std::smatch found;
    if (std::regex_match(line, found, kThree))
        return "rearrange(" + found[1].str() + ", \"b n (k h d) -> k b h n d\", k=3, h=H)";
    if (std::regex_match(line, found, kEach))
        return "(rearrange(x, \"b n (h d) -> b h n d\", h=H) for x in " + found[1].str() + ")";
    return "";
}

std::string join(const std::string& line) {
    static const std::regex kJoin(R"((\w+)\.transpose\(1, 2\)\.flatten\(2\))");
    std::smatch found;
    if (!std::regex_match(line, found, kJoin)) return "";
    return "rearrange(" + found[1].str() + ", \"b h n d -> b n (h d)\")";
}

}  // namespace

Notation notation_of(const Trace& trace, const Node& node) {
    const std::string sign = " = ";
    const std::size_t at = node.pytorch.find(sign);
    if (at == std::string::npos) return {};
    Notation notation{node.pytorch.substr(at + sign.size()), ""};
    const std::string& line = notation.usual;
    switch (node.op) {
        case Op::multiply:
            notation.other = product(trace, node, line);
            break;
        case Op::mix:
            notation.other = weighted_sum(line);
            break;
        case Op::linear_heads:
            notation.other = product_of_heads(line);
            break;
        case Op::project:
        case Op::linear:
            notation.other = projection(node, line);
            break;
        case Op::cut:
            notation.other = cut(line);
            notation.rearranges = true;
            notation.several = notation.other.starts_with('(');
            break;
        case Op::join:
            notation.other = join(line);
            notation.rearranges = true;
            break;
        default:
            break;
    }
    return notation;
}

}  // namespace headlight
