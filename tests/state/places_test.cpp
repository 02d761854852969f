#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models.h"
#include "state/fields.h"
#include "state/session.h"
#include "support.h"

// A selected token keeps its place in the picture when the grid changes.
namespace headlight {
namespace {

using testing::Desk;

struct Place {
    double down = 0, across = 0;  // in the picture, 0 to 1
};

Place place_of(Desk& desk, int token) {
    const Trace& trace = *desk->trace();
    const int patch = token - static_cast<int>(trace.layout.prefix());
    EXPECT_GE(patch, 0);
    EXPECT_LT(patch, trace.grid.count());
    return {(patch / trace.grid.cols + 0.5) / trace.grid.rows,
            (patch % trace.grid.cols + 0.5) / trace.grid.cols};
}

// Within half a patch of the coarser grid.
void expect_near(Desk& desk, int token, const Place& place, int coarser) {
    const Place found = place_of(desk, token);
    EXPECT_LE(std::abs(found.down - place.down), 0.51 / coarser) << token;
    EXPECT_LE(std::abs(found.across - place.across), 0.51 / coarser) << token;
}

TEST(Places, stay_where_patches_or_picture_get_another_size) {
    for (const char* change : {"set patch_size 8", "set patch_size 32", "set image_size 128",
                               "set image_size 32", "patch-grid 3 7", "set stride 8"})
        for (const int token : {0, 3, 6, 9, 12, 15}) {
            Desk desk;  // 4 × 4 patches
            ASSERT_TRUE(desk.does("focus " + std::to_string(token)));
            const Place place = place_of(desk, token);
            ASSERT_TRUE(desk.does(change)) << desk->notice().text;
            const auto coarser = std::min({4, desk->trace()->grid.rows, desk->trace()->grid.cols});
            SCOPED_TRACE(change);
            expect_near(desk, *desk.selection().token, place, coarser);
            ASSERT_TRUE(desk.does("undo"));
            EXPECT_EQ(desk.selection().token, token);
        }
}

TEST(Places, are_those_of_the_choice_after_any_number_of_grids) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("focus 14"));
    ASSERT_TRUE(desk.does("queries 14 3 8"));
    for (const char* change : {"set patch_size 32", "set patch_size 64", "set patch_size 8",
                               "open-model timm/model.safetensors", "close-model",
                               "set patch_size 16", "set image_size 64"})
        ASSERT_TRUE(desk.does(change)) << change << ": " << desk->notice().text;
    EXPECT_EQ(desk->trace()->grid.count(), 16);
    EXPECT_EQ(desk.selection().token, 14);
    EXPECT_EQ(desk.selection().also, (std::vector<int>{3, 8}));
}

TEST(Places, are_known_before_the_result_of_an_undo_is_there) {
    Desk desk;
    ASSERT_TRUE(desk.does("focus 15"));
    ASSERT_TRUE(desk.does("set patch_size 32"));
    ASSERT_TRUE(desk.say("undo"));
    ASSERT_TRUE(desk.does("set patch_size 8"));  // before the 4 × 4 patches are there again
    EXPECT_GE(*desk.selection().token, 6 * 8 + 6);
}

TEST(Places, are_kept_by_a_session_that_goes_on_in_another_grid) {
    Desk desk;
    ASSERT_TRUE(desk.does("focus 6"));
    ASSERT_TRUE(desk.does("queries 6 13"));
    const Place first = place_of(desk, 6), second = place_of(desk, 13);
    const std::string text = to_json(desk.state());
    for (const int size : {32, 48, 128, 256}) {
        State state = from_json(text, "session");
        state.recipe.image_height = state.recipe.image_width = size;
        Desk later(state);
        const int coarser = std::min(4, size / 16);
        expect_near(later, *later.selection().token, first, coarser);
        if (size < 64) continue;  // both positions may be the same token
        ASSERT_EQ(later.selection().also.size(), 1U);
        expect_near(later, later.selection().also[0], second, coarser);
    }
    Desk same(from_json(text, "session"));
    EXPECT_EQ(same.selection().token, 6);
    EXPECT_EQ(same.selection().also, std::vector<int>{13});
}

TEST(Places, that_an_old_session_does_not_say_leave_the_number) {
    Desk desk;
    ASSERT_TRUE(desk.does("focus 6"));
    std::string text = to_json(desk.state());
    const std::size_t begin = text.find("\"grid\": {");
    ASSERT_NE(begin, std::string::npos);
    text.erase(begin, text.find("},", begin) + 2 - begin);
    Desk later(from_json(text, "session"));
    EXPECT_EQ(later.selection().token, 6);
}

TEST(Places, that_are_none_are_refused) {
    Desk desk;
    const std::string text = to_json(desk.state());
    for (const char* name : {"\"rows\": 4", "\"image_height\": 64", "\"stride\": 16"}) {
        std::string bad = text;
        const std::size_t at = bad.find(name, bad.find("\"selection\""));
        ASSERT_NE(at, std::string::npos) << name;
        bad.replace(at, std::string(name).size(),
                    std::string(name).substr(0, std::string(name).find(':')) + ": 0");
        EXPECT_THROW(from_json(bad, "session"), SessionError) << name;
    }
}

// ---- layer numbers, which count from 1

TEST(LayerNumbers, count_from_one_and_set_says_how_it_is_written_now) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("layer 2"));
    EXPECT_EQ(find_field("layer")->get(desk.state()), "2");
    EXPECT_EQ(desk.state().recipe.layer, 1);
    EXPECT_FALSE(desk.does("set layer 0"));
    desk.expect_notice("layer 1");
    EXPECT_FALSE(desk.does("set layer 9"));
    desk.expect_notice("layer 10");
    EXPECT_EQ(desk.state().recipe.layer, 1);
    EXPECT_FALSE(desk.does("set layer x"));
    EXPECT_FALSE(desk.does("layer 0"));
    EXPECT_TRUE(desk.does("reset layer"));
    EXPECT_EQ(desk->trace()->layer, 0);
}

TEST(LayerNumbers, count_from_zero_in_a_session_as_they_did) {
    State state;
    state.recipe.layer = 8;
    const std::string text = to_json(state);
    EXPECT_NE(text.find("\"layer\": 8"), std::string::npos);
    EXPECT_EQ(from_json(text, "session").recipe.layer, 8);
    EXPECT_EQ(from_json(R"({"version": 1, "recipe": {"layer": 0}})", "session").recipe.layer, 0);
    EXPECT_THROW(from_json(R"({"version": 1, "recipe": {"layer": -1}})", "session"), SessionError);
}

}  // namespace
}  // namespace headlight
