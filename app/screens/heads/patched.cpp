#include "heads/patched.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "frame/classes.h"
#include "frame/picture.h"
#include "heads/leaving.h"
#include "heads/order.h"
#include "state/patching.h"
#include "ui/color_bar.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

// Remembered between frames.
struct PatchedMemory {
    std::unique_ptr<TokenPatchFinder> tokens = make_token_patch_finder();
    std::unique_ptr<LayerPatchFinder> layers = make_layer_patch_finder();
    // Of what was found last: by step, laid out as the patches; null: not yet.
    std::shared_ptr<const TokenPatchFinder::Said> laid_out;
    std::vector<SharedResult> maps;
    double most = 0;  // of all patches; the tokens before them may go beyond the colours
    std::optional<int> hovered_step, next_hovered_step;
};

StreamPatchQuestion question_of(const Frame& frame, const HeadsView& view) {
    const Model& model = *frame.trace.model;
    return {{{view.said->question.trace, counterfactual_of(frame.recipe, model),
              frame.summary.top.front().index},
             frame.work.pinned_trace(),
             counterfactual_of(*frame.state.pinned, model)}};
}

// What is there of another question speaks of other results.
template <class Said>
std::shared_ptr<const Said> of_question(std::shared_ptr<const Said> said,
                                        const StreamPatchQuestion& question) {
    return said && said->question == question ? said : nullptr;
}

std::string step_name(const Frame& frame, int step) {
    const Model& model = *frame.trace.model;
    const int first = model.alike_from();
    return step == 0 && !model.has_merges()
               ? "before " + model.layers[static_cast<std::size_t>(first)].name
               : "after " + model.layers[static_cast<std::size_t>(first + step - 1)].name;
}

std::string percent(double probability) { return fmt::format("{:.2f} %", probability * 100); }

// "98.21 → 45.10 %, logit −3.210" and "55 % of the logit's way to before"
std::string effect_words(const HeadEffect& effect, const PatchedAnswers& answers) {
    std::string words =
        fmt::format("{:.2f} → {:.2f} %, logit {:+.3f}", answers.now.probability * 100,
                    (answers.now.probability + effect.probability) * 100, effect.logit);
    const double way = answers.from.logit - answers.now.logit;
    if (std::abs(way) > 1e-6)
        words += fmt::format("\n{:.0f} % of the logit's way to before", effect.logit / way * 100);
    return words;
}

// The bar and the way to stop, while it is being found.
template <class Finder>
void progress_row(Frame& frame, ui::Rect& row, Finder& finder) {
    if (!finder.busy()) return;
    frame.ui.ask_for_frame();
    const ui::Rect stop = row.cut_right(ui::button_width(frame.ui, "Stop"));
    row.cut_right(frame.px(8));
    const ui::Rect place = row.cut_right(std::min(frame.px(140), row.w * 0.3F));
    row.cut_right(frame.px(12));
    ui::progress_bar(frame.ui, {place.x, place.center().y - frame.px(3), place.w, frame.px(6)},
                     finder.progress());
    if (!ui::button(frame.ui, "heads.patched.stop", stop, "Stop")) return;
    finder.cancel();
    frame.set("heads_order", "layer");
}

// What the model says now and before of the class that it answers now.
void answers_line(Frame& frame, const ui::Rect& row, const StreamPatchQuestion& question,
                  const PatchedAnswers& answers) {
    const std::string words = fmt::format(
        "{}: now {}, before {}", class_name(*frame.trace.model, question.of.now.of_class),
        percent(answers.now.probability), percent(answers.from.probability));
    ui::Canvas(frame.ui).label(row, words, {.face = ui::Face::bold, .size = ui::Size::small});
    frame.ui.report("heads.patched.now", fmt::format("{:.6f}", answers.now.probability));
    frame.ui.report("heads.patched.before", fmt::format("{:.6f}", answers.from.probability));
}

void dim_line(Frame& frame, const ui::Rect& row, const std::string& words) {
    ui::Canvas(frame.ui).label(row, words, {.size = ui::Size::small, .color = frame.colors().dim});
}

// ---- tokens

void lay_out(const Frame& frame, PatchedMemory& memory,
             const std::shared_ptr<const TokenPatchFinder::Said>& said) {
    if (memory.laid_out == said) return;
    memory.laid_out = said;
    memory.maps.clear();
    memory.most = 0;
    const PatchGrid& grid = frame.trace.grid;
    const auto prefix = static_cast<std::size_t>(frame.trace.layout.prefix());
    for (const auto& tokens : said->answer.tokens) {
        memory.maps.emplace_back();
        if (tokens.size() != prefix + static_cast<std::size_t>(grid.count())) continue;
        Matrix map(grid.rows, grid.cols);
        for (Index i = 0; i < map.size(); ++i)
            map.data()[i] =
                static_cast<float>(tokens[prefix + static_cast<std::size_t>(i)].probability);
        for (Index i = 0; i < map.size(); ++i)
            if (std::isfinite(map.data()[i]))
                memory.most = std::max(memory.most, std::abs(static_cast<double>(map.data()[i])));
        memory.maps.back() = make_result(std::move(map));
    }
}

struct Tiles {
    int across = 1;
    float wide = 0, tall = 0, line = 0, gap = 0;

    [[nodiscard]] ui::Rect at(const ui::Rect& rect, int i) const {
        return {rect.x + static_cast<float>(i % across) * (wide + gap),
                rect.y + static_cast<float>(i / across) * (line + tall + gap) + line, wide, tall};
    }
};

// As large as they all fit.
Tiles tiles_in(const Frame& frame, const ui::Rect& rect, int count) {
    const float aspect = aspect_of(*frame.trace.image);
    Tiles best{1, 0, 0, frame.line(), frame.px(8)};
    for (int across = 1; across <= count; ++across) {
        const int down = (count + across - 1) / across;
        const float wide = (rect.w + best.gap) / static_cast<float>(across) - best.gap,
                    tall = (rect.h + best.gap) / static_cast<float>(down) - best.gap - best.line;
        const float fitted = std::floor(std::min(wide, tall * aspect));
        if (fitted <= best.wide) continue;
        best.across = across;
        best.wide = fitted;
        best.tall = fitted / aspect;
    }
    return best;
}

struct TokenPatches {
    const TokenPatchFinder::Said& said;
    ui::ColorScale scale;
};

std::string token_words(const Frame& frame, const TokenEffects& found, int step, Index token) {
    const auto& effects = found.tokens[static_cast<std::size_t>(step)];
    if (std::cmp_greater_equal(token, effects.size())) return "Not computed yet";
    return fmt::format("{} taken from before, {}:\n{}", token_name(frame.trace.layout, token),
                       step_name(frame, step),
                       effect_words(effects[static_cast<std::size_t>(token)], found));
}

// A click chooses the token and the layer that it stands after.
void choose(Frame& frame, int step, std::optional<Index> token) {
    if (token) frame.say("focus", std::to_string(*token));
    const Model& model = *frame.trace.model;
    if (step > 0 || model.has_merges())
        frame.say("layer", std::to_string(model.alike_from() + step));
}

// The tokens before the patches, a square each at the end of the line above the picture.
void special_squares(Frame& frame, ui::Rect line, int step, const TokenPatches& patches,
                     Index shown) {
    const auto& effects = patches.said.answer.tokens[static_cast<std::size_t>(step)];
    const Index prefix = frame.trace.layout.prefix();
    ui::Canvas canvas(frame.ui);
    const float side = std::floor(line.h * 0.62F);
    const auto color_of = [&](double value) {
        const gl::Rgb rgb = patches.scale.color(static_cast<float>(value));
        return IM_COL32(rgb.r, rgb.g, rgb.b, 255);
    };
    for (Index t = prefix - 1; t >= 0 && std::cmp_less(t, effects.size()); --t) {
        if (line.w < side * 5) return;
        const ui::Rect cell = line.cut_right(side + frame.px(3));
        const ui::Rect square{cell.x + frame.px(3), cell.center().y - side / 2, side, side};
        const auto mouse =
            ui::interact(frame.ui, fmt::format("heads.patched.{}.token.{}", step, t), square);
        canvas.fill(square, color_of(effects[static_cast<std::size_t>(t)].probability),
                    frame.px(1));
        canvas.outline(square, t == shown ? frame.colors().accent : frame.colors().border,
                       t == shown ? frame.px(1.5F) : 1.0F, frame.px(1));
        if (mouse.clicked) choose(frame, step, t);
        if (!mouse.hovered) continue;
        hover_token(frame, Side::query, t);
        frame.ui.tooltip(token_words(frame, patches.said.answer, step, t));
    }
}

void draw_step(Frame& frame, const ui::Rect& place, int step, const TokenPatches& patches,
               PatchedMemory& memory, const HeadsView& view, int present) {
    const ui::Rect line{place.x, place.y - frame.line(), place.w, frame.line()};
    ui::Rect label = line;
    const auto squares = static_cast<float>(frame.trace.layout.prefix()) * frame.line();
    label.w = std::max(label.w - squares, label.w * 0.4F);
    ui::Canvas canvas(frame.ui);
    canvas.label(label, step_name(frame, step),
                 {.size = ui::Size::small,
                  .color = step == present ? frame.colors().text : frame.colors().dim});
    special_squares(frame, line, step, patches, view.token);
    Shown map;
    if (const SharedResult& found = memory.maps[static_cast<std::size_t>(step)]) {
        map.set_cells(found);
        map.scale = patches.scale;
    }
    draw_picture(frame, place,
                 {.name = fmt::format("heads.patched.{}", step),
                  .token = static_cast<int>(view.token),
                  .overlay = map.cells.empty() ? nullptr : &map,
                  .opacity = 0.7F});
    if (ImGui::IsItemHovered()) {
        memory.next_hovered_step = step;
        if (ImGui::IsItemDeactivated()) choose(frame, step, std::nullopt);
        const Focus& focus = frame.memory.next_hovered;
        if (focus.token)
            frame.ui.tooltip(token_words(frame, patches.said.answer, step, *focus.token));
    }
    if (step == present)
        canvas.outline(place.inset(-frame.px(2)), frame.colors().accent, frame.px(2), frame.px(2));
}

// The stream after the layer that is looked at, or under the pointer.
int present_step(const Frame& frame, const PatchedMemory& memory) {
    const int chosen = frame.trace.layer - frame.trace.model->alike_from() + 1;
    return memory.hovered_step.value_or(chosen);
}

// Whose the squares above the pictures are.
std::string squares_words(const Frame& frame) {
    const TokenLayout& layout = frame.trace.layout;
    std::string names;
    if (layout.prefix() == 0) return ", over all patches";
    for (Index t = 0; t < layout.prefix() - layout.registers; ++t)
        names += (names.empty() ? "" : ", ") + token_name(layout, t);
    if (layout.registers > 0) names += names.empty() ? "registers" : ", registers";
    return "; the square above: " + names;
}

void token_pictures(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question, PatchedMemory& memory) {
    if (!has_last_tokens(frame.trace))
        return dim_line(frame, rect.cut_top(frame.line() * 1.4F),
                        "The tokens of this layer are merged later on: those of " +
                            last_layers(*frame.trace.model) + " can be taken from before.");
    if (!view.stale) memory.tokens->ask(question);
    const auto said = of_question(memory.tokens->last(), question);
    ui::Rect head = rect.cut_top(frame.line() * 1.4F), second = rect.cut_top(frame.line() * 1.2F);
    progress_row(frame, head, *memory.tokens);
    if (!said) return dim_line(frame, head, "Computing…");
    if (!said->error.empty()) return dim_line(frame, head, said->error);
    lay_out(frame, memory, said);
    answers_line(frame, head, question, said->answer);
    const int step = present_step(frame, memory);
    const auto& effects = said->answer.tokens[static_cast<std::size_t>(step)];
    const bool there = std::cmp_less(view.token, effects.size());
    std::string words =
        fmt::format("with {} from before, {}: ", token_name(frame.trace.layout, view.token),
                    step_name(frame, step));
    if (there) {
        const double effect = effects[static_cast<std::size_t>(view.token)].probability;
        words += percent(said->answer.now.probability + effect);
        frame.ui.report("heads.patched.token", fmt::format("{:.6f}", effect));
    } else {
        words += "not computed yet";
    }
    dim_line(frame, second, words);
    const auto most = static_cast<float>(std::max(memory.most, 1e-9));
    const TokenPatches patches{*said, signed_scale(frame, -most, most)};
    ui::color_bar(frame.ui, rect.cut_bottom(ui::color_bar_height(frame.ui)), patches.scale,
                  "change of the probability" + squares_words(frame));
    rect.cut_bottom(frame.px(6));
    const auto steps = static_cast<int>(memory.maps.size());
    const Tiles tiles = tiles_in(frame, rect, steps);
    for (int i = 0; i < steps; ++i)
        draw_step(frame, tiles.at(rect, i), i, patches, memory, view, step);
    const auto done = std::ranges::count_if(said->answer.tokens,
                                            [](const auto& tokens) { return !tokens.empty(); });
    frame.ui.report("heads.patched.steps", fmt::format("{} of {}", done, steps));
}

// ---- layers

struct Branch {
    std::string_view name;
    HeadEffect LayerEffect::*effect;
    ImU32 color;
};

std::array<Branch, 3> branches(const Frame& frame) {
    return {{{"attention", &LayerEffect::attention, frame.colors().accent},
             {"MLP", &LayerEffect::mlp, frame.colors().hue(ui::Hue::weight)},
             {"both", &LayerEffect::both, frame.colors().text}}};
}

void branch_legend(Frame& frame, ui::Rect row) {
    ui::Canvas canvas(frame.ui);
    for (const Branch& branch : branches(frame)) {
        const ui::TextStyle style{.size = ui::Size::small, .color = branch.color};
        canvas.label(row.cut_left(canvas.measure(branch.name, style) + frame.px(12)), branch.name,
                     style);
    }
    const ui::TextStyle dim{.size = ui::Size::small, .color = frame.colors().dim};
    const std::string_view both = "both";
    ui::TextStyle right = dim;
    right.align = ui::Align::right;
    canvas.label(row.cut_right(canvas.measure(both, dim) + frame.px(8)), both, right);
    canvas.label(row, "of the layer, for all tokens, from before", dim);
}

std::string layer_words(const Frame& frame, int layer, const LayerEffects& found) {
    std::string words = layer_name(frame, layer) + " from before";
    for (const Branch& branch : branches(frame))
        words += fmt::format(
            "\n{}: {}", branch.name,
            effect_words(found.layers[static_cast<std::size_t>(layer)].*branch.effect, found));
    return words;
}

// Where bars begin, how long they are, and how far the other run is away.
struct BarPlace {
    float zero = 0, each = 0;
};

const ui::TextStyle kNumberStyle{
    .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};

void draw_layer(Frame& frame, ui::Rect row, int layer, const LayerEffects& found,
                const BarPlace& bars, const HeadsView& view) {
    const auto mouse =
        ui::interact(frame.ui, fmt::format("heads.patched.layer.{}", layer + 1), row);
    ui::Canvas canvas(frame.ui);
    const LayerEffect& effect = found.layers[static_cast<std::size_t>(layer)];
    const bool present = layer == view.chosen.layer;
    if (mouse.hovered || present)
        canvas.fill(row, mouse.hovered ? frame.colors().hover : frame.colors().card, frame.px(4));
    const ui::Rect inside = row.inset(0, row.h * 0.12F);
    const float tall = inside.h / 3;
    float y = inside.y;
    for (const Branch& branch : branches(frame)) {
        const auto length = static_cast<float>((effect.*branch.effect).probability) * bars.each;
        canvas.fill({std::min(bars.zero, bars.zero + length), y, std::max(std::abs(length), 1.0F),
                     std::max(tall - 1, 1.0F)},
                    branch.color);
        y += tall;
    }
    ui::Rect name = row.inset(frame.px(6), 0);
    canvas.label(
        name, layer_name(frame, layer),
        {.size = ui::Size::small, .color = present ? frame.colors().text : frame.colors().dim});
    canvas.label(name, change_text(effect.both.probability), kNumberStyle);
    if (mouse.hovered) frame.ui.tooltip(layer_words(frame, layer, found));
    if (mouse.clicked) frame.say("layer", std::to_string(layer + 1));
}

BarPlace bar_place(Frame& frame, const ui::Rect& rect, const LayerEffects& found) {
    double low = std::min(0.0, found.from.probability - found.now.probability),
           high = std::max(0.0, found.from.probability - found.now.probability);
    for (const LayerEffect& layer : found.layers)
        for (const HeadEffect* effect : {&layer.attention, &layer.mlp, &layer.both})
            if (std::isfinite(effect->probability)) {
                low = std::min(low, effect->probability);
                high = std::max(high, effect->probability);
            }
    // Between the layers' names and the numbers.
    ui::Canvas canvas(frame.ui);
    float left = 0;
    for (const Layer& layer : frame.trace.model->layers)
        left = std::max(left, canvas.measure(layer.name, {.size = ui::Size::small}));
    const float frills = frame.px(20), right = canvas.measure("−100.00 %", kNumberStyle) + frills,
                wide = std::max(rect.w - left - frills - right, 1.0F);
    const auto span = static_cast<float>(std::max(high - low, 1e-9));
    return {rect.x + left + frills + static_cast<float>(-low) / span * wide, wide / span};
}

// "now" and "before" below the two lines; where they would meet, "before" goes on after "now".
void name_lines(Frame& frame, const ui::Rect& rect, float y, float now, float before) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim{.size = ui::Size::small, .color = frame.colors().dim},
        red{.size = ui::Size::small, .color = frame.colors().error};
    const float gap = frame.px(8), w_now = canvas.measure("now", dim),
                w_before = canvas.measure("before", red);
    const auto placed = [&](float x, float width) {
        return std::clamp(x - width / 2, rect.x, std::max(rect.x, rect.x + rect.w - width));
    };
    float at_now = placed(now, w_now), at_before = placed(before, w_before);
    if (at_now < at_before + w_before + gap && at_before < at_now + w_now + gap) {
        if (before < now) {
            at_before = std::max(rect.x, at_now - gap - w_before);
            at_now = at_before + w_before + gap;
        } else {
            at_now = std::max(rect.x, at_before - gap - w_now);
            at_before = at_now + w_now + gap;
        }
    }
    canvas.text({at_now, y}, "now", dim);
    canvas.text({at_before, y}, "before", red);
}

void layer_bars(Frame& frame, ui::Rect rect, const HeadsView& view,
                const StreamPatchQuestion& question, PatchedMemory& memory) {
    if (!view.stale) memory.layers->ask(question);
    const auto said = of_question(memory.layers->last(), question);
    ui::Rect head = rect.cut_top(frame.line() * 1.4F);
    const ui::Rect second = rect.cut_top(frame.line() * 1.2F);
    progress_row(frame, head, *memory.layers);
    if (!said) return dim_line(frame, head, "Computing…");
    if (!said->error.empty()) return dim_line(frame, head, said->error);
    const LayerEffects& found = said->answer;
    answers_line(frame, head, question, found);
    branch_legend(frame, second);
    const int first = frame.trace.model->token_transformers(),
              count = static_cast<int>(found.layers.size()) - first;
    const ui::Rect foot = rect.cut_bottom(frame.line());
    const BarPlace bars = bar_place(frame, rect, found);
    const float each =
        std::min(rect.h / static_cast<float>(std::max(count, 1)), frame.line() * 3.2F);
    ui::Canvas canvas(frame.ui);
    const float bottom = rect.y + each * static_cast<float>(count);
    for (int b = first; b < first + count; ++b)
        draw_layer(frame, {rect.x, rect.y + each * static_cast<float>(b - first), rect.w, each}, b,
                   found, bars, view);
    canvas.line({bars.zero, rect.y}, {bars.zero, bottom}, frame.colors().dim);
    const float before =
        bars.zero + static_cast<float>(found.from.probability - found.now.probability) * bars.each;
    canvas.line({before, rect.y}, {before, bottom}, frame.colors().error, frame.px(1.5F));
    name_lines(frame, rect, std::min(bottom, foot.y), bars.zero, before);
    for (std::size_t b = 0; b < found.layers.size(); ++b)
        frame.ui.report(fmt::format("heads.patched.layer.{}", b + 1),
                        fmt::format("{:.6f}", found.layers[b].both.probability));
}

}  // namespace

bool is_patching(const Frame& frame) {
    return order_of(frame) == HeadOrder::patching && !frame.summary.top.empty();
}

bool shows_patched(const Frame& frame) {
    return is_patching(frame) && frame.state.look.heads_patched != Patched::heads;
}

void patched_choice(Frame& frame, ui::Rect row) {
    const std::vector<std::string_view> labels{"heads", "tokens", "layers"};
    ui::Canvas canvas(frame.ui);
    float width = 0;
    for (const auto label : labels) width += canvas.measure(label, {}) + frame.px(24);
    const ui::TextStyle dim{.color = frame.colors().dim};
    const std::string words = "Taken from before:";
    const float before = canvas.measure(words, dim) + frame.px(10);
    if (before + width <= row.w) canvas.label(row.cut_left(before), words, dim);
    const int chosen = ui::segmented(frame.ui, "heads.patched.what", row.cut_left(width), labels,
                                     static_cast<int>(frame.state.look.heads_patched));
    if (chosen >= 0) frame.set("heads_patched", std::string(name_of(static_cast<Patched>(chosen))));
}

void patched(Frame& frame, ui::Rect rect, const HeadsView& view) {
    auto& memory = frame.memory.own<PatchedMemory>();
    memory.next_hovered_step.reset();
    const StreamPatchQuestion question = question_of(frame, view);
    // Of the two the one that is shown.
    if (frame.state.look.heads_patched == Patched::tokens) {
        memory.layers->cancel();
        token_pictures(frame, rect, view, question, memory);
    } else {
        memory.tokens->cancel();
        layer_bars(frame, rect, view, question, memory);
    }
    if (memory.hovered_step != memory.next_hovered_step) frame.ui.ask_for_frame();
    memory.hovered_step = memory.next_hovered_step;
}

bool patching_busy(Memory& all) {
    const auto& memory = all.own<PatchedMemory>();
    return memory.tokens->busy() || memory.layers->busy();
}

void stop_patching(Memory& all) {
    auto& memory = all.own<PatchedMemory>();
    memory.tokens->cancel();
    memory.layers->cancel();
}

namespace {

NumberTable tokens_table(const Frame& frame, const TokenEffects& found) {
    NumberTable table{
        {"stream", "token from before"}, {}, {"change of the probability", "of the logit"}, {}};
    for (std::size_t step = 0; step < found.tokens.size(); ++step)
        for (std::size_t token = 0; token < found.tokens[step].size(); ++token) {
            const HeadEffect& effect = found.tokens[step][token];
            table.add({step_name(frame, static_cast<int>(step)),
                       token_name(frame.trace.layout, static_cast<Index>(token))},
                      {effect.probability, static_cast<double>(effect.logit)});
        }
    return table;
}

NumberTable layers_table(const Frame& frame, const LayerEffects& found) {
    NumberTable table{
        {"layer", "from before"}, {}, {"change of the probability", "of the logit"}, {}};
    for (auto b = static_cast<std::size_t>(frame.trace.model->token_transformers());
         b < found.layers.size(); ++b)
        for (const auto& [what, effect] : {std::pair{"attention", found.layers[b].attention},
                                           {"MLP", found.layers[b].mlp},
                                           {"both", found.layers[b].both}})
            table.add({frame.trace.model->layers[b].name, what},
                      {effect.probability, static_cast<double>(effect.logit)});
    return table;
}

}  // namespace

std::optional<NumberTable> patched_table(Frame& frame, const HeadsView& view) {
    if (!shows_patched(frame)) return std::nullopt;
    auto& memory = frame.memory.own<PatchedMemory>();
    const StreamPatchQuestion question = question_of(frame, view);
    if (frame.state.look.heads_patched == Patched::tokens) {
        const auto said = of_question(memory.tokens->last(), question);
        if (!said || !said->error.empty()) return std::nullopt;
        return tokens_table(frame, said->answer);
    }
    const auto said = of_question(memory.layers->last(), question);
    if (!said || !said->error.empty()) return std::nullopt;
    return layers_table(frame, said->answer);
}

}  // namespace headlight::screens
