#include "patches/map_layout.h"

#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "files/npy.h"
#include "model/map_facts.h"
#include "model_files.h"
#include "patches/patches.h"
#include "picture.h"

// The layout of attention maps without a model on a picture.
namespace headlight::map_layout_test {
namespace {

struct Case {
    int before, rows, cols;    // how the maps were made
    int height, width;         // of the picture
    int spike_row, spike_col;  // the patch that every token in every head attends to
};

// [2, 3, N, N] as numpy.save writes it. Half of each row is on the spike, the rest is uniform.
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

// Row and column of the largest cell of each head, in the trace's grid.
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
        // The position in the framed picture, as a fraction of it.
        EXPECT_EQ(rect.row * c.rows / trace.image->height, c.spike_row) << name;
        EXPECT_EQ(rect.col * c.cols / trace.image->width, c.spike_col) << name;
    }
}

TEST(MapLayout, is_that_of_patches_that_fill_the_picture) {
    for (const Case& c : std::vector<Case>{{1, 15, 20, 240, 320, 3, 4},
                                           {5, 15, 20, 240, 320, 14, 0},
                                           {0, 15, 20, 240, 320, 3, 19},
                                           {1, 12, 9, 192, 144, 3, 4},
                                           {4, 14, 14, 224, 224, 3, 4},
                                           {9, 16, 16, 256, 256, 15, 15},
                                           {8, 14, 14, 224, 224, 0, 13},
                                           {16, 7, 14, 224, 448, 6, 2},
                                           {16, 7, 7, 224, 224, 6, 0},
                                           {2, 17, 23, 238, 322, 16, 22},
                                           {1, 4, 9, 64, 144, 3, 8},
                                           {1, 7, 1, 224, 32, 6, 0},
                                           {1, 1, 11, 16, 176, 0, 10},
                                           {5, 12, 16, 192, 256, 11, 15},
                                           {13, 14, 14, 224, 224, 7, 7},
                                           {1, 37, 19, 592, 304, 36, 18},
                                           {0, 13, 8, 104, 64, 12, 7},
                                           {1, 2, 2, 32, 32, 1, 1},
                                           {3, 10, 6, 320, 192, 9, 5}})
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

// As most models are run: on a photograph's center, or squashed to a square.
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

// Outputs of published models for typical pictures. Square ones see a crop of the picture, or all
// of it squashed; the others see it as it is, or resized.
TEST(MapLayout, is_that_of_published_models) {
    struct Published {
        const char* model;
        int before, rows, cols;
        int height, width;
    };
    for (const Published& p : std::vector<Published>{
             {"ViT-B/16 224", 1, 14, 14, 480, 640},
             {"ViT-B/16 224 of its own crop", 1, 14, 14, 224, 224},
             {"ViT-B/16 384 on a wide picture", 1, 24, 24, 1080, 1920},
             {"ViT-B/32 224", 1, 7, 7, 427, 640},
             {"ViT-B/32 224 on a picture twice as wide", 1, 7, 7, 300, 600},
             {"ViT-B/32 384 on a wide picture", 1, 12, 12, 720, 1280},
             {"ViT-L/16 512", 1, 32, 32, 600, 800},
             {"DeiT-S distilled", 2, 14, 14, 480, 640},
             {"DeiT III without a class token", 0, 14, 14, 480, 640},
             {"SigLIP B/16 224", 0, 14, 14, 768, 1024},
             {"SigLIP SO400M/14 384", 0, 27, 27, 683, 1024},
             {"SigLIP B/32 256", 0, 8, 8, 480, 640},
             {"BEiT-B/16 224", 1, 14, 14, 375, 500},
             {"BEiT-L/16 512", 1, 32, 32, 500, 375},
             {"DINO S/8 224", 1, 28, 28, 480, 640},
             {"DINO S/16 480", 1, 30, 30, 640, 480},
             {"DINO S/8 of the whole picture", 1, 60, 80, 480, 640},
             {"DINO S/16 of the whole picture", 1, 30, 40, 480, 640},
             {"DINO S/16 of a picture with a border", 1, 26, 40, 427, 640},
             {"DINOv2 B/14 224", 1, 16, 16, 480, 640},
             {"DINOv2 B/14 518", 1, 37, 37, 1200, 1600},
             {"DINOv2 B/14 of a rectangle", 1, 34, 45, 476, 630},
             {"DINOv2 B/14 of a picture with a border", 1, 34, 45, 480, 640},
             {"DINOv2 with registers 224", 5, 16, 16, 480, 640},
             {"DINOv2 with registers 224 on 3:2", 5, 16, 16, 400, 600},
             {"DINOv2 with registers 518", 5, 37, 37, 800, 1200},
             {"DINOv2 with registers of a rectangle", 5, 23, 17, 322, 238},
             {"DINOv3 B/16 224", 5, 14, 14, 480, 640},
             {"DINOv3 B/16 224 on a picture of 12 by 16 patches", 5, 14, 14, 384, 512},
             {"DINOv3 B/16 256 on 3:2", 5, 16, 16, 1000, 1500},
             {"DINOv3 B/16 of the whole picture", 5, 15, 20, 240, 320},
             {"CLIP B/32", 1, 7, 7, 480, 640},
             {"CLIP B/32 256", 1, 8, 8, 480, 640},
             {"CLIP L/14", 1, 16, 16, 480, 640},
             {"CLIP L/14 336", 1, 24, 24, 900, 1600},
             {"ViTPose of a person", 0, 16, 12, 256, 192},
             {"ViTPose with a class token", 1, 16, 12, 256, 192},
             {"ViTPose of a larger crop", 0, 16, 12, 400, 300},
             {"timm reg4 gap", 4, 14, 14, 480, 640},
             {"timm reg4 gap 256", 4, 16, 16, 640, 480},
             {"UNI2-h of a tile", 9, 16, 16, 224, 224},
             {"a window of Swin", 0, 7, 7, 480, 640},
             {"SAM B/16", 0, 64, 64, 1200, 1800},
             {"Headlight's scenes", 1, 10, 10, 480, 640},
             {"a resized rectangle with a class token", 1, 15, 20, 900, 1200},
             {"a resized rectangle with five tokens", 5, 15, 20, 600, 800},
             {"a resized rectangle, twice as wide", 1, 12, 24, 500, 1000}}) {
        const int tokens = p.before + p.rows * p.cols;
        const auto fitting = map_layouts(tokens, {}, PictureSize{p.height, p.width});
        ASSERT_FALSE(fitting.empty()) << p.model;
        EXPECT_EQ(fitting[0].words(), (MapLayout{{p.rows, p.cols}, p.before, "", 0}.words()))
            << p.model;
    }
}

// Square grids that a grid with the picture's aspect could hide, for pictures of many sizes.
TEST(MapLayout, is_a_usual_square_before_a_grid_of_the_aspect_with_unusual_tokens) {
    for (const auto& [tokens, words] : {std::pair{201, "14 × 14 after 5 other tokens"},
                                        {200, "14 × 14 after 4 other tokens"},
                                        {196, "14 × 14, every token a patch"},
                                        {49, "7 × 7, every token a patch"},
                                        {197, "14 × 14 after 1 other token"}})
        for (const PictureSize& picture :
             {PictureSize{480, 640}, {600, 800}, {768, 1024}, {300, 400}, {3000, 4000}, {384, 512}})
            EXPECT_EQ(map_layouts(tokens, {}, picture)[0].words(), words)
                << tokens << " on " << picture.height << " × " << picture.width;
    const auto others = other_layouts(map_layouts(201, {}, PictureSize{480, 640}));
    EXPECT_TRUE(std::ranges::any_of(
        others, [](const MapLayout& l) { return l.words() == "12 × 16 after 9 other tokens"; }));
}

TEST(MapLayout, is_what_somebody_says) {
    const Case c{3, 5, 7, 160, 160, 4, 6};  // not suggested by the picture
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
    const Case c{0, 9, 11, 224, 224, 3, 4};  // 99 tokens: no square with up to 16 prefix tokens
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
    const auto layout = [](int before) { return walk({before, 14, 14, 224, 224, 0, 0})->layout; };
    EXPECT_EQ(layout(1).class_tokens, 1);
    EXPECT_EQ(layout(5).class_tokens, 1);
    EXPECT_EQ(layout(5).registers, 4);
    EXPECT_EQ(layout(4).class_tokens, 0);
    EXPECT_EQ(layout(4).registers, 4);
}

TEST(MapLayout, is_told_with_what_else_fits) {
    const auto model =
        load_model("m.npy", Folder().with("m.npy", maps_of({1, 15, 20, 0, 0, 0, 0})).reader());
    const auto facts = map_facts(*model, PictureSize{240, 320});
    ASSERT_FALSE(facts.empty());
    EXPECT_EQ(facts[0].value, "15 × 20 after 1 other token");
    EXPECT_NE(facts[0].origin.find("16 × 16"), std::string::npos);
    EXPECT_EQ(map_facts(*model, {})[0].value, "the picture decides");
    const auto square =
        load_model("m.npy", Folder().with("m.npy", maps_of({1, 14, 14, 0, 0, 0, 0})).reader());
    EXPECT_EQ(map_facts(*square, {})[0].value, "14 × 14 after 1 other token");
    const auto wide = map_facts(*square, PictureSize{480, 640});
    ASSERT_GT(wide.size(), 1U);
    EXPECT_EQ(wide[1].what, "also fits");
}

TEST(MapLayout, that_was_chosen_among_several_is_told_with_how_to_choose) {
    const auto open = [](const Case& c) {
        return load_model("m.npy", Folder().with("m.npy", maps_of(c)).reader());
    };
    const std::string line = layout_choice(*open({5, 14, 14, 0, 0, 0, 0}), {480, 640});
    for (const char* part : {"m.npy", "201 tokens", "14 × 14 after 5 other tokens",
                             "12 × 16 after 9 other tokens", "--grid 12x16 --tokens-before 9"})
        EXPECT_NE(line.find(part), std::string::npos) << line;
    EXPECT_EQ(layout_choice(*open({1, 15, 20, 0, 0, 0, 0}), {240, 320}), "");
}

// A trace file as written by `headlight trace`: its metadata have the layout of the tokens.
std::string traced(const std::string& grid, const std::string& before, int tokens) {
    std::vector<float> even(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(tokens),
                            1 / static_cast<float>(tokens));
    const std::string n = std::to_string(tokens);
    std::string header = R"({"__metadata__":{"grid":")" + grid + R"(","tokens_before":")" + before +
                         R"("},"layer.0.attention":{"dtype":"F32","shape":[1,1,)" + n + "," + n +
                         R"(],"data_offsets":[0,)" + std::to_string(4 * even.size()) + "]}}";
    const std::uint64_t size = header.size();
    return raw(std::vector<std::uint64_t>{size}) + header + raw(even);
}

TEST(MapLayout, that_contradicts_the_file_is_followed_and_said) {
    const auto warnings = [](const GivenLayout& given, const std::string& config = "") {
        Folder folder;
        folder.with("t.safetensors", bytes_of(traced("5x7", "1", 36)));
        if (!config.empty()) folder.with("config.json", config);
        ModelOptions options;
        options.layout = given;
        const auto model = load_model("t.safetensors", folder.reader(), options);
        std::string all;
        for (const std::string& warning : model->warnings) all += warning;
        return all;
    };
    EXPECT_EQ(warnings({}), "");
    EXPECT_EQ(warnings({GridSize{5, 7}, {}}), "");
    EXPECT_EQ(warnings({{}, 1}), "");
    EXPECT_EQ(warnings({GridSize{5, 7}, 1}), "");
    for (const std::string& said :
         {warnings({GridSize{7, 5}, {}}), warnings({GridSize{6, 6}, {}}), warnings({{}, 0}),
          warnings({GridSize{4, 8}, 4}), warnings({}, R"({"grid": "6x6"})"),
          warnings({}, R"({"tokens_before": 0})")})
        EXPECT_NE(said.find("5 × 7 after 1 other token"), std::string::npos) << said;
    EXPECT_NE(warnings({}, R"({"grid": "6x6"})").find("uses config.json"), std::string::npos);
}

TEST(MapLayout, maps_of_nothing_but_zeros_are_no_attention) {
    const auto open = [](std::vector<float> numbers) {
        return load_model(
            "m.npy", Folder()
                         .with("m.npy", bytes_of(npy_header("<f4", {1, 2, 2, 2}) + raw(numbers)))
                         .reader());
    };
    EXPECT_THROW((void)open(std::vector<float>(8, 0)), CheckpointError);
    const auto half = open({0.5F, 0.5F, 1, 0, 0, 0, 0, 0});
    ASSERT_EQ(half->warnings.size(), 1U);
    EXPECT_NE(half->warnings[0].find("layer 1, head 2"), std::string::npos) << half->warnings[0];
    // A fully masked row is zero.
    EXPECT_TRUE(open({0.5F, 0.5F, 0, 0, 0, 0, 1, 0})->warnings.empty());
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
    // A layer has no use for the option.
    const Shapes layer{{"qkv.weight", {24, 12}}, {"proj.weight", {8, 8}}};
    EXPECT_NE(fact(*headlight::load(layer, R"({"grid": "5x7"})"), "settings without effect")
                  .value.find("grid"),
              std::string::npos);
    ModelOptions options;
    options.layout.grid = GridSize{5, 7};
    EXPECT_NE(headlight::error_of(layer, "", options).find("applies only to attention maps"),
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
}  // namespace headlight::map_layout_test
