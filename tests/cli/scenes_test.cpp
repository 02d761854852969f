#include <sys/stat.h>

#include <cstring>

#include "cli_fixture.h"
#include "scene/random_scene.h"
#include "scene/scene_file.h"
#include "scene/truth.h"
#include "tests/source_path.h"

// `headlight scenes` and `headlight heads`, and a scene given to `headlight trace`.
namespace headlight {
namespace {

const std::string kShipped = source_path("assets/models/scenes");

class CliScenes : public Cli {
  protected:
    Outcome scenes(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"scenes", "--out", path("out.npy")});
        return headlight(arguments);
    }
};

// The numbers of a NumPy file, after its header.
std::vector<std::int32_t> numbers_of(const std::string& npy) {
    const std::string file = content_of(npy);
    EXPECT_NE(file.find("'<i4'"), std::string::npos);
    const std::size_t begin = file.find('\n') + 1;
    std::vector<std::int32_t> numbers((file.size() - begin) / 4);
    std::memcpy(numbers.data(), file.data() + begin, 4 * numbers.size());
    return numbers;
}

std::string pixels_of(const std::string& npy) {
    const std::string file = content_of(npy);
    return file.substr(file.find('\n') + 1);
}

TEST_F(CliScenes, numbers_are_decimal_and_within_their_range) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
        {{"--count", "-1"}, "--count: expected a whole number from 1 to 1000000000, found \"-1\""},
        {{"--count", "0"}, "from 1 to"},
        {{"--count", "0x10"}, "found \"0x10\""},
        {{"--count", "1.5"}, "found \"1.5\""},
        {{"--count", "99999999999999999999"}, "from 1 to"},
        {{"--count", "1", "--seed", "-1"}, "--seed: expected a whole number"},
        {{"--count", "1", "--seed", "18446744073709551616"}, "--seed: expected a whole number"},
        {{"--count", "2", "--seed", "18446744073709551615"}, "at most 18446744073709551614"},
        {{"--count", "1", "--size", "7"}, "--size: expected a whole number from 8 to 1024"},
        {{"--count", "1", "--most", "7"}, "from 2 to 6"},
        {{"--count", "1", "--most", "2"}, "--fewest, 3"},
        {{"--count", "1", "--truth", path("t.npy"), "--patch", "7"}, "a divisor of the size 80"},
        {{"--count", "1", "--truth", ""}, "--truth: expected the name of a file"},
    };
    for (const auto& [arguments, says] : faults) expect_failure(scenes(arguments), 2, says);
    EXPECT_FALSE(fs::exists(path("out.npy")));
    EXPECT_EQ(scenes({"--count", "010"}).status, 0);
    EXPECT_EQ(pixels_of(path("out.npy")).size(), 10U * 80 * 80 * 3);
}

TEST_F(CliScenes, every_number_is_one_scene_wherever_it_is_drawn) {
    ASSERT_EQ(scenes({"--count", "3", "--seed", "5"}).status, 0);
    const std::string three = pixels_of(path("out.npy"));
    std::string each;
    for (const char* seed : {"5", "6", "7"}) {
        ASSERT_EQ(scenes({"--count", "1", "--seed", seed}).status, 0);
        each += pixels_of(path("out.npy"));
    }
    EXPECT_EQ(each, three);
}

// The patch size only affects the correct answers: 81 is not a multiple of it.
TEST_F(CliScenes, patches_matter_to_truth_alone) {
    ASSERT_EQ(scenes({"--count", "1", "--size", "81"}).status, 0);
    EXPECT_EQ(pixels_of(path("out.npy")).size(), 81U * 81 * 3);
}

// More cells than fit in 16 bits.
TEST_F(CliScenes, truth_names_every_cell) {
    constexpr int kSide = 200;
    ASSERT_EQ(scenes({"--count", "1", "--seed", "1", "--size", "200", "--patch", "1", "--truth",
                      path("t.npy")})
                  .status,
              0);
    const std::vector<std::int32_t> truth = numbers_of(path("t.npy"));
    ASSERT_EQ(truth.size(), 1U + 2 * kSide * kSide);
    const ShapeScene scene = random_scene(1);
    EXPECT_EQ(truth[0], answer_of(scene));
    const std::vector<int> twins = twins_of(scene);
    std::int32_t lowest = 0;
    for (const int twin : twins)
        if (twin >= 0) {
            const Shape& shape = scene.shapes.at(static_cast<std::size_t>(twin));
            const auto cell = [&](float at) {
                return static_cast<int>(at / static_cast<float>(kSceneSize) * kSide);
            };
            lowest = std::max(lowest, cell(shape.y) * kSide + cell(shape.x));
        }
    ASSERT_GT(lowest, 0);
    const std::span twin_cells = std::span(truth).subspan(1 + kSide * kSide);
    EXPECT_EQ(*std::max_element(twin_cells.begin(), twin_cells.end()), lowest);
    EXPECT_EQ(*std::min_element(twin_cells.begin(), twin_cells.end()), -1);
}

TEST_F(CliScenes, truth_is_not_written_over_the_pictures) {
    expect_failure(scenes({"--count", "1", "--truth", (folder_ / "." / "out.npy").string()}), 2,
                   "a file other than --out");
}

TEST_F(CliScenes, a_file_that_is_replaced_keeps_its_readers) {
    write("out.npy", "mine");
    ::chmod(path("out.npy").c_str(), 0600);
    ASSERT_EQ(scenes({"--count", "1"}).status, 0);
    struct stat now {};
    ASSERT_EQ(::stat(path("out.npy").c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 0777U, 0600U);
}

double percent_after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + words.size()));
}

// The model points to cells of its own grid, not of the larger picture's.
TEST_F(CliScenes, pointing_is_measured_on_the_models_grid) {
    const std::string config = write("larger.json", R"({"image_size": 160})");
    const Outcome larger = headlight({"heads", kShipped, "--scenes", "20", "--config", config});
    ASSERT_EQ(larger.status, 0) << larger.error;
    EXPECT_GT(percent_after(larger.out, "within one cell: "), 50) << larger.out;
    EXPECT_NE(larger.out.find("heads: 4, each 16 wide (config.json)"), std::string::npos);
}

TEST_F(CliScenes, heads_without_numbers_are_not_measured) {
    TensorMap tensors = read(kShipped + "/model.safetensors");
    tensors.at("blocks.1.attn.qkv.weight").values[5] = 3e38F;
    std::vector<ToWrite> rows;
    for (const auto& [name, tensor] : tensors) rows.push_back({name, tensor.shape, tensor.values});
    const std::string model = write("model.safetensors", rows);
    fs::copy_file(kShipped + "/config.json", folder_ / "config.json");
    expect_failure(headlight({"heads", model, "--scenes", "1"}), 1, "in layer 2");
}

TEST_F(CliScenes, heads_say_what_of_the_file_is_left_aside) {
    std::vector<ToWrite> rows{{"predictor.weight", {4, 4}, std::vector<float>(16, 0.5F)}};
    for (const auto& [name, tensor] : read(kShipped + "/model.safetensors"))
        rows.push_back({name, tensor.shape, tensor.values});
    fs::create_directory(folder_ / "beside");
    const std::string model = write("beside/model.safetensors", rows);
    fs::copy_file(kShipped + "/config.json", folder_ / "beside" / "config.json");
    const std::string of_info = headlight({"info", model}).out;
    ASSERT_NE(of_info.find("not used"), std::string::npos) << of_info;
    const Outcome outcome = headlight({"heads", model, "--scenes", "1"});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_NE(outcome.error.find("not used: predictor"), std::string::npos) << outcome.error;
}

TEST_F(CliScenes, a_scene_is_traced_like_its_picture) {
    const ShapeScene scene = random_scene(7);
    const std::string json = write("scene.json", to_json(scene));
    const ScenePicture drawn = draw_scene(scene);
    std::string picture = "P6 80 80 255\n";
    for (const auto byte : drawn.pixels) picture += static_cast<char>(byte);
    std::vector<TensorMap> traces;
    for (const std::string& image : {json, write("scene.ppm", picture)}) {
        const Outcome outcome = trace({"--model", kShipped, "--image", image});
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        traces.push_back(read(path("out")));
    }
    EXPECT_EQ(traces[0].at("logits").values, traces[1].at("logits").values);
    EXPECT_EQ(traces[0].at("pointing").values, traces[1].at("pointing").values);
    expect_failure(trace({"--model", kShipped, "--image", write("no.json", "{\n\n\"x\": ]}")}), 1,
                   "no.json: expected a scene as JSON, found something else on line 3");
}

}  // namespace
}  // namespace headlight
