#include <cstring>

#include "cli_fixture.h"
#include "files/npy.h"

// `headlight maps`.
namespace headlight {
namespace {

class CliMaps : public Cli {
  protected:
    const std::string model =
        std::string(HEADLIGHT_SOURCE) + "/assets/models/scenes/model.safetensors";
    const std::string image = std::string(HEADLIGHT_SOURCE) + "/assets/images/cat.jpg";

    Outcome maps(std::vector<std::string> more) {
        more.insert(more.begin(), {"maps", "--model", model, "--image", image});
        more.insert(more.end(), {"--out", path("maps.npy")});
        return headlight(more);
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

TEST_F(CliMaps, say_what_is_wrong_in_one_sentence) {
    expect_failure(maps({"--query", "tail"}), 2, "--query");
    expect_failure(maps({"--query", "100000"}), 2, "--query");
    expect_failure(maps({"--reading", "under"}), 2, "from or by");
    expect_failure(maps({"--attention", "{"}), 2, "--attention");
    expect_failure(
        headlight({"maps", "--model", layer(12, 8), "--image", image, "--out", path("m")}), 1,
        "one layer alone");
    EXPECT_FALSE(fs::exists(path("maps.npy")));
}

}  // namespace
}  // namespace headlight
