#include "script/report.h"

#include <nlohmann/json.hpp>

#include "files/new_file.h"

namespace headlight::app {
namespace {

nlohmann::json places(const ui::Context& ui) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, where] : ui.names()) {
        const auto& [x, y, w, h] = where.rect;
        all[name]["rect"] = {x, y, w, h};
        const auto& [row, col, rows, cols] = where.cells;
        if (rows > 0) all[name]["cells"] = {row, col, rows, cols};
    }
    return all;
}

// The presenter's window, if it is open; its reports are among the others.
nlohmann::json presenter(const Presenter* presenter) {
    if (presenter == nullptr) return nullptr;
    const ImVec2 at = presenter->pointer();
    return {{"names", places(presenter->ui())}, {"pointer", {at.x, at.y}}};
}

// The pointer as of the last frame, in pixels; all earlier events have been processed.
nlohmann::json pointer() {
    const ImVec2 at = ImGui::GetIO().MousePos;
    return {at.x, at.y};
}

}  // namespace

void write_report(const std::filesystem::path& path, const Application& app) {
    const nlohmann::json report = {{"frame", app.frames_drawn()},
                                   {"pointer", pointer()},
                                   {"names", places(app.ui())},
                                   {"reports", app.reports()},
                                   {"phase", app.work().phase()},
                                   {"busy", app.busy()},
                                   {"presenter", presenter(app.presenter())}};
    // File names may contain invalid UTF-8.
    write_file(path.string(),
               report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

}  // namespace headlight::app
