#include "pytorch/script.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "attention/layer.h"
#include "encoder/layers.h"
#include "files/shards.h"
#include "ops/limits.h"
#include "ops/picture.h"
#include "pytorch/loops.h"
#include "pytorch/notation.h"
#include "pytorch/python.h"
#include "pytorch/variables.h"
#include "reference/named_results.h"

namespace headlight {

namespace {

const char* kIntroduction =
    "This script repeats every step with the lines of PyTorch that Headlight shows, and compares "
    "the results\nwith Headlight's numbers. Those numbers are in the file next to this script, "
    "together with the input";

// Inputs of a walk; all other tensors next to a script are weights.
constexpr std::array<std::string_view, 4> kEntering{"I", "X_kv", "mask", "added"};

// Writes the statements in order, each after the definitions of the names it needs.
class ScriptWriter {
  public:
    explicit ScriptWriter(const ScriptSource& source)
        : source_(source), model_(*source.walk.model), variables_(source, script_) {}

    PythonScript write() &&;

  private:
    void comment(const std::string& text) { body_ += "\n# " + text + "\n"; }
    void say(const std::string& statement);
    void need(const std::string& statement, const Node& node, const Trace& trace);
    void define(const std::string& name, const std::string& text, const Node& node,
                const Trace& trace);
    void step(const Node& node, const Trace& trace);
    void compute(const Node& node, const Trace& trace);
    void drop(const Node& node, const Trace& trace);
    void compare_notations(const Node& node, const Trace& trace);
    void check(const Node& node, const Trace& trace);
    void put_gradient(const Node& node, Tensor tensor, const std::string& name);
    void check_rows(const std::string& step, const std::string& name, const std::string& found,
                    const SharedResult& rows);
    void check_gradients();
    void steps_of(Place place);
    void front();
    void layer(int b);
    void layers();
    void split(int level);
    [[nodiscard]] Trace other_layer(int b) const;
    [[nodiscard]] std::string opening() const;

    const ScriptSource& source_;
    const Model& model_;
    PythonScript script_;
    Variables variables_;
    std::string body_;
    std::map<std::string, std::string> bound_;  // bound names; empty text: the result of a step
    std::string of_;  // name of the result whose gradient the script compares
};

void ScriptWriter::say(const std::string& statement) {
    body_ += statement + "\n";
    for (const std::string& name : python::names_bound(statement)) bound_[name] = "";
}

// A name that is already bound to the same definition is not defined again. Names may change their
// meaning: H is the number of heads, and later the MLP's hidden values.
void ScriptWriter::need(const std::string& statement, const Node& node, const Trace& trace) {
    for (const std::string& name : python::names_read(statement)) {
        const auto text = variables_.definition(name, node, trace);
        if (!text && !bound_.contains(name))
            throw std::logic_error("Headlight cannot tell what " + name + " means in \"" +
                                   statement + "\".");
        if (text) define(name, *text, node, trace);
    }
}

// Defines other names, functions and files that the definition needs first.
void ScriptWriter::define(const std::string& name, const std::string& text, const Node& node,
                          const Trace& trace) {
    if (bound_.contains(name) && bound_[name] == text) return;
    for (const std::string& part : python::names_read(text))
        if (const auto own = variables_.definition(part, node, trace); own && part != name)
            define(part, *own, node, trace);
    const bool is_own = source_.checkpoint != nullptr && text.find("given[") != std::string::npos;
    const bool is_weight = std::ranges::find(kEntering, name) == kEntering.end();
    body_ += name + " = " + text +
             (is_own && is_weight ? "  # stored in another form in the model's file\n" : "\n");
    bound_[name] = text;
}

// Stores the cells that dropout kept, because PyTorch would draw others.
void ScriptWriter::drop(const Node& node, const Trace& trace) {
    const auto& [p, seed, stream] = node.get<DropoutParameters>();
    const AttentionShape& shape = trace.shape;
    const bool of_attention = node.result() == Tensor::attention_dropped;
    const Index rows = shape.batch * shape.queries * (of_attention ? shape.heads : 1);
    const Index cols = of_attention ? shape.keys : trace.config.output_width();
    Trace kept = trace;
    kept.set(node.result(),
             make_result(drop_out(Matrix(Matrix::Ones(rows, cols)), p, seed, stream)));
    script_.kept.push_back(kept.result(node.result()));
    const std::string name = trace.model_layer().file_name + ".kept_by_" + std::string(node.name());
    const std::string letter = python::names_bound(node.pytorch).front();
    body_ += "# " + node.pytorch + ", with the cells that Headlight kept\n";
    say(letter + " = " + letter + " * " +
        variables_.put(tensor_to_write(kept, node.result(), name)));
}

// Before the step, which may bind the names that it reads.
void ScriptWriter::compare_notations(const Node& node, const Trace& trace) {
    const Notation notation = notation_of(trace, node);
    if (!notation.exists()) return;
    need(node.pytorch, node, trace);
    const std::string both = notation.usual + ", " + notation.other + ")";
    if (!notation.rearranges)
        body_ += "assert same(" + both + "\n";
    else
        body_ += "assert rearrange is None or " +
                 std::string(notation.several ? "all(map(torch.equal, " : "torch.equal(") + both +
                 (notation.several ? ")\n" : "\n");
}

void ScriptWriter::compute(const Node& node, const Trace& trace) {
    if (node.op == Op::frame) {
        body_ += (node.pytorch.starts_with('#') ? "" : "# ") + node.pytorch + "\n";
        return need("I", node, trace);  // the picture after resizing and cropping
    }
    if (node.op == Op::dropout) return drop(node, trace);
    if (node.op == Op::drawn) {  // PyTorch would draw others
        body_ += "# " + node.pytorch + ", as Headlight drew them\n";
        return say("X = " + variables_.put(tensor_to_write(trace, node.result(), "queries")));
    }
    for (const std::string& statement : python::statements(node.pytorch)) {
        need(statement, node, trace);
        say(statement);
    }
    if (node.op == Op::mix && !node.get<MixParameters>().switched_off.empty()) {
        const auto& off = node.get<MixParameters>().switched_off;
        std::string heads = python::tuple({off.begin(), off.end()});
        body_ += "O[:, " + heads + "] = 0  # the heads that are switched off\n";
    }
    const auto adds_values = [](const Node& later) {
        return later.op == Op::add &&
               std::ranges::find(later.operands, Tensor::values) != later.operands.end();
    };
    if (node.op == Op::cut &&
        (trace.layer == source_.walk.layer || std::ranges::any_of(trace.nodes, adds_values)))
        say("V = v.transpose(1, 2).flatten(2)  # of all heads");
}

void ScriptWriter::step(const Node& node, const Trace& trace) {
    comment(node.title);
    if (node.op == Op::norm) {
        const std::string read = python::names_read(node.pytorch).front();
        say("rows = moments(" + read + ", " + node.pytorch.substr(node.pytorch.rfind("eps=") + 4));
    }
    compare_notations(node, trace);
    compute(node, trace);
    check(node, trace);
}

// What is added to the scores: everything after the plus sign.
std::string bound_bias(const Node& node) {
    constexpr std::string_view begin = "S = S + ";
    return node.pytorch.substr(begin.size());
}

// The names of the results after the lines of the step.
std::vector<std::string> names_of_results(const Node& node) {
    const std::vector<std::string> lines = python::statements(node.pytorch);
    std::vector<std::string> bound;
    for (const std::string& line : lines)
        for (std::string& name : python::names_bound(line)) bound.push_back(std::move(name));
    switch (node.op) {
        case Op::cut:
            return {"q", "k", "v", "V"};
        case Op::rotate:
            return {"q", "k", "sin", "cos"};
        case Op::norm:
            return {bound.back(), "rows", bound.back()};
        case Op::learned_keys:  // the same for all samples
            return {"k.expand(B, -1, -1, -1)"};
        case Op::relative:
            return {"S", bound_bias(node), "table"};
        case Op::positions: {
            const auto read = python::names_read(node.pytorch);
            return {bound.front(), read.size() > 1 ? read[1] : ""};
        }
        default:
            break;
    }
    if (bound.size() == node.results.size()) return bound;
    return std::vector<std::string>(node.results.size(), bound.empty() ? "" : bound.back());
}

void ScriptWriter::check(const Node& node, const Trace& trace) {
    if (node.op == Op::frame) return;
    const std::vector<std::string> found = names_of_results(node);
    const std::string step(node.name());
    std::string results;
    for (std::size_t i = 0; i < node.results.size(); ++i) {
        const Tensor tensor = node.results[i];
        if (!trace.has(tensor) || trace.on_demand(tensor)) continue;
        const std::string name(info(tensor).name);
        variables_.put(tensor_to_write(trace, tensor, step + "." + name));
        put_gradient(node, tensor, step + "." + name);
        results += ", " + name + "=" + found[i];
    }
    if (!results.empty()) say("check(" + python::quoted(step) + results + ")");
}

// For the result of that name, if the output depends on it in the script as in Headlight. It does
// not depend on copies that no later line reads: patches (the embedding is a convolution of the
// picture), the values of all heads side by side, and learned keys for each sample.
void ScriptWriter::put_gradient(const Node& node, Tensor tensor, const std::string& name) {
    const ScriptGradients* gradients = source_.gradients;
    const bool is_copy = tensor == Tensor::values || tensor == Tensor::pool_values ||
                         node.op == Op::learned_keys ||
                         (node.op == Op::gather && node.place == Place::front);
    if (gradients == nullptr || is_copy) return;
    const Trace& all = node.place == Place::front   ? gradients->front
                       : node.place == Place::layer ? gradients->layer
                                                    : gradients->end;
    if (!all.has(tensor)) return;
    variables_.put(tensor_to_write(all, tensor, name + ".gradient"));
    if (tensor == gradients->of) of_ = name;
}

void ScriptWriter::check_rows(const std::string& step, const std::string& name,
                              const std::string& found, const SharedResult& rows) {
    const MatrixView all = rows->view();
    const Index batch = source_.walk.shape.batch;
    variables_.put({step + "." + name, {batch, all.rows / batch, all.cols}, {all}});
    say("check(" + python::quoted(step) + ", " + name + "=" + found + ")");
}

void ScriptWriter::steps_of(Place place) {
    for (const Node& node : source_.walk.nodes)
        if (node.place == place) step(node, source_.walk);
}

// The trace at the start of layer b, as in compute_layer, without computing anything.
Trace ScriptWriter::other_layer(int b) const {
    const Trace& walk = source_.walk;
    const LayerSettings settings = settings_of(model_, b, source_.change);
    Trace own;
    own.model = walk.model;
    own.layer = b;
    own.grid = grid_of_layer(model_, walk.grid, b);
    own.layout = layout_of(model_, b, own.grid);
    own.config = settings.attention;
    own.nodes = nodes_of_layer(model_, b, settings);
    const Index batch = walk.shape.batch;
    const Index read = walk.stream[static_cast<std::size_t>(b)]->view().rows / batch;
    const Index rows = own.model_layer().merge.exists() ? read / 4 : read;
    own.shape = {
        batch, rows, rows, own.config.heads, own.config.head_dim(), own.config.value_dim()};
    return own;
}

void ScriptWriter::layer(int b) {
    if (b == source_.walk.layer) return steps_of(Place::layer);
    const Layer& layer = model_.layers[static_cast<std::size_t>(b)];
    const Trace own = other_layer(b);
    for (const Node& node : own.nodes) compute(node, own);
    const auto next = static_cast<std::size_t>(b) + 1;
    const Trace& walk = source_.walk;
    const bool splits = b < model_.token_transformers();
    const SharedResult& output = splits ? walk.split_inputs[next - 1] : walk.stream[next];
    check_rows(layer.file_name, "output", "Y", output);
    if (source_.gradients == nullptr) return;
    if (const auto found = source_.gradients->outputs.find(b);
        found != source_.gradients->outputs.end()) {
        const MatrixView all = found->second->view();
        const Index batch = walk.shape.batch;
        variables_.put(
            {layer.file_name + ".output.gradient", {batch, all.rows / batch, all.cols}, {all}});
    }
}

// Layers that only differ in their weights become a loop.
void ScriptWriter::layers() {
    const std::string before = std::exchange(body_, "");
    std::vector<LayerLines> all;
    const int first = model_.token_transformers();
    for (int b = first; b < std::ssize(model_.layers); ++b) {
        const bool merges = model_.layers[static_cast<std::size_t>(b)].merge.exists();
        if (b > first) say(merges ? "U = Y" : "X = Y");
        layer(b);
        all.push_back(
            {b - first, model_.layers[static_cast<std::size_t>(b)].name, std::exchange(body_, "")});
    }
    body_ = before + with_loops(all);
}

// T2T: from the tokens of one grid to fewer tokens; the first split is of the pixels.
void ScriptWriter::split(int level) {
    const Node node = picture_nodes(model_, level, {}).back();
    Trace own = source_.walk;
    own.layer = level;
    if (level > 0) {
        const auto index = static_cast<std::size_t>(level);
        const PatchGrid from = grid_of_level(model_, own.grid, level - 1);
        own.split_grid = {from.rows, from.cols};
        own.set(Tensor::split_input, own.split_inputs[index - 1]);
    }
    comment(node.title);
    compute(node, own);
    check_rows("split" + std::to_string(level), "patches", "P",
               source_.walk.splits[static_cast<std::size_t>(level)]);
}

// From the picture or the given tokens to the input of the first layer.
void ScriptWriter::front() {
    const Trace& walk = source_.walk;
    if (!walk.has(Tensor::patches)) {
        const Tensor tokens = model_.pre_norm.exists() ? Tensor::pre_norm : Tensor::tokens;
        comment("The given tokens");
        return say("X = " + variables_.put(tensor_to_write(walk, tokens, "tokens")));
    }
    for (const Node& node : walk.nodes) {
        if (node.op == Op::frame) step(node, walk);
        const bool cuts = node.op == Op::gather && node.place == Place::front;
        if (cuts && model_.splits.empty()) step(node, walk);
    }
    if (!model_.splits.empty()) split(0);
    for (int b = 0; b < model_.token_transformers(); ++b) {
        say("X = P");
        body_ += "\n\n# ---- " + model_.layers[static_cast<std::size_t>(b)].name + "\n";
        layer(b);
        say("T = Y");
        split(b + 1);
    }
    // Builds these nodes itself, because a walk through a token transformer does not contain them.
    if (!is_cross(walk))
        for (const Node& node : token_nodes(model_, source_.change.position)) step(node, walk);
    for (const Node& node : walk.nodes)
        if (is_cross(walk) && (node.id == Step::position || node.id == Step::queries))
            step(node, walk);
}

std::string ScriptWriter::opening() const {
    std::string text =
        R"(given = read_safetensors(os.path.splitext(os.path.abspath(__file__))[0] + ".safetensors")
)";
    if (source_.gradients != nullptr)
        text +=
            "for name in (\"pixels\", \"tokens\"):\n    if name in given:\n"
            "        given[name].requires_grad_()\n";
    if (source_.checkpoint == nullptr) return text;
    const std::string& opened = source_.checkpoint->name();
    const std::string file = index_of_shard(opened).value_or(opened);
    const bool shards = file.ends_with(".json"), npz = file.ends_with(".npz");
    return text + "model = " +
           (shards ? "read_shards"
            : npz  ? "read_npz"
                   : "read_safetensors") +
           "(sys.argv[1] if len(sys.argv) > 1 else " + python::quoted(file) + ")\n";
}

void ScriptWriter::check_gradients() {
    const ScriptGradients& gradients = *source_.gradients;
    if (of_.empty())
        throw std::logic_error("Headlight cannot tell which result the gradient is of.");
    body_ += "\n\n# ---- The gradient of y, " + gradients.about + "\n";
    const std::string from = "followed[" + python::quoted(of_) + "]" + gradients.y;
    if (gradients.cosine_with) {
        const MatrixView row = gradients.cosine_with->view();
        say("y = torch.cosine_similarity(" + from + ", " +
            variables_.put({"other.output", {row.rows, row.cols}, {row}}) + ").sum()");
    } else {
        say("y = " + from);
    }
    say("check_gradients(y)");
    if (gradients.pixels.empty()) return;
    const auto cols = static_cast<Index>(gradients.pixels_shape.back()),
               rows = static_cast<Index>(gradients.pixels.size()) / cols;
    variables_.put({"pixels.gradient",
                    gradients.pixels_shape,
                    {MatrixView(gradients.pixels.data(), rows, cols, cols)}});
    body_ +=
        std::string("compare(\"pixels.gradient\", ") + (bound_.contains("std") ? "std * " : "") +
        "torch.autograd.grad(y, I)[0], least=1e-4, tolerance=1e-4)  # of the normalized pixels\n";
}

PythonScript ScriptWriter::write() && {
    front();
    layers();
    if (std::ranges::find(source_.walk.nodes, Place::end, &Node::place) !=
        source_.walk.nodes.end()) {
        body_ += "\n\n# ---- The end\n";
        say("X = Y");
        steps_of(Place::end);
    }
    const bool differentiates = source_.gradients != nullptr;
    if (differentiates) check_gradients();
    body_ += std::string("\nprint(f\"all {steps} steps ") +
             (differentiates ? "and {len(followed)} gradients " : "") + "agree\")\n";
    const std::string middle = opening();
    const bool drawn = source_.checkpoint == nullptr;
    const std::string opened =
        drawn ? "An attention layer with random weights" : source_.checkpoint->name();
    script_.text =
        "#!/usr/bin/env python3\n\"\"\"" + std::filesystem::path(opened).filename().string() +
        ", step by step in PyTorch.\n\n" + kIntroduction +
        (drawn ? " and the random weights.\n" : ". The weights come from the model's file.\n") +
        "\"\"\"\n" + python::head(middle + body_) + "\n\n" + middle + body_;
    return std::move(script_);
}

}  // namespace

void expect_to_compute(const Model& model) {
    if (model.is_maps())
        throw RecipeError(model.file +
                          ": expected a model that computes attention, found attention maps. These "
                          "contain no computation to write as a script.");
}

PythonScript python_script(const ScriptSource& source) {
    expect_to_compute(*source.walk.model);
    return ScriptWriter(source).write();
}

TensorToWrite tensor_to_write(const Trace& trace, Tensor tensor, std::string name) {
    ShapedResult result = shaped(trace, tensor);
    return {std::move(name), std::move(result.shape), std::move(result.blocks)};
}

void write_script(const std::string& path, const PythonScript& script) {
    std::size_t room = 0;
    for (const TensorToWrite& tensor : script.tensors)
        room += SafetensorsWriter::room_for(tensor.name, tensor.shape.size());
    SafetensorsWriter beside(path.substr(0, path.rfind('.')) + ".safetensors", room);
    for (const TensorToWrite& tensor : script.tensors) beside.write(tensor);
    beside.finish();
    write_file(path, script.text);
}

}  // namespace headlight
