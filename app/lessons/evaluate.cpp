#include "lessons/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/scene_heads.h"
#include "analysis/statistics.h"
#include "encoder/run_scene.h"
#include "kernels/read_number.h"
#include "kernels/trimmed.h"
#include "measures/computed_measures.h"
#include "measures/measure_heads.h"
#include "ops/scores.h"
#include "program/values.h"
#include "scene/truth.h"
#include "state/all_heads.h"
#include "state/chosen_values.h"
#include "state/command.h"
#include "state/fields.h"

namespace headlight::lessons {

namespace {

constexpr int kDeepestBrackets = 32;

[[noreturn]] void refuse(const std::string& sentence) { throw CommandError(sentence); }

// ---- names

// Converts text to a number, a truth value, or leaves it as text.
Value value_of(const std::string& text) {
    if (text == "true" || text == "false") return text == "true";
    double number = 0;
    const auto read = read_number(text.data(), text.data() + text.size(), number);
    if (!text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size())
        return number;
    return text;
}

// Cells of a matrix, and an owner if the trace does not keep them.
struct Cells {
    Tensor tensor{};
    MatrixView view;
    std::shared_ptr<const Matrix> owner;
};

std::optional<Tensor> tensor_of(std::string_view name, const Present& present) {
    if (name == "stage.result") {
        const Node* node = present.trace.node(present.state.selection.step);
        if (node == nullptr) refuse("stage.result: the current step is not part of this walk.");
        return node->result();
    }
    const auto found = std::ranges::find(all_tensors(), name, &TensorInfo::name);
    return found == all_tensors().end() ? std::nullopt : std::optional(found->id);
}

Cells matrix_of(Tensor tensor, Index head, const Present& present) {
    const Trace& trace = present.trace;
    if (!trace.has(tensor)) refuse("there is no matrix " + in_quotes(info(tensor).name) + " here.");
    if (!trace.on_demand(tensor))
        return {tensor, trace.view(tensor, 0, info(tensor).per_head ? head : 0), {}};
    const auto made = std::make_shared<const Matrix>(compute_for_head(trace, tensor, 0, head));
    return {tensor, *made, made};
}

const HeadNumbers& numbers_of(Index head, const Present& present) {
    const auto layer = static_cast<std::size_t>(present.trace.layer);
    const LayerNumbers& layers = present.summary.layers;
    if (layer >= layers.size() || static_cast<std::size_t>(head) >= layers[layer].size())
        refuse("this head has no measurements.");
    return layers[layer][static_cast<std::size_t>(head)];
}

// Computed on the spot, which takes about as long as a run.
double computed(const ComputedMeasure& measure, Index head, const Present& present) {
    const Model& model = *present.trace.model;
    const Counterfactual change = counterfactual_of(present.recipe, model);
    if (!has_measure(measure.id, model, change))
        refuse("this model has no " + std::string(name_of(measure.id)) + ".");
    const auto of_class = class_in_question(present.state.look, model, present.summary.top);
    try {
        const HeadValues values = measure.compute(
            {.trace = present.trace, .change = change, .of_class = of_class.value_or(0)});
        const auto& layer = values.at(static_cast<std::size_t>(present.trace.layer));
        if (std::cmp_less(head, layer.size())) return layer[static_cast<std::size_t>(head)];
    } catch (const RecipeError& error) {
        refuse(error.what());
    }
    refuse("this layer has no " + std::string(name_of(measure.id)) + ".");
}

SceneHeadNumbers in_scene(Index head, const Present& present) {
    const auto& scene = present.recipe.scene;
    if (!scene) refuse("there is no scene, so no shape has a twin.");
    SceneHeads heads;
    try {
        heads.add(present.trace.all(Tensor::attention), present.trace.shape.heads,
                  present.trace.layout, present.trace.grid, truth_of(present.trace, *scene),
                  twins_of(*scene));
    } catch (const AnalysisError& error) {
        refuse(error.what());
    }
    return heads.result()[static_cast<std::size_t>(head)];
}

constexpr std::array<std::string_view, 4> kKinNames{"own", "twin", "other", "background"};

std::optional<Kin> kin_named(std::string_view kind) {
    const auto found = std::ranges::find(kKinNames, kind);
    if (found == kKinNames.end()) return std::nullopt;
    return static_cast<Kin>(found - kKinNames.begin());
}

double mass(Index head, const std::string& kind, const Present& present) {
    if (const auto kin = kin_named(kind)) return in_scene(head, present).pair[*kin];
    std::vector<std::string_view> shares(kKinNames.begin(), kKinNames.end());
    for (const HeadMeasureInfo& measure : run_measures())
        if (measure.is_share) shares.push_back(name_of(measure.id));
    if (std::ranges::find(shares, kind) == shares.end())
        refuse_value("mass", alternatives(shares), kind);
    return numbers_of(head, present)[*value_named<HeadMeasure>(kind)];
}

double expected_mass(const std::string& kind, const Present& present) {
    const auto kin = kin_named(kind);
    if (!kin) refuse_value("expected", alternatives(kKinNames), kind);
    return in_scene(0, present).by_area[*kin];
}

std::string prediction(const Present& present) {
    if (present.summary.top.empty()) refuse("this model has no classes.");
    return class_name(*present.trace.model, present.summary.top.front().index);
}

double probability(const std::optional<std::string>& of, const Present& present) {
    if (!of) return prediction(present), present.summary.top.front().probability;
    (void)prediction(present);
    const auto all = class_probabilities(present.trace.view(Tensor::logits));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (class_name(*present.trace.model, static_cast<Index>(i)) == *of) return all[i];
    refuse("the model has no class " + in_quotes(*of) + ".");
}

std::string truth(const Present& present) {
    if (!present.recipe.scene) refuse("there is no scene, so the correct answer is not known.");
    const auto answer = answer_of(*present.recipe.scene);
    return answer ? answer_name(*answer) : "several";
}

// Numbered as on the screen: from 1, with T2T's token transformers counted separately.
double layer_number(const Present& present) {
    const int layer = present.state.recipe.layer;
    const Model* model = present.trace.model.get();
    const int first = model == nullptr ? 0 : static_cast<int>(model->token_transformers());
    return (layer < first ? layer : layer - first) + 1;
}

// ---- of cells

double entropy(const Cells& cells) {
    if (cells.tensor != Tensor::attention && cells.tensor != Tensor::attention_dropped)
        refuse("entropy: expected attention weights, found " + in_quotes(info(cells.tensor).name) +
               ".");
    return mean_entropy(cells.view);
}

double largest_at(const Cells& cells) {
    if (cells.view.rows != 1 && cells.view.cols != 1)
        refuse("largest_at: expected one row or one column.");
    Index row = 0, col = 0;
    cells.view.eigen().maxCoeff(&row, &col);
    return static_cast<double>(row + col);
}

struct Measure {
    std::string_view name;
    double (*of)(const Cells&);
};
constexpr auto kMeasures = std::to_array<Measure>({
    {"max", [](const Cells& c) -> double { return statistics(c.view).max; }},
    {"min", [](const Cells& c) -> double { return statistics(c.view).min; }},
    {"mean", [](const Cells& c) { return statistics(c.view).mean; }},
    {"deviation", [](const Cells& c) { return statistics(c.view).deviation; }},
    {"sum", [](const Cells& c) { return c.view.eigen().cast<double>().sum(); }},
    {"largest_at", largest_at},
    {"entropy", entropy},
    {"effective_patches", [](const Cells& c) { return entropy(c), effective_tokens(c.view); }},
});
static_assert(has_columns(kMeasures, &Measure::name, &Measure::of));

// ---- parsing and evaluating in one pass

class Evaluator {
  public:
    Evaluator(std::string_view text, const Present& present) : rest_(text), present_(present) {}

    Value all() {
        const Value value = either();
        blanks();
        if (!rest_.empty())
            refuse("expected the end of the expression, found " + in_quotes(rest_) + ".");
        return value;
    }

  private:
    void blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    bool take(std::string_view sign) {
        blanks();
        if (!rest_.starts_with(sign)) return false;
        rest_.remove_prefix(sign.size());
        return true;
    }
    void expect(std::string_view sign) {
        if (!take(sign))
            refuse("expected " + in_quotes(sign) + ", found " + in_quotes(rest_) + ".");
    }

    static bool in_word(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    }
    std::string_view peek_word() {
        blanks();
        if (rest_.empty() || std::isdigit(static_cast<unsigned char>(rest_.front())) != 0)
            return {};
        const auto end = std::ranges::find_if_not(rest_, in_word);
        return rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    }
    std::string word() {
        const std::string word(peek_word());
        if (word.empty()) refuse("expected a name, found " + in_quotes(rest_) + ".");
        rest_.remove_prefix(word.size());
        return word;
    }
    bool take_word(std::string_view word) { return peek_word() == word && take(word); }

    static double number(const Value& value) {
        if (const double* number = std::get_if<double>(&value)) return *number;
        refuse("expected a number, found " +
               (std::holds_alternative<bool>(value) ? "a condition"
                                                    : in_quotes(std::get<std::string>(value))) +
               ".");
    }
    static bool truth_of_value(const Value& value) {
        if (const bool* truth = std::get_if<bool>(&value)) return *truth;
        refuse("expected a condition, as in temperature < 0.5.");
    }

    Value either() {
        Value left = both();
        while (take_word("or")) {
            const bool right = truth_of_value(both());
            left = truth_of_value(left) || right;
        }
        return left;
    }
    Value both() {
        Value left = denial();
        while (take_word("and")) {
            const bool right = truth_of_value(denial());
            left = truth_of_value(left) && right;
        }
        return left;
    }
    Value denial() {
        if (!take_word("not")) return comparison();
        const Deeper deeper(*this);
        return !truth_of_value(denial());
    }

    Value comparison() {
        const bool setting = names_setting(peek_word());
        const Value left = sum();
        if (take("!=")) return differ(left, sum(), setting);
        if (take("=")) return equal(left, sum(), setting);
        if (take("<=")) return number(left) <= number(sum());
        if (take(">=")) return number(left) >= number(sum());
        if (take("<")) return number(left) < number(sum());
        if (take(">")) return number(left) > number(sum());
        return left;
    }
    // `setting`: the left side is a setting, which may be a number at one time and a word, such as
    // "none", at another.
    static bool equal(const Value& left, const Value& right, bool setting) {
        if (left.index() == right.index()) return left == right;
        if (!setting) refuse("expected two numbers, two words or two conditions to compare.");
        const auto* word = std::get_if<std::string>(&left);
        const auto* other_word = std::get_if<std::string>(&right);
        return (word != nullptr ? value_of(*word) : left) ==
               (other_word != nullptr ? value_of(*other_word) : right);
    }
    // What is not chosen, such as a token after Escape, neither is nor differs from a number.
    static bool differ(const Value& left, const Value& right, bool setting) {
        const bool chosen = left != Value(std::string()) || left.index() == right.index();
        return !equal(left, right, setting) && chosen;
    }
    [[nodiscard]] bool names_setting(std::string_view name) const {
        return find_field(name) != nullptr || chosen_value(present_.state, name);
    }

    Value sum() {
        Value left = product();
        for (;;) {
            if (take("+"))
                left = number(left) + number(product());
            else if (take("-"))
                left = number(left) - number(product());
            else
                return left;
        }
    }
    Value product() {
        Value left = factor();
        for (;;) {
            if (take("*"))
                left = number(left) * number(factor());
            else if (take("/"))
                left = number(left) / number(factor());
            else
                return left;
        }
    }

    // Counts nested parentheses, so that no text can overflow the stack.
    struct Deeper {
        explicit Deeper(Evaluator& in) : evaluator(in) {
            if (++evaluator.depth_ > kDeepestBrackets) refuse("expected fewer nested brackets.");
        }
        ~Deeper() { --evaluator.depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        Evaluator& evaluator;
    };

    Value factor() {
        const Deeper deeper(*this);
        if (take("-")) return -number(factor());
        if (take("(")) {
            const Value inside = either();
            expect(")");
            return inside;
        }
        blanks();
        if (rest_.starts_with('"')) return quoted();
        if (!peek_word().empty()) return named(word());
        double number = 0;
        const auto read = read_number(rest_.data(), rest_.data() + rest_.size(), number);
        if (read.ec != std::errc()) refuse("expected a value, found " + in_quotes(rest_) + ".");
        rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
        return number;
    }

    std::string quoted() {
        const std::size_t end = rest_.find('"', 1);
        if (end == std::string_view::npos)
            refuse("a text has an opening quote and no closing one.");
        std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }

    Value named(const std::string& name) {
        if (take("(")) {
            const Value result = function(name);
            expect(")");
            return result;
        }
        if (name == "true" || name == "false") return name == "true";
        if (name == "prediction") return prediction(present_);
        if (name == "probability") return probability({}, present_);
        if (name == "truth") return truth(present_);
        if (name == "right") return prediction(present_) == truth(present_);
        if (name == "layer") return layer_number(present_);
        if (const auto tensor = tensor_of(name, present_)) return one_cell(name, *tensor);
        if (const auto chosen = chosen_value(present_.state, name)) return value_of(*chosen);
        if (const Field* field = find_field(name)) return value_of_field(*field);
        refuse("there is no value, field or matrix called " + in_quotes(name) + ".");
    }

    // As its control shows it: what is left to the model has the model's value. "4.10" is a head of
    // layer 4, and no number.
    [[nodiscard]] Value value_of_field(const Field& field) const {
        std::string text = field.get(present_.state);
        const bool left_to_model = field.of_model && text == field.unset;
        if (left_to_model && present_.trace.model && applies(field, present_.trace))
            text = field.of_model(present_.trace);
        if (field.kind == FieldKind::structure) return text;
        return value_of(text);
    }

    Value one_cell(const std::string& name, Tensor tensor) {
        if (!take("["))
            refuse(name + ": expected a cell, as in " + name + "[3, 7], or a measure, as in max(" +
                   name + ").");
        const Cells cells = within_brackets(tensor);
        if (cells.view.rows * cells.view.cols != 1)
            refuse(name + ": expected one cell. For many, use a measure, as in max(…).");
        return static_cast<double>(cells.view(0, 0));
    }

    Value function(const std::string& name) {
        const auto measure = std::ranges::find(kMeasures, name, &Measure::name);
        if (measure != kMeasures.end()) return measure->of(cells());
        if (name == "rows" || name == "cols") return extent(name == "rows");
        if (name == "mass") {
            const Index head = head_number();
            expect(",");
            return mass(head, word(), present_);
        }
        if (name == "expected") return expected_mass(word(), present_);
        for (const HeadMeasureInfo& number : run_measures())
            if (name_of(number.id) == name) return numbers_of(head_number(), present_)[number.id];
        for (const ComputedMeasure& row : computed_measures())
            if (name_of(row.id) == name) return computed(row, head_number(), present_);
        if (name == "probability") {
            blanks();
            if (!rest_.starts_with('"')) refuse("probability: expected a class in quotes.");
            return probability(quoted(), present_);
        }
        refuse("there is no function " + in_quotes(name) + ".");
    }

    double extent(bool rows) {
        const std::string name = word();
        const auto tensor = tensor_of(name, present_);
        if (!tensor || !present_.trace.has(*tensor))
            refuse("there is no matrix " + in_quotes(name) + " here.");
        return static_cast<double>(rows ? present_.trace.rows(*tensor)
                                        : present_.trace.cols(*tensor));
    }

    // Reads "head 2"; returns the index from 0.
    Index head_number() {
        if (!take_word("head"))
            refuse("expected a head, as in head 2, found " + in_quotes(rest_) + ".");
        return place("head", number(factor()), 1, present_.trace.shape.heads) - 1;
    }

    static Index place(const std::string& what, double number, Index low, Index high) {
        if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high)) ||
            number != std::floor(number))
            refuse(what + ": expected a number from " + std::to_string(low) + " to " +
                   std::to_string(high) + ", found " + number_text(number) + ".");
        return static_cast<Index>(number);
    }

    Cells cells() {
        if (peek_word() == "head") {
            Cells all = matrix_of(Tensor::attention, head_number(), present_);
            if (take(","))
                all.view = all.view.block(place("row", number(sum()), 0, all.view.rows - 1), 0, 1,
                                          all.view.cols);
            return all;
        }
        const std::string name = word();
        const auto tensor = tensor_of(name, present_);
        if (!tensor) refuse("there is no matrix " + in_quotes(name) + ".");
        return take("[") ? within_brackets(*tensor)
                         : matrix_of(*tensor, present_.state.selection.head, present_);
    }

    Cells within_brackets(Tensor tensor) {
        Index head = present_.state.selection.head;
        if (peek_word() == "head" && info(tensor).per_head) {
            head = head_number();
            expect(",");
        }
        Cells cells = matrix_of(tensor, head, present_);
        const auto [row, rows] = range("row", cells.view.rows);
        expect(",");
        const auto [col, cols] = range("column", cells.view.cols);
        expect("]");
        cells.view = cells.view.block(row, col, rows, cols);
        return cells;
    }

    // First index and count.
    std::pair<Index, Index> range(const std::string& what, Index count) {
        if (take("*")) return {0, count};
        return {place(what, number(sum()), 0, count - 1), 1};
    }

    std::string_view rest_;
    const Present& present_;
    int depth_ = 0;
};

}  // namespace

Value evaluate(std::string_view expression, const Present& present) {
    if (expression.size() > kLongestExpression)
        refuse("expected an expression of at most " + std::to_string(kLongestExpression) +
               " characters.");
    return Evaluator(expression, present).all();
}

namespace {

constexpr std::string_view kSigns = "<>=!";

}  // namespace

std::string_view measured_side(std::string_view condition) {
    return trimmed(condition.substr(0, condition.find_first_of(kSigns)));
}

std::vector<Comparison> comparisons_in(std::string_view condition) {
    constexpr std::string_view kAnd = " and ";
    if (condition.find(" or ") != condition.npos) return {};
    std::vector<Comparison> found;
    while (!condition.empty()) {
        const std::size_t end = std::min(condition.find(kAnd), condition.size());
        const std::string_view whole = trimmed(condition.substr(0, end));
        condition.remove_prefix(std::min(end + kAnd.size(), condition.size()));
        const std::size_t sign = whole.find_first_of(kSigns);
        if (sign == whole.npos) continue;
        const std::size_t other = std::min(whole.find_first_not_of(kSigns, sign), whole.size());
        found.push_back({std::string(whole), std::string(measured_side(whole)),
                         std::string(whole.substr(sign, other - sign)),
                         std::string(trimmed(whole.substr(other)))});
    }
    return found;
}

bool holds(std::string_view condition, const Present& present) {
    const Value value = evaluate(condition, present);
    if (const bool* truth = std::get_if<bool>(&value)) return *truth;
    refuse("expected a condition, as in temperature < 0.5, found " + in_quotes(condition) + ".");
}

}  // namespace headlight::lessons
