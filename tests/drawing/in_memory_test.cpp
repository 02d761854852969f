#include "heads/in_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "walks.h"

// Tests the texts about layers whose queries and keys did not fit in memory.
namespace headlight {
namespace {

using screens::kept_words;
using screens::left_out_words;
using testing::Desk;

constexpr std::string_view kNoRoom =
    " no maps here, because the queries and keys would need more than 320 MiB. The command "
    "“headlight maps” writes all of them.";

TEST(InMemory, layers_that_are_left_out_are_named) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    const Model& model = *desk->trace()->model;
    KeptLayers kept = desk->summary()->kept;
    ASSERT_EQ(kept.size(), 4U);
    EXPECT_EQ(left_out_words(model, kept), "");
    EXPECT_TRUE(kept_words(kept).starts_with("The queries and keys of 4 layers are in memory"));
    kept[3].reset();
    EXPECT_EQ(left_out_words(model, kept), "Layer 4 has" + std::string(kNoRoom));
    kept[2].reset();
    EXPECT_EQ(left_out_words(model, kept), "Layer 3 and 1 more layer have" + std::string(kNoRoom));
    kept[1].reset();
    EXPECT_EQ(left_out_words(model, kept), "Layer 2 and 2 more layers have" + std::string(kNoRoom));
    EXPECT_TRUE(kept_words(kept).starts_with("The queries and keys of 1 layer are in memory"));
    EXPECT_NE(kept_words(kept).find(" of at most 320 MiB."), std::string::npos);
}

// The token transformers have other tokens, so they do not count as missing.
TEST(InMemory, token_transformers_are_not_left_out) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[2].open));
    const Model& model = *desk->trace()->model;
    ASSERT_GT(model.token_transformers(), 0);
    const KeptLayers& kept = desk->summary()->kept;
    ASSERT_GT(kept.size(), static_cast<std::size_t>(model.token_transformers()));
    EXPECT_EQ(left_out_words(model, kept), "");
}

}  // namespace
}  // namespace headlight
