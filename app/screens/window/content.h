#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/reader.h"
#include "state/workspace.h"
#include "ui/context.h"

namespace headlight {
struct FolderTable;
}

namespace headlight::screens {

struct FigurePreview;
struct Export;
struct Memory;
struct Screen;

// The whole window's content: a screen, what stands around it, and a panel over it. Reads the
// workspace, draws, and returns what the person asked for; the caller applies it. Call between
// ImGui::NewFrame and ImGui::Render.
class Content {
  public:
    // `wake` may be called from another thread: "call take_made() soon".
    explicit Content(const std::function<void()>& wake = {});
    ~Content();
    // Where lessons are read; it outlives this.
    void set_reader(const lessons::Reader* reader) { reader_ = reader; }
    // What its panel shows, for whoever draws it.
    FigurePreview& figure_preview();
    // What was measured of the folder that is shown, for whoever writes it.
    [[nodiscard]] const FolderTable& folder_table() const;
    // Numbers that are asked for in the next frame, and the answer of the screen that knows them.
    Export& exported();
    // What the screen says of that part of it, "" all; nothing: what is true of any.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts(
        const std::string& widget) const;
    std::vector<Command> draw(ui::Context& ui, const Workspace& work, ui::Rect window);

    // What is made for showing only, and takes too long for a frame: some is on its way; some that
    // is there now wants another frame.
    [[nodiscard]] bool busy() const;
    bool take_made();

    // The panel that the last frame showed.
    [[nodiscard]] Panel panel() const { return panel_; }
    // What is typed is meant for the text field of the panel that is shown; false where it has
    // none.
    bool turn_to_field();
    // Whether the lesson or the screen has a use of its own for the key.
    [[nodiscard]] bool takes_key(std::string_view key) const;

    // Commands of the gesture that just ended want Workspace::end_gesture().
    [[nodiscard]] bool gesture_ended() const;

  private:
    std::unique_ptr<Memory> memory_;
    const lessons::Reader* reader_ = nullptr;
    const Screen* screen_;          // in the last frame
    Panel panel_ = Panel::nothing;  // in the last frame
};

}  // namespace headlight::screens
