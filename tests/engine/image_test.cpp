// Decoding: pictures whose pixels encode their positions (tests/golden/make_images.py), pictures
// written by hand, and invalid files.
#include "image/image.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

#include "tests/source_path.h"

namespace headlight::image_test {
namespace {

using Bytes = std::vector<std::byte>;
using Expected = std::function<float(int row, int col, int channel)>;

constexpr int kWidth = 7, kHeight = 5;  // of the pictures that make_images.py writes

Bytes bytes_of(std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

Bytes file(const std::string& name) {
    std::ifstream stream(source_path("tests/golden/images/") + name, std::ios::binary);
    EXPECT_TRUE(stream) << name;
    return bytes_of(std::string(std::istreambuf_iterator<char>(stream), {}));
}

Image decode(const std::string& name, Alpha alpha = Alpha::drop) {
    return decode_image(file(name), name, kMaxPixels, alpha);
}

void expect_pixels(const Image& image, int height, int width, int channels,
                   const Expected& expected, float tolerance = 1e-6F) {
    ASSERT_EQ(image.height, height);
    ASSERT_EQ(image.width, width);
    ASSERT_EQ(image.channels, channels);
    ASSERT_EQ(image.values.size(), static_cast<std::size_t>(height) * width * channels);
    for (int row = 0; row < height; ++row)
        for (int col = 0; col < width; ++col)
            for (int c = 0; c < channels; ++c)
                ASSERT_NEAR(image.at(row, col, c), expected(row, col, c), tolerance)
                    << "row " << row << " col " << col << " channel " << c;
}

// The error message; empty if the bytes were accepted.
std::string refusal(const Bytes& bytes, std::int64_t max_pixels = kMaxPixels) {
    try {
        decode_image(bytes, "picture", max_pixels);
    } catch (const ImageError& error) {
        return error.what();
    }
    return {};
}

// The formulas of make_images.py.
int red(int row, int col) { return 40 * row + col; }
int alpha(int row, int col) { return 255 * (row + col) / (kWidth + kHeight - 2); }
int rgb(int row, int col, int c) {
    return c == 0 ? red(row, col) : c == 1 ? 30 * col + row : 255 - red(row, col);
}
int sixteen(int row, int col) { return (red(row, col) * 256 + 17 * col + 3) % 65536; }
int rgb16(int row, int col, int c) { return (sixteen(row, col) + 1000 * c) % 65536; }
float byte(int value) { return static_cast<float>(value) / 255; }
float word(int value) { return static_cast<float>(value) / 65535; }
float rgb_byte(int row, int col, int c) { return byte(rgb(row, col, c)); }
float rgb_word(int row, int col, int c) { return word(rgb16(row, col, c)); }

TEST(ImageFiles, eight_bit_png) {
    expect_pixels(decode("grey.png"), 5, 7, 1, [](int r, int c, int) { return byte(red(r, c)); });
    expect_pixels(decode("rgb.png"), 5, 7, 3, rgb_byte);
    expect_pixels(decode("bits.png"), 5, 7, 1,
                  [](int r, int c, int) { return float((r + c) % 2); });
}

TEST(ImageFiles, sixteen_bits_are_kept) {
    expect_pixels(decode("grey16.png"), 5, 7, 1,
                  [](int r, int c, int) { return word(sixteen(r, c)); });
    expect_pixels(decode("rgb16.png"), 5, 7, 3, rgb_word);
    for (const char* name : {"rgb16.psd", "packed16.psd"})
        expect_pixels(decode(name), 5, 7, 3, rgb_word);
}

// Colors blended onto white or black with integer rounding, as in Pillow's paste.
float laid(int value, int a, int most, bool white) {
    const int background = white ? most : 0;
    return static_cast<float>(
               std::lround((double(value) * a + double(background) * (most - a)) / most)) /
           static_cast<float>(most);
}

TEST(ImageFiles, alpha_is_dropped_or_laid_on_white_or_black) {
    for (const Alpha how : {Alpha::drop, Alpha::white, Alpha::black}) {
        SCOPED_TRACE(name_of(how));
        const auto blend = [how](int value, int a, int most) {
            return how == Alpha::drop ? static_cast<float>(value) / static_cast<float>(most)
                                      : laid(value, a, most, how == Alpha::white);
        };
        expect_pixels(decode("grey_alpha.png", how), 5, 7, 1,
                      [&](int r, int c, int) { return blend(red(r, c), alpha(r, c), 255); });
        expect_pixels(decode("rgba.png", how), 5, 7, 3,
                      [&](int r, int c, int k) { return blend(rgb(r, c, k), alpha(r, c), 255); });
        expect_pixels(decode("rgba16.png", how), 5, 7, 3, [&](int r, int c, int k) {
            return blend(rgb16(r, c, k), 257 * alpha(r, c), 65535);
        });
        EXPECT_EQ(decode("rgba.png", how).alpha, how);
        EXPECT_EQ(decode("rgb.png", how).alpha, std::nullopt);
    }
}

TEST(ImageFiles, transparent_palette_entries) {
    for (const Alpha how : {Alpha::drop, Alpha::white, Alpha::black}) {
        const auto seen = [how](bool transparent, int r, int c, int k) {
            return !transparent || how == Alpha::drop ? rgb_byte(r, c, k)
                   : how == Alpha::white              ? 1.0F
                                                      : 0.0F;
        };
        expect_pixels(decode("palette.png", how), 5, 7, 3,
                      [&](int, int c, int k) { return seen(c % 2 == 1, 0, c, k); });
        expect_pixels(decode("transparent.gif", how), 5, 7, 3, [&](int r, int c, int k) {
            const int entry = (r + c) % kWidth;
            return seen(entry == 2, 0, entry, k);
        });
    }
    EXPECT_EQ(decode("animated.gif").alpha, std::nullopt);
}

TEST(ImageFiles, animated_gif_shows_its_first_frame) {
    expect_pixels(decode("animated.gif"), 5, 7, 3,
                  [](int r, int c, int k) { return rgb_byte(0, (r + c) % kWidth, k); });
}

TEST(ImageFiles, tga_bmp_psd) {
    for (const char* name : {"rgb.tga", "packed.tga", "rgb.bmp", "rgb.psd", "packed.psd"}) {
        SCOPED_TRACE(name);
        expect_pixels(decode(name), 5, 7, 3, rgb_byte);
    }
}

// The 8 x 8 blocks drawn by make_images.py; JPEG may deviate slightly.
float block(int row, int col, int c) {
    return byte(c == 0 ? 60 + 100 * (row / 8) : c == 1 ? 40 + 80 * (col / 8) : 120);
}

TEST(ImageFiles, jpeg_in_all_orientations) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
        const std::string name = "exif" + std::to_string(orientation) + ".jpg";
        SCOPED_TRACE(name);
        expect_pixels(decode(name), 16, 24, 3, block, 3.0F / 255);
    }
}

TEST(ImageFiles, jpeg_kinds) {
    expect_pixels(decode("progressive.jpg"), 16, 24, 3, block, 3.0F / 255);
    const Image grey = decode("grey.jpg");
    expect_pixels(
        grey, 16, 24, 1,
        [](int r, int c, int) {
            return 0.299F * block(r, c, 0) + 0.587F * block(r, c, 1) + 0.114F * block(r, c, 2);
        },
        3.0F / 255);
    // With half the color resolution, colors bleed over block edges, so only a center is compared.
    const Image subsampled = decode("subsampled.jpg");
    ASSERT_EQ(subsampled.width, 24);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(subsampled.at(12, 3, c), block(12, 3, c), 8.0F / 255);
}

TEST(ImageFiles, png_turns_as_its_exif_chunk_says) {
    // 6: the camera was turned left, so the first stored column, read upwards, is the first row.
    expect_pixels(decode("exif6.png"), 7, 5, 3,
                  [](int r, int c, int k) { return rgb_byte(kHeight - 1 - c, r, k); });
}

// Without its library, a format is refused with a message about what to do.
class OptionalFormats : public ::testing::Test {
  protected:
    static bool reads(const std::string& format, const std::string& name) {
        if (reads_format(format)) return true;
        EXPECT_NE(refusal(file(name))
                      .find(format + ", which this build of Headlight does not support. Save "
                                     "the image as PNG or JPEG"),
                  std::string::npos);
        return false;
    }
    static bool reads_webp() { return reads("WebP", "rgb.webp"); }
    static bool reads_tiff() { return reads("TIFF", "pillow/rgb.tif"); }
    static bool reads_avif() { return reads("AVIF", "rgb.avif"); }
    static bool reads_heic() { return reads("HEIC", "rgb.heic"); }
};

void expect_cut_short_are_refused(const std::string& name) {
    const Bytes whole = file(name);
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(refusal(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(length))), "")
            << name << " cut to " << length;
}

TEST_F(OptionalFormats, webp_lossless_lossy_and_see_through) {
    if (!reads_webp()) GTEST_SKIP() << "built without libwebp";
    expect_pixels(decode("rgb.webp"), 5, 7, 3, rgb_byte);
    expect_pixels(decode("rgba.webp"), 5, 7, 3, rgb_byte);
    expect_pixels(decode("rgba.webp", Alpha::white), 5, 7, 3,
                  [](int r, int c, int k) { return laid(rgb(r, c, k), alpha(r, c), 255, true); });
    // With half the color resolution, colors bleed over block edges, so only a center is compared.
    const Image lossy = decode("lossy.webp");
    ASSERT_EQ(lossy.height, 16);
    ASSERT_EQ(lossy.width, 24);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(lossy.at(12, 3, c), block(12, 3, c), 8.0F / 255);
    for (const char* name : {"exif6.webp", "exif6_named.webp"}) {
        SCOPED_TRACE(name);
        expect_pixels(decode(name), 16, 24, 3, block);
    }
}

TEST_F(OptionalFormats, webp_that_is_too_large_damaged_or_cut_short_is_refused) {
    if (!reads_webp()) GTEST_SKIP() << "built without libwebp";
    for (const char* name : {"rgb.webp", "animated.webp"}) {
        EXPECT_EQ(refusal(file(name), 34), "picture: expected at most 34 pixels, found 7 x 5.");
        EXPECT_EQ(refusal(file(name), 35), "");
        Bytes damaged = file(name);
        for (std::size_t at = 25; at < damaged.size(); ++at) damaged[at] = std::byte{0xFF};
        EXPECT_NE(refusal(damaged), "") << name;
    }
    for (const char* name : {"rgb.webp", "rgba.webp", "lossy.webp", "exif6.webp", "animated.webp"})
        expect_cut_short_are_refused(name);
}

// x265 is lossless here, but the conversion before it rounds.
constexpr float kHeicLoss = 1.1F / 255;

TEST_F(OptionalFormats, avif_and_heic_without_loss) {
    for (const std::string ending : {".avif", ".heic"}) {
        SCOPED_TRACE(ending);
        if (!(ending == ".avif" ? reads_avif() : reads_heic())) continue;
        const float tolerance = ending == ".avif" ? 1e-6F : kHeicLoss;
        expect_pixels(decode("rgb" + ending), 5, 7, 3, rgb_byte, tolerance);
        expect_pixels(decode("rgba" + ending), 5, 7, 3, rgb_byte, tolerance);
        const Expected on_black = [](int r, int c, int k) {
            return laid(rgb(r, c, k), alpha(r, c), 255, false);
        };
        expect_pixels(decode("rgba" + ending, Alpha::black), 5, 7, 3, on_black, tolerance);
        EXPECT_EQ(decode("rgba" + ending).alpha, Alpha::drop);
        EXPECT_EQ(decode("rgb" + ending).alpha, std::nullopt);
        EXPECT_EQ(refusal(file("rgb" + ending), 34),
                  "picture: expected at most 34 pixels, found 7 x 5.");
        for (const std::string name : {"rgb", "rgba"}) expect_cut_short_are_refused(name + ending);
    }
}

// Rotated counterclockwise by quarters, then mirrored: 0 swaps top and bottom.
TEST_F(OptionalFormats, avif_and_heic_turn_as_they_say) {
    const auto turned = [](int quarters, int r, int c, int k) {
        switch (quarters) {
            case 1:
                return rgb_byte(c, kWidth - 1 - r, k);
            case 2:
                return rgb_byte(kHeight - 1 - r, kWidth - 1 - c, k);
            case 3:
                return rgb_byte(kHeight - 1 - c, r, k);
            default:
                return rgb_byte(r, c, k);
        }
    };
    if (reads_heic())
        expect_pixels(
            decode("turned.heic"), 7, 5, 3, [&](int r, int c, int k) { return turned(1, r, c, k); },
            kHeicLoss);
    if (!reads_avif()) return;
    for (int quarters = 0; quarters < 4; ++quarters)
        for (int mirror = 0; mirror < 2; ++mirror) {
            const int height = quarters % 2 == 0 ? 5 : 7, width = 12 - height;
            const std::string name =
                "turned" + std::to_string(quarters) + std::to_string(mirror) + ".avif";
            SCOPED_TRACE(name);
            expect_pixels(decode(name), height, width, 3, [&](int r, int c, int k) {
                return mirror == 0 ? turned(quarters, height - 1 - r, c, k)
                                   : turned(quarters, r, width - 1 - c, k);
            });
        }
}

// Cut out first, then turned and mirrored (ISO/IEC 23000-22, 7.3.6.7).
TEST_F(OptionalFormats, avif_shows_its_clean_aperture) {
    if (!reads_avif()) GTEST_SKIP() << "built without libavif";
    expect_pixels(decode("cropped.avif"), 3, 4, 3,
                  [](int r, int c, int k) { return rgb_byte(r + 1, c + 1, k); });
    expect_pixels(decode("cropped_turned.avif"), 4, 3, 3,  // a quarter, then left and right
                  [](int r, int c, int k) { return rgb_byte((2 - c) + 1, (3 - r) + 1, k); });
    // Outside the picture, or in the middle of a pixel.
    const auto with = [](std::size_t number, char value) {
        Bytes damaged = file("cropped.avif");
        constexpr std::string_view kName = "clap";
        const auto name = std::search(damaged.begin(), damaged.end(), kName.begin(), kName.end(),
                                      [](std::byte b, char c) { return b == std::byte(c); });
        EXPECT_NE(name, damaged.end());
        name[static_cast<std::ptrdiff_t>(4 * number + 7)] = std::byte(value);
        return refusal(damaged);
    };
    EXPECT_EQ(with(0, 4), "") << "as it is";
    for (const auto& [number, value] : std::vector<std::pair<std::size_t, char>>{
             {0, 8}, {0, 0}, {0, 3}, {1, 0}, {1, 3}, {2, 6}, {3, 2}, {5, 0}, {7, 0}})
        EXPECT_NE(with(number, value).find("clap"), std::string::npos) << number;
}

// Classic TIFF, little-endian, one entry [tag, type, count, value] each: 3 is short, 4 long.
Bytes tiff(const std::vector<std::array<std::uint32_t, 4>>& entries, const std::string& pixels) {
    std::string text("II*\0", 4);
    const auto write = [&](std::uint32_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    };
    write(static_cast<std::uint32_t>(8 + pixels.size()), 4);  // pixels start at 8
    text += pixels;
    write(static_cast<std::uint32_t>(entries.size()), 2);
    for (const auto& [tag, type, count, value] : entries) {
        write(tag, 2);
        write(type, 2);
        write(count, 4);
        write(value, 4);
    }
    write(0, 4);
    return bytes_of(text);
}

// A gray image with this many bits, in one strip.
Bytes grey_tiff(std::uint32_t width, std::uint32_t height, std::uint32_t bits,
                const std::string& pixels, std::uint32_t format = 1, std::uint32_t colors = 1) {
    return tiff({{256, 4, 1, width},
                 {257, 4, 1, height},
                 {258, 3, 1, bits},
                 {262, 3, 1, colors},
                 {273, 4, 1, 8},
                 {278, 4, 1, height},
                 {279, 4, 1, static_cast<std::uint32_t>(pixels.size())},
                 {339, 3, 1, format}},
                pixels);
}

TEST_F(OptionalFormats, tiff_of_each_depth) {
    if (!reads_tiff()) GTEST_SKIP() << "built without libtiff";
    const auto grey = [](std::uint32_t bits, const std::string& pixels, std::uint32_t colors = 1) {
        return decode_image(grey_tiff(3, 2, bits, pixels, 1, colors), "hand.tif");
    };
    const auto value = [](const std::array<int, 6>& samples, int most) {
        return [=](int r, int c, int) {
            return static_cast<float>(samples[static_cast<std::size_t>(3 * r + c)]) /
                   static_cast<float>(most);
        };
    };
    expect_pixels(grey(1, "\xA0\x40"), 2, 3, 1, value({1, 0, 1, 0, 1, 0}, 1));
    expect_pixels(grey(1, "\xA0\x40", 0), 2, 3, 1, value({0, 1, 0, 1, 0, 1}, 1));
    expect_pixels(grey(2, "\x6C\xE4"), 2, 3, 1, value({1, 2, 3, 3, 2, 1}, 3));
    expect_pixels(grey(4, "\x12\x30\xFE\xD0"), 2, 3, 1, value({1, 2, 3, 15, 14, 13}, 15));
    expect_pixels(grey(8, "\1\2\3\xFF\xFE\xFD"), 2, 3, 1, value({1, 2, 3, 255, 254, 253}, 255));
    expect_pixels(grey(16, "\1\2\3\4\5\6\7\10\11\12\13\14"), 2, 3, 1,
                  value({0x201, 0x403, 0x605, 0x807, 0xA09, 0xC0B}, 65535));
}

TEST_F(OptionalFormats, tiff_that_lies_or_is_not_read) {
    if (!reads_tiff()) GTEST_SKIP() << "built without libtiff";
    EXPECT_EQ(refusal(grey_tiff(3, 2, 8, "123456")), "");
    EXPECT_EQ(refusal(grey_tiff(3, 2, 8, "123456"), 5),
              "picture: expected at most 5 pixels, found 3 x 2.");
    EXPECT_NE(refusal(grey_tiff(100'000, 100'000, 8, "123456")).find("100000 x 100000"),
              std::string::npos);
    EXPECT_NE(refusal(grey_tiff(1, 1, 32, "1234", 3)).find("floating point"), std::string::npos);
    EXPECT_NE(refusal(grey_tiff(1, 1, 16, "12", 2)).find("sign"), std::string::npos);
    EXPECT_NE(refusal(grey_tiff(9'000, 9'000, 8, "123456")), "");
    EXPECT_NE(refusal(bytes_of(std::string_view("II*\0\x8\0\0\0", 8))), "");
    Bytes damaged = file("pillow/rgb.tif");
    std::fill(damaged.begin() + 8, damaged.begin() + 40, std::byte{0xAA});
    const std::string said = refusal(damaged);
    if (!said.empty() && said.find("too early") == std::string::npos) {
        EXPECT_NE(said.find("Save it again"), std::string::npos) << said;
        EXPECT_EQ(said.find(": :"), std::string::npos) << said;
    }
    for (const char* name : {"pillow/rgb.tif", "pillow/jpeg.tif", "pillow/fax.tif"}) {
        const Bytes whole = file(name);
        for (std::size_t length = 0; length < whole.size(); length += 7) {
            const Bytes cut(whole.begin(), whole.begin() + std::ptrdiff_t(length));
            // Pillow writes the directory first or last, so a truncated file may still have
            // everything needed.
            if (refusal(cut).empty()) {
                EXPECT_EQ(decode_image(cut, "cut").values, decode(name).values) << length;
            } else if (length >= 4) {
                EXPECT_NE(refusal(cut).find("ends too early. Copy or download it again"),
                          std::string::npos)
                    << name << " cut to " << length << ": " << refusal(cut);
            }
        }
    }
}

// Equal to Pillow's convert("RGB"), bit for bit.
TEST(ImageFiles, pixels_are_pillows) {
    const std::filesystem::path folder = source_path("tests/golden/images/pillow");
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = "pillow/" + entry.path().filename().string();
        const std::string ending = entry.path().extension().string();
        if (ending == ".ppm" || (ending == ".webp" && !reads_format("WebP")) ||
            (ending == ".tif" && !reads_format("TIFF")))
            continue;
        SCOPED_TRACE(name);
        const Image expected = decode(name + ".ppm"), found = to_rgb(decode(name));
        ASSERT_EQ(found.height, expected.height);
        ASSERT_EQ(found.width, expected.width);
        EXPECT_EQ(found.values, expected.values);
        ++compared;
    }
    EXPECT_GE(compared, 34);
    EXPECT_EQ(decode("pillow/cmyk_no_marker.jpg").values, decode("pillow/cmyk_adobe.jpg").values);
}

TEST(ImageByHand, bmp_stands_on_its_head) {
    // 24 bits, 3 x 2: rows from the bottom, blue first, each row padded to 12 bytes.
    std::string bmp("BM\x4E\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\3\0\0\0\2\0\0\0\1\0\x18\0", 30);
    bmp.resize(54, '\0');
    for (int row = 1; row >= 0; --row) {
        for (int col = 0; col < 3; ++col)
            for (int c = 2; c >= 0; --c) bmp += static_cast<char>(100 * row + 10 * col + c);
        bmp += std::string(3, '\0');
    }
    const Expected expected = [](int r, int c, int k) { return byte(100 * r + 10 * c + k); };
    expect_pixels(decode_image(bytes_of(bmp), "hand.bmp"), 2, 3, 3, expected);
    // Some programs omit the last padding, without which the picture is complete.
    expect_pixels(decode_image(bytes_of(bmp.substr(0, bmp.size() - 3)), "hand.bmp"), 2, 3, 3,
                  expected);
}

TEST(ImageByHand, tga_from_above_and_below) {
    for (const bool above : {false, true}) {
        std::string tga("\0\0\3\0\0\0\0\0\0\0\0\0\2\0\3\0\x08\0", 18);
        tga[17] = above ? '\x20' : '\0';
        for (int value = 0; value < 6; ++value) tga += static_cast<char>(value);
        expect_pixels(decode_image(bytes_of(tga), "hand.tga"), 3, 2, 1,
                      [&](int r, int c, int) { return byte(2 * (above ? r : 2 - r) + c); });
    }
}

TEST(ImageByHand, pnm_of_each_kind) {
    using namespace std::string_view_literals;
    const auto bits = [](int r, int c, int) { return float((r + c) % 2); };
    const auto tenths = [](int r, int c, int) { return float(3 * r + c) / 10; };
    const auto colored = [](int r, int c, int k) { return float(6 * r + 3 * c + k) / 100; };
    const auto parse = [](std::string_view text) {
        return decode_image(bytes_of(text), "hand.pnm");
    };
    expect_pixels(parse("P1\n# comment 9 9\n3 2\n101\n0 1 0"), 2, 3, 1, bits);
    expect_pixels(parse("P4 3 2\n\xA0\x40"), 2, 3, 1, bits);
    expect_pixels(parse("P2 3#width\n2 10 0 1 2\n3 4 5"), 2, 3, 1, tenths);
    expect_pixels(parse("P5 3 2 10\n\0\1\2\3\4\5"sv), 2, 3, 1, tenths);
    expect_pixels(parse("P3 2 2 100 0 1 2 3 4 5 6 7 8 9 10 11"), 2, 2, 3, colored);
    expect_pixels(parse("P6 2 2 100\n\0\1\2\3\4\5\6\7\10\11\12\13"sv), 2, 2, 3, colored);
    expect_pixels(parse("P5 2 1 1000\n\0\1\1\2"sv), 1, 2, 1,
                  [](int, int c, int) { return c == 0 ? 0.001F : 0.258F; });
    expect_pixels(parse("P4 9 1\n\0\x80"sv), 1, 9, 1,
                  [](int, int c, int) { return c < 8 ? 1.0F : 0.0F; });
}

TEST(ImageByHand, pnm_that_lies) {
    for (const char* text : {"P5", "P5 ", "P5 x", "P5 2 2", "P5 2 2 255\n123", "P5 0 2 255\n",
                             "P5 -1 2 255\n", "P2 1 1 10 11", "P2 1 1 0 0", "P2 1 1 65536 0",
                             "P1 1 1 2", "P6 1 1 255\n12", "P5 99999999999999999999 1 255\n",
                             "P5 50000 60000 255\n", "P2 2 2 9 1 2 3 ", "P3 9000 9000 255 1 2 3"})
        EXPECT_NE(refusal(bytes_of(text)), "") << text;
}

TEST(ImageRefusals, name_the_file_and_what_was_found) {
    EXPECT_EQ(refusal({}),
              "picture: expected a " + image_formats("or") + " image, found an empty file.");
    EXPECT_EQ(refusal(bytes_of("%PDF-1.7 and so on")),
              "picture: expected a " + image_formats("or") + " image, found PDF.");
    EXPECT_EQ(
        refusal(bytes_of("Dear diary, this is not a picture.")).find("picture: expected a PNG"),
        0U);
}

TEST(ImageRefusals, pixels_are_counted_from_the_header) {
    Bytes png = file("rgb.png");
    const auto write = [&](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i)
            png[at + i] = static_cast<std::byte>(value >> (24 - 8 * i));
    };
    write(16, 100'000);
    write(20, 100'000);
    EXPECT_EQ(refusal(png), "picture: expected at most 100000000 pixels, found 100000 x 100000.");
    write(16, 0xFFFFFFFF);
    EXPECT_EQ(refusal(png),
              "picture: expected at most 100000000 pixels, found 4294967295 x 100000.");
    write(16, 12'000);
    write(20, 9'000);
    EXPECT_EQ(refusal(png), "picture: expected at most 100000000 pixels, found 12000 x 9000.");
    write(16, 0);
    write(20, 5);
    EXPECT_EQ(refusal(png), "picture: expected a width and height of at least 1, found 0 x 5.");
    png.resize(22);  // a truncated header does not give the size
    EXPECT_EQ(refusal(png).find("0 x"), std::string::npos);
    EXPECT_EQ(refusal(file("rgb.bmp"), 34), "picture: expected at most 34 pixels, found 7 x 5.");
    EXPECT_EQ(refusal(file("rgb.bmp"), 35), "");
    Bytes bmp = file("rgb.bmp");
    for (std::size_t at = 18; at < 26; ++at) bmp[at] = std::byte{0x7F};
    EXPECT_EQ(refusal(bmp),
              "picture: expected at most 100000000 pixels, found 2139062143 x 2139062143.");
    for (std::size_t at = 18; at < 22; ++at) bmp[at] = std::byte{0};
    EXPECT_EQ(refusal(bmp),
              "picture: expected a width and height of at least 1, found 0 x 2139062143.");
}

TEST(ImageRefusals, oversized_huffman_tables) {
    Bytes jpeg = file("exif1.jpg");
    const std::string_view text(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
    const std::size_t table = text.find("\xFF\xC4");
    ASSERT_NE(table, std::string_view::npos);
    for (std::size_t i = 0; i < 4; ++i) jpeg[table + 5 + i] = std::byte{100};
    EXPECT_EQ(refusal(jpeg).find("picture: expected an undamaged JPEG, found: "), 0U);
}

// Replaces its segments of one kind by comments, which are ignored.
Bytes without(Bytes jpeg, int marker) {
    for (std::size_t i = 0; i + 1 < jpeg.size(); ++i)
        if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte(marker))
            jpeg[i + 1] = std::byte{0xEF};
    return jpeg;
}

TEST(ImageRefusals, tables_that_are_not_there) {
    constexpr int kHuffman = 0xC4, kQuantisation = 0xDB;
    for (const char* name : {"exif1.jpg", "grey.jpg", "progressive.jpg", "subsampled.jpg"}) {
        EXPECT_NE(refusal(without(file(name), kQuantisation)), "") << name;
        // Without Huffman tables, a scan uses those of the standard, as in motion JPEG.
        const Bytes film = without(file(name), kHuffman);
        if (std::string_view(name) == "progressive.jpg")
            EXPECT_NE(refusal(film), "");
        else
            EXPECT_EQ(decode_image(film, name).values, decode(name).values) << name;
    }
}

// libjpeg fills missing parts of a scan with gray, and warns.
TEST(ImageRefusals, a_scan_that_ends_before_its_picture) {
    for (const char* name : {"pillow/420.jpg", "pillow/restart.jpg", "pillow/444_progressive.jpg",
                             "pillow/grey.jpg"}) {
        Bytes jpeg = file(name);
        jpeg.resize(jpeg.size() - jpeg.size() / 5);
        jpeg.push_back(std::byte{0xFF});
        jpeg.push_back(std::byte{0xD9});  // end-of-image marker
        EXPECT_NE(refusal(jpeg), "") << name;
    }
}

TEST(ImageFiles, what_follows_a_jpeg_does_not_matter) {
    Bytes jpeg = file("exif1.jpg");
    for (const int value : {0xFF, 0xC4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
        jpeg.push_back(static_cast<std::byte>(value));
    expect_pixels(decode_image(jpeg, "film.jpg"), 16, 24, 3, block, 3.0F / 255);
}

TEST(ImageRefusals, files_cut_short) {
    for (const char* name :
         {"grey.png", "rgb16.png", "palette.png", "exif6.png", "exif6.jpg", "progressive.jpg",
          "grey.jpg", "rgb.bmp", "rgb.tga", "packed.tga", "rgb.psd", "packed.psd", "rgb16.psd"}) {
        const Bytes whole = file(name);
        // The last bytes of a TGA (its signature) and of a BMP (padding) are not part of the
        // picture.
        const std::size_t needed = std::string_view(name).ends_with(".tga")   ? whole.size() - 26
                                   : std::string_view(name).ends_with(".bmp") ? whole.size() - 3
                                                                              : whole.size();
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const std::string error =
                refusal(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(length)));
            EXPECT_EQ(error.empty(), length >= needed)
                << name << " cut to " << length << ": " << error;
        }
    }
}

TEST(ImageRefusals, gif_needs_its_first_frame_only) {
    const Bytes whole = file("animated.gif");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const Bytes part(whole.begin(), whole.begin() + std::ptrdiff_t(length));
        const std::string error = refusal(part);
        if (error.empty())
            EXPECT_EQ(decode_image(part, "part").values, decode("animated.gif").values) << length;
        else
            EXPECT_LT(length, whole.size() - 40) << error;
    }
}

TEST(ImageColors, grey_is_luma) {
    const Image rgb_image{1, 2, 3, {1, 0, 0, 0.25F, 0.5F, 0.75F}};
    const Image grey = to_grey(rgb_image);
    expect_pixels(grey, 1, 2, 1, [](int, int c, int) {
        return c == 0 ? 0.299F : 0.25F * 0.299F + 0.5F * 0.587F + 0.75F * 0.114F;
    });
    EXPECT_EQ(to_grey(grey).values, grey.values);
    expect_pixels(to_rgb(grey), 1, 2, 3, [&](int, int c, int) { return grey.at(0, c, 0); });
    EXPECT_EQ(to_rgb(rgb_image).values, rgb_image.values);
}

}  // namespace
}  // namespace headlight::image_test
