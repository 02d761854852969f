#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/file.h"
#include "kernels/stop.h"

// Archives in the zip format (PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5), as numpy and PyTorch
// write them: stored or deflated members, zip64. No encryption, no parts on other disks.
namespace headlight {

struct ZipMember {
    std::string name;
    std::uint64_t begin = 0;     // of `packed` in the archive
    File packed;                 // a part of the archive
    std::uint64_t size = 0;      // unpacked
    std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes
    bool deflated = false;       // false: packed are the bytes themselves
};

// Whether the bytes start as an archive does.
bool looks_like_zip(std::span<const std::byte> bytes);

// What the central directory says, held against the file; nothing is unpacked, and of an archive on
// the disk only the headers are read. The members come in the order of their bytes. Throws CheckpointError: truncated, offsets outside the file, members
// that overlap, a name twice, encryption, another compression, sizes that disagree, more unpacked
// bytes than numbers can be packed into this file ("zip bomb").
std::vector<ZipMember> zip_members(const File& archive, const std::string& name);

// The member's bytes, held against its size and, unless told otherwise, its checksum: a view with the
// archive's owner where they are stored in memory, memory of their own where they were deflated or
// are read from the disk. Throws CheckpointError; Stopped.
enum class ZipChecksum : std::uint8_t { held, ignored };
FileBytes unpack(const ZipMember& member, const std::string& name, const StopFlag& stop = {},
                 ZipChecksum checksum = ZipChecksum::held);

// An archive of these files, which are stored as they are: name and bytes. Throws CheckpointError
// where it would be too large for the format without zip64, 4 GiB.
struct ZipFile {
    std::string name, bytes;
};
std::string zip_text(const std::vector<ZipFile>& files);

}  // namespace headlight
