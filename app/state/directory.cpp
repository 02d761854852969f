#include "state/directory.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "disk/names.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

bool entry_less(const DirectoryEntry& a, const DirectoryEntry& b) {
    if (a.folder != b.folder) return a.folder;
    return natural_less(a.name, b.name);
}

// What of one name is shown, added to the directory.
void add_entry(Directory& directory, const fs::directory_entry& found) {
    std::error_code unknown;  // a name that leads nowhere is no file
    const std::string name = found.path().filename().string();
    if (name.starts_with('.')) return;
    if (found.is_directory(unknown)) {
        directory.entries.push_back({found.path(), name, true, 0, {}});
        ++directory.folders;
    } else if (found.is_regular_file(unknown)) {
        if (is_image_name(name) || is_saved_scene_name(name) || is_checkpoint_name(name))
            directory.entries.push_back(describe_file(found.path()));
        else
            ++directory.others;
    }
}

std::string why_unreadable(const fs::path& path, const std::error_code& error) {
    if (error == std::errc::permission_denied)
        return "You may not look into the folder “" + path.string() + "”.";
    if (error == std::errc::no_such_file_or_directory)
        return "There is no folder “" + path.string() + "” any more.";
    if (error == std::errc::not_a_directory) return "“" + path.string() + "” is not a folder.";
    return "The folder “" + path.string() + "” cannot be read: " + error.message() + ".";
}

}  // namespace

DirectoryEntry describe_file(const fs::path& path) {
    std::error_code unknown;
    DirectoryEntry entry{path, path.filename().string(), false, fs::file_size(path, unknown), {}};
    if (unknown) entry.bytes = 0;
    entry.written = fs::last_write_time(path, unknown);
    if (unknown) entry.written = {};
    return entry;
}

Directory read_directory(const fs::path& path) {
    Directory directory;
    directory.path = path;
    std::error_code error, unknown;
    // Before the reading: what changes meanwhile is noticed at the next look.
    directory.written = fs::last_write_time(path, unknown);
    fs::directory_iterator at(path, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) add_entry(directory, *at);
    if (error) {
        directory.error = why_unreadable(path, error);
        return directory;
    }
    std::ranges::sort(directory.entries, entry_less);
    return directory;
}

fs::path typed_path(std::string_view text, const fs::path& from) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return from;
    text = text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
    const char* home = std::getenv("HOME");
    if (home != nullptr && (text == "~" || text.starts_with("~/")))
        return (fs::path(home) / text.substr(std::min<std::size_t>(2, text.size())))
            .lexically_normal();
    return (from / text).lexically_normal();
}

std::string whole_path(const std::string& path) {
    std::error_code error;
    if (path.empty() || !fs::exists(path, error)) return path;
    const fs::path whole = fs::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
}

void DirectoryReader::go(const fs::path& path) {
    // "a/b/" and "a/b" are one folder, but only the second has a name.
    fs::path clean = path.lexically_normal();
    if (!clean.has_filename() && clean.has_relative_path()) clean = clean.parent_path();
    if (clean == wanted_) return;
    wanted_ = clean;
    directory_ = {};
    stale_ = true;
}

bool DirectoryReader::read_next() {
    std::unique_lock lock(guard_);
    if (!asked_) return false;
    const fs::path path = *std::exchange(asked_, std::nullopt);
    lock.unlock();
    Directory read = read_directory(path);
    lock.lock();
    read_ = std::move(read);
    done_.notify_all();
    return false;
}

// With guard_ locked, when there is something to take.
void DirectoryReader::take() {
    reading_ = false;
    if (read_->path == wanted_) directory_ = std::move(*read_);  // else: one has gone on meanwhile
    read_.reset();
}

void DirectoryReader::update() {
    using namespace std::chrono_literals;
    std::unique_lock lock(guard_);
    if (read_) take();
    if (reading_ || wanted_.empty()) return;
    if (!stale_ && Clock::now() - checked_ > 1s) {
        checked_ = Clock::now();
        std::error_code unknown;
        const auto written = fs::last_write_time(wanted_, unknown);
        stale_ = !unknown && written != directory_.written;
    }
    if (!stale_) return;
    stale_ = false;
    checked_ = Clock::now();
    asked_ = wanted_;
    reading_ = true;
    lane_.poke();
    // Most directories are read in this time, and then nothing flickers.
    if (done_.wait_for(lock, 30ms, [this] { return read_.has_value(); })) take();
}

}  // namespace headlight
