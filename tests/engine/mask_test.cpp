#include "attention/mask.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <set>

#include "attention/painted.h"
#include "encoder/runner.h"
#include "masked.h"
#include "naive.h"
#include "ops/arithmetic.h"
#include "picture.h"
#include "program/mask_text.h"
#include "program/values.h"

namespace headlight::mask_test {
namespace {

TEST(Masks, have_names_of_their_own_and_say_their_numbers) {
    std::set<std::string_view> names;
    for (const MaskInfo& mask : all_masks()) {
        EXPECT_TRUE(names.insert(mask.name).second) << mask.name;
        EXPECT_TRUE(mask.sentence.ends_with('.')) << mask.name;
        EXPECT_FALSE(mask.pytorch.empty()) << mask.name;
        EXPECT_EQ(mask.most > 0, mask.sentence.find('#') != std::string_view::npos) << mask.name;
        EXPECT_EQ(mask.most > 0, !mask.numbers.empty()) << mask.name;
    }
}

// A rule of each kind, with the numbers that it requires; painted ones for 25 tokens.
MaskRule rule_of(const MaskInfo& mask) {
    if (mask.id == MaskKind::blocked) return painted({}, 25, 25, {3, 5, 0, 11}, true).front();
    MaskRule rule{mask.id};
    for (int i = 0; i < mask.fewest; ++i) rule.numbers.push_back(2 + i);
    return rule;
}

// No rule, each alone, and all at once.
std::vector<MaskRules> all_rules() {
    std::vector<MaskRules> list{{}};
    MaskRules all;
    for (const MaskInfo& mask : all_masks()) {
        list.push_back({rule_of(mask)});
        all.push_back(rule_of(mask));
    }
    list.push_back(all);
    return list;
}

TEST(Masks, a_rule_joins_what_is_given) {
    Mask given{2, 3, 3, std::vector<std::uint8_t>(18)};
    given.blocked[9 + 3] = 1;  // of the second sample: query 1, key 0
    const auto joined =
        make_mask({{MaskKind::causal}}, std::make_shared<const Mask>(given), {}, 3, 3);
    for (Index sample = 0; sample < 2; ++sample)
        for (Index query = 0; query < 3; ++query)
            for (Index key = 0; key < 3; ++key)
                EXPECT_EQ(joined->row(sample, query)[key] != 0,
                          key > query || (sample == 1 && query == 1 && key == 0));
}

// Over the patch grid by definition; the two tokens before the patches are not masked.
TEST(Masks, a_local_window_reaches_so_many_rows_and_columns) {
    const TokenGrid places{2, 4, 5};
    const MaskRules rules{{MaskKind::local, {1}}};
    const auto mask = make_mask(rules, nullptr, places, 22, 22);
    for (Index query = 0; query < 22; ++query)
        for (Index key = 0; key < 22; ++key) {
            const Index q = query - 2, k = key - 2;
            const bool patches = query >= 2 && key >= 2;
            const bool far = std::abs(q / 5 - k / 5) > 1 || std::abs(q % 5 - k % 5) > 1;
            EXPECT_EQ(mask->row(0, query)[key] != 0, patches && far) << query << " " << key;
        }
}

TEST(Masks, hidden_keys_are_read_by_nobody) {
    const auto mask = make_mask({{MaskKind::keys, {0, 3}}}, nullptr, {}, 3, 5);
    for (Index query = 0; query < 3; ++query)
        for (Index key = 0; key < 5; ++key)
            EXPECT_EQ(mask->row(0, query)[key] != 0, key == 0 || key == 3);
}

TEST(Masks, rules_that_do_not_fit_the_tokens_are_refused) {
    const auto complaint = [](const MaskRule& rule, const TokenGrid& places) -> std::string {
        try {
            (void)make_mask({rule}, nullptr, places, 6, 6);
        } catch (const AttentionError& error) {
            return error.what();
        }
        return {};
    };
    const std::string no_grid =
        "The mask local needs tokens in a grid of patches, but these tokens have no known grid.";
    EXPECT_EQ(complaint({MaskKind::local, {1}}, {}), no_grid);
    EXPECT_EQ(complaint({MaskKind::local, {1}}, {0, 2, 2}), no_grid);
    EXPECT_EQ(complaint({MaskKind::local, {1}}, {0, 2, 3}), "");
    EXPECT_EQ(complaint({MaskKind::keys, {2, 6}}, {}),
              "The mask keys blocks key 6, but there are only keys 0 to 5.");
}

// Softmax over the unmasked keys by definition: only they get attention.
void expect_softmax_of_the_rest(const Trace& trace, const MaskRules& rules) {
    const TokenGrid places = token_grid_of(trace);
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
                const bool blocked = blocks(rules, places, n, m);
                shares.push_back(blocked ? 0 : std::exp(score / std::sqrt(4.0)));
                sum += shares.back();
            }
            for (Index m = 0; m < key.rows; ++m)  // a fully masked row is zero
                ASSERT_NEAR(attention(n, m),
                            sum == 0 ? 0 : shares[static_cast<std::size_t>(m)] / sum, 1e-6)
                    << mask_text(rules) << ": " << n << ", " << m;
        }
    }
}

TEST(Masks, each_is_a_step_whose_cells_are_explained) {
    Runner runner([](const std::string&) { return picture(50, 47); });
    for (const MaskRules& rules : all_rules()) {
        const auto trace = runner.run(recipe_with(rules));
        expect_softmax_of_the_rest(*trace, rules);
        const Node* step = trace->node(Step::mask);
        ASSERT_EQ(step == nullptr, rules.empty());
        if (step == nullptr) continue;
        EXPECT_TRUE(step->meaning.starts_with(sentences_of(rules)));
        EXPECT_EQ(step->meaning.find('#'), std::string::npos);
        EXPECT_EQ(step->pytorch.find('#'), std::string::npos);
        const TokenGrid places = token_grid_of(*trace);
        for (Index row = 0; row < trace->shape.queries; ++row)
            for (Index col = 0; col < trace->shape.keys; ++col) {
                const Arithmetic a = explain_cell(*trace, *step, 1, row, col);
                ASSERT_TRUE(a.agrees) << mask_text(rules) << ": " << row << ", " << col;
                ASSERT_EQ(a.blocked, blocks(rules, places, row, col));
                ASSERT_EQ(a.shown, a.blocked ? -std::numeric_limits<float>::infinity()
                                             : trace->view(Tensor::scaled, 0, 1)(row, col));
            }
    }
}

// Whatever masks were set before: with and without a mask, the numbers equal those of a first run.
TEST(Masks, the_numbers_do_not_depend_on_the_way) {
    const auto read = [](const std::string&) { return picture(50, 47); };
    Runner runner(read);
    for (int round = 0; round < 2; ++round)
        for (const MaskRules& rules : all_rules()) {
            const auto trace = runner.run(recipe_with(rules));
            const auto expected = Runner(read).run(recipe_with(rules));
            for (const TensorInfo& tensor : all_tensors()) {
                ASSERT_EQ(trace->has(tensor.id), expected->has(tensor.id)) << tensor.name;
                ASSERT_TRUE(naive::identical(trace->view(tensor.id), expected->view(tensor.id)))
                    << mask_text(rules) << ": " << tensor.name;
            }
        }
}

TEST(Masks, are_read_back_from_what_they_are_written_as) {
    for (const MaskRules& rules : all_rules())
        EXPECT_EQ(parse_mask("mask", mask_text(rules)), rules);
    EXPECT_EQ(mask_text(parse_mask("mask", "keys 5 1 5 + causal")), "causal + keys 1 5");
    EXPECT_EQ(mask_text(parse_mask("mask", "no_self+local 0")), "no_self + local 0");
    for (const char* text : {"", "later", "causal 1", "local", "local 1 2", "local -1", "keys",
                             "local 1.5", "causal +", "+ causal", "causal + causal",
                             "none + causal", " causal", "keys 99999999999"})
        EXPECT_THROW(parse_mask("mask", text), ValueError) << text;
}

}  // namespace
}  // namespace headlight::mask_test
