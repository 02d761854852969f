// JPEG decoding by libjpeg-turbo, which Pillow and thus training pipelines use. The same inverse
// DCT and the same chroma interpolation give the same pixels.
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>  // needed by jpeglib.h
#include <string>
#include <vector>

#include <jpeglib.h>

#include <jerror.h>

#include "image/formats.h"
#include "image/limits.h"
#include "image/samples.h"

#ifndef LIBJPEG_TURBO_VERSION
#error "Headlight needs libjpeg-turbo: other JPEG libraries give other pixels"
#endif

namespace headlight {
namespace {

// libjpeg reports errors through callbacks and continues after they return, so they exit by
// longjmp. Objects with destructors that a jump could skip must be outside this struct.
struct Decompressor {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_source_mgr source{};
    jpeg_progress_mgr progress{};
    std::jmp_buf escape{};
    bool ended = false;  // the file ended before the picture did
    char trouble[JMSG_LENGTH_MAX]{};
};

Decompressor& of(j_common_ptr jpeg) { return *static_cast<Decompressor*>(jpeg->client_data); }

[[noreturn]] void fail(j_common_ptr jpeg) {
    jpeg->err->format_message(jpeg, of(jpeg).trouble);
    std::longjmp(of(jpeg).escape, 1);
}

// After a warning, libjpeg continues with invented pixels. Warnings that lose no part of the
// picture are ignored, as in libjpeg's own programs.
void on_warning(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    switch (jpeg->err->msg_code) {
        case JWRN_EXTRANEOUS_DATA:
        case JWRN_JFIF_MAJOR:
        case JWRN_ADOBE_XFORM:
        case JWRN_BOGUS_PROGRESSION:
            return;
        default:
            fail(jpeg);
    }
}

// Limits the number of passes, because a small file can request many passes over a large picture.
void count_scans(j_common_ptr jpeg) {
    constexpr int kMostScans = 200;
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMostScans) return;
    std::snprintf(of(jpeg).trouble, sizeof of(jpeg).trouble, "more than %d scans", kMostScans);
    std::longjmp(of(jpeg).escape, 1);
}

boolean end_of_file(j_decompress_ptr jpeg) {
    Decompressor& decompressor = of(reinterpret_cast<j_common_ptr>(jpeg));
    decompressor.ended = true;
    std::longjmp(decompressor.escape, 1);
}

void skip(j_decompress_ptr jpeg, long count) {
    if (count <= 0) return;
    if (static_cast<std::size_t>(count) > jpeg->src->bytes_in_buffer) end_of_file(jpeg);
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}

void begin(Decompressor& d, Bytes file) {
    d.jpeg.err = jpeg_std_error(&d.errors);
    d.jpeg.client_data = &d;
    d.errors.error_exit = fail;
    d.errors.emit_message = on_warning;
    d.errors.output_message = [](j_common_ptr) {};
    d.source.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
    d.source.bytes_in_buffer = file.size();
    d.source.init_source = d.source.term_source = [](j_decompress_ptr) {};
    d.source.fill_input_buffer = end_of_file;
    d.source.skip_input_data = skip;
    d.source.resync_to_restart = jpeg_resync_to_restart;
    d.progress.progress_monitor = count_scans;
}

// Returns false on an error, which the decompressor stores.
bool read_header(Decompressor& d) {
    if (setjmp(d.escape) != 0) return false;
    jpeg_create_decompress(&d.jpeg);
    d.jpeg.client_data = &d;
    d.jpeg.src = &d.source;
    d.jpeg.progress = &d.progress;
    jpeg_read_header(&d.jpeg, TRUE);
    return true;
}

// Fills `samples` [height, width, num_components].
bool read_samples(Decompressor& d, std::uint8_t* samples) {
    if (setjmp(d.escape) != 0) return false;
    jpeg_start_decompress(&d.jpeg);
    const std::size_t row = static_cast<std::size_t>(d.jpeg.output_width) *
                            static_cast<std::size_t>(d.jpeg.num_components);
    while (d.jpeg.output_scanline < d.jpeg.output_height) {
        JSAMPROW next = samples + row * d.jpeg.output_scanline;
        jpeg_read_scanlines(&d.jpeg, &next, 1);
    }
    jpeg_finish_decompress(&d.jpeg);
    return true;
}

[[noreturn]] void refuse(const Decompressor& d, const std::string& name) {
    if (d.ended) refuse_cut_short(name);
    throw ImageError(name + ": expected an undamaged JPEG, found: " + d.trouble);
}

// The output color space; libjpeg detects the stored one. Four components are CMYK inks.
J_COLOR_SPACE colors_of(int components) {
    return components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
}

}  // namespace

Image decode_jpeg(Bytes file, const std::string& name, const DecodeOptions& options) {
    struct Owner {
        Decompressor d;
        ~Owner() { jpeg_destroy_decompress(&d.jpeg); }
    } owner;
    Decompressor& d = owner.d;
    begin(d, file);
    if (!read_header(d)) refuse(d, name);
    check_size(d.jpeg.image_height, d.jpeg.image_width, name, options.max_pixels);
    const int components = d.jpeg.num_components;
    if (d.jpeg.data_precision != 8 || (components != 1 && components != 3 && components != 4))
        throw ImageError(name + ": expected a JPEG with 1, 3 or 4 components of 8 bits, found " +
                         std::to_string(components) + " of " +
                         std::to_string(d.jpeg.data_precision));
    d.jpeg.out_color_space = colors_of(components);
    const int height = static_cast<int>(d.jpeg.image_height),
              width = static_cast<int>(d.jpeg.image_width);
    const std::size_t pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    std::vector<std::uint8_t> samples(pixels * static_cast<std::size_t>(components));
    if (!read_samples(d, samples.data())) refuse(d, name);
    if (components < 4) return image_of(samples.data(), height, width, components, options.alpha);
    // Inks are stored inverted, a convention of Adobe that Pillow also assumes.
    for (std::size_t p = 0; p < pixels; ++p) {
        std::uint8_t inks[4];
        for (std::size_t c = 0; c < 4; ++c)
            inks[c] = static_cast<std::uint8_t>(255 - samples[4 * p + c]);
        cmyk_to_rgb(inks, samples.data() + 3 * p);
    }
    return image_of(samples.data(), height, width, 3, options.alpha);
}

}  // namespace headlight
