#include "platform/shot.h"

#include <iostream>

#include "platform/files.h"
#include "platform/screenshot_runner.h"
#include "state/session.h"

namespace headlight::platform {

void run_shot(const ShotOptions& options) {
    State state = options.session.empty() ? picture_state() : load_session(options.session);
    state.look.moving_operands = false;  // pictures must not depend on the time
    need_folder(options.out);
    Window window("Headlight", {1600, 1000}, Window::Show::hidden);
    Application app(state, Window::wake);
    if (const std::string missing = missing_files(app.ui().fonts()); !missing.empty())
        std::cerr << "headlight: " << missing << '\n';
    ScreenshotRunner(window, app, options.out, std::cout).play(options.script);
}

}  // namespace headlight::platform
