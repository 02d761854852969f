#include "image/pnm.h"

#include "image/limits.h"

namespace headlight {
namespace {

class Reader {
  public:
    Reader(std::span<const std::byte> file, const std::string& name) : file_(file), name_(name) {}

    [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
        throw ImageError(name_ + ": expected " + expected + " in a PNM image, found " + found);
    }
    [[nodiscard]] std::size_t left() const { return file_.size() - at_; }

    int byte() {
        if (left() == 0) fail("more values", "the end of the file");
        return std::to_integer<int>(file_[at_++]);
    }

    // Skips whitespace and comments, which run from # to the end of the line.
    void skip_space() {
        for (bool comment = false; left() > 0; ++at_) {
            const auto c = std::to_integer<char>(file_[at_]);
            if (c == '#') comment = true;
            if (!comment && !(c == ' ' || (c >= '\t' && c <= '\r'))) return;
            if (c == '\n' || c == '\r') comment = false;
        }
    }

    int digit() {
        const int value = byte() - '0';
        if (value < 0 || value > 9) fail("a decimal number", "byte " + std::to_string(value + '0'));
        return value;
    }

    int number() {
        constexpr int kMost = 100'000'000;
        skip_space();
        int value = digit();
        while (left() > 0 && file_[at_] >= std::byte{'0'} && file_[at_] <= std::byte{'9'}) {
            value = 10 * value + digit();
            if (value > kMost) fail("numbers up to " + std::to_string(kMost), "a larger one");
        }
        return value;
    }

  private:
    std::span<const std::byte> file_;
    const std::string& name_;
    std::size_t at_ = 2;  // after "P1"
};

struct PnmHeader {
    int kind = 0;  // the digit after P
    int maximum = 1;
    [[nodiscard]] bool text() const { return kind <= 3; }
    [[nodiscard]] bool bitmap() const { return kind == 1 || kind == 4; }
};

int read_value(Reader& reader, const PnmHeader& header) {
    if (header.text()) return reader.number();
    const int high = reader.byte();
    return header.maximum < 256 ? high : high << 8 | reader.byte();
}

void read_values(Reader& reader, const PnmHeader& header, Image& image) {
    const auto maximum = static_cast<float>(header.maximum);
    for (float& pixel : image.values) {
        const int value = read_value(reader, header);
        if (value > header.maximum)
            reader.fail("values up to " + std::to_string(header.maximum), std::to_string(value));
        pixel = static_cast<float>(value) / maximum;
    }
}

// In a bitmap, 1 is black. In text form, digits need no space between them. In binary form, each
// row starts with a new byte.
void read_bits(Reader& reader, const PnmHeader& header, Image& image) {
    int bits = 0;
    for (std::size_t i = 0; i < image.values.size(); ++i) {
        bool black = false;
        if (header.text()) {
            reader.skip_space();
            const int value = reader.digit();
            if (value > 1) reader.fail("0 or 1", std::to_string(value));
            black = value == 1;
        } else {
            const auto col = i % static_cast<std::size_t>(image.width);
            if (col % 8 == 0) bits = reader.byte();
            black = (bits >> (7 - col % 8) & 1) != 0;
        }
        image.values[i] = black ? 0.0F : 1.0F;
    }
}

// Checks that the file is long enough for its header's size before memory is allocated.
void check_length(const Reader& reader, const PnmHeader& header, const Image& image,
                  std::size_t samples) {
    const std::size_t row_bits = (static_cast<std::size_t>(image.width) + 7) / 8;
    std::size_t needed = samples;  // in text form, at least one digit each
    if (header.kind == 4) needed = row_bits * static_cast<std::size_t>(image.height);
    if (!header.text() && header.maximum > 255) needed *= 2;
    if (reader.left() < needed)
        reader.fail(std::to_string(needed) + " bytes of pixels", std::to_string(reader.left()));
}

}  // namespace

bool is_pnm(std::span<const std::byte> file) {
    return file.size() >= 3 && file[0] == std::byte{'P'} && file[1] >= std::byte{'1'} &&
           file[1] <= std::byte{'6'};
}

Image decode_pnm(std::span<const std::byte> file, const std::string& name,
                 std::int64_t max_pixels) {
    Reader reader(file, name);
    PnmHeader header{std::to_integer<int>(file[1]) - '0'};
    Image image;
    image.width = reader.number();
    image.height = reader.number();
    image.channels = header.kind % 3 == 0 ? 3 : 1;
    check_size(image.height, image.width, name, max_pixels);
    if (!header.bitmap()) header.maximum = reader.number();
    if (header.maximum < 1 || header.maximum > 65535)
        reader.fail("a maximum between 1 and 65535", std::to_string(header.maximum));
    if (!header.text()) reader.byte();  // exactly one whitespace character ends the header

    const std::size_t samples =
        static_cast<std::size_t>(image.height) * image.width * image.channels;
    check_length(reader, header, image, samples);
    image.values.resize(samples);
    if (header.bitmap())
        read_bits(reader, header, image);
    else
        read_values(reader, header, image);
    return image;
}

}  // namespace headlight
