#include "platform/report.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace headlight::platform {
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

}  // namespace

void write_report(const std::filesystem::path& path, const Application& app) {
    const nlohmann::json report = {{"frame", app.frames_drawn()},
                                   {"names", places(app.ui())},
                                   {"reports", app.reports()},
                                   {"phase", app.work().phase()},
                                   {"busy", app.work().busy()}};
    const std::filesystem::path draft = path.string() + ".part";
    {
        std::ofstream file(draft, std::ios::binary);
        // A file's name may hold bytes that are no text.
        file << report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
        if (!file.flush()) throw std::runtime_error(draft.string() + ": cannot be written.");
    }
    std::filesystem::rename(draft, path);
}

}  // namespace headlight::platform
