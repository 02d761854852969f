#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "disk/files.h"
#include "image/image.h"
#include "lessons/evaluate.h"
#include "lessons/lesson.h"
#include "lessons/pages.h"
#include "state/command_table.h"
#include "state/workspace.h"

namespace headlight::lessons {

// Words beside a widget, which may be a cell, a row or a column: "stage.result[43,*]".
struct Spotlight {
    int line = 0;
    std::string place, words;
};

// What an expression came to, or why it came to nothing.
struct Measured {
    std::optional<Value> value;
    std::string error;
};

// A lesson in the list.
struct ListedLesson {
    std::string file;
    std::shared_ptr<const Lesson> lesson;
    // A picture beside it, NAME.jpg beside NAME.md; "" where there is none.
    std::string cover = {};
    std::filesystem::file_time_type cover_written = {};
};

// A lesson that is read beside the program: runs the commands of its stops, measures what they ask
// for, and remembers what was answered. Used from one thread, which owns the workspace.
//
// Every stop begins with the same state, in which nothing but what is the person's own (theme,
// sizes, colors) is of before; so it shows the same from wherever one comes.
class Reader {
  public:
    // `assets`: the folder behind "assets:" in the paths of a lesson, with the shipped lessons in
    // "lessons". `beginning`: the state that every stop begins with.
    Reader(Workspace& work, std::filesystem::path assets, State beginning);
    ~Reader() { work_.command_table().take_out(this); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // What it registers in the workspace's table.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }

    // Goes on with the stop's commands and measures. True when there is something new to draw.
    bool update();
    // What is left of the stop's commands is not said any more: the person goes elsewhere.
    void give_way();
    // The stop's commands are being run, which no undo takes back.
    [[nodiscard]] bool sets_up() const { return lesson_ && entering_; }
    // The stop's commands are still being run.
    [[nodiscard]] bool busy() const {
        return lesson_ && (!orders_.empty() || !measured_) && (work_.busy() || work_.trace());
    }
    // Whether the file was written since, and was read again. Asks the disk: call it now and then.
    bool look_after_file();

    // Null while none is read.
    [[nodiscard]] const Lesson* lesson() const { return lesson_.get(); }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] int stop_number() const { return stop_; }  // from 0
    [[nodiscard]] const Stop& stop() const {
        return lesson_->stops[static_cast<std::size_t>(stop_)];
    }
    // Grows with every stop that is entered and every lesson that is left.
    [[nodiscard]] long entries() const { return entries_; }
    // Of the file, and of the commands and values of the present stop.
    [[nodiscard]] std::vector<Problem> problems() const;

    [[nodiscard]] const std::vector<Spotlight>& spotlights() const { return spotlights_; }
    // False of what stands in an {if …} whose condition does not hold, or is not known yet.
    [[nodiscard]] bool shows(const Span& span) const;
    // Null until it has been measured.
    [[nodiscard]] const Measured* measured(const std::string& expression) const;
    // Of blocks of the present stop: how a question was answered; whether a task is done. Only a
    // question with more than two answers leaves a second try.
    [[nodiscard]] Tries tries(std::size_t block) const;
    [[nodiscard]] std::optional<int> answer(std::size_t block) const { return tries(block).given; }
    [[nodiscard]] std::optional<int> first_wrong(std::size_t block) const {
        return tries(block).first_wrong;
    }
    [[nodiscard]] bool done(std::size_t block) const { return done_.contains({stop_, block}); }
    // Does a task of the present stop, counted from 1, by its solution; it then does not count as
    // done by the person. Throws CommandError where there is no such task, or no solution.
    void solve(int task);

    // What of the stop lecture view shows: one of these pages at a time.
    [[nodiscard]] const std::vector<LecturePage>& pages() const { return pages_; }
    [[nodiscard]] std::size_t page_number() const { return page_; }  // from 0
    [[nodiscard]] const LecturePage& page() const { return pages_[page_]; }
    // The answer that was chosen of the question on that page and is not revealed yet, from 0.
    [[nodiscard]] std::optional<int> chosen() const { return chosen_; }

    // The screen shows another step, layer, picture, model or screen than the stop brought up, and
    // no link of the stop leads there: what the stop says may not hold.
    [[nodiscard]] bool is_away() const;
    // Whether what it says of that widget may still hold.
    [[nodiscard]] bool holds_for(std::string_view widget) const;
    // Anything is changed since the stop was set up, but where the pointer is.
    [[nodiscard]] bool is_changed() const;

    // Of a picture of the lesson; null where it cannot be read: its words stand there.
    [[nodiscard]] std::shared_ptr<const Image> picture(const std::string& name) const;

    // The shipped lessons in the order of their names, then others that were read.
    [[nodiscard]] const std::vector<ListedLesson>& listed() const;

    // Refuses what no stop may say: what writes files, what leaves the lesson's folder, what would
    // not be the same again. Gives the command with whole paths.
    [[nodiscard]] Command checked(const Command& command) const;

  private:
    using Args = CommandArgs;
    using Verb = CommandRow<Reader>;
    static const std::vector<Verb>& verbs();
    using Place = std::pair<int, std::size_t>;  // stop and block

    void open(const std::string& path, int stop);
    void go(const std::string& where);
    void enter(int stop);
    void set_up(int stop);
    void leave(const std::string& how);
    void give_answer(int question, int answer);
    void take_answer(std::size_t block, int answer);
    void take_mark(std::size_t block, LessonResult result);
    void turn_page(const std::string& to);
    void ask(const std::string& what);
    [[nodiscard]] const Question& asked() const;  // throws CommandError where none is
    void choose(int answer);
    void reveal();
    void end_setup();
    [[nodiscard]] State beginning() const;
    [[nodiscard]] std::string whole_path(const std::string& path) const;
    void run(const Order& order);
    void measure();
    void measure(const Prose& prose, const Present& present);
    void measure(int line, const std::string& expression, const Present& present);
    void measure_sides(const std::string& condition, const Present& present);
    [[nodiscard]] const Lesson& reading() const;  // throws CommandError where none is

    Workspace& work_;
    std::filesystem::path assets_;
    State beginning_;
    std::string file_;
    std::shared_ptr<const Lesson> lesson_;
    std::filesystem::file_time_type written_{};
    int stop_ = 0;
    long entries_ = 0;
    State before_;            // the lesson
    History history_before_;  // the same

    std::deque<Order> orders_;  // of the stop, still to be run
    bool entering_ = false;     // the stop
    int running_ = 0;           // the line whose command is being computed; 0: none
    std::vector<Problem> trouble_;
    std::vector<Spotlight> spotlights_;

    std::vector<LecturePage> pages_{LecturePage{}};
    std::size_t page_ = 0;
    std::optional<int> chosen_;
    std::optional<State> home_;  // as the stop set it up; nothing while it does

    bool measured_ = false;
    std::shared_ptr<const Trace> measured_of_;
    State measured_in_;
    std::map<std::string, Measured> values_;
    std::map<Place, Tries> tries_;
    std::set<Place> done_, solved_;  // tasks; solved_: by their solutions
    mutable std::map<std::string, std::shared_ptr<const Image>> pictures_;
    mutable std::vector<ListedLesson> listed_;
    mutable bool listed_known_ = false;
};

}  // namespace headlight::lessons
