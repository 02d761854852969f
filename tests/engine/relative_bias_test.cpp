#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/ops.h"
#include "ops/scores.h"
#include "picture.h"
#include "positions/relative.h"

// A learned number for every offset, beside a mask and where products are not kept.
namespace headlight {
namespace {

FileReader with_picture(const GoldenModel& model) {
    return [read = reader_of(model)](const std::string& path) -> File {
        return path == "picture" ? FileBytes(picture(50, 47)) : read(path);
    };
}

std::shared_ptr<const Trace> run_beit(const MaskRules& mask) {
    const GoldenModel model{"beit"};
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    recipe.mask = mask;
    return Runner(with_picture(model)).run(recipe);
}

TEST(RelativeBias, is_added_before_the_mask) {
    const auto plain = run_beit({}), masked = run_beit({{MaskKind::causal}});
    EXPECT_FALSE(plain->has(Tensor::biased));
    for (Index head = 0; head < 3; ++head) {
        const MatrixView scaled = plain->view(Tensor::scaled, 0, head),
                         bias = plain->view(Tensor::relative_bias, 0, head),
                         scores = plain->view(Tensor::scores, 0, head),
                         biased = masked->view(Tensor::biased, 0, head),
                         blocked = masked->view(Tensor::scores, 0, head);
        ASSERT_EQ(scores.rows, 10);
        for (Index row = 0; row < 10; ++row)
            for (Index col = 0; col < 10; ++col) {
                EXPECT_EQ(scores(row, col), scaled(row, col) + bias(row, col));
                EXPECT_EQ(biased(row, col), scores(row, col));
                EXPECT_EQ(blocked(row, col),
                          col > row ? -std::numeric_limits<float>::infinity() : scores(row, col));
            }
    }
}

// The same numbers where they are computed for one head when somebody looks.
TEST(RelativeBias, is_there_where_squares_are_not_kept) {
    for (const MaskRules& rules : {MaskRules{}, MaskRules{{MaskKind::no_self}}}) {
        const auto kept = run_beit(rules);
        Trace lean = *kept;
        lean.keeps_squares = false;
        std::vector<Node> layer;
        for (const Node& node : kept->nodes)
            if (node.place == Place::layer) layer.push_back(node);
        compute_all(layer, lean, {});
        EXPECT_TRUE(lean.on_demand(Tensor::scores));
        for (Index head = 0; head < 3; ++head) {
            EXPECT_TRUE(naive::identical(lean.view(Tensor::attention, 0, head),
                                         kept->view(Tensor::attention, 0, head)));
            for (const Tensor square :
                 {Tensor::products, Tensor::scaled, Tensor::biased, Tensor::scores}) {
                if (!kept->has(square)) continue;
                const Matrix found = compute_for_head(lean, square, 0, head);
                const MatrixView expected = kept->view(square, 0, head);
                for (Index row = 0; row < 10; ++row)
                    for (Index col = 0; col < 10; ++col) {
                        const float want = expected(row, col);
                        if (std::isinf(want))
                            EXPECT_EQ(found(row, col), want);
                        else
                            EXPECT_NEAR(found(row, col), want, 1e-5) << info(square).name;
                    }
            }
        }
    }
}

TEST(RelativeBias, fits_no_other_grid) {
    const GoldenModel model{"beit"};
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    recipe.image_height = recipe.image_width = 20;
    try {
        (void)Runner(with_picture(model)).run(recipe);
        FAIL() << "expected a refusal";
    } catch (const std::exception& error) {
        EXPECT_EQ(std::string(error.what()),
                  "This model's relative position bias is for 3 × 3 patches, and fits no others; "
                  "here are 5 × 5.");
    }
}

}  // namespace
}  // namespace headlight
