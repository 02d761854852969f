#include <algorithm>
#include <cstring>
#include <fstream>

#include "cli_fixture.h"
#include "files/npy.h"
#include "tests/source_path.h"

// `headlight maps`.
namespace headlight {
namespace {

class CliMaps : public Cli {
  protected:
    const std::string model = source_path("assets/models/scenes/model.safetensors");
    const std::string image = source_path("assets/images/cat.jpg");

    Outcome maps(std::vector<std::string> more) {
        more.insert(more.begin(), {"maps", "--model", model, "--image", image});
        more.insert(more.end(), {"--out", path("maps.npy")});
        return headlight(more);
    }

    // Shape and numbers of the file written with these arguments.
    std::pair<std::vector<std::int64_t>, std::vector<float>> written(
        const std::vector<std::string>& words) {
        std::vector<std::string> all{"maps", "--model", model, "--out", path("maps.npy")};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = headlight(all);
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        const StoredTensor stored = read_npy({bytes_of(path("maps.npy"))}, "maps.npy");
        std::vector<float> found(stored.count());
        to_floats(stored, found.data());
        return {stored.shape, found};
    }
};

TEST_F(CliMaps, are_the_rows_and_columns_of_a_trace_bit_for_bit) {
    ASSERT_EQ(
        headlight({"trace", "--model", model, "--image", image, "--out", path("trace")}).status, 0);
    const TensorMap trace = read(path("trace"));
    for (const auto& [query, reading, token] :
         {std::tuple{"class", "from", 0}, std::tuple{"43", "from", 44},
          std::tuple{"43", "by", 44}}) {
        const Outcome outcome = maps({"--query", query, "--reading", reading});
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const StoredTensor stored = read_npy({bytes_of(path("maps.npy"))}, "maps.npy");
        ASSERT_EQ(stored.shape.size(), 4);
        const std::int64_t layers = stored.shape[0], heads = stored.shape[1],
                           patches = stored.shape[2] * stored.shape[3];
        std::vector<float> found(stored.count());
        to_floats(stored, found.data());
        for (std::int64_t l = 0, i = 0; l < layers; ++l) {
            const NamedTensor& attention = trace.at("layer." + std::to_string(l) + ".attention");
            const std::int64_t n = patches + 1;
            ASSERT_EQ(attention.shape, (std::vector<std::int64_t>{1, heads, n, n}));
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t p = 0; p < patches; ++p, ++i) {
                    const bool from = std::string(reading) == "from";
                    const std::int64_t row = from ? token : p + 1, col = from ? p + 1 : token;
                    ASSERT_EQ(found[static_cast<std::size_t>(i)],
                              attention.values[static_cast<std::size_t>((h * n + row) * n + col)]);
                }
        }
    }
}

TEST_F(CliMaps, of_several_images_are_those_of_each_with_their_names_beside) {
    const std::string folder = path("photos");
    std::filesystem::create_directory(folder);
    for (const char* name : {"a10.jpg", "a9.jpg"})
        std::filesystem::copy_file(image, folder + "/" + name);
    const std::string shapes = source_path("assets/images/shapes.png");
    const auto of_images = [&](const std::vector<std::string>& images, const std::string& query) {
        std::vector<std::string> words{"--query", query, "--image"};
        words.insert(words.end(), images.begin(), images.end());
        return written(words);
    };
    for (const char* query : {"43", "43,class"}) {
        const auto [shape, cat] = of_images({image}, query);
        const auto other = of_images({shapes}, query).second;
        EXPECT_NE(cat, other);
        std::filesystem::remove(path("maps.npy.txt"));
        const auto [whole, all] = of_images({shapes, folder}, query);
        EXPECT_EQ(content_of(path("maps.npy.txt")),
                  shapes + "\n" + folder + "/a9.jpg\n" + folder + "/a10.jpg\n");
        ASSERT_EQ(whole.size(), shape.size() + 1);
        EXPECT_EQ(whole.front(), 3);
        EXPECT_TRUE(std::equal(shape.begin(), shape.end(), whole.begin() + 1));
        std::vector<float> expected = other;
        expected.insert(expected.end(), cat.begin(), cat.end());
        expected.insert(expected.end(), cat.begin(), cat.end());
        EXPECT_EQ(all, expected);
    }
}

TEST_F(CliMaps, of_images_leave_out_those_that_cannot_be_read) {
    const std::string folder = path("photos");
    std::filesystem::create_directory(folder);
    const auto run = [&](const std::string& out = "maps.npy") {
        return headlight({"maps", "--model", model, "--image", folder, "--out", path(out)});
    };
    Outcome outcome = run();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.error.find("expected images, found none in this folder"), std::string::npos)
        << outcome.error;
    for (const char* name : {"a.png", "c.png"}) write(std::string("photos/") + name, "no picture");
    outcome = run();
    expect_failure({outcome.status, "", outcome.error.substr(outcome.error.rfind("headlight: "))},
                   1, "2 of 2 images could not be read, so nothing was written");
    EXPECT_FALSE(std::filesystem::exists(path("maps.npy")));
    EXPECT_FALSE(std::filesystem::exists(path("maps.npy.txt")));
    for (int i = 1; i < 9; ++i)  // 10 images: without two of them, the header is shorter
        std::filesystem::copy_file(image, folder + "/b" + std::to_string(i) + ".jpg");
    for (const char* out : {"maps.npy", "maps.npz"}) {
        outcome = run(out);
        EXPECT_EQ(outcome.status, 1);
        for (const char* said : {"a.png: ", "c.png: ", "2 of 10 images could not be read."})
            EXPECT_NE(outcome.error.find(said), std::string::npos) << outcome.error;
        EXPECT_EQ(outcome.error.find("b1.jpg"), std::string::npos) << outcome.error;
    }
    const StoredTensor found = read_npy({bytes_of(path("maps.npy"))}, "maps.npy");
    EXPECT_EQ(found.shape, (std::vector<std::int64_t>{8, 4, 4, 10, 10}));
    std::vector<float> numbers(found.count());
    to_floats(found, numbers.data());
    const std::vector<float> one = written({"--image", image}).second;
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], one[i % one.size()]);
    const std::string names = content_of(path("maps.npy.txt"));
    EXPECT_EQ(std::ranges::count(names, '\n'), 8);
    EXPECT_EQ(names.find(".png"), std::string::npos) << names;
}

// A table with another extension would be opened as that type.
TEST_F(CliMaps, are_written_to_no_file_of_another_kind) {
    for (const char* name : {"m.tsv", "m.json", "m.npy.txt"}) {
        expect_failure(headlight({"maps", "--model", model, "--image", image, "--out", path(name)}),
                       2, "--out");
        EXPECT_FALSE(std::ifstream(path(name)).good());
    }
    EXPECT_EQ(headlight({"maps", "--model", model, "--image", image, "--out", path("m")}).status,
              0);
}

// Input files are never overwritten, whatever their names.
TEST_F(CliMaps, are_not_written_over_what_they_are_read_from) {
    const auto run = [&](const std::vector<std::string>& images, const std::string& out,
                         const std::string& from) {
        std::vector<std::string> words{"maps", "--model", from, "--out", out, "--image"};
        words.insert(words.end(), images.begin(), images.end());
        return headlight(words);
    };
    const std::string own = write("own.npy", content_of(image));
    expect_failure(run({own}, own, model), 2, "--out: expected a file other than that of --image");
    const std::string copy = write("model.npy", content_of(model));
    expect_failure(run({image}, copy, copy), 2,
                   "--out: expected a file other than that of --model");
    const std::string list = write("maps.npy.txt", content_of(image));
    expect_failure(run({image, list}, path("maps.npy"), model), 2,
                   "--out: expected a file other than that of --image");
    fs::create_symlink(own, path("link.npy"));
    expect_failure(run({own, image}, path("link.npy"), model), 2,
                   "--out: expected a file other than that of --image");
    EXPECT_EQ(content_of(own), content_of(image));
    EXPECT_EQ(content_of(list), content_of(image));
    EXPECT_EQ(content_of(copy), content_of(model));
    EXPECT_FALSE(fs::exists(path("maps.npy")));
}

TEST_F(CliMaps, of_several_images_are_written_to_no_device) {
    for (const char* out : {"/dev/stdout", "/dev/null"})
        expect_failure(headlight({"maps", "--model", model, "--image", image, image, "--out", out}),
                       2, "because the images' names go to a .txt file next to it");
}

// The same numbers, and the provenance.
TEST_F(CliMaps, are_written_with_what_made_them) {
    for (const char* query : {"43", "43,class"}) {
        ASSERT_EQ(maps({"--query", query, "--reading", "by"}).status, 0);
        const StoredTensor numbers = read_npy({bytes_of(path("maps.npy"))}, "maps.npy");
        std::vector<float> expected(numbers.count());
        to_floats(numbers, expected.data());
        const std::string out = path("maps.safetensors");
        const Outcome outcome =
            headlight({"maps", "--model", model, "--image", image, "--query", query, "--reading",
                       "by", "--attention", R"({"temperature": 1})", "--out", out});
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const TensorMap found = read(out);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found.at("maps").shape, numbers.shape);
        EXPECT_EQ(found.at("maps").values, expected);
        const std::string header = content_of(out).substr(8, 4000);
        for (const std::string& fact : std::vector<std::string>{
                 std::string(R"("made by":"Headlight )"), R"("model":")" + model + "\"",
                 R"("image":")" + image + "\"", R"("layers":"Layer 1, Layer 2, Layer 3, Layer 4")",
                 R"("query":")" + std::string(query) + "\"", std::string(R"("reading":"by")"),
                 std::string(R"("attention":"{\"temperature\": 1}")")})
            EXPECT_NE(header.find(fact), std::string::npos) << fact << " in " << header;
    }
    expect_failure(headlight({"maps", "--model", model, "--image", image, image, "--out",
                              path("several.safetensors")}),
                   2, "--out: expected .npy or .npz for several images");
}

TEST_F(CliMaps, of_several_tokens_are_those_of_each_in_their_order) {
    const auto numbers = [&](const std::string& query) {
        const Outcome outcome = maps({"--query", query});
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return content_of(path("maps.npy"));
    };
    const auto data = [](const std::string& file) {  // after the header
        return file.substr(10 + static_cast<unsigned char>(file[8]) +
                           256U * static_cast<unsigned char>(file[9]));
    };
    const std::string several = numbers("43,class,5");
    const StoredTensor stored = read_npy({bytes_of(path("maps.npy"))}, "maps.npy");
    ASSERT_EQ(stored.shape.size(), 5);
    EXPECT_EQ(stored.shape[0], 3);
    EXPECT_EQ(data(several), data(numbers("43")) + data(numbers("class")) + data(numbers("5")));
    expect_failure(maps({"--query", "43,43"}), 2, "found \"43\" twice");
    expect_failure(maps({"--query", "43,"}), 2, "found \"\"");
    expect_failure(maps({"--query", "1,2,3,4,5,6,7"}), 2, "at most 6 tokens, found 7");
    expect_failure(maps({"--query", "register0"}), 2, "--query");
}

// The subtracted result differs in one option or in all; the others are the same.
TEST_F(CliMaps, are_subtracted_from_each_other_number_by_number) {
    const std::string shapes = source_path("assets/images/shapes.png"),
                      sharp = R"({"temperature": 0.5})";
    using Words = std::vector<std::string>;
    for (const std::string query : {"43", "43,class,57"})
        for (const auto& [now, more, before] :
             {std::tuple{Words{"--image", image}, Words{"--before", shapes},
                         Words{"--image", shapes}},
              std::tuple{Words{"--image", image, "--attention", sharp},
                         Words{"--before-attention", "{}"}, Words{"--image", image}},
              std::tuple{Words{"--image", image, "--reading", "by"},
                         Words{"--before", shapes, "--before-attention", sharp},
                         Words{"--image", shapes, "--reading", "by", "--attention", sharp}},
              std::tuple{Words{"--image", image, "--attention", sharp},
                         Words{"--before", shapes, "--before-model", model},
                         Words{"--image", shapes, "--attention", sharp}}}) {
            Words first = now, second = before;
            for (Words* words : {&first, &second}) words->insert(words->end(), {"--query", query});
            const auto [shape, a] = written(first);
            const auto b = written(second).second;
            first.insert(first.end(), more.begin(), more.end());
            const auto [of_less, less] = written(first);
            EXPECT_EQ(of_less, shape);
            ASSERT_EQ(less.size(), a.size());
            bool differs = false;
            for (std::size_t i = 0; i < less.size(); ++i) {
                ASSERT_EQ(less[i], a[i] - b[i]) << i;
                differs = differs || less[i] != 0;
            }
            EXPECT_TRUE(differs);
        }
}

TEST_F(CliMaps, that_cannot_be_subtracted_say_so_in_one_sentence) {
    expect_failure(maps({"--query", "43", "--before", path("none.png")}), 1, "none.png");
    expect_failure(maps({"--query", "43", "--before-attention", "{"}), 2, "--before-attention: ");
    expect_failure(maps({"--query", "43", "--before-attention", R"({"image_size": 40})"}), 1,
                   "There is no difference map, because this result has 10 × 10 patches and the "
                   "baseline has 5 × 5.");
    expect_failure(
        maps({"--query", "0", "--before-model", golden("families/timm.model.safetensors"),
              "--before-config", golden("families/timm.config.json")}),
        1, "There is no difference map, because this result has");
    expect_failure(headlight({"maps", "--model", model, "--image", image, image, "--before", image,
                              "--out", path("maps.npy")}),
                   2, "expected one --image to subtract from");
    EXPECT_FALSE(fs::exists(path("maps.npy")));
}

// Layers without a model: three of torch.nn.TransformerEncoder.
TEST_F(CliMaps, of_a_stack_of_layers_are_those_of_its_trace) {
    const std::string encoder = golden("blocks/encoder.model.safetensors");
    const std::string config = write("config.json", std::string(R"({"image_size": 16})"));
    const std::vector<std::string> asked{"--model",  encoder, "--image",     image,
                                         "--config", config,  "--attention", R"({"heads": 3})"};
    std::vector<std::string> traced{"trace"}, mapped{"maps"};
    for (auto* command : {&traced, &mapped})
        command->insert(command->end(), asked.begin(), asked.end());
    traced.insert(traced.end(), {"--out", path("trace")});
    mapped.insert(mapped.end(), {"--query", "5", "--out", path("maps.npy")});
    const Outcome first = headlight(traced), second = headlight(mapped);
    ASSERT_EQ(first.status, 0) << first.error;
    ASSERT_EQ(second.status, 0) << second.error;
    const TensorMap trace = read(path("trace"));
    const StoredTensor stored = read_npy({bytes_of(path("maps.npy"))}, "maps.npy");
    std::vector<float> found(stored.count());
    to_floats(stored, found.data());
    const auto layers = static_cast<std::size_t>(stored.shape[0]);
    ASSERT_GT(layers, 1U);
    std::size_t i = 0;
    for (std::size_t l = 0; l < layers; ++l) {
        const NamedTensor& attention = trace.at("layer." + std::to_string(l) + ".attention");
        const auto n = static_cast<std::size_t>(attention.shape[2]);
        ASSERT_EQ(stored.shape[2] * stored.shape[3], attention.shape[2]);
        for (std::size_t h = 0; h < 3; ++h)
            for (std::size_t p = 0; p < n; ++p, ++i)
                ASSERT_EQ(found[i], attention.values[(h * n + 5) * n + p]);
    }
    EXPECT_EQ(i, found.size());
    std::vector<std::string> of_class = mapped;
    of_class[of_class.size() - 3] = "class";
    expect_failure(headlight(of_class), 2, "this model has no class token");
}

// 2 × 5 patches without prefix tokens.
TEST_F(CliMaps, without_a_query_and_a_class_token_are_of_the_middle_patch) {
    const std::string pooled = golden("families/timm_pooled.model.safetensors");
    const std::string config = golden("families/timm_pooled.config.json");
    std::vector<std::string> usual{"maps",    "--model", pooled,  "--config",       config,
                                   "--image", image,     "--out", path("usual.npy")};
    std::vector<std::string> named = usual;
    named.back() = path("named.npy");
    named.insert(named.end(), {"--query", "7"});
    for (const auto& words : {usual, named}) {
        const Outcome outcome = headlight(words);
        ASSERT_EQ(outcome.status, 0) << outcome.error;
    }
    EXPECT_EQ(bytes_of(path("usual.npy")), bytes_of(path("named.npy")));
}

TEST_F(CliMaps, say_what_is_wrong_in_one_sentence) {
    expect_failure(maps({"--query", "tail"}), 2, "--query");
    expect_failure(maps({"--query", "100000"}), 2, "--query");
    expect_failure(maps({"--reading", "under"}), 2, "from or by");
    expect_failure(maps({"--attention", "{"}), 2, "--attention");
    expect_failure(headlight({"maps", "--model", model, "--image", "", "--out", path("m")}), 2,
                   "--image: expected the name of a file, found nothing");
    expect_failure(headlight({"maps", "--model", "", "--image", image, "--out", path("m")}), 2,
                   "--model: expected the name of a file, found nothing");
    expect_failure(headlight({"info", ""}), 2, "expected the name of a file, found nothing");
    EXPECT_FALSE(fs::exists(path("maps.npy")));
}

}  // namespace
}  // namespace headlight
