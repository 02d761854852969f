#include "files/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <set>
#include <utility>

#include "files/error.h"

namespace headlight {

namespace {

using Span = std::span<const std::byte>;

constexpr std::uint32_t kLocalHeader = 0x04034B50, kCentralHeader = 0x02014B50, kEnd = 0x06054B50,
                        kEnd64 = 0x06064B50, kLocator64 = 0x07064B50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocatorBytes = 20;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  // marks a number that is in the zip64 part

// Numbers compress badly. Deflate can expand zeros a thousandfold; a genuine checkpoint is far
// below this limit, and small files are always allowed.
constexpr std::uint64_t kMostRatio = 32, kAlwaysAllowed = 64U << 20U;
constexpr std::uint64_t kMostDirectory = 100'000'000;
constexpr std::uint64_t kDeflateRatio = 1032;  // the maximum of the format

// The caller must check that the number is within the bytes.
std::uint64_t number(Span bytes, std::size_t at, std::size_t width) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, width);
    return value;
}

bool has(Span bytes, std::uint64_t at, std::uint64_t count) {
    return at <= bytes.size() && count <= bytes.size() - at;
}

std::string text(Span bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The end-of-directory record.
struct Directory {
    std::uint64_t entries = 0, bytes = 0, offset = 0;
};

class Archive {
  public:
    Archive(const File& file, const std::string& name) : file_(file), source_(name) {}

    std::vector<ZipMember> members() const {
        const Directory directory = find_directory();
        if (!has(directory.offset, directory.bytes))
            source_.refuse("the directory of the archive within its bytes",
                           "an offset of " + std::to_string(directory.offset));
        if (directory.bytes > kMostDirectory)
            source_.refuse("a directory of at most " + std::to_string(kMostDirectory) + " bytes",
                           std::to_string(directory.bytes));
        const FileBytes table = bytes_at(directory.offset, directory.bytes);
        std::vector<ZipMember> members;
        std::set<std::string> names;
        std::size_t at = 0;
        for (std::uint64_t i = 0; i < directory.entries; ++i) {
            ZipMember member = read_entry(table, at);
            if (!names.insert(member.name).second)
                source_.refuse("every member once", in_quotes(member.name) + " twice");
            members.push_back(std::move(member));
        }
        std::ranges::sort(members, {}, &ZipMember::begin);
        expect_apart(members);
        expect_bounded(members);
        return members;
    }

  private:
    [[nodiscard]] bool has(std::uint64_t at, std::uint64_t count) const {
        return at <= file_.size() && count <= file_.size() - at;
    }
    [[nodiscard]] FileBytes bytes_at(std::uint64_t at, std::uint64_t count) const {
        return file_.part(at, count).bytes();
    }

    // Only a comment may follow it, so the search starts at the end.
    [[nodiscard]] std::uint64_t find_end(FileBytes& found) const {
        constexpr std::uint64_t kLongestComment = 0xFFFF;
        const std::uint64_t last = std::min(file_.size(), kEndBytes + kLongestComment);
        const FileBytes tail = bytes_at(file_.size() - last, last);
        for (std::size_t comment = 0; kEndBytes + comment <= last; ++comment) {
            const std::size_t at = last - kEndBytes - comment;
            if (number(tail, at, 4) != kEnd || number(tail, at + 20, 2) != comment) continue;
            found = FileBytes(tail.bytes().subspan(at, kEndBytes), tail.owner());
            return file_.size() - last + at;
        }
        source_.refuse("a zip archive with its directory at the end",
                       "none in " + std::to_string(file_.size()) + " bytes: it was cut off");
    }

    [[nodiscard]] Directory find_directory() const {
        FileBytes end;
        const std::uint64_t at = find_end(end);
        if (number(end, 4, 2) != number(end, 6, 2))
            source_.refuse("an archive in one part", "one of several parts");
        const Directory directory{number(end, 10, 2), number(end, 12, 4), number(end, 16, 4)};
        const bool is_full =
            directory.entries != 0xFFFF && directory.bytes != kIn64 && directory.offset != kIn64;
        return is_full ? directory : find_directory64(at);
    }

    [[nodiscard]] Directory find_directory64(std::uint64_t end) const {
        const std::string expected = "the zip64 directory of the archive";
        if (end < kLocatorBytes) source_.refuse(expected, "none");
        const FileBytes locator = bytes_at(end - kLocatorBytes, kLocatorBytes);
        if (number(locator, 0, 4) != kLocator64) source_.refuse(expected, "none");
        const std::uint64_t at = number(locator, 8, 8);
        const FileBytes end64 = has(at, kEnd64Bytes) ? bytes_at(at, kEnd64Bytes) : FileBytes();
        if (end64.size() == 0 || number(end64, 0, 4) != kEnd64)
            source_.refuse(expected, "nothing at byte " + std::to_string(at));
        return {number(end64, 32, 8), number(end64, 40, 8), number(end64, 48, 8)};
    }

    // Reads the entry at `at` and moves `at` behind it.
    ZipMember read_entry(Span table, std::size_t& at) const {
        if (!headlight::has(table, at, kCentralBytes) || number(table, at, 4) != kCentralHeader)
            source_.refuse("an entry of the archive's directory",
                           "none at byte " + std::to_string(at));
        const Span entry = table.subspan(at);
        const std::size_t name_bytes = number(entry, 28, 2), extra_bytes = number(entry, 30, 2),
                          comment_bytes = number(entry, 32, 2);
        const std::size_t all = kCentralBytes + name_bytes + extra_bytes + comment_bytes;
        if (entry.size() < all)
            source_.refuse("an entry of " + std::to_string(all) + " bytes in the directory",
                           std::to_string(entry.size()));
        at += all;
        ZipMember member;
        member.name = text(entry.subspan(kCentralBytes, name_bytes));
        member.checksum = static_cast<std::uint32_t>(number(entry, 16, 4));
        member.deflated = is_deflated(entry, member.name);
        std::uint64_t size = number(entry, 24, 4), packed = number(entry, 20, 4),
                      offset = number(entry, 42, 4);
        read_extra64(entry.subspan(kCentralBytes + name_bytes, extra_bytes),
                     {&size, &packed, &offset}, member.name);
        member.size = size;
        member.begin = packed_begin(offset, packed, member.name);
        member.packed = file_.part(member.begin, packed);
        expect_possible(member);
        return member;
    }

    [[nodiscard]] bool is_deflated(Span entry, const std::string& member) const {
        constexpr std::uint64_t kStored = 0, kDeflated = 8;
        if ((number(entry, 8, 2) & 1U) != 0) refuse(member, "no encryption", "an encrypted member");
        const std::uint64_t method = number(entry, 10, 2);
        if (method != kStored && method != kDeflated)
            refuse(member, "a stored or deflated member", "compression " + std::to_string(method));
        return method == kDeflated;
    }

    // Reads the numbers that are kIn64 from the extra field, where they follow in this order.
    void read_extra64(Span extra, std::initializer_list<std::uint64_t*> numbers,
                      const std::string& member) const {
        constexpr std::uint64_t kZip64 = 1;
        Span field;
        for (std::size_t at = 0; headlight::has(extra, at, 4);) {
            const std::size_t size = number(extra, at + 2, 2);
            if (!headlight::has(extra, at + 4, size)) break;
            if (number(extra, at, 2) == kZip64) field = extra.subspan(at + 4, size);
            at += 4 + size;
        }
        std::size_t at = 0;
        for (std::uint64_t* wanted : numbers) {
            if (*wanted != kIn64) continue;
            if (!headlight::has(field, at, 8)) refuse(member, "its zip64 sizes", "none");
            *wanted = number(field, at, 8);
            at += 8;
        }
    }

    [[nodiscard]] std::uint64_t packed_begin(std::uint64_t offset, std::uint64_t size,
                                             const std::string& member) const {
        const FileBytes header = has(offset, kLocalBytes + member.size())
                                     ? bytes_at(offset, kLocalBytes + member.size())
                                     : FileBytes();
        if (header.size() == 0 || number(header, 0, 4) != kLocalHeader)
            refuse(member, "its header within the archive",
                   "none at byte " + std::to_string(offset));
        const std::uint64_t name_bytes = number(header, 26, 2);
        const std::uint64_t first = offset + kLocalBytes + name_bytes + number(header, 28, 2);
        if (!has(first, size))
            refuse(member, "its " + std::to_string(size) + " bytes within the archive",
                   "byte " + std::to_string(first) + " of " + std::to_string(file_.size()));
        if (name_bytes != member.size() || text(header.bytes().subspan(kLocalBytes)) != member)
            refuse(member, "the same name in its header", "another one");
        return first;
    }

    void expect_possible(const ZipMember& member) const {
        const std::uint64_t packed = member.packed.size();
        if (!member.deflated && member.size != packed)
            refuse(member.name, std::to_string(member.size) + " stored bytes",
                   std::to_string(packed));
        if (member.deflated && member.size / kDeflateRatio > packed)
            refuse(member.name, std::to_string(member.size) + " deflated bytes",
                   "only " + std::to_string(packed) + " to inflate");
    }

    void expect_apart(const std::vector<ZipMember>& members) const {
        for (std::size_t i = 1; i < members.size(); ++i) {
            const ZipMember& before = members[i - 1];
            if (before.begin + before.packed.size() > members[i].begin)
                refuse(members[i].name, "bytes of its own",
                       "an overlap with " + in_quotes(members[i - 1].name));
        }
    }

    void expect_bounded(const std::vector<ZipMember>& members) const {
        const std::uint64_t most =
            std::max<std::uint64_t>(kAlwaysAllowed, kMostRatio * file_.size());
        std::uint64_t left = most;
        for (const ZipMember& member : members) {
            if (member.deflated && member.size > left)
                source_.refuse("at most " + std::to_string(most) + " bytes in an archive of " +
                                   std::to_string(file_.size()),
                               "more than that: a zip bomb");
            if (member.deflated) left -= member.size;
        }
    }

    [[noreturn]] void refuse(const std::string& member, const std::string& expected,
                             const std::string& found) const {
        source_.refuse("member " + in_quotes(member) + " with " + expected, found);
    }

    const File& file_;
    Source source_;
};

// Bytes between two stop checks. zlib counts in 32 bits.
constexpr std::size_t kPiece = std::size_t{4} << 20U;

// Inflates a whole member, piece by piece.
class Inflater {
  public:
    explicit Inflater(const StopFlag& stop) : stop_(stop) {
        ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // Returns true if the compressed data ends exactly when `packed` and `bytes` do.
    bool fill(Span packed, std::span<std::byte> bytes) {
        std::byte none{};  // zlib needs a pointer even if no output is expected
        std::size_t taken = 0, made = 0;
        while (ready_) {
            throw_if_stopped(stop_);
            const std::size_t in = std::min(kPiece, packed.size() - taken);
            const std::size_t out = std::min(kPiece, bytes.size() - made);
            stream_.next_in =
                const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + taken));
            stream_.avail_in = static_cast<uInt>(in);
            stream_.next_out = reinterpret_cast<Bytef*>(out > 0 ? bytes.data() + made : &none);
            stream_.avail_out = static_cast<uInt>(out);
            const int status = inflate(&stream_, Z_NO_FLUSH);
            taken += in - stream_.avail_in;
            made += out - stream_.avail_out;
            if (status == Z_STREAM_END) return taken == packed.size() && made == bytes.size();
            const bool moved = stream_.avail_in != in || stream_.avail_out != out;
            if (status != Z_OK || !moved) return false;
        }
        return false;
    }

  private:
    const StopFlag& stop_;
    z_stream stream_{};
    bool ready_ = false;
};

std::uint32_t crc_of(Span bytes, const StopFlag& stop) {
    uLong sum = 0;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        throw_if_stopped(stop);
        const Span piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
        sum = crc32_z(sum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    }
    return static_cast<std::uint32_t>(sum);
}

}  // namespace

bool looks_like_zip(Span bytes) {
    if (bytes.size() < 4) return false;
    const std::uint64_t magic = number(bytes, 0, 4);
    return magic == kLocalHeader || magic == kEnd;  // an empty archive has no member
}

std::vector<ZipMember> zip_members(const File& archive, const std::string& name) {
    return Archive(archive, name).members();
}

FileBytes unpack(const ZipMember& member, const std::string& name, const StopFlag& stop,
                 ZipChecksum checksum) {
    const auto refuse = [&](const std::string& expected, const std::string& found) {
        Source(name).refuse("member " + in_quotes(member.name) + " with " + expected, found);
    };
    FileBytes bytes = member.packed.bytes(stop);
    if (member.deflated) {
        if (member.size > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
        Bytes unpacked(member.size);
        if (!Inflater(stop).fill(bytes, unpacked))
            refuse(std::to_string(member.size) + " deflated bytes", "damaged ones");
        bytes = std::move(unpacked);
    }
    if (checksum == ZipChecksum::held && crc_of(bytes, stop) != member.checksum)
        refuse("the checksum of its bytes", "another one");
    return bytes;
}

namespace {

std::string little(std::uint64_t number, int bytes) {
    std::string text;
    for (; bytes > 0; --bytes, number >>= 8U) text += static_cast<char>(number & 0xFFU);
    return text;
}

// The fields common to both headers of a file: compression, date, checksum and sizes.
std::string facts_of(const ZipFile& file) {
    constexpr std::uint64_t kVersion = 20, kUtf8Names = 1U << 11U;
    constexpr std::uint64_t kFirstDay = (1U << 5U) + 1;  // 1980-01-01: equal calls give equal bytes
    const auto sum = crc_of(std::as_bytes(std::span(file.bytes)), {});
    return little(kVersion, 2) + little(kUtf8Names, 2) + little(0, 2) + little(0, 2) +
           little(kFirstDay, 2) + little(sum, 4) + little(file.bytes.size(), 4) +
           little(file.bytes.size(), 4) + little(file.name.size(), 2) + little(0, 2);
}

}  // namespace

std::string zip_text(const std::vector<ZipFile>& files) {
    std::string text, directory;
    for (const ZipFile& file : files) {
        const std::uint64_t offset = text.size();
        const std::string facts = facts_of(file);
        text += little(kLocalHeader, 4) + facts + file.name + file.bytes;
        directory += little(kCentralHeader, 4) + little(20, 2) + facts + little(0, 2) +
                     little(0, 2) + little(0, 2) + little(0, 4) + little(offset, 4) + file.name;
        if (text.size() + directory.size() >= kIn64)
            throw CheckpointError("Expected an archive of less than 4 GiB, found more.");
    }
    return text + directory + little(kEnd, 4) + little(0, 4) + little(files.size(), 2) +
           little(files.size(), 2) + little(directory.size(), 4) + little(text.size(), 4) +
           little(0, 2);
}

}  // namespace headlight
