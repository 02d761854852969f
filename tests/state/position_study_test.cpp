#include "state/position_study.h"

#include <gtest/gtest.h>

#include "support.h"

// What the screen of positions shows of a table.
namespace headlight {
namespace {

using testing::Desk;

// As the screen asks, with a choice that the trace was, or was not yet, made with.
PositionStudy study(Desk& desk, const PositionChoice& choice) {
    return study_positions({desk->trace(),
                            desk->trace_recipe().position,
                            choice,
                            {PositionKind::sincos_2d, choice.base}});
}

TEST(PositionStudy, of_waves_is_there_before_the_trace_and_the_same) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    PositionChoice choice = desk->trace_recipe().position;
    choice.base = 50;
    const PositionStudy early = study(desk, choice);
    ASSERT_TRUE(desk.does("set position_base 50"));
    ASSERT_EQ(desk->trace_recipe().position, choice);
    const PositionStudy late = study(desk, choice);
    ASSERT_TRUE(early.present && late.present);
    EXPECT_EQ(early.present->choice, choice);
    EXPECT_EQ(early.present->table->view().eigen(), late.present->table->view().eigen());
    EXPECT_EQ(early.present->cosines->view().eigen(), late.present->cosines->view().eigen());
    EXPECT_EQ(late.present->table->view().eigen(), desk->trace()->view(Tensor::positions).eigen());
}

TEST(PositionStudy, shows_what_the_trace_has_until_it_knows_better) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    const PositionStudy none = study(desk, {PositionKind::none, 50});
    ASSERT_TRUE(none.present);
    EXPECT_EQ(none.present->choice, desk->trace_recipe().position);
    const PositionStudy impossible = study(desk, {PositionKind::sinusoidal, 0.5F});
    ASSERT_TRUE(impossible.present) << "the run of such a base says what is wrong with it";
    EXPECT_EQ(impossible.present->choice, desk->trace_recipe().position);
}

TEST(PositionStudy, leaves_waves_out_of_both_tables) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    PositionQuestion question{desk->trace(),
                              desk->trace_recipe().position,
                              desk->trace_recipe().position,
                              {PositionKind::sincos_2d, 10000}};
    question.fast_off = 0.5;
    const PositionStudy found = study_positions(question);
    ASSERT_TRUE(found.present && found.beside);
    const Matrix all = desk->trace()->view(Tensor::positions).eigen();
    EXPECT_EQ(Matrix(found.present->table->view().eigen()),
              without_waves(all, Pairing::neighbours, 0.5, 0));
    EXPECT_TRUE(found.beside->table->view().eigen().col(0).isZero(0));
    EXPECT_FALSE(found.present->table->view().eigen().isZero(0));
}

// With positions a patch's place can be read off its token better than without them.
TEST(PositionStudy, reads_places_off_the_stream) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sincos_2d"));
    const Readout with = read_positions({desk->trace()});
    ASSERT_EQ(with.row.size(), desk->trace()->stream.size());
    EXPECT_EQ(with.patches, desk->trace()->grid.count());
    ASSERT_TRUE(desk.does("set positions none"));
    const Readout without = read_positions({desk->trace()});
    EXPECT_GT(with.row.front(), without.row.front());
    EXPECT_GT(with.column.front(), without.column.front());
    EXPECT_GT(with.row.front(), 0.5);
}

}  // namespace
}  // namespace headlight
