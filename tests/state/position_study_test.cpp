#include "state/position_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "models.h"
#include "support.h"

// What the Positions screen shows about a table.
namespace headlight {
namespace {

using testing::Desk;

// The screen's question, with a choice that the trace may not have used yet.
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
    EXPECT_EQ(early.present->pairs->view().eigen(), late.present->pairs->view().eigen());
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
              without_waves(all, Pairing::neighbors, 0.5, 0));
    EXPECT_TRUE(found.beside->table->view().eigen().col(0).isZero(0));
    EXPECT_FALSE(found.present->table->view().eigen().isZero(0));
}

// MAE's own table rotates by quarters, like the formula that gives it.
TEST(PositionStudy, a_models_table_is_measured_with_the_pairs_that_turn) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model mae/model.safetensors"));
    const PositionStudy own = study(desk, desk->trace_recipe().position);
    ASSERT_TRUE(own.present);
    EXPECT_EQ(own.present->pairing, Pairing::quarters);
    EXPECT_LT(own.present->properties.shift_residual, 1e-6);
    EXPECT_EQ(own.equals, PositionKind::sincos_2d);
    EXPECT_EQ(own.first, WavesFirst::columns);
    EXPECT_LE(own.difference, 1e-6);
    ASSERT_TRUE(desk.does("set positions sincos_2d"));
    EXPECT_EQ(study(desk, desk->trace_recipe().position).equals, PositionKind::model);
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    EXPECT_FALSE(study(desk, desk->trace_recipe().position).equals);
}

// MAE's table with its halves swapped: rows first.
TEST(PositionStudy, knows_moco_v3s_order) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model mae/model.safetensors"));
    const MatrixView stored = desk->trace()->view(Tensor::positions);
    Matrix table(stored.rows, stored.cols);
    table << stored.eigen().rightCols(stored.cols / 2), stored.eigen().leftCols(stored.cols / 2);
    auto trace = std::make_shared<Trace>(*desk->trace());
    trace->set(Tensor::positions, make_result(std::move(table)));
    const PositionStudy found =
        study_positions({trace, {PositionKind::model}, {PositionKind::model}, {}});
    EXPECT_EQ(found.equals, PositionKind::sincos_2d);
    EXPECT_EQ(found.first, WavesFirst::rows);
    ASSERT_TRUE(desk.does("set positions sincos_2d"));
    ASSERT_TRUE(desk.does("set position_first rows"));
    const auto made = desk->trace()->view(Tensor::positions).eigen();
    EXPECT_LE((made - trace->view(Tensor::positions).eigen()).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_FALSE(study(desk, desk->trace_recipe().position).equals) << "the model's is MAE's";
}

// EVA-02 adds a table and also rotates queries and keys.
TEST(PositionStudy, is_of_the_way_that_is_asked_for) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model eva02/model.safetensors"));
    const PositionChoice own = desk->trace_recipe().position;
    PositionQuestion question{desk->trace(), own, own, {PositionKind::sinusoidal}};
    const PositionStudy added = study_positions(question);
    EXPECT_EQ(added.ways, (std::vector{PositionWay::added, PositionWay::turned}));
    ASSERT_TRUE(added.present);
    EXPECT_FALSE(added.present->turns);
    question.way = PositionWay::turned;
    const PositionStudy turned = study_positions(question);
    ASSERT_TRUE(turned.present && turned.present->turns);
    // The sine of the last patch's first pair, as in the walk.
    const MatrixView sine = desk->trace()->view(Tensor::rotary_sine);
    const MatrixView table = turned.present->table->view();
    EXPECT_EQ(table(table.rows - 1, 0), sine(sine.rows - 1, 0));
    question.way = PositionWay::bias;
    EXPECT_FALSE(study_positions(question).present->turns) << "it has none";
}

// T2T's tokens before merging have no positions: shows what would be added.
TEST(PositionStudy, shows_the_waves_that_are_wanted_where_nothing_is_added_yet) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model t2t/model.safetensors"));
    ASSERT_TRUE(desk.does("set positions sincos_2d"));
    const PositionChoice now = desk->trace_recipe().position;
    const PositionStudy found =
        study_positions({desk->trace(), now, now, {PositionKind::sinusoidal}});
    ASSERT_FALSE(found.present);
    ASSERT_TRUE(found.beside) << found.why_not;
    EXPECT_EQ(found.beside->choice, now);
    const MatrixView table = found.beside->table->view();
    const PatchGrid& grid = desk->trace()->grid;
    EXPECT_EQ(Matrix(table.eigen()),
              sincos_2d_positions({{0, grid.rows, grid.cols}, table.rows, table.cols}));
}

// Comparing a table with itself would show nothing.
TEST(PositionStudy, holds_a_table_against_another_one) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    const PositionChoice now = desk->trace_recipe().position;
    const PositionStudy found = study_positions({desk->trace(), now, now, now});
    ASSERT_TRUE(found.beside);
    EXPECT_EQ(found.beside->choice.kind, PositionKind::sincos_2d);
    EXPECT_EQ(study(desk, now).beside->choice.kind, PositionKind::sincos_2d);
}

TEST(PositionStudy, all_pairs_are_by_the_measure) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    const PositionChoice now = desk->trace_recipe().position;
    PositionQuestion question{desk->trace(), now, now, {PositionKind::sincos_2d, now.base}};
    const StudiedTable cosines = *study_positions(question).present;
    EXPECT_EQ(Matrix(cosines.pairs->view().eigen()), cosine_matrix(cosines.table->view()));
    EXPECT_EQ(cosines.high, 1);
    question.measure = PairMeasure::product;
    const StudiedTable products = *study_positions(question).present;
    EXPECT_EQ(Matrix(products.pairs->view().eigen()), product_matrix(cosines.table->view()));
    question.measure = PairMeasure::distance;
    const StudiedTable distances = *study_positions(question).present;
    EXPECT_EQ(Matrix(distances.pairs->view().eigen()), distance_matrix(cosines.table->view()));
    EXPECT_EQ(distances.low, 0);
    EXPECT_EQ(distances.profile.along_row[0], 0);
    EXPECT_GT(distances.profile.along_row[1], 0);
    EXPECT_EQ(distances.properties.offset_spread, cosines.properties.offset_spread)
        << "properties are of cosines";
}

TEST(PositionStudy, the_rotations_of_an_offset_are_computed_apart) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    const StudiedTable table = *study(desk, desk->trace_recipe().position).present;
    Studies studies;
    const Trace& trace = *desk->trace();
    studies.ask(kRotation, {table.table, table.pairing, trace.grid.rows, trace.grid.cols, 1, -1});
    while (studies.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto student = studies.last(kRotation);
    ASSERT_TRUE(student);
    EXPECT_EQ(student->answer.patches, (trace.grid.rows - 1) * (trace.grid.cols - 1));
    EXPECT_LT(student->answer.residual, 1e-5);
}

// With positions, a patch's place can be predicted from its token better than without.
TEST(PositionStudy, reads_places_off_the_stream) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sincos_2d"));
    std::atomic<float> progress = 0;
    const Readout with = read_positions({desk->trace()}, progress);
    ASSERT_EQ(with.row.size(), desk->trace()->stream.size());
    EXPECT_EQ(with.patches, desk->trace()->grid.count());
    ASSERT_TRUE(desk.does("set positions none"));
    const Readout without = read_positions({desk->trace()}, progress);
    EXPECT_GT(with.row.front(), without.row.front());
    EXPECT_GT(with.column.front(), without.column.front());
    EXPECT_GT(with.row.front(), 0.5);
}

// Fitted on scenes and tested on others; the current picture does not change the question.
TEST(PositionStudy, reads_places_off_scenes_that_it_was_not_fitted_to) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sincos_2d"));
    const auto ask = [&] {
        return question_of_scenes(desk->trace()->model, desk->trace_recipe(), 6);
    };
    std::atomic<float> progress = 0;
    const ReadoutQuestion question = ask();
    const Readout with = read_positions(question, progress);
    EXPECT_EQ(with.taught, 6);
    EXPECT_EQ(with.tested, 3);
    EXPECT_EQ(progress, 1.0F);
    ASSERT_EQ(with.row.size(), desk->trace()->stream.size());
    EXPECT_GT(with.row.front(), 0.5);
    EXPECT_GT(with.column.front(), 0.5);
    ASSERT_TRUE(desk.does("set positions none"));
    EXPECT_FALSE(ask() == question);
    const Readout without = read_positions(ask(), progress);
    EXPECT_LT(without.row.front(), with.row.front());
    EXPECT_LT(without.row.front(), 0.5);
    EXPECT_THROW(read_positions(ask(), progress, [] { return true; }), Stopped);
}

TEST(PositionStudy, of_a_relative_bias_is_of_every_head) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions relative"));
    const PositionStudy found = study(desk, desk->trace_recipe().position);
    EXPECT_FALSE(found.present);
    ASSERT_TRUE(found.bias);
    const Trace& trace = *desk->trace();
    ASSERT_EQ(static_cast<Index>(found.bias->heads.size()), trace.shape.heads);
    const int rows = trace.grid.rows, cols = trace.grid.cols;
    for (Index head = 0; head < trace.shape.heads; ++head) {
        const StudiedBias& one = found.bias->heads[static_cast<std::size_t>(head)];
        const MatrixView picture = one.picture->view(),
                         bias = trace.view(Tensor::relative_bias, 0, head);
        ASSERT_EQ(picture.rows, 2 * rows - 1);
        EXPECT_EQ(picture(rows - 1, cols), bias(0, 1));
        EXPECT_EQ(picture(rows, cols - 1), bias(0, cols));
        EXPECT_EQ(one.properties.offset_spread, 0);
        EXPECT_GT(one.deviation_of_products, 0);
        EXPECT_LE(found.bias->low, one.properties.low);
    }
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    EXPECT_FALSE(study(desk, desk->trace_recipe().position).bias);
}

TEST(PositionStudy, says_what_adding_mixes_and_what_side_by_side_costs) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    const auto found = study_added({desk->trace()});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->width, desk->trace()->view(Tensor::patches).cols);
    ASSERT_EQ(static_cast<Index>(found->angles.size()),
              std::min(found->table_directions, found->token_directions));
    EXPECT_TRUE(std::ranges::is_sorted(found->angles));
    EXPECT_LT(found->angles.front(), 89);
    for (const double angle : found->angles_side_by_side) EXPECT_NEAR(angle, 90, 1e-4);
    EXPECT_GT(found->table_along_tokens, 0);
    EXPECT_LT(found->table_along_tokens, 1);
    EXPECT_LE(found->of_sum.tokens, found->of_both.tokens + 1e-6);
    const MatrixView weight = desk->trace()->node(Step::qkv)->weights[0].value->view();
    EXPECT_EQ(found->weights, static_cast<double>(weight.rows * weight.cols));
    EXPECT_EQ(found->weights_side_by_side, 2 * found->weights);
    EXPECT_GT(found->operations_side_by_side, 1.9 * found->operations);
    ASSERT_TRUE(desk.does("set positions relative"));
    EXPECT_FALSE(study_added({desk->trace()}));
    ASSERT_TRUE(desk.does("set positions none"));
    EXPECT_FALSE(study_added({desk->trace()}));
}

}  // namespace
}  // namespace headlight
