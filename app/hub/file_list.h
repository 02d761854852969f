#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hub/address.h"
#include "hub/transport.h"

// The Hub's list of a repository's files. It says about each file what the header of the file's
// address says, and browsers do not hide it.
namespace headlight::hub {

struct FileList {
    struct Entry {
        std::string hash;  // sha256 of a large file, git's sha1 of a small one; not checked
        std::uint64_t size = 0;
    };
    std::string repository;  // its current name
    std::string commit;      // not checked
    std::map<std::string, Entry> files;
};

// {base}/api/models/{repository}/revision/{revision}?blobs=true
Address list_address(const Address& base, const std::string& repository,
                     const std::string& revision);

// Empty for anything but a list. Skips files without size or hash.
std::optional<FileList> parse_file_list(std::string_view json);

// The response to a request for the header of the file's address.
Response head_in(const FileList& list, const std::string& path);

}  // namespace headlight::hub
