#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/head_table.h"
#include "frame/picture.h"
#include "heads/export.h"
#include "heads/patched_stream.h"
#include "program/ordinals.h"
#include "ui/color_bar.h"

namespace headlight::screens {

namespace {

// State kept between frames.
struct TokensMemory {
    // The last answer: by step, in the layout of the grid; null: not yet.
    std::shared_ptr<const TokenPatchFinder::Said> laid_out;
    std::vector<SharedResult> maps;
    double most = 0;  // over all patches; prefix tokens may exceed the color range
    std::optional<int> hovered_step, next_hovered_step;
};

std::string step_name(const Frame& frame, int step) {
    const Model& model = *frame.trace.model;
    const int first = model.alike_from();
    return step == 0 && !model.has_merges()
               ? "before " + model.layers[static_cast<std::size_t>(first)].name
               : "after " + model.layers[static_cast<std::size_t>(first + step - 1)].name;
}

void lay_out(const Frame& frame, TokensMemory& memory,
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
    return fmt::format("{} taken from the baseline, {}:\n{}", token_name(frame.trace.layout, token),
                       step_name(frame, step),
                       effect_words(effects[static_cast<std::size_t>(token)], found));
}

// A click selects the token and the layer after which it is patched.
void choose(Frame& frame, int step, std::optional<Index> token) {
    if (token) frame.say("focus", std::to_string(*token));
    const Model& model = *frame.trace.model;
    if (step > 0 || model.has_merges())
        frame.say("layer", layer_number(model, model.alike_from() + step - 1));
}

// The prefix tokens, as squares at the end of the line above the picture.
void special_squares(Frame& frame, ui::Layout line, int step, const TokenPatches& patches,
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
        const ui::Rect cell = line.right(side + frame.px(3));
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
               TokensMemory& memory, const HeadsView& view, int present) {
    const ui::Rect line{place.x, place.y - frame.line(), place.w, frame.line()};
    ui::Rect label = line;
    const auto squares = static_cast<float>(frame.trace.layout.prefix()) * frame.line();
    label.w = std::max(label.w - squares, label.w * 0.4F);
    ui::Canvas canvas(frame.ui);
    canvas.label(label, step_name(frame, step),
                 {.size = ui::Size::small,
                  .color = step == present ? frame.colors().text : frame.colors().dim});
    special_squares(frame, {frame.ui, line}, step, patches, view.token);
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

// The residual stream after the selected layer, or after the one under the pointer.
int present_step(const Frame& frame, const TokensMemory& memory) {
    const int chosen = frame.trace.layer - frame.trace.model->alike_from() + 1;
    return memory.hovered_step.value_or(chosen);
}

// Names the tokens of the squares above the pictures.
std::string squares_words(const Frame& frame) {
    const TokenLayout& layout = frame.trace.layout;
    std::string names;
    if (layout.prefix() == 0) return ", over all patches";
    for (Index t = 0; t < layout.prefix() - layout.registers; ++t)
        names += (names.empty() ? "" : ", ") + token_name(layout, t);
    if (layout.registers > 0) names += names.empty() ? "registers" : ", registers";
    return "; squares above: " + names;
}

void token_pictures(Frame& frame, ui::Layout rect, const HeadsView& view,
                    const StreamPatchQuestion& question, TokensMemory& memory) {
    if (!has_last_tokens(frame.trace))
        return dim_line(frame, rect.top(frame.line() * 1.4F),
                        "Later layers merge the tokens of this layer. Only tokens of " +
                            last_layers(*frame.trace.model) + " can be taken from the baseline.");
    const auto said = of_question(ask_in(frame, view, kTokenPatching, question), question);
    ui::Layout head = rect.top(frame.line() * 1.4F), second = rect.top(frame.line() * 1.2F);
    progress_row(frame, head, kTokenPatching);
    if (!said) return dim_line(frame, head, "Computing…");
    if (!said->error.empty()) return dim_line(frame, head, said->error);
    lay_out(frame, memory, said);
    answers_line(frame, head, question, said->answer);
    const int step = present_step(frame, memory);
    const auto& effects = said->answer.tokens[static_cast<std::size_t>(step)];
    const bool there = std::cmp_less(view.token, effects.size());
    std::string words =
        fmt::format("with {} from the baseline, {}: ", token_name(frame.trace.layout, view.token),
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
    ui::color_bar(frame.ui, rect.bottom(ui::color_bar_height(frame.ui), 6), patches.scale,
                  "change in the probability" + squares_words(frame));
    const auto steps = static_cast<int>(memory.maps.size());
    const Tiles tiles = tiles_in(frame, rect, steps);
    for (int i = 0; i < steps; ++i)
        draw_step(frame, tiles.at(rect, i), i, patches, memory, view, step);
    const auto done = std::ranges::count_if(said->answer.tokens,
                                            [](const auto& tokens) { return !tokens.empty(); });
    frame.ui.report("heads.patched.steps", fmt::format("{} of {}", done, steps));
}

NumberTable tokens_table(const Frame& frame, const TokenEffects& found) {
    NumberTable table{{"after layer", "token from the baseline"},
                      {},
                      {"change in the probability", "in the logit"},
                      {}};
    for (std::size_t step = 0; step < found.tokens.size(); ++step)
        for (std::size_t token = 0; token < found.tokens[step].size(); ++token) {
            const HeadEffect& effect = found.tokens[step][token];
            table.add({stream_in_tables(*frame.trace.model, static_cast<int>(step)),
                       token_name(frame.trace.layout, static_cast<Index>(token))},
                      {effect.probability, static_cast<double>(effect.logit)});
        }
    return table;
}

}  // namespace

void patched_tokens(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question) {
    auto& memory = frame.memory.own<TokensMemory>();
    memory.next_hovered_step.reset();
    token_pictures(frame, {frame.ui, rect}, view, question, memory);
    if (memory.hovered_step != memory.next_hovered_step) frame.ui.ask_for_frame();
    memory.hovered_step = memory.next_hovered_step;
}

std::optional<NumberTable> patched_tokens_table(Frame& frame, const StreamPatchQuestion& question) {
    const auto said = of_question(studies_of(frame).ask(kTokenPatching, question), question);
    const auto* found = awaited(frame, said);
    return found == nullptr ? std::nullopt : std::optional(tokens_table(frame, *found));
}

}  // namespace headlight::screens
