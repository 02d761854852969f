#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "files/error.h"
#include "model/config_parts.h"
#include "model/pixel_statistics.h"

// Hugging Face's preprocessor_config.json, interpreted as the image processor that it names would.
namespace headlight {

namespace {

// Every preprocessor_config.json contains one of these, even without a mean.
constexpr std::array kSignsOfProcessor{
    "image_processor_type", "feature_extractor_type", "image_mean", "image_std", "do_resize",
    "do_center_crop",       "do_normalize",           "do_rescale"};

// The defaults of an image processor of transformers, and which of the less common keys it reads.
struct Processor {
    enum class Pixels { half, clip, imagenet };

    std::string_view name;
    bool square = true;         // a size of one number is a square; otherwise the shorter side
    bool crops = false;         // reads do_center_crop and crop_size; crops by default
    bool crops_by_pct = false;  // reads crop_pct
    Pixels pixels = Pixels::half;
    Interpolation interpolation = Interpolation::bicubic;
    bool fast_crops = crops;  // the fast variant always reads them, but crops by default only if
                              // this is true
};
using enum Processor::Pixels;

constexpr std::array kProcessors{
    Processor{"ViT", true, false, false, half, Interpolation::bilinear},
    Processor{"DeiT", true, true},
    Processor{"CLIP", false, true, false, clip},
    Processor{"ChineseCLIP", false, true, false, clip},
    Processor{"Bit", false, true, false, clip},
    Processor{"Siglip"},
    Processor{"ConvNext", false, false, true},
    Processor{"Beit", true, true, false, half, Interpolation::bicubic, false},
    Processor{"DINOv3ViT", true, false, false, imagenet, Interpolation::bilinear},
    Processor{"Blip", true, false, false, clip}};

constexpr int kUsualCrop = 224;

// How a file should be interpreted.
struct Kind {
    std::string title;  // "ViTImageProcessorFast"; empty: none is named
    const Processor* known = nullptr;
    bool is_fast = false;
};

Kind kind_of(const Section& section) {
    Kind kind;
    kind.title = section.text("image_processor_type")
                     .value_or(section.text("feature_extractor_type").value_or(""));
    kind.is_fast = kind.title.ends_with("Fast");
    for (const std::string_view ending :
         {"ImageProcessorFast", "ImageProcessorPil", "ImageProcessor", "FeatureExtractor"})
        if (kind.title.ends_with(ending))
            for (const Processor& one : kProcessors)
                if (kind.title.size() == one.name.size() + ending.size() &&
                    kind.title.starts_with(one.name))
                    kind.known = &one;
    return kind;
}

bool is_null(const Section& section, const char* key) {
    const auto found = section.object().find(key);
    return found != section.object().end() && found->is_null();
}

// null switches a step off in transformers' older processors, but means the default in the fast
// ones.
bool step(const Section& section, const Kind& kind, ModelConfig& config, const char* key,
          bool usual) {
    if (!is_null(section, key)) return section.flag(key).value_or(usual);
    if (!kind.is_fast || !kind.known)
        section.refuse(key,
                       "true or false, because null turns the step off in some processors of the "
                       "transformers library and not in others",
                       nullptr);
    config.remarks.push_back(std::string(key) + " is null, which " + kind.title + " reads as " +
                             (usual ? "true" : "false"));
    return usual;
}

// ---- sizes

// {shortest_edge} or {height, width}, or a single side. Some processors take a single side as the
// shorter one, others as a square.
struct Resized {
    PixelSize size;
    bool stretched = false;
};

std::optional<PixelSize> height_and_width(const Section& section) {
    const auto height = section.whole("height", kMaxSide), width = section.whole("width", kMaxSide);
    if (!height || !width) return {};
    return PixelSize{*height, *width};
}

bool takes_shorter_side(const Section& section, const Kind& kind) {
    if (const auto square = section.flag("default_to_square")) return !*square;
    if (kind.known) return !kind.known->square;
    return kind.title.starts_with("MobileNet") || kind.title.starts_with("Poolformer");
}

std::optional<Resized> resized(const Section& section, const Kind& kind) {
    const Json* size = section.find("size");
    if (!size) return {};
    const auto form = section.section("size");
    if (!form) {
        const int side = section.whole_of("size", *size, 1, kMaxSide);
        return Resized{{side, side}, !takes_shorter_side(section, kind)};
    }
    if (const auto edge = form->whole("shortest_edge", kMaxSide)) {
        if (kind.known && kind.known->square && !kind.is_fast)
            section.refuse(
                "size", "height and width, because " + kind.title + " takes nothing else", *size);
        return Resized{{*edge, *edge}, false};
    }
    if (kind.known && kind.known->crops_by_pct)
        section.refuse("size", "shortest_edge, because " + kind.title + " takes nothing else",
                       *size);
    if (const auto both = height_and_width(*form)) return Resized{*both, true};
    section.refuse("size", "a side, shortest_edge, or height and width", *size);
}

// The size of the center crop.
std::optional<PixelSize> cropped(const Section& section, const Kind& kind, ModelConfig& config) {
    const bool reads = !kind.known || kind.known->crops || kind.is_fast;
    if (!reads) return {};
    const Json* size = section.find("crop_size");
    const bool usual = kind.known == nullptr ? size != nullptr
                       : kind.is_fast        ? kind.known->fast_crops
                                             : kind.known->crops;
    const auto form = section.section("crop_size");
    const auto crop = !size  ? std::nullopt
                      : form ? height_and_width(*form)
                             : section.size("crop_size");
    const Json* asked = section.find("do_center_crop");
    const bool is_asked = asked && *asked == Json(true);
    const bool matters = size || is_asked || (kind.known && kind.known->crops);
    if (!matters) return {};
    if (!step(section, kind, config, "do_center_crop", usual)) return {};
    if (!size && !(kind.known && kind.known->crops)) {
        config.remarks.emplace_back("do_center_crop has no crop_size, so nothing is cropped");
        return {};
    }
    if (size && !crop) section.refuse("crop_size", "a side, or height and width", *size);
    return crop ? crop : PixelSize{kUsualCrop, kUsualCrop};
}

// ConvNeXt's: smaller inputs are cropped from a larger picture, large ones are resized without
// cropping.
void read_crop_pct(const Section& section, const PixelSize& size, ModelConfig& config) {
    constexpr int kLarge = 384;
    constexpr double kUsual = 224.0 / 256;
    const bool is_said = section.positive("crop_pct").has_value();
    const double fraction = is_said ? section.find("crop_pct")->get<double>() : kUsual;
    config.frame = size;
    config.framing = size.height < kLarge ? Framing::crop : Framing::stretch;
    config.crop_fraction = 1;
    if (size.height >= kLarge) return;
    const int edge = static_cast<int>(std::clamp<double>(size.height / fraction, 1, kMaxSide));
    config.resize = {edge, edge};
    config.crop_fraction = static_cast<double>(size.height) / edge;
}

void read_frame(const Section& section, const Kind& kind, ModelConfig& config) {
    const auto size = resized(section, kind);
    const auto crop = cropped(section, kind, config);
    const bool is_resized = step(section, kind, config, "do_resize", true);
    if (!is_resized && !crop)
        config.remarks.emplace_back(
            "do_resize is false, but Headlight still resizes pictures of another size");
    if (!is_resized) config.keeps_size = crop.has_value();
    if (size && is_resized && kind.known && kind.known->crops_by_pct)
        return read_crop_pct(section, size->size, config);
    if (size && is_resized) {
        config.frame = size->size;
        config.framing = size->stretched ? Framing::stretch : Framing::crop;
        config.crop_fraction = 1;
        if (!size->stretched && !crop && kind.known)
            config.remarks.push_back(kind.title +
                                     " keeps the whole picture and its aspect ratio. Headlight "
                                     "crops a square from the center");
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

// ---- pixels

// The scale of pixels before the mean is subtracted, relative to the file's 0 to 255: divided by
// 255 unless the processor does otherwise.
void read_pixel_scale(const Section& section, const Kind& kind, ModelConfig& config) {
    constexpr double kLargest = 255, kRounding = 1e-6;
    const double factor = section.positive("rescale_factor").value_or(1 / kLargest);
    const bool is_rescaled = step(section, kind, config, "do_rescale", true);
    const double scale = is_rescaled ? factor * kLargest : kLargest;
    if (std::abs(scale - 1) > kRounding) config.pixel_scale = scale;
    // The processors known here do not read it.
    const bool is_offset = section.flag("rescale_offset").value_or(false) && !kind.known;
    if (is_rescaled && is_offset) config.pixel_offset = -1;
}

// ---- defaults of the processor for keys that the file omits

void take_usual(const Kind& kind, ModelConfig& config) {
    if (!kind.known) return;
    UsualPicture usual;
    usual.whose = kind.title;
    usual.interpolation = kind.known->interpolation;
    usual.mean = usual.std = kHalf;
    if (kind.known->pixels == clip) {
        usual.mean = kClipMean;
        usual.std = kClipStd;
    } else if (kind.known->pixels == imagenet) {
        usual.mean = kImageNetMean;
        usual.std = kImageNetStd;
    }
    config.usual = usual;
}

// Records keys that belong to other processors.
void note_ignored(const Section& section, const Kind& kind, ModelConfig& config) {
    if (kind.known == nullptr) {
        if (!kind.title.empty())
            config.remarks.push_back(in_quotes(kind.title) +
                                     " is a processor that Headlight does not know. Headlight "
                                     "reads its settings as most processors do");
        return;
    }
    std::string keys;
    const auto add = [&](const char* key) {
        const Json* value = section.find(key);
        if (!value || *value == Json(false)) return;
        keys += (keys.empty() ? "" : ", ") + in_quotes(key) + " " + excerpt(*value);
    };
    if (!kind.known->crops && !kind.is_fast) {
        add("do_center_crop");
        add("crop_size");
    }
    if (!kind.known->crops_by_pct) add("crop_pct");
    add("rescale_offset");
    if (!keys.empty())
        config.remarks.push_back("ignored, because " + kind.title + " does not read them: " + keys);
}

}  // namespace

bool is_processor(const Section& section) {
    return std::ranges::any_of(kSignsOfProcessor,
                               [&](const char* key) { return section.object().contains(key); });
}

void read_processor(const Section& section, ModelConfig& config) {
    const Kind kind = kind_of(section);
    read_frame(section, kind, config);
    read_interpolation(section, "resample", config);
    take(config.most_patches, section.whole("max_num_patches", kMaxSide));
    read_pixel_scale(section, kind, config);
    const double scale = config.pixel_scale.value_or(1);
    for (const char* key : {"image_mean", "image_std"})
        expect_range(section, key, scale, "if these are for 0 to 255, do_rescale must be false");
    take(config.mean, section.channels("image_mean"));
    take(config.std, section.channels("image_std"));
    take_usual(kind, config);
    // Hugging Face's center_crop starts at half of the excess, rounded down; its fast processors
    // use torchvision's.
    if (is_processor(section) && !kind.is_fast) config.cuts_smaller_half_first = true;
    if (!step(section, kind, config, "do_normalize", true)) {
        config.mean = {0, 0, 0};
        config.std = {1, 1, 1};
    }
    note_ignored(section, kind, config);
}

}  // namespace headlight
