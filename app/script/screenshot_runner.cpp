#include "script/screenshot_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <ostream>
#include <set>
#include <stdexcept>

#include "disk/read_file.h"
#include "program/values.h"
#include "state/fields.h"

namespace headlight::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPictureFrame = 1.0 / 60;
constexpr double kTurn = 2 * std::numbers::pi;

// A simulated drag over a number of frames.
struct Drag {
    int count = 0;
    const Field* field = nullptr;  // between `low` and `high`; null: the first shape of the scene
    double low = 0, high = 0;
};

Drag parse_drag(const std::vector<std::string>& args) {
    constexpr const char* verb = "bench-drag";
    Drag drag{parse_integer(verb, args[0], 1, 100000)};
    if (args.size() == 1) return drag;
    if (args.size() != 4)
        throw CommandError("bench-drag: expected a field with its lowest and highest value.");
    drag.field = find_field(args[1]);
    if (drag.field == nullptr)
        throw CommandError("bench-drag: there is no field " + in_quotes(args[1]) + ".");
    if (drag.field->low == drag.field->high)
        throw CommandError("bench-drag: expected a field of numbers, found " + args[1] + ".");
    drag.low = parse_number(verb, args[2], drag.field->low, drag.field->high);
    drag.high = parse_number(verb, args[3], drag.field->low, drag.field->high);
    return drag;
}

// Moves the slider back and forth once per second.
Command field_dragged(const Drag& drag, const State& state, int i) {
    const double part = 0.5 - 0.5 * std::cos(kTurn * kPictureFrame * i);
    return command("set", std::string(drag.field->name),
                   slider_text(*drag.field, state, drag.low + (drag.high - drag.low) * part));
}

// Moves the first shape in a circle once per second.
Command shape_dragged(int i) {
    const double angle = kTurn * kPictureFrame * i;
    return command("shape-move", "1", fmt::format("{:.2f}", 40 + 15 * std::cos(angle)),
                   fmt::format("{:.2f}", 40 + 15 * std::sin(angle)));
}

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string times_text(std::vector<double> times) {
    std::ranges::sort(times);
    return fmt::format("median {:.2f} ms least {:.2f} ms longest {:.2f} ms",
                       times[times.size() / 2], times.front(), times.back());
}

}  // namespace

const std::vector<ScreenshotRunner::Verb>& ScreenshotRunner::verbs() {
    using S = ScreenshotRunner;
    using A = Args;
    static const std::vector<Verb> table = {
        {{"size", "W H", "Sets the size of the picture in pixels. Default: 1600 1000."},
         [](S& s, const A& a) {
             s.size_ = {parse_integer("size", a[0], 320, 8192),
                        parse_integer("size", a[1], 240, 8192)};
             s.app_.touch();
         }},
        {{"scale", "S", "Sets the pixels per unit. Default: 1."},
         [](S& s, const A& a) {
             s.scale_ = static_cast<float>(parse_number("scale", a[0], 0.5, 4));
             s.app_.touch();
         }},
        {{"shot", "NAME", "Saves NAME.png and prints its path."},
         [](S& s, const A& a) { s.shot(a[0]); }},
        {{"presenter-size", "W H", "Sets the size of the presenter's window. Default: 1280 720."},
         [](S& s, const A& a) {
             s.presenter_size_ = {parse_integer("presenter-size", a[0], 320, 8192),
                                  parse_integer("presenter-size", a[1], 240, 8192)};
         }},
        {{"presenter-hand", "key|click|scroll|shot WHAT",
          "Presses a key in the presenter's window, clicks a place there, turns the wheel over its "
          "words, or saves a picture of it."},
         [](S& s, const A& a) { s.present(a); }},
        {{"let-pass", "SECONDS", "Advances the presenter's clocks by this time."},
         [](S& s, const A& a) { s.let_pass(parse_number("let-pass", a[0], 0, 1e6)); }},
        {{"bench-frames", "N",
          "Draws N frames in each of three cases and prints the time of one frame: at rest, while "
          "the pointer moves, and with every pixel drawn again."},
         [](S& s, const A& a) { s.bench_frames(parse_integer("bench-frames", a[0], 1, 100000)); }},
        {{"bench-drag", "N [FIELD] [LOW] [HIGH]",
          "Like bench-frames, but while it drags the first shape of a scene, or a field between "
          "two values. Prints how many values were set and in how many frames a matrix or picture "
          "changed. If the model runs, also prints how many new results there were, and what "
          "percentage of the maximum that is."},
         [](S& s, const A& a) { s.bench_drag(a); }},
    };
    return table;
}

void ScreenshotRunner::say(const std::string& name, std::string_view lines) {
    player_ = std::make_unique<Player>(app_, name, lines, out_);
    while (advance()) {
    }
}

void ScreenshotRunner::begin(const std::filesystem::path& script) {
    player_ = std::make_unique<Player>(app_, script.string(), read_text(script.string()), out_);
}

bool ScreenshotRunner::advance() {
    switch (player_->advance()) {
        case Player::Wants::frame:
            frame(player_->seconds());
            return true;
        case Player::Wants::news:
            window_.wait(0.02);
            return true;
        case Player::Wants::nothing:
            return false;
        case Player::Wants::help:
            break;
    }
    throw std::runtime_error(player_->failure());
}

void ScreenshotRunner::frame(double seconds) {
    let_pass(seconds);
    app_.draw(player_->input(), size_, scale_, seconds);
    app_.render();
}

// ---- the presenter's window, which is only a picture here

void ScreenshotRunner::let_pass(double seconds) {
    const auto minute = [](double at) { return static_cast<int>(at / 60); };
    const int minutes = minute(now_.seconds + seconds) - minute(now_.seconds);
    now_ = {now_.seconds + seconds, (now_.minute + minutes) % (24 * 60)};
    app_.follow_talk(now_, false);
    if (app_.presentation().is_open() == (presenter_ != nullptr)) return;
    presenter_ = app_.presentation().is_open() ? std::make_unique<Presenter>() : nullptr;
    app_.attend(presenter_.get());
}

// Draws a few frames, so that requests become visible.
void ScreenshotRunner::draw_presenter() {
    presenter_->touch();
    while (app_.reader().lesson() != nullptr &&
           (presenter_->frames_due() || presenter_input_.waiting())) {
        const Presenter::Heard heard =
            presenter_->draw(presenter_input_, presenter_size_, kPictureFrame, app_.presented());
        presenter_->render();
        app_.hear_presenter(heard);
    }
}

void ScreenshotRunner::present(const Args& args) {
    let_pass(0);
    if (!presenter_) throw CommandError("presenter-hand: the presenter's window is not open.");
    draw_presenter();
    const auto place = [&](const std::string& name) {
        ImVec2 at{};
        if (!presenter_->ui().find(name, at))
            throw CommandError("presenter-hand: there is no \"" + name + "\" in that window.");
        presenter_input_.add(PointerMoved{std::round(at.x), std::round(at.y)});
    };
    if (args[0] == "key") {
        add_key(presenter_input_, args[1]);
    } else if (args[0] == "click") {
        place(args[1]);
        presenter_input_.add(ButtonChanged{0, true});
        presenter_input_.add(ButtonChanged{0, false});
    } else if (args[0] == "scroll") {
        place("presenter.words");
        const double turned = parse_number("presenter-hand scroll", args[1], -100, 100);
        presenter_input_.add(Wheel{0, static_cast<float>(turned)});
    } else if (args[0] != "shot") {
        throw CommandError("presenter-hand: expected key, click, scroll or shot, found \"" +
                           args[0] + "\".");
    }
    draw_presenter();
    if (args[0] != "shot") return;
    const std::filesystem::path path = folder_ / (args[1] + ".png");
    save_png(path, presenter_->picture());
    out_ << path.string() << std::endl;
}

void ScreenshotRunner::shot(const std::string& name) {
    const std::filesystem::path path = folder_ / (name + ".png");
    save_png(path, app_.picture());
    out_ << path.string() << std::endl;
}

// ---- benchmarks

double ScreenshotRunner::timed_frame() {
    const auto start = Clock::now();
    app_.advance(kPictureFrame);
    frame(kPictureFrame);
    finish_drawing();
    return milliseconds_since(start);
}

std::string ScreenshotRunner::timed_frames(int count, const std::function<void(int)>& before) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        before(i);
        times.push_back(timed_frame());
    }
    return times_text(std::move(times));
}

void ScreenshotRunner::bench_frames(int count) {
    const auto point = [&](int i) {  // up and down, and once from left to right
        const double down = 0.5 - 0.45 * std::cos(kTurn * kPictureFrame * 2 * i);
        const double across = 0.02 + 0.96 * (i + 0.5) / count;
        player_->input().add(PointerMoved{static_cast<float>(across * size_.width),
                                          static_cast<float>(down * size_.height)});
    };
    out_ << "frames " << count << " rest " << timed_frames(count, [](int) {});
    out_ << " pointer " << timed_frames(count, point);
    out_ << " anew " << timed_frames(count, [&](int) { app_.forget_picture(); }) << std::endl;
}

// As a user drags: no waiting for results, each frame shows the newest one, and no more frames than
// a monitor shows.
void ScreenshotRunner::bench_drag(const Args& args) {
    const Drag drag = parse_drag(args);
    std::set<std::string> values;
    const auto move = [&](int i) {
        const State& state = app_.work().state();
        const Command said = drag.field ? field_dragged(drag, state, i) : shape_dragged(i);
        if (!app_.obey(said)) throw CommandError("bench-drag: " + app_.work().notice().text);
        values.insert(drag.field ? drag.field->get(state) : to_text(said));
    };
    std::vector<double> times;
    int pictures = 0, results = 0;
    const auto start = Clock::now();
    for (int i = 0; i < drag.count; ++i) {
        move(i);
        const auto drawn = app_.ui().heatmaps().drawn();
        const std::shared_ptr<const Trace> shown = app_.work().trace();
        times.push_back(timed_frame());
        if (app_.ui().heatmaps().drawn() != drawn) ++pictures;
        if (app_.work().trace() != shown) ++results;
        const std::chrono::duration<double> passed((i + 1) * kPictureFrame);
        rest_until(start + std::chrono::duration_cast<Clock::duration>(passed));
    }
    const double seconds = milliseconds_since(start) / 1000;
    if (drag.count > 1 && values.size() == 1)
        throw CommandError("bench-drag: every frame set the same value, " + *values.begin() + ".");
    out_ << fmt::format("drag {} frames {}; {} values set, {} new pictures, {:.1f} a second",
                        drag.count, times_text(times), values.size(), pictures, pictures / seconds);
    if (results > 0) {
        const double alone = time_of_result([&] { move(drag.count); }), rate = results / seconds;
        out_ << fmt::format(
            "; {} new results, {:.1f} a second, {:.0f} % of the maximum; a single result "
            "takes {:.1f} ms",
            results, rate, 100 * rate / std::min(1000 / alone, 1 / kPictureFrame), alone);
    }
    out_ << std::endl;
}

// Draws nothing until then.
void ScreenshotRunner::rest_until(Clock::time_point due) {
    for (auto now = Clock::now(); now < due; now = Clock::now())
        window_.wait(std::chrono::duration<double>(due - now).count());
}

// Milliseconds from a change to the first result that includes it, without drawing.
double ScreenshotRunner::time_of_result(const std::function<void()>& change) {
    const auto settle = [&](const auto& until) {
        while (app_.work().busy() && !until()) {
            window_.wait(0.02);
            app_.advance(0);
        }
    };
    settle([] { return false; });
    const std::shared_ptr<const Trace> before = app_.work().trace();
    const auto start = Clock::now();
    change();
    settle([&] { return app_.work().trace() != before; });
    const double taken = milliseconds_since(start);
    settle([] { return false; });
    return taken;
}

}  // namespace headlight::app
