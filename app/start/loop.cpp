#include "start/loop.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <ranges>
#include <utility>

#include "application/link.h"
#include "disk/files.h"
#include "disk/hub_cache.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "patches/token_words.h"
#include "platform/fonts.h"
#include "script/report.h"
#include "state/command.h"
#include "state/first_state.h"
#include "state/image_folder.h"
#include "state/session.h"
#include "state/token_files.h"

namespace headlight::app {
namespace {

constexpr Extent kFirstSize{1600, 1000};
constexpr double kProgressEvery = 0.05, kReportEvery = 0.1, kLookEvery = 1;
constexpr double kLongestStep = 0.1;  // seconds; after a pause, animations resume where they were

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int minute_of_day() {
    const std::time_t time = std::time(nullptr);
    const std::tm* local = std::localtime(&time);  // not thread-safe, but called only here
    return local == nullptr ? 0 : local->tm_hour * 60 + local->tm_min;
}

std::filesystem::path session_file(const WindowOptions& options) {
    return options.session.empty() ? default_session_path() : options.session;
}

// Sessions are also used from other working folders.
std::string absolute(const std::string& path) { return absolute_path(path).string(); }

// The files named on the command line, by type.
struct Named {
    std::vector<std::string> images, models, scenes, lessons, tokens;
    bool scene_first = false;  // before any image: then shows the scene
    std::string folder{};      // of images
    std::string experiment{};  // a saved one
    std::string lost{};        // a model name that is not in the Hub's cache
};
// True even for files that cannot be shown: opening them reports why.
bool holds_tokens(const std::string& file) {
    try {
        return tokens_at(file, read_file).has_value();
    } catch (const CommandError&) {
        return true;
    }
}
Named named(const WindowOptions& options) {
    Named files;
    const auto add_model = [&](const std::string& path) {
        try {
            files.models.push_back(absolute(find_model(path)));
        } catch (const std::runtime_error&) {
            if (is_there(path) && !names_cached_model(path))
                files.models.push_back(absolute(path));  // reading it reports errors
            else
                files.lost = path;
        }
    };
    if (!options.model.empty()) add_model(options.model);
    for (const std::string& file : options.files) {
        if (names_cached_model(file))
            add_model(file);
        else if (is_checkpoint_name(file) && holds_tokens(file))
            files.tokens.push_back(absolute(file));
        else if (is_checkpoint_name(file) || checkpoint_in(file))
            add_model(file);
        else if (is_image_folder(file)) {
            files.folder = absolute(file);
        } else if (is_lesson_name(file)) {
            files.lessons.push_back(absolute(file));
        } else if (is_experiment_name(file)) {
            files.experiment = absolute(file);
        } else if (is_scene_name(file)) {
            files.scene_first = files.scene_first || files.images.empty();
            files.scenes.push_back(absolute(file));
        } else
            files.images.push_back(absolute(file));
    }
    return files;
}

void put_first(std::vector<std::string>& recent, const std::vector<std::string>& files) {
    for (const std::string& file : files) std::erase(recent, file);
    recent.insert(recent.begin(), files.begin(), files.end());
}

void show_folder(State& state, const std::string& folder) {
    try {
        look_at_folder(state, folder);
    } catch (const CommandError&) {
        state.recipe.image = folder;  // reading it reports the error
    }
}

// The session's state with the command line's choices. The settings of the session's own model are
// kept.
State chosen(State state, const WindowOptions& options) {
    const auto [images, models, scenes, lessons, tokens, scene_first, folder, experiment, lost] =
        named(options);
    put_first(state.recent, scenes);
    put_first(state.recent, images);
    put_first(state.recent_models, models);
    const Recipe before = state.recipe;
    if (!images.empty() && !scene_first) {
        state.recipe = picture_again(state);
        state.recipe.image = images.front();
        state.recipe.scene.reset();
    }
    if (!folder.empty()) show_folder(state, folder);
    if (!models.empty() && models.front() != state.recipe.weights)
        state.recipe = with_model(state.recipe, models.front());
    if (models.empty()) look_through(state, model_to_follow(before, state.recipe));
    if (!options.part.empty()) state.recipe.model.part = options.part;
    if (!options.screen.empty()) state.look.screen = *value_named<ScreenId>(options.screen);
    return state;
}

// A file given on the command line replaces the default scene.
State first_look(const WindowOptions& options) {
    const auto [images, models, scenes, lessons, tokens, scene_first, folder, experiment, lost] =
        named(options);
    const bool brings_image = !folder.empty() || (!images.empty() && !scene_first);
    State state = !models.empty() || !lost.empty() ? picture_state()
                  : brings_image                   ? photograph_state()
                                                   : first_state();
    state.look.screen = ScreenId::look;
    if (const auto theme = value_named<Theme>(options.theme)) state.look.theme = *theme;
    return state;
}

// Fallback images for a start whose own image fails, last one first.
std::vector<std::string> images_instead(const State& session, const WindowOptions& options) {
    std::vector<std::string> images{default_image()};
    const Named files = named(options);
    if (!files.images.empty() || !files.folder.empty()) images.push_back(session.recipe.image);
    std::erase(images, "");
    return images;
}

std::string title(const State& state) {
    if (const std::string_view name = input_name(state.recipe); !name.empty())
        return std::string(name) + " — Headlight";
    const std::string image = std::filesystem::path(state.recipe.image).filename().string();
    return image.empty() ? "Headlight" : image + " — Headlight";
}

void take_link(Beginning& beginning, const std::string& link) {
    try {
        beginning.state = state_of_link(link, beginning.state);
    } catch (const SessionError& error) {
        beginning.trouble += (beginning.trouble.empty() ? "" : " ") + std::string(error.what());
    }
}

void take_experiment(Beginning& beginning, const std::string& file) {
    try {
        beginning.state = load_experiment(file, beginning.state);
    } catch (const SessionError& error) {
        beginning.trouble += (beginning.trouble.empty() ? "" : " ") + std::string(error.what());
    }
}

}  // namespace

Loop::Start::Start(const WindowOptions& options)
    : beginning(begin_session(session_file(options),
                              options.session.empty() ? Whose::own : Whose::named,
                              first_look(options))) {
    mark = std::make_unique<CrashMarker>(beginning.file);
    if (mark->left()) leave_out(beginning, *mark->left());
    if (!options.link.empty()) take_link(beginning, options.link);
    if (const std::string file = named(options).experiment; !file.empty())
        take_experiment(beginning, file);
    leave_out_missing_model(beginning);
    state = chosen(beginning.state, options);
}

Loop::Loop(const WindowOptions& options) : Loop(options, Start(options)) {}

Loop::Loop(const WindowOptions& options, Start start)
    : marker_(std::move(start.mark)),
      window_("Headlight", kFirstSize, Window::Show::yes),
      app_(start.state, Window::wake),
      presenter_window_(window_, app_),
      storage_(start.beginning.file, start.beginning.saved),
      report_(options.report),
      trouble_(missing_files(app_.ui().fonts()) + options.trouble),
      other_images_(images_instead(start.beginning.state, options)),
      layer_(options.layer),
      head_(options.head),
      query_(options.query),
      last_round_(now()) {
    if (const std::string& trouble = start.beginning.trouble; !trouble.empty())
        trouble_ += (trouble_.empty() ? "" : " ") + trouble;
    marker_->set(start.state);
    const Named files = named(options);
    if (files.scene_first) app_.obey(command("open", files.scenes.front()));
    if (!files.tokens.empty()) {
        app_.obey(command("open", files.tokens.front()));
        if (!files.models.empty()) app_.obey(command("open-model", files.models.front()));
    }
    if (!files.lost.empty()) app_.obey(command("open-model", files.lost));  // says where it is not
    if (files.lessons.empty()) return;
    const std::string& lesson = files.lessons.front();
    app_.obey(options.stop.empty() ? command("lesson", lesson)
                                   : command("lesson", lesson, options.stop));
}

bool Loop::iterate() {
    const bool idle = !frame_wanted();
    const double before = now();
    window_.wait(patience());
    if (idle) pause_ += now() - before;
    take_news();
    if (presenter_window_.iterate({now(), minute_of_day()})) drawn_since_report_ = true;
    if (frame_wanted()) draw();
    keep_session();
    report();
    return !app_.work().wants_quit() && !window_.closing();
}

bool Loop::frame_wanted() {
    return app_.frames_due() || app_.moving() || window_.input().waiting();
}

// Seconds until something must be drawn without input; empty if never.
std::optional<double> Loop::patience() {
    std::optional<double> wait = presenter_window_.patience(now());
    if (frame_wanted())
        // Drivers without vertical sync would draw as fast as they can.
        return std::max(0.0, last_frame_ + window_.refresh_seconds() - now());
    const auto at_most = [&](double seconds) { wait = std::min(wait.value_or(seconds), seconds); };
    if (!starting_ || !app_.work().busy())
        if (const auto due = storage_.due(to_keep(), now())) at_most(*due);
    if (app_.work().busy()) at_most(kProgressEvery);
    if (player_ || app_.wants_example())
        at_most(app_.busy() ? kProgressEvery : 0);  // for its next line
    if (app_.reader().lesson() != nullptr) at_most(kLookEvery);
    return wait;
}

void Loop::take_news() {
    const double time = now();
    const double passed = time - last_round_;
    last_round_ = time;
    if (window_.take_happened()) app_.touch();
    // Of several, the first stays open and the others join the recent files.
    for (const std::string& path : window_.take_dropped() | std::views::reverse) app_.drop(path);
    app_.advance(std::min(passed, kLongestStep));
    play_example();
    if (app_.work().show_progress()) app_.touch_once();
    if (app_.work().busy()) return;
    look_after_files(time);
    if (app_.work().trace() == nullptr)
        rescue();
    else {
        say_trouble();
        look_where_told();
    }
}

// Runs with the first result, when layers and tokens are known.
void Loop::look_where_told() {
    const std::string layer = std::exchange(layer_, {}), head = std::exchange(head_, {});
    bool good = layer.empty() || app_.obey(command("layer", layer));
    if (good && !head.empty()) good = app_.obey(command("head", head));
    const std::string query = std::exchange(query_, {});
    if (!good || query.empty()) return;
    const auto token = token_of_word(app_.work().trace()->layout, query);
    if (token)
        app_.obey(command("focus", std::to_string(*token)));
    else
        app_.work().warn(
            "--query: expected class, register0, a token such as token44 or the number of a patch "
            "from 0, found \"" +
            query + "\".");
}

// An example that fails is reverted completely.
void Loop::play_example() {
    if (app_.wants_example()) player_ = std::make_unique<Player>(app_, "", "", std::cout);
    if (!player_) return;
    const Player::Wants wants = player_->advance();
    if (wants == Player::Wants::frame || wants == Player::Wants::news) return;
    if (wants == Player::Wants::help) {
        app_.work().take_back_group(player_->failure());
        if (auto& history = player_->history_before()) app_.work().put_history(std::move(*history));
    }
    player_.reset();
    app_.touch();
}

// Checked only when something else happens, such as the user returning to the window. An idle
// window is not woken for a model, but for a lesson, whose author edits it in another window.
void Loop::look_after_files(double time) {
    if (time - last_look_ < kLookEvery) return;
    last_look_ = time;
    if (app_.work().look_after_model() || app_.look_after_lesson()) app_.touch();
}

// A failed start must still show a picture and an error message.
void Loop::rescue() {
    if (!starting_ || !app_.work().failed_at()) return;
    std::string why = app_.work().notice().text;
    const std::optional<WayOut> way = way_out();
    if (!way) return;
    if (why.ends_with('.')) why.pop_back();
    if (!trouble_.empty()) trouble_ += " ";
    // Lines of code, if any, are at the end.
    const bool code = why.find('\n') != std::string::npos;
    trouble_ += code ? "For now, " + way->done + ". " + why : why + "; " + way->done + ".";
    app_.obey(way->command);
}

// Falls back step by step: another image, a scene, no weights, and finally everything reset.
std::optional<Loop::WayOut> Loop::way_out() {
    if (app_.work().failed_at() == Step::image && !other_images_.empty()) {
        const std::filesystem::path image = other_images_.back();
        other_images_.pop_back();
        return WayOut{command("open", image.string()),
                      image.filename().string() + " is shown instead"};
    }
    if (app_.work().failed_at() == Step::image && input_name(app_.work().state().recipe).empty())
        return WayOut{command("scene", "1"), "a scene is drawn instead"};
    if (app_.work().failed_at() == Step::qkv && !app_.work().state().recipe.weights.empty())
        return WayOut{command("close-model"), "a random layer is used instead"};
    if (std::exchange(usual_settings_tried_, true)) return std::nullopt;
    return WayOut{command("defaults"), "the default settings are used"};
}

void Loop::say_trouble() {
    starting_ = false;
    if (!trouble_.empty()) app_.work().warn(std::exchange(trouble_, {}));
}

void Loop::draw() {
    const double time = now();
    // A pause counts in full, so that clicks around it are no double click. A slow frame does not,
    // so that clicks queued during it can still be one.
    const double drawing = std::min(time - last_frame_ - pause_, kLongestStep);
    const double passed = drawing + std::exchange(pause_, 0.0);
    last_frame_ = time;
    const Extent size = window_.size();
    if (size.width == 0 || size.height == 0) return;  // minimized
    app_.draw(window_.input(), size, window_.scale(), passed);
    app_.render();
    window_.set_cursor(ImGui::GetMouseCursor());
    window_.set_typing(app_.is_typing());
    window_.set_title(title(app_.work().state()));
    if (app_.has_news() || window_.take_exposed()) {
        app_.show();
        window_.present();
    }
    if (app_.work().trace()) marker_->done();
    drawn_since_report_ = true;
}

// A file that is still being read is not saved: it may hang or crash the next start.
State Loop::to_keep() const {
    const Workspace& work = app_.work();
    State state = work.chosen();
    const Recipe& shown = work.trace_recipe();
    const bool reads = state.recipe.weights != shown.weights || state.recipe.image != shown.image;
    if (work.busy() && work.trace() && reads) state.recipe = shown;
    return state;
}

void Loop::keep_session() {
    if (starting_ && app_.work().busy()) return;
    const State state = to_keep();
    if (storage_.due(state, now()) != 0.0) return;
    if (const std::string trouble = storage_.save(state); !trouble.empty())
        app_.work().warn(trouble);
}

// Reports at rest, or ten times a second during animation.
void Loop::report() {
    if (report_.empty() || !drawn_since_report_) return;
    const bool playing = app_.work().playing();  // another frame will follow
    if (app_.frames_due() && !playing) return;
    if (app_.moving() && now() - last_report_ < kReportEvery) return;
    try {
        write_report(report_, app_);
        report_fails_ = false;
    } catch (const std::exception& error) {
        if (!std::exchange(report_fails_, true)) app_.work().warn(error.what());
    }
    last_report_ = now();
    drawn_since_report_ = false;
}

void Loop::finish() {
    if (!starting_ || !app_.work().busy()) storage_.save(to_keep());
    marker_->done();
}

void run_window(const WindowOptions& options) {
    const auto loop = std::make_shared<Loop>(options);
    Window::repeat([loop] {
        if (loop->iterate()) return true;
        loop->finish();
        return false;
    });
}

}  // namespace headlight::app
