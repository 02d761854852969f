#include "families/classifier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "model/buffers.h"
#include "model/side_parts.h"

namespace headlight {

namespace {

constexpr float kUsualEps = 1e-5F;  // default of torch.nn.LayerNorm and BatchNorm1d

constexpr auto kHeads = std::to_array<std::string_view>(
    {"head", "heads", "fc", "classifier", "classification_head", "classifier_head", "cls_head",
     "linear_head", "mlp_head", "fc_head", "linear", "linear_classifier"});

// All tensors with a common prefix: "head." in a model or in an enclosing module.
struct Group {
    std::string level, name;         // "model." and "classifier"
    std::vector<std::string> names;  // full names

    [[nodiscard]] std::string root() const { return level + name; }
};

bool is_in(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// True for DINO's and iBOT's heads, which end in a weight-normalized linear layer.
bool is_projection(const Group& group) {
    const bool is_distilled = is_in(group.level, "teacher") || is_in(group.level, "student");
    return std::ranges::any_of(group.names, [&](const std::string& name) {
        return is_in(name, ".last_layer.") || (is_distilled && is_in(name, ".mlp."));
    });
}

// The module that contains all of its tensors: "head.fc" for head.fc.weight and head.fc.bias.
std::string common_module(const Group& group) {
    std::string common = group.names.front();
    for (const std::string& name : group.names)
        common.resize(std::ranges::mismatch(common, name).in1 - common.begin());
    return common.substr(0, common.rfind('.'));
}

// True if all tensors of a module are also in another, with the same names and numbers.
bool are_in(const TensorReader& file, const std::vector<std::string>& names,
            const std::string& root, const std::string& other_root) {
    return std::ranges::all_of(names, [&](const std::string& name) {
        const std::string other = other_root + name.substr(root.size());
        return file.has(other) && file.have_same_numbers(name, other);
    });
}

std::vector<Group> groups_of(const TensorReader& at, const std::vector<std::string>& names) {
    std::vector<Group> groups;
    for (const std::string& level : enclosing_prefixes(at.prefix()))
        for (const std::string_view head : kHeads) {
            Group group{level, std::string(head), {}};
            const std::string begin = group.root() + ".";
            if (at.prefix().starts_with(begin)) continue;       // contains the encoder
            if (at.from_root().has(begin + "probe")) continue;  // SigLIP's attention pooling
            for (const std::string& name : names)
                if (name.starts_with(begin) &&
                    !is_harmless_buffer(at.from_root().at(level), name.substr(level.size())))
                    group.names.push_back(name);
            if (!group.names.empty() && !is_projection(group)) groups.push_back(std::move(group));
        }
    return groups;
}

// --- The modules of a head ---

enum class Kind { linear, layer_norm, batch_norm };

struct Module {
    std::string path;  // full path
    std::vector<std::string> parts;
    Kind kind = Kind::linear;
    Index inputs = 0, outputs = 0;
    int before = 0;  // modules without tensors between it and the previous one, or the start
};

// The reason why a head is not supported; for people.
struct Unreadable {
    std::string reason;
};

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t dot = std::min(path.find('.', begin), path.size());
        parts.push_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    return parts;
}

bool is_number(std::string_view part) {
    return !part.empty() && part.size() <= 4 &&
           std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

// The kind of a module, by its tensors: the weight of a linear layer is a matrix, all others are
// rows.
std::optional<Module> known_module(const TensorReader& file, const std::string& path,
                                   const std::vector<std::string>& tensors) {
    const auto has = [&](const char* name) {
        return std::ranges::find(tensors, name) != tensors.end();
    };
    Module module{path, parts_of(path)};
    const bool is_batch_norm = has("running_mean") && has("running_var");
    if (!is_batch_norm && !has("weight")) return {};
    const TensorShape& shape = file.shape(path + (is_batch_norm ? ".running_var" : ".weight"));
    if (shape.empty() || shape.size() > (is_batch_norm ? 1U : 2U)) return {};
    if (std::ranges::any_of(shape, [](std::int64_t n) { return n < 1; })) return {};
    if (shape.size() == 1 && !is_batch_norm && !has("bias")) return {};
    module.inputs = shape.back();
    module.outputs = shape.front();
    if (shape.size() == 1) module.kind = is_batch_norm ? Kind::batch_norm : Kind::layer_norm;
    return module;
}

Module module_of(const TensorReader& file, const std::string& path,
                 const std::vector<std::string>& tensors) {
    constexpr auto kKnown = std::to_array<std::string_view>(
        {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"});
    for (const std::string& name : tensors)
        if (std::ranges::find(kKnown, name) == kKnown.end())
            throw Unreadable{"it has the unknown tensor " + in_quotes(path + "." + name)};
    const auto module = known_module(file, path, tensors);
    if (!module) throw Unreadable{in_quotes(path) + " is neither a linear layer nor a norm"};
    for (const std::string& name : tensors) {
        const std::string whole = path + "." + name;
        const bool is_weight = name == "weight" && module->kind == Kind::linear;
        if (name == "num_batches_tracked") continue;
        if (!is_floating_point(file.type(whole)))
            throw Unreadable{in_quotes(whole) + " is quantized"};
        if (!is_weight && file.shape(whole) != TensorShape{module->outputs})
            throw Unreadable{in_quotes(whole) + " does not fit the tensors next to it"};
    }
    return *module;
}

// The order of numbers in torch.nn.Sequential, which may be nested.
bool goes_before(const Module& a, const Module& b) {
    const auto [x, y] = std::ranges::mismatch(a.parts, b.parts);
    if (x == a.parts.end() || y == b.parts.end()) return a.parts.size() < b.parts.size();
    if (is_number(*x) && is_number(*y)) return std::stoi(*x) < std::stoi(*y);
    return *x < *y;
}

// The number of modules without tensors in between; nothing if the names do not tell the order.
std::optional<int> between(const Module& a, const Module& b) {
    const auto [x, y] = std::ranges::mismatch(a.parts, b.parts);
    const auto rest_is_numbers = [](auto begin, auto end) {
        return std::all_of(begin, end, is_number);
    };
    if (x == a.parts.end() || y == b.parts.end() || !rest_is_numbers(x, a.parts.end()) ||
        !rest_is_numbers(y, b.parts.end()))
        return {};
    const int gap = std::stoi(*y) - std::stoi(*x) - 1;
    const bool beside = x + 1 == a.parts.end() && y + 1 == b.parts.end();
    return beside ? gap : std::max(gap, 1);  // inside a Sequential of its own
}

// For a named norm next to a linear layer, the norm comes first. In the other order its width would
// be the number of classes.
void order_named(std::vector<Module>& modules) {
    const bool fits = modules.size() == 2 && modules[0].kind != modules[1].kind;
    if (!fits) throw Unreadable{"only its code shows the order of its modules"};
    std::ranges::sort(modules, {}, [](const Module& m) { return m.kind == Kind::linear; });
    if (modules[0].inputs != modules[1].inputs || modules[1].inputs == modules[1].outputs)
        throw Unreadable{"only its code shows the order of its modules"};
}

std::vector<Module> modules_of(const TensorReader& file, const Group& group) {
    std::map<std::string, std::vector<std::string>> tensors;  // by module
    for (const std::string& name : group.names) {
        const std::size_t dot = name.rfind('.');
        tensors[name.substr(0, dot)].push_back(name.substr(dot + 1));
    }
    std::vector<Module> modules;
    for (const auto& [path, names] : tensors) modules.push_back(module_of(file, path, names));
    std::ranges::sort(modules, goes_before);
    bool is_sequence = true;
    for (std::size_t i = 1; i < modules.size(); ++i) {
        const auto gap = between(modules[i - 1], modules[i]);
        is_sequence = is_sequence && gap;
        modules[i].before = gap.value_or(0);
    }
    if (!is_sequence) order_named(modules);
    const std::size_t root = parts_of(group.root()).size();
    for (std::size_t i = root; i < modules[0].parts.size(); ++i)
        if (is_number(modules[0].parts[i])) modules[0].before += std::stoi(modules[0].parts[i]);
    for (std::size_t i = 1; i < modules.size(); ++i)
        if (modules[i].inputs != modules[i - 1].outputs)
            throw Unreadable{in_quotes(modules[i].path) + " takes " +
                             std::to_string(modules[i].inputs) + " numbers, but " +
                             in_quotes(modules[i - 1].path) + " gives " +
                             std::to_string(modules[i - 1].outputs)};
    return modules;
}

// --- What the modules form ---

// [norm] [hidden, activation] output; each part has its module.
struct Head {
    std::optional<Module> norm, hidden;
    Module output;
    std::optional<Module> norm_of_hidden, norm_of_output;  // batch norms that become part of them
    bool norm_of_hidden_first = false, norm_of_output_first = false;  // before the linear layer;
                                                                      // otherwise after it

    [[nodiscard]] Index inputs() const {
        return norm ? norm->inputs : hidden ? hidden->inputs : output.inputs;
    }
};

// Removes the batch norms from the list. A batch norm belongs to the linear layer directly next to
// it; between two linear layers it belongs to the second.
struct Product {
    Module linear;
    std::optional<Module> batch_norm;
    bool norm_first = false;
};
std::vector<Product> products_of(const std::vector<Module>& modules, std::size_t first) {
    std::vector<Product> products;
    std::optional<Module> waiting;
    for (std::size_t i = first; i < modules.size(); ++i) {
        const Module& module = modules[i];
        if (module.kind == Kind::layer_norm)
            throw Unreadable{"a layer norm comes between its linear layers"};
        if (module.kind == Kind::linear) {
            products.push_back({module, waiting, waiting.has_value()});
            if (waiting) products.back().linear.before = waiting->before;
            waiting.reset();
            continue;
        }
        const bool has_next = i + 1 < modules.size() && modules[i + 1].kind == Kind::linear;
        const bool after =
            i > first && module.before == 0 && !products.empty() && !products.back().batch_norm;
        if (has_next && (i == first || modules[i + 1].before == 0))
            waiting = module;
        else if (after)
            products.back().batch_norm = module;
        else
            throw Unreadable{"a batch norm is separate from its linear layers"};
    }
    return products;
}

Head head_of(const std::vector<Module>& modules) {
    Head head;
    std::size_t first = 0;
    if (modules[0].kind == Kind::layer_norm) {
        head.norm = modules[0];
        first = 1;
    }
    const std::vector<Product> products = products_of(modules, first);
    if (products.empty()) throw Unreadable{"it has no linear layer"};
    if (products.size() > 2)
        throw Unreadable{"it has " + std::to_string(products.size()) +
                         " linear layers, and Headlight computes at most two"};
    const Product& last = products.back();
    head.output = last.linear;
    head.norm_of_output = last.batch_norm;
    head.norm_of_output_first = last.norm_first;
    if (products.size() == 1) return head;
    head.hidden = products[0].linear;
    head.norm_of_hidden = products[0].batch_norm;
    head.norm_of_hidden_first = products[0].norm_first;
    return head;
}

// A batch norm in evaluation mode scales and shifts each channel, so it becomes part of the linear
// layer after it, W' = W·diag(s), b' = b + W t, or before it, W' = diag(s)·W, b' = s b + t.
Linear with_batch_norm(TensorReader& file, const Linear& linear, const Module& norm, bool first) {
    const TensorShape shape{norm.inputs};
    const auto numbers = [&](const char* name, double otherwise) -> Eigen::RowVectorXd {
        const std::string whole = norm.path + name;
        if (!file.has(whole)) return Eigen::RowVectorXd::Constant(norm.inputs, otherwise);
        return file.row(whole, norm.inputs)->view().eigen().row(0).cast<double>();
    };
    const Eigen::RowVectorXd mean = numbers(".running_mean", 0), var = numbers(".running_var", 1),
                             gamma = numbers(".weight", 1), beta = numbers(".bias", 0);
    const Eigen::RowVectorXd scale =
        gamma.array() / (var.array() + static_cast<double>(kUsualEps)).sqrt();
    const Eigen::RowVectorXd shift = beta.array() - mean.array() * scale.array();
    Eigen::MatrixXd weight = linear.weight->view().eigen().cast<double>();
    Eigen::RowVectorXd bias = Eigen::RowVectorXd::Zero(weight.rows());
    if (linear.bias) bias = linear.bias->view().eigen().row(0).cast<double>();
    if (first) {
        bias += shift * weight.transpose();
        weight = weight * scale.asDiagonal();
    } else {
        bias = bias.array() * scale.array() + shift.array();
        weight = scale.asDiagonal() * weight;
    }
    return {make_result(Matrix(weight.cast<float>())), make_result(Matrix(bias.cast<float>()))};
}

class HeadReader {
  public:
    HeadReader(ModelBuilder& builder, const Group& group, const Head& head, bool is_usual)
        : builder_(builder),
          file_(builder.at.from_root()),
          group_(group),
          head_(head),
          is_usual_(is_usual) {}

    void read(Index width) {
        Model& model = builder_.model;
        if (head_.norm) {
            model.pooled_norm = builder_.norm(file_, head_.norm->path, head_.norm->inputs);
            model.pooled_norm.eps = kUsualEps;
            add(head_.norm->path);
            assume("epsilon " + text_of(kUsualEps) + " of its norm, PyTorch's default");
        }
        if (head_.inputs() == 2 * width && model.pooling == Pooling::class_token) {
            model.pooling = Pooling::class_and_patches;
            if (!is_usual_)
                assume(
                    "to judge by its width, it takes the class token and the mean of the patches, "
                    "side by side");
        }
        if (head_.hidden) read_hidden(model);
        model.classifier = product(head_.output, head_.norm_of_output, head_.norm_of_output_first);
        // The row after the head's own layers is not what the model calls its pooler.
        if (head_.norm || head_.hidden) model.gives_pooler = false;
        if (!head_.hidden) assume_dropout(head_.norm ? 0 : head_.output.before);
        if (is_usual_ && assumed_.empty() && !head_.hidden) return;
        if (group_.level != builder_.at.prefix() && !is_usual_)
            assume(
                "it takes the model's pooled row, because the code around the model is not in the "
                "file");
        builder_.say("head", parts_, assumed_.empty() ? origin_ : "assumed: " + assumed_);
    }

  private:
    void add(const std::string& part) { parts_ += (parts_.empty() ? "" : ", ") + part; }
    void assume(const std::string& what) { assumed_ += (assumed_.empty() ? "" : "; ") + what; }
    void assume_dropout(int modules) {
        if (modules > 0)
            assume(std::to_string(modules) + (modules == 1 ? " module" : " modules") +
                   " without tensors before it, such as dropout");
    }

    Linear product(const Module& module, const std::optional<Module>& norm, bool first) {
        Linear linear = builder_.linear(file_, module.path, module.outputs, module.inputs);
        if (norm) {
            linear = with_batch_norm(file_, linear, *norm, first);
            assume("epsilon " + text_of(kUsualEps) + " of its batch norm, PyTorch's default");
        }
        add(norm && first ? norm->path + ", " + module.path
            : norm        ? module.path + ", " + norm->path
                          : module.path);
        return linear;
    }

    void read_hidden(Model& model) {
        model.pooler = product(*head_.hidden, head_.norm_of_hidden, head_.norm_of_hidden_first);
        assume_dropout(head_.norm ? 0 : head_.hidden->before);
        const auto said = builder_.decisions().find(&ModelConfig::head_activation);
        if (said) {
            model.pooler_curve = said->value;
            add(std::string(name_of(said->value)));
            origin_ = said->origin;
        } else if (head_.output.before == 0) {
            model.pooler_curve = HeadCurve::none;
        } else {
            model.pooler_curve = HeadCurve::relu;
            model.head_assumed = true;
            add("relu");
            assume(
                "ReLU between the linear layers, because no tensor shows the activation; set "
                "head_activation to change it");
        }
    }

    ModelBuilder& builder_;
    TensorReader file_;
    const Group& group_;
    const Head& head_;
    bool is_usual_;
    std::string parts_, assumed_, origin_ = "tensor names";
};

// --- Choosing the group ---

// Another module next to the encoder, at the head's level or inside the encoder, that may compute
// something between the encoder and the head, or after the head.
std::optional<std::string> something_between(const TensorReader& at, const Group& group,
                                             const Head& head, const std::vector<SidePart>& parts,
                                             const std::vector<std::string>& names) {
    const TensorReader file = at.from_root();
    for (const SidePart& part : parts)
        if (part.root.starts_with(group.level) &&
            may_be_chained(file, part, head.inputs(), head.output.outputs))
            return part.names.front();
    if (group.level == at.prefix()) return {};  // other modules are refused elsewhere
    for (const std::string& name : names) {
        const bool beside = name.starts_with(group.level) && !name.starts_with(at.prefix());
        const bool in_part = std::ranges::any_of(
            parts, [&](const SidePart& part) { return name.starts_with(part.root + "."); });
        if (beside && !in_part &&
            !is_harmless_buffer(file.at(group.level), name.substr(group.level.size())))
            return name;
    }
    return {};
}

struct Choice {
    const Group* group = nullptr;
    const Group* inner = nullptr;  // the model's own head, which the other one replaces
};

Choice choose(const std::vector<Group>& groups, const std::string& prefix) {
    std::vector<const Group*> inside, around;
    for (const Group& group : groups) (group.level == prefix ? inside : around).push_back(&group);
    const std::vector<const Group*>& chosen = around.empty() ? inside : around;
    if (chosen.size() > 1)
        throw Unreadable{
            "each could be the classifier, and only the model's code shows which one is used"};
    return {chosen.front(), around.empty() || inside.empty() ? nullptr : inside.front()};
}

// The outer head takes the model's row, or the output of the inner head.
void expect_other_outputs(const TensorReader& file, const Group& inner, Index inputs) {
    for (const std::string& name : inner.names)
        if (name.ends_with(".weight") && !file.shape(name).empty() && file.shape(name)[0] == inputs)
            throw Unreadable{"it may take the output of " + in_quotes(inner.root())};
}

void expect_inputs(const Model& model, const Head& head, Index width) {
    if (model.pooling == Pooling::none) throw Unreadable{"Headlight does not compute its pooling"};
    if (model.classifier.exists()) throw Unreadable{"the model already projects its pooled row"};
    if (head.norm && model.pooled_norm.exists())
        throw Unreadable{"it starts with a norm, but the pooled row already has one"};
    if (head.hidden && model.pooler.exists())
        throw Unreadable{"it has a hidden layer, but the model already has one"};
    const bool both = model.pooling == Pooling::class_token && !model.prefix.distillation_token &&
                      head.inputs() == 2 * width;
    const Index inputs = model.pooler.exists() ? model.pooler.weight->view().rows : width;
    if (head.inputs() != inputs && !both)
        throw Unreadable{"it takes " + std::to_string(head.inputs()) +
                         " numbers, but the model gives " + std::to_string(inputs)};
}

std::vector<std::string> without(std::vector<std::string> names, const std::vector<Group>& groups) {
    std::erase_if(names, [&](const std::string& name) {
        return std::ranges::any_of(
            groups, [&](const Group& group) { return name.starts_with(group.root() + "."); });
    });
    return names;
}

// Counts a head with several names once, and removes side parts that are the head. `names`: of
// tensors outside the groups.
void leave_aliases_aside(ModelBuilder& builder, std::vector<Group>& groups,
                         std::vector<SidePart>& parts, std::vector<std::string>& names) {
    const TensorReader file = builder.at.from_root();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Group kept = groups[i];
        std::erase_if(groups, [&](const Group& other) {
            return other.root() != kept.root() && other.names.size() == kept.names.size() &&
                   are_in(file, other.names, other.root(), kept.root());
        });
        std::erase_if(parts, [&](const SidePart& part) {
            if (!are_in(file, part.names, part.root, kept.root())) return false;
            builder.leave_aside(part.names);
            std::erase_if(
                names, [&](const std::string& name) { return name.starts_with(part.root + "."); });
            return true;
        });
    }
}

std::string roots_of(const std::vector<Group>& groups) {
    std::string roots;
    for (const Group& group : groups) roots += (roots.empty() ? "" : ", ") + group.root();
    return roots;
}

// Returns the level of the head.
std::string read_one(ModelBuilder& builder, const Choice& choice,
                     const std::vector<SidePart>& parts, const OwnHead& own,
                     const std::vector<std::string>& names, Index width) {
    const TensorReader& at = builder.at;
    const Group& group = *choice.group;
    const Head head = head_of(modules_of(at.from_root(), group));
    if (const auto other = something_between(at, group, head, parts, names))
        throw Unreadable{in_quotes(*other) + " is next to it, and may run before or after it"};
    expect_inputs(builder.model, head, width);
    if (choice.inner) expect_other_outputs(at.from_root(), *choice.inner, head.inputs());
    const bool at_its_place = own.is_outside || group.level == at.prefix();
    const bool is_usual = at_its_place && !head.norm && !head.hidden &&
                          head.output.path == group.level + std::string(own.name);
    HeadReader(builder, group, head, is_usual).read(width);
    if (choice.inner)
        builder.say("head not used", choice.inner->root(),
                    "the outer head, " + group.root() + ", takes an input of the same width");
    return group.level;
}

}  // namespace

bool has_classification_head(const TensorReader& at, Index width) {
    const std::vector<std::string> names = at.from_root().names();
    const std::vector<Group> groups = groups_of(at, names);
    const std::vector<SidePart> parts = side_parts(at, names, width);
    return !groups.empty() || std::ranges::any_of(parts, [](const auto& part) {
        return !is_of_self_supervision(part);
    });
}

std::optional<std::string> read_classifier(ModelBuilder& builder, const OwnHead& own, Index width) {
    std::vector<Group> groups = groups_of(builder.at, builder.at.unused());
    if (groups.empty()) return {};
    std::vector<std::string> others = without(builder.at.unused(), groups);
    std::vector<SidePart> parts = side_parts(builder.at, others, width);
    for (const Group& group : groups) builder.leave_aside(group.names);
    leave_aliases_aside(builder, groups, parts, others);
    std::string roots = roots_of(groups);
    try {
        const Choice choice = choose(groups, builder.at.prefix());
        roots = choice.group->root();
        return read_one(builder, choice, parts, own, others, width);
    } catch (const Unreadable& why) {
        builder.leave_head_out(roots, why.reason);
        return {};
    }
}

void leave_classifier_out(ModelBuilder& builder, const std::string& reason) {
    const std::vector<Group> groups = groups_of(builder.at, builder.at.unused());
    if (groups.empty()) return;
    for (const Group& group : groups) builder.leave_aside(group.names);
    builder.leave_head_out(common_module(groups.back()), reason);
}

}  // namespace headlight
