#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "hub/client.h"
#include "hub/file_part.h"

namespace headlight::hub {

// A file of a repository, as the Hub describes it.
struct RemoteFile {
    std::string path;        // in the repository
    std::string hash;        // names its blob: sha256 or git's sha1, see hash_in_etag()
    std::uint64_t size = 0;  // bytes
};

// How far a file is. `arrived` counts what an earlier run left as well.
struct FileProgress {
    std::string path;
    std::uint64_t arrived = 0, size = 0;
    enum class Phase { checking, fetching, waiting } phase = Phase::fetching;
    // checking: what an earlier run left is hashed; waiting: another process fetches the same file.
};
using TellProgress = std::function<void(const FileProgress&)>;

// Fetches a file into `blob` unless it is there. It comes into being under its name only when all
// of it has arrived, has the right hash and is on the disk for good. Until then it is beside it, in
// HASH.headlight.incomplete, which stays when this is stopped or killed: the next call checks what
// is there and goes on. Goes on too where the connection breaks or a signed address expires. Two
// calls for one file, in whatever processes, do not meet. Throws HubError: an answer that is none,
// bytes that do not have the hash; DiskError; Stopped.
void fetch_blob(Client& client, const HubName& name, const RemoteFile& file,
                const std::filesystem::path& blob, const TellProgress& tell);

// The same for a part of a file, which gets the name `shown` in the end; `blob` names only what has
// arrived until then. The Hub knows no hash of a part. So this checks that every range begins where
// it was asked to, belongs to a file of the announced size, and comes whole. Blocks that an earlier
// run left are compared with hashes that it wrote beside them.
void fetch_part(Client& client, const HubName& name, const RemoteFile& file, const FilePart& part,
                const std::filesystem::path& blob, const std::filesystem::path& shown,
                const TellProgress& tell);

// Where the bytes are that have arrived of an unfinished blob.
std::filesystem::path partial_blob(const std::filesystem::path& blob);

}  // namespace headlight::hub
