#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frame/scales.h"
#include "image/image.h"
#include "lessons/reader.h"
#include "state/workspace.h"
#include "ui/context.h"

// The presenter's view of a lesson, which the audience does not see.
namespace headlight::screens {

struct Presented {
    const lessons::Reader& reader;  // a lesson is open
    const Workspace& work;
    std::string time, elapsed;  // formatted clock times
    std::string typed = {};     // digits of a stop number typed so far
    bool two_monitors = false;  // the windows can swap monitors
    double seconds = 0;         // since the lecture began
    // What the audience sees now and at the next stop; null if there is no picture.
    std::shared_ptr<const Image> now{}, next{};
};

// State kept between frames.
struct PresenterMemory {
    long entry = -1;  // of the stop: scrolls to the top when it changes
};

// Everything scales with the window; text is larger than in other windows, to be read while
// standing.
Scales presenter_scales(float width, float height);

// Draws the whole view; returns the presenter's commands. Call between ImGui::NewFrame and Render.
std::vector<Command> presenter_view(ui::Context& ui, const Presented& presented,
                                    PresenterMemory& memory, const ui::Rect& window);

}  // namespace headlight::screens
