#include "encoder/reorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "patches/ordered_picture.h"
#include "picture.h"
#include "scene/random_scene.h"
#include "tests/source_path.h"

namespace headlight::reorder_test {
namespace {

FileReader with_picture(const FileReader& read) {
    return [read](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

Recipe recipe_of(const std::string& model) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model;
    return recipe;
}

std::shared_ptr<const Trace> run(const Recipe& recipe) {
    return Runner(with_picture(read_disk)).run(recipe);
}

std::vector<Index> drawn_for(const Trace& trace) {
    return drawn_order(tokens_to_order(trace).count(), 3);
}

OrderEffect effect(const Trace& trace, const Recipe& recipe, Positions positions,
                   const std::vector<Index>& order) {
    std::vector<Index> plain(order.size());
    std::iota(plain.begin(), plain.end(), Index{0});
    return compare_orders(run_in_order(trace, recipe, positions, plain),
                          run_in_order(trace, recipe, positions, order),
                          tokens_to_order(trace).prefix, order);
}

// The largest difference by loops: token i of the other order is token order[i].
double largest_difference(const OrderEffect& found, Index prefix, const std::vector<Index>& order) {
    const MatrixView was = found.plain.output->view(), is = found.changed.output->view();
    double most = 0;
    for (Index row = 0; row < was.rows; ++row) {
        const Index home =
            row < prefix ? row : prefix + order[static_cast<std::size_t>(row - prefix)];
        for (Index col = 0; col < was.cols; ++col)
            most = std::max(most, std::abs(double(is(row, col)) - was(home, col)));
    }
    return most;
}

void expect_the_same_set(const OrderEffect& found, const std::string& what) {
    EXPECT_LT(found.most, 1e-5 * found.largest) << what;
}
void expect_another_set(const OrderEffect& found, const std::string& what) {
    EXPECT_GT(found.most, 1e-3 * found.largest) << what;
}

// Learned tables, rotations of queries and keys, and score biases each encode the position; nothing
// else does. With and without a class token.
TEST(Reorder, without_positions_the_output_is_the_same_set) {
    for (const char* name : {"", "timm", "timm_registers", "dinov2", "dinov3", "eva02", "beit"}) {
        const GoldenModel model{name};
        const Recipe recipe = recipe_of(*name == 0 ? "" : model.path());
        const auto trace = Runner(with_picture(reader_of(model))).run(recipe);
        const Index prefix = tokens_to_order(*trace).prefix;
        const std::vector<Index> order = drawn_for(*trace);
        const OrderEffect none = effect(*trace, recipe, Positions::none, order);
        expect_the_same_set(none, name);
        const OrderEffect own = effect(*trace, recipe, Positions::as_they_are, order);
        expect_another_set(own, name);
        EXPECT_NEAR(own.most, largest_difference(own, prefix, order), 1e-6 * own.most) << name;
        ASSERT_EQ(none.plain.answers.size(), none.changed.answers.size());
        if (none.plain.answers.empty()) continue;
        EXPECT_EQ(none.plain.answers[0].index, none.changed.answers[0].index) << name;
        EXPECT_NEAR(none.plain.answers[0].probability, none.changed.answers[0].probability, 1e-5);
    }
}

// For a single layer: every kind of positions distinguishes the order.
TEST(Reorder, every_kind_of_positions_tells_the_order) {
    for (const PositionInfo& kind : all_positions()) {
        if (kind.effect == PositionEffect::nothing) continue;
        Recipe recipe = recipe_of("");
        recipe.position.kind = kind.id;
        const auto trace = run(recipe);
        const std::vector<Index> order = drawn_for(*trace);
        const std::string name(kind.label);
        expect_another_set(effect(*trace, recipe, Positions::as_they_are, order), name);
        expect_the_same_set(effect(*trace, recipe, Positions::none, order), name);
    }
}

// Rotary positions and relative biases depend only on offsets. A cyclic shift changes the offsets
// of the patches that wrap around, so the output changes. On a picture without border it would not.
TEST(Reorder, a_shift_is_noticed_for_its_seam) {
    PatchOrder shifted;
    shifted.right = 1;
    for (const PositionInfo& kind : all_positions()) {
        if (kind.effect != PositionEffect::turned && kind.effect != PositionEffect::biased)
            continue;
        Recipe recipe = recipe_of("");
        recipe.position.kind = kind.id;
        const auto trace = run(recipe);
        const auto order = order_of(shifted, trace->grid.rows, trace->grid.cols);
        expect_another_set(effect(*trace, recipe, Positions::as_they_are, order), "shifted");
        expect_the_same_set(effect(*trace, recipe, Positions::none, order), "shifted");
    }
}

// A bias that decreases with distance, equally for rows and columns: a mirror changes no distance.
TEST(Reorder, a_bias_of_distance_does_not_notice_a_mirror) {
    Recipe recipe = recipe_of("");
    recipe.position = {PositionKind::relative, kUsualBase, {BiasStart::distance, 1}};
    const auto trace = run(recipe);
    PatchOrder how;
    how.mirrored = true;
    const auto mirrored = order_of(how, trace->grid.rows, trace->grid.cols);
    expect_the_same_set(effect(*trace, recipe, Positions::as_they_are, mirrored), "mirrored");
    expect_another_set(effect(*trace, recipe, Positions::as_they_are, drawn_for(*trace)),
                       "shuffled");
}

TEST(Reorder, in_its_own_order_nothing_changes) {
    const Recipe recipe = recipe_of(GoldenModel{"timm"}.path());
    const auto trace = run(recipe);
    std::vector<Index> order(static_cast<std::size_t>(trace->view(Tensor::patches).rows));
    std::iota(order.begin(), order.end(), Index{0});
    const OrderEffect found = effect(*trace, recipe, Positions::as_they_are, order);
    EXPECT_EQ(found.most, 0);
    EXPECT_TRUE(naive::identical(found.plain.output->view(), trace->view(Tensor::encoded)))
        << "it is the run that the trace shows";
}

TEST(Reorder, a_mask_tells_the_order_too) {
    Recipe recipe = recipe_of("");
    recipe.mask = {{MaskKind::causal}};
    const auto trace = run(recipe);
    EXPECT_GT(effect(*trace, recipe, Positions::none, drawn_for(*trace)).most, 1e-3);
}

// Words are a sequence; added positions stay in place.
TEST(Reorder, of_words_as_of_patches) {
    VectorSet set{{{"Hello", {1, 0.2F}}, {"I", {0.3F, 1}}, {"love", {-1, 0.5F}}, {"you", {0, -1}}}};
    Recipe recipe;
    recipe.tokens = set;
    const std::vector<Index> order{3, 2, 0, 1};
    for (const PositionInfo& kind : all_positions()) {
        if (kind.needs_grid || kind.id == PositionKind::model) continue;
        recipe.position.kind = kind.id;
        const auto trace = run(recipe);
        const OrderedTokens tokens = tokens_to_order(*trace);
        EXPECT_EQ(tokens.prefix, 0);
        EXPECT_EQ(tokens.rows, 1);
        ASSERT_EQ(tokens.cols, 4);
        expect_the_same_set(effect(*trace, recipe, Positions::none, order), "none");
        const OrderEffect own = effect(*trace, recipe, Positions::as_they_are, order);
        // The same as for words written in that order.
        Recipe written = recipe;
        VectorSet other;
        for (const Index i : order)
            other.vectors.push_back(set.vectors[static_cast<std::size_t>(i)]);
        written.tokens = other;
        EXPECT_TRUE(
            naive::identical(own.changed.output->view(), run(written)->view(Tensor::encoded)));
        if (kind.effect == PositionEffect::nothing)
            expect_the_same_set(own, "none");
        else
            expect_another_set(own, "placed");
    }
}

// The shipped model: every patch points where it does in the walk.
TEST(Reorder, says_what_a_model_answers_and_where_its_patches_point) {
    Recipe recipe;
    recipe.weights = source_path("assets/models/scenes/model.safetensors");
    recipe.scene = random_scene(kFirstTestScene);
    const auto trace = Runner(read_disk).run(recipe);
    const std::vector<Index> order = drawn_for(*trace);
    const OrderEffect own = effect(*trace, recipe, Positions::as_they_are, order);
    ASSERT_EQ(own.plain.pointing.size(), order.size());
    ASSERT_EQ(own.plain.answers.size(), 3U);
    EXPECT_EQ(own.plain.answers, top_predictions(trace->view(Tensor::logits), 3));
    const Index prefix = tokens_to_order(*trace).prefix;
    for (std::size_t p = 0; p < order.size(); ++p)
        EXPECT_EQ(own.plain.pointing[p].cell,
                  point_of(trace->view(Tensor::pointing), prefix + static_cast<Index>(p)).cell);
    // Without positions, a patch gives the same answer anywhere.
    const OrderEffect none = effect(*trace, recipe, Positions::none, order);
    for (std::size_t place = 0; place < order.size(); ++place)
        EXPECT_NEAR(none.changed.pointing[place].probability,
                    none.plain.pointing[static_cast<std::size_t>(order[place])].probability, 1e-4);
    expect_another_set(own, "scenes");
}

TEST(Reorder, refuses_what_has_no_patches_of_its_own) {
    const auto trace = run(recipe_of(GoldenModel{"t2t"}.path()));
    EXPECT_THROW(static_cast<void>(tokens_to_order(*trace)), RecipeError);
    const auto plain = run(recipe_of(""));
    EXPECT_THROW(static_cast<void>(run_in_order(*plain, recipe_of(""), Positions::none, {0, 1})),
                 RecipeError);
    Recipe queries = recipe_of("");
    queries.queries = 3;
    EXPECT_THROW(static_cast<void>(tokens_to_order(*run(queries))), RecipeError);
}

TEST(PatchOrder, moves_the_patches_of_a_picture) {
    Image image{4, 6, 1, {}};
    for (int i = 0; i < 24; ++i) image.values.push_back(static_cast<float>(i));
    const PatchGrid grid = make_patch_grid(4, 6, {2, 2, Ragged::pad});
    const std::vector<Index> order{5, 1, 2, 3, 0, 4};
    const Image moved = in_order(image, grid, order);
    for (int row = 0; row < 4; ++row)
        for (int col = 0; col < 6; ++col) {
            const auto from =
                static_cast<int>(order[static_cast<std::size_t>(row / 2 * 3 + col / 2)]);
            EXPECT_EQ(moved.at(row, col, 0),
                      image.at(from / 3 * 2 + row % 2, from % 3 * 2 + col % 2, 0));
        }
    // A patch cut by the border brings its padding along.
    const PatchGrid ragged = make_patch_grid(4, 6, {4, 4, Ragged::pad});
    const Image swapped = in_order(image, ragged, {1, 0});
    EXPECT_EQ(swapped.at(0, 0, 0), image.at(0, 4, 0));
    EXPECT_EQ(swapped.at(0, 2, 0), 0.5F);
    EXPECT_EQ(swapped.at(0, 4, 0), image.at(0, 0, 0));
}

}  // namespace
}  // namespace headlight::reorder_test
