#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/counted.h"
#include "program/program.h"
#include "ui/color_bar.h"
#include "walk/panels.h"
#include "walk/plane.h"
#include "walk/points.h"
#include "walk/scale_choice.h"
#include "walk/signal_plot.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// "queries" are learned ones for cross-attention to an image, for a single layer.
constexpr std::array<std::string_view, 6> kSources{"image",  "vectors", "words",
                                                   "signal", "tokens",  "queries"};
enum Source { kImage, kVectors, kWords, kSignal, kTokens, kQueries };

Source source_of(const Recipe& recipe) {
    if (recipe.queries) return kQueries;
    const auto found = std::ranges::find(kSources, input_name(recipe));
    return found == kSources.end() ? kImage : static_cast<Source>(found - kSources.begin());
}

void choose(Frame& frame, int source) {
    if (source < 0 || source == source_of(frame.state.recipe)) return;
    switch (static_cast<Source>(source)) {
        case kImage:
            if (frame.state.recipe.queries) return frame.set("queries", "none");
            return frame.state.on_picture ? frame.say("picture") : frame.say("scene", "random");
        case kVectors:
            return frame.say("vectors", "four");
        case kWords:
            return frame.say("vectors", "royal");
        case kSignal:
            return frame.say("signal", "steps");
        case kTokens:  // from a file to be chosen
            return frame.say("show", "files");
        case kQueries:
            return frame.set("queries", std::to_string(kUsualQueries));
    }
}

// ---- the vectors in numbers

float row_height(const Frame& frame) { return frame.line() + frame.px(8); }

// Turns typed text into a command; true if it changed.
bool typed(Frame& frame, const std::string& name, const ui::Rect& rect, std::string& text) {
    const std::string before = text;
    return ui::number_field(frame.ui, name, rect.inset(frame.px(2)), text) && text != before;
}

std::string number_text(float number) { return fmt::format("{}", number); }

// The widths of the table. If a name would be cut, numbers give up room that they do not need, and
// then the buttons that remove a vector: each appears in its row under the pointer.
struct VectorColumns {
    float dot = 0, number = 0, remove = 0;
};

VectorColumns columns_of(const Frame& frame, const VectorSet& set, float width) {
    const ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.face = ui::Face::mono, .size = ui::Size::small};
    float word = 0, digits = 0;
    for (std::size_t i = 0; i < set.vectors.size(); ++i) {
        word = std::max(word, canvas.measure(vector_name(set, i), style));
        for (const float number : set.vectors[i].at)
            digits = std::max(digits, canvas.measure(number_text(number), style));
    }
    const float margins = frame.px(8), count = static_cast<float>(set.width());
    VectorColumns columns{.dot = frame.px(14), .remove = frame.line()};
    float room = width - columns.dot - columns.remove;
    // A word is longer than a coordinate.
    const float usual = std::min(frame.px(62) * frame.ui.text_scale(), room * 0.68F / count);
    const float least = std::min(usual, digits + margins);
    if (least * count + word + margins > room) {
        columns.remove = 0;
        room = width - columns.dot;
    }
    columns.number = std::clamp((room - word - margins) / count, least, usual);
    return columns;
}

void vector_row(Frame& frame, ui::Layout row, const VectorSet& set, std::size_t i,
                const VectorColumns& columns) {
    const NamedVector& vector = set.vectors[i];
    const std::string name = fmt::format("vectors.{}", i + 1), number = std::to_string(i + 1);
    const bool lit = frame.focus.token == static_cast<int>(i);
    ui::Canvas canvas(frame.ui);
    if (lit) canvas.fill(row, frame.colors().hover, frame.px(4));
    // Also while the button of the row is held down, which would vanish otherwise.
    const bool pointed = row.contains(ImGui::GetIO().MousePos) &&
                         ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    if (pointed) frame.memory.next_hovered.token = static_cast<int>(i);
    const ui::Rect dot = row.left(columns.dot);
    const bool apart = columns.remove > 0;
    const bool removes = set.vectors.size() > kLeastVectors && (apart || pointed);
    const ui::Rect gone = apart ? row.right(columns.remove) : dot;
    if (removes && ui::button(frame.ui, name + ".delete",
                              {gone.x, gone.center().y - gone.w / 2, gone.w, gone.w}, "",
                              ui::ButtonLook::plain, "Removes this vector", ui::Icon::close))
        frame.say("delete-vector", number);
    if (apart || !removes) canvas.circle(dot.center(), frame.px(4), vector_color(frame, i));
    const float numbers = columns.number;
    const float all_numbers = numbers * static_cast<float>(vector.at.size());
    std::string word = vector_name(set, i);
    if (typed(frame, name + ".word", row.left(row.w - all_numbers), word))
        frame.say("name-vector", number, word);
    Command move{"set-vector", {number}};
    bool moved = false;
    for (std::size_t c = 0; c < vector.at.size(); ++c) {
        std::string text = number_text(vector.at[c]);
        const std::string cell = fmt::format("{}.{}", name, c + 1);
        moved = typed(frame, cell, row.left(numbers), text) || moved;
        move.args.push_back(text);
    }
    if (!moved) return;
    frame.out.push_back(std::move(move));
    frame.memory.gesture_ended = true;
}

// Adds a vector opposite to the existing ones, where there is most space.
void add_vector(Frame& frame, const VectorSet& set) {
    Command add{"add-vector", {}};
    for (int c = 0; c < set.width(); ++c) {
        float sum = 0;
        for (const NamedVector& vector : set.vectors) sum += vector.at[static_cast<std::size_t>(c)];
        const float opposite = -sum / static_cast<float>(set.vectors.size());
        add.args.push_back(fmt::format("{:.2f}", c == 0 && sum == 0 ? 1 : opposite));
    }
    frame.out.push_back(std::move(add));
}

void vector_buttons(Frame& frame, ui::Layout row, const VectorSet& set) {
    const bool full = set.vectors.size() >= kMostVectors;
    const ui::Rect left = row.left(row.w / 2 - frame.px(4), 8);
    if (ui::button(frame.ui, "vectors.add", left, "Add",
                   full ? ui::ButtonLook::disabled : ui::ButtonLook::outlined,
                   full ? "There can be at most 12 vectors" : "Adds a vector"))
        add_vector(frame, set);
    std::vector<std::string_view> names;
    std::vector<std::string> titles;
    for (const VectorPreset& preset : vector_presets()) {
        names.push_back(preset.name);
        titles.emplace_back(preset.title);
    }
    const int chosen = ui::menu_button(frame.ui, "vectors.set", row, "Examples", names,
                                       "Examples of vectors and words", titles);
    if (chosen >= 0) frame.say("vectors", std::string(names[static_cast<std::size_t>(chosen)]));
}

void vector_table(Frame& frame, ui::Layout& rect, const VectorSet& set) {
    const float high = row_height(frame);
    const ui::Rect whole = rect.top(high * static_cast<float>(set.vectors.size()) + frame.px(8), 8);
    ui::Canvas(frame.ui).card(whole, frame.colors().card);
    ui::Layout inside(frame.ui, whole, 6, 4);
    const VectorColumns columns = columns_of(frame, set, inside.w);
    for (std::size_t i = 0; i < set.vectors.size(); ++i)
        vector_row(frame, inside.top(high), set, i, columns);
    vector_buttons(frame, rect.top(high, 12), set);
}

// ---- tokens of a file

std::string shape_of(const TokenFile& tokens) {
    const TokenArray array = tokens.array();
    if (tokens.is_cross())
        return fmt::format("{} of {}, {} of {}", counted(tokens.queries().rows, "query"),
                           tokens.queries().width, counted(array.rows, "token"),
                           counted(array.width, "number"));
    const std::string of = " of " + counted(array.width, "number");
    if (array.map_cols == 0) return counted(array.rows, "token") + of;
    return fmt::format("{} × {} cells", array.map_rows, array.map_cols) + of;
}

void sample_row(Frame& frame, ui::Layout row, const TokenFile& tokens) {
    const auto samples = tokens.array().samples;
    const auto step = [&](const char* where, const ui::Rect& place, ui::Icon icon, bool there) {
        if (ui::button(frame.ui, std::string("tokens.") + where, place, "",
                       there ? ui::ButtonLook::outlined : ui::ButtonLook::disabled, "", icon))
            frame.say("sample", where);
    };
    step("previous", row.left(row.h), ui::Icon::previous, tokens.sample > 0);
    step("next", row.right(row.h), ui::Icon::next, tokens.sample + 1 < samples);
    const std::string words = fmt::format("sample {} of {}", tokens.sample + 1, samples);
    ui::Canvas(frame.ui).label(row, words, {.align = ui::Align::center});
    frame.ui.report("tokens.sample", words);
}

// The open file, the shown sample, and how an unnamed array is interpreted.
void file_card(Frame& frame, ui::Layout& rect, const TokenFile& tokens) {
    constexpr float gap = 8;
    ui::Canvas(frame.ui).label(rect.row(ui::Size::body, 0, gap), shape_of(tokens), {});
    if (tokens.array().samples > 1) {
        sample_row(frame, rect.top(row_height(frame), gap), tokens);
    }
    if (tokens.named || tokens.shape.size() != 3) return;
    const int chosen = ui::segmented(frame.ui, "tokens.array", rect.top(row_height(frame)),
                                     {"map", "batch"}, tokens.batch ? 1 : 0);
    if (chosen >= 0) frame.say("array", chosen == 1 ? "batch" : "map");
    rect.skip_top(gap);
}

// ---- attention weights

constexpr int kMostStrips = 8;

// Whose row or column of weights is shown.
Side asked_side(const Frame& frame) {
    const bool by = frame.state.look.reading == Reading::by;
    return is_cross(frame.trace) && by ? Side::key : Side::query;
}

void weight_strip(Frame& frame, ui::Layout rect, int head, int token) {
    const bool from = frame.state.look.reading == Reading::from;
    const Side other = !is_cross(frame.trace) || !from ? Side::query : Side::key;
    const Shown what = from ? shown(frame, Tensor::attention, head)
                            : shown_transposed(frame, Tensor::attention, head);
    if (what.cells.empty()) return;
    const std::string name = fmt::format("heads.{}", head + 1);
    if (frame.trace.shape.heads > 1) {
        const bool chosen = head == frame.state.selection.head;
        ui::Canvas(frame.ui).label(
            rect.left(frame.px(18) * frame.ui.text_scale()), std::to_string(head + 1),
            {.size = ui::Size::small, .color = chosen ? frame.colors().text : frame.colors().dim});
    }
    ui::HeatmapSpec spec;
    spec.name = name;
    spec.cells = what.cells;
    spec.scale = what.scale;
    spec.window = {static_cast<float>(token), 0, 1, static_cast<float>(what.cells.cols)};
    spec.outline_cell = false;
    spec.rounding = frame.px(3);
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, rect, spec);
    if (!hit.hovered) return;
    frame.memory.next_hovered_head = head;
    const bool swapped = is_cross(frame.trace) && !from;
    frame.memory.next_hovered.token = swapped ? hit.col : token;
    frame.memory.next_hovered.key_token = swapped ? token : hit.col;
    frame.ui.tooltip(name_of_token(frame.trace, asked_side(frame), token) +
                     (from ? " attends to " : " is attended by ") +
                     name_of_token(frame.trace, other, hit.col) + ": " +
                     ui::number(what.view(token, hit.col), 4));
    if (hit.clicked) frame.say("head-click", std::to_string(head + 1));
}

// Beside the choice of scale, which takes the space that it needs.
bool has_room_to_choose(Frame& frame, float width) {
    const float scale = frame.difference() ? 0 : scale_choice_width(frame) + frame.px(8);
    return width - scale >= 2 * (ui::Canvas(frame.ui).measure("attended by", {}) + frame.px(10));
}

// In lecture view there is nothing to choose.
bool has_line_to_choose(Frame& frame, float width) {
    return !has_room_to_choose(frame, width) && !frame.state.look.lecture;
}

// `chooses`: with the choices below the weights.
float weights_height(Frame& frame, float width, bool chooses) {
    const float below = has_line_to_choose(frame, width) ? row_height(frame) + frame.px(6) : 0;
    const auto heads = std::min<Index>(frame.trace.shape.heads, kMostStrips);
    return frame.line() + frame.px(6) + (frame.line() + frame.px(10)) * static_cast<float>(heads) +
           ui::color_bar_height(frame.ui) +
           (chooses ? frame.px(20) + row_height(frame) + below : 0);
}

// One row of attention for each head.
void weights(Frame& frame, ui::Layout& rect, bool chooses) {
    const int token = focus_of(frame, asked_side(frame)).value_or(0);
    const bool from = frame.state.look.reading == Reading::from;
    const std::string name = name_of_token(frame.trace, asked_side(frame), token);
    const ui::Rect title = rect.row();
    if (from)
        caption_that_fits(frame.ui, title, {"WEIGHTS OF " + name, "WEIGHTS", "ROW OF A"});
    else
        caption_that_fits(frame.ui, title, {"ATTENTION TO " + name, "ATTENTION", "COL. OF A"});
    rect.skip_top(6);
    const auto heads = std::min<Index>(frame.trace.shape.heads, kMostStrips);
    for (int head = 0; head < heads; ++head) {
        weight_strip(frame, rect.row(4, 6), head, token);
    }
    const Shown what = shown(frame, Tensor::attention, frame.head);
    if (const ui::Rect bar = rect.top(ui::color_bar_height(frame.ui)); !what.cells.empty())
        ui::color_bar(frame.ui, bar, what.scale, "", "image");
    if (!chooses) return;
    rect.skip_top(8);
    const bool beside = has_room_to_choose(frame, rect.w);
    ui::Layout row = rect.top(row_height(frame));
    const bool fits = !frame.state.look.lecture || scale_choice_width(frame) <= row.w;
    if (!frame.difference() && fits) {
        scale_choice(frame, row.right(scale_choice_width(frame), 8), "image.scale");
    }
    if (has_line_to_choose(frame, rect.w)) {
        rect.skip_top(6);
        row = rect.top(row_height(frame));
    } else if (!beside) {
        return;
    }
    const int reading =
        ui::segmented(frame.ui, "image.reading", row, {"attends to", "attended by"}, from ? 0 : 1);
    if (reading >= 0) frame.set("reading", reading == 0 ? "from" : "by");
    rect.skip_top(12);
}

// In lecture view, where no code tells it.
void shape_of_batch(Frame& frame, ui::Layout rect) {
    const std::string words = batch_text(frame);
    if (words.empty()) return;
    frame.ui.report("stage.batch", words);
    rect.skip_top(12);
    const ui::TextStyle mono = frame.mono_dim();
    ui::Canvas canvas(frame.ui);
    if (canvas.measure_wrapped(words, mono, rect.w).y <= rect.h) canvas.wrapped(rect, words, mono);
}

// A picture of the tokens, if the stage shows something else.
void small_picture(Frame& frame, const ui::Rect& rect) {
    if (vectors_of(frame) != nullptr) return plane(frame, rect, "image.plane");
    if (are_points(frame)) return points_plot(frame, rect, "image.points");
    signal_plot(frame, rect, "image.signal");
}

}  // namespace

void source_choice(Frame& frame, const ui::Rect& rect) {
    const Source present = source_of(frame.state.recipe);
    const auto without_queries = kSources.end() - 1;
    const bool is_tokens = present != kImage && present != kQueries;
    float all_words = 0;
    for (auto source = kSources.begin(); source != without_queries; ++source)
        all_words += ui::Canvas(frame.ui).measure(*source, {}) + frame.px(8);
    if (is_tokens && all_words <= rect.w)
        return choose(frame, ui::segmented(frame.ui, "input", rect,
                                           {kSources.begin(), without_queries}, present));
    // The caption leaves little space.
    const bool all = present == kQueries || takes_queries(*frame.trace.model);
    choose(frame,
           ui::menu_button(
               frame.ui, "input", rect,
               is_tokens ? kSources[static_cast<std::size_t>(present)] : "Input",
               {kSources.begin(), all ? kSources.end() : without_queries},
               "Chooses what the tokens are. Queries: learned queries that attend to the image"));
}

void tokens_panel(Frame& frame, ui::Layout rect) {
    if (!frame.state.look.lecture) {
        source_choice(frame, rect.top(row_height(frame), 10));
    }
    const VectorSet* set = vectors_of(frame);
    // Edited numbers are the current ones, not those of the last result.
    const auto* wanted = std::get_if<VectorSet>(&frame.state.recipe.tokens);
    if (set != nullptr && wanted != nullptr && !frame.before() && !frame.state.look.lecture)
        vector_table(frame, rect, *wanted);
    const auto* file = std::get_if<TokenFile>(&frame.state.recipe.tokens);
    if (file != nullptr && !frame.before() && !frame.state.look.lecture)
        file_card(frame, rect, *file);
    ui::Layout below = rect;
    const bool drawn =
        (file_of(frame) == nullptr || are_points(frame)) && !stage_shows_tokens(frame);
    const auto room = [&](bool chooses) {
        const float tall = weights_height(frame, rect.w, chooses);
        return std::min(rect.h - tall - frame.px(12), rect.w);
    };
    // In a lesson's small window, the picture replaces the choices: a stop makes them itself.
    const bool chooses = !drawn || !frame.in_lesson() || room(true) > frame.px(140);
    if (drawn && room(chooses) > frame.px(chooses ? 100 : 80)) {
        small_picture(frame, below.top(room(chooses), 12));
    }
    // The toy that learns has attention weights of its own, which the stage shows.
    const bool toy = frame.state.look.stage_view == StageView::learning && has_learning(frame);
    if (frame.trace.has(Tensor::attention) && !toy && below.h > frame.px(48))
        weights(frame, below, chooses);
    if (frame.state.look.lecture) shape_of_batch(frame, below);
}

}  // namespace headlight::screens
