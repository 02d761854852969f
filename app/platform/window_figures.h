#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "frame/figure_preview.h"
#include "platform/figure_command.h"
#include "platform/gui.h"
#include "state/figure_maps.h"
#include "ui/context.h"

namespace headlight::platform {

// The window's figures: what is in view there, drawn and written as `headlight figure` does it.
class WindowFigures {
  public:
    // `wake` may be called from another thread: "call follow() soon".
    explicit WindowFigures(std::function<void()> wake);

    // The figure of what is in view and chosen by now, for the panel. Needs the OpenGL context.
    // While maps are read or nothing has changed the picture stays that it is.
    void follow(const Workspace& work, screens::FigurePreview& preview);
    [[nodiscard]] bool busy() const { return reader_ && reader_->busy(); }

    // Throws CommandError, std::runtime_error.
    void save(const Workspace& work, const std::filesystem::path& out);

  private:
    struct Drawn {
        std::shared_ptr<const FigureReader::Said> maps;
        FigureOptions options;

        friend bool operator==(const Drawn&, const Drawn&) = default;
    };
    void ask(const FigureQuestion& question);
    void draw(screens::FigurePreview& preview);

    std::function<void()> wake_;
    std::unique_ptr<FigureReader> reader_;      // made with the first question
    std::unique_ptr<FigureRenderer> renderer_;  // with the first picture
    Drawn drawn_;
};

}  // namespace headlight::platform
