#include "positions_screen/positions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "frame/export.h"
#include "frame/notice_bar.h"
#include "positions_screen/view.h"

namespace headlight::screens {

namespace {

constexpr std::array<std::string_view, 8> kKeys{"←",    "→",   "↑",      "↓",
                                                "Home", "End", "PageUp", "PageDown"};

// Arrows move between patches, PageUp and PageDown between channels or heads.
void take_keys(Frame& frame, const PositionsView& view) {
    const auto to_patch = [&](int row, int col) {
        row = std::clamp(row, 0, view.rows - 1);
        col = std::clamp(col, 0, view.cols - 1);
        const int patch = row * view.cols + col;
        if (pinned_patch(frame) != patch) pin_patch(frame, patch);
    };
    // Without added channels, between heads.
    const int channels =
                  view.table != nullptr ? view.dim() : static_cast<int>(view.bias->heads.size()),
              channel_now = view.table != nullptr ? view.channel : view.head_index;
    const auto to_channel = [&](int channel) {
        channel = std::clamp(channel, 0, channels - 1);
        if (view.table != nullptr)
            set_once(frame, "position_channel", std::to_string(channel));
        else if (channel != channel_now)
            frame.say("head", std::to_string(channel + 1));
    };
    const int row = view.patch / view.cols, col = view.patch % view.cols;
    if (frame.ui.key_pressed(ImGuiKey_LeftArrow)) to_patch(row, col - 1);
    if (frame.ui.key_pressed(ImGuiKey_RightArrow)) to_patch(row, col + 1);
    if (frame.ui.key_pressed(ImGuiKey_UpArrow)) to_patch(row - 1, col);
    if (frame.ui.key_pressed(ImGuiKey_DownArrow)) to_patch(row + 1, col);
    if (frame.ui.key_pressed(ImGuiKey_Home)) to_channel(0);
    if (frame.ui.key_pressed(ImGuiKey_End)) to_channel(channels - 1);
    if (frame.ui.key_pressed(ImGuiKey_PageUp)) to_channel(channel_now - 1);
    if (frame.ui.key_pressed(ImGuiKey_PageDown)) to_channel(channel_now + 1);
}

// The kind that the current table is compared with.
PositionChoice beside(const Frame& frame) {
    PositionChoice other = wanted(frame);
    const bool raster = other.kind == PositionKind::sinusoidal ||
                        (other.kind == PositionKind::model && frame.trace.model->is_bare_layer());
    // A sequence has no rows and columns.
    const bool of_row = frame.trace.image == nullptr;
    const float base = info(other.kind).takes.base;
    other.kind = raster && !of_row ? PositionKind::sincos_2d : PositionKind::sinusoidal;
    // Rotary positions have another base.
    const float next = info(other.kind).takes.base;
    if (base > 0 && base != next) other.base = next;
    return other;
}

PositionsView view_of(Frame& frame, PositionsMemory& memory) {
    const Look& look = frame.state.look;
    const bool apart = frame.trace.image == nullptr || look.position_plot == PositionPlot::apart;
    PositionsView view;
    view.said = studies_of(frame).ask(
        kPositionTable, {frame.shared(frame.trace), frame.recipe.position, wanted(frame),
                         beside(frame), look.fast_waves_off / 100.0, look.slow_waves_off / 100.0,
                         look.pair_measure, apart, look.position_way});
    if (view.said && view.said->question.trace->grid.count() != frame.trace.grid.count())
        view.said = nullptr;
    if (!view.said || !view.said->error.empty()) return view;
    const PositionStudy& study = view.said->answer;
    view.beside = study.beside ? &*study.beside : nullptr;
    view.bias = study.bias ? &*study.bias : nullptr;
    view.table = study.present ? &*study.present : study.bias ? nullptr : view.beside;
    view.rows = frame.trace.grid.rows;
    view.cols = frame.trace.grid.cols;
    const std::optional<int> token = focus_of(frame, side_of_patches(frame.trace));
    const Index focused = token ? row_of_token(frame.trace, Axis::patch, *token) : -1;
    const bool is_patch = focused >= 0 && focused < frame.trace.grid.count();
    view.patch = is_patch ? static_cast<int>(focused) : view.rows / 2 * view.cols + view.cols / 2;
    if (view.bias != nullptr) {
        view.head_index = std::min(frame.head, static_cast<int>(view.bias->heads.size()) - 1);
        view.head = &view.bias->heads[static_cast<std::size_t>(view.head_index)];
    }
    if (view.table == nullptr) return view;
    view.offset = memory.hovered_offset.value_or(
        Offset{frame.state.look.offset_right, frame.state.look.offset_down});
    view.channel = std::min(memory.hovered_channel.value_or(frame.state.look.position_channel),
                            view.dim() - 1);
    return view;
}

// For a model with several ways of position information: chooses which is shown.
void choice_of_way(Frame& frame, ui::Layout& column, const PositionsView& view) {
    const std::vector<PositionWay>& ways = view.said->answer.ways;
    if (ways.size() < 2) return;
    const PositionWay shown = view.bias != nullptr ? PositionWay::bias
                              : view.table->turns  ? PositionWay::turned
                                                   : PositionWay::added;
    std::vector<std::string_view> names;
    for (const PositionWay way : ways) names.push_back(name_of(way));
    const auto now = static_cast<int>(std::ranges::find(ways, shown) - ways.begin());
    const int chosen =
        ui::segmented(frame.ui, "positions.way", column.top(frame.line() * 1.4F, 8), names, now);
    if (chosen >= 0 && chosen != now)
        set_once(frame, "position_way", std::string(names[static_cast<std::size_t>(chosen)]));
    frame.ui.report("positions.way", std::string(name_of(shown)));
}

// Which page is shown: the question that it answers, and the way to the others.
PositionPage choice_of_page(Frame& frame, ui::Layout& rect) {
    const PositionPage page = frame.state.look.position_page;
    const auto now = static_cast<int>(page);
    ui::Layout row = rect.row(ui::Size::body, 10, 10);
    const std::vector<std::string_view> names{"Table", "Properties", "Order"};
    float wide = 0;
    for (const std::string_view name : names)
        wide += ui::Canvas(frame.ui).measure(name, {}) + frame.px(24);
    const int chosen =
        ui::segmented(frame.ui, "positions.page", row.left(std::min(wide, row.w)), names, now);
    if (chosen >= 0 && chosen != now)
        set_once(frame, "position_page", std::string(name_of(static_cast<PositionPage>(chosen))));
    constexpr std::array<std::string_view, 3> questions{
        "Which numbers tell each patch its place?", "What is true of these numbers?",
        "What does the model notice when the patches change places?"};
    row.skip_left(16);
    ui::Canvas(frame.ui).label(row, questions[static_cast<std::size_t>(now)],
                               {.size = ui::Size::body, .color = frame.colors().dim});
    frame.ui.report("positions.page", std::string(name_of(page)));
    return page;
}

// The table, one channel and the similarities over the picture, and the kind.
void table_page(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    const float gap = frame.px(20), line = frame.line();
    ui::Layout left = rect.left(rect.w * 0.34F);
    rect.left(gap);
    choice_of_way(frame, left, view);
    waves(frame, left.bottom(left.h * 0.24F), view);
    left.bottom(gap);
    clock_hands(frame, left.bottom(std::max(left.h * 0.2F, line * 5)), view);
    left.bottom(gap);
    position_table_part(frame, left, view, memory);

    const float least = frame.px(190) * frame.ui.text_scale();
    kind_part(frame, rect.right(std::min(std::max(rect.w * 0.24F, least), rect.w * 0.36F)), view);
    rect.right(gap);
    // One above the other if that makes the pictures larger, otherwise side by side.
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const float controls = line * 3;
    const float over = std::min(rect.w, ((rect.h - gap) / 2 - controls) * aspect),
                beside = std::min((rect.w - gap) / 2, (rect.h - controls) * aspect);
    if (over >= beside) {
        channel_over_picture(frame, rect.top((rect.h - gap) / 2), view);
        rect.top(gap);
    } else {
        channel_over_picture(frame, rect.left((rect.w - gap) / 2), view);
        rect.left(gap);
    }
    likeness_over_picture(frame, rect, view);
}

// The properties page: all pairs, how they fall off with the offset, and the claims.
void properties_page(Frame& frame, ui::Layout rect, const PositionsView& view,
                     PositionsMemory& memory) {
    const float gap = frame.px(20), line = frame.line();
    ui::Layout left = rect.left(rect.w * 0.3F);
    rect.left(gap);
    ui::Layout right = rect.right(rect.w * 0.5F);
    rect.right(gap);

    const bool other = view.beside != nullptr && view.beside != view.table;
    if (other) {
        sheet_of(frame, left.bottom((left.h - gap) / 2), view, *view.beside, "positions.other",
                 memory);
        left.bottom(gap);
    }
    sheet_of(frame, left, view, *view.table, "positions.sheet", memory);

    if (view.table->turns) {  // leaves space for a third plot
        profile_part(frame, rect.bottom(rect.h * 0.4F), view, memory);
        rect.bottom(gap);
        pairs_part(frame, rect, view, memory);
    } else {
        const float square = std::min(pairs_height(frame, rect.w), rect.h * 0.62F);
        pairs_part(frame, rect.top(square), view, memory);
        rect.top(gap);
        profile_part(frame, rect, view, memory);
    }
    const float card =
        std::clamp(right.h * 0.5F, std::min(line * 12.4F, right.h * 0.6F), line * 20);
    properties_part(frame, right.bottom(card), view);
    right.bottom(gap);
    std::optional<ui::Rect> choices = right.top(line * 1.4F, 8);
    choices->w = std::min(choices->w, frame.px(280) * frame.ui.text_scale());
    readout_part(frame, right, view, memory, choices);
}

void draw(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    rect = rect.inset(frame.px(16), frame.px(12));
    switch (choice_of_page(frame, rect)) {
        case PositionPage::table:
            return table_page(frame, rect, view, memory);
        case PositionPage::properties:
            return properties_page(frame, rect, view, memory);
        case PositionPage::order:
            return order_part(frame, rect, view, memory);
    }
}

// For a relative bias, which is no position embedding: what each offset adds, its effect on the
// focused patch, and its properties.
void draw_bias(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    rect = rect.inset(frame.px(16), frame.px(12));
    const PositionPage page = choice_of_page(frame, rect);
    const float gap = frame.px(20), line = frame.line();
    if (page == PositionPage::order) return order_part(frame, rect, view, memory);
    if (page == PositionPage::properties) {
        properties_part(frame, rect.left((rect.w - gap) / 2), view);
        rect.left(gap);
        std::optional<ui::Rect> choices = rect.top(line * 1.4F, 8);
        choices->w = std::min(choices->w, frame.px(280) * frame.ui.text_scale());
        return readout_part(frame, rect, view, memory, choices);
    }
    ui::Layout left = rect.left(rect.w * 0.3F);
    rect.left(gap);
    choice_of_way(frame, left, view);
    bias_profile_part(frame, left.bottom(left.h * 0.22F), view);
    left.bottom(gap);
    bias_heads_part(frame, left.bottom(left.h * 0.34F), view);
    left.bottom(gap);
    bias_picture_part(frame, left, view);

    kind_part(frame, rect.right(rect.w * 0.28F), view);
    rect.right(gap);
    const float half = (rect.w - gap) / 2, upper = (rect.h - gap) / 2;
    bias_over_picture(frame, rect.top(upper), view);
    rect.top(gap);
    reading_with_bias(frame, rect.left(half), view);
    rect.left(gap);
    reading_without_bias(frame, rect, view);
}

}  // namespace

const PositionChoice& wanted(const Frame& frame) {
    const bool before = &frame.trace == frame.work.pinned_trace().get(),
               refused = frame.work.failed_at() && !frame.work.busy();
    return (before || refused ? frame.recipe : frame.state.recipe).position;
}

void set_once(Frame& frame, std::string_view field, const std::string& value) {
    frame.set(field, value);
    frame.memory.gesture_ended = true;
}

void positions(Frame& frame, ui::Layout rect) {
    auto& memory = frame.memory.own<PositionsMemory>();
    memory.next_hovered_channel.reset();
    memory.next_hovered_offset.reset();
    notice_bar(frame, rect);
    const auto instead = [&](const std::string& words) {
        say_instead(frame, rect, words, "positions.instead");
    };
    if (!frame.trace.image && is_cross(frame.trace))
        return instead("Here queries and keys come from different tokens, with no common order.");
    const PositionsView view = view_of(frame, memory);
    if (!view.said)
        instead("Computing the positions…");
    else if (!view.said->error.empty())
        instead(view.said->error);
    else if (view.table == nullptr && view.bias == nullptr)
        instead(view.said->answer.why_not);
    else {
        take_keys(frame, view);
        !frame.trace.image         ? positions_of_row(frame, rect, view, memory)
        : frame.state.look.lecture ? positions_lecture(frame, rect, view, memory)
        : view.bias != nullptr     ? draw_bias(frame, rect, view, memory)
                                   : draw(frame, rect, view, memory);
        frame.ui.report("positions.patch", std::to_string(view.patch));
        frame.ui.report("positions.channel", std::to_string(view.channel));
    }
    if (memory.hovered_channel != memory.next_hovered_channel ||
        memory.hovered_offset != memory.next_hovered_offset)
        frame.ui.ask_for_frame();
    memory.hovered_channel = memory.next_hovered_channel;
    memory.hovered_offset = memory.next_hovered_offset;
}

void export_positions(Frame& frame) {
    auto& exported = frame.memory.own<Export>();
    if (!frame.trace.image && is_cross(frame.trace)) return;
    auto& memory = frame.memory.own<PositionsMemory>();
    const PositionsView view = view_of(frame, memory);
    exported.computing = !view.said;
    if (!view.said) return;
    if (!view.said->error.empty())
        exported.refusal = view.said->error;
    else if (view.table == nullptr && view.bias == nullptr)
        exported.refusal = view.said->answer.why_not;
    else
        answer_positions(frame, view, memory);
}

bool positions_take_key(Memory&, std::string_view key) {
    return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace headlight::screens
