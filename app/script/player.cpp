#include "script/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <utility>

#include "disk/files.h"
#include "frame/value_text.h"
#include "program/values.h"
#include "state/fields.h"
#include "state/first_state.h"
#include "tasks/background_task.h"
#include "ui/utf8.h"

namespace headlight::app {
namespace {

constexpr double kFrame = 1.0 / 60;
constexpr double kApart = 0.5;  // seconds between clicks that are no double click
constexpr std::chrono::hours kLongestComputation{2};
constexpr std::chrono::seconds kPatience{2};
constexpr double kLongestMotion = 600;  // seconds

// An error in the current line; failure() adds the location.
[[noreturn]] void refuse(const std::string& sentence) { throw CommandError(sentence); }

// The time since the first call, which sets `since`. Computations may take long, but not forever.
std::chrono::steady_clock::duration waited(
    std::optional<std::chrono::steady_clock::time_point>& since) {
    const auto now = std::chrono::steady_clock::now();
    if (!since) since = now;
    if (now - *since > kLongestComputation) refuse("the computation did not end in time.");
    return now - *since;
}

float number(std::string_view what, const std::string& text, double low, double high) {
    return static_cast<float>(parse_number(what, text, low, high));
}

// Whether the command shows or writes results of all earlier settings.
bool shows_results(std::string_view verb) {
    constexpr std::array<std::string_view, 7> kVerbs{"wait",   "shot",        "export",     "copy",
                                                     "figure", "print-value", "expect-that"};
    return std::ranges::find(kVerbs, verb) != kVerbs.end();
}

// Commands that open the drawers or pages of the current screen.
std::vector<Command> drawers_of(const Look& look) {
    const auto set = [](const char* field, const char* value) {
        return command("set", field, value);
    };
    switch (look.screen) {
        case ScreenId::walk: {
            std::vector<Command> drawers;
            if (!look.experiment_open()) drawers.push_back(set("fold_experiment", "open"));
            if (!look.numbers_open()) drawers.push_back(set("fold_numbers", "open"));
            return drawers;
        }
        case ScreenId::heads:
            return look.heads_tools ? std::vector<Command>()
                                    : std::vector{set("heads_tools", "on")};
        case ScreenId::positions:
            return {set("position_page", "table"), set("position_kinds", "on"),
                    set("position_page", "properties"), set("position_page", "order")};
        case ScreenId::look:
        case ScreenId::lessons:
            break;
    }
    return {};
}

// The name up to its first bracket or dot: "stage" of "stage.result[3,4]".
std::string family(const std::string& name) { return name.substr(0, name.find_first_of(".[")); }

}  // namespace

Player::Player(Application& app, const std::string& name, std::string_view script,
               std::ostream& out)
    : app_(app), out_(out) {
    app_.work().command_table().add(CommandOf::hands, verbs(), *this);
    add_lines(script, name, false);
    ended_ = script.empty();  // without a script, the user's settings are not checked
}

const std::vector<Player::Verb>& Player::verbs() {
    using P = Player;
    using A = Args;
    static const std::vector<Verb> table = {
        {{"pointer", "PLACE|X [Y]", "Moves the pointer to a place, or to pixels."},
         [](P& p, const A& a) {
             p.point(a.size() == 1 ? p.place(a[0])
                                   : ImVec2{number("pointer", a[0], -1e4, 1e4),
                                            number("pointer", a[1], -1e4, 1e4)});
         }},
        {{"click", "PLACE", "Clicks."},
         [](P& p, const A& a) {
             p.click(a[0]);
             p.then_frame(kApart);
         }},
        {{"double-click", "PLACE", "Clicks twice."},
         [](P& p, const A& a) {
             p.click(a[0]);
             p.then(After::rest, [&p, name = a[0]] { p.click(name); });
             p.then_frame(kApart);
         }},
        {{"press", "PLACE", "Presses the button and holds it."},
         [](P& p, const A& a) {
             p.point(p.place(a[0]));
             p.then(After::rest, [&p] { p.button(true); });
         }},
        {{"release-button", "", "Releases the button."}, [](P& p, const A&) { p.button(false); }},
        {{"drag", "PLACE to|by PLACE|DX [DY]",
          "Drags from one place to another, or by a number of pixels."},
         [](P& p, const A& a) { p.drag(a); }},
        {{"scroll", "PLACE AMOUNT", "Turns the wheel; upwards is positive."},
         [](P& p, const A& a) {
             p.point(p.place(a[0]));
             p.then(After::rest, [&p, amount = number("scroll", a[1], -100, 100)] {
                 p.input_.add(Wheel{0, amount});
                 p.app_.touch();
             });
         }},
        {{"key", "KEY", "Presses a key, as in Ctrl+Z, Left or ?."},
         [](P& p, const A& a) { p.key(a[0]); }},
        {{"type", "TEXT", "Types into a text field."}, [](P& p, const A& a) { p.type(a[0]); }},
        {{"drop", "PATH", "Drops a file from the desktop."},
         [](P& p, const A& a) {
             p.drops_ = true;
             p.app_.drop(a[0]);
         }},
        {{"wait", "[MILLISECONDS]",
          "Waits this long, or until nothing is computed and nothing moves."},
         [](P& p, const A& a) { p.wait(a); }},
        {{"expect", "REPORT VALUE", "Fails when the screen reports something else."},
         [](P& p, const A& a) { p.expect(a[0], a[1]); }},
        {{"print", "REPORT", "Prints what the screen reports."},
         [](P& p, const A& a) { p.out_ << a[0] << ' ' << p.reported(a[0]) << std::endl; }},
        {{"print-value", "EXPRESSION", "Prints what a lesson's {value …} would show."},
         [](P& p, const A& a) {
             p.out_ << a[0] << ' ' << screens::value_text(p.measured(a[0])) << std::endl;
         }},
        {{"expect-that", "CONDITION",
          "Fails if the condition, written as in a lesson's task, is false."},
         [](P& p, const A& a) {
             const lessons::Value found = p.measured(a[0]);
             const bool* holds = std::get_if<bool>(&found);
             if (holds == nullptr || !*holds)
                 refuse(fmt::format(
                     "expected that {}, found {}.", a[0],
                     screens::value_text(holds != nullptr
                                             ? p.measured(std::string(lessons::measured_side(a[0])))
                                             : found)));
         }},
        {{"expect-text", "TEXT [PLACE]", "Fails if the place, or the screen, has no such text."},
         [](P& p, const A& a) {
             p.read_texts({a.begin() + 1, a.end()}, [text = a[0]](const std::string& found) {
                 if (found.find(text) == std::string::npos)
                     refuse(fmt::format("expected the text \"{}\", found\n{}", text, found));
             });
         }},
        {{"print-texts", "[PLACE]", "Prints the texts in the place, or all."},
         [](P& p, const A& a) {
             p.read_texts(a, [&p](const std::string& found) { p.out_ << found << std::endl; });
         }},
        {{"try", "COMMAND [ARGUMENT]...", "Runs a command. If it is refused, the script goes on."},
         [](P& p, const A& a) {
             p.tried_ = true;
             p.say({a.front(), {a.begin() + 1, a.end()}});
         }},
        {{"monkey", "N SEED",
          "Runs N random commands, and prints them so that they can be played again."},
         [](P& p, const A& a) {
             p.monkey(parse_integer("monkey", a[0], 1, 1000000), parse_unsigned("monkey", a[1]));
         }},
    };
    return table;
}

// ---- line by line, act by act

Player::Wants Player::advance() {
    for (;;) try {
            if (gives_way()) continue;
            const After after = acts_.empty() ? After::nothing : acts_.front().after;
            if (const auto wants = wanted_before(after)) return *wants;
            if (acts_.empty() && !begin_line()) return Wants::nothing;
            go_on();
        } catch (const std::exception& error) {
            if (excused(error)) continue;
            failure_ = fmt::format("{}:{}: {}", line_.source, line_.number, error.what());
            return Wants::help;
        }
}

// Inserts lines before the remaining ones.
void Player::add_lines(std::string_view text, const std::string& source, bool of_example) {
    std::deque<Line> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const int number = static_cast<int>(lines.size()) + 1;
        lines.push_back({std::string(text.substr(0, end)), source, number, of_example});
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    lines_.insert(lines_.begin(), std::make_move_iterator(lines.begin()),
                  std::make_move_iterator(lines.end()));
}

bool Player::begin_line() {
    tried_ = drops_ = false;
    tried_drawers_.clear();
    if (const std::optional<Example> asked = app_.take_example()) {
        begin_example(*asked);
    } else if (!example_.empty() && (lines_.empty() || !lines_.front().of_example)) {
        then(After::computation, [this] { end_example(); });
    } else if (monkey_lines_ > 0) {
        begin_monkey_line();
    } else if (!lines_.empty()) {
        line_ = std::move(lines_.front());
        lines_.pop_front();
        // A monkey's earlier settings may be incompatible with an example that it clicks.
        tried_ = line_.of_example && monkey_.has_value();
        then(After::computation, [this] { say(parse_command(line_.text)); });
        then(After::computation, [this] { note_trouble(); });
    } else if (!std::exchange(ended_, true)) {
        then(After::computation, [this] { raise_trouble(); });
    } else {
        return false;
    }
    return true;
}

// Replaces an example that is being played.
void Player::begin_example(const Example& example) {
    std::erase_if(lines_, [](const Line& line) { return line.of_example; });
    add_lines(example.text, example.file.string(), true);
    example_ = example.title;
    caption_ = {example.title, example.words, example.tried};
    elsewhere_ = app_.elsewhere();
    trouble_.reset();
    failed_with_.reset();
    // Every example starts from the same state.
    then(After::computation, [this] {
        State beginning = picture_state();
        beginning.look = with_own(beginning.look, app_.work().state().look);
        history_before_ = app_.work().take_history();
        app_.work().put_history(*history_before_);
        app_.work().begin_group();
        app_.work().begin_first_look(std::move(beginning));
    });
}

// If the user has gone elsewhere, drops the rest of the example, which no longer applies.
bool Player::gives_way() {
    if (example_.empty() || app_.elsewhere() == elsewhere_) return false;
    std::erase_if(lines_, [](const Line& line) { return line.of_example; });
    acts_.clear();
    fresh_.clear();
    example_.clear();
    // When a stop is being entered, the reader ends the group.
    if (!app_.reader().busy()) app_.work().end_group();
    return true;
}

void Player::end_example() {
    raise_trouble();
    app_.work().end_group();
    app_.work().show_caption(std::exchange(caption_, {}));
    const std::string title = std::exchange(example_, {});
    app_.work().tell(title + (title.ends_with('?') ? "" : ".") +
                     " Ctrl+Z brings back what was there before.");
    app_.touch();
}

void Player::go_on() {
    if (!acts_.empty()) {
        const Act act = std::move(acts_.front());
        acts_.pop_front();
        act.go();
    }
    acts_.insert(acts_.begin(), std::make_move_iterator(fresh_.begin()),
                 std::make_move_iterator(fresh_.end()));
    fresh_.clear();
}

// Whether the failure ends only this line, not the script.
bool Player::excused(const std::exception& error) {
    acts_.clear();
    fresh_.clear();
    held_.reset();
    if (!tried_ || dynamic_cast<const CommandError*>(&error) == nullptr) return false;
    app_.obey(command("dismiss"));
    return true;
}

void Player::say(const Command& command) {
    if (command == Command{}) return;
    const CommandTable::Row* row = app_.work().command_table().find(command.verb);
    const bool of_script =
        row != nullptr && (row->of == CommandOf::hands || row->of == CommandOf::pictures);
    if (of_script && line_.of_example)
        refuse(
            fmt::format("{} works only in scripts: an example contains only commands of the "
                        "program itself.",
                        command.verb));
    if (shows_results(command.verb)) raise_trouble();
    if (const auto drawer = drawer_for(command)) {
        app_.obey(*drawer);
        return then(After::computation, [this, command] { say(command); });
    }
    if (command.verb == "shot")
        return when_all_is_shown([row, command] { static_cast<void>(row->obey(command)); });
    if (of_script) return static_cast<void>(row->obey(command));
    Command whole = beside_script(command);
    const bool leaves = whole.verb == "export" || whole.verb == "copy";
    if (leaves) app_.obey(headlight::command("dismiss"));  // what is said then is of this alone
    if (!app_.obey(whole)) {
        const std::string why = app_.work().notice().text;
        raise_trouble();  // it may be the cause
        refuse(why);
    }
    if (line_.of_example && app_.elsewhere() != elsewhere_) {  // it may open a lesson itself
        elsewhere_ = app_.elsewhere();
        history_before_.reset();
    }
    if (file_named(whole) == nullptr && !leaves) return;
    // Later lines must show results of the named file, so this waits for them. What leaves the
    // program is written in the next frame.
    then(After::computation, [this] {
        if (const Notice& notice = app_.work().notice(); notice.is_error) refuse(notice.text);
    });
}

// If the script names something that is not visible: the next drawer or page that may contain it.
std::optional<Command> Player::drawer_for(const Command& command) {
    constexpr std::array<std::string_view, 6> kPlaces{"pointer", "click", "double-click",
                                                      "press",   "drag",  "scroll"};
    constexpr std::array<std::string_view, 2> kReports{"expect", "print"};
    if (command.args.empty()) return std::nullopt;
    const Look& look = app_.work().state().look;
    // Number exports of Positions belong to the page that is asked for.
    const bool exports =
        command.verb == "export" && command.args.size() > 1 && look.screen == ScreenId::positions;
    const std::string& name = exports ? command.args[1] : command.args.front();
    const auto is_one_of = [&](const auto& verbs) {
        return std::ranges::find(verbs, command.verb) != verbs.end();
    };
    ImVec2 point{};
    const bool pixels = command.verb == "pointer" && command.args.size() > 1;
    const bool no_place =
                   (exports || is_one_of(kPlaces)) && !pixels && !app_.ui().find(name, point),
               no_report = is_one_of(kReports) && !app_.reports().contains(name);
    if (!no_place && !no_report) return std::nullopt;
    for (const Command& drawer : drawers_of(look))
        if (tried_drawers_.insert(to_text(drawer)).second) return drawer;
    return std::nullopt;
}

// Settings may turn out impossible when they are computed, and be fixed by a later line. Until
// then, the screen shows results of other settings. A file that was reverted is no problem, because
// the screen shows the current settings.
void Player::note_trouble() {
    const Workspace& work = app_.work();
    const Recipe& wanted = work.state().recipe;
    if (!work.failed_at() || (work.trace() && work.trace_recipe() == wanted)) {
        trouble_.reset();
        failed_with_.reset();
        return;
    }
    if (failed_with_ == wanted) return;
    failed_with_ = wanted;
    const std::string& why = work.notice().text;
    if (!tried_ && !drops_ && (!trouble_ || trouble_->why != why)) trouble_ = Trouble{line_, why};
}

void Player::raise_trouble() {
    if (!trouble_ || monkey_) return;
    line_ = trouble_->line;
    refuse(trouble_->why);
}

Command Player::beside_script(Command command) const {
    std::string* name = file_named(command);
    if (name == nullptr || name->empty()) return command;
    const std::filesystem::path beside = std::filesystem::path(line_.source).parent_path() / *name;
    if (is_there(beside)) *name = beside.string();
    return command;
}

// ---- time

// Lets frames show what has been done, without advancing playback.
std::optional<Player::Wants> Player::wanted_before(After after) {
    if (held_) {
        seconds_ = *std::exchange(held_, std::nullopt);
        return Wants::frame;
    }
    if (after == After::nothing) return std::nullopt;
    if (after != After::rest && wait_for_computation(after)) return Wants::news;
    if (!app_.frames_due() && !input_.waiting()) return std::nullopt;
    seconds_ = kFrame;
    return Wants::frame;
}

bool Player::wait_for_computation(After after) {
    if (app_.busy()) app_.advance(0);
    if (!app_.busy()) {
        waits_since_.reset();
        return false;
    }
    // Some requests of a monkey would take minutes.
    if (waited(waits_since_) > kPatience && after == After::patience) app_.obey(command("cancel"));
    return true;
}

// Gives background measurements a moment.
void Player::wait_for_studies() {
    waited(studies_since_);
    let_tasks_work(std::chrono::milliseconds(2));
}

// Views ask for measurements while they are drawn, and an answer may lead to another question. So
// this draws frames until one asks for nothing that is still missing.
void Player::when_all_is_shown(const std::function<void()>& go) {
    if (!app_.awaits_work()) {
        studies_since_.reset();
        return go();
    }
    wait_for_studies();
    app_.advance(0);
    held_ = kFrame;
    then(After::computation, [this, go] { when_all_is_shown(go); });
}

void Player::then_frame(double seconds) {
    then(After::rest, [this, seconds] { held_ = seconds; });
}

void Player::wait(const Args& args) {
    const double longest =
        args.empty() ? kLongestMotion : number("wait", args[0], 0, kLongestMotion * 1000) / 1000.0;
    wait_on(static_cast<int>(std::ceil(longest / kFrame)), args.empty());
}

void Player::wait_on(int frames, bool until_rest) {
    if (until_rest && !app_.moving()) return studies_since_.reset();
    // No animation: background measurements may take any time, but only a few frames.
    const bool studies = until_rest && app_.awaits_work();
    if (studies) {
        wait_for_studies();
    } else if (frames == 0) {
        if (until_rest) refuse("something is still moving.");
        return;
    }
    app_.advance(kFrame);
    held_ = kFrame;
    const int left = studies ? frames : frames - 1;
    then(After::computation, [this, left, until_rest] { wait_on(left, until_rest); });
}

// ---- user input

ui::Rect Player::area(const std::string& name) const {
    const auto& names = app_.ui().names();
    if (const auto found = names.find(name); found != names.end()) return found->second.rect;
    std::string others;
    for (const auto& [other, where] : names)
        if (family(other) == family(name)) others += (others.empty() ? "" : ", ") + other;
    refuse(fmt::format("nothing on the screen is called \"{}\"{}{}.", name,
                       others.empty() ? "" : "; there is ", others));
}

ImVec2 Player::place(const std::string& name) const {
    ImVec2 point{};
    if (!app_.ui().find(name, point)) point = area(name).center();
    // Dear ImGui truncates fractions, which would miss the middle of a one-pixel cell.
    return {std::round(point.x), std::round(point.y)};
}

void Player::point(ImVec2 at) {
    input_.add(PointerMoved{at.x, at.y});
    app_.touch();
}

void Player::button(bool down) {
    input_.add(ButtonChanged{0, down});
    app_.touch();
}

void Player::click(const std::string& name) {
    point(place(name));
    then(After::rest, [this] {
        button(true);
        button(false);
    });
}

void Player::drag(const Args& args) {
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
    then(After::rest, [this] { button(true); });
    constexpr int steps = 8;  // a drag is a gradual movement
    for (int i = 1; i <= steps; ++i) {
        const float t = static_cast<float>(i) / steps;
        const ImVec2 at{from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t};
        then(After::rest, [this, at] { point(at); });
    }
    then(After::rest, [this] { button(false); });
}

void Player::key(const std::string& name) {
    add_key(input_, name);
    app_.touch();
}

void Player::type(const std::string& text) {
    for (std::string_view rest = text; !rest.empty();)
        input_.add(Typed{static_cast<unsigned>(ui::cut_letter(rest).point)});
    app_.touch();
}

// ---- output and checks

std::string Player::reported(const std::string& name) const {
    const auto reports = app_.reports();
    const auto found = reports.find(name);
    if (found != reports.end()) return found->second;
    std::string others;
    for (const auto& [other, value] : reports)
        if (family(other) == family(name)) others += (others.empty() ? "" : ", ") + other;
    refuse(fmt::format("the screen reports no \"{}\"{}{}.", name,
                       others.empty() ? "" : "; it reports ", others));
}

lessons::Value Player::measured(const std::string& expression) const {
    const Workspace& work = app_.work();
    if (!work.trace()) refuse("there is no result yet.");
    return lessons::evaluate(expression,
                             {work.state(), *work.trace(), *work.summary(), work.trace_recipe()});
}

void Player::expect(const std::string& name, const std::string& value) {
    const std::string found = reported(name);
    if (found != value)
        refuse(fmt::format("expected {} to be \"{}\", found \"{}\".", name, value, found));
}

// One per line, from a frame drawn for this purpose.
void Player::read_texts(const Args& place, const std::function<void(const std::string&)>& read) {
    app_.record(&recording_);
    held_ = kFrame;
    then(After::nothing, [this, place, read] {
        app_.record(nullptr);
        constexpr float kFar = 1e5F;
        std::string found;
        const ui::Rect where = place.empty() ? ui::Rect{0, 0, kFar, kFar} : area(place[0]);
        for (const ui::DrawnText& text : recording_.texts(where)) found += text.text + '\n';
        read(found);
    });
}

// ---- a monkey

void Player::monkey(int lines, std::uint64_t seed) {
    monkey_.emplace(seed);
    monkey_lines_ = lines;
}

void Player::begin_monkey_line() {
    --monkey_lines_;
    tried_ = true;
    const std::string line = monkey_->next(app_);
    out_ << "try " << line << std::endl;
    then(After::patience, [this, line] { say(parse_command(line)); });
}

}  // namespace headlight::app
