#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/open_file.h"

namespace headlight {

// A file that appears under its name only when it is complete; an existing file stays until then.
// While it is being written it has no name, so nothing is left without finish(), even if the
// program is killed. (On file systems without unnamed files, it is a draft next to the target,
// which a killed program leaves behind.) A symbolic link stays, and its target is replaced. A pipe
// or a device gets the bytes at the end. Throws CheckpointError with the system's reason.
class NewFile {
  public:
    explicit NewFile(std::string path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void seek(std::uint64_t position);  // position of the next write
    void finish();

  private:
    void open();
    void write_now(std::span<const std::byte> bytes);
    void flush();
    void copy_to_target();
    void move_to_target();

    std::string path_;
    std::filesystem::path target_;
    std::filesystem::path draft_;  // empty while the file has no name
    bool moves_ = true;            // false for a pipe or a device, which is written to instead of
                                   // being replaced
    system::OpenFile file_;
    std::uint64_t position_ = 0;  // position of the next write, without the bytes in waiting_
    bool named_ = false;
    std::vector<std::byte> waiting_;  // buffer
};

// Writes the whole file at once.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace headlight
