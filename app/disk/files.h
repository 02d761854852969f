#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// All access to the file system except for file contents (read_file.h, files/new_file.h). Another
// storage, such as a browser's, needs only another files.cpp. What cannot be accessed counts as
// missing. Nothing here throws except need_folder.
namespace headlight {

enum class FileKind { nothing, file, folder, pipe, socket, device };

struct FileState {
    FileKind kind = FileKind::nothing;          // of a symbolic link's target
    std::uint64_t bytes = 0;                    // size of a file
    std::filesystem::file_time_type written{};  // when a file or folder last changed
};
FileState state_of(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_there(const std::filesystem::path& path);

struct Listing {
    std::vector<std::filesystem::path> paths;  // the entries of a folder, in no order
    std::string error;  // one sentence: why it is incomplete; empty: complete
};
Listing list_folder(const std::filesystem::path& path);

// Creates the folder and its parents. Returns the system's reason if it fails.
std::optional<std::string> make_folder(const std::filesystem::path& path);
// As make_folder, but throws std::runtime_error if it fails.
void need_folder(const std::filesystem::path& path);
// Whether it succeeded; if not, errno has the reason.
bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
// Whether the file is gone now.
bool remove_file(const std::filesystem::path& path);
// Sets the modification time to now; the cache uses it to find the least recently used files.
void touch_file(const std::filesystem::path& path);

// The working folder; empty if it no longer exists.
std::filesystem::path working_folder();
// The user's home folder; empty if there is none.
std::filesystem::path home_folder();
// Relative to the working folder, normalized. Unchanged if that folder no longer exists.
std::filesystem::path absolute_path(const std::filesystem::path& path);
// Whether the file, with symbolic links resolved, is in the folder or below it.
bool is_within(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace headlight
