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

// How far a download is. `arrived` includes the bytes of an earlier run.
struct FileProgress {
    std::string path;
    std::uint64_t arrived = 0, size = 0;
    enum class Phase { checking, fetching, waiting } phase = Phase::fetching;
    // checking: what an earlier run left is hashed; waiting: another process fetches the same file.
};
using TellProgress = std::function<void(const FileProgress&)>;

// Fetches a file into `blob` unless it is there. The file gets its name only when all of it has
// arrived, has the right hash and is synced to the disk. Until then its bytes are beside it, in
// HASH.headlight.incomplete. That file stays if this is stopped or killed: the next call checks it
// and resumes. Also resumes after a broken connection or an expired signed address. Two calls for
// the same file, in any processes, do not interfere. Throws HubError for an invalid answer or a
// wrong hash; DiskError; Stopped.
void fetch_blob(Client& client, const HubName& name, const RemoteFile& file,
                const std::filesystem::path& blob, const TellProgress& tell);

// The same for a part of a file. It gets the name `shown` in the end; until then its bytes are
// named after `blob`. The Hub has no hash of a part. So this checks that every range begins where
// it was asked to, belongs to a file of the announced size, and arrives whole. Blocks of an earlier
// run are compared with the hashes that it wrote beside them.
void fetch_part(Client& client, const HubName& name, const RemoteFile& file, const FilePart& part,
                const std::filesystem::path& blob, const std::filesystem::path& shown,
                const TellProgress& tell);

// The file with the bytes of an unfinished blob.
std::filesystem::path partial_blob(const std::filesystem::path& blob);

}  // namespace headlight::hub
