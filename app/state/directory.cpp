#include "state/directory.h"

#include <algorithm>
#include <utility>

#include "disk/files.h"
#include "disk/names.h"
#include "kernels/trimmed.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

bool entry_less(const DirectoryEntry& a, const DirectoryEntry& b) {
    if (a.folder != b.folder) return a.folder;
    return natural_less(a.name, b.name);
}

// Adds one name to the directory if it is shown.
void add_entry(Directory& directory, const fs::path& path) {
    const std::string name = path.filename().string();
    if (name.starts_with('.')) return;
    const FileState found = state_of(path);
    if (found.kind == FileKind::folder) {
        directory.entries.push_back({path, name, true, 0, {}});
        ++directory.folders;
    } else if (found.kind == FileKind::file) {
        if (is_image_name(name) || is_saved_scene_name(name) || is_checkpoint_name(name))
            directory.entries.push_back({path, name, false, found.bytes, found.written});
        else
            ++directory.others;
    }
}

}  // namespace

DirectoryEntry describe_file(const fs::path& path) {
    const FileState state = state_of(path);
    return {path, path.filename().string(), false, state.bytes, state.written};
}

Directory read_directory(const fs::path& path) {
    Directory directory;
    directory.path = path;
    // Before reading, so that changes during it are noticed at the next check.
    directory.written = state_of(path).written;
    const Listing listing = list_folder(path);
    for (const fs::path& found : listing.paths) add_entry(directory, found);
    directory.error = listing.error;
    if (directory.error.empty()) std::ranges::sort(directory.entries, entry_less);
    return directory;
}

fs::path typed_path(std::string_view text, const fs::path& from) {
    text = trimmed(text);
    if (text.empty()) return from;
    const fs::path home = home_folder();
    if (!home.empty() && (text == "~" || text.starts_with("~/")))
        return (home / text.substr(std::min<std::size_t>(2, text.size()))).lexically_normal();
    return (from / text).lexically_normal();
}

std::string whole_path(const std::string& path) {
    return path.empty() || !is_there(path) ? path : absolute_path(path).string();
}

void DirectoryReader::go(const fs::path& path) {
    // "a/b/" and "a/b" are the same folder, but only the second has a name.
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

// Call with guard_ locked, when there is something to take.
void DirectoryReader::take() {
    reading_ = false;
    if (read_->path == wanted_) directory_ = std::move(*read_);  // otherwise the user has moved on
    read_.reset();
}

void DirectoryReader::update() {
    using namespace std::chrono_literals;
    std::unique_lock lock(guard_);
    if (read_) take();
    if (reading_ || wanted_.empty()) return;
    if (!stale_ && Clock::now() - checked_ > 1s) {
        checked_ = Clock::now();
        const FileState now = state_of(wanted_);
        stale_ = now.kind != FileKind::nothing && now.written != directory_.written;
    }
    if (!stale_) return;
    stale_ = false;
    checked_ = Clock::now();
    asked_ = wanted_;
    reading_ = true;
    task_.poke();
    // Most directories are read within this time, which avoids flicker.
    const auto patience = tasks_run_between_frames() ? 0ms : 30ms;
    if (done_.wait_for(lock, patience, [this] { return read_.has_value(); })) take();
}

}  // namespace headlight
