#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frame/scales.h"
#include "image/image.h"
#include "lessons/reader.h"
#include "state/workspace.h"
#include "ui/context.h"

// The speaker's own view of a lesson: what the room does not see.
namespace headlight::screens {

struct Presented {
    const lessons::Reader& reader;  // one is read
    const Workspace& work;
    std::string time, elapsed;  // as the clocks say it
    std::string typed = {};     // the number of a stop, so far
    bool two_monitors = false;  // whose windows can change places
    double seconds = 0;         // since the lecture began
    // What the room sees, and what it will see at the next stop; null while there is no picture.
    std::shared_ptr<const Image> now{}, next{};
};

// What it remembers from one frame to the next.
struct PresenterMemory {
    long entry = -1;  // of the stop: another is read from its beginning
};

// All of it grows with the window; its words are larger than a window's are, to be read standing.
Scales presenter_scales(float width, float height);

// Draws it all; returns what the presenter asked for. Call between ImGui::NewFrame and Render.
std::vector<Command> presenter_view(ui::Context& ui, const Presented& presented,
                                    PresenterMemory& memory, const ui::Rect& window);

}  // namespace headlight::screens
