#include "cli/scenes.h"

#include <memory>
#include <span>
#include <vector>

#include "checkpoint/new_file.h"
#include "checkpoint/npy.h"
#include "cli/errors.h"
#include "scene/truth.h"

namespace headlight::cli {

namespace {

constexpr int kLargestSize = 1024;

void require(bool holds, const std::string& option, const std::string& expected,
             std::int64_t found) {
    if (!holds)
        throw UsageError(option + ": expected " + expected + ", found " + std::to_string(found) +
                         ".");
}

void check_all(const ScenesOptions& options) {
    require(options.count > 0, "--count", "at least 1", options.count);
    require(options.size >= 8 && options.size <= kLargestSize, "--size",
            "8 to " + std::to_string(kLargestSize), options.size);
    check(options.shapes);
    require(options.patch > 0 && options.size % options.patch == 0, "--patch",
            "a divisor of --size", options.patch);
    if (options.truth == options.out)
        throw UsageError("--truth: expected another file than --out, found the same.");
}

template <class Number>
void append(NewFile& file, const std::vector<Number>& numbers) {
    file.write(std::as_bytes(std::span(numbers)));
}

std::unique_ptr<NewFile> begin_npy(const std::string& path, const std::string& type,
                                   const std::vector<std::int64_t>& shape) {
    auto file = std::make_unique<NewFile>(path);
    const std::string header = npy_header(type, shape);
    file->write(std::as_bytes(std::span(header)));
    return file;
}

std::vector<std::int16_t> truth_row(const ShapeScene& scene, const ScenePicture& picture,
                                    int patch) {
    const SceneTruth truth = truth_of(scene, picture, patch);
    // A random scene always has one answer.
    std::vector<std::int16_t> row{static_cast<std::int16_t>(answer_of(scene).value())};
    row.insert(row.end(), truth.kind.begin(), truth.kind.end());
    row.insert(row.end(), truth.twin_cell.begin(), truth.twin_cell.end());
    return row;
}

}  // namespace

void check(const ShapeCount& shapes) {
    require(shapes.fewest >= 2 && shapes.fewest <= kMaxShapes, "--fewest", "2 to 6", shapes.fewest);
    require(shapes.most >= shapes.fewest && shapes.most <= kMaxShapes, "--most", "--fewest to 6",
            shapes.most);
}

void run_scenes(const ScenesOptions& options,
                const std::function<void(const std::string&)>& progress, const StopFlag& stop) {
    check_all(options);
    const int grid = options.size / options.patch;
    const auto pictures =
        begin_npy(options.out, "|u1", {options.count, options.size, options.size, 3});
    const auto truths = options.truth.empty()
                            ? nullptr
                            : begin_npy(options.truth, "<i2", {options.count, 1 + 2 * grid * grid});
    for (std::int64_t i = 0; i < options.count; ++i) {
        throw_if_stopped(stop);
        const ShapeScene scene =
            random_scene(options.seed + static_cast<std::uint64_t>(i), options.shapes);
        const ScenePicture picture = draw_scene(scene, options.size);
        append(*pictures, picture.pixels);
        if (truths) append(*truths, truth_row(scene, picture, options.patch));
        if (i % 1000 == 0)
            progress("scene " + std::to_string(i) + " of " + std::to_string(options.count));
    }
    pictures->finish();
    if (truths) truths->finish();
}

}  // namespace headlight::cli
