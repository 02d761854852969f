#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "hub/client.h"
#include "hub/file_part.h"

namespace headlight::hub {

// A file of a repository, as described by the Hub.
struct RemoteFile {
    std::string path;        // in the repository
    std::string hash;        // sha256 or git's sha1, the name of its blob; see hash_in_etag()
    std::uint64_t size = 0;  // bytes
};

// The progress of a download. `arrived` includes the bytes of an earlier run.
struct FileProgress {
    std::string path;
    std::uint64_t arrived = 0, size = 0;
    enum class Phase { checking, fetching, waiting } phase = Phase::fetching;
    // checking: hashing what an earlier run left; waiting: another process is fetching the same
    // file.
};
using TellProgress = std::function<void(const FileProgress&)>;

// Downloads a file to `blob` unless it exists. The file gets its name only when it is complete, has
// the right hash and is synced to the disk. Until then its bytes are in HASH.headlight.incomplete
// beside it. If the download is stopped or killed, that file stays, and the next call checks and
// resumes it. Also resumes after a broken connection or an expired signed address. Concurrent calls
// for the same file, in any processes, are safe. Throws HubError for an invalid response or a wrong
// hash; DiskError; Stopped.
void fetch_blob(Client& client, const HubName& name, const RemoteFile& file,
                const std::filesystem::path& blob, const TellProgress& tell);

// The same for a part of a file. The finished part is named `shown`; until then its bytes are named
// after `blob`. The Hub has no hash of a part. So this checks that every range starts where
// requested, belongs to a file of the announced size, and is complete. Blocks of an earlier run are
// compared with the hashes stored beside them.
void fetch_part(Client& client, const HubName& name, const RemoteFile& file, const FilePart& part,
                const std::filesystem::path& blob, const std::filesystem::path& shown,
                const TellProgress& tell);

// The path of an unfinished blob.
std::filesystem::path partial_blob(const std::filesystem::path& blob);

}  // namespace headlight::hub
