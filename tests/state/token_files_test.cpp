#include <gtest/gtest.h>

#include <cstring>

#include "disk/read_file.h"
#include "models.h"
#include "state/session.h"
#include "support.h"
#include "tests/engine/zip_file.h"
#include "tests/scratch_folder.h"

// Tokens of a file, opened like a picture.
namespace headlight {
namespace {

using testing::Desk;
using testing::npy_of_shape;
using testing::small_state;

class TokenFiles : public ::testing::Test {
  protected:
    [[nodiscard]] static std::string counted(const std::string& shape, int count) {
        std::string bytes;
        for (int i = 0; i < count; ++i) {
            const auto number = static_cast<float>(i % 7) / 4 - 0.5F;
            std::string raw(4, '\0');
            std::memcpy(raw.data(), &number, 4);
            bytes += raw;
        }
        return npy_of_shape(shape, bytes);
    }
    [[nodiscard]] std::string npy(const std::string& name, const std::string& shape,
                                  int count) const {
        return folder_.write(name, counted(shape, count)).string();
    }
    static File read(const std::string& name) {
        if (name == "two.safetensors") return testing::layer_file(8, 2);
        return name.starts_with("/") ? read_file(name) : testing::model_files()(name);
    }
    [[nodiscard]] const TokenFile& tokens() const {
        return std::get<TokenFile>(desk_.state().recipe.tokens);
    }

    ScratchFolder folder_;
    Desk desk_{small_state(), read};
};

TEST_F(TokenFiles, are_opened_like_a_picture_and_left_for_it) {
    const std::string points = npy("points.npy", "(80, 2)", 160);
    ASSERT_TRUE(desk_.does("open " + points)) << desk_->notice().text;
    EXPECT_EQ(desk_->notice().text, "");
    EXPECT_EQ(tokens().file, points);
    EXPECT_EQ(desk_->trace()->shape.queries, 80);
    EXPECT_EQ(desk_.state().recipe.variant.projections, Projections::none);
    EXPECT_EQ(desk_.selection().step, Step::given);
    EXPECT_EQ(desk_.selection().token, 0);
    ASSERT_TRUE(desk_.does("picture"));
    EXPECT_EQ(desk_.state().recipe.image, "a.ppm");
    ASSERT_TRUE(desk_.does("undo"));
    EXPECT_EQ(tokens().file, points);
    ASSERT_TRUE(desk_.does("open-model two.safetensors"));
    EXPECT_FALSE(desk_->notice().is_error) << desk_->notice().text;
    EXPECT_EQ(desk_->trace()->shape.queries, 80);
    EXPECT_EQ(desk_->trace()->model->file, "two.safetensors");
}

TEST_F(TokenFiles, of_three_extents_are_a_map_or_a_batch_and_it_is_said) {
    ASSERT_TRUE(desk_.does("open " + npy("points.npy", "(8, 10, 3)", 240)));
    EXPECT_FALSE(desk_->notice().is_error);
    EXPECT_EQ(
        desk_->notice().text,
        "points.npy: read as a feature map of 8 × 10 cells with 3 numbers each. “batch” on the "
        "left reads it as 8 samples of 10 tokens.");
    EXPECT_EQ(desk_->trace()->shape.queries, 80);
    ASSERT_TRUE(desk_.does("array batch"));
    EXPECT_EQ(desk_->trace()->shape.queries, 10);
    const Matrix first = desk_->trace()->view(Tensor::tokens).eigen();
    ASSERT_TRUE(desk_.does("sample next"));
    EXPECT_EQ(tokens().sample, 1);
    EXPECT_NE(desk_->trace()->view(Tensor::tokens).eigen(), first);
    ASSERT_TRUE(desk_.does("sample 8"));
    ASSERT_TRUE(desk_.does("sample next"));
    EXPECT_EQ(tokens().sample, 7);
    EXPECT_FALSE(desk_.does("sample 9"));
    desk_.expect_notice("from 1 to 8");
    ASSERT_TRUE(desk_.does("array map"));
    EXPECT_EQ(tokens().sample, 0);
    ASSERT_TRUE(desk_.does("undo"));
    EXPECT_EQ(tokens().sample, 7);
}

TEST_F(TokenFiles, may_be_asked_for_where_they_could_be_maps) {
    const std::string square = npy("square.npy", "(2, 4, 4)", 32);
    desk_.does("open " + square);
    EXPECT_FALSE(gives_tokens(desk_.state().recipe.tokens)) << "attention that adds up to no 1";
    EXPECT_TRUE(desk_->notice().is_error);
    ASSERT_TRUE(desk_.does("tokens " + square));
    EXPECT_EQ(desk_->trace()->shape.queries, 8);
    const std::string maps = npy("maps.npy", "(3, 2, 2, 5)", 60);
    ASSERT_TRUE(desk_.does("tokens " + maps + " 2")) << desk_->notice().text;
    EXPECT_EQ(tokens().sample, 1);
    EXPECT_FALSE(desk_.does("tokens " + maps + " 4"));
    desk_.expect_notice("from 1 to 3");
    EXPECT_FALSE(desk_.does("tokens timm/model.safetensors"));
    desk_.expect_notice("expected one array, an array called tokens");
    EXPECT_FALSE(desk_.does("tokens /gone.npy"));
    desk_.expect_notice("/gone.npy");
}

TEST_F(TokenFiles, whose_numbers_are_none_leave_what_was_there) {
    std::string bytes(32, '\xFF');  // NaN
    const std::string bad = folder_.write("bad.npy", npy_of_shape("(4, 2)", bytes)).string();
    const Recipe before = desk_.state().recipe;
    desk_.does("open " + bad);
    desk_.expect_notice("expected finite numbers, found NaN in token 0 of sample 1.");
    EXPECT_EQ(desk_.state().recipe, before);
    EXPECT_FALSE(desk_->can_undo());
}

TEST_F(TokenFiles, are_kept_by_a_session) {
    ASSERT_TRUE(desk_.does("open " + npy("points.npy", "(8, 10, 3)", 240)));
    ASSERT_TRUE(desk_.does("array batch"));
    ASSERT_TRUE(desk_.does("sample 3"));
    const State kept = from_json(to_json(desk_.state()), "kept");
    EXPECT_EQ(kept.recipe, desk_.state().recipe);
    Desk again(kept, read);
    EXPECT_EQ(again->trace()->view(Tensor::tokens).eigen(),
              desk_->trace()->view(Tensor::tokens).eigen());
}

// Opening a model for pictures while they are shown returns to the picture.
TEST_F(TokenFiles, make_room_for_a_model_of_pictures) {
    ASSERT_TRUE(desk_.does("open " + npy("points.npy", "(8, 3)", 24)));
    ASSERT_TRUE(desk_.does("open timm/model.safetensors"));
    EXPECT_EQ(
        desk_->notice().text,
        "timm does not take tokens, so the picture is shown again. Ctrl+Z brings back the tokens.");
    ASSERT_TRUE(desk_.does("undo"));
    EXPECT_EQ(desk_->trace()->shape.queries, 8);
}

// A reference may contain all samples of the batch.
TEST_F(TokenFiles, of_a_batch_are_held_against_their_own_sample) {
    const std::string batch = npy("points.npy", "(8, 10, 3)", 240);
    ASSERT_TRUE(desk_.does("open " + batch));
    ASSERT_TRUE(desk_.does("array batch"));
    ASSERT_TRUE(desk_.does("sample 3"));
    const std::string archive =
        folder_
            .write("ref.npz",
                   headlight::testing::zip_of({{"tokens.input.npy", counted("(8, 10, 3)", 240)}}))
            .string();
    ASSERT_TRUE(desk_.does("reference " + archive));
    ASSERT_EQ(desk_->reference()->error, "");
    EXPECT_EQ(worst_of(desk_->reference()->answer)->deviation.largest, 0);
}

}  // namespace
}  // namespace headlight
