#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

#include "analysis/similarity.h"
#include "encoder/run_scene.h"
#include "frame/capitals.h"
#include "frame/scene_text.h"
#include "frame/value_text.h"
#include "kernels/counted.h"
#include "look/view.h"
#include "scene/truth.h"
#include "state/all_heads.h"

namespace headlight::screens {

namespace {

constexpr std::size_t kNearest = 3;
// For photographs, sentences call one patch in twenty the brightest.
constexpr int kBrightShare = 20;

std::string lower(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

std::string in_words(int count) {
    constexpr std::array<std::string_view, 21> kWords{
        "no",       "one",     "two",     "three",     "four",     "five",     "six",
        "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
    return count >= 0 && count < static_cast<int>(kWords.size())
               ? std::string(kWords[static_cast<std::size_t>(count)])
               : std::to_string(count);
}

bool has_scene(const Frame& frame) { return frame.trace.image && frame.recipe.scene; }

// Whether it is the model for shapes and a scene is shown.
bool answers_this_scene(const Frame& frame) {
    return has_scene(frame) && frame.trace.model && answers_scenes(*frame.trace.model);
}

bool compares_patches(const Frame& frame) {
    const Trace& trace = frame.trace;
    return trace.model && !trace.model->is_maps() && !trace.model->is_bare_layer() && trace.image &&
           !is_cross(trace) && has_last_tokens(trace) &&
           trace.stream.size() == trace.model->layers.size() + 1;
}

// ---- the answer

void say_truth(const Frame& frame, Runs& runs) {
    const ShapeScene& scene = *frame.recipe.scene;
    const std::optional<int> truth = answer_of(scene);
    const auto guess = static_cast<int>(frame.summary.top.front().index);
    if (!truth)
        runs.push_back({" There is " + truth_in_words(scene) + "."});
    else if (*truth != guess)
        runs.push_back({" The correct answer: " + answer_name(*truth) + "."});
}

// For the model for photographs: its answer for the query patch.
void say_object(const Frame& frame, Index token, Runs& runs) {
    const MatrixView objects = frame.trace.view(Tensor::objects);
    if (token >= objects.rows || row_of_token(frame.trace, Axis::patch, token) < 0) return;
    const double object = 1 / (1 + std::exp(-double{objects(token, 0)}));
    if (std::isnan(object)) return;
    const bool is_one = object > 0.5;
    runs.push_back({" This patch: "});
    runs.push_back({is_one ? "an object" : "background", true});
    runs.push_back({" (" + percent_of(is_one ? object : 1 - object) + ")."});
    if (is_one) runs.push_back({" The arrow points to where its twin most likely is."});
}

// Empty if the model does not look for twins.
Runs twin_answer(const Frame& frame, Index token) {
    const Prediction& best = frame.summary.top.front();
    const std::string name = class_name(*frame.trace.model, best.index);
    const bool pair = name == "a pair";
    if (!frame.trace.model->twin.exists() || (!pair && name != "no pair") ||
        std::isnan(best.probability))
        return {};
    Runs runs{{"The model answers: "},
              {pair ? "an object appears twice" : "no object appears twice", true},
              {", " + percent_of(best.probability) + " sure."}};
    if (frame.recipe.scene)
        runs.push_back({" Drag a shape to change the question."});
    else if (frame.trace.has(Tensor::objects))
        say_object(frame, token, runs);
    return runs;
}

Runs class_answer(const Frame& frame, Index token) {
    if (Runs answer = twin_answer(frame, token); !answer.empty()) return answer;
    const Prediction& best = frame.summary.top.front();
    const std::string name = class_name(*frame.trace.model, best.index);
    if (std::isnan(best.probability))
        return {{"The model gives no answer: its logits are not numbers."}};
    Run answer{name, true};
    const bool of_scene = answers_this_scene(frame);
    if (of_scene)
        if (const auto truth = answer_of(*frame.recipe.scene))
            answer.color =
                *truth == static_cast<int>(best.index) ? frame.colors().ok : frame.colors().error;
    Runs runs{{"The model answers "}, answer, {", " + percent_of(best.probability) + " sure."}};
    if (of_scene) say_truth(frame, runs);
    if (frame.recipe.scene) runs.push_back({" Drag a shape to change the question."});
    return runs;
}

Runs nearest_answer(Frame& frame, LookMemory& memory, Index token) {
    const auto& nearest = nearest_to(frame, memory, token);
    if (nearest.empty()) return {};
    // A sentence for each, so that the last ones can be left out.
    constexpr std::array kBefore{
        "Most similar to this patch after the last layer: ", " Second: ", " Third: "};
    Runs runs;
    for (std::size_t i = 0; i < std::min(nearest.size(), kBefore.size()); ++i) {
        runs.push_back({kBefore.at(i)});
        runs.push_back({place_words(frame, nearest[i].first), true});
        runs.push_back({fmt::format(" ({:.2f}).", nearest[i].second)});
    }
    return runs;
}

// ---- the caption

struct Target {
    std::string name;
    double share = 0;
    bool is_own = false;  // the query token's own shape
    bool is_background = false;
    double area = 0;  // fraction of the picture
};

double sum_of(const MatrixView& row, Index first, Index count) {
    double sum = 0;
    for (Index i = first; i < first + count; ++i) sum += row(0, i);
    return sum;
}

const std::vector<std::int16_t>* shapes_under(Frame& frame, const HeadPlace& place) {
    const auto* shapes = has_scene(frame) ? frame.picture_tools.shapes_of_patches(frame) : nullptr;
    return shapes != nullptr && patch_grid_of(frame, place.layer) == frame.trace.grid ? shapes
                                                                                      : nullptr;
}

std::string other_tokens(const Frame& frame) {
    const TokenLayout& layout = frame.trace.layout;
    if (layout.prefix() == 1) return "the " + token_name(layout, 0);
    return layout.class_tokens > 0 ? "the class token and " + counted(layout.prefix() - 1, "other")
                                   : fmt::format("{} tokens that are not patches", layout.prefix());
}

// For a scene: what gets the most attention.
Target strongest(Frame& frame, const LookView& view, const std::vector<std::int16_t>& shapes) {
    const MatrixView row = row_of(view, view.shown);
    const ShapeScene& scene = *frame.recipe.scene;
    const Index prefix = frame.trace.layout.prefix();
    std::vector<double> sums(scene.shapes.size() + 1), cells(sums.size());
    for (std::size_t p = 0; p < shapes.size(); ++p) {
        const std::size_t s =
            shapes[p] < 0 ? scene.shapes.size() : static_cast<std::size_t>(shapes[p]);
        sums.at(s) += row(0, prefix + static_cast<Index>(p));
        cells.at(s) += 1;
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
    const double before = sum_of(row, 0, prefix);
    if (before > sums[best]) return {other_tokens(frame), before};
    Target target{"the background", sums[best]};
    target.is_background = best == scene.shapes.size();
    target.area = cells[best] / static_cast<double>(shapes.size());
    if (target.is_background) return target;
    target.name = "the " + name_of_shape(scene, static_cast<int>(best));
    const Index patch = row_of_token(frame.trace, Axis::patch, view.token);
    target.is_own = patch >= 0 && shapes[static_cast<std::size_t>(patch)] == static_cast<int>(best);
    return target;
}

void say_target(Runs& runs, const Target& target) {
    runs.push_back({percent_of(target.share), true});
    if (target.is_own) {
        runs.push_back({" of its attention stays on "});
        runs.push_back({target.name, true});
        return runs.push_back({" itself."});
    }
    runs.push_back({" of its attention goes to "});
    runs.push_back({target.name, true});
    runs.push_back({target.is_background
                        ? ", which is " + percent_of(target.area) + " of the picture."
                        : "."});
}

// For a photograph: how much attention the brightest patches get, and how much goes to other
// tokens.
void say_brightest(const Frame& frame, const LookView& view, Runs& runs) {
    const MatrixView patches = patches_of(frame, view, view.shown);
    std::vector<float> sorted;
    for (Index r = 0; r < patches.rows; ++r)
        sorted.insert(sorted.end(), patches.row(r), patches.row(r) + patches.cols);
    std::ranges::sort(sorted, std::greater{});
    const auto bright = std::max<std::size_t>(1, sorted.size() / kBrightShare);
    double share = 0;
    for (std::size_t i = 0; i < bright; ++i) share += sorted[i];
    runs.push_back({percent_of(share), true});
    runs.push_back({bright == 1 ? " of its attention goes to the brightest patch"
                                : fmt::format(" of its attention goes to the {} brightest of {} "
                                              "patches",
                                              bright, sorted.size())});
    if (const Index prefix = frame.trace.layout.prefix(); prefix > 0) {
        runs.push_back({", and "});
        runs.push_back({percent_of(sum_of(row_of(view, view.shown), 0, prefix)), true});
        runs.push_back({" to " + other_tokens(frame)});
    }
    runs.push_back({"."});
}

// For given tokens: the three that get the most attention.
void say_strongest_tokens(Frame& frame, const LookView& view, Runs& runs) {
    const MatrixView row = row_of(view, view.shown);
    std::vector<Index> order(static_cast<std::size_t>(row.cols));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    std::ranges::stable_sort(order, std::greater{}, [&](Index i) { return row(0, i); });
    order.resize(std::min(order.size(), kNearest));
    runs.push_back({"it gives "});
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0) runs.push_back({i + 1 == order.size() ? " and " : ", "});
        runs.push_back({percent_of(row(0, order[i])), true});
        runs.push_back({i == 0 ? " of its attention to " : " to "});
        runs.push_back({token_name(frame.trace.layout, order[i]), true});
    }
    runs.push_back({"."});
}

void say_who_asks(Frame& frame, const LookView& view, Runs& runs) {
    const std::string name = place_words(frame, view.token);
    switch (view.asking) {
        case Asking::hovered:
            runs.push_back({"You are pointing at "});
            runs.push_back({name, true});
            return runs.push_back({". "});
        case Asking::pinned:
            runs.push_back({first_capital(name), true});
            return runs.push_back({" is pinned; Esc releases it. "});
        case Asking::usual: {
            const bool patch = frame.trace.image && !is_cross(frame.trace) &&
                               row_of_token(frame.trace, Axis::patch, view.token) >= 0;
            runs.push_back({!patch                       ? "This is "
                            : name.starts_with("token ") ? "The outlined patch is "
                                                         : "The outlined patch is on "});
            runs.push_back({name, true});
            return runs.push_back({". "});
        }
    }
}

}  // namespace

std::string layer_words(const Frame& frame, int layer) {
    const auto& model = frame.trace.model;
    const auto at = static_cast<std::size_t>(layer);
    if (!model || at >= model->layers.size()) return "layer " + std::to_string(layer + 1);
    const std::string& name = model->layers[at].name;
    return name.starts_with("Layer") ? lower(name) : name;
}

std::string head_words(const Frame& frame, const HeadPlace& place) {
    return layer_words(frame, place.layer) + ", head " + std::to_string(place.head + 1);
}

std::string heads_title(int heads, const std::string& what) {
    if (heads == 1) return "One head looks at the " + what;
    return first_capital(in_words(heads)) + " heads look at the same " + what + " in " +
           in_words(heads) + " ways";
}

std::string place_words(Frame& frame, Index token) {
    const Trace& trace = frame.trace;
    if (is_cross(trace)) return name_of_token(trace, Side::query, token);
    const Index patch = row_of_token(trace, Axis::patch, token);
    if (trace.layout.names || patch < 0 || trace.grid.cols == 0) {
        const std::string name = token_name(trace.layout, token);
        return patch < 0 ? "the " + name : name;
    }
    const auto* shapes = has_scene(frame) ? frame.picture_tools.shapes_of_patches(frame) : nullptr;
    if (shapes == nullptr) return token_and_place(trace, token);
    const auto shape = static_cast<int>((*shapes)[static_cast<std::size_t>(patch)]);
    return shape < 0 ? "the background" : "the " + name_of_shape(*frame.recipe.scene, shape);
}

const std::vector<std::pair<Index, float>>& nearest_to(Frame& frame, LookMemory& memory,
                                                       Index token) {
    auto& kept = memory.nearest;
    const auto& trace = frame.shared(frame.trace);
    if (kept.trace == trace && kept.token == token) return kept.tokens;
    kept = {trace, token, {}};
    if (!frame.summary.top.empty() || !compares_patches(frame)) return kept.tokens;
    const Index tokens = trace->layout.count(), prefix = trace->layout.prefix();
    MatrixView last = trace->view(Tensor::norm);
    if (last.rows != tokens) last = trace->stream.back()->view();
    if (last.rows < tokens || token < prefix || token >= tokens) return kept.tokens;
    const Vector cosines = cosines_to(last.block(0, 0, tokens, last.cols), token);
    for (Index j = prefix; j < tokens; ++j)
        if (j != token && !std::isnan(cosines(j))) kept.tokens.emplace_back(j, cosines(j));
    std::ranges::stable_sort(kept.tokens, std::greater{}, &std::pair<Index, float>::second);
    kept.tokens.resize(std::min(kept.tokens.size(), kNearest));
    return kept.tokens;
}

std::string question_words(Frame& frame) {
    const Trace& trace = frame.trace;
    if (!trace.image) {
        const auto* set = std::get_if<VectorSet>(&frame.recipe.tokens);
        const std::string what = set == nullptr ? "tokens" : has_words(*set) ? "words" : "vectors";
        const std::string name = name_of_token(trace, Side::query, *frame.focus.token);
        return "Which " + what + " does " + (what == "words" ? "“" + name + "”" : name) +
               " attend to?";
    }
    if (answers_this_scene(frame)) return "Which kind of shape appears twice?";
    if (frame.trace.has(Tensor::twin_query) || frame.pending(Tensor::twin_query))
        return "Which object appears twice, and where?";
    if (!frame.summary.top.empty() || frame.pending(Tensor::logits))
        return "What does the picture show?";
    if (is_cross(trace)) return "Which patches does this query attend to?";
    return compares_patches(frame) ? "Which patches are similar to this one?"
                                   : "Which patches does this patch attend to?";
}

Runs answer_runs(Frame& frame, LookMemory& memory, const LookView& view) {
    if (frame.pending(Tensor::logits) && !memory.answer.empty()) return memory.answer;
    const Trace& trace = frame.trace;
    Runs runs;
    if (!frame.summary.top.empty() && !frame.pending(Tensor::logits))
        runs = class_answer(frame, view.token);
    else if (trace.model && trace.model->is_maps())
        runs = {{"These attention maps come from a file, without a model that could answer."}};
    else if (trace.image && compares_patches(frame))
        runs = nearest_answer(frame, memory, view.token);
    else if (trace.model && trace.model->is_bare_layer())
        runs = {{"This is a single attention layer: it outputs numbers and gives no answer."}};
    memory.answer = runs;
    return runs;
}

Runs caption_runs(Frame& frame, const LookView& view) {
    Runs runs;
    if (!view.has(view.shown)) return runs;
    say_who_asks(frame, view, runs);
    runs.push_back({"In " + head_words(frame, view.shown) + ", "});
    if (const auto* shapes = shapes_under(frame, view.shown); shapes != nullptr)
        say_target(runs, strongest(frame, view, *shapes));
    else if (!patches_of(frame, view, view.shown).empty() && frame.trace.image)
        say_brightest(frame, view, runs);
    else
        say_strongest_tokens(frame, view, runs);
    return runs;
}

}  // namespace headlight::screens
