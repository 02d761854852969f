#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "files/error.h"
#include "model/config_parts.h"

// Settings for pictures in timm's and OpenCLIP's configs: resizing, cropping and normalization.
namespace headlight {

// Names as in timm and OpenCLIP, or Pillow's numbers, which Hugging Face uses.
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
    if (!config.interpolation) section.refuse(key, alternatives(names_of<Interpolation>()), *value);
}

// Statistics for pixels of 0 to 255 would turn pixels of 0 to 1 into nearly constant numbers.
void expect_range(const Section& section, const char* key, double pixel_scale,
                  const std::string& advice) {
    const auto numbers = section.channels(key);
    if (!numbers) return;
    const double most = 2 * std::max(1.0, pixel_scale);
    if (std::ranges::any_of(*numbers, [&](float x) { return std::abs(x) > most; }))
        section.refuse(key, "numbers for pixels from 0 to 1 (" + advice + ")", *section.find(key));
}

namespace {

// The input side divided by the side of the resized picture.
void read_crop_fraction(const Section& section, ModelConfig& config) {
    const auto fraction = section.positive("crop_pct");
    if (!fraction) return;
    constexpr float kLeast = 0.01F;
    if (*fraction < kLeast) section.refuse("crop_pct", "at least 0.01", *fraction);
    config.crop_fraction = *fraction;
}

// OpenCLIP's; the default is black.
void read_fill_color(const Section& section, ModelConfig& config) {
    constexpr float kLargest = 255;
    const auto color = section.channels("fill_color");
    if (!color) return;
    config.fill = color;
    for (float& value : *config.fill) value /= kLargest;
}

}  // namespace

void read_mean(const Section& section, ModelConfig& config) {
    for (const char* key : {"mean", "std"})
        expect_range(section, key, 1, "if these are for 0 to 255, divide them by 255");
    take(config.mean, section.channels("mean"));
    take(config.std, section.channels("std"));
}

void read_timm_picture(const Section& section, ModelConfig& config) {
    read_mean(section, config);
    read_crop_fraction(section, config);
    read_interpolation(section, "interpolation", config);
    if (const auto size = section.size("input_size")) config.frame = config.native_size = size;
    if (const auto mode = section.text("crop_mode")) {
        if (*mode != "center" && *mode != "squash" && *mode != "border")
            section.refuse("crop_mode", "center, squash or border", *section.find("crop_mode"));
        config.framing = *mode == "squash"   ? Framing::stretch
                         : *mode == "border" ? Framing::fit
                                             : Framing::crop;
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

void take_usual_of_timm(ModelConfig& config) {
    UsualPicture usual;
    usual.whose = "timm";
    usual.mean = std::array{0.485F, 0.456F, 0.406F};
    usual.std = std::array{0.229F, 0.224F, 0.225F};
    usual.interpolation = Interpolation::bicubic;
    usual.crop_fraction = 0.875;
    config.usual = usual;
}

}  // namespace headlight
