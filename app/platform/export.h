#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "figure/svg.h"
#include "frame/export.h"
#include "platform/picture.h"
#include "scene/scene.h"
#include "state/workspace.h"
#include "ui/context.h"

// What `export` writes: the window or a part of it.
namespace headlight::platform {

// By which `export` and `copy` know the numbers of all heads, whatever is on the screen.
inline constexpr const char* kHeadNumbers = "heads.numbers";

// What made the picture: files, place in the model, and what was changed. `shown`: what the screen
// says of the part that is written; nothing: it shows the walk's layer, head and step.
figure::Provenance facts_of(const Workspace& work, const screens::Facts& shown = {});

// A scene as its file has it, in a line of its own.
std::string line_of(const ShapeScene& scene);

// Where a widget of the last frame stands; "": the whole window; of one that scrolls, where all of
// it was drawn, beside the window ("heads.grid.whole"), if it was. Throws CommandError where
// nothing is called that.
ui::Rect area_of(const ui::Context& ui, const std::string& widget);

// The whole pixels of a picture that lie in an area.
Picture part_of(const Picture& picture, const ui::Rect& area);

// What the next frame shows, as a file or for the clipboard: recorded while it is drawn.
class FrameExport {
  public:
    enum class To {
        svg,
        png,  // drawn again, with `scale` pixels for each
        csv,
        npy,
        safetensors,
        cell,
        row,
        matrix
    };  // the last three: the clipboard, with tabs
    struct Request {
        To to = To::svg;
        std::filesystem::path path;  // of a file
        // "": the whole window, or what is under the pointer. Of numbers also a part of a matrix,
        // "stage.result[3,*]".
        std::string widget;
        int scale = 1;
    };

    void ask(Request request) { asked_ = std::move(request); }
    [[nodiscard]] bool asked() const { return asked_.has_value(); }
    [[nodiscard]] std::string widget() const;                // without the part
    void begin(ui::Context& ui, screens::Export& exported);  // before the frame starts
    // After the frame, with what made it; what was done, for people. Nothing is asked for any more,
    // but where the screen is still computing it. Throws CommandError, std::runtime_error.
    std::string finish(ui::Context& ui, const figure::Provenance& facts, screens::Export& exported);

  private:
    std::optional<Request> asked_;
    ui::Recording own_;
    ui::Recording* others_ = nullptr;  // who listens besides
};

}  // namespace headlight::platform
