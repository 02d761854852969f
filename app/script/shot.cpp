#include "script/shot.h"

#include <iostream>
#include <memory>

#include "disk/files.h"
#include "platform/fonts.h"
#include "script/screenshot_runner.h"
#include "state/first_state.h"
#include "state/session.h"

namespace headlight::app {

namespace {

State first_picture(const ShotOptions& options) {
    State state = options.session.empty() ? picture_state() : load_session(options.session);
    state.look.moving_operands = false;  // pictures must not depend on the time
    return state;
}

struct Shot {
    Shot(const State& state, const ShotOptions& options)
        : app(state, Window::wake), runner(window, app, options.out, std::cout) {
        if (const std::string missing = missing_files(app.ui().fonts()); !missing.empty())
            std::cerr << "headlight: " << missing << '\n';
        runner.begin(options.script);
    }
    Window window{"Headlight", {1600, 1000}, Window::Show::hidden};
    Application app;
    ScreenshotRunner runner;
};

}  // namespace

void run_shot(const ShotOptions& options) {
    const State state = first_picture(options);
    need_folder(options.out);
    const auto shot = std::make_shared<Shot>(state, options);
    Window::repeat([shot] { return shot->runner.advance(); });
}

}  // namespace headlight::app
