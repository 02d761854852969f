#include "patches/map_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "patches/patches.h"

// The ranking in map_layouts(). The cost of a layout is a cost for the grid plus a cost for the
// number of tokens before it; the smallest comes first.
//
// Grids, best first:
//   1. whole patches of a usual size (8, 14, 16, 32 or 4 pixels) fill the picture;
//   2. such patches, with a border of the picture cut off;
//   3. a square of published models, with inputs of 224 to 518 pixels and patches of 8 to 32. Most
//      models get a square crop of the picture, or all of it, resized to a square;
//   4. the picture's aspect, if the picture was resized before it was cut into patches;
//   5. such patches, with the picture's border padded;
//   6. any other square, with a usual number of tokens before it;
//   7. nearly the picture's aspect.
// For a square picture only 1, 2 and squares are considered.
//
// Tokens before the patches, best first: 1, 0 or 5, then 4 or 2. Few models have 8, 9 or 16. A grid
// that only fits after that many comes after a published square with 0, 1, 5, 4 or 2, even if its
// patches fill the picture. Other numbers come last. Registers are unlikely with patches of 32 or 4
// pixels.
//
// Without a picture, only squares are tried. A given grid always fits.
namespace headlight {

namespace {

// In pixels; those of published models.
constexpr std::array kPatchSizes{16, 14, 8, 32, 4};
constexpr std::array kInputSides{224, 256, 336, 384, 448, 512, 518};

// Costs of how well a grid fits a picture.
constexpr double kWholePatches = -1.5, kCutPatches = 1, kPublishedSquare = 1.2, kSameAspect = 2.2,
                 kPaddedPatches = 2.4, kSquare = 2.6, kNearAspect = 3.4, kOnePatch = 3;
// For square pictures: every square grid has that aspect, so this is weak evidence.
constexpr double kSquarePicture = 5.2;
// No published model has registers and such patches.
constexpr double kUnlikelyPair = 2.2;
// Layouts that cost this much more than the best are not mentioned.
constexpr double kMuchMore = 4.2;

// Published models have a class token, no extra token, or some registers with or without a class
// token.
struct UsualCount {
    int before;
    double cost;
};
constexpr std::array<UsualCount, 8> kUsual{
    {{1, 0}, {0, 0.4}, {5, 0.8}, {4, 1.2}, {2, 1.4}, {9, 3.7}, {8, 4.1}, {16, 4.3}}};
constexpr double kUnusual = 4.6;

bool is_usual(int before) {
    return std::ranges::find(kUsual, before, &UsualCount::before) != kUsual.end();
}

double cost_of(int before) {
    const auto* usual = std::ranges::find(kUsual, before, &UsualCount::before);
    return usual == kUsual.end() ? kUnusual : usual->cost;
}

std::string squared(int side) { return std::to_string(side) + " × " + std::to_string(side); }

struct Fit {
    double cost;
    std::string why;
};

double cost_of_pair(int patch, int before) {
    return before > 1 && (patch == 32 || patch == 4) ? kUnlikelyPair : 0;
}

// The picture was cut into patches without resizing.
std::optional<Fit> fit_of_patches(const GridSize& grid, const PictureSize& picture, int before) {
    const auto [rows, cols] = grid;
    const auto [height, width] = picture;
    for (const int p : kPatchSizes)
        if (rows * p == height && cols * p == width)
            return Fit{kWholePatches + cost_of_pair(p, before),
                       "patches of " + squared(p) + " pixels fill the picture"};
    for (const int p : kPatchSizes)
        if (height / p == rows && width / p == cols)
            return Fit{kCutPatches + cost_of_pair(p, before),
                       "patches of " + squared(p) + " pixels, with the picture's border cut off"};
    return {};
}

std::optional<Fit> fit_of_padded(const GridSize& grid, const PictureSize& picture) {
    for (const int p : kPatchSizes)
        if ((picture.height + p - 1) / p == grid.rows && (picture.width + p - 1) / p == grid.cols)
            return Fit{kPaddedPatches,
                       "patches of " + squared(p) + " pixels, with the picture's border padded"};
    return {};
}

// True if some scale maps height and width to rows and cols, both rounded in the same way: to
// nearest, down or up.
bool rounds_to(const GridSize& grid, const PictureSize& picture) {
    const double height = picture.height, width = picture.width;
    for (const auto& [low, high] : {std::pair{-0.5, 0.5}, {0.0, 1.0}, {-1.0, 0.0}})
        if (std::max((grid.rows + low) / height, (grid.cols + low) / width) <
            std::min((grid.rows + high) / height, (grid.cols + high) / width))
            return true;
    return false;
}

// The picture was resized.
std::optional<Fit> fit_of_aspect(const GridSize& grid, const PictureSize& picture) {
    const auto [rows, cols] = grid;
    const double height = picture.height, width = picture.width;
    const double off = std::abs(std::log(rows / height * width / cols));
    const double of_a_pixel = 0.75 * (1 / height + 1 / width);
    if (picture.height == picture.width) {
        if (rows != cols) return {};
        return Fit{kSquarePicture, "the picture's aspect ratio"};
    }
    if (off <= of_a_pixel) return Fit{kSameAspect, "the picture's aspect ratio"};
    if (!rounds_to(grid, picture)) return {};
    return Fit{kNearAspect + 0.5 * off / (0.5 / rows + 0.5 / cols),
               "nearly the picture's aspect ratio"};
}

Fit fit_of_square(int side) {
    for (const int input : kInputSides)
        for (const int p : kPatchSizes)
            if (p != 4 && input / p == side) return {kPublishedSquare, "a usual square"};
    return {kSquare, "a square"};
}

// `squares`: also accept a square that the picture does not suggest.
std::optional<Fit> best_fit(const GridSize& grid, const std::optional<PictureSize>& picture,
                            int before, bool squares) {
    std::optional<Fit> best;
    const auto consider = [&](std::optional<Fit> fit) {
        if (fit && (!best || fit->cost < best->cost)) best = std::move(fit);
    };
    if (picture) {
        consider(fit_of_patches(grid, *picture, before));
        consider(fit_of_aspect(grid, *picture));
        // For a square picture, nothing else is likely.
        if (picture->height == picture->width) return best;
        consider(fit_of_padded(grid, *picture));
    }
    if (grid.rows == grid.cols && squares) consider(fit_of_square(grid.rows));
    return best;
}

// All grids of this many patches.
std::vector<GridSize> grids_of(Index patches) {
    std::vector<GridSize> grids;
    for (Index rows = 1; rows * rows <= patches; ++rows) {
        if (patches % rows != 0) continue;
        const auto less = static_cast<int>(rows), more = static_cast<int>(patches / rows);
        grids.push_back({less, more});
        if (less != more) grids.push_back({more, less});
    }
    return grids;
}

std::string tokens_text(Index count) {
    return std::to_string(count) + (count == 1 ? " token" : " tokens");
}

}  // namespace

std::string grid_text(const GridSize& grid) {
    return std::to_string(grid.rows) + "x" + std::to_string(grid.cols);
}

std::optional<GridSize> parse_grid(std::string_view text) {
    const auto skip = [&](std::string_view what) {
        const bool there = text.starts_with(what);
        if (there) text.remove_prefix(what.size());
        return there;
    };
    const auto number = [&]() -> int {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || value < 1) return 0;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return value;
    };
    GridSize grid;
    grid.rows = number();
    while (skip(" ")) {
    }
    if (grid.rows == 0 || !(skip("x") || skip("X") || skip("×"))) return {};
    while (skip(" ")) {
    }
    grid.cols = number();
    return grid.cols > 0 && text.empty() ? std::optional(grid) : std::nullopt;
}

std::string MapLayout::words() const {
    const std::string grid_words = std::to_string(grid.rows) + " × " + std::to_string(grid.cols);
    if (before == 0) return grid_words + ", every token a patch";
    return grid_words + " after " + std::to_string(before) + " other token" +
           (before == 1 ? "" : "s");
}

void expect_possible(Index tokens, const GivenLayout& given) {
    const auto& [grid, before] = given;
    const std::string found = "the maps have " + tokens_text(tokens) + ".";
    if (before && *before >= tokens)
        throw PatchError("tokens_before " + std::to_string(*before) + " leaves no patch: " + found);
    if (!grid) return;
    const Index patches = static_cast<Index>(grid->rows) * grid->cols;
    const std::string words = "A grid of " + std::to_string(grid->rows) + " × " +
                              std::to_string(grid->cols) + " has " + std::to_string(patches) +
                              (patches == 1 ? " patch" : " patches");
    if (before && patches + *before != tokens)
        throw PatchError(words + ". With " + tokens_text(*before) + " before them, that makes " +
                         std::to_string(patches + *before) + ", but " + found);
    if (patches > tokens) throw PatchError(words + ", but " + found);
}

std::vector<MapLayout> map_layouts(Index tokens, const GivenLayout& given,
                                   const std::optional<PictureSize>& picture) {
    if (given.grid) {
        const Index patches = static_cast<Index>(given.grid->rows) * given.grid->cols;
        return {{*given.grid, static_cast<int>(tokens - patches), "", 0}};
    }
    std::vector<MapLayout> fitting;
    const int first = given.before.value_or(0), last = given.before.value_or(kMostTokensBefore);
    for (int before = first; before <= last && before < tokens; ++before)
        for (const GridSize& grid : grids_of(tokens - before)) {
            auto fit = best_fit(grid, picture, before, given.before || is_usual(before));
            if (!fit) continue;
            const double cost =
                fit->cost + cost_of(before) + (grid == GridSize{1, 1} ? kOnePatch : 0);
            fitting.push_back({grid, before, std::move(fit->why), cost});
        }
    std::ranges::stable_sort(fitting, {}, &MapLayout::cost);
    return fitting;
}

std::vector<MapLayout> other_layouts(const std::vector<MapLayout>& fitting) {
    constexpr std::size_t kMost = 3;
    std::vector<MapLayout> others;
    for (std::size_t i = 1; i < fitting.size() && others.size() < kMost; ++i)
        if (fitting[i].cost <= fitting[0].cost + kMuchMore) others.push_back(fitting[i]);
    return others;
}

}  // namespace headlight
