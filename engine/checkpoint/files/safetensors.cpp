#include "files/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "json/bounded_json.h"

// Reading. The order of the checks matters: each one makes the next one safe.
namespace headlight {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;

// One checked entry of the header.
struct Entry {
    std::string name;
    std::string type;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;  // byte offsets in the data
};

// A header has three levels: header { tensor { shape [ ] } }.
const JsonBounds kBounds{.levels = 3, .entries = kMaxTensors, .what = "tensors"};

Json parse_header(const FileBytes& bytes, const Source& source, const StopFlag& stop) {
    Json header;
    try {
        header = parse_json(bytes, kBounds, [&] { throw_if_stopped(stop); });
    } catch (const JsonError& error) {
        source.refuse("a header of " + error.expected(), error.found());
    }
    if (!header.is_object()) source.refuse("a JSON object as header", header.type_name());
    return header;
}

std::vector<std::uint64_t> whole_numbers(const Json& fields, const char* key, const Entry& entry,
                                         const Source& source) {
    const std::string expected = std::string(key) + " as an array of whole numbers";
    const auto list = fields.find(key);
    if (list == fields.end()) source.refuse(entry.name, expected, "none");
    if (!list->is_array()) source.refuse(entry.name, expected, list->type_name());
    std::vector<std::uint64_t> numbers;
    for (const Json& item : *list) {
        if (!item.is_number_unsigned())
            source.refuse(entry.name, expected,
                          item.is_structured() ? "a list within it" : item.dump());
        numbers.push_back(item.get<std::uint64_t>());
    }
    return numbers;
}

Entry read_entry(const std::string& name, const Json& fields, std::uint64_t data_bytes,
                 const Source& source) {
    Entry entry;
    entry.name = name;
    if (!fields.is_object())
        source.refuse(name, "an object with dtype, shape and data_offsets", fields.type_name());

    const auto type = fields.find("dtype");
    if (type == fields.end() || !type->is_string()) source.refuse(name, "a dtype", "none");
    entry.type = type->get<std::string>();
    const std::size_t each = bytes_per_number(entry.type);
    if (each == 0)
        source.refuse(name,
                      "dtype F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 or BOOL",
                      in_quotes(entry.type));

    for (const std::uint64_t extent : whole_numbers(fields, "shape", entry, source)) {
        if (extent > std::numeric_limits<std::int64_t>::max())
            source.refuse(name, "extents below 2^63", std::to_string(extent));
        entry.shape.push_back(static_cast<std::int64_t>(extent));
    }
    const auto bytes = byte_count(entry.shape, each);
    if (!bytes) source.refuse(name, "a size below 2^64 bytes", shape_text(entry.shape));

    const auto offsets = whole_numbers(fields, "data_offsets", entry, source);
    if (offsets.size() != 2)
        source.refuse(name, "data_offsets [begin, end]",
                      std::to_string(offsets.size()) + " numbers");
    entry.begin = offsets[0];
    entry.end = offsets[1];
    const std::string range =
        "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
    if (entry.begin > entry.end || entry.end > data_bytes)
        source.refuse(name,
                      "data_offsets within the " + std::to_string(data_bytes) + " bytes of data",
                      range);
    if (entry.end - entry.begin != *bytes)
        source.refuse(
            name,
            std::to_string(*bytes) + " bytes for " + entry.type + " " + shape_text(entry.shape),
            std::to_string(entry.end - entry.begin));
    return entry;
}

// Ignores values of types that the format does not allow.
Metadata texts_of(const Json& fields) {
    Metadata texts;
    for (const auto& [key, value] : fields.items())
        if (value.is_string()) texts[key] = value.get<std::string>();
    return texts;
}

// The format requires that the tensors cover the data without overlaps or gaps. Together with the
// checks of each entry, this also limits the memory that a file can make Headlight allocate.
void expect_gapless(std::vector<Entry>& entries, std::uint64_t data_bytes, const Source& source) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t next = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != next)
            source.refuse(entry.name, "its data at byte " + std::to_string(next),
                          std::string(entry.begin < next ? "an overlap" : "a gap") + " at byte " +
                              std::to_string(entry.begin));
        next = entry.end;
    }
    if (next != data_bytes)
        source.refuse(std::to_string(next) + " bytes of data for all tensors",
                      std::to_string(data_bytes));
}

}  // namespace

SafetensorsContent safetensors_content(const File& file, const std::string& name,
                                       const StopFlag& stop) {
    const Source source(name);
    if (file.size() < kLengthBytes)
        source.refuse("a safetensors file of at least 8 bytes", std::to_string(file.size()));
    std::uint64_t header_bytes = 0;
    file.read(0, std::as_writable_bytes(std::span(&header_bytes, 1)));
    const std::uint64_t rest = file.size() - kLengthBytes;
    if (header_bytes > std::min(rest, kMaxHeaderBytes))
        source.refuse(
            "a safetensors header within the " + std::to_string(file.size()) + " bytes of the file",
            "a header length of " + std::to_string(header_bytes));
    const Json header =
        parse_header(file.part(kLengthBytes, header_bytes).bytes(stop), source, stop);
    const File data = file.part(kLengthBytes + header_bytes, rest - header_bytes);

    SafetensorsContent content;
    std::vector<Entry> entries;
    for (const auto& [key, fields] : header.items())
        if (key == "__metadata__")
            content.metadata = texts_of(fields);
        else
            entries.push_back(read_entry(key, fields, data.size(), source));
    expect_gapless(entries, data.size(), source);
    for (Entry& entry : entries)
        content.tensors[entry.name] = {std::move(entry.shape), std::move(entry.type),
                                       data.part(entry.begin, entry.end - entry.begin)};
    return content;
}

StoredTensors safetensors_entries(const File& file, const std::string& name, const StopFlag& stop) {
    SafetensorsContent content = safetensors_content(file, name, stop);
    add_aliases(content.tensors, content.metadata, name);
    return std::move(content.tensors);
}

TensorMap read_safetensors(std::span<const std::byte> bytes, const std::string& name) {
    TensorMap tensors;
    for (auto& [key, stored] : safetensors_entries(FileBytes(bytes, nullptr), name)) {
        std::vector<float> values(stored.count());
        to_floats(stored, values.data());
        tensors[key] = {stored.shape, std::move(values), stored.type};
    }
    return tensors;
}

}  // namespace headlight
