#include "platform/shot.h"

#include <iostream>
#include <stdexcept>

#include "disk/files.h"
#include "platform/files.h"
#include "platform/studio.h"
#include "state/session.h"

namespace headlight::platform {

void run_shot(const ShotOptions& options) {
    const State state = options.session.empty() ? picture_state() : load_session(options.session);
    if (const auto error = make_folder(options.out))
        throw std::runtime_error(options.out.string() + ": the folder cannot be made: " + *error +
                                 ".");
    Window window("Headlight", {1600, 1000}, Window::Show::hidden);
    Application app(state, Window::wake);
    if (const std::string missing = missing_files(app.ui().fonts()); !missing.empty())
        std::cerr << "headlight: " << missing << '\n';
    Studio(window, app, options.out, std::cout).play(options.script);
}

}  // namespace headlight::platform
