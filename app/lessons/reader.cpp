#include "lessons/reader.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>

#include "disk/files.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "lessons/markdown.h"
#include "lessons/read_lesson.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "state/fields.h"

namespace headlight::lessons {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAssets = "assets:";
constexpr std::int64_t kMostPixels = 4'000'000;  // in a lesson's picture

// Workspace commands not allowed in lessons. Other commands of the program write files, or are
// reserved for the user.
constexpr std::array<std::string_view, 4> kNotInLessons{"undo", "redo", "cancel", "show"};

// Throws CommandError if the file is missing or too large.
Lesson lesson_in(const fs::path& file) {
    const FileState state = state_of(file);
    if (state.kind != FileKind::file)
        throw CommandError(file.string() + ": expected a lesson, found " +
                           (state.kind == FileKind::nothing ? "nothing." : "a folder or device."));
    if (state.bytes > kMostBytes)
        throw CommandError(file.string() + ": expected a lesson of at most 256 kB, found " +
                           std::to_string(state.bytes / 1024) + " kB.");
    std::string text;
    try {
        text = read_text(file.string());
    } catch (const std::runtime_error& error) {
        throw CommandError(error.what());
    }
    return read_lesson(text);
}

// Reads a lesson's file, and the stops that it borrows from others. Throws CommandError: there is
// none, or it is too large for one.
std::shared_ptr<const Lesson> open_lesson(const fs::path& file) {
    const auto beside = [&](const std::string& name) {
        const fs::path other = file.parent_path() / name;
        if (!is_within(other, file.parent_path()))
            throw CommandError("expected a lesson in the same folder, found " + in_quotes(name) +
                               ", which is outside it.");
        return lesson_in(other);
    };
    return std::make_shared<const Lesson>(with_borrowed_stops(lesson_in(file), beside));
}

}  // namespace

Reader::Reader(Workspace& work, fs::path assets, State beginning)
    : work_(work), assets_(std::move(assets)), beginning_(std::move(beginning)) {
    work_.command_table().add(CommandOf::lessons, verbs(), *this);
}

// ---- commands

const std::vector<Reader::Verb>& Reader::verbs() {
    using R = Reader;
    using A = Args;
    static const std::vector<Verb> table{
        {{"lesson", "FILE [STOP]", "Opens a lesson at a stop, counted from 1."},
         [](R& r, const A& a) {
             r.open(a[0], a.size() > 1 ? parse_ordinal("lesson", a[1], 1000, "stops") : 0);
         }},
        {{"lesson-stop", "N|next|previous|last|again",
          "Goes to a stop of the lesson. again: resets this stop."},
         [](R& r, const A& a) { r.go(a[0]); }},
        {{"lesson-answer", "QUESTION ANSWER",
          "Answers a question of the current stop. QUESTION and ANSWER count from 1. After a first "
          "wrong answer, you can try once more."},
         [](R& r, const A& a) {
             r.give_answer(parse_integer("lesson-answer", a[0], 1, 1000),
                           parse_integer("lesson-answer", a[1], 1, 1000));
         }},
        {{"lesson-page", "next|previous",
          "In lecture view, shows more of the current stop's text, or goes back."},
         [](R& r, const A& a) { r.turn_page(a[0]); }},
        {{"lesson-ask", "[next|off]",
          "In lecture view, shows the next question or task of the stop. off: shows the text "
          "again."},
         [](R& r, const A& a) { r.ask(a.empty() ? "next" : a[0]); }},
        {{"lesson-choose", "ANSWER",
          "Chooses an answer to the question shown; answers are counted from 1."},
         [](R& r, const A& a) { r.choose(parse_integer("lesson-choose", a[0], 1, 1000)); }},
        {{"lesson-reveal", "",
          "Checks the chosen answer of that question. A first wrong answer shows its hint. If no "
          "answer is chosen, the right one is shown."},
         [](R& r, const A&) { r.reveal(); }},
        {{"lesson-solve", "TASK",
          "Runs the solution of a task of the current stop; tasks are counted from 1. The task "
          "then does not count as done."},
         [](R& r, const A& a) { r.solve(parse_integer("lesson-solve", a[0], 1, 1000)); }},
        {{"lesson-leave", "restore|keep",
          "Leaves the lesson. restore: brings back what was open before it. keep: leaves "
          "everything as it is."},
         [](R& r, const A& a) { r.leave(a[0]); }},
        {{"spotlight", "PLACE WORDS",
          "In a lesson, points at a widget, a cell, a row [3,*] or a column [*,7] and shows words "
          "beside it."},
         [](R& r, const A& a) {
             (void)r.reading();
             r.spotlights_.push_back({r.running_, a[0], a[1]});
         }},
    };
    return table;
}

const Lesson& Reader::reading() const {
    if (!lesson_) throw CommandError("No lesson is open.");
    return *lesson_;
}

void Reader::open(const std::string& path, int stop) {
    const std::string file = absolute_path(path).string();
    auto lesson = open_lesson(file);
    if (lesson->stops.empty())
        throw CommandError(file + ", line " + std::to_string(lesson->problems.front().line) + ": " +
                           lesson->problems.front().reason);
    if (!lesson_) {
        before_ = work_.chosen();
        history_before_ = work_.take_history();
    }
    const bool other = file != file_;
    lesson_ = std::move(lesson);
    file_ = file;
    written_ = state_of(file).written;
    pictures_.clear();
    listed_known_ = false;
    if (other) {
        tries_.clear();
        done_.clear();
        solved_.clear();
    }
    enter(std::min(stop, static_cast<int>(lesson_->stops.size()) - 1));
}

void Reader::go(const std::string& where) {
    const int last = static_cast<int>(reading().stops.size()) - 1;
    if (where == "again") return set_up(stop_);
    if (where == "next") {
        if (stop_ < last) enter(stop_ + 1);
    } else if (where == "previous") {
        if (stop_ > 0) enter(stop_ - 1);
    } else if (where == "last") {
        enter(last);
    } else {
        enter(parse_ordinal("lesson-stop", where, last + 1, "stops"));
    }
}

State Reader::beginning() const {
    State state = beginning_;
    state.look = with_own(state.look, work_.state().look);
    return state;
}

// Undo stops at the beginning of the stop.
void Reader::enter(int stop) {
    set_up(stop);
    static_cast<void>(work_.take_history());
}

void Reader::set_up(int stop) {
    stop_ = stop;
    ++entries_;
    orders_.assign(this->stop().orders.begin(), this->stop().orders.end());
    running_ = 0;
    trouble_.clear();
    spotlights_.clear();
    values_.clear();
    measured_ = false;
    for (auto* places : {&done_, &solved_})
        std::erase_if(*places, [&](const Place& place) { return place.first == stop; });
    lay_out_pages();
    page_ = 0;
    chosen_.reset();
    home_.reset();
    entering_ = true;
    work_.begin_setup(beginning());
    work_.remember_lesson(file_, stop_);
    update();
}

void Reader::give_way() {
    if (!std::exchange(entering_, false)) return;
    orders_.clear();
    running_ = 0;
    measured_ = true;  // the screen may no longer be as the author set it up
    measured_of_ = nullptr;
    end_setup();
}

void Reader::end_setup() {
    work_.end_setup();
    home_ = work_.state();
}

void Reader::leave(const std::string& how) {
    (void)reading();
    if (how != "restore" && how != "keep") refuse_value("lesson-leave", "restore or keep", how);
    give_way();
    ++entries_;
    lesson_.reset();
    home_.reset();
    spotlights_.clear();
    values_.clear();
    listed_known_ = false;
    before_.look = with_own(before_.look, work_.state().look);
    if (how == "keep") {
        history_before_.record(before_, "");
    } else {
        work_.begin(before_);
    }
    work_.put_history(std::exchange(history_before_, {}));
}

void Reader::give_answer(int question, int answer) {
    (void)reading();
    for (std::size_t i = 0; i < stop().blocks.size(); ++i) {
        const auto* asked = std::get_if<Question>(&stop().blocks[i].what);
        if (asked == nullptr || --question != 0) continue;
        const int count = static_cast<int>(asked->answers.size());
        return take_answer(i, parse_integer("lesson-answer", std::to_string(answer), 1, count) - 1);
    }
    throw CommandError("lesson-answer: this stop has no such question.");
}

void Reader::solve(int task) {
    (void)reading();
    give_way();
    for (std::size_t i = 0; i < stop().blocks.size(); ++i) {
        const auto* wanted = std::get_if<Task>(&stop().blocks[i].what);
        if (wanted == nullptr || --task != 0) continue;
        if (wanted->solution.empty())
            throw CommandError("lesson-solve: this task has no solution.");
        if (!done(i)) solved_.insert({stop_, i});
        orders_.insert(orders_.end(), wanted->solution.begin(), wanted->solution.end());
        update();
        return;
    }
    throw CommandError("lesson-solve: this stop has no such task.");
}

// Once revealed, an answer cannot be changed.
void Reader::take_answer(std::size_t block, int answer) {
    Tries& tries = tries_[{stop_, block}];
    if (tries.given || tries.first_wrong == answer) return;
    const auto& answers = std::get<Question>(stop().blocks[block].what).answers;
    const bool right = answers[static_cast<std::size_t>(answer)].right;
    // With only two answers, a wrong first try leaves no choice.
    if (!right && !tries.first_wrong && answers.size() > 2) {
        tries.first_wrong = answer;
        return;
    }
    tries.given = answer;
    take_mark(block, !right              ? LessonResult::missed
                     : tries.first_wrong ? LessonResult::second_try
                                         : LessonResult::first_try);
}

void Reader::take_mark(std::size_t block, LessonResult result) {
    work_.remember_lesson(file_, {stop_, number_in(stop(), block), result});
}

// ---- in lecture view

void Reader::lay_out_pages() {
    const Look& look = work_.state().look;
    page_zoom_ = look.lecture ? sentence_zoom(look.zoom) : 1;
    pages_ = lecture_pages(stop(), page_zoom_);
}

// Larger sentences need more pages. The current page stays the one with the same block.
void Reader::follow_zoom() {
    const Look& look = work_.state().look;
    if (!lesson_ || page_zoom_ == (look.lecture ? sentence_zoom(look.zoom) : 1)) return;
    const LecturePage before = page();
    lay_out_pages();
    const auto same = std::ranges::find_if(pages_, [&](const LecturePage& now) {
        return now.asked == before.asked && now.blocks.empty() == before.blocks.empty() &&
               (now.blocks.empty() || now.blocks.front().line == before.blocks.front().line);
    });
    page_ = same == pages_.end() ? 0 : static_cast<std::size_t>(same - pages_.begin());
}

void Reader::turn_page(const std::string& to) {
    (void)reading();
    if (to != "next" && to != "previous") refuse_value("lesson-page", "next or previous", to);
    chosen_.reset();
    if (to == "next" && page_ + 1 < pages_.size()) ++page_;
    if (to == "previous" && page_ > 0) --page_;
}

// After the last question, returns to the text.
void Reader::ask(const std::string& what) {
    (void)reading();
    if (what != "next" && what != "off") refuse_value("lesson-ask", "next or off", what);
    chosen_.reset();
    const auto next = next_asking(pages_, page_);
    if (what == "off" || !next || (page().asked && *next <= page_))
        page_ = 0;
    else
        page_ = *next;
}

const Question& Reader::asked() const {
    (void)reading();
    const auto* question =
        page().asked ? std::get_if<Question>(&stop().blocks[*page().asked].what) : nullptr;
    if (question == nullptr)
        throw CommandError("No question is shown: lesson-ask shows the next one.");
    return *question;
}

void Reader::choose(int answer) {
    const auto count = static_cast<int>(asked().answers.size());
    const int chosen = parse_integer("lesson-choose", std::to_string(answer), 1, count) - 1;
    if (!this->answer(*page().asked) && first_wrong(*page().asked) != chosen) chosen_ = chosen;
}

// Shows the hint of a wrong choice first. Without a choice, shows the right answer.
void Reader::reveal() {
    const auto& answers = asked().answers;
    const std::size_t block = *page().asked;
    if (answer(block)) return;
    if (const auto chosen = std::exchange(chosen_, std::nullopt))
        return take_answer(block, *chosen);
    const auto right = std::ranges::find(answers, true, &Question::Answer::right);
    tries_[{stop_, block}].given = static_cast<int>(std::distance(answers.begin(), right));
    take_mark(block, LessonResult::missed);
}

namespace {

// Whether a link's command changes the user's place.
bool leads(const Stop& stop, const auto& changes) {
    for (const Block& block : stop.blocks)
        for (const Prose* prose : proses_of(block))
            for (const Span& span : *prose) {
                if (!span.link.starts_with("do:")) continue;
                try {
                    if (changes(parse_command(span.link.substr(3)))) return true;
                } catch (const CommandError&) {
                    // An invalid link does nothing; `lesson check` reports it.
                }
            }
    return false;
}

bool same_input(const Recipe& a, const Recipe& b) {
    return input_name(a) == input_name(b) && (a.scene || b.scene || a.image == b.image);
}

}  // namespace

bool Reader::is_away() const {
    if (!lesson_ || !home_) return false;
    const State &now = work_.state(), &home = *home_;
    const auto leads_by = [&](std::initializer_list<std::string_view> verbs) {
        return leads(stop(), [&](const Command& command) {
            return std::ranges::find(verbs, command.verb) != verbs.end();
        });
    };
    if (now.look.screen != home.look.screen && !leads(stop(), [](const Command& command) {
            return command.verb == "open-head" ||
                   (command.verb == "set" && !command.args.empty() && command.args[0] == "screen");
        }))
        return true;
    if (now.look.screen == ScreenId::walk && now.selection.step != home.selection.step &&
        !leads_by({"step"}))
        return true;
    if (now.recipe.layer != home.recipe.layer && !leads_by({"layer", "open-head"})) return true;
    const bool other_files =
        now.recipe.weights != home.recipe.weights || !same_input(now.recipe, home.recipe);
    return other_files && !leads_by({"open", "open-model", "close-model", "scene", "open-scene"});
}

bool Reader::holds_for(std::string_view widget) const {
    if (is_away()) return false;
    if (!home_) return true;
    // A link of the stop may lead on, but the words are about the screen that the stop set up.
    const State &now = work_.state(), &home = *home_;
    const bool on_walk = now.look.screen == ScreenId::walk;
    if (now.look.screen != home.look.screen || now.recipe.layer != home.recipe.layer ||
        (on_walk && now.selection.step != home.selection.step) ||
        now.recipe.weights != home.recipe.weights || !same_input(now.recipe, home.recipe))
        return false;
    return !widget.starts_with("stage.") || now.selection.head == home.selection.head;
}

bool Reader::is_changed() const {
    if (!lesson_ || !home_) return false;
    return is_away() || work_.state().recipe != home_->recipe ||
           work_.state().selection != home_->selection;
}

// ---- the commands of a stop

std::string Reader::whole_path(const std::string& path) const {
    std::string_view rest = path;
    const bool shipped = rest.starts_with(kAssets);
    if (shipped) rest.remove_prefix(kAssets.size());
    const fs::path folder = shipped ? assets_ : fs::path(file_).parent_path();
    if (!stays_inside(rest) || !is_within(folder / rest, folder))
        throw CommandError("expected a file in the lesson's folder, or assets:FILE, found " +
                           in_quotes(path) + ".");
    return (folder / rest).string();
}

Command Reader::checked(const Command& command) const {
    const CommandTable::Row* row = work_.command_table().find(command.verb);
    const bool known =
        command.verb == "spotlight" || (row != nullptr && row->of == CommandOf::workspace);
    if (!known || std::ranges::find(kNotInLessons, command.verb) != kNotInLessons.end())
        throw CommandError("a lesson cannot use the command " + in_quotes(command.verb) + ".");
    if (command.verb == "scene" && command.args == Args{"random"})
        throw CommandError(
            "scene random gives a different scene each time. Give the number of a scene.");
    Command whole = command;
    if (std::string* file = file_named(whole); file != nullptr && !file->empty())
        *file = whole_path(*file);
    return whole;
}

void Reader::run(const Order& order) {
    running_ = order.line;
    try {
        work_.command_table().obey(checked(order.command));
    } catch (const CommandError& error) {
        trouble_.push_back({order.line, error.what()});
    }
}

bool Reader::update() {
    if (!lesson_) return false;
    follow_zoom();
    bool news = false;
    while (!work_.busy() && work_.trace()) {
        // The result of the last command could not be computed.
        if (running_ != 0 && work_.notice().is_error) {
            trouble_.push_back({running_, work_.notice().text});
            work_.dismiss_notice();
        }
        running_ = 0;
        if (orders_.empty()) {
            if (std::exchange(entering_, false)) end_setup();
            break;
        }
        const Order order = std::move(orders_.front());
        orders_.pop_front();
        run(order);
        news = true;
    }
    if (!orders_.empty() || work_.busy() || !work_.trace()) return news;
    if (measured_ && measured_of_ == work_.trace() && measured_in_ == work_.state()) return news;
    measure();
    return true;
}

// ---- evaluation

void Reader::measure(int line, const std::string& expression, const Present& present) {
    Measured& found = values_[expression];
    if (found.value || !found.error.empty()) return;
    try {
        found.value = evaluate(expression, present);
    } catch (const CommandError& error) {
        found.error = error.what();
        std::erase_if(trouble_,
                      [&](const Problem& p) { return p.line == line && p.reason == found.error; });
        trouble_.push_back({line, found.error});
    }
}

void Reader::measure(const Prose& prose, const Present& present) {
    for (const Span& span : prose) {
        if (!span.condition.empty()) measure(span.line, span.condition, present);
        const bool measured = span.kind == Span::Kind::value || span.kind == Span::Kind::percent;
        if (measured && shows(span)) measure(span.line, span.text, present);
    }
}

// Evaluates both sides of a condition. Some cannot be evaluated, which is no error.
void Reader::measure_sides(const std::string& condition, const Present& present) {
    const auto note = [&](const std::string& expression) {
        try {
            values_[expression].value = evaluate(expression, present);
        } catch (const CommandError&) {
            values_.erase(expression);
        }
    };
    for (const Comparison& comparison : comparisons_in(condition))
        for (const auto* expression : {&comparison.whole, &comparison.side, &comparison.other})
            note(*expression);
}

void Reader::measure() {
    // An evaluation that fails right after the setup is an error in the lesson. Later, the user may
    // have gone where the value does not exist.
    const bool as_entered = !std::exchange(measured_, true);
    const std::vector<Problem> known = trouble_;
    measured_of_ = work_.trace();
    measured_in_ = work_.state();
    values_.clear();
    const Present present{work_.state(), *work_.trace(), *work_.summary(), work_.trace_recipe()};
    for (std::size_t i = 0; i < stop().blocks.size(); ++i) {
        const Block& block = stop().blocks[i];
        for (const Prose* prose : proses_of(block)) measure(*prose, present);
        const auto* task = std::get_if<Task>(&block.what);
        if (task == nullptr) continue;
        measure(block.line, task->until, present);
        measure_sides(task->until, present);
        const auto& holds = values_[task->until].value;
        if (holds && std::holds_alternative<bool>(*holds) && std::get<bool>(*holds))
            if (done_.insert({stop_, i}).second && !solved_.contains({stop_, i}))
                take_mark(i, LessonResult::done);
    }
    if (!as_entered) trouble_ = known;
}

bool Reader::shows(const Span& span) const {
    if (span.condition.empty()) return true;
    const Measured* condition = measured(span.condition);
    if (condition == nullptr || !condition->value) return false;
    const bool* holds = std::get_if<bool>(&*condition->value);
    return holds != nullptr && *holds;
}

const Measured* Reader::measured(const std::string& expression) const {
    const auto found = values_.find(expression);
    return found == values_.end() ? nullptr : &found->second;
}

Tries Reader::tries(std::size_t block) const {
    const auto found = tries_.find({stop_, block});
    return found == tries_.end() ? Tries{} : found->second;
}

std::vector<Problem> Reader::problems() const {
    std::vector<Problem> all = lesson_ ? lesson_->problems : std::vector<Problem>{};
    all.insert(all.end(), trouble_.begin(), trouble_.end());
    return all;
}

// ---- files

bool Reader::look_after_file() {
    if (!lesson_) return false;
    const FileState state = state_of(file_);
    if (state.kind != FileKind::file || state.written == written_) return false;
    const std::string title = stop().title;
    written_ = state.written;
    try {
        auto lesson = open_lesson(file_);
        if (lesson->stops.empty()) return false;  // half written; the next read will succeed
        lesson_ = std::move(lesson);
    } catch (const CommandError&) {
        return false;
    }
    pictures_.clear();
    tries_.clear();
    const auto& stops = lesson_->stops;
    const auto same = std::ranges::find(stops, title, &Stop::title);
    enter(same != stops.end() ? static_cast<int>(same - stops.begin())
                              : std::min(stop_, static_cast<int>(stops.size()) - 1));
    return true;
}

std::shared_ptr<const Image> Reader::picture(const std::string& name) const {
    const auto [place, fresh] = pictures_.try_emplace(name);
    if (!fresh || !stays_inside(name)) return place->second;
    try {
        const fs::path folder = fs::path(file_).parent_path();
        const std::string file = (folder / name).string();
        if (!is_within(file, folder)) return nullptr;
        place->second = std::make_shared<const Image>(
            decode_image(read_file(file).bytes(), file, kMostPixels, Alpha::white));
    } catch (const std::exception&) {
        // Its alternative text is shown instead.
    }
    return place->second;
}

const std::vector<ListedLesson>& Reader::listed() const {
    if (std::exchange(listed_known_, true)) return listed_;
    listed_.clear();
    const auto add = [&](const fs::path& file) {
        try {
            auto lesson = open_lesson(file);
            if (lesson->stops.empty()) return;
            ListedLesson listed_lesson{file.string(), std::move(lesson)};
            const FileState cover = state_of(fs::path(file).replace_extension(".jpg"));
            if (cover.kind == FileKind::file) {
                listed_lesson.cover = fs::path(file).replace_extension(".jpg").string();
                listed_lesson.cover_written = cover.written;
            }
            listed_.push_back(std::move(listed_lesson));
        } catch (const CommandError&) {
            // It was read before and is missing now.
        }
    };
    std::vector<fs::path> shipped = list_folder(assets_ / "lessons").paths;
    std::ranges::sort(shipped, [](const fs::path& a, const fs::path& b) {
        return natural_less(a.filename().string(), b.filename().string());
    });
    for (const fs::path& file : shipped)
        if (is_lesson_name(file.string()) && file.filename() != "README.md")
            add(absolute_path(file));
    for (const LessonPlace& place : work_.state().lessons)
        if (std::ranges::find(listed_, place.file, &ListedLesson::file) == listed_.end())
            add(place.file);
    return listed_;
}

}  // namespace headlight::lessons
