#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace headlight {

// A file under its name only when it is whole: written beside it first, taken away again when this
// ends without finish(). A symbolic link stays, the file behind it is replaced; a pipe or a device
// gets the bytes at the end. Throws CheckpointError with the system's reason.
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
    std::string path_;
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    bool moves_ = true;  // a pipe or a device cannot be replaced, it is written to
    std::ofstream out_;
};

}  // namespace headlight
