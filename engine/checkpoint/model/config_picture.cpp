#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "files/error.h"
#include "model/config_parts.h"

// What a config says of pictures: how they are resized, cut, scaled and normalized.
namespace headlight {

namespace {

// Names as timm and OpenCLIP write them, or Pillow's numbers, which Hugging Face writes.
void read_interpolation(const Section& section, const char* key, ModelConfig& config) {
    constexpr std::array pillow{Interpolation::nearest,  Interpolation::lanczos,
                                Interpolation::bilinear, Interpolation::bicubic,
                                Interpolation::box,      Interpolation::hamming};
    const Json* value = section.find(key);
    if (!value) return;
    if (!value->is_string()) {
        const int number = section.whole_of(key, *value, 0, static_cast<int>(pillow.size()) - 1);
        config.interpolation = pillow[static_cast<std::size_t>(number)];
        return;
    }
    config.interpolation = value_named<Interpolation>(value->get_ref<const std::string&>());
    if (!config.interpolation) section.refuse(key, alternatives(kNames<Interpolation>), *value);
}

// Numbers for pixels of 0 to 255 would turn pixels of 0 to 1 into nearly the same number all over.
void expect_range(const Section& section, const char* key, double pixel_scale,
                  const std::string& advice) {
    const auto numbers = section.channels(key);
    if (!numbers) return;
    const double most = 2 * std::max(1.0, pixel_scale);
    if (std::ranges::any_of(*numbers, [&](float x) { return std::abs(x) > most; }))
        section.refuse(key, "numbers for pixels from 0 to 1 (" + advice + ")", *section.find(key));
}

// What Hugging Face's processors resize to: {shortest_edge} or {height, width}, or a side alone,
// which is the shorter one to some of them and a square to the others.
struct Resized {
    PixelSize size;
    bool stretched = false;
};

std::optional<PixelSize> height_and_width(const Section& section) {
    const auto height = section.whole("height", kMaxSide), width = section.whole("width", kMaxSide);
    if (!height || !width) return {};
    return PixelSize{*height, *width};
}

bool takes_shorter_side(const Section& section) {
    if (const auto square = section.flag("default_to_square")) return !*square;
    const std::string processor = section.text("image_processor_type").value_or("") +
                                  section.text("feature_extractor_type").value_or("");
    return std::ranges::any_of(
        std::array{"Bit", "CLIP", "ChineseCLIP", "ConvNext", "MobileNet", "Poolformer"},
        [&](const char* kind) { return processor.starts_with(kind); });
}

std::optional<Resized> resized(const Section& section) {
    const Json* size = section.find("size");
    if (!size) return {};
    const bool shorter = takes_shorter_side(section);
    const auto form = section.section("size");
    if (!form) {
        const int side = section.whole_of("size", *size, 1, kMaxSide);
        return Resized{{side, side}, !shorter};
    }
    if (const auto edge = form->whole("shortest_edge", kMaxSide))
        return Resized{{*edge, *edge}, false};
    if (const auto both = height_and_width(*form)) return Resized{*both, true};
    section.refuse("size", "a side, shortest_edge, or height and width", *size);
}

std::optional<PixelSize> cropped(const Section& section) {
    const Json* size = section.find("crop_size");
    if (!size) return {};
    const auto form = section.section("crop_size");
    const auto crop = form ? height_and_width(*form) : section.size("crop_size");
    if (!section.flag("do_center_crop").value_or(true)) return {};
    if (!crop) section.refuse("crop_size", "a side, or height and width", *size);
    return crop;
}

void read_frame(const Section& section, ModelConfig& config) {
    const auto size = resized(section);
    const auto crop = cropped(section);
    const bool is_resized = section.flag("do_resize").value_or(true);
    if (!is_resized && !crop)
        config.remarks.emplace_back(
            "do_resize is false: pictures of another size are resized all the same");
    if (!is_resized) config.keeps_size = crop.has_value();
    if (size && is_resized) {
        config.frame = size->size;
        config.framing = size->stretched ? Framing::stretch : Framing::crop;
        config.crop_fraction = 1;
    }
    if (!crop) return;
    config.frame = crop;
    if (!size || !is_resized) {
        config.framing = Framing::crop;
        return;
    }
    config.resize = size->size;
    config.crop_fraction = static_cast<double>(crop->height) / size->size.height;
}

// Of the numbers that a picture's file has, 0 to 255, what the mean is subtracted from: divided by
// 255 unless the processor does otherwise.
void read_pixel_scale(const Section& section, ModelConfig& config) {
    constexpr double kLargest = 255, kRounding = 1e-6;
    const double factor = section.positive("rescale_factor").value_or(1 / kLargest);
    const bool is_rescaled = section.flag("do_rescale").value_or(true);
    const double scale = is_rescaled ? factor * kLargest : kLargest;
    if (std::abs(scale - 1) > kRounding) config.pixel_scale = scale;
    if (is_rescaled && section.flag("rescale_offset").value_or(false)) config.pixel_offset = -1;
}

// One of them stands in every preprocessor_config.json, also where it has no mean.
constexpr std::array kSignsOfProcessor{"image_processor_type", "feature_extractor_type",
                                       "image_mean",           "do_resize",
                                       "do_center_crop",       "do_normalize"};

// Either side of the resized picture over that of the frame.
void read_crop_fraction(const Section& section, ModelConfig& config) {
    const auto fraction = section.positive("crop_pct");
    if (!fraction) return;
    constexpr float kLeast = 0.01F;
    if (*fraction < kLeast) section.refuse("crop_pct", "at least 0.01", *fraction);
    config.crop_fraction = *fraction;
}

// OpenCLIP's: black where it says nothing.
void read_fill_color(const Section& section, ModelConfig& config) {
    constexpr float kLargest = 255;
    const auto color = section.channels("fill_color");
    if (!color) return;
    config.fill = color;
    for (float& value : *config.fill) value /= kLargest;
}

}  // namespace

void read_processor(const Section& section, ModelConfig& config) {
    read_frame(section, config);
    read_interpolation(section, "resample", config);
    take(config.most_patches, section.whole("max_num_patches", kMaxSide));
    read_pixel_scale(section, config);
    const double scale = config.pixel_scale.value_or(1);
    for (const char* key : {"image_mean", "image_std"})
        expect_range(section, key, scale, "for 0 to 255, do_rescale must be false");
    take(config.mean, section.channels("image_mean"));
    take(config.std, section.channels("image_std"));
    // Hugging Face's center_crop starts at half of what is cut off, rounded down; its faster
    // processors call torchvision's.
    const bool is_processor =
        std::ranges::any_of(kSignsOfProcessor, [&](const char* key) { return section.find(key); });
    const std::string processor = section.text("image_processor_type").value_or("");
    if (is_processor && !processor.ends_with("Fast")) config.cuts_smaller_half_first = true;
    if (!section.flag("do_normalize").value_or(true)) {
        config.mean = {0, 0, 0};
        config.std = {1, 1, 1};
    }
}

void read_timm_picture(const Section& section, ModelConfig& config) {
    for (const char* key : {"mean", "std"})
        expect_range(section, key, 1, "for 0 to 255, divide them by 255");
    take(config.mean, section.channels("mean"));
    take(config.std, section.channels("std"));
    read_crop_fraction(section, config);
    read_interpolation(section, "interpolation", config);
    if (const auto size = section.size("input_size")) config.frame = config.native_size = size;
    if (const auto mode = section.text("crop_mode")) {
        if (*mode != "center" && *mode != "squash" && *mode != "border")
            section.refuse("crop_mode", "center, squash or border", *section.find("crop_mode"));
        config.framing = *mode == "squash"   ? Framing::stretch
                         : *mode == "border" ? Framing::fit
                                             : Framing::crop;
        config.crop_fraction = config.crop_fraction.value_or(1);
        config.fills_with_mean = *mode == "border";
    }
    if (const auto mode = section.text("resize_mode")) {  // OpenCLIP's
        if (*mode != "shortest" && *mode != "squash" && *mode != "longest")
            section.refuse("resize_mode", "shortest, squash or longest",
                           *section.find("resize_mode"));
        config.framing = *mode == "squash"    ? Framing::stretch
                         : *mode == "longest" ? Framing::fit
                                              : Framing::crop;
        config.crop_fraction = 1;
    }
    read_fill_color(section, config);
}

}  // namespace headlight
