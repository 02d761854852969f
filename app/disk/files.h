#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// What the program asks of the file system, apart from the bytes (read_file.h, files/new_file.h):
// all of it, so that another place to keep files (a browser's) is another files.cpp. Nothing here
// throws; what cannot be asked about is not there.
namespace headlight {

enum class FileKind { nothing, file, folder, pipe, socket, device };

struct FileState {
    FileKind kind = FileKind::nothing;          // of what a symbolic link leads to
    std::uintmax_t bytes = 0;                   // of a file
    std::filesystem::file_time_type written{};  // when a file or folder last changed
};
FileState state_of(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_there(const std::filesystem::path& path);

struct Listing {
    std::vector<std::filesystem::path> paths;  // of all that is in a folder, in no order
    std::string error;                         // one sentence: why there is no more; empty: all
};
Listing list_folder(const std::filesystem::path& path);

// With the folders above it. The system's reason where it cannot be made.
std::optional<std::string> make_folder(const std::filesystem::path& path);
// Whether it has the new name now; if not, errno says why.
bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
// Whether it is gone now.
bool remove_file(const std::filesystem::path& path);
// Sets the time of its last change to now: how a cache remembers what was used last.
void touch_file(const std::filesystem::path& path);

// The folder that the program was started in; empty where that is gone.
std::filesystem::path working_folder();
// The person's; empty where there is none.
std::filesystem::path home_folder();
// From the working folder on, without "." and "..". As it is where that folder is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);
// Whether the file, wherever symbolic links lead, lies in the folder or below it.
bool is_within(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace headlight
