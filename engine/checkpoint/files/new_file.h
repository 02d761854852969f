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

// A file under its name only when it is whole; one that was there stays until then. While it is
// written it has no name, so that nothing is left of it where this ends without finish(), even when
// the program is killed. (File systems that cannot do that see a draft beside it, which a killed
// program leaves.) A symbolic link stays, the file behind it is replaced; a pipe or a device gets
// the bytes at the end. Throws CheckpointError with the system's reason.
class NewFile {
  public:
    explicit NewFile(std::string path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void seek(std::uint64_t position);  // where the next bytes go
    void finish();

  private:
    void open();
    void write_now(std::span<const std::byte> bytes);
    void flush();
    void copy_to_target();
    void move_to_target();

    std::string path_;
    std::filesystem::path target_;
    std::filesystem::path draft_;  // its name once it has one
    bool moves_ = true;            // a pipe or a device cannot be replaced, it is written to
    system::OpenFile file_;
    std::uint64_t position_ = 0;  // where the next bytes go, without those that wait
    bool named_ = false;
    std::vector<std::byte> waiting_;  // to be written
};

// All at once.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace headlight
