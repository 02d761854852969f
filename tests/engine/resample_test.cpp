// Compares position tables resampled to other grids with PyTorch (tests/golden/make_positions.py).
#include "positions/resample.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "files/safetensors.h"
#include "positions/positions.h"
#include "tests/source_path.h"

namespace headlight::resample_test {
namespace {

constexpr std::array<std::pair<const char*, Resampling>, 6> kKinds{
    {{"bicubic_offset", Resampling::bicubic_offset},
     {"bicubic", Resampling::bicubic},
     {"bicubic_antialiased", Resampling::bicubic_antialiased},
     {"linear_corners", Resampling::linear_corners},
     {"bilinear_antialiased", Resampling::bilinear_antialiased},
     {"bicubic_corners", Resampling::bicubic_corners}}};

TensorMap golden() {
    const std::string path = source_path("tests/golden/positions.safetensors");
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return read_safetensors(std::as_bytes(std::span(text)), path);
}

MatrixView view(const NamedTensor& tensor) {
    return {tensor.values.data(), tensor.shape[0], tensor.shape[1], tensor.shape[1]};
}

TEST(ResamplePositions, agrees_with_pytorch) {
    const TensorMap tensors = golden();
    int cases = 0;
    for (const auto& [kind, how] : kKinds)
        for (const auto& [name, expected] : tensors) {
            if (!name.starts_with(std::string(kind) + ' ')) continue;
            SCOPED_TRACE(name);
            std::istringstream text(name.substr(std::string(kind).size()));
            std::string old_grid, new_grid, dims;
            text >> old_grid >> new_grid >> dims;
            int rows = 0, cols = 0, new_rows = 0, new_cols = 0;
            char x = 0;
            std::istringstream(old_grid) >> rows >> x >> cols;
            std::istringstream(new_grid) >> new_rows >> x >> new_cols;
            const auto& table = tensors.at("table " + old_grid.append(" ").append(dims));
            const Matrix found =
                resample_positions(view(table), rows, cols, new_rows, new_cols, how);
            ASSERT_EQ(found.rows(), expected.shape[0]);
            ASSERT_EQ(found.cols(), expected.shape[1]);
            const double error = (found - view(expected).eigen()).cwiseAbs().maxCoeff() /
                                 view(expected).eigen().cwiseAbs().maxCoeff();
            EXPECT_LT(error, 2e-7);
            ++cases;
        }
    EXPECT_EQ(cases, 66);
}

// Newer and older code of the same model differ by more than rounding, and so do the kinds.
TEST(ResamplePositions, kinds_differ) {
    const TensorMap tensors = golden();
    const MatrixView table = view(tensors.at("table 14x14 3"));
    for (const auto& [name, how] : kKinds)
        for (const auto& [other_name, other] : kKinds) {
            if (how == other) continue;
            const Matrix a = resample_positions(table, 14, 14, 7, 9, how);
            const Matrix b = resample_positions(table, 14, 14, 7, 9, other);
            EXPECT_GT((a - b).cwiseAbs().maxCoeff(), 1e-3) << name << ' ' << other_name;
        }
}

TEST(ResamplePositions, the_same_grid_changes_nothing_and_the_same_count_does) {
    const TensorMap tensors = golden();
    const MatrixView table = view(tensors.at("table 14x14 3"));
    for (const auto& [name, how] : kKinds) {
        EXPECT_EQ(resample_positions(table, 14, 14, 14, 14, how), table.eigen()) << name;
        const Matrix wide = resample_positions(table, 14, 14, 7, 28, how);
        EXPECT_GT((wide - table.eigen()).cwiseAbs().maxCoeff(), 0.1) << name;
    }
}

// A table inside a larger matrix, as after a class token.
TEST(ResamplePositions, takes_a_view_with_a_stride) {
    const TensorMap tensors = golden();
    const MatrixView table = view(tensors.at("table 5x7 8"));
    const MatrixView part = table.block(0, 2, 35, 3);
    const Matrix copy = part.eigen();
    for (const auto& [name, how] : kKinds)
        EXPECT_EQ(resample_positions(part, 5, 7, 4, 9, how),
                  resample_positions(copy, 5, 7, 4, 9, how))
            << name;
}

TEST(ResamplePositions, refusals) {
    const Matrix table = Matrix::Zero(6, 4);
    constexpr auto kHow = Resampling::bicubic;
    EXPECT_THROW(resample_positions(table, 0, 6, 2, 2, kHow), PositionError);
    EXPECT_THROW(resample_positions(table, 2, 3, 2, 0, kHow), PositionError);
    EXPECT_THROW(resample_positions(table, 2, 3, -1, 2, kHow), PositionError);
    EXPECT_THROW(resample_positions(table, 3, 3, 2, 2, kHow), PositionError);
    EXPECT_THROW(resample_positions(table, 65536, 65536, 2, 2, kHow), PositionError);
}

// Checks the tables in the file with that name, and returns how many there are.
int expect_tables(const std::string& called, const PositionInfo& kind, WavesFirst first = {}) {
    const TensorMap tensors = golden();
    int found = 0;
    for (const auto& [name, expected] : tensors) {
        std::istringstream words(name);
        std::string head, grid;
        PositionSpec spec;
        words >> head >> grid >> spec.dim >> spec.places.prefix >> spec.base;
        if (head != called) continue;
        ++found;
        spec.first = first;
        spec.places.rows = std::stoi(grid);
        spec.places.cols = std::stoi(grid.substr(grid.find('x') + 1));
        spec.tokens = spec.places.count();
        const Matrix table = kind.table(spec);
        // One unit in the last place of a float below 1; sines of libraries differ in double's last
        // place.
        EXPECT_LE((table - view(expected).eigen()).cwiseAbs().maxCoeff(), 6e-8) << name;
    }
    return found;
}

// sinusoidal is that of T2T, sincos_2d that of MAE.
TEST(Positions, of_every_formula_are_those_of_their_authors) {
    for (const PositionInfo& kind : all_positions()) {
        if (kind.table == nullptr || kind.takes.seed) continue;
        EXPECT_GE(expect_tables(std::string(name_of(kind.id)), kind), 1) << kind.label;
    }
}

TEST(Positions, with_the_rows_first_are_those_of_moco_v3) {
    const PositionInfo& kind = info(PositionKind::sincos_2d);
    EXPECT_EQ(expect_tables("rows_first", kind, WavesFirst::rows), 2);
}

}  // namespace
}  // namespace headlight::resample_test
