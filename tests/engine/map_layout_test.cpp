#include "patches/map_layout.h"

#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "files/npy.h"
#include "model/map_facts.h"
#include "model_files.h"
#include "patches/patches.h"
#include "picture.h"

// Where attention maps without a model lie on a picture.
namespace headlight {
namespace {

struct Case {
    int before, rows, cols;     // how the maps were made
    int height, width;          // of the picture
    int spike_row, spike_col;   // the patch that every token of every head looks at
};

// [2, 3, N, N] as numpy.save writes it. Half of each row lies on the spike, the rest is even.
Bytes maps_of(const Case& c, int layers = 2, int heads = 3) {
    const int tokens = c.before + c.rows * c.cols;
    const int spike = c.before + c.spike_row * c.cols + c.spike_col;
    std::vector<float> row(static_cast<std::size_t>(tokens), 0.5F / static_cast<float>(tokens));
    row[static_cast<std::size_t>(spike)] += 0.5F;
    std::vector<float> all;
    for (int i = 0; i < layers * heads * tokens; ++i) all.insert(all.end(), row.begin(), row.end());
    return bytes_of(npy_header("<f4", {layers, heads, tokens, tokens}) + raw(all));
}

std::shared_ptr<const Trace> walk(const Case& c, const ModelOptions& options = {}) {
    const FileReader read = [&](const std::string& path) -> File {
        if (path == "p") return FileBytes(picture(c.height, c.width));
        if (path == "m.npy") return FileBytes(maps_of(c));
        throw FileMissing(path);
    };
    Recipe recipe;
    recipe.image = "p";
    recipe.weights = "m.npy";
    recipe.model = options;
    return Runner(read).run(recipe);
}

// Row and column of the largest cell of each head, by the trace's own grid.
void expect_spike(const Trace& trace, const Case& c) {
    const std::string name = std::to_string(c.rows) + " × " + std::to_string(c.cols) + " after " +
                             std::to_string(c.before) + " on " + std::to_string(c.height) + " × " +
                             std::to_string(c.width);
    EXPECT_EQ(trace.grid.rows, c.rows) << name;
    EXPECT_EQ(trace.grid.cols, c.cols) << name;
    ASSERT_EQ(trace.layout.prefix(), c.before) << name;
    ASSERT_EQ(trace.layout.count(), c.before + c.rows * c.cols) << name;
    for (Index h = 0; h < trace.shape.heads; ++h) {
        Index at = 0;
        trace.view(Tensor::attention, 0, h).eigen().row(0).maxCoeff(&at);
        const Index patch = at - trace.layout.prefix();
        const PixelRect rect = trace.grid.rect(static_cast<int>(patch));
        // The place in the framed picture, as a part of it.
        EXPECT_EQ(rect.row * c.rows / trace.image->height, c.spike_row) << name;
        EXPECT_EQ(rect.col * c.cols / trace.image->width, c.spike_col) << name;
    }
}

TEST(MapLayout, is_that_of_patches_that_fill_the_picture) {
    for (const Case& c : std::vector<Case>{
             {1, 15, 20, 240, 320, 3, 4},   {5, 15, 20, 240, 320, 14, 0},
             {0, 15, 20, 240, 320, 3, 19},  {1, 12, 9, 192, 144, 3, 4},
             {4, 14, 14, 224, 224, 3, 4},   {9, 16, 16, 256, 256, 15, 15},
             {8, 14, 14, 224, 224, 0, 13},  {16, 7, 14, 224, 448, 6, 2},   {16, 7, 7, 224, 224, 6, 0},
             {2, 17, 23, 238, 322, 16, 22}, {1, 4, 9, 64, 144, 3, 8},
             {1, 7, 1, 224, 32, 6, 0},      {1, 1, 11, 16, 176, 0, 10},
             {5, 12, 16, 192, 256, 11, 15}, {13, 14, 14, 224, 224, 7, 7},
             {1, 37, 19, 592, 304, 36, 18}, {0, 13, 8, 104, 64, 12, 7},
             {1, 2, 2, 32, 32, 1, 1},       {3, 10, 6, 320, 192, 9, 5}})
        expect_spike(*walk(c), c);
}

TEST(MapLayout, is_that_of_patches_that_leave_a_border) {
    for (const Case& c : std::vector<Case>{{1, 15, 20, 250, 333, 3, 4},
                                           {5, 31, 46, 440, 651, 30, 45},
                                           {1, 15, 11, 255, 190, 14, 10},
                                           {4, 16, 16, 230, 230, 8, 1}})
        expect_spike(*walk(c), c);
}

TEST(MapLayout, is_of_the_aspect_of_a_picture_of_another_size) {
    for (const Case& c : std::vector<Case>{{1, 15, 20, 900, 1200, 3, 4},
                                           {5, 15, 20, 600, 800, 3, 4},
                                           {1, 12, 9, 501, 376, 3, 4},
                                           {4, 14, 14, 500, 500, 13, 13},
                                           {9, 16, 16, 333, 333, 1, 2},
                                           {1, 24, 36, 427, 640, 23, 35},
                                           {0, 20, 35, 300, 525, 0, 34},
                                           {1, 37, 49, 1000, 1324, 36, 0}})
        expect_spike(*walk(c), c);
}

// As most models are run: on the middle of a photograph, or on all of it, squashed.
TEST(MapLayout, is_a_square_with_a_class_token_before_one_of_the_aspect_with_registers) {
    for (const Case& c : std::vector<Case>{{1, 14, 14, 480, 640, 3, 4},
                                           {1, 7, 7, 427, 640, 6, 6},
                                           {1, 16, 16, 1080, 1920, 0, 15},
                                           {5, 16, 16, 480, 640, 3, 4}})
        expect_spike(*walk(c), c);
    const auto others = other_layouts(map_layouts(197, {}, PictureSize{480, 640}));
    EXPECT_TRUE(std::ranges::any_of(
        others, [](const MapLayout& l) { return l.words() == "12 × 16 after 5 other tokens"; }));
}

TEST(MapLayout, is_what_somebody_says) {
    const Case c{3, 5, 7, 160, 160, 4, 6};  // nothing that the picture suggests
    ModelOptions options;
    options.layout.grid = GridSize{5, 7};
    expect_spike(*walk(c, options), c);
    options.layout.before = 3;
    expect_spike(*walk(c, options), c);
    const Case d{6, 5, 7, 80, 112, 4, 6};
    options.layout = {{}, 6};
    expect_spike(*walk(d, options), d);
}

std::string refusal(const Case& c, const GivenLayout& given) {
    ModelOptions options;
    options.layout = given;
    try {
        (void)walk(c, options);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(MapLayout, that_cannot_be_is_refused_with_the_numbers) {
    const Case c{1, 15, 20, 240, 320, 3, 4};
    const auto expect = [&](const GivenLayout& given, std::vector<std::string> numbers) {
        const std::string error = refusal(c, given);
        EXPECT_TRUE(error.starts_with("m.npy: ")) << error;
        numbers.emplace_back("301");
        for (const std::string& number : numbers)
            EXPECT_NE(error.find(number), std::string::npos) << error;
    };
    expect({GridSize{15, 20}, 2}, {"15 × 20", "300", "302"});
    expect({GridSize{20, 20}, {}}, {"20 × 20", "400"});
    expect({{}, 301}, {"tokens_before 301"});
    expect({GridSize{65536, 65536}, {}}, {"4294967296"});
    // 300 after 1, but in no square.
    const Case square{1, 15, 20, 224, 224, 3, 4};
    EXPECT_NE(refusal(square, {{}, 1}).find("1 of them before"), std::string::npos)
        << refusal(square, {{}, 1});
}

TEST(MapLayout, that_nothing_suggests_is_not_made_up) {
    const Case c{0, 9, 11, 224, 224, 3, 4};  // 99 tokens: no square with up to 16 others
    EXPECT_NE(refusal(c, {}).find("224 × 224"), std::string::npos) << refusal(c, {});
    EXPECT_NE(refusal(c, {}).find("99 tokens"), std::string::npos) << refusal(c, {});
    EXPECT_EQ(refusal(c, {GridSize{9, 11}, {}}), "no error");
}

TEST(MapLayout, follows_the_picture_of_the_same_maps) {
    const Case c{1, 15, 20, 240, 320, 3, 4};
    const FileReader read = [&](const std::string& path) -> File {
        if (path == "wide") return FileBytes(picture(240, 320));
        if (path == "high") return FileBytes(picture(320, 240));
        if (path == "m.npy") return FileBytes(maps_of(c));
        throw FileMissing(path);
    };
    Runner runner(read);
    Recipe recipe;
    recipe.weights = "m.npy";
    for (const auto& [image, rows] : {std::pair{"wide", 15}, {"high", 20}, {"wide", 15}}) {
        recipe.image = image;
        EXPECT_EQ(runner.run(recipe)->grid.rows, rows);
    }
}

TEST(MapLayout, says_which_tokens_are_registers) {
    const auto layout = [](int before) {
        return walk({before, 14, 14, 224, 224, 0, 0})->layout;
    };
    EXPECT_EQ(layout(1).class_tokens, 1);
    EXPECT_EQ(layout(5).class_tokens, 1);
    EXPECT_EQ(layout(5).registers, 4);
    EXPECT_EQ(layout(4).class_tokens, 0);
    EXPECT_EQ(layout(4).registers, 4);
}

TEST(MapLayout, is_told_with_what_else_fits) {
    const auto model = load_model("m.npy", Folder().with("m.npy", maps_of({1, 15, 20, 0, 0, 0, 0})).reader());
    const auto facts = map_facts(*model, PictureSize{240, 320});
    ASSERT_FALSE(facts.empty());
    EXPECT_EQ(facts[0].value, "15 × 20 after 1 other token");
    EXPECT_NE(facts[0].origin.find("16 × 16"), std::string::npos);
    EXPECT_EQ(map_facts(*model, {})[0].value, "the picture decides");
    const auto square = load_model("m.npy", Folder().with("m.npy", maps_of({1, 14, 14, 0, 0, 0, 0})).reader());
    EXPECT_EQ(map_facts(*square, {})[0].value, "14 × 14 after 1 other token");
    const auto wide = map_facts(*square, PictureSize{480, 640});
    ASSERT_GT(wide.size(), 1U);
    EXPECT_EQ(wide[1].what, "also fits");
}

TEST(MapLayout, can_stand_in_a_config) {
    const auto load_with = [](const std::string& config) {
        return load_model("a/m.npy", Folder()
                                         .with("a/m.npy", maps_of({3, 5, 7, 0, 0, 0, 0}))
                                         .with("a/config.json", config)
                                         .reader());
    };
    for (const char* config : {R"({"grid": "5x7"})", R"({"grid": [5, 7], "tokens_before": 3})",
                               R"({"grid": "5 × 7"})"}) {
        const auto facts = map_facts(*load_with(config), {});
        EXPECT_EQ(facts[0].value, "5 × 7 after 3 other tokens") << config;
        EXPECT_EQ(facts[0].origin, "config.json");
    }
    for (const char* config : {R"({"grid": "5x8"})", R"({"grid": "5"})", R"({"grid": [0, 7]})",
                               R"({"tokens_before": -1})", R"({"sample": 2})"})
        EXPECT_THROW((void)load_with(config), CheckpointError) << config;
    // A layer has no use for it.
    const Shapes layer{{"qkv.weight", {24, 12}}, {"proj.weight", {8, 8}}};
    EXPECT_NE(fact(*headlight::load(layer, R"({"grid": "5x7"})"), "settings without a use")
                  .value.find("grid"),
              std::string::npos);
    ModelOptions options;
    options.layout.grid = GridSize{5, 7};
    EXPECT_NE(headlight::error_of(layer, "", options).find("applies to attention maps alone"),
              std::string::npos);
}

TEST(MapLayout, grids_are_read_in_every_usual_form) {
    for (const char* good : {"15x20", "15X20", "15×20", "15 x 20", "15 × 20"})
        EXPECT_EQ(parse_grid(good), (GridSize{15, 20})) << good;
    for (const char* bad : {"", "15", "15x", "x20", "0x20", "15x0", "-15x20", "15x20x3", "15x20 ",
                            "15.5x20", "99999999999x2"})
        EXPECT_EQ(parse_grid(bad), std::nullopt) << bad;
    EXPECT_EQ(grid_text({15, 20}), "15x20");
}

}  // namespace
}  // namespace headlight
