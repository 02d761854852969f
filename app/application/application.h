#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/export.h"
#include "export/window_figures.h"
#include "lecture/presentation.h"
#include "lecture/presenter.h"
#include "lessons/reader.h"
#include "platform/gui.h"
#include "platform/picture.h"
#include "state/command_table.h"
#include "state/examples.h"
#include "state/workspace.h"
#include "ui/context.h"
#include "window/content.h"

namespace headlight::app {

// The program, driven by a window or a script. Needs a current OpenGL context throughout its
// lifetime.
class Application {
  public:
    // `wake` may be called from another thread, to request advance().
    Application(State initial, const std::function<void()>& wake);
    ~Application();

    // Advances the time by `seconds` and takes finished computations.
    void advance(double seconds);
    // Processes one frame's input and builds the screen; `scale` is the monitor's, in pixels per
    // unit.
    void draw(Input& input, Extent size, float scale, double seconds);
    void render();                           // renders what draw() built, into a stored picture
    Picture picture();                       // renders it and returns the pixels
    Picture shown() { return gui_.read(); }  // pixels of the last rendering
    [[nodiscard]] const Gui& gui() const { return gui_; }
    void forget_picture() { gui_.forget_picture(); }  // redraws every pixel next time
    // Whether the picture differs from the one shown last; show it in the window's framebuffer.
    [[nodiscard]] bool has_news() const { return gui_.has_news(); }
    void show() { gui_.show(); }

    // The commands that it handles in addition to the workspace's.
    static std::vector<CommandInfo> commands() { return infos_of(verbs()); }
    bool obey(const Command& command);  // false: work().notice() gives the reason
    void drop(const std::string& path);
    // The example requested since the last call; a player plays it.
    std::optional<Example> take_example() { return std::exchange(example_, std::nullopt); }
    [[nodiscard]] bool wants_example() const { return example_.has_value(); }

    // Updates the presenter's side of a lecture: the time, and whether there are monitors for two
    // windows.
    void follow_talk(const Moment& now, bool two_monitors);
    [[nodiscard]] const Presentation& presentation() const { return presentation_; }
    // Call only while a lesson is open.
    [[nodiscard]] screens::Presented presented() const;
    void hear_presenter(const Presenter::Heard& heard);
    // Sets the presenter's pictures of the current and the next stop; null: none.
    void show_presenter(std::shared_ptr<const Image> now, std::shared_ptr<const Image> next) {
        seen_now_ = std::move(now);
        seen_next_ = std::move(next);
    }
    // Sets the presenter view to include in reports; null if none is open.
    void attend(const Presenter* presenter) { presenter_ = presenter; }
    [[nodiscard]] const Presenter* presenter() const { return presenter_; }

    // See ui::Context::record.
    void record(ui::Recording* into) { ui_.record(into); }

    // Requests a few frames. What one frame hovers reaches all views only in the next, and commands
    // also take effect there.
    void touch() { frames_due_ = 3; }
    void touch_once() { frames_due_ = std::max(frames_due_, 1); }
    [[nodiscard]] bool frames_due() const { return frames_due_ > 0 || export_.asked(); }

    // Whether a text field has the keyboard.
    [[nodiscard]] bool is_typing() const { return ui_.is_typing(); }
    // Whether something is being computed or prepared for display.
    [[nodiscard]] bool busy() const {
        return work_.busy() || content_.busy() || reader_.busy() || ui_.heatmaps().busy() ||
               figures_.busy();
    }
    [[nodiscard]] bool moving() const { return work_.playing() || ui_.frame_asked(); }
    // Frames are needed only until a background computation has ended.
    [[nodiscard]] bool awaits_work() const { return !work_.playing() && ui_.work_awaited(); }

    [[nodiscard]] const Workspace& work() const { return work_; }
    Workspace& work() { return work_; }
    [[nodiscard]] const lessons::Reader& reader() const { return reader_; }
    // Changes whenever the user jumps to another place: into or out of a lesson's stop, or back by
    // undo. A playback in progress then no longer applies.
    [[nodiscard]] long elsewhere() const { return undone_ + reader_.entries(); }
    // Whether a lesson file has changed and was read again; see Reader.
    bool look_after_lesson() { return reader_.look_after_file(); }
    [[nodiscard]] const ui::Context& ui() const { return ui_; }
    [[nodiscard]] long frames_drawn() const { return frames_drawn_; }

    // The views' reports and the selection, for scripts, tests and assistive tools.
    [[nodiscard]] std::map<std::string, std::string> reports() const;

  private:
    using Args = CommandArgs;
    using Verb = CommandRow<Application, bool>;
    static const std::vector<Verb>& verbs();
    static const std::vector<Verb>& page_verbs();  // only in a browser

    void obey_by_hand(const Command& command);
    bool takes(const Event& event);
    [[nodiscard]] bool keyboard_changes_hands(const Event& event);
    // `lectures`: whether the keys of lectures work.
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
    bool copy_numbers();  // throws CommandError
    bool copy_folder();   // throws CommandError
    bool save_folder(const std::filesystem::path& path);
    bool save_scene(const std::string& name);
    bool save_experiment(const std::string& name);  // throws CommandError
    bool save_progress(const std::string& name);
    // Runs `write`, which returns a message for the user or throws.
    bool save(const std::function<std::string()>& write);

    Gui gui_;
    ui::Context ui_;
    screens::Content content_;
    Workspace work_;
    lessons::Reader reader_;  // open beside it
    long undone_ = 0;         // number of undos and redos
    Presentation presentation_;
    const Presenter* presenter_ = nullptr;
    std::shared_ptr<const Image> seen_now_, seen_next_;
    FrameExport export_;
    WindowFigures figures_;
    std::optional<Example> example_;
    int frames_due_ = 3;
    int keys_held_ = 0;   // frames for which keys have waited
    State at_opening_;    // when the panel was opened
    int taken_back_ = 0;  // undos since then
    long frames_drawn_ = 0;
};

}  // namespace headlight::app
