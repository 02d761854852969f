#include "kernels/product.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "naive.h"

namespace headlight::product_test {
namespace {

using naive::close;
using naive::identical;
using naive::random_matrix;
using naive::Table;

// A matrix inside a larger one, so that its rows are strided and unaligned; the surroundings must
// stay unchanged.
class Inside {
  public:
    Inside(Index rows, Index cols, std::uint32_t seed)
        : whole_(random_matrix(rows + 2, cols + 3, seed)),
          before_(whole_),
          rows_(rows),
          cols_(cols) {}

    [[nodiscard]] MatrixView view() const { return MatrixView(whole_).block(1, 1, rows_, cols_); }
    MatrixSpan span() { return MatrixSpan(whole_).block(1, 1, rows_, cols_); }
    [[nodiscard]] bool surroundings_kept() const {
        Matrix now = whole_;
        now.block(1, 1, rows_, cols_) = before_.block(1, 1, rows_, cols_);
        return now == before_;
    }

  private:
    Matrix whole_, before_;
    Index rows_, cols_;
};

Table naive_product(const MatrixView& left, const MatrixView& right) {
    Table out(left.rows, right.cols);
    for (Index r = 0; r < left.rows; ++r)
        for (Index c = 0; c < right.cols; ++c)
            for (Index i = 0; i < left.cols; ++i)
                out(r, c) += static_cast<double>(left(r, i)) * right(i, c);
    return out;
}

// Rounding error of a float sum of `depth` products of numbers up to 1.
double rounding(Index depth) { return 1e-7 * static_cast<double>(depth + 1); }

struct Sizes {
    Index rows, cols, depth;
};

void PrintTo(const Sizes& s, std::ostream* out) {
    *out << "[" << s.rows << ", " << s.depth << "] by [" << s.depth << ", " << s.cols << "]";
}

class EachBackend : public ::testing::TestWithParam<std::tuple<ProductBackend, Sizes>> {
  protected:
    void SetUp() override {
        if (backend == ProductBackend::onednn && !built_with_onednn())
            GTEST_SKIP() << "built without oneDNN";
        set_product_backend(backend);
    }
    void TearDown() override {
        set_product_backend(ProductBackend::automatic);
        set_threads(0);
    }

    ProductBackend backend = std::get<0>(GetParam());
    Sizes s = std::get<1>(GetParam());
};

constexpr Sizes kSizes[] = {
    {1, 1, 1},     {1, 9, 5},    {9, 1, 5},      {9, 5, 1},      {0, 3, 4},       {3, 0, 4},
    {3, 4, 0},     {2, 4, 8},    {17, 31, 13},   {300, 20, 800}, {16, 64, 64},    {1, 300, 200},
    {300, 1, 200}, {33, 7, 500}, {197, 197, 64}, {197, 64, 197}, {197, 576, 192}, {65, 129, 257},
    {700, 48, 3},  {6, 11, 900}, {263, 19, 385}};

INSTANTIATE_TEST_SUITE_P(
    Products, EachBackend,
    ::testing::Combine(::testing::Values(ProductBackend::automatic, ProductBackend::eigen,
                                         ProductBackend::onednn, ProductBackend::tiled),
                       ::testing::ValuesIn(kSizes)));

TEST_P(EachBackend, multiplies_like_a_double_loop) {
    const Inside left(s.rows, s.depth, 1), right(s.depth, s.cols, 2);
    Inside out(s.rows, s.cols, 3);
    multiply(left.view(), right.view(), out.span());
    EXPECT_TRUE(close(out.view(), naive_product(left.view(), right.view()), rounding(s.depth)));
    EXPECT_TRUE(out.surroundings_kept());
}

TEST_P(EachBackend, multiplies_by_a_transpose_like_a_double_loop) {
    const Inside left(s.rows, s.depth, 1), right(s.cols, s.depth, 2);
    Inside out(s.rows, s.cols, 3);
    multiply_transposed(left.view(), right.view(), out.span());
    EXPECT_TRUE(close(out.view(), naive::linear(left.view(), right.view(), {}), rounding(s.depth)));
    EXPECT_TRUE(out.surroundings_kept());
}

// Dense operands take other code paths in the libraries than strided ones.
TEST_P(EachBackend, multiplies_dense_matrices) {
    const Matrix left = random_matrix(s.rows, s.depth, 1);
    const Matrix right = random_matrix(s.depth, s.cols, 2), turned = right.transpose();
    Matrix out = random_matrix(s.rows, s.cols, 3);
    multiply(left, right, out);
    EXPECT_TRUE(close(out, naive_product(left, right), rounding(s.depth)));
    multiply_transposed(left, turned, out);
    EXPECT_TRUE(close(out, naive_product(left, right), rounding(s.depth)));
}

TEST_P(EachBackend, applies_a_linear_layer_on_any_number_of_threads) {
    const Inside x(s.rows, s.depth, 1), weight(s.cols, s.depth, 2);
    const Vector bias = random_matrix(1, s.cols, 4).row(0);
    for (const int threads : {1, 2, 5}) {
        SCOPED_TRACE(threads);
        set_threads(threads);
        Inside out(s.rows, s.cols, 3);
        apply_linear(x.view(), weight.view(), bias.data(), out.span());
        EXPECT_TRUE(
            close(out.view(), naive::linear(x.view(), weight.view(), bias), rounding(s.depth)));
        apply_linear(x.view(), weight.view(), nullptr, out.span());
        EXPECT_TRUE(
            close(out.view(), naive::linear(x.view(), weight.view(), {}), rounding(s.depth)));
        EXPECT_TRUE(out.surroundings_kept());
    }
}

// Blocks depend on the number of threads, but no sum may.
TEST_P(EachBackend, gives_the_same_bits_on_any_number_of_threads) {
    for (const Sizes& t : {s, Sizes{197, 1152, 384}, Sizes{785, 192, 768}, Sizes{401, 1000, 65}}) {
        const Matrix x = random_matrix(t.rows, t.depth, 1), w = random_matrix(t.cols, t.depth, 2);
        const Vector bias = random_matrix(1, t.cols, 4).row(0);
        set_threads(1);
        Matrix alone(t.rows, t.cols), shared(t.rows, t.cols);
        apply_linear(x, w, bias.data(), alone);
        for (const int threads : {2, 3, 4, 8, 32}) {
            SCOPED_TRACE(threads);
            set_threads(threads);
            apply_linear(x, w, bias.data(), shared);
            EXPECT_TRUE(identical(shared, alone));
            shared.setZero();
            apply_linear(x, w, bias.data(), shared, {}, pack_weight(w).get());
            EXPECT_TRUE(identical(shared, alone)) << "packed";
        }
    }
}

TEST_P(EachBackend, gives_the_same_bits_again) {
    const Inside left(s.rows, s.depth, 1), right(s.cols, s.depth, 2);
    Matrix first(s.rows, s.cols), second(s.rows, s.cols);
    multiply_transposed(left.view(), right.view(), first);
    multiply_transposed(left.view(), right.view(), second);
    EXPECT_TRUE(identical(second, first));
}

class Products : public ::testing::Test {
  protected:
    void TearDown() override {
        set_product_backend(ProductBackend::automatic);
        set_threads(0);
    }
};

// One non-finite number affects its row or column and nothing else, with any library.
TEST_F(Products, nan_and_infinity_stay_where_they_belong) {
    Matrix left = random_matrix(70, 80, 1), right = random_matrix(90, 80, 2);
    left(3, 5) = naive::kNaN;
    left(60, 7) = naive::kInfinity;
    right(11, 79) = naive::kNaN;
    const Table expected = naive::linear(left, right, {});
    for (const ProductBackend backend :
         {ProductBackend::eigen, ProductBackend::onednn, ProductBackend::tiled}) {
        if (backend == ProductBackend::onednn && !built_with_onednn()) continue;
        set_product_backend(backend);
        Matrix out(70, 90);
        multiply_transposed(left, right, out);
        EXPECT_TRUE(close(out, expected, rounding(80)));
    }
}

// Two threads compute products of the same sizes at the same time, and others in between.
TEST_F(Products, are_independent_of_each_other_on_many_threads) {
    set_threads(4);
    const Matrix left = random_matrix(64, 200, 1), right = random_matrix(128, 200, 2);
    const Table expected = naive::linear(left, right, {});
    std::atomic<int> wrong{0};
    parallel_for(200, [&](Index i) {
        const Index rows = 32 + i % 3 * 16;
        Matrix out(rows, 128);
        multiply_transposed(MatrixView(left).block(0, 0, rows, 200), right, out);
        Table part(rows, 128);
        std::copy_n(expected.cells.begin(), part.cells.size(), part.cells.begin());
        if (!close(out, part, rounding(200))) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
}

// A weight is packed after frequent use while there is memory, and dropped with the weight.
TEST_F(Products, weights_are_packed_when_they_are_used_often) {
    SharedResult weight = make_result(random_matrix(256, 128, 2));
    for (int use = 0; use < kUsesBefore; ++use) EXPECT_EQ(packed(weight), nullptr);
    const auto first = packed(weight);
    EXPECT_EQ(packed(weight), first);
    if (!first) return;  // a library that gains nothing by packing
    EXPECT_EQ(first->outputs, 256);
    EXPECT_EQ(first->inputs, 128);
    const SharedResult other = make_result(random_matrix(256, 128, 3));
    for (int use = 0; use < kUsesBefore; ++use)
        EXPECT_EQ(packed(other), nullptr) << "another weight of the same sizes";
    EXPECT_NE(packed(other), first);
}

TEST_F(Products, packed_weights_go_with_their_weight) {
    std::weak_ptr<const PackedWeight> watched;
    {
        const SharedResult weight = make_result(random_matrix(256, 128, 2));
        for (int use = 0; use < kUsesBefore; ++use) (void)packed(weight);
        watched = packed(weight);
    }
    (void)packed(make_result(random_matrix(8, 8, 1)));  // also drops unused ones
    EXPECT_TRUE(watched.expired());
}

TEST_F(Products, stop_between_blocks) {
    set_threads(2);
    const Matrix x = random_matrix(400, 64, 1), weight = random_matrix(256, 64, 2);
    Matrix out(400, 256);
    EXPECT_THROW(apply_linear(x, weight, nullptr, out, [] { return true; }), Stopped);
}

TEST_F(Products, small_ones_and_vectors_are_eigens) {
    EXPECT_EQ(best_backend(1, 4096, 4096), ProductBackend::eigen);
    EXPECT_EQ(best_backend(4096, 1, 4096), ProductBackend::eigen);
    EXPECT_EQ(best_backend(8, 8, 8), ProductBackend::eigen);
}

TEST_F(Products, a_library_that_is_not_there_is_refused) {
    if (built_with_onednn()) GTEST_SKIP() << "built with oneDNN";
    EXPECT_THROW(set_product_backend(ProductBackend::onednn), std::invalid_argument);
}

}  // namespace
}  // namespace headlight::product_test
