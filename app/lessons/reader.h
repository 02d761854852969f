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

// A callout beside a widget, which may be a cell, a row or a column: "stage.result[43,*]".
struct Spotlight {
    int line = 0;
    std::string place, words;
};

// The value of an expression, or the error.
struct Measured {
    std::optional<Value> value;
    std::string error;
};

// A lesson in the list.
struct ListedLesson {
    std::string file;
    std::shared_ptr<const Lesson> lesson;
    // The picture NAME.jpg beside NAME.md; "" if there is none.
    std::string cover = {};
    std::filesystem::file_time_type cover_written = {};
};

// Runs a lesson beside the program: runs the commands of its stops, evaluates their expressions,
// and
// stores answers. Single-threaded, on the thread of the workspace.
//
// Every stop begins with the same state, in which only the user's own settings (theme, sizes,
// colors) are kept. So it looks the same from wherever you come.
class Reader {
  public:
    // `assets`: the folder that "assets:" refers to in a lesson's paths; the shipped lessons are in
    // its "lessons". `beginning`: the state that every stop begins with.
    Reader(Workspace& work, std::filesystem::path assets, State beginning);
    ~Reader() { work_.command_table().take_out(this); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // The commands that it registers in the workspace's table.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }

    // Continues the stop's commands and evaluations. True when there is something new to draw.
    bool update();
    // Skips the stop's remaining commands, because the user is going elsewhere.
    void give_way();
    // Whether the stop's commands are being run, which are no undo steps.
    [[nodiscard]] bool sets_up() const { return lesson_ && entering_; }
    // Whether the stop's commands are still being run.
    [[nodiscard]] bool busy() const {
        return lesson_ && (!orders_.empty() || !measured_) && (work_.busy() || work_.trace());
    }
    // Reads the file again if it has changed; returns whether it did. Accesses the disk, so call it
    // only now and then.
    bool look_after_file();

    // Null if no lesson is open.
    [[nodiscard]] const Lesson* lesson() const { return lesson_.get(); }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] int stop_number() const { return stop_; }  // from 0
    [[nodiscard]] const Stop& stop() const {
        return lesson_->stops[static_cast<std::size_t>(stop_)];
    }
    // Counts stops entered and lessons left.
    [[nodiscard]] long entries() const { return entries_; }
    // Problems of the file, and of the current stop's commands and values.
    [[nodiscard]] std::vector<Problem> problems() const;

    [[nodiscard]] const std::vector<Spotlight>& spotlights() const { return spotlights_; }
    // False for text in an {if …} whose condition is false or not known yet.
    [[nodiscard]] bool shows(const Span& span) const;
    // Null until it has been evaluated.
    [[nodiscard]] const Measured* measured(const std::string& expression) const;
    // For blocks of the current stop: how a question was answered; whether a task is done. Only a
    // question with more than two answers allows a second try.
    [[nodiscard]] Tries tries(std::size_t block) const;
    [[nodiscard]] std::optional<int> answer(std::size_t block) const { return tries(block).given; }
    [[nodiscard]] std::optional<int> first_wrong(std::size_t block) const {
        return tries(block).first_wrong;
    }
    [[nodiscard]] bool done(std::size_t block) const { return done_.contains({stop_, block}); }
    // Runs the solution of a task in the current stop, counted from 1; the task then does not count
    // as done by the user. Throws CommandError if there is no such task or no solution.
    void solve(int task);

    // The pages of the current stop in lecture view, shown one at a time.
    [[nodiscard]] const std::vector<LecturePage>& pages() const { return pages_; }
    [[nodiscard]] std::size_t page_number() const { return page_; }  // from 0
    [[nodiscard]] const LecturePage& page() const { return pages_[page_]; }
    // The chosen but not yet revealed answer to the question on that page, from 0.
    [[nodiscard]] std::optional<int> chosen() const { return chosen_; }

    // Whether the screen shows another step, layer, picture, model or screen than the stop set up,
    // not reached by a link of the stop. The stop's text may then not apply.
    [[nodiscard]] bool is_away() const;
    // Whether the text about that widget may still apply.
    [[nodiscard]] bool holds_for(std::string_view widget) const;
    // Whether anything except the pointer has changed since the stop was set up.
    [[nodiscard]] bool is_changed() const;

    // A picture of the lesson; null if it cannot be read, and its alternative text is shown.
    [[nodiscard]] std::shared_ptr<const Image> picture(const std::string& name) const;

    // The shipped lessons in the order of their names, then others that were opened.
    [[nodiscard]] const std::vector<ListedLesson>& listed() const;

    // Refuses commands that are not allowed in a stop: those that write files, leave the lesson's
    // folder, or are not reproducible. Returns the command with absolute paths.
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
    void lay_out_pages();
    void follow_zoom();
    void leave(const std::string& how);
    void give_answer(int question, int answer);
    void take_answer(std::size_t block, int answer);
    void take_mark(std::size_t block, LessonResult result);
    void turn_page(const std::string& to);
    void ask(const std::string& what);
    [[nodiscard]] const Question& asked() const;  // throws CommandError if there is none
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
    [[nodiscard]] const Lesson& reading() const;  // throws CommandError if there is none

    Workspace& work_;
    std::filesystem::path assets_;
    State beginning_;
    std::string file_;
    std::shared_ptr<const Lesson> lesson_;
    std::filesystem::file_time_type written_{};
    int stop_ = 0;
    long entries_ = 0;
    State before_;            // before the lesson
    History history_before_;  // before the lesson

    std::deque<Order> orders_;  // remaining commands of the stop
    bool entering_ = false;     // a stop
    int running_ = 0;           // line of the command being computed; 0: none
    std::vector<Problem> trouble_;
    std::vector<Spotlight> spotlights_;

    std::vector<LecturePage> pages_{LecturePage{}};
    std::size_t page_ = 0;
    float page_zoom_ = 1;  // of the sentences on them
    std::optional<int> chosen_;
    std::optional<State> home_;  // as set up by the stop; empty during the setup

    bool measured_ = false;
    std::shared_ptr<const Trace> measured_of_;
    State measured_in_;
    std::map<std::string, Measured> values_;
    std::map<Place, Tries> tries_;
    std::set<Place> done_, solved_;  // tasks; solved_: by running their solutions
    mutable std::map<std::string, std::shared_ptr<const Image>> pictures_;
    mutable std::vector<ListedLesson> listed_;
    mutable bool listed_known_ = false;
};

}  // namespace headlight::lessons
