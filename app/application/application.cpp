#include "application/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "application/link.h"
#include "application/window_commands.h"
#include "assets/assets.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "export/output_files.h"
#include "export/script_export.h"
#include "files/new_file.h"
#include "frame/scales.h"
#include "lecture/lesson_keys.h"
#include "lessons/progress.h"
#include "lessons_screen/spoken.h"
#include "platform/fonts.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "state/chosen_values.h"
#include "state/fields.h"
#include "state/first_state.h"
#include "state/folder_table.h"
#include "state/keys.h"
#include "state/session.h"

namespace headlight::app {
namespace {

std::string saved_as(const std::filesystem::path& path) {
    return "Saved as " + path.string() + ".";
}

// Whether the text is a number of a stop that does not exist.
bool is_beyond(const std::string& where, std::size_t stops) {
    std::size_t number = 0;
    for (const char c : where) {
        if (c < '0' || c > '9') return false;
        number = std::min(number * 10 + static_cast<std::size_t>(c - '0'), stops + 1);
    }
    return number == 0 || number > stops;
}

}  // namespace

Application::Application(State initial, const std::function<void()>& wake)
    : ui_(font_paths()),
      content_(wake),
      work_(std::move(initial), read_file, wake),
      reader_(work_, assets::directory(), first_state()),
      figures_(wake) {
    work_.command_table().add(CommandOf::window, verbs(), *this);
    if (Window::picks_files()) work_.command_table().add(CommandOf::window, page_verbs(), *this);
    content_.set_reader(&reader_);
    ui_.heatmaps().set_wake(wake);
}

Application::~Application() = default;

void Application::advance(double seconds) {
    const bool news = work_.update(seconds), read = reader_.update();
    const bool made = content_.take_made(), uploaded = ui_.heatmaps().take_made();
    if (made || uploaded || news || read) touch();
}

void Application::draw(Input& input, Extent size, float scale, double seconds) {
    input.feed([this](const Event& event) { return takes(event); });
    if (input.waiting()) touch();
    ui_.set_touched(input.by_touch());
    if (content_.panel() != work_.panel()) {
        at_opening_ = work_.state();
        taken_back_ = 0;
    }

    const Look& look = work_.state().look;
    const ui::Rect window{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)};
    const screens::Scales scales = screens::scales_for(look, scale, window.w, window.h);
    if (ui_.begin(screens::palette_for(look), scales.unit, scales.text, scales.sentence))
        gui_.fonts_changed();
    gui_.begin_frame(size, seconds);
    if (export_.asked()) export_.begin(ui_, content_.exported());
    if (work_.panel() == Panel::figure) figures_.follow(work_, content_.figure_preview());
    ui_.start_frame();
    const std::vector<Command> commands = content_.draw(ui_, work_, window);
    gui_.end_frame();
    ui_.end();
    if (export_.asked())
        save([this] {
            const figure::Provenance facts = facts_of(work_, content_.facts(export_.widget()));
            return export_.finish(ui_, facts, content_.exported());
        });

    if (frames_due_ > 0) --frames_due_;
    ++frames_drawn_;
    for (const Command& command : commands) obey_by_hand(command);
    if (content_.gesture_ended()) work_.end_gesture();
}

void Application::render() { gui_.render(ui_); }

Picture Application::picture() {
    render();
    return gui_.read();
}

// Keys wait while the keyboard changes owner, so that the previous owner does not get them; but
// only for a limited time, in case something fails.
bool Application::takes(const Event& event) {
    constexpr int kLongest = 30;  // frames
    if (is_of_keyboard(event) && keyboard_changes_hands(event) && keys_held_ < kLongest) {
        ++keys_held_;
        return false;
    }
    keys_held_ = 0;
    if (const auto* key = std::get_if<Pressed>(&event)) press(*key, work_.state().look.lecture);
    return true;
}

// A dialog has opened or closed but no frame has shown it yet, or its text field is about to take
// the keyboard.
bool Application::keyboard_changes_hands(const Event& event) {
    if (frames_drawn_ == 0) return false;
    if (content_.panel() != work_.panel() || ui_.awaits_typing()) return true;
    return std::holds_alternative<Typed>(event) && !ui_.is_typing() && content_.turn_to_field();
}

// In the figure panel, only the figure's own settings can be undone.
bool Application::takes_back_in_figure(const Command& meaning) {
    if (work_.panel() != Panel::figure || ui_.is_list_open() || ui_.is_typing()) return false;
    if (meaning.verb == "undo" && !same_choices(at_opening_, work_.state())) {
        ++taken_back_;
        return true;
    }
    if (meaning.verb == "redo" && taken_back_ > 0) {
        --taken_back_;
        return true;
    }
    return false;
}

bool Application::is_pointer_a_tool() const {
    const Look& look = work_.state().look;
    return look.lecture && (look.pointer_light || look.pointer_dot || look.pen);
}

// The topmost element gets the keyboard: an open list, a text field, a dialog, or the screen.
void Application::press(const Pressed& key, bool lectures) {
    touch();
    if (work_.panel() == Panel::blank) {
        obey(command("show", "nothing"));
        if (!key.key.starts_with("Page")) return;  // a clicker goes on at once
    }
    const KeyScope scope = scope_of_key(key.key);
    const Command meaning = parse_command(command_for_key(key.key, key.repeated));
    const bool dialog = work_.panel() != Panel::nothing;
    if (dialog || ui_.is_list_open() || ui_.is_typing()) {
        // Text in the manual can be selected and copied.
        if (work_.panel() == Panel::help && !ui_.is_typing() && content_.takes_key(key.key)) return;
        const bool closes = dialog && !ui_.is_list_open() && key.key == "Escape";
        if (closes || scope == KeyScope::window || takes_back_in_figure(meaning)) obey(meaning);
        return;
    }
    if (key.key == "Escape" && is_pointer_a_tool()) {
        obey(meaning);
        return;
    }
    if (hear_lesson_key(key) || content_.takes_key(key.key)) return;
    if (scope != KeyScope::lecture || lectures) obey_by_hand(meaning);
}

// Ignores key repeat, so that a held key does not run through a lesson.
bool Application::hear_lesson_key(const Pressed& key) {
    const auto meaning = command_for_lesson_key(printed_key(key.key), reader_, work_.state().look);
    if (!meaning) return false;
    if (!meaning->empty() && !key.repeated) obey(parse_command(*meaning));
    return true;
}

// ---- the presenter

void Application::follow_talk(const Moment& now, bool two_monitors) {
    presentation_.follow(now, {.lesson = reader_.lesson() != nullptr,
                               .lecture = work_.state().look.lecture,
                               .two_monitors = two_monitors});
}

screens::Presented Application::presented() const {
    return {reader_,
            work_,
            screens::time_text(presentation_.now().minute),
            screens::elapsed_text(presentation_.elapsed()),
            presentation_.typed(),
            presentation_.is_staged(),
            presentation_.elapsed(),
            seen_now_,
            seen_next_};
}

bool Application::present(const std::string& how) {
    if (how == "off") {
        presentation_.open(false);
    } else if (reader_.lesson() == nullptr) {
        throw CommandError("Open a lesson first. The presenter's window shows its notes.");
    } else if (how == "on") {
        presentation_.open(true);
    } else if (how == "restart") {
        presentation_.restart();
    } else if (how == "swap") {
        presentation_.swap();
    } else {
        throw CommandError("presenter: expected on, off, restart or swap, found \"" + how + "\".");
    }
    return true;
}

// Ignores key repeat, so that a held key does not run through a lecture.
void Application::hear_presenter(const Presenter::Heard& heard) {
    for (const Pressed& key : heard.keys) {
        if (key.repeated || (presentation_.typed().empty() && answers_by(key))) continue;
        const Presentation::Meaning meaning = presentation_.hear(key.key);
        if (!meaning.key.empty()) press({meaning.key}, true);
        if (!meaning.command.empty()) obey_presenter(parse_command(meaning.command));
    }
    for (const Command& command : heard.commands) obey_presenter(command);
}

// While a question is shown, digits, Enter and Escape operate its answers, also in the presenter's
// window.
bool Application::answers_by(const Pressed& key) {
    const bool answers = key.key == "Enter" || key.key == "Escape" ||
                         (key.key.size() == 1 && key.key[0] >= '1' && key.key[0] <= '9');
    return answers && work_.panel() == Panel::nothing && reader_.lesson() != nullptr &&
           work_.state().look.lecture && reader_.page().asked && hear_lesson_key(key);
}

// The audience must not see errors about a stop number, or a panel over the stop that they wait
// for.
void Application::obey_presenter(const Command& command) {
    const lessons::Lesson* lesson = reader_.lesson();
    if (lesson == nullptr) return;
    if (command.verb == "lesson-stop") {
        if (is_beyond(command.args[0], lesson->stops.size())) return;
        if (work_.panel() != Panel::nothing) obey(headlight::command("show", "nothing"));
    }
    obey(command);
}

// ---- commands

const std::vector<Application::Verb>& Application::verbs() {
    using App = Application;
    using A = Args;
    static const std::vector<Verb> table{
        {{"toggle", "FIELD", "Changes a toggle, or a choice of two, to its other value."},
         [](App& app, const A& a) { return app.obey(toggled(a[0], app.work_.state())); }},
        {{"zoom", "in|out|reset", "Changes the size of the interface, in steps of a tenth."},
         [](App& app, const A& a) { return app.obey(zoomed(a[0], app.work_.state())); }},
        {{"escape", "", "Closes the panel, or else the notice, or else releases what is pinned."},
         [](App& app, const A&) { return app.obey(escaped(app.work_)); }},
        {{"dismiss", "", "Closes the notice."},
         [](App& app, const A&) {
             app.work_.dismiss_notice();
             return true;
         }},
        {{"export", "[FILE|png|svg|py] [WIDGET] [SCALE]",
          "Saves the window, or a widget in it. If you give only an ending, Headlight chooses a "
          "new name. A .png is a picture, in which SCALE, 2 to 4, multiplies the pixels. An .svg "
          "keeps text as text. A .csv, .npy or .safetensors file holds the widget's matrix, or a "
          "row stage.result[3,*], a column [*,4] or a cell [3,4] of it, counted from 0. A .py file "
          "repeats the walk in PyTorch and compares the results with Headlight's. On Heads, "
          "heads.folder as .csv holds the measurements of the folder's images. Heads also has "
          "heads.numbers, heads.map.LAYER.HEAD, heads.lens, heads.nearest, heads.likeness, "
          "heads.contributions, heads.patched, heads.curves, heads.branches and heads.rings. "
          "features.nearest holds the nearest images of a folder."},
         [](App& app, const A& a) { return app.save_picture(a); }},
        {{"copy", "cell|row|matrix|numbers|folder|figure",
          "Copies the matrix under the pointer, its row, or its cell with all digits. If the "
          "pointer is on none, copies the pinned cell. With numbers: a table of all heads. With "
          "folder: the measurements of the folder's images. With figure: the command line that "
          "draws the figure."},
         [](App& app, const A& a) { return app.copy(a[0]); }},
        {{"copy-link", "",
          "Copies a link that opens this view in a browser. It leaves out your own images and "
          "models."},
         [](App& app, const A&) {
             app.copy_link();
             return true;
         }},
        {{"figure", "[FILE|png|svg|pdf]",
          "Saves the maps of all heads as a figure, as its panel shows it (show figure). If you "
          "give only an ending, or nothing, Headlight chooses a new name."},
         [](App& app, const A& a) { return app.save_figure(a.empty() ? "svg" : a[0]); }},
        {{"save-scene", "PATH|json|png",
          "Saves the scene. If you give only an ending, Headlight chooses a new name."},
         [](App& app, const A& a) { return app.save_scene(a[0]); }},
        {{"save-experiment", "[FILE]",
          "Saves all choices as an experiment: picture, model, settings, baseline, region and "
          "measures. The name gets the ending .headlight.json. Without FILE, Headlight chooses a "
          "name."},
         [](App& app, const A& a) { return app.save_experiment(a.empty() ? "" : a[0]); }},
        {{"save-progress", "[FILE]",
          "Saves your progress in each lesson as text, with your number of correct answers and the "
          "stops to read again. Without a name, Headlight chooses one."},
         [](App& app, const A& a) { return app.save_progress(a.empty() ? "" : a[0]); }},
        {{"example", "NAME|PATH", "Plays an example: one from the gallery, or a file of your own."},
         [](App& app, const A& a) {
             app.example_ = find_example(a[0], assets::directory() / "examples");
             return true;
         }},
        {{"presenter", "[on|off|restart|swap]",
          "Opens or closes the presenter's window, with a lesson's notes, the next stop and a "
          "clock. restart: restarts the clock. swap: exchanges the monitors of the two windows."},
         [](App& app, const A& a) {
             return app.present(!a.empty() ? a[0] : app.presentation_.is_open() ? "off" : "on");
         }},
        {{"quit", "", "Ends the program."},
         [](App& app, const A&) {
             app.work_.quit();
             return true;
         }},
    };
    return table;
}

const std::vector<Application::Verb>& Application::page_verbs() {
    static const std::vector<Verb> table{
        {{"pick-file", "", "Opens images, scenes, models or lessons from this computer."},
         [](Application&, const Args&) {
             Window::pick_file();
             return true;
         }},
    };
    return table;
}

bool Application::obey(const Command& command) {
    touch();
    try {
        const bool opens = command.verb == "open" && command.args.size() == 1;
        if (opens && is_lesson_name(command.args[0]))
            return obey(headlight::command("lesson", command.args[0]));
        const CommandTable::Row* row = work_.command_table().find(command.verb);
        if (row != nullptr && row->of == CommandOf::window) return row->obey(command);
        // Success messages are shown once; the next action removes them.
        if (!work_.notice().is_error) work_.dismiss_notice();
        if (command.verb == "undo" || command.verb == "redo") {
            if (reader_.sets_up()) return true;  // during the setup no state is the user's yet
            ++undone_;
        }
        const bool lessons = row != nullptr && row->of == CommandOf::lessons;
        return lessons ? row->obey(command) : work_.apply(command);
    } catch (const CommandError& error) {
        work_.warn(error.what());
        return false;
    }
}

namespace {

// The part of the window that `export` writes, and the pixels per pixel. No widget name starts with
// a digit.
struct ExportedPart {
    std::string widget;
    int scale = 1;
};
ExportedPart exported_part(const std::vector<std::string>& args) {
    ExportedPart part;
    for (std::size_t i = 1; i < args.size(); ++i)
        if (!args[i].empty() && args[i][0] >= '0' && args[i][0] <= '9')
            part.scale = parse_integer("export: scale", args[i], 1, kMostResolution);
        else
            part.widget = args[i];
    return part;
}

}  // namespace

bool Application::save_picture(const Args& args) {
    if (frames_drawn_ == 0) return false;
    const auto [widget, scale] = exported_part(args);
    const std::filesystem::path path = export_path(work_.state(), args.empty() ? "png" : args[0]);
    if (path.extension() == ".py")
        return save([&] {
            save_script(path, work_);
            return saved_as(path);
        });
    const bool picture_of_it = path.extension() == ".png" || path.extension() == ".svg";
    if (widget == kFolderWidget && !picture_of_it) return save_folder(path);
    if (scale != 1 && path.extension() != ".png")
        throw CommandError("export: expected a scale only for a .png, found " + path.string() +
                           ".");
    if (path.extension() == ".png" && scale == 1) {
        const ui::Rect area = area_of(ui_, widget);
        const figure::Provenance facts = facts_of(work_, content_.facts(widget));
        return save([&] {
            save_png(path, part_of(picture(), area), facts);
            return saved_as(path);
        });
    }
    // Numbers may have names that no widget on the screen has.
    if (picture_of_it) static_cast<void>(area_of(ui_, widget));
    // The message appears with the next frame, so the last one is removed.
    if (!work_.notice().is_error) work_.dismiss_notice();
    const std::string ending = path.extension().string();
    if (!picture_of_it && widget.empty())
        throw CommandError("export: expected a widget that shows a matrix, after the file.");
    export_.ask({ending == ".svg"   ? FrameExport::To::svg
                 : ending == ".png" ? FrameExport::To::png
                 : ending == ".csv" ? FrameExport::To::csv
                 : ending == ".npy" ? FrameExport::To::npy
                                    : FrameExport::To::safetensors,
                 path, widget, scale});
    return true;
}

bool Application::copy(const std::string& what) {
    if (what == "numbers") return copy_numbers();
    if (what == "folder") return copy_folder();
    if (what == "figure") return copy_figure_line();
    if (what == "cell") {
        export_.ask({FrameExport::To::cell, {}, "", 1});
        return true;
    }
    if (what != "row" && what != "matrix")
        throw CommandError("copy: expected cell, row, matrix, numbers, folder or figure, found \"" +
                           what + "\".");
    if (const auto place = ui_.names().find(kFolderWidget);
        place != ui_.names().end() && place->second.rect.contains(ImGui::GetIO().MousePos))
        return copy_folder();
    export_.ask({what == "row" ? FrameExport::To::row : FrameExport::To::matrix, {}, "", 1});
    return true;
}

void Application::copy_link() {
    const std::string link = Window::page_address() + "#s=" + link_text(work_.state());
    ImGui::SetClipboardText(link.c_str());
    work_.tell("Copied a link to what you see.");
}

bool Application::copy_numbers() {
    const auto trace = work_.trace();
    const auto summary = work_.summary();
    if (!trace || !summary || summary->layers.empty())
        throw CommandError("copy: there are no heads whose numbers could be copied.");
    export_.ask({FrameExport::To::matrix, {}, kHeadNumbers, 1});
    return true;
}

bool Application::copy_folder() {
    const FolderTable& table = checked(content_.folder_table(), work_);
    ImGui::SetClipboardText(folder_table(*table.said, table.stride, '\t').c_str());
    work_.tell("Copied " + folder_table_words(*table.said) + ".");
    return true;
}

bool Application::save_folder(const std::filesystem::path& path) {
    if (path.extension() != ".csv")
        throw CommandError("export: expected a .csv for what was measured on a folder's images.");
    const FolderTable& table = checked(content_.folder_table(), work_);
    return save([&] {
        write_file(path.string(), folder_table(*table.said, table.stride, ','));
        return "Saved " + folder_table_words(*table.said) + ", as " + path.string() + ".";
    });
}

bool Application::save_figure(const std::string& name) {
    return save([&] {
        const std::filesystem::path path = figure_path(work_.state(), name);
        figures_.save(work_, path);
        return saved_as(path);
    });
}

bool Application::copy_figure_line() {
    const FigureLine line = figure_line(work_, figure_question(work_));
    if (!line.why_not.empty()) throw CommandError(line.why_not);
    ImGui::SetClipboardText(line.text.c_str());
    work_.tell("Copied the command line.");
    return true;
}

bool Application::save_scene(const std::string& name) {
    const std::optional<ShapeScene>& scene = work_.state().recipe.scene;
    if (!scene) throw CommandError("There is no scene to save: draw one or open one first.");
    if (name.empty())
        throw CommandError("save-scene: expected a name, or json or png for a new one.");
    return save([&] {
        std::filesystem::path path = scene_path(name);
        app::save_scene(path, *scene);
        return saved_as(path);
    });
}

bool Application::save_experiment(const std::string& name) {
    return save([&] {
        const std::filesystem::path path = experiment_path(work_.state(), name);
        save_session(path, as_experiment(work_.chosen(), path));
        return saved_as(path);
    });
}

bool Application::save_progress(const std::string& name) {
    return save([&] {
        const std::string text = lessons::progress_text(reader_.listed(), work_.state());
        if (text.empty()) throw CommandError("save-progress: you have not begun a lesson yet.");
        const std::filesystem::path path = progress_path(name);
        write_file(path.string(), text);
        return saved_as(path);
    });
}

bool Application::save(const std::function<std::string()>& write) {
    try {
        work_.tell(write());
        return true;
    } catch (const std::exception& error) {
        work_.warn(error.what());
        return false;
    }
}

// A photograph replaces the shipped model for scenes by the one for photographs, and vice versa; a
// single undo reverts both.
void Application::obey_by_hand(const Command& command) {
    constexpr std::array<std::string_view, 4> kOpening{"open", "open-scene", "scene", "folder"};
    const bool opens = std::ranges::find(kOpening, command.verb) != kOpening.end() &&
                       !(command.args.size() == 1 && is_experiment_name(command.args[0]));
    if (!opens || reader_.lesson() != nullptr) return static_cast<void>(obey(command));
    const Recipe before = work_.state().recipe;
    work_.begin_group();
    if (obey(command))
        if (const auto model = model_to_follow(before, work_.state().recipe))
            obey(headlight::command("open-model", model->file, std::to_string(model->layer)));
    work_.end_group();
}

void Application::drop(const std::string& path) {
    obey_by_hand(command(path.ends_with(".txt") ? "example" : "open", path));
}

std::map<std::string, std::string> Application::reports() const {
    std::map<std::string, std::string> all = ui_.reports();
    for (auto& [name, value] : chosen_values(work_.state()))
        all["state." + name] = std::move(value);
    for (const Field& field : all_fields())
        all["field." + std::string(field.name)] = field.get(work_.state());
    if (const auto& trace = work_.trace()) {  // numbered as on the screen
        const Recipe& recipe = work_.state().recipe;
        const bool there = recipe.layer < static_cast<int>(trace->model->layers.size());
        if (there) all["field.layer"] = layer_number(*trace->model, recipe.layer);
        if (!recipe.switched_off.empty())
            all["state.switched_off"] = all["field.switched_off"] =
                heads_text(recipe.switched_off, trace->model.get());
    }
    if (presenter_ != nullptr) all.merge(presenter_->ui().reports());
    all["presenter"] = presentation_.is_open() ? "open" : "closed";
    all["panel"] = name_of(work_.panel());
    all["notice"] = work_.notice().text;
    all["playing"] = work_.playing() ? "yes" : "no";
    all["busy"] = busy() ? "yes" : "no";
    return all;
}

}  // namespace headlight::app
