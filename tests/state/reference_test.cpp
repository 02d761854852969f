#include <gtest/gtest.h>

#include "disk/read_file.h"
#include "models.h"
#include "state/session.h"
#include "support.h"
#include "tests/engine/bytes_of_matrix.h"
#include "tests/engine/zip_file.h"
#include "tests/scratch_folder.h"

// `reference FILE`: compares the walk with another program's numbers.
namespace headlight {
namespace {

using testing::bytes_of;
using testing::Desk;
using testing::npy_of_shape;
using testing::small_state;

class Reference : public ::testing::Test {
  protected:
    [[nodiscard]] std::string file(const std::string& name, const std::string& shape,
                                   const MatrixView& matrix, float more = 0) const {
        return folder_.write(name, npy_of_shape(shape, bytes_of(matrix, more))).string();
    }
    // Files on the disk, and the tests' others.
    static File read(const std::string& name) {
        return name.starts_with("/") ? read_file(name) : testing::model_files()(name);
    }

    ScratchFolder folder_;
    Desk desk_{small_state(), read};
};

TEST_F(Reference, is_held_against_each_new_result) {
    ASSERT_EQ(desk_->reference(), nullptr);
    const std::string path = file("output.npy", "(16, 16)", desk_->trace()->view(Tensor::output));
    ASSERT_TRUE(desk_.does("reference " + path)) << desk_->notice().text;
    ASSERT_NE(desk_->reference(), nullptr);
    EXPECT_EQ(desk_->reference()->error, "");
    const HeldResults same = held_of_step(desk_->reference()->answer, desk_->steps().back());
    ASSERT_EQ(same.size(), 1U);
    EXPECT_EQ(same[0].deviation.largest, 0);
    ASSERT_TRUE(desk_.does("set temperature 0.2"));
    const HeldResult* other = worst_of(desk_->reference()->answer);
    ASSERT_NE(other, nullptr);
    EXPECT_GT(other->deviation.relative, 1e-4);
    EXPECT_EQ(desk_->reference()->question.trace, desk_->trace());
}

TEST_F(Reference, comes_and_goes_with_undo_and_is_kept_by_a_session) {
    const std::string path = file("output.npy", "(16, 16)", desk_->trace()->view(Tensor::output));
    ASSERT_TRUE(desk_.does("reference " + path));
    const State kept = from_json(to_json(desk_.state()), "kept");
    EXPECT_EQ(kept.reference, path);
    ASSERT_TRUE(desk_.does("reference"));
    EXPECT_EQ(desk_.state().reference, "");
    EXPECT_EQ(desk_->reference(), nullptr);
    ASSERT_TRUE(desk_.does("undo"));
    ASSERT_NE(desk_->reference(), nullptr);
    ASSERT_TRUE(desk_.does("undo"));
    EXPECT_EQ(desk_->reference(), nullptr);
    Desk again(kept, read);
    ASSERT_NE(again->reference(), nullptr);
    EXPECT_EQ(again->reference()->error, "");
}

TEST_F(Reference, that_does_not_fit_says_so_in_one_sentence) {
    const MatrixView output = desk_->trace()->view(Tensor::output);
    const std::string turned = file("output.npy", "(8, 32)", output);
    ASSERT_TRUE(desk_.does("reference " + turned));
    desk_.expect_notice("expected [1, 16, 16] for layer.0.output, found [8, 32].");
    EXPECT_EQ(desk_->reference()->error, desk_->notice().text);
    desk_.does("reference /gone.npz");
    desk_.expect_notice("/gone.npz");
    desk_.does("reference lost.pth");
    desk_.expect_notice("lost.pth");
    ASSERT_TRUE(desk_.does("reference"));
    EXPECT_EQ(desk_->reference(), nullptr);
}

// The same name again reads the file again, because it may have changed.
TEST_F(Reference, is_read_again_when_it_is_asked_for_again) {
    const MatrixView output = desk_->trace()->view(Tensor::output);
    const std::string path = file("output.npy", "(16, 16)", output, 1);
    ASSERT_TRUE(desk_.does("reference " + path));
    EXPECT_NEAR(worst_of(desk_->reference()->answer)->deviation.largest, 1, 1e-6);
    (void)file("output.npy", "(1, 16, 16)", output, 2);
    ASSERT_TRUE(desk_.does("reference " + path));
    EXPECT_NEAR(worst_of(desk_->reference()->answer)->deviation.largest, 2, 1e-6);
}

// PyTorch's numbers for a whole model: those of the selected layer and of the end.
TEST_F(Reference, of_a_whole_model_is_that_of_the_layer_looked_at) {
    ASSERT_TRUE(desk_.does("open-model timm/model.safetensors"));
    const MatrixView logits = desk_->trace()->view(Tensor::logits);
    const std::string alone =
        file("logits.npy", "(1, " + std::to_string(logits.cols) + ")", logits);
    ASSERT_TRUE(desk_.does("reference " + alone));
    ASSERT_EQ(desk_->reference()->error, "");
    EXPECT_EQ(desk_->reference()->answer.front().name, "logits");
    // An array with another name is not compared, because its meaning is unknown.
    desk_.does("reference " + file("mine.npy", "(1, " + std::to_string(logits.cols) + ")", logits));
    desk_.expect_notice(
        "expected tensors with the names of a trace, such as logits, found \"mine\".");
}

}  // namespace
}  // namespace headlight
