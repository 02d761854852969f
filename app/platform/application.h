#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lessons/reader.h"
#include "platform/export.h"
#include "platform/gui.h"
#include "platform/picture.h"
#include "platform/presentation.h"
#include "platform/presenter.h"
#include "platform/window_figures.h"
#include "state/command_table.h"
#include "state/examples.h"
#include "state/workspace.h"
#include "ui/context.h"
#include "window/content.h"

namespace headlight::platform {

// The program, whoever drives it: a window or a script. Needs a current OpenGL context while it
// lives.
class Application {
  public:
    // `wake` may be called from another thread: "call advance() soon".
    Application(State initial, const std::function<void()>& wake);
    ~Application();

    // Time goes by, and what was computed meanwhile arrives.
    void advance(double seconds);
    // Takes one frame's worth of input and describes the screen; `scale` is the monitor's.
    void draw(Input& input, Extent size, float scale, double seconds);
    void render();      // what draw() described, into a picture that is kept
    Picture picture();  // the same, as pixels
    Picture shown() { return gui_.read(); }  // what was rendered last
    [[nodiscard]] const Gui& gui() const { return gui_; }
    void forget_picture() { gui_.forget_picture(); }  // every pixel is drawn anew
    // The picture is another than the one shown last; shows it in the window's framebuffer.
    [[nodiscard]] bool has_news() const { return gui_.has_news(); }
    void show() { gui_.show(); }

    // What it understands besides the workspace's commands.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }
    bool obey(const Command& command);  // false: work().notice() says why not
    void drop(const std::string& path);
    // The one that was asked for since the last time; a player plays it.
    std::optional<Example> take_example() { return std::exchange(example_, std::nullopt); }
    [[nodiscard]] bool wants_example() const { return example_.has_value(); }

    // The presenter's side of a lecture, whoever shows it: what time it is, and whether each of two
    // windows would have a monitor.
    void follow_talk(const Moment& now, bool two_monitors);
    [[nodiscard]] const Presentation& presentation() const { return presentation_; }
    // While a lesson is read.
    [[nodiscard]] screens::Presented presented() const;
    void hear_presenter(const Presenter::Heard& heard);
    // What its pictures of now and of the next stop are; null: there are none.
    void show_presenter(std::shared_ptr<const Image> now, std::shared_ptr<const Image> next) {
        seen_now_ = std::move(now);
        seen_next_ = std::move(next);
    }
    // Who draws it, for reports; null while nobody does.
    void attend(const Presenter* presenter) { presenter_ = presenter; }
    [[nodiscard]] const Presenter* presenter() const { return presenter_; }

    // See ui::Context.
    void record(ui::Recording* into) { ui_.record(into); }

    // A frame shows what it hovers to all views only in the next one, and commands take effect
    // there: so a few frames follow whatever happens.
    void touch() { frames_due_ = 3; }
    void touch_once() { frames_due_ = std::max(frames_due_, 1); }
    [[nodiscard]] bool frames_due() const { return frames_due_ > 0 || export_.asked(); }

    // Something is being computed, or made to be shown.
    [[nodiscard]] bool busy() const {
        return work_.busy() || content_.busy() || reader_.busy() || ui_.heatmaps().busy() ||
               figures_.busy();
    }
    [[nodiscard]] bool moving() const { return work_.playing() || ui_.frame_asked(); }
    // Frames are drawn only until a computation beside the interface has ended.
    [[nodiscard]] bool awaits_work() const { return !work_.playing() && ui_.work_awaited(); }

    [[nodiscard]] const Workspace& work() const { return work_; }
    Workspace& work() { return work_; }
    [[nodiscard]] const lessons::Reader& reader() const { return reader_; }
    // Grows where the person goes to another place at once: a stop of a lesson, out of it, or back
    // by an undo. What was being played then is about what is not there any more.
    [[nodiscard]] long elsewhere() const { return undone_ + reader_.entries(); }
    // Whether a lesson was written anew and is read again; see Reader.
    bool look_after_lesson() { return reader_.look_after_file(); }
    [[nodiscard]] const ui::Context& ui() const { return ui_; }
    [[nodiscard]] long frames_drawn() const { return frames_drawn_; }

    // What the views report, and what was chosen: for scripts, tests and assistive tools.
    [[nodiscard]] std::map<std::string, std::string> reports() const;

  private:
    using Args = CommandArgs;
    using Verb = CommandRow<Application, bool>;
    static const std::vector<Verb>& verbs();
    static const std::vector<Verb>& page_verbs();  // only in a browser

    void obey_by_hand(const Command& command);
    bool takes(const Event& event);
    [[nodiscard]] bool keyboard_changes_hands(const Event& event);
    // `lectures`: keys of lectures mean something.
    void press(const Pressed& key, bool lectures);
    [[nodiscard]] bool is_pointer_a_tool() const;
    bool takes_back_in_figure(const Command& meaning);
    bool hear_lesson_key(const Pressed& key);
    bool answers_by(const Pressed& key);
    bool present(const std::string& how);  // throws CommandError
    void obey_presenter(const Command& command);
    bool save_picture(const Args& args);
    bool copy(const std::string& what);
    bool save_figure(const std::string& name);
    bool copy_figure_line();  // throws CommandError
    void copy_link();
    bool copy_numbers();      // throws CommandError
    bool copy_folder();       // throws CommandError
    bool save_folder(const std::filesystem::path& path);
    bool save_scene(const std::string& name);
    bool save_experiment(const std::string& name);  // throws CommandError
    bool save_progress(const std::string& name);
    // `write` gives what was done, in words, or throws what is wrong.
    bool save(const std::function<std::string()>& write);

    Gui gui_;
    ui::Context ui_;
    screens::Content content_;
    Workspace work_;
    lessons::Reader reader_;  // beside it
    long undone_ = 0;         // how often something was undone or redone
    Presentation presentation_;
    const Presenter* presenter_ = nullptr;
    std::shared_ptr<const Image> seen_now_, seen_next_;
    FrameExport export_;
    WindowFigures figures_;
    std::optional<Example> example_;
    int frames_due_ = 3;
    int keys_held_ = 0;  // frames for which keys have been waiting
    State at_opening_;   // of the panel
    int taken_back_ = 0;  // since then
    long frames_drawn_ = 0;
};

}  // namespace headlight::platform
