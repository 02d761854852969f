#include "platform/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <ostream>

#include "gl/api.h"
#include "platform/keyboard.h"
#include "platform/monkey.h"
#include "program/values.h"
#include "state/fields.h"
#include "state/keys.h"

namespace headlight::platform {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFrame = 1.0 / 60;
constexpr double kApart = 0.5;  // seconds between two clicks that are no double click
constexpr std::chrono::minutes kLongestComputation{5};
constexpr std::chrono::seconds kMonkeyPatience{2};
constexpr double kLongestMotion = 600;  // seconds

// Refusals of one line; play() puts the place before them.
[[noreturn]] void refuse(const std::string& sentence) { throw CommandError(sentence); }

float number(std::string_view what, const std::string& text, double low, double high) {
    return static_cast<float>(parse_number(what, text, low, high));
}

bool names_file(const Command& command) {
    if (command.verb == "open" || command.verb == "open-model") return true;
    const Field* field =
        command.verb == "set" && !command.args.empty() ? find_field(command.args[0]) : nullptr;
    return field != nullptr && field->kind == FieldKind::file;
}

// The name up to its first bracket or point: "stage" of "stage.result[3,4]".
std::string family(const std::string& name) { return name.substr(0, name.find_first_of(".[")); }

// Characters of UTF-8; a byte that is none stands for itself.
std::vector<unsigned> codepoints(std::string_view text) {
    std::vector<unsigned> points;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool continues = (byte & 0xC0U) == 0x80U && !points.empty();
        if (continues)
            points.back() = points.back() << 6U | (byte & 0x3FU);
        else
            points.push_back(byte < 0xC0U   ? byte
                             : byte < 0xE0U ? byte & 0x1FU
                             : byte < 0xF0U ? byte & 0x0FU
                                            : byte & 0x07U);
    }
    return points;
}

}  // namespace

ScriptPlayer::ScriptPlayer(Window& window, Application& app, std::filesystem::path folder,
                           std::ostream& out)
    : window_(window), app_(app), folder_(std::move(folder)), out_(out) {}

void ScriptPlayer::play(const std::filesystem::path& script) {
    std::ifstream lines(script);
    if (!lines) throw ScriptError(script.string() + ": cannot be read.");
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        try {
            perform(parse_command(line));
        } catch (const std::exception& error) {
            throw ScriptError(fmt::format("{}:{}: {}", script.string(), number, error.what()));
        }
    }
}

const std::vector<ScriptPlayer::Verb>& ScriptPlayer::verbs() {
    using P = ScriptPlayer;
    using A = Args;
    static const std::vector<Verb> table = {
        {{"size", "W H", "Sets the size of the picture in pixels, at first 1600 1000."},
         [](P& p, const A& a) {
             p.size_ = {parse_integer("size", a[0], 320, 8192),
                        parse_integer("size", a[1], 240, 8192)};
             p.rest();
         }},
        {{"scale", "S", "Sets the pixels per unit, at first 1."},
         [](P& p, const A& a) {
             p.scale_ = number("scale", a[0], 0.5, 4);
             p.rest();
         }},
        {{"pointer", "PLACE|X [Y]", "Moves the pointer to a place, or to pixels."},
         [](P& p, const A& a) {
             p.point(a.size() == 1 ? p.place(a[0])
                                   : ImVec2{number("pointer", a[0], -1e4, 1e4),
                                            number("pointer", a[1], -1e4, 1e4)});
         }},
        {{"click", "PLACE", "Clicks."},
         [](P& p, const A& a) {
             p.click(a[0]);
             p.frame(kApart);
         }},
        {{"double-click", "PLACE", "Clicks twice."},
         [](P& p, const A& a) {
             p.click(a[0]);
             p.click(a[0]);
             p.frame(kApart);
         }},
        {{"press", "PLACE", "Presses the button and holds it."},
         [](P& p, const A& a) {
             p.point(p.place(a[0]));
             p.button(true);
         }},
        {{"release-button", "", "Lets the button go."}, [](P& p, const A&) { p.button(false); }},
        {{"drag", "PLACE to|by PLACE|DX [DY]",
          "Drags from a place to another, or by so many pixels."},
         [](P& p, const A& a) { p.drag(a); }},
        {{"scroll", "PLACE AMOUNT", "Turns the wheel; upwards is positive."},
         [](P& p, const A& a) {
             p.point(p.place(a[0]));
             p.input_.add(Wheel{0, number("scroll", a[1], -100, 100)});
             p.rest();
         }},
        {{"key", "KEY", "Presses a key, as in Ctrl+Z, Left or ?."},
         [](P& p, const A& a) { p.key(a[0]); }},
        {{"type", "TEXT", "Types into a text field."}, [](P& p, const A& a) { p.type(a[0]); }},
        {{"drop", "PATH", "Drops a file from the desktop."},
         [](P& p, const A& a) { p.app_.drop(a[0]); }},
        {{"wait", "[MILLISECONDS]",
          "Waits so long, or until nothing is computed and nothing moves."},
         [](P& p, const A& a) { p.wait(a); }},
        {{"shot", "NAME", "Saves NAME.png and prints its path."},
         [](P& p, const A& a) { p.shot(a[0]); }},
        {{"expect", "REPORT VALUE", "Fails when the screen reports something else."},
         [](P& p, const A& a) { p.expect(a[0], a[1]); }},
        {{"print", "REPORT", "Prints what the screen reports."},
         [](P& p, const A& a) { p.out_ << a[0] << ' ' << p.reported(a[0]) << std::endl; }},
        {{"try", "COMMAND [ARGUMENT]...", "Says a command whose refusal does not end the script."},
         [](P& p, const A& a) {
             p.try_out({a.front(), {a.begin() + 1, a.end()}});
         }},
        {{"monkey", "N SEED",
          "Says N lines that nobody would say, and prints them so that they can be played again."},
         [](P& p, const A& a) {
             p.monkey(parse_integer("monkey", a[0], 1, 1000000), parse_unsigned("monkey", a[1]));
         }},
        {{"bench-frames", "N", "Draws N frames and prints what one takes."},
         [](P& p, const A& a) { p.bench(parse_integer("bench-frames", a[0], 1, 100000)); }},
        {{"bench-drag", "N",
          "The same while the first shape of a scene goes round, and how many of the frames showed "
          "a new result."},
         [](P& p, const A& a) { p.bench_drag(parse_integer("bench-drag", a[0], 1, 100000)); }},
    };
    return table;
}

void ScriptPlayer::perform(const Command& command) {
    if (command == Command{}) return;
    if (command.verb != "wait") settle();
    if (const Verb* verb = find_row(verbs(), command)) return verb->run(*this, command.args);
    if (!app_.obey(command)) refuse(app_.work().notice().text);
    if (names_file(command)) expect_opened();
}

// What the script shows from here on must come from the file that it named.
void ScriptPlayer::expect_opened() {
    settle();
    if (const Notice& notice = app_.work().notice(); notice.is_error) refuse(notice.text);
}

// ---- time

void ScriptPlayer::frame(double seconds) {
    app_.draw(input_, size_, scale_, seconds);
    if (!canvas_ || canvas_->size() != size_) canvas_ = std::make_unique<Offscreen>(size_);
    canvas_->bind();
    app_.render();
}

// What has been done is seen; no time goes by for playback.
void ScriptPlayer::rest() {
    app_.touch();
    draw_due();
}

void ScriptPlayer::draw_due() {
    while (app_.frames_due() || input_.waiting()) frame(kFrame);
}

void ScriptPlayer::settle() {
    const auto start = Clock::now();
    while (app_.work().busy()) {
        window_.wait(0.02);
        app_.advance(0);
        if (Clock::now() - start > kLongestComputation) refuse("the computation does not end.");
    }
    app_.advance(0);
    draw_due();
}

void ScriptPlayer::wait(const Args& args) {
    const double longest =
        args.empty() ? kLongestMotion : number("wait", args[0], 0, kLongestMotion * 1000) / 1000.0;
    settle();
    for (int frames = static_cast<int>(std::ceil(longest / kFrame)); frames > 0; --frames) {
        if (args.empty() && !app_.moving()) return;
        app_.advance(kFrame);
        frame(kFrame);
        settle();
    }
    if (args.empty()) refuse("something moves and does not come to rest.");
}

// ---- what a person does

ImVec2 ScriptPlayer::place(const std::string& name) const {
    ImVec2 point{};
    // Dear ImGui cuts off fractions, which would miss the middle of a cell of one pixel.
    if (app_.ui().find(name, point)) return {std::round(point.x), std::round(point.y)};
    std::string others;
    for (const auto& [other, where] : app_.ui().names())
        if (family(other) == family(name)) others += (others.empty() ? "" : ", ") + other;
    refuse(fmt::format("nothing on the screen is called \"{}\"{}{}.", name,
                       others.empty() ? "" : "; there is ", others));
}

void ScriptPlayer::point(ImVec2 at) {
    input_.add(PointerMoved{at.x, at.y});
    rest();
}

void ScriptPlayer::button(bool down) {
    input_.add(ButtonChanged{0, down});
    rest();
}

void ScriptPlayer::click(const std::string& name) {
    point(place(name));
    input_.add(ButtonChanged{0, true});
    input_.add(ButtonChanged{0, false});
    rest();
}

void ScriptPlayer::drag(const Args& args) {
    const ImVec2 from = place(args[0]);
    ImVec2 to{};
    if (args[1] == "to" && args.size() == 3)
        to = place(args[2]);
    else if (args[1] == "by" && args.size() == 4)
        to = {from.x + number("drag", args[2], -1e4, 1e4),
              from.y + number("drag", args[3], -1e4, 1e4)};
    else
        refuse("expected drag PLACE to PLACE or drag PLACE by DX DY.");
    point(from);
    button(true);
    constexpr int steps = 8;  // a drag is a movement, not a jump
    for (int i = 1; i <= steps; ++i) {
        const float t = static_cast<float>(i) / steps;
        point({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
    }
    button(false);
}

void ScriptPlayer::key(const std::string& name) {
    const std::string printed = printed_key(name);
    const bool ctrl = printed.starts_with("Ctrl+");
    const bool shift = printed.find("Shift+") != std::string::npos;
    input_.add(Modifiers{ctrl, shift});
    const std::size_t plus = printed.rfind('+', printed.size() - 2);
    const auto edit = edit_key(std::string_view(printed).substr(plus + 1));
    if (edit) input_.add(EditKey{*edit, true});
    input_.add(Pressed{printed});
    if (edit) input_.add(EditKey{*edit, false});
    input_.add(Modifiers{});
    rest();
}

void ScriptPlayer::type(const std::string& text) {
    for (const unsigned point : codepoints(text)) input_.add(Typed{point});
    rest();
}

// ---- what is seen

void ScriptPlayer::shot(const std::string& name) {
    const std::filesystem::path path = folder_ / (name + ".png");
    save_png(path, canvas_->read());
    out_ << path.string() << std::endl;
}

std::string ScriptPlayer::reported(const std::string& name) const {
    const auto reports = app_.reports();
    const auto found = reports.find(name);
    if (found != reports.end()) return found->second;
    std::string others;
    for (const auto& [other, value] : reports)
        if (family(other) == family(name)) others += (others.empty() ? "" : ", ") + other;
    refuse(fmt::format("the screen reports no \"{}\"{}{}.", name,
                       others.empty() ? "" : "; it reports ", others));
}

void ScriptPlayer::expect(const std::string& name, const std::string& value) {
    const std::string found = reported(name);
    if (found != value)
        refuse(fmt::format("expected {} to be \"{}\", found \"{}\".", name, value, found));
}

// ---- a monkey

void ScriptPlayer::try_out(const Command& command) {
    try {
        perform(command);
    } catch (const CommandError&) {
        app_.obey(headlight::command("dismiss"));
    }
}

void ScriptPlayer::monkey(int lines, std::uint64_t seed) {
    Monkey monkey(seed);
    for (; lines > 0; --lines) {
        const std::string line = monkey.next(app_);
        out_ << "try " << line << std::endl;
        lose_patience();
        try_out(parse_command(line));
    }
}

// Some of what a monkey asks for would take minutes.
void ScriptPlayer::lose_patience() {
    const auto start = Clock::now();
    while (app_.work().busy() && Clock::now() - start < kMonkeyPatience) {
        window_.wait(0.02);
        app_.advance(0);
    }
    if (app_.work().busy()) app_.obey(command("cancel"));
}

// ---- how fast

double ScriptPlayer::timed_frame() {
    const auto start = Clock::now();
    app_.advance(kFrame);
    frame(kFrame);
    glFinish();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void ScriptPlayer::bench(int count) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) times.push_back(timed_frame());
    std::sort(times.begin(), times.end());
    out_ << fmt::format("frames {} median {:.2f} ms longest {:.2f} ms", count,
                        times[times.size() / 2], times.back())
         << std::endl;
}

// As a hand does it: nobody waits for a result, the frame shows the newest that there is.
void ScriptPlayer::bench_drag(int count) {
    std::vector<double> times;
    int fresh = 0;
    std::shared_ptr<const Trace> shown = app_.work().trace();
    for (int i = 0; i < count; ++i) {
        const double angle = 0.1 * i;
        app_.obey(command("shape-move", "1", fmt::format("{:.2f}", 40 + 15 * std::cos(angle)),
                          fmt::format("{:.2f}", 40 + 15 * std::sin(angle))));
        times.push_back(timed_frame());
        if (app_.work().trace() != shown) ++fresh;
        shown = app_.work().trace();
    }
    settle();
    std::sort(times.begin(), times.end());
    out_ << fmt::format("drag {} frames median {:.2f} ms longest {:.2f} ms, {} with a new result",
                        count, times[times.size() / 2], times.back(), fresh)
         << std::endl;
}

}  // namespace headlight::platform
