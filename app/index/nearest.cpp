#include "index/nearest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "analysis/similarity.h"
#include "disk/files.h"
#include "index/content_hash.h"
#include "index/feature_cache.h"
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

// Features of images for a question's model and settings, cached if possible.
class Features {
  public:
    struct OfImage {
        PatchFeatures features;
        bool from_cache = false;
    };

    Features(const NearestQuestion& question, const NearestTools& tools)
        : question_(question),
          tools_(tools),
          cache_(tools.cache, tools.cache.empty() ? 0 : key()) {}

    OfImage of_file(const std::string& image) {
        const FileBytes bytes = tools_.read_file(image).bytes(tools_.stop);
        const std::uint64_t hash = content_hash(bytes);
        if (auto kept = cache_.find(hash)) return {std::move(*kept), true};
        Recipe recipe = question_.recipe;
        recipe.image = image;
        recipe.scene.reset();
        if (image.ends_with(".json")) recipe.scene = scene_from_json(bytes, image);
        PatchFeatures computed = compute(recipe, bytes);
        cache_.keep(hash, computed);
        return {std::move(computed), false};
    }

    [[nodiscard]] const std::string& cache_problem() const { return cache_.problem(); }

  private:
    // Decodes exactly the bytes that were hashed.
    PatchFeatures compute(const Recipe& recipe, const FileBytes& bytes) const {
        const FileReader reader = [&](const std::string& /*name*/) { return File(bytes); };
        return patch_features(front_of_picture(question_.model, recipe, {&reader, tools_.stop}),
                              counterfactual_of(recipe, *question_.model), question_.layer,
                              tools_.stop);
    }

    [[nodiscard]] std::uint64_t key() const {
        Recipe recipe = question_.recipe;
        recipe.scene.reset();
        recipe.image = kTestPicture;
        const PatchFeatures features = compute(recipe, test_picture());
        Bytes bytes;
        const auto add = [&](std::span<const std::byte> more) {
            bytes.insert(bytes.end(), more.begin(), more.end());
        };
        const std::string made_by =
            "Headlight " HEADLIGHT_VERSION " layer " +
            (question_.layer ? std::to_string(*question_.layer) : std::string("last"));
        add(std::as_bytes(std::span(made_by)));
        add(std::as_bytes(
            std::span(features.rows.data(), static_cast<std::size_t>(features.rows.size()))));
        add(std::as_bytes(
            std::span(features.image.data(), static_cast<std::size_t>(features.image.size()))));
        return content_hash(bytes);
    }

    const NearestQuestion& question_;
    const NearestTools& tools_;
    FeatureCache cache_;
};

void expect_patch(const std::optional<int>& patch, const PatchFeatures& features) {
    const auto count = static_cast<int>(features.rows.rows());
    if (patch && (*patch < 0 || *patch >= count))
        throw RecipeError("Expected a patch from 0 to " + std::to_string(count - 1) + ", found " +
                          std::to_string(*patch) + ".");
}

NearestImage compared(const NearestQuestion& question, const PatchFeatures& asked,
                      const std::string& image, const Features::OfImage& with) {
    NearestImage found{.image = image, .grid = with.features.grid, .from_cache = with.from_cache};
    if (!question.patch) {
        found.cosine = cosines_between(Matrix(asked.image), Matrix(with.features.image))(0, 0);
        return found;
    }
    const MatrixView query = MatrixView(asked.rows).block(*question.patch, 0, 1, asked.rows.cols());
    const Matrix cosines = cosines_between(query, with.features.rows);
    Index best = 0;
    found.cosine = cosines.row(0).maxCoeff(&best);
    found.patch = static_cast<int>(best);
    return found;
}

bool is_more_similar(const NearestImage& a, const NearestImage& b) {
    if (std::isnan(a.cosine) || std::isnan(b.cosine))
        return std::isnan(b.cosine) && !std::isnan(a.cosine);
    return a.cosine > b.cosine;
}

}  // namespace

NearestFound find_nearest(const NearestQuestion& question, const NearestTools& tools) {
    Features features(question, tools);
    const PatchFeatures asked = features.of_file(question.recipe.image).features;
    expect_patch(question.patch, asked);
    const std::filesystem::path own = absolute_path(question.recipe.image);
    NearestFound found;
    std::size_t done = 0;
    for (const std::string& image : question.images) {
        throw_if_stopped(tools.stop);
        if (absolute_path(image) != own) try {
                found.images.push_back(compared(question, asked, image, features.of_file(image)));
            } catch (const Stopped&) {
                throw;
            } catch (const std::bad_alloc&) {
                throw;
            } catch (const std::exception& error) {
                found.failed.push_back({image, error.what()});
            }
        if (tools.progress) tools.progress(++done);
    }
    std::ranges::stable_sort(found.images, is_more_similar);
    found.cache_problem = features.cache_problem();
    return found;
}

}  // namespace headlight
