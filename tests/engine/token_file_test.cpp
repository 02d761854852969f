#include "tokens/token_file.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "encoder/runner.h"
#include "tokens/token_source.h"
#include "tokens/vector_set.h"
#include "zip_file.h"

// Tokens saved by other programs: what is accepted as tokens, and their numbers.
namespace headlight::token_file_test {
namespace {

using Npz = std::vector<headlight::testing::Member>;

std::string bytes_of(const std::vector<float>& numbers) {
    std::string bytes(numbers.size() * 4, '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

// With `count` numbers: 0, 1, 2, ...
std::string counted(const std::string& shape, int count) {
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = static_cast<float>(i);
    return headlight::testing::npy_of_shape(shape, bytes_of(numbers));
}

FileReader disk_of(const std::string& bytes) {
    return [bytes](const std::string&) {
        const auto view = std::as_bytes(std::span(bytes));
        return File(Bytes(view.begin(), view.end()));
    };
}
TensorFile open(const std::string& bytes, const std::string& name) {
    return open_tensor_file(name, disk_of(bytes));
}

template <class Work>
void expect_refused(const Work& work, const std::string& says) {
    try {
        work();
        FAIL() << says;
    } catch (const TokenError& error) {
        EXPECT_EQ(error.what(), says);
    }
}

TEST(TokenFile, an_array_says_by_its_extents_what_it_holds) {
    const auto rows = array_of({80, 2});
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->samples, 1);
    EXPECT_EQ(rows->rows, 80);
    EXPECT_EQ(rows->width, 2);
    const auto map = array_of({3, 4, 8});
    ASSERT_TRUE(map);
    EXPECT_EQ(map->rows, 12);
    EXPECT_EQ(map->width, 8);
    EXPECT_EQ(map->map_cols, 4);
    const auto maps = array_of({2, 3, 4, 8});
    ASSERT_TRUE(maps);
    EXPECT_EQ(maps->samples, 2);
    EXPECT_EQ(maps->map_rows, 3);
    const auto batch = array_of({8, 80, 12}, true);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->samples, 8);
    EXPECT_EQ(batch->rows, 80);
    EXPECT_EQ(batch->map_cols, 0);
    for (const std::vector<std::int64_t>& none : {std::vector<std::int64_t>{},
                                                  {7},
                                                  {0, 2},
                                                  {2, -1},
                                                  {1, 2, 3, 4, 5},
                                                  {std::int64_t{1} << 40, 2}})
        EXPECT_FALSE(array_of(none));
    EXPECT_FALSE(array_of({2, 3, 4, 8}, true));
}

TEST(TokenFile, gives_the_numbers_of_its_sample) {
    const TensorFile file =
        open(headlight::testing::zip_of({{"tokens.npy", counted("(3, 2, 2)", 12)}}), "t.npz");
    const auto found = tokens_in(file);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->named);
    EXPECT_EQ(found->array().samples, 3);
    TokenFile tokens = *found;
    tokens.sample = 1;
    const Matrix rows = rows_of(tokens, file);
    EXPECT_EQ(rows(0, 0), 4);
    EXPECT_EQ(rows(1, 1), 7);
}

TEST(TokenFile, what_is_a_model_or_maps_is_left_to_its_reader) {
    using headlight::testing::zip_of;
    EXPECT_FALSE(tokens_in(open(counted("(2, 3, 3)", 18), "maps.npy")));
    EXPECT_FALSE(tokens_in(open(counted("(2, 2, 3, 3)", 36), "maps.npy")));
    EXPECT_FALSE(tokens_in(open(counted("(6,)", 6), "line.npy")));
    EXPECT_FALSE(tokens_in(
        open(zip_of({{"a.npy", counted("(2, 2)", 4)}, {"b.npy", counted("(2, 2)", 4)}}), "w.npz")));
    // On request, maps may be tokens too.
    EXPECT_EQ(tokens_of(open(counted("(2, 3, 3)", 18), "maps.npy")).array().rows, 6);
}

TEST(TokenFile, what_cannot_be_shown_is_refused_in_one_sentence) {
    using headlight::testing::zip_of;
    expect_refused(
        [] {
            tokens_in(open(
                zip_of({{"tokens.npy", counted("(2, 2)", 4)}, {"mask.npy", counted("(2, 2)", 4)}}),
                "t.npz"));
        },
        "t.npz: expected tokens alone, found \"mask\" as well; headlight trace may accept it.");
    expect_refused([] { tokens_in(open(counted("(5000, 1)", 5000), "t.npy")); },
                   "t.npy: expected at most 4096 tokens, found 5000.");
    expect_refused([] { tokens_of(open(counted("(4,)", 4), "t.npy")); },
                   "t.npy: expected an array of tokens [N, D] or [B, N, D], or feature maps "
                   "[H, W, C], found [4].");
    const TensorFile small = open(counted("(2, 2)", 4), "t.npy");
    TokenFile other{"t.npy", {3, 2}, false, false, 0};
    expect_refused([&] { rows_of(other, small); },
                   "t.npy: expected tokens [3, 2] as when it was opened, found [2, 2].");
    const TensorFile none = open(
        headlight::testing::npy_of_shape("(2, 2)", bytes_of({0, 1, 2, std::nanf("")})), "t.npy");
    expect_refused([&] { rows_of(*tokens_in(none), none); },
                   "t.npy: expected finite numbers, found NaN in token 1 of sample 1.");
}

TEST(TokenFile, of_query_and_value_holds_two_kinds_of_tokens) {
    const auto member = [](const std::string& name, const std::string& shape, int count) {
        return headlight::testing::Member{name + ".npy", counted(shape, count)};
    };
    const auto file_with = [&](const Npz& members) {
        return open(headlight::testing::zip_of(members), "t.npz");
    };
    const TensorFile file =
        file_with({member("query", "(2, 3, 4)", 24), member("value", "(2, 5, 2)", 20)});
    auto tokens = tokens_in(file);
    ASSERT_TRUE(tokens && tokens->is_cross());
    tokens->sample = 1;
    EXPECT_EQ(tokens->array().rows, 5);
    EXPECT_EQ(tokens->queries().rows, 3);
    EXPECT_EQ(rows_of(*tokens, file)(0, 0), 10);
    EXPECT_EQ(rows_of(*tokens, file, TokenPart::queries)(0, 0), 12);
    EXPECT_EQ(token_width(TokenSource(*tokens)), 4);
    expect_refused(
        [&] {
            tokens_in(file_with({member("query", "(2, 3, 4)", 24), member("value", "(5, 2)", 10)}));
        },
        "t.npz: expected as many samples in query as in value, found 2 and 1.");
    expect_refused(
        [&] {
            tokens_in(file_with({member("query", "(3, 4)", 12), member("value", "(5, 2)", 10),
                                 member("mask", "(3, 5)", 15)}));
        },
        "t.npz: expected query and value alone, found \"mask\" as well; headlight trace accepts "
        "it.");
    // A model's weights may have this name.
    EXPECT_FALSE(tokens_in(file_with({member("query", "(3, 4)", 12), member("value", "(5, 2)", 10),
                                      member("norm", "(4,)", 4)})));
}

TEST(TokenFile, is_the_same_after_it_was_written_and_read) {
    for (const TokenFile& tokens :
         {TokenFile{"/ä \"b\".npy", {8, 80, 12}, false, true, 3},
          TokenFile{"a.npy", {7, 7, 16}, false, false, 0}, TokenFile{"t.npz", {4, 2}, true},
          TokenFile{"t.npz", {3, 9, 2}, true, false, 2, {3, 4, 8}}}) {
        const std::string text = to_json(TokenSource(tokens));
        const TokenSource back = tokens_from_json(std::as_bytes(std::span(text)), "tokens");
        EXPECT_EQ(back, TokenSource(tokens)) << text;
    }
    for (
        const char* bad :
        {R"({"file": {"name": "a", "shape": [4], "as": "map", "sample": 1}})",
         R"({"file": {"name": "a", "shape": [4, 4], "as": "map", "sample": 2}})",
         R"({"file": {"name": "a", "shape": [4, 4], "as": "rows", "sample": 1}})",
         R"({"file": {"name": 3, "shape": [4, 4], "as": "map", "sample": 1}})",
         R"({"file": {"name": "a", "shape": [4, -4], "as": "map", "sample": 1}})",
         R"({"file": {"name": "a", "shape": [9000, 4], "as": "map", "sample": 1}})",
         R"({"file": {"name": "a", "shape": [4, 4, 4, 4], "as": "batch", "sample": 1}})",
         R"({"file": {"name": "a", "shape": [4, 4], "as": "value", "sample": 1}})",
         R"({"file": {"name": "a", "shape": [4, 4], "as": "map", "sample": 1, "query_shape": [2, 4]}})",
         R"({"file": {"name": "a", "shape": [4, 4], "as": "value", "sample": 1, "query_shape": [2, 2, 4]}})"})
        EXPECT_THROW(tokens_from_json(std::as_bytes(std::span(std::string_view(bad))), "tokens"),
                     TokenError)
            << bad;
}

// Attention without weights, compared with plain loops.
TEST(TokenFile, goes_through_a_layer) {
    Recipe recipe;
    recipe.tokens = TokenFile{"points.npy", {2, 3, 2}, false, true, 1};
    recipe.variant.projections = Projections::none;
    Runner runner(disk_of(counted("(2, 3, 2)", 12)));
    const auto trace = runner.run(recipe);
    EXPECT_EQ(trace->nodes.front().title, "Points");
    const MatrixView x = trace->view(Tensor::tokens), y = trace->view(Tensor::output);
    ASSERT_EQ(x.rows, 3);
    EXPECT_EQ(x(0, 0), 6);
    for (Index i = 0; i < 3; ++i) {
        std::array<double, 3> weight{};
        double sum = 0, most = -1e30;
        for (Index j = 0; j < 3; ++j)
            most = std::max(most, static_cast<double>(x(i, 0) * x(j, 0) + x(i, 1) * x(j, 1)));
        for (Index j = 0; j < 3; ++j)
            sum += weight.at(j) = std::exp(x(i, 0) * x(j, 0) + x(i, 1) * x(j, 1) - most);
        for (Index c = 0; c < 2; ++c) {
            double mixed = 0;
            for (Index j = 0; j < 3; ++j) mixed += weight.at(j) / sum * x(j, c);
            EXPECT_NEAR(y(i, c), mixed, 1e-4);
        }
    }
}

// A local window applies to the cells of a map.
TEST(TokenFile, cells_of_a_map_know_where_they_lie) {
    Recipe recipe;
    recipe.tokens = TokenFile{"map.npy", {3, 4, 2}, false, false, 0};
    recipe.variant.projections = Projections::none;
    recipe.mask = {{MaskKind::local, {1}}};
    Runner runner(disk_of(counted("(3, 4, 2)", 24)));
    const auto trace = runner.run(recipe);
    EXPECT_EQ(trace->grid.rows, 3);
    EXPECT_EQ(trace->grid.cols, 4);
    const MatrixView attention = trace->view(Tensor::attention);
    EXPECT_EQ(attention(0, 11), 0);
    EXPECT_EQ(attention(0, 2), 0);
    EXPECT_EQ(attention(5, 3), 0);
    EXPECT_NE(attention(11, 11), 0);
}

}  // namespace
}  // namespace headlight::token_file_test
