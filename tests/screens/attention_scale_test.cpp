#include "frame/attention_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace headlight::screens {
namespace {

constexpr Index kKeys = 200;
constexpr float kEven = 1.0F / kKeys;

// Rows that sum to one: one key gets 0.8, the others a thousandth each or less.
Matrix spiky() {
    Matrix a(50, kKeys);
    for (Index r = 0; r < a.rows(); ++r)
        for (Index c = 0; c < a.cols(); ++c)
            a(r, c) = c == r ? 0.8F : 0.001F * static_cast<float>(1 + c % 3) / 2;
    return a;
}

Magnitudes sizes_of(const Matrix& a) {
    Magnitudes sizes;
    sizes.add(a);
    return sizes;
}

Look with(AttentionScale scale, float cut = 0) {
    Look look;
    look.attention_scale = scale;
    look.attention_cut = cut;
    return look;
}

TEST(AttentionScale, from_zero_ends_at_the_largest_cell) {
    for (const auto which : {AttentionScale::linear, AttentionScale::square_root}) {
        const auto scale = attention_scale(with(which), sizes_of(spiky()), kKeys);
        EXPECT_EQ(scale.low, 0);
        EXPECT_EQ(scale.high, 0.8F);
        EXPECT_FALSE(scale.cut);
        EXPECT_FLOAT_EQ(scale.place(0.2F), which == AttentionScale::linear ? 0.25F : 0.5F);
    }
}

TEST(AttentionScale, a_logarithm_shows_what_one_spike_would_hide) {
    const auto scale = attention_scale(with(AttentionScale::logarithm), sizes_of(spiky()), kKeys);
    EXPECT_GT(scale.place(0.001F), 0.05F);
    EXPECT_EQ(scale.place(0), 0);
    EXPECT_EQ(scale.place(0.8F), 1);
    EXPECT_GE(scale.low, 0.01F * kEven);
}

TEST(AttentionScale, a_logarithm_does_not_make_much_of_next_to_nothing) {
    Matrix a = spiky();
    a.block(0, 0, 25, 100).setConstant(1e-20F);
    const auto scale = attention_scale(with(AttentionScale::logarithm), sizes_of(a), kKeys);
    EXPECT_FLOAT_EQ(scale.low, 0.01F * kEven);
    // Not even of nearly equal values: the range is at least a decade.
    const auto equals = attention_scale(with(AttentionScale::logarithm),
                                        sizes_of(Matrix::Constant(9, kKeys, kEven)), kKeys);
    EXPECT_FLOAT_EQ(equals.high / equals.low, 10);
}

TEST(AttentionScale, times_even_is_the_same_for_all_maps) {
    const Look usual;
    EXPECT_EQ(usual.attention_scale, AttentionScale::even);
    const auto scale = attention_scale(usual, sizes_of(spiky()), kKeys);
    EXPECT_FALSE(gl::is_diverging(scale.map));
    EXPECT_EQ(scale.place(0), 0);
    EXPECT_EQ(scale.text(kEven), "1×");
    EXPECT_EQ(scale.high_text(), "8×");
    // More is brighter, and a spike leaves the rest visible.
    EXPECT_GT(scale.place(0.5F * kEven), 0.2F);
    EXPECT_GT(scale.place(2 * kEven), scale.place(kEven) + 0.1F);
    // Uniform attention is one dark color, also in a map with its own range.
    const Matrix uniform = Matrix::Constant(9, kKeys, kEven);
    EXPECT_EQ(attention_scale(usual, sizes_of(uniform), kKeys), scale);
    Look own = usual;
    own.range = RangeMode::own;
    const auto alone = attention_scale(own, sizes_of(uniform), kKeys);
    EXPECT_EQ(alone.high_text(), "2×");
    EXPECT_LT(alone.place(kEven), 0.75F);
    EXPECT_EQ(attention_scale(own, sizes_of(spiky()), kKeys).high_text(), "160×");
    const auto ticks = tick_values(scale);
    ASSERT_FALSE(ticks.empty());
    EXPECT_FLOAT_EQ(ticks.front(), kEven);
}

TEST(AttentionScale, a_cut_marks_no_more_cells_than_it_says) {
    const Matrix a = spiky();
    for (const auto which : {AttentionScale::linear, AttentionScale::square_root,
                             AttentionScale::logarithm, AttentionScale::even}) {
        const auto scale = attention_scale(with(which, 1), sizes_of(a), kKeys);
        ASSERT_TRUE(scale.cut);
        EXPECT_TRUE(scale.high_text().starts_with(">"));
        Index marked = 0;
        for (Index i = 0; i < a.size(); ++i)
            marked += scale.color(a.data()[i]) == gl::clipped_color(scale.map) ? 1 : 0;
        EXPECT_EQ(marked, 50) << "the spikes, half a per cent";
    }
    // If nothing is clipped, the label does not claim it.
    const auto equals =
        attention_scale(with(AttentionScale::linear, 5), sizes_of(Matrix::Ones(5, 5)), 5);
    EXPECT_FALSE(equals.cut);
}

TEST(AttentionScale, without_a_cell_there_still_is_a_scale) {
    for (const auto which : {AttentionScale::linear, AttentionScale::square_root,
                             AttentionScale::logarithm, AttentionScale::even}) {
        const auto scale = attention_scale(with(which), {}, kKeys);
        EXPECT_LT(scale.low, scale.high);
        EXPECT_TRUE(std::isfinite(scale.place(0)));
    }
}

TEST(Ticks, are_round_and_lie_between_the_ends) {
    const ui::ColorScale linear{gl::ColorMap::magma, 0, 0.774F},
        signs{gl::ColorMap::blue_white_red, -2.3F, 2.3F};
    ui::ColorScale root = linear, logarithm = linear;
    root.curve = gl::Curve::square_root;
    logarithm.curve = gl::Curve::logarithm;
    logarithm.low = 2e-5F;
    for (const auto& scale : {linear, signs, root, logarithm}) {
        const auto ticks = tick_values(scale);
        EXPECT_GE(ticks.size(), 3U);
        for (const float tick : ticks) {
            EXPECT_GT(tick, scale.low);
            EXPECT_LT(tick, scale.high);
            EXPECT_LE(scale.text(tick).size(), std::string("−0.25").size()) << scale.text(tick);
        }
    }
    EXPECT_EQ(tick_values(signs).front(), 0);
    const auto powers = tick_values(logarithm);
    EXPECT_FLOAT_EQ(powers[0], 0.1F);
    EXPECT_FLOAT_EQ(powers[3], 1e-4F);
    EXPECT_EQ(logarithm.low_text(), "≤2e−5");
    EXPECT_EQ(logarithm.text(1e-4F), "1e−4");
    EXPECT_EQ(logarithm.text(0.001F), "0.001");
    EXPECT_EQ(linear.text(0.774F), "0.77");
    EXPECT_EQ(linear.text(12345.0F), "1.2e4");
    EXPECT_EQ(linear.text(160.0F), "160");
    EXPECT_TRUE(ui::tick_values({gl::ColorMap::magma, 1, 1}).empty());
}

}  // namespace
}  // namespace headlight::screens
