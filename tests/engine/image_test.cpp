// Decoding: pictures whose every pixel says where it belongs (tests/golden/make_images.py),
// pictures written here by hand, and files that lie.
#include "image/image.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string_view>

#include "image/webp.h"
#include "tests/source_path.h"

namespace headlight {
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

Image decode(const std::string& name) { return decode_image(file(name), name); }

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

// The error's sentence, or nothing where the bytes were taken.
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
float on_white(float value, int row, int col) {
    const float a = byte(alpha(row, col));
    return value * a + 1 - a;
}
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
    expect_pixels(decode("rgb16.psd"), 5, 7, 3, rgb_word);
}

TEST(ImageFiles, alpha_is_composed_on_white) {
    expect_pixels(decode("grey_alpha.png"), 5, 7, 1,
                  [](int r, int c, int) { return on_white(byte(red(r, c)), r, c); });
    expect_pixels(decode("rgba.png"), 5, 7, 3,
                  [](int r, int c, int k) { return on_white(rgb_byte(r, c, k), r, c); });
    expect_pixels(decode("rgba16.png"), 5, 7, 3,
                  [](int r, int c, int k) { return on_white(rgb_word(r, c, k), r, c); });
}

TEST(ImageFiles, transparent_palette_entries_are_white) {
    expect_pixels(decode("palette.png"), 5, 7, 3,
                  [](int, int c, int k) { return c % 2 == 1 ? 1.0F : rgb_byte(0, c, k); });
    expect_pixels(decode("transparent.gif"), 5, 7, 3, [](int r, int c, int k) {
        const int entry = (r + c) % kWidth;
        return entry == 2 ? 1.0F : rgb_byte(0, entry, k);
    });
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

TEST(ImageFiles, packed_sixteen_bit_psd_is_refused_rather_than_misread) {
    EXPECT_NE(refusal(file("packed16.psd")).find("16-bit PSD without compression"),
              std::string::npos);
}

// The 8 x 8 blocks that make_images.py draws; JPEG may miss them by a little.
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
    // Where colour has half the resolution it bleeds over the blocks' edges: look at one middle.
    const Image subsampled = decode("subsampled.jpg");
    ASSERT_EQ(subsampled.width, 24);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(subsampled.at(12, 3, c), block(12, 3, c), 8.0F / 255);
}

TEST(ImageFiles, png_turns_as_its_exif_chunk_says) {
    // 6: the camera was turned left, so the first stored column, read upwards, is the first row.
    expect_pixels(decode("exif6.png"), 7, 5, 3,
                  [](int r, int c, int k) { return rgb_byte(kHeight - 1 - c, r, k); });
}

// With libwebp, without which a WebP is refused in a sentence.
class WebpFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        if (reads_webp()) return;
        EXPECT_EQ(refusal(file("rgb.webp")),
                  "picture: expected a PNG, JPEG, BMP, TGA, GIF, PSD or PNM image, found WebP, "
                  "which this program was built without (libwebp-dev).");
        GTEST_SKIP() << "built without libwebp";
    }
};

TEST_F(WebpFiles, lossless_lossy_and_see_through) {
    expect_pixels(decode("rgb.webp"), 5, 7, 3, rgb_byte);
    expect_pixels(decode("rgba.webp"), 5, 7, 3,
                  [](int r, int c, int k) { return on_white(rgb_byte(r, c, k), r, c); });
    // Where colour has half the resolution it bleeds over the blocks' edges: look at one middle.
    const Image lossy = decode("lossy.webp");
    ASSERT_EQ(lossy.height, 16);
    ASSERT_EQ(lossy.width, 24);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(lossy.at(12, 3, c), block(12, 3, c), 8.0F / 255);
}

TEST_F(WebpFiles, turn_as_their_exif_chunk_says) {
    for (const char* name : {"exif6.webp", "exif6_named.webp"}) {
        SCOPED_TRACE(name);
        expect_pixels(decode(name), 16, 24, 3, block);
    }
}

TEST_F(WebpFiles, that_are_animated_too_large_or_damaged_are_refused) {
    EXPECT_EQ(refusal(file("animated.webp")),
              "picture: expected a WebP of one picture, found an animation.");
    EXPECT_EQ(refusal(file("rgb.webp"), 34), "picture: expected at most 34 pixels, found 7 x 5.");
    EXPECT_EQ(refusal(file("rgb.webp"), 35), "");
    Bytes damaged = file("rgb.webp");
    for (std::size_t at = 25; at < damaged.size(); ++at) damaged[at] = std::byte{0xFF};
    EXPECT_NE(refusal(damaged).find("undamaged WebP"), std::string::npos) << refusal(damaged);
}

TEST_F(WebpFiles, cut_short_are_refused) {
    for (const char* name : {"rgb.webp", "rgba.webp", "lossy.webp", "exif6.webp"}) {
        const Bytes whole = file(name);
        for (std::size_t length = 0; length < whole.size(); ++length)
            EXPECT_NE(refusal(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(length))), "")
                << name << " cut to " << length;
    }
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
    // Some programs leave the last padding away, and nothing of the picture is lost with it.
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
    const auto coloured = [](int r, int c, int k) { return float(6 * r + 3 * c + k) / 100; };
    const auto parse = [](std::string_view text) {
        return decode_image(bytes_of(text), "hand.pnm");
    };
    expect_pixels(parse("P1\n# comment 9 9\n3 2\n101\n0 1 0"), 2, 3, 1, bits);
    expect_pixels(parse("P4 3 2\n\xA0\x40"), 2, 3, 1, bits);
    expect_pixels(parse("P2 3#width\n2 10 0 1 2\n3 4 5"), 2, 3, 1, tenths);
    expect_pixels(parse("P5 3 2 10\n\0\1\2\3\4\5"sv), 2, 3, 1, tenths);
    expect_pixels(parse("P3 2 2 100 0 1 2 3 4 5 6 7 8 9 10 11"), 2, 2, 3, coloured);
    expect_pixels(parse("P6 2 2 100\n\0\1\2\3\4\5\6\7\10\11\12\13"sv), 2, 2, 3, coloured);
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
    png.resize(22);  // a header cut short says nothing of its sides
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
    EXPECT_EQ(refusal(jpeg),
              "picture: expected a JPEG with sound tables, found one of more than 256 Huffman "
              "codes.");
}

// Its segments of one kind become remarks that nobody reads.
Bytes without(Bytes jpeg, int marker) {
    for (std::size_t i = 0; i + 1 < jpeg.size(); ++i)
        if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte(marker))
            jpeg[i + 1] = std::byte{0xEF};
    return jpeg;
}

TEST(ImageRefusals, tables_that_are_not_there) {
    constexpr int kHuffman = 0xC4, kQuantisation = 0xDB;
    const std::string expected = "picture: expected a JPEG with sound tables, found none of the ";
    for (const char* name : {"exif1.jpg", "grey.jpg", "progressive.jpg", "subsampled.jpg"}) {
        EXPECT_EQ(refusal(without(file(name), kHuffman)),
                  expected + "Huffman codes that the pixels are written in.")
            << name;
        EXPECT_EQ(refusal(without(file(name), kQuantisation)),
                  expected + "steps in which the pixels are written.")
            << name;
        EXPECT_EQ(refusal(file(name)), "") << name;
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
        // The last bytes of a TGA (its signature) and of a BMP (padding) are no part of the
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

TEST(ImageColours, grey_is_luma) {
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
}  // namespace headlight
