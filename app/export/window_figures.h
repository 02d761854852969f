#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "export/figure_command.h"
#include "frame/figure_preview.h"
#include "platform/gui.h"
#include "state/figure_maps.h"
#include "ui/context.h"

namespace headlight::app {

// Figures of the current view in the window, drawn and written as by `headlight figure`.
class WindowFigures {
  public:
    // `wake` may be called from another thread, to request follow().
    explicit WindowFigures(std::function<void()> wake);

    // Updates the panel's preview to the current view and selection. Needs the OpenGL context. The
    // old picture stays while maps are being computed or nothing has changed.
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
    std::unique_ptr<FigureReader> reader_;      // created with the first request
    std::unique_ptr<FigureRenderer> renderer_;  // created with the first picture
    Drawn drawn_;
};

}  // namespace headlight::app
