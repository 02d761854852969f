#include <gtest/gtest.h>

#include "models.h"
#include "state/fields.h"
#include "support.h"

// The length and width of a layer's position table, depending on how its picture is cut.
namespace headlight {
namespace {

using testing::Desk;

struct Extents {
    int rows, cols;
    Index width;

    friend bool operator==(const Extents&, const Extents&) = default;
    friend void PrintTo(const Extents& e, std::ostream* out) {
        *out << e.rows << " × " << e.cols << " of " << e.width;
    }
};
Extents extents(Desk& desk) {
    const Trace& trace = *desk->trace();
    EXPECT_EQ(trace.view(Tensor::positions).rows, trace.layout.prefix() + trace.grid.count());
    return {trace.grid.rows, trace.grid.cols, trace.view(Tensor::positions).cols};
}

TEST(PatchGrid, is_as_was_asked_for_and_patches_are_as_they_were) {
    Desk desk;
    EXPECT_EQ(extents(desk), (Extents{4, 4, 768}));
    ASSERT_TRUE(desk.does("patch-grid 3 5"));
    EXPECT_EQ(extents(desk), (Extents{3, 5, 768}));
    EXPECT_EQ(desk->trace()->image->height, 48);
    EXPECT_EQ(desk->trace()->image->width, 80);
}

TEST(PatchGrid, has_as_many_patches_where_they_get_another_size) {
    Desk desk;
    ASSERT_TRUE(desk.does("patch-grid 4 4 5"));
    EXPECT_EQ(extents(desk), (Extents{4, 4, 75}));
    ASSERT_TRUE(desk.does("set color grey"));
    EXPECT_EQ(extents(desk), (Extents{4, 4, 25}));
}

TEST(PatchGrid, overlaps_as_it_did) {
    Desk desk;
    ASSERT_TRUE(desk.does("set stride 8"));
    ASSERT_TRUE(desk.does("patch-grid 3 4"));
    EXPECT_EQ(extents(desk), (Extents{3, 4, 768}));
    EXPECT_EQ(desk->trace()->grid.settings, (PatchSettings{16, 8, Ragged::pad}));
    ASSERT_TRUE(desk.does("patch-grid 3 4 6"));
    EXPECT_EQ(extents(desk), (Extents{3, 4, 108}));
    EXPECT_EQ(desk->trace()->grid.settings, (PatchSettings{6, 3, Ragged::pad}));
}

TEST(PatchGrid, a_drag_is_one_undo_step) {
    Desk desk;
    const State before = desk.state();
    for (const char* drag : {"patch-grid 5 5", "patch-grid 6 6", "patch-grid 7 7"})
        ASSERT_TRUE(desk.does(drag));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(same_choices(desk.state(), before));
}

TEST(PatchGrid, of_a_model_resamples_its_table_and_leaves_its_patches) {
    for (const char* model : {"mae", "t2t"}) {
        Desk desk(testing::small_state(), testing::model_files());
        ASSERT_TRUE(desk.does(std::string("open-model ") + model + "/model.safetensors"));
        const Model& opened = *desk->trace()->model;
        const int last = static_cast<int>(opened.layers.size()) - opened.token_transformers();
        ASSERT_TRUE(desk.does("layer " + std::to_string(last)));
        const Extents before = extents(desk);
        ASSERT_TRUE(desk.does("patch-grid 5 3"));
        EXPECT_EQ(extents(desk), (Extents{5, 3, before.width})) << model;
        EXPECT_FALSE(desk.does("patch-grid 5 3 8"));
        desk.expect_notice("a whole model fixes this");
    }
}

TEST(PatchGrid, refuses_what_cannot_be_and_changes_nothing) {
    Desk desk;
    const State before = desk.state();
    for (const char* line : {"patch-grid 0 4", "patch-grid 4 4 0", "patch-grid 4 x",
                             "patch-grid 512 4", "patch-grid 4 4 513", "patch-grid 4"})
        EXPECT_FALSE(desk.does(line)) << line;
    EXPECT_TRUE(same_choices(desk.state(), before));
    ASSERT_TRUE(desk.does("vectors 1,2 2,3"));
    EXPECT_FALSE(desk.does("patch-grid 4 4"));
    desk.expect_notice("no picture");
}

// Rotary positions have a head's width, a multiple of four.
TEST(PatchGrid, channels_that_slide_stay_what_can_be_turned) {
    State state = testing::small_state();
    state.recipe.position.kind = PositionKind::rotary;
    EXPECT_EQ(slider_text(*find_field("channels"), state, 27), "32");
    state.recipe.position.kind = PositionKind::sinusoidal;
    EXPECT_EQ(slider_text(*find_field("channels"), state, 27), "28");
}

}  // namespace
}  // namespace headlight
