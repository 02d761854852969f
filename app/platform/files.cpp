#include "platform/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "assets/assets.h"

namespace headlight::platform {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& path) {
    static constexpr std::array endings = {".jpg", ".jpeg", ".png", ".ppm", ".pgm", ".bmp"};
    const std::string ending = path.extension().string();
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

fs::path pictures_folder() {
    std::error_code ignored;
    const char* home = std::getenv("HOME");
    if (home != nullptr && fs::is_directory(fs::path(home) / "Pictures", ignored))
        return fs::path(home) / "Pictures";
    return fs::current_path();
}

}  // namespace

std::string default_image() {
    std::error_code ignored;
    const fs::path folder = assets::directory() / "images";
    if (fs::exists(folder / "cat.jpg", ignored)) return folder / "cat.jpg";
    std::string first;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string path = entry.path().string();
        if (is_picture(entry.path()) && (first.empty() || path < first)) first = path;
    }
    return first;
}

ui::FontPaths font_paths() {
    const assets::FontFiles& fonts = assets::fonts();
    return {fonts.regular, fonts.semibold, fonts.mono, fonts.math};
}

fs::path export_path(const State& state) {
    const std::string image = fs::path(state.recipe.image).stem().string();
    const std::string stem = fmt::format("headlight-{}{}{}", image, image.empty() ? "" : "-",
                                         info(state.selection.step).name);
    const fs::path folder = pictures_folder();
    fs::path path = folder / (stem + ".png");
    for (int number = 2; fs::exists(path); ++number)
        path = folder / fmt::format("{}-{}.png", stem, number);
    return path;
}

}  // namespace headlight::platform
