#include "attention/mask.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "encoder/runner.h"
#include "naive.h"
#include "ops/arithmetic.h"
#include "picture.h"

namespace headlight {
namespace {

TEST(Masks, stand_in_the_order_of_their_numbers_and_have_names_of_their_own) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < all_masks().size(); ++i) {
        const MaskInfo& mask = all_masks()[i];
        EXPECT_EQ(static_cast<std::size_t>(mask.id), i) << mask.name;
        EXPECT_TRUE(names.insert(mask.name).second) << mask.name;
        EXPECT_TRUE(mask.sentence.ends_with('.')) << mask.name;
        EXPECT_EQ(mask.pytorch.empty(), mask.id == MaskKind::none) << mask.name;
    }
}

TEST(Masks, a_rule_joins_what_is_given) {
    Mask given{2, 3, 3, std::vector<std::uint8_t>(18)};
    given.blocked[9 + 3] = 1;  // of the second sample: query 1, key 0
    const auto joined = make_mask(MaskKind::causal, std::make_shared<const Mask>(given), 3, 3);
    for (Index sample = 0; sample < 2; ++sample)
        for (Index query = 0; query < 3; ++query)
            for (Index key = 0; key < 3; ++key)
                EXPECT_EQ(joined->row(sample, query)[key] != 0,
                          key > query || (sample == 1 && query == 1 && key == 0));
}

Recipe recipe_with(MaskKind mask) {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = recipe.image_width = 40;
    recipe.patches.size = 8;
    recipe.channels = 12;
    recipe.heads = 3;
    recipe.mask = mask;
    return recipe;
}

// Softmax of what the rule leaves, by its definition: the others share the row, and only they.
void expect_softmax_of_the_rest(const Trace& trace, const MaskInfo& mask) {
    for (Index head = 0; head < trace.shape.heads; ++head) {
        const MatrixView query = trace.view(Tensor::query, 0, head),
                         key = trace.view(Tensor::key, 0, head),
                         attention = trace.view(Tensor::attention, 0, head);
        for (Index n = 0; n < query.rows; ++n) {
            std::vector<double> shares;
            double sum = 0;
            for (Index m = 0; m < key.rows; ++m) {
                double score = 0;
                for (Index i = 0; i < query.cols; ++i)
                    score += static_cast<double>(query(n, i)) * key(m, i);
                shares.push_back(mask.blocks(n, m) ? 0 : std::exp(score / std::sqrt(4.0)));
                sum += shares.back();
            }
            for (Index m = 0; m < key.rows; ++m)
                ASSERT_NEAR(attention(n, m), shares[static_cast<std::size_t>(m)] / sum, 1e-6)
                    << mask.name << ": " << n << ", " << m;
        }
    }
}

TEST(Masks, each_is_a_step_whose_cells_are_explained) {
    Runner runner([](const std::string&) { return picture(50, 47); });
    for (const MaskInfo& mask : all_masks()) {
        const auto trace = runner.run(recipe_with(mask.id));
        expect_softmax_of_the_rest(*trace, mask);
        const Node* step = trace->node(Step::mask);
        ASSERT_EQ(step == nullptr, mask.id == MaskKind::none);
        if (step == nullptr) continue;
        EXPECT_TRUE(step->meaning.starts_with(mask.sentence));
        for (Index row = 0; row < trace->shape.queries; ++row)
            for (Index col = 0; col < trace->shape.keys; ++col) {
                const Arithmetic a = explain_cell(*trace, *step, 1, row, col);
                ASSERT_TRUE(a.agrees) << mask.name << ": " << row << ", " << col;
                ASSERT_EQ(a.blocked, mask.blocks(row, col));
                ASSERT_EQ(a.shown, a.blocked ? -std::numeric_limits<float>::infinity()
                                             : trace->view(Tensor::scaled, 0, 1)(row, col));
            }
    }
}

// Whatever masks came before: with one and without, the numbers are those of a first run.
TEST(Masks, the_numbers_do_not_depend_on_the_way) {
    const auto read = [](const std::string&) { return picture(50, 47); };
    Runner runner(read);
    for (int round = 0; round < 2; ++round)
        for (const MaskInfo& mask : all_masks()) {
            const auto trace = runner.run(recipe_with(mask.id));
            const auto expected = Runner(read).run(recipe_with(mask.id));
            for (const TensorInfo& tensor : all_tensors()) {
                ASSERT_EQ(trace->has(tensor.id), expected->has(tensor.id)) << tensor.name;
                ASSERT_TRUE(naive::identical(trace->view(tensor.id), expected->view(tensor.id)))
                    << mask.name << ": " << tensor.name;
            }
        }
}

}  // namespace
}  // namespace headlight
