#include "platform/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "assets/assets.h"

namespace headlight::platform {
namespace {

namespace fs = std::filesystem;

void check_readable(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    const std::string name = path.string();
    if (status.type() == fs::file_type::not_found)
        throw std::runtime_error(name + ": there is no such file.");
    if (error) throw std::runtime_error(name + ": cannot be read: " + error.message() + ".");
    if (fs::is_directory(status))
        throw std::runtime_error(name + ": is a folder; expected a file.");
    // A pipe or a device may have no end.
    if (!fs::is_regular_file(status)) throw std::runtime_error(name + ": is not a regular file.");
}

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

Bytes read_file(const std::string& path) {
    check_readable(path);
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        throw std::runtime_error(
            fmt::format("{}: cannot be opened: {}.", path, std::strerror(errno)));
    const auto size = static_cast<std::uintmax_t>(file.tellg());
    if (size > kMaxFileBytes)
        throw std::runtime_error(
            fmt::format("{}: has {} bytes; expected at most {}.", path, size, kMaxFileBytes));
    Bytes bytes(size);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!file) throw std::runtime_error(path + ": ended before all of it was read.");
    return bytes;
}

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
