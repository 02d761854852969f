#include "files/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "files/error.h"

namespace headlight {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionAt = 6, kLengthAt = 8;

// NumPy's names of the supported types, and Headlight's.
constexpr std::array<std::pair<std::string_view, const char*>, 15> kNpyTypes{{
    {"<f8", "F64"},
    {"<f4", "F32"},
    {"<f2", "F16"},
    {"|V2", "BF16"},
    {"<V2", "BF16"},
    {"<i8", "I64"},
    {"<i4", "I32"},
    {"<i2", "I16"},
    {"|i1", "I8"},
    {"<u8", "U64"},
    {"<u4", "U32"},
    {"<u2", "U16"},
    {"|u1", "U8"},
    {"|b1", "BOOL"},
    {"|?", "BOOL"},
}};

// Parses the dict of the header, only in the form that NumPy writes:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class DictReader {
  public:
    DictReader(std::string_view text, const Source& source) : text_(text), source_(source) {}

    struct Dict {
        std::optional<std::string> type;
        std::optional<bool> column_major;
        std::optional<std::vector<std::int64_t>> shape;
    };

    Dict read() {
        Dict dict;
        expect('{');
        while (!take('}')) {
            read_item(dict);
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        skip_spaces();
        if (at_ != text_.size()) refuse();
        if (!dict.type || !dict.column_major || !dict.shape)
            source_.refuse("descr, fortran_order and shape in the header of the array", "not all");
        return dict;
    }

  private:
    void read_item(Dict& dict) {
        const std::string key = read_text();
        expect(':');
        const auto once = [&](auto& field, auto value) {
            if (field) source_.refuse("every key of the header once", in_quotes(key) + " twice");
            field = std::move(value);
        };
        if (key == "descr")
            once(dict.type, read_text());
        else if (key == "fortran_order")
            once(dict.column_major, read_truth());
        else if (key == "shape")
            once(dict.shape, read_tuple());
        else
            source_.refuse("descr, fortran_order and shape in the header of the array",
                           in_quotes(key));
    }

    std::string read_text() {
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == '[')
            source_.refuse("an array of numbers", "one of structures");
        const char quote = at_ < text_.size() ? text_[at_] : ' ';
        if (quote != '\'' && quote != '"') refuse();
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) refuse();
        const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return std::string(text);
    }

    bool read_truth() {
        skip_spaces();
        for (const std::string_view word : {"True", "False"}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return word == "True";
        }
        refuse();
    }

    std::vector<std::int64_t> read_tuple() {
        std::vector<std::int64_t> numbers;
        expect('(');
        while (!take(')')) {
            numbers.push_back(read_number());
            if (!take(',')) {
                expect(')');
                break;
            }
        }
        return numbers;
    }

    std::int64_t read_number() {
        skip_spaces();
        std::int64_t number = 0;
        const char* first = text_.data() + at_;
        const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), number);
        if (problem == std::errc::result_out_of_range || number < 0)
            source_.refuse("extents from 0 to 2^63 - 1", "another one");
        if (problem != std::errc()) refuse();
        at_ += static_cast<std::size_t>(end - first);
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // suffix of a long in Python 2
        return number;
    }

    void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \n", at_), text_.size()); }
    bool take(char c) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) refuse();
    }
    [[noreturn]] void refuse() const {
        source_.refuse("the header of an array as numpy writes it",
                       "other text at its character " + std::to_string(at_));
    }

    std::string_view text_;
    const Source& source_;
    std::size_t at_ = 0;
};

std::string our_type(const std::string& type, const Source& source) {
    const auto* found =
        std::ranges::find(kNpyTypes, type, [](const auto& pair) { return pair.first; });
    if (found != kNpyTypes.end()) return found->second;
    const std::string expected = "an array of little-endian numbers";
    if (type.starts_with('>')) source.refuse(expected, "big-endian " + in_quotes(type));
    if (type.find('O') != std::string::npos)
        source.refuse(expected, "Python objects, which Headlight does not run");
    source.refuse(expected, "descr " + in_quotes(type));
}

struct Parts {
    std::string_view header;
    std::span<const std::byte> data;
};

Parts split(std::span<const std::byte> bytes, const Source& source) {
    if (!looks_like_npy(bytes)) source.refuse("a NumPy array (.npy)", "something else");
    const auto cut_off = [&]() {
        source.refuse("a NumPy array (.npy)", "only the beginning of one");
    };
    if (bytes.size() < kLengthAt) cut_off();
    const int version = std::to_integer<int>(bytes[kVersionAt]);
    if (version < 1 || version > 3)
        source.refuse("version 1, 2 or 3 of .npy", "version " + std::to_string(version));
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    if (bytes.size() < kLengthAt + length_bytes) cut_off();
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + kLengthAt, length_bytes);
    const auto rest = bytes.subspan(kLengthAt + length_bytes);
    if (length > rest.size())
        source.refuse("the header of an array within the " + std::to_string(bytes.size()) +
                          " bytes of the file",
                      "a header length of " + std::to_string(length));
    return {{reinterpret_cast<const char*>(rest.data()), length}, rest.subspan(length)};
}

}  // namespace

std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape,
                       std::size_t least) {
    constexpr std::size_t kAlignment = 64, kBefore = 10;  // kBefore: magic word, version, length
    std::string dict = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t extent : shape) dict += std::to_string(extent) + ", ";
    dict += "), }";
    if (kBefore + dict.size() + 1 < least) dict.append(least - kBefore - dict.size() - 1, ' ');
    const std::size_t with_end = kBefore + dict.size() + 1;
    dict.append((kAlignment - with_end % kAlignment) % kAlignment, ' ');
    dict += '\n';
    std::string header(kMagic);
    header +=
        {'\1', '\0', static_cast<char>(dict.size() & 0xFFU), static_cast<char>(dict.size() >> 8U)};
    return header + dict;
}

bool looks_like_npy(std::span<const std::byte> bytes) {
    return bytes.size() >= kMagic.size() &&
           std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

StoredTensor read_npy(const FileBytes& file, const std::string& name) {
    const Source source(name);
    const Parts parts = split(file.bytes(), source);
    auto dict = DictReader(parts.header, source).read();
    StoredTensor tensor;
    tensor.type = our_type(*dict.type, source);
    tensor.shape = std::move(*dict.shape);
    tensor.column_major = *dict.column_major;
    const auto bytes = byte_count(tensor.shape, bytes_per_number(tensor.type));
    if (!bytes) source.refuse("a size below 2^64 bytes", shape_text(tensor.shape));
    if (*bytes != parts.data.size())
        source.refuse(
            std::to_string(*bytes) + " bytes for " + tensor.type + " " + shape_text(tensor.shape),
            std::to_string(parts.data.size()));
    tensor.bytes = FileBytes(parts.data, file.owner());
    return tensor;
}

}  // namespace headlight
