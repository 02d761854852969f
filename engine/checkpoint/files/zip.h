#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/file.h"
#include "kernels/stop.h"

// Zip archives (PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5) as NumPy and PyTorch write them:
// stored or deflated members, zip64. No encryption and no split archives. Neither libzip nor
// minizip would do: stored members stay where they are in the file, so gigabytes of tensors are not
// copied, and an archive is checked as a whole before any of it is unpacked.
namespace headlight {

struct ZipMember {
    std::string name;
    std::uint64_t begin = 0;     // offset of `packed` in the archive
    File packed;                 // a part of the archive
    std::uint64_t size = 0;      // unpacked size in bytes
    std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes
    bool deflated = false;       // false: stored without compression
};

// True if the bytes start like an archive.
bool looks_like_zip(std::span<const std::byte> bytes);

// The members in the central directory, checked against the file, in the order of their bytes.
// Nothing is unpacked, and for an archive on disk only headers are read. Throws CheckpointError for
// a truncated file, offsets outside the file, overlapping members, a repeated name, encryption,
// another compression, inconsistent sizes, and more unpacked bytes than plausible for numbers in a
// file of this size ("zip bomb").
std::vector<ZipMember> zip_members(const File& archive, const std::string& name);

// The member's bytes, checked against its size and, unless ignored, its checksum. Bytes that are
// stored in memory are a view with the archive's owner. Bytes that are inflated or read from disk
// have memory of their own. Throws CheckpointError; Stopped.
enum class ZipChecksum : std::uint8_t { held, ignored };
FileBytes unpack(const ZipMember& member, const std::string& name, const StopFlag& stop = {},
                 ZipChecksum checksum = ZipChecksum::held);

// An archive of these files, uncompressed. Throws CheckpointError if it would exceed the limit of
// the format without zip64, 4 GiB.
struct ZipFile {
    std::string name, bytes;
};
std::string zip_text(const std::vector<ZipFile>& files);

}  // namespace headlight
