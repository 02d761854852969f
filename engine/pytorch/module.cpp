#include "pytorch/module.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "pytorch/notation.h"
#include "pytorch/python.h"

namespace headlight {

namespace {

// The nodes' name of a weight, and timm's name of its module.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kModules{
    {{"W_qkv", "qkv"}, {"W_o", "proj"}, {"W_1", "fc1"}, {"W_2", "fc2"}}};

std::string module_name(const std::string& weight) {
    for (const auto& [name, module] : kModules)
        if (weight == name) return std::string(module);
    return weight;
}

class ModuleWriter {
  public:
    explicit ModuleWriter(const Trace& trace) : trace_(trace) {}

    std::vector<ListingLine> write();

  private:
    void add(const Node& node);
    void statement(const Node& node, std::string text);
    void note_notation(const Node& node);
    std::string with_linear(const Node& node, const std::string& text);
    std::string with_norm(const Node& node, const std::string& text);
    std::string with_sizes(const std::string& text) const;
    void take_names(const std::string& text);
    void hold(const std::string& name, const std::string& made) {
        if (held_.insert(name).second) init_.push_back("self." + name + " = " + made);
    }
    [[nodiscard]] bool reads_values() const;

    const Trace& trace_;
    std::set<std::string> bound_{"X"}, held_;
    std::vector<std::string> init_, arguments_;
    std::vector<ListingLine> body_;
};

// "F.linear(N1, W_qkv, b_qkv)" → "self.qkv(N1)".
std::string ModuleWriter::with_linear(const Node& node, const std::string& text) {
    static const std::regex kLinear(R"(F\.linear\((\w+), (W_\w+)(, (b_\w+))?\))");
    std::smatch found;
    if (node.weights.empty() || !std::regex_search(text, found, kLinear)) return text;
    const std::string name = module_name(found[2]);
    const MatrixView weight = node.weights[0].value->view();
    hold(name, "nn.Linear(" + std::to_string(weight.cols) + ", " + std::to_string(weight.rows) +
                   (found[4].matched ? ")" : ", bias=False)"));
    return found.prefix().str() + "self." + name + "(" + found[1].str() + ")" +
           found.suffix().str();
}

// "F.layer_norm(X, (D,), g1, b1, eps=1e-06)" → "self.norm1(X)".
std::string ModuleWriter::with_norm(const Node& node, const std::string& text) {
    static const std::regex kNorm(R"(F\.layer_norm\((\w+), \(\w+,\), g(\w*), b\w*, eps=([^)]+)\))");
    std::smatch found;
    if (node.weights.empty() || !std::regex_search(text, found, kNorm)) return text;
    const std::string name = "norm" + found[2].str();
    hold(name, "nn.LayerNorm(" + std::to_string(node.weights[0].value->view().cols) +
                   ", eps=" + found[3].str() + ")");
    return found.prefix().str() + "self." + name + "(" + found[1].str() + ")" +
           found.suffix().str();
}

// The module stores the number of heads, because H is also the name of the MLP's hidden values.
std::string ModuleWriter::with_sizes(const std::string& text) const {
    static const std::regex kHeads(R"(\bH, hd\b)"), kOne(R"(\bH, kd\b)");
    return std::regex_replace(std::regex_replace(text, kHeads, "self.heads, self.head_dim"), kOne,
                              "self.heads, self.head_dim");
}

void ModuleWriter::take_names(const std::string& text) {
    static const std::set<std::string> kGiven{"self", "nn", "B", "N", "inf"};
    for (const std::string& name : python::names_read(text))
        if (!bound_.contains(name) && !kGiven.contains(name) &&
            std::ranges::find(arguments_, name) == arguments_.end())
            arguments_.push_back(name);
    for (const std::string& name : python::names_bound(text)) bound_.insert(name);
}

void ModuleWriter::statement(const Node& node, std::string text) {
    text = with_sizes(with_norm(node, with_linear(node, text)));
    static const std::regex kKeys(R"(\bM\b)");  // as many keys as queries
    if (node.op == Op::mask) text = std::regex_replace(text, kKeys, "N");
    take_names(text);
    body_.push_back({text, node.id});
}

// A comment with torch.einsum or einops. Projections have none: the module holds their weights.
void ModuleWriter::note_notation(const Node& node) {
    const Notation notation = notation_of(trace_, node);
    if (!notation.exists() || node.op == Op::project || node.op == Op::linear) return;
    static const std::regex kHeads(R"(\bh=H\b)");
    body_.push_back(
        {"# or " + std::regex_replace(notation.other, kHeads, "h=self.heads"), node.id});
}

// T2T-ViT's skip connection adds the values of all heads.
bool ModuleWriter::reads_values() const {
    return std::ranges::any_of(trace_.nodes, [](const Node& node) {
        return node.op == Op::add &&
               std::ranges::find(node.operands, Tensor::values) != node.operands.end();
    });
}

void ModuleWriter::add(const Node& node) {
    if (node.pytorch.starts_with('#')) return body_.push_back({node.pytorch, node.id});
    note_notation(node);
    for (const std::string& line : python::statements(node.pytorch)) statement(node, line);
    if (node.op == Op::cut && reads_values()) statement(node, "V = v.transpose(1, 2).flatten(2)");
    if (node.op != Op::mix || node.get<MixParameters>().switched_off.empty()) return;
    const auto& off = node.get<MixParameters>().switched_off;
    statement(node, "O[:, " + python::tuple({off.begin(), off.end()}) + "] = 0");
}

std::vector<ListingLine> ModuleWriter::write() {
    for (const Node& node : trace_.nodes)
        if (node.place == Place::layer) add(node);
    std::vector<ListingLine> all;
    const bool whole = trace_.has(Tensor::norm1) || trace_.has(Tensor::mlp);
    all.push_back({std::string("class ") + (whole ? "Layer" : "Attention") + "(nn.Module):"});
    all.push_back({"    def __init__(self, heads=" + std::to_string(trace_.shape.heads) +
                   ", head_dim=" + std::to_string(trace_.shape.head_dim) + "):"});
    all.push_back({"        super().__init__()"});
    all.push_back({"        self.heads, self.head_dim = heads, head_dim"});
    for (const std::string& line : init_) all.push_back({"        " + line});
    all.push_back({""});
    std::string arguments = "self, X";
    for (const std::string& name : arguments_) arguments += ", " + name;
    all.push_back({"    def forward(" + arguments + "):"});
    all.push_back({"        B, N = X.shape[:2]"});
    for (const ListingLine& line : body_) all.push_back({"        " + line.text, line.step});
    all.push_back({"        return Y"});
    return all;
}

}  // namespace

std::vector<ListingLine> module_listing(const Trace& trace) {
    if (!trace.model || trace.model->is_maps() || is_cross(trace)) return {};
    return ModuleWriter(trace).write();
}

std::string module_file(const std::vector<ListingLine>& listing) {
    std::string text =
        "import math\n\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as "
        "F\n\n\n";
    for (const ListingLine& line : listing) text += line.text + "\n";
    return text;
}

}  // namespace headlight
