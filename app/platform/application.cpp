#include "platform/application.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "disk/read_file.h"
#include "frame/scales.h"
#include "platform/files.h"
#include "platform/window_commands.h"
#include "scene/scene_file.h"
#include "state/fields.h"
#include "state/keys.h"

namespace headlight::platform {
namespace {

std::string_view name_of(Panel panel) {
    switch (panel) {
        case Panel::nothing:
            return "nothing";
        case Panel::files:
            return "files";
        case Panel::model:
            return "model";
        case Panel::help:
            return "help";
        case Panel::about:
            return "about";
    }
    return "";
}

std::string_view name_of(Compare compare) {
    switch (compare) {
        case Compare::now:
            return "now";
        case Compare::before:
            return "a";
        case Compare::difference:
            return "difference";
    }
    return "";
}

// "4.3 4.4": layer and head, counted from 1.
std::string heads_text(const std::vector<HeadPlace>& heads) {
    std::string text;
    for (const auto& [layer, head] : heads)
        text += fmt::format("{}{}.{}", text.empty() ? "" : " ", layer + 1, head + 1);
    return text;
}

}  // namespace

Application::Application(State initial, const std::function<void()>& wake)
    : ui_(font_paths()), work_(std::move(initial), read_file, wake) {}

Application::~Application() = default;

void Application::advance(double seconds) {
    if (work_.update(seconds)) touch();
}

void Application::draw(Input& input, Extent size, float scale, double seconds) {
    for (const Pressed& key : input.feed()) press(key);
    if (input.waiting()) touch();

    const Look& look = work_.state().look;
    const bool light = look.theme == Theme::light;
    const ui::Rect window{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)};
    const screens::Scales scales = screens::scales_for(look, scale, window.w, window.h);
    if (ui_.begin(light ? ui::light_palette() : ui::dark_palette(), scales.unit, scales.text))
        gui_.fonts_changed();
    gui_.begin_frame(size, seconds);
    ui_.start_frame();
    const std::vector<Command> commands = content_.draw(ui_, work_, window);
    ui_.end();
    gui_.end_frame();

    if (frames_due_ > 0) --frames_due_;
    ++frames_drawn_;
    for (const Command& command : commands) obey(command);
    if (content_.gesture_ended()) work_.end_gesture();
}

void Application::render() { gui_.render(ui_.colors().background); }

Picture Application::picture() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    Offscreen place({static_cast<int>(size.x), static_cast<int>(size.y)});
    place.bind();
    render();
    return place.read();
}

void Application::press(const Pressed& key) {
    touch();
    if (content_.takes_key(key.key)) return;
    obey(parse_command(command_for_key(key.key, key.repeated)));
}

bool Application::obey(const Command& command) {
    touch();
    try {
        return perform(meaning(command, work_));
    } catch (const CommandError& error) {
        work_.warn(error.what());
        return false;
    }
}

bool Application::perform(const Command& command) {
    // Good news are read once; whatever the person does next outdates them.
    if (command.verb == "dismiss" || !work_.notice().is_error) work_.dismiss_notice();
    if (command.verb == "dismiss") return true;
    if (command.verb == "export") return save_picture();
    if (command.verb == "save-scene") return save_scene(command.args);
    if (command.verb != "quit") return work_.apply(command);
    work_.quit();
    return true;
}

bool Application::save_picture() {
    if (frames_drawn_ == 0) return false;
    return save([this] {
        std::filesystem::path path = export_path(work_.state());
        save_png(path, picture());
        return path;
    });
}

bool Application::save_scene(const std::vector<std::string>& args) {
    const std::optional<ShapeScene>& scene = work_.state().recipe.scene;
    if (!scene) throw CommandError("There is no scene to save: draw one or open one first.");
    if (args.size() != 1 || args[0].empty())
        throw CommandError("save-scene: expected a name, or json or png for a new one.");
    return save([&] {
        std::filesystem::path path = scene_path(args[0]);
        platform::save_scene(path, *scene);
        return path;
    });
}

bool Application::save(const std::function<std::filesystem::path()>& write) {
    try {
        work_.tell("Saved as " + write().string() + ".");
        return true;
    } catch (const std::exception& error) {
        work_.warn(error.what());
        return false;
    }
}

void Application::drop(const std::string& path) { obey(command("open", path)); }

std::map<std::string, std::string> Application::reports() const {
    std::map<std::string, std::string> all = ui_.reports();
    const Selection& selection = work_.state().selection;
    const Recipe& recipe = work_.state().recipe;
    all["state.step"] = info(selection.step).name;
    all["state.head"] = std::to_string(selection.head + 1);
    all["state.head_pinned"] = selection.head_pinned ? "yes" : "no";
    all["state.solo"] = selection.solo ? "yes" : "no";
    all["state.token"] = selection.token ? std::to_string(*selection.token) : "";
    all["state.col"] = selection.col ? std::to_string(*selection.col) : "";
    all["state.shape"] = selection.shape ? std::to_string(*selection.shape + 1) : "";
    all["state.scene"] = recipe.scene ? to_json(*recipe.scene) : "";
    all["state.switched_off"] = heads_text(recipe.switched_off);
    all["state.image"] = recipe.image;
    all["state.compare"] = name_of(work_.state().look.compare);
    all["state.pinned"] = work_.state().pinned ? "yes" : "no";
    for (const Field& field : all_fields())
        all["field." + std::string(field.name)] = field.get(work_.state());
    all["panel"] = name_of(work_.panel());
    all["notice"] = work_.notice().text;
    all["playing"] = work_.playing() ? "yes" : "no";
    all["busy"] = work_.busy() ? "yes" : "no";
    return all;
}

}  // namespace headlight::platform
