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

// Exports the window or a part of it.
namespace headlight::app {

// The name under which `export` and `copy` offer the numbers of all heads, on any screen.
inline constexpr const char* kHeadNumbers = "heads.numbers";

// The provenance of the picture: files, place in the model, and changes. `shown`: what the screen
// says about the exported part; empty: Walk's layer, head and step.
figure::Provenance facts_of(const Workspace& work, const screens::Facts& shown = {});

// A scene in its file format, on one line.
std::string line_of(const ShapeScene& scene);

// The rectangle of a widget in the last frame; "": the whole window. For a scrolling widget whose
// full content was drawn outside the window ("heads.grid.whole"), that area. Throws CommandError if
// there is no such widget.
ui::Rect area_of(const ui::Context& ui, const std::string& widget);

// The part of a picture inside an area, in whole pixels.
Picture part_of(const Picture& picture, const ui::Rect& area);

// Exports what the next frame shows to a file or the clipboard; recorded while it is drawn.
class FrameExport {
  public:
    enum class To {
        svg,
        png,  // redrawn at `scale` times the resolution
        csv,
        npy,
        safetensors,
        cell,
        row,
        matrix
    };  // the last three go to the clipboard, separated by tabs
    struct Request {
        To to = To::svg;
        std::filesystem::path path;  // the file's
        // "": the whole window, or what is under the pointer. For numbers also a part of a matrix,
        // "stage.result[3,*]".
        std::string widget;
        int scale = 1;
    };

    void ask(Request request) { asked_ = std::move(request); }
    [[nodiscard]] bool asked() const { return asked_.has_value(); }
    [[nodiscard]] std::string widget() const;                // without the part
    void begin(ui::Context& ui, screens::Export& exported);  // before the frame starts
    // Call after the frame, with the provenance. Returns a message for the user. The request is
    // then done, unless the screen is still computing the data. Throws CommandError,
    // std::runtime_error.
    std::string finish(ui::Context& ui, const figure::Provenance& facts, screens::Export& exported);

  private:
    std::optional<Request> asked_;
    ui::Recording own_;
    ui::Recording* others_ = nullptr;  // another recording that was already active
};

}  // namespace headlight::app
