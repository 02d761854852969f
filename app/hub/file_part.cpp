#include "hub/file_part.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "files/error.h"
#include "files/safetensors.h"
#include "json/bounded_json.h"

namespace headlight::hub {

namespace {

constexpr std::uint64_t kLengthBytes = 8;  // the length field before the header
constexpr const char* kMetadata = "__metadata__";

nlohmann::json header_of(const File& file, std::uint64_t& data) {
    std::uint64_t length = 0;
    file.read(0, std::as_writable_bytes(std::span(&length, 1)));
    data = kLengthBytes + length;
    const File text = file.part(kLengthBytes, length);
    constexpr int kLevels = 4;
    return parse_json(text.bytes().bytes(), {.levels = kLevels, .entries = kMaxTensors + 1});
}

// Little-endian, as in the format; the data begins at a multiple of 8.
std::string with_length(std::string header) {
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = header.size();
    std::string start(kLengthBytes, '\0');
    std::memcpy(start.data(), &length, kLengthBytes);
    return start + header;
}

}  // namespace

std::uint64_t FilePart::size() const {
    std::uint64_t sum = start.size();
    for (const Span& span : spans) sum += span.size;
    return sum;
}

FilePart::Span FilePart::source(std::uint64_t at) const {
    at -= start.size();
    for (const Span& span : spans) {
        if (at < span.size) return {span.begin + at, span.size - at};
        at -= span.size;
    }
    return {};
}

std::optional<FilePart> part_without(const File& whole, const std::string& path,
                                     const std::set<std::string>& unused,
                                     const std::string& origin) {
    constexpr std::size_t kMostSpans = 64;  // each needs a request
    const StoredTensors checked = safetensors_entries(whole, path);
    std::uint64_t data = 0;
    const nlohmann::json header = header_of(whole, data);
    std::vector<std::pair<std::uint64_t, std::string>> kept;  // sorted by first byte
    for (const auto& [name, entry] : header.items())
        if (name != kMetadata && !unused.contains(name))
            kept.emplace_back(entry.at("data_offsets").at(0).get<std::uint64_t>(), name);
    std::ranges::sort(kept);
    FilePart part{path, {}, {}, {}};
    nlohmann::json mine = nlohmann::json::object();
    if (const auto said = header.find(kMetadata); said != header.end()) mine[kMetadata] = *said;
    mine[kMetadata]["part_of"] = origin;
    std::uint64_t end = 0;
    for (const auto& [begin, name] : kept) {
        const std::uint64_t size = checked.at(name).bytes.size();
        nlohmann::json entry = header.at(name);
        entry["data_offsets"] = {end, end + size};
        mine[name] = std::move(entry);
        end += size;
        if (size == 0) continue;
        if (part.spans.empty() || part.spans.back().begin + part.spans.back().size != data + begin)
            part.spans.push_back({data + begin, 0});
        part.spans.back().size += size;
    }
    if (part.spans.empty() || part.spans.size() > kMostSpans) return {};
    part.start = with_length(mine.dump());
    return part;
}

File part_of(const File& whole, const FilePart& part) {
    return File(part.size(), [whole, part](std::uint64_t begin, std::span<std::byte> into) {
        while (!into.empty()) {
            std::size_t count = 0;
            if (begin < part.start.size()) {
                count = std::min<std::size_t>(into.size(), part.start.size() - begin);
                std::memcpy(into.data(), part.start.data() + begin, count);
            } else {
                const FilePart::Span from = part.source(begin);
                count = std::min<std::size_t>(into.size(), from.size);
                whole.read(from.begin, into.first(count));
            }
            begin += count;
            into = into.subspan(count);
        }
    });
}

}  // namespace headlight::hub
