#include "families/preview.h"

#include <gtest/gtest.h>

#include <utility>

#include "files/recognize.h"
#include "golden_families.h"

// A model's header gives the same description as the whole file.
namespace headlight::preview_test {
namespace {

// A golden model as m/model.safetensors with its config beside it. Counts the bytes read of its
// weights.
struct Published {
    FileBytes weights, config;
    std::shared_ptr<std::uint64_t> read_bytes = std::make_shared<std::uint64_t>(0);

    explicit Published(const std::string& name)
        : weights(read_disk(kFamilies + name + ".model.safetensors")) {
        try {
            config = read_disk(kFamilies + name + ".config.json");
        } catch (const FileMissing&) {
            config = {};
        }
    }
    [[nodiscard]] FileReader reader() const {
        return [*this](const std::string& name) -> File {
            if (name == "m/config.json" && config.size() > 0) return config;
            if (name != "m/model.safetensors") throw FileMissing(name);
            return File(weights.size(), [*this](std::uint64_t begin, std::span<std::byte> into) {
                std::copy_n(weights.data() + begin, into.size(), into.data());
                *read_bytes += into.size();
            });
        };
    }
};

class Preview : public ::testing::TestWithParam<GoldenFamily> {};

TEST_P(Preview, says_what_the_whole_file_says) {
    if (GetParam().ending != "safetensors") GTEST_SKIP() << "the Hub's are safetensors";
    const Published file(GetParam().name);
    const auto whole = load_model("m/model.safetensors", file.reader());
    *file.read_bytes = 0;
    const auto preview = preview_model("m/model.safetensors", file.reader());
    EXPECT_EQ(preview->facts, whole->facts);
    EXPECT_EQ(preview->warnings, whole->warnings);
    EXPECT_EQ(preview->unused_tensors, whole->unused_tensors);
    EXPECT_EQ(preview->layers.size(), whole->layers.size());
    EXPECT_EQ(model_in_short(*preview), model_in_short(*whole));
}

INSTANTIATE_TEST_SUITE_P(Families, Preview, ::testing::ValuesIn(golden_families()),
                         [](const auto& row) { return row.param.name; });

// As saved by torch.save (tests/golden/make_pickles.py).
TEST(Preview, reads_of_an_archive_of_PyTorch_what_is_no_weight) {
    const FileBytes archive =
        read_disk(source_path("tests/golden/pickles/models/swin_authors.pth"));
    const FileBytes config = read_disk(kFamilies + "swin_authors.config.json");
    std::uint64_t read_bytes = 0;
    const FileReader reader = [&](const std::string& name) -> File {
        if (name == "m/config.json") return config;
        if (name != "m/swin.pth") throw FileMissing(name);
        return File(archive.size(), [&](std::uint64_t begin, std::span<std::byte> into) {
            std::copy_n(archive.data() + begin, into.size(), into.data());
            read_bytes += into.size();
        });
    };
    const auto whole = load_model("m/swin.pth", reader);
    const std::uint64_t all = std::exchange(read_bytes, 0);
    const auto preview = preview_model("m/swin.pth", reader);
    EXPECT_EQ(preview->facts, whole->facts);
    EXPECT_EQ(preview->warnings, whole->warnings);
    EXPECT_EQ(preview->unused_tensors, whole->unused_tensors);
    EXPECT_EQ(model_in_short(*preview), model_in_short(*whole));
    EXPECT_LT(read_bytes, all);
}

// timm's names, with no weights after the header.
Shapes vit(int width, int layers, int patch, int classes) {
    Shapes shapes{{"cls_token", {1, 1, width}},
                  {"pos_embed", {1, 5, width}},
                  {"patch_embed.proj.weight", {width, 3, patch, patch}},
                  {"patch_embed.proj.bias", {width}},
                  {"norm.weight", {width}},
                  {"norm.bias", {width}}};
    for (int i = 0; i < layers; ++i) {
        const std::string at = "blocks." + std::to_string(i) + ".";
        for (const char* norm : {"norm1", "norm2"})
            for (const char* part : {".weight", ".bias"}) shapes[at + norm + part] = {width};
        const auto linear = [&](const std::string& name, int outputs, int inputs) {
            shapes[at + name + ".weight"] = {outputs, inputs};
            shapes[at + name + ".bias"] = {outputs};
        };
        linear("attn.qkv", 3 * width, width);
        linear("attn.proj", width, width);
        linear("mlp.fc1", 2 * width, width);
        linear("mlp.fc2", width, 2 * width);
    }
    if (classes > 0) shapes["head.weight"] = {classes, width};
    if (classes > 0) shapes["head.bias"] = {classes};
    return shapes;
}

// A file of the size that its header states, of which only the header can be read.
File header_alone(const Shapes& tensors, const std::string& type = "F32") {
    std::string header = "{";
    std::uint64_t end = 0;
    for (const auto& [name, shape] : tensors) {
        const std::uint64_t begin = end;
        end += *byte_count(shape, bytes_per_number(type));
        header += (header.size() == 1 ? "\"" : ",\"") + name + R"(":{"dtype":")" + type +
                  R"(","shape":)" + shape_text(shape) + R"(,"data_offsets":[)" +
                  std::to_string(begin) + "," + std::to_string(end) + "]}";
    }
    header += "}";
    const std::string start = raw(std::vector<std::uint64_t>{header.size()}) + header;
    return File(start.size() + end, [start](std::uint64_t begin, std::span<std::byte> into) {
        const std::uint64_t last = begin + into.size();
        if (last > std::max(start.size(), kBytesToRecognize))
            throw std::runtime_error("a weight was read");
        std::ranges::fill(into, std::byte{0});
        if (begin >= start.size()) return;
        std::copy_n(reinterpret_cast<const std::byte*>(start.data()) + begin,
                    std::min(into.size(), start.size() - begin), into.data());
    });
}

std::shared_ptr<const Model> preview_of(const File& file) {
    const auto read = [&](const std::string& name) {
        if (name != "m/model.safetensors") throw FileMissing(name);
        return file;
    };
    return preview_model("m/model.safetensors", read);
}

std::string in_short(const Shapes& tensors) {
    return model_in_short(*preview_of(header_alone(tensors)));
}

TEST(ModelInShort, has_the_letters_of_the_papers) {
    EXPECT_EQ(in_short(vit(192, 12, 16, 0)), "ViT-Ti/16, no classifier");
    EXPECT_EQ(in_short(vit(384, 12, 8, 1000)), "ViT-S/8, 1000 classes");
    EXPECT_EQ(in_short(vit(768, 12, 16, 1)), "ViT-B/16, 1 class");
}

TEST(ModelInShort, describes_other_sizes) {
    EXPECT_EQ(in_short(vit(384, 8, 8, 7)),
              "ViT, 8 layers × 6 heads, patches of 8 × 8 pixels, 7 classes");
    EXPECT_EQ(in_short(vit(64, 1, 8, 0)),
              "ViT, 1 layer × 1 head, patches of 8 × 8 pixels, no classifier");
}

// Converting zeros in half precision would write them to memory.
TEST(Preview, uses_weights_in_half_precision_where_they_are) {
    const Shapes shapes = vit(384, 12, 16, 1000);
    std::uint64_t of_a_block = 0;
    for (const auto& [name, shape] : shapes)
        if (name.starts_with("blocks.0.")) of_a_block += *byte_count(shape, 1);
    for (const char* type : {"F16", "BF16"}) {
        const auto model = preview_of(header_alone(shapes, type));
        EXPECT_EQ(model_in_short(*model), "ViT-S/16, 1000 classes");
        const float *first = model->layers[0].mlp_in.weight->view().data,
                    *second = model->layers[1].mlp_in.weight->view().data;
        EXPECT_EQ(static_cast<std::uint64_t>(second - first), of_a_block);
    }
}

TEST(Preview, refuses_what_the_whole_file_would_be_refused_for) {
    Shapes shapes = vit(64, 2, 8, 0);
    shapes["blocks.1.attn.qkv.weight"] = {64, 64};
    EXPECT_THROW(in_short(shapes), CheckpointError);
    EXPECT_THROW(in_short({{"bert.encoder.layer.0.attention.self.query.weight", {8, 8}}}),
                 CheckpointError);
    EXPECT_THROW(in_short({}), CheckpointError);
}

}  // namespace
}  // namespace headlight::preview_test
