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

// The whole window's content: a screen, the chrome around it, and a panel over it. Reads the
// workspace, draws, and returns the user's commands, which the caller executes. Call between
// ImGui::NewFrame and ImGui::Render.
class Content {
  public:
    // `wake` may be called from another thread, to request take_made().
    explicit Content(const std::function<void()>& wake = {});
    ~Content();
    // Sets the lesson reader, which must outlive this.
    void set_reader(const lessons::Reader* reader) { reader_ = reader; }
    // The preview shown by its panel; the caller fills it in.
    FigurePreview& figure_preview();
    // The measurements of the current folder, for export.
    [[nodiscard]] const FolderTable& folder_table() const;
    // Numbers requested for the next frame, and the screen's answer.
    Export& exported();
    // The screen's provenance for that part, "" for all; empty: nothing specific.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts(
        const std::string& widget) const;
    std::vector<Command> draw(ui::Context& ui, const Workspace& work, ui::Rect window);

    // Whether derived data is being prepared; whether some is ready and needs another frame.
    [[nodiscard]] bool busy() const;
    bool take_made();

    // The panel shown in the last frame.
    [[nodiscard]] Panel panel() const { return panel_; }
    // Gives the keyboard to the panel's text field; false if it has none.
    bool turn_to_field();
    // Whether the lesson or the screen uses the key itself.
    [[nodiscard]] bool takes_key(std::string_view key) const;

    // Whether a gesture has ended; then call Workspace::end_gesture().
    [[nodiscard]] bool gesture_ended() const;

  private:
    std::unique_ptr<Memory> memory_;
    const lessons::Reader* reader_ = nullptr;
    const Screen* screen_;          // in the last frame
    Panel panel_ = Panel::nothing;  // in the last frame
};

}  // namespace headlight::screens
