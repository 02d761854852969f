#pragma once

#include <filesystem>
#include <string>

#include "figure/svg.h"
#include "platform/picture.h"
#include "state/workspace.h"
#include "ui/context.h"

// What `export` writes: the window or a part of it.
namespace headlight::platform {

// What made the picture: files, place in the model, and what was changed.
figure::Provenance facts_of(const Workspace& work);

// Where a widget of the last frame stands; "": the whole window. Throws CommandError where nothing
// is called that.
ui::Rect area_of(const ui::Context& ui, const std::string& widget);

// The whole pixels of a picture that lie in an area.
Picture part_of(const Picture& picture, const ui::Rect& area);

// A frame that is recorded while it is drawn, and written.
class SvgExport {
  public:
    void ask(std::filesystem::path path, std::string widget) {
        path_ = std::move(path);
        widget_ = std::move(widget);
    }
    [[nodiscard]] bool asked() const { return !path_.empty(); }
    void begin(ui::Context& ui);  // before the frame starts
    // After the frame, with what made it; the path. Nothing is asked for any more. Throws
    // CommandError, std::runtime_error.
    std::filesystem::path finish(ui::Context& ui, const figure::Provenance& facts);

  private:
    std::filesystem::path path_;
    std::string widget_;
    ui::Recording own_;
    ui::Recording* others_ = nullptr;  // who listens besides
};

}  // namespace headlight::platform
