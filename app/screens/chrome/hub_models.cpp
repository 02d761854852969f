#include "chrome/hub_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "hub/curated.h"
#include "hub/fetcher.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

using Phase = hub::Fetcher::Phase;

bool can_fetch() {
    static const bool possible = hub::Fetcher::is_possible();
    return possible;
}

// Remembered while the program runs.
struct HubMemory {
    hub::Fetcher fetcher;
    std::string typed;          // a model name entered by the user
    std::string copied;         // the model whose code was copied last
    int frame = 0;              // the frame in which the panel was last drawn,
    Phase phase = Phase::idle;  // and the fetcher's phase then
};

void copy_python(HubMemory& memory, const std::string& name) {
    ImGui::SetClipboardText(hub::python_to_get(name).c_str());
    memory.copied = name;
}

void row(Frame& frame, ui::Layout place, const hub::CuratedModel& model, const std::string& name) {
    auto& memory = frame.memory.own<HubMemory>();
    ui::Canvas canvas(frame.ui);
    frame.ui.report(
        name, fmt::format("{} | {} | {} | {}", model.what, model.name, model.size, model.license));
    const auto mouse = ui::interact(frame.ui, name, place);
    const std::string full(model.name);
    const bool chosen = memory.fetcher.status().name == model.name;
    if (mouse.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        canvas.fill(place, frame.colors().hover, frame.px(6));
        frame.ui.tooltip(
            full + (can_fetch() ? "\n\nAsks the Hub about this model."
                                : "\n\nCopies two lines of Python:\n" + hub::python_to_get(full)));
    }
    if (mouse.clicked && can_fetch()) memory.fetcher.look_up(full);
    if (mouse.clicked && !can_fetch()) copy_python(memory, full);
    const bool copied = !can_fetch() && memory.copied == full;
    const std::string rest =
        copied ? "lines copied" : fmt::format("{} · {}", model.size, model.license);
    const ui::TextStyle side{.color = copied ? frame.colors().ok : frame.colors().dim,
                             .align = ui::Align::right};
    place = place.inset(frame.px(8), 0);
    canvas.label(place.right(std::min(canvas.measure(rest, side) + 1, place.w * 0.6F), 8), rest,
                 side);
    canvas.label(place, model.what,
                 {.color = chosen ? frame.colors().accent : frame.colors().text});
}

void name_field(Frame& frame, ui::Layout place) {
    auto& memory = frame.memory.own<HubMemory>();
    ui::Canvas canvas(frame.ui);
    const std::string label = "By name";
    canvas.label(place.left(canvas.measure(label, {}) + frame.px(16)).inset(frame.px(8), 0), label,
                 {});
    if (ui::number_field(frame.ui, "model.get.name", place, memory.typed) && !memory.typed.empty())
        memory.fetcher.look_up(memory.typed);
    if (memory.typed.empty() && !frame.ui.is_typing())
        canvas.label(place.inset(frame.px(8), 0), "ORG/NAME on the Hub",
                     {.color = frame.colors().faint});
}

void buttons(Frame& frame, ui::Layout& rest, const hub::Fetcher::Status& status) {
    auto& memory = frame.memory.own<HubMemory>();
    ui::Layout row = rest.row(12);
    switch (status.phase) {
        case Phase::looking:
        case Phase::fetching:
            if (row.button_left("model.get.cancel", "Cancel", 8, ui::ButtonLook::outlined,
                                "Stops the download and keeps what has arrived for the next try."))
                memory.fetcher.cancel();
            return;
        case Phase::found:
            if (row.button_left("model.get.fetch", "Get this model", 8, ui::ButtonLook::filled,
                                "Downloads it, keeps it for the next time, and opens it."))
                memory.fetcher.fetch();
            break;
        case Phase::fetched:
            if (row.button_left("model.get.open", "Open this model", 8, ui::ButtonLook::filled))
                frame.say("open-model", status.folder.string());
            break;
        case Phase::failed:
            if (row.button_left("model.get.again", "Try again", 8))
                memory.fetcher.look_up(status.name);
            break;
        case Phase::idle:
            return;
    }
    const bool copied = memory.copied == status.name;
    if (row.button_left("model.get.python", copied ? "Lines copied" : "Copy as Python", 8,
                        ui::ButtonLook::outlined, "Copies two lines of Python that download it."))
        copy_python(memory, status.name);
}

// Below the selected model's row: what is known about it, and its actions.
void card(Frame& frame, ui::Layout& rest, const hub::Fetcher::Status& status) {
    const ui::TextStyle dim{.color = frame.colors().dim};
    ui::Layout inside(frame.ui, rest, 8, 0);
    const auto line = [&](const std::string& text, const ui::TextStyle& style) {
        if (!text.empty()) inside.paragraph(text, style, 4);
    };
    inside.skip_top(4);
    line(status.name, dim);
    line(status.facts, {});
    if (status.phase == Phase::looking) line("Asking the Hub about this model…", dim);
    if (status.phase == Phase::failed) line(status.error, {.color = frame.colors().error});
    if (status.phase == Phase::fetching) {
        inside.skip_top(4);
        ui::progress_bar(frame.ui, inside.top(frame.px(6), 4), status.part);
        line(status.progress.empty() ? "Asking the Hub…" : status.progress, dim);
    }
    inside.skip_top(4);
    buttons(frame, inside, status);
    rest.top(inside.y - rest.y + frame.px(10));
}

void report(Frame& frame, const hub::Fetcher::Status& status) {
    constexpr std::array<const char*, 6> kWords{"idle",     "looking", "found",
                                                "fetching", "fetched", "failed"};
    frame.ui.report("model.get", kWords.at(static_cast<std::size_t>(status.phase)));
    frame.ui.report("model.get.facts", status.facts);
    frame.ui.report("model.get.progress", status.progress);
    frame.ui.report("model.get.error", status.error);
}

// Opens the model after its download if the panel is open then.
void open_when_fetched(Frame& frame, const hub::Fetcher::Status& status) {
    auto& memory = frame.memory.own<HubMemory>();
    const int now = ImGui::GetFrameCount();
    const bool watched = memory.frame == now - 1 && memory.phase == Phase::fetching;
    if (watched && status.phase == Phase::fetched) frame.say("open-model", status.folder.string());
    memory.frame = now;
    memory.phase = status.phase;
    const bool busy = status.phase == Phase::looking || status.phase == Phase::fetching;
    if (busy) frame.ui.ask_for_frame();
}

}  // namespace

void hub_models_list(Frame& frame, ui::Layout& rest) {
    const ui::TextStyle dim{.color = frame.colors().dim};
    const char* words =
        can_fetch()
            ? "Published models on the Hugging Face Hub. Click one to see what it is "
              "before you download it."
            : "Click a model to copy two lines of Python that download it and print its folder. "
              "Run them (they need pip install huggingface_hub), then open that folder.";
    rest.paragraph(words, dim, 4);
    const float tall = frame.line() + frame.px(8);
    const hub::Fetcher::Status status =
        can_fetch() ? frame.memory.own<HubMemory>().fetcher.status() : hub::Fetcher::Status();
    const auto known = hub::curated_models();
    const bool listed =
        std::ranges::find(known, status.name, &hub::CuratedModel::name) != known.end();
    if (can_fetch()) name_field(frame, rest.top(tall));
    if (!listed && status.phase != Phase::idle) card(frame, rest, status);
    std::size_t number = 0;
    for (const hub::CuratedModel& model : known) {
        row(frame, rest.top(tall), model, fmt::format("model.get.{}", ++number));
        if (model.name == status.name && status.phase != Phase::idle) card(frame, rest, status);
    }
    if (!can_fetch()) return;
    report(frame, status);
    open_when_fetched(frame, status);
}

}  // namespace headlight::screens
