#include "disk/files.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "disk/environment.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

FileKind kind_of(fs::file_type type) {
    switch (type) {
        case fs::file_type::none:
        case fs::file_type::not_found:
        case fs::file_type::unknown:
            return FileKind::nothing;
        case fs::file_type::regular:
            return FileKind::file;
        case fs::file_type::directory:
            return FileKind::folder;
        case fs::file_type::fifo:
            return FileKind::pipe;
        case fs::file_type::socket:
            return FileKind::socket;
        default:
            return FileKind::device;
    }
}

std::string why_unreadable(const fs::path& path, const std::error_code& error) {
    if (error == std::errc::permission_denied)
        return "You do not have permission to read the folder “" + path.string() + "”.";
    if (error == std::errc::no_such_file_or_directory)
        return "The folder “" + path.string() + "” does not exist.";
    if (error == std::errc::not_a_directory) return "“" + path.string() + "” is not a folder.";
    return "The folder “" + path.string() + "” cannot be read: " + error.message() + ".";
}

}  // namespace

FileState state_of(const fs::path& path) {
    std::error_code unknown;
    FileState state{kind_of(fs::status(path, unknown).type()), 0, {}};
    if (state.kind == FileKind::file) state.bytes = fs::file_size(path, unknown);
    if (unknown) state.bytes = 0;
    state.written = fs::last_write_time(path, unknown);
    if (unknown) state.written = {};
    return state;
}

bool is_file(const fs::path& path) {
    std::error_code unknown;
    return fs::is_regular_file(path, unknown);
}

bool is_folder(const fs::path& path) {
    std::error_code unknown;
    return fs::is_directory(path, unknown);
}

bool is_there(const fs::path& path) {
    std::error_code unknown;
    return fs::exists(path, unknown);
}

Listing list_folder(const fs::path& path) {
    Listing listing;
    std::error_code error;
    fs::directory_iterator at(path, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error))
        listing.paths.push_back(at->path());
    if (error) listing.error = why_unreadable(path, error);
    return listing;
}

std::optional<std::string> make_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    return error ? std::optional(error.message()) : std::nullopt;
}

void need_folder(const fs::path& path) {
    if (const auto error = make_folder(path))
        throw std::runtime_error(path.string() + ": the folder could not be created: " + *error +
                                 ".");
}

bool rename_file(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) errno = error.default_error_condition().value();
    return !error;
}

bool remove_file(const fs::path& path) {
    std::error_code error;
    return fs::remove(path, error);
}

void touch_file(const fs::path& path) {
    std::error_code error;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
}

fs::path working_folder() {
    std::error_code gone;
    return fs::current_path(gone);
}

fs::path home_folder() {
    const std::string home = environment("HOME");
    return home.empty() ? environment("USERPROFILE") : home;  // the second is Windows' name for it
}

fs::path absolute_path(const fs::path& path) {
    std::error_code gone;
    const fs::path whole = fs::absolute(path, gone);
    return gone ? path : whole.lexically_normal();
}

bool is_within(const fs::path& file, const fs::path& folder) {
    std::error_code failed;
    const fs::path whole = fs::weakly_canonical(absolute_path(file), failed);
    if (failed) return false;
    const fs::path above = fs::weakly_canonical(absolute_path(folder / "."), failed);
    if (failed) return false;
    return std::mismatch(above.begin(), above.end(), whole.begin(), whole.end()).first ==
           above.end();
}

}  // namespace headlight
