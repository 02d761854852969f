#include "chrome/local_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "chrome/recognized_models.h"
#include "disk/size_text.h"
#include "frame/studies.h"
#include "tasks/studies.h"

namespace headlight::screens {

namespace {

// Asked again whenever the panel or a model is opened, because files may be new.
struct LocalModelsQuestion {
    std::string shown;
    int opening = 0;
    bool operator==(const LocalModelsQuestion&) const = default;
};
using LocalModelsStudy = Study<LocalModelsQuestion, RecognizedModels>;
const LocalModelsStudy kLocalModels{
    .compute =
        [recognition = Recognition()](const LocalModelsQuestion&,
                                      const LocalModelsStudy::Run& run) mutable {
            return recognition.run(run.publish, run.stop);
        },
    .takes_long = true};

// Kept while the program runs.
struct LocalModelsMemory {
    int frame = -1;   // in which the list was last drawn
    int opening = 0;  // counts openings of the panel
    bool shows_others = false;
};

std::shared_ptr<const LocalModelsStudy::Said> ask(Frame& frame) {
    auto& memory = frame.memory.own<LocalModelsMemory>();
    const int now = ImGui::GetFrameCount();
    if (memory.frame < now - 1) ++memory.opening;
    memory.frame = now;
    return studies_of(frame).ask(kLocalModels, {frame.recipe.weights, memory.opening});
}

using ModelRows = std::vector<const RecognizedModel*>;

// Two lines: the name, and a description or why Headlight does not support it.
void local_row(Frame& frame, ui::Layout place, const RecognizedModel& model,
               const std::string& name) {
    ui::Canvas canvas(frame.ui);
    const bool is_file = !model.file.empty(), shown = is_file && model.file == frame.recipe.weights;
    const std::string size = is_file ? bytes_in_words(model.bytes) : "";
    const std::string& about = model.kind.empty() ? model.problem : model.kind;
    frame.ui.report(name, model.name + " | " + about + " | " + size);
    const auto mouse = ui::interact(frame.ui, name, place);
    if (mouse.hovered) {
        if (is_file) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        canvas.fill(place, frame.colors().hover, frame.px(6));
        frame.ui.tooltip(model.name + "\n" + about + (is_file ? "\n" + model.file : ""));
    }
    if (mouse.clicked && is_file && !shown) frame.say("open-model", model.file);
    place = place.inset(frame.px(8), frame.px(4));
    const ui::TextStyle dim{.color = frame.colors().dim};
    const ui::TextStyle side{.color = frame.colors().dim, .align = ui::Align::right};
    canvas.label(place.row(), model.name,
                 {.color = shown ? frame.colors().accent : frame.colors().text});
    place.words_right(size, side, 8);
    canvas.label(place, about, dim);
}

// A few rows, with a scroll bar if there are more. Draws only the visible ones.
void local_rows(Frame& frame, ui::Layout& rest, const ModelRows& models, const std::string& name) {
    constexpr std::size_t kMostRows = 5;
    const float tall = 2 * frame.line() + frame.px(8);
    // A half row indicates that there are more.
    const float rows = models.size() <= kMostRows ? static_cast<float>(models.size())
                                                  : static_cast<float>(kMostRows) + 0.5F;
    const ui::Rect place = rest.top(std::round(tall * rows));
    const bool scrolls = models.size() > kMostRows;
    ui::begin_child(name + ".scroll", place,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = place.w - (scrolls ? frame.px(14) : 0);
    const auto count = static_cast<float>(models.size());
    const auto first =
        static_cast<std::size_t>(std::clamp(std::floor((place.y - top.y) / tall), 0.0F, count));
    const auto end = static_cast<std::size_t>(
        std::clamp(std::ceil((place.y + place.h - top.y) / tall), 0.0F, count));
    for (std::size_t i = first; i < end; ++i)
        local_row(frame, {frame.ui, {top.x, top.y + tall * static_cast<float>(i), width, tall}},
                  *models[i], fmt::format("{}.{}", name, i + 1));
    ImGui::SetCursorScreenPos({top.x, top.y + tall * count - 1});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    rest.skip_top(4);
}

void other_models(Frame& frame, ui::Layout& rest, const ModelRows& models) {
    auto& memory = frame.memory.own<LocalModelsMemory>();
    const std::string label = fmt::format("Other models ({})", models.size());
    const ui::Icon icon = memory.shows_others ? ui::Icon::chevron_down : ui::Icon::chevron_right;
    const ui::Rect line = rest.row(8);
    if (ui::button(
            frame.ui, "model.local.others",
            {line.x, line.y, std::min(line.w, ui::button_width(frame.ui, label, icon)), line.h},
            label, ui::ButtonLook::plain, "Shows why Headlight does not open these models.", icon))
        memory.shows_others = !memory.shows_others;
    if (memory.shows_others) local_rows(frame, rest, models, "model.local.other");
}

}  // namespace

void local_models_list(Frame& frame, ui::Layout& rest, const std::function<void()>& title) {
    const auto said = ask(frame);
    if (!said || (said->answer.models.empty() && said->error.empty())) return;
    const RecognizedModels& found = said->answer;
    ModelRows recognized, others;
    for (const RecognizedModel& model : found.models)
        if (!model.kind.empty())
            recognized.push_back(&model);
        else if (!model.problem.empty())
            others.push_back(&model);
    const bool is_done = found.looked_at == found.models.size();
    frame.ui.report("model.local",
                    fmt::format("{} of {}, {} open, {} do not", found.looked_at,
                                found.models.size(), recognized.size(), others.size()));
    title();
    const ui::TextStyle dim{.color = frame.colors().dim};
    const auto line = [&](const std::string& text) { rest.paragraph(text, dim, 4); };
    if (!said->error.empty()) line(said->error);
    if (!recognized.empty()) local_rows(frame, rest, recognized, "model.local");
    if (!is_done)
        line(fmt::format("Checking model {} of {}…", found.looked_at + 1, found.models.size()));
    else if (recognized.empty())
        line("Headlight cannot open any of the models that other programs downloaded.");
    if (!others.empty()) other_models(frame, rest, others);
}

}  // namespace headlight::screens
