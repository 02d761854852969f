#include "cli/scenes.h"

#include <filesystem>
#include <limits>
#include <span>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "kernels/counted.h"
#include "scene/truth.h"

namespace headlight::cli {

namespace {

void require(bool holds, const std::string& option, const std::string& expected,
             std::int64_t found) {
    if (!holds)
        throw UsageError(option + ": expected " + expected + ", found " + std::to_string(found) +
                         ".");
}

bool same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    std::error_code unknown;
    const auto whole = [&](const std::string& path) {  // for files that may not exist yet
        return fs::weakly_canonical(fs::absolute(path), unknown);
    };
    return fs::equivalent(a, b, unknown) || whole(a) == whole(b);
}

void check_all(const ScenesOptions& options) {
    check(options.shapes);
    check_numbers(options.seed, options.count);
    if (options.truth.empty()) return;
    require(options.size % options.patch == 0, "--patch",
            "a divisor of the size " + std::to_string(options.size), options.patch);
    if (same_file(options.truth, options.out))
        throw UsageError("--truth: expected a file other than --out, found the same.");
}

template <class Number>
void append(NewFile& file, const std::vector<Number>& numbers) {
    file.write(std::as_bytes(std::span(numbers)));
}

std::vector<std::int32_t> truth_row(const ShapeScene& scene, const ScenePicture& picture,
                                    int patch) {
    const SceneTruth truth = truth_of(scene, picture, patch);
    // A random scene always has a single answer.
    std::vector<std::int32_t> row{answer_of(scene).value()};
    row.insert(row.end(), truth.kind.begin(), truth.kind.end());
    row.insert(row.end(), truth.twin_cell.begin(), truth.twin_cell.end());
    return row;
}

}  // namespace

void check(const ShapeCount& shapes) {
    require(shapes.most >= shapes.fewest, "--most",
            "at least as many as --fewest, " + std::to_string(shapes.fewest), shapes.most);
}

void check_numbers(std::uint64_t seed, std::int64_t count) {
    const std::uint64_t most =
        std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(count - 1);
    if (seed > most)
        throw UsageError("--seed: expected at most " + std::to_string(most) + " for " +
                         counted(count, "scene") + ", found " + std::to_string(seed) + ".");
}

void run_scenes(const ScenesOptions& options, const Audience& audience) {
    check_all(options);
    const int grid = options.size / options.patch;
    const auto pictures =
        begin_npy(options.out, "|u1", {options.count, options.size, options.size, 3});
    const auto truths = options.truth.empty()
                            ? nullptr
                            : begin_npy(options.truth, "<i4", {options.count, 1 + 2 * grid * grid});
    for (std::int64_t i = 0; i < options.count; ++i) {
        throw_if_stopped(audience.stop);
        const ShapeScene scene =
            random_scene(options.seed + static_cast<std::uint64_t>(i), options.shapes);
        const ScenePicture picture = draw_scene(scene, options.size);
        append(*pictures, picture.pixels);
        if (truths) append(*truths, truth_row(scene, picture, options.patch));
        if (i % 1000 == 0)
            audience.progress("scene " + std::to_string(i) + " of " +
                              std::to_string(options.count));
    }
    pictures->finish();
    if (truths) truths->finish();
}

}  // namespace headlight::cli
