#include "index/image_features.h"

#include <array>
#include <span>
#include <utility>

#include "index/content_hash.h"
#include "program/program.h"
#include "scene/scene_file.h"

namespace headlight {

namespace {

// The test picture has noise in all channels including alpha, and an unusual size, so that its
// features depend on every preprocessing setting. It is an uncompressed TGA file with 32 bits per
// pixel.
constexpr const char* kTestPicture = "test.tga";

Bytes test_picture() {
    constexpr int kWidth = 331, kHeight = 257, kHeader = 18;
    std::array<unsigned char, kHeader> header{};
    header[2] = 2;  // true color
    header[12] = kWidth % 256;
    header[13] = kWidth / 256;
    header[14] = kHeight % 256;
    header[15] = kHeight / 256;
    header[16] = 32;
    header[17] = 0x28;  // from the top, 8 bits of alpha
    Bytes bytes;
    for (const unsigned char one : header) bytes.push_back(std::byte{one});
    std::uint64_t state = 1;  // Knuth's MMIX generator
    for (int i = 0; i < kWidth * kHeight * 4; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        bytes.push_back(static_cast<std::byte>(state >> 56U));
    }
    return bytes;
}

}  // namespace

ImageFeatures::ImageFeatures(FeatureSettings settings, const std::filesystem::path& cache,
                             const StopFlag& stop)
    : settings_(std::move(settings)), cache_(cache, cache.empty() ? 0 : key(stop)) {}

FeaturesOfImage ImageFeatures::of_file(const std::string& image, const FileReader& read_file,
                                       const StopFlag& stop) {
    const FileBytes bytes = read_file(image).bytes(stop);
    const std::uint64_t hash = content_hash(bytes);
    if (auto kept = cache_.find(hash)) return {std::move(*kept), true};
    Recipe recipe = settings_.recipe;
    recipe.image = image;
    recipe.scene.reset();
    if (image.ends_with(".json")) recipe.scene = scene_from_json(bytes, image);
    PatchFeatures computed = compute(recipe, bytes, stop);
    cache_.keep(hash, computed);
    return {std::move(computed), false};
}

// Decodes exactly the bytes that were hashed.
PatchFeatures ImageFeatures::compute(const Recipe& recipe, const FileBytes& bytes,
                                     const StopFlag& stop) const {
    const FileReader reader = [&](const std::string& /*name*/) { return File(bytes); };
    return patch_features(front_of_picture(settings_.model, recipe, {&reader, stop}),
                          counterfactual_of(recipe, *settings_.model), settings_.layer, stop);
}

std::uint64_t ImageFeatures::key(const StopFlag& stop) const {
    Recipe recipe = settings_.recipe;
    recipe.scene.reset();
    recipe.image = kTestPicture;
    const PatchFeatures features = compute(recipe, test_picture(), stop);
    Bytes bytes;
    const auto add = [&](std::span<const std::byte> more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
    };
    const std::string made_by =
        "Headlight " HEADLIGHT_VERSION " layer " +
        (settings_.layer ? std::to_string(*settings_.layer) : std::string("last"));
    add(std::as_bytes(std::span(made_by)));
    add(std::as_bytes(
        std::span(features.rows.data(), static_cast<std::size_t>(features.rows.size()))));
    add(std::as_bytes(
        std::span(features.image.data(), static_cast<std::size_t>(features.image.size()))));
    return content_hash(bytes);
}

}  // namespace headlight
