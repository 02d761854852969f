#include "chrome/recognized_models.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scratch_folder.h"
#include "tests/source_path.h"

namespace headlight::screens {
namespace {

namespace fs = std::filesystem;

// A model, a PyTorch file, an invalid file, and a repository without files.
struct Disk {
    Disk() {
        const fs::path golden = source_path("tests/golden/");
        fs::create_directories(scratch / "vit");
        fs::copy(golden / "families/timm.model.safetensors", vit());
        fs::copy(golden / "families/timm.config.json", scratch / "vit/config.json");
        fs::copy(golden / "pickles/models/swin_authors.pth", scratch / "swin.pth");
        fs::copy(golden / "families/swin_authors.config.json", scratch / "config.json");
        models = {{"a/vit", vit()},
                  {"b/words", scratch.write("words.safetensors", "no model at all")},
                  {"c/nothing", {}, "It has no file."},
                  {"swin", scratch / "swin.pth"}};
    }
    [[nodiscard]] fs::path vit() const { return scratch / "vit/model.safetensors"; }
    [[nodiscard]] Recognition recognition() const {
        return Recognition([this](const StopFlag&) { return models; });
    }

    ScratchFolder scratch;
    std::vector<LocalModel> models;
};

TEST(Recognition, says_what_each_model_is_or_why_it_does_not_open) {
    const Disk disk;
    Recognition recognition = disk.recognition();
    const RecognizedModels found = recognition.run([](const auto&) {}, {});
    ASSERT_EQ(found.models.size(), 4);
    EXPECT_EQ(found.looked_at, 4);
    EXPECT_NE(found.models[0].kind.find("ViT"), std::string::npos) << found.models[0].problem;
    EXPECT_EQ(found.models[0].bytes, fs::file_size(disk.vit()));
    EXPECT_NE(found.models[3].kind.find("Swin"), std::string::npos) << found.models[3].problem;
    for (const std::size_t none : {1, 2}) {
        EXPECT_EQ(found.models[none].kind, "");
        EXPECT_NE(found.models[none].problem, "");
    }
    EXPECT_EQ(found.models[1].problem.find(disk.scratch.path().string()), std::string::npos)
        << "the row names the file already";
}

TEST(Recognition, looks_again_only_where_a_file_has_changed) {
    const Disk disk;
    Recognition recognition = disk.recognition();
    std::vector<std::size_t> known;  // at the start of each run
    const auto run = [&] {
        bool first = true;
        return recognition.run(
            [&](const RecognizedModels& found) {
                if (std::exchange(first, false)) known.push_back(found.looked_at);
            },
            {});
    };
    run();
    run();
    std::ofstream(disk.vit(), std::ios::app) << "x";
    const RecognizedModels changed = run();
    EXPECT_EQ(known, (std::vector<std::size_t>{1, 4, 3}));
    EXPECT_EQ(changed.models[0].kind, "");
    EXPECT_NE(changed.models[0].problem, "");
}

TEST(Recognition, goes_on_where_it_was_stopped) {
    const Disk disk;
    int asked = 0;
    disk.recognition().run([](const auto&) {}, [&] { return ++asked < 0; });
    const int all = asked;
    Recognition recognition = disk.recognition();
    asked = 0;
    EXPECT_THROW(recognition.run([](const auto&) {}, [&] { return ++asked == all; }), Stopped);
    std::vector<std::size_t> known;
    recognition.run([&](const RecognizedModels& found) { known.push_back(found.looked_at); }, {});
    EXPECT_EQ(known.front(), 3);  // all but the last
}

TEST(Recognition, leaves_large_files_alone) {
    const ScratchFolder scratch;
    const fs::path numpy = scratch.write("large.npz", "x"), other = scratch.write("large.pth", "x");
    fs::resize_file(numpy, 300'000'000);  // a sparse file, which takes no disk space
    fs::resize_file(other, 5'000'000'000);
    Recognition recognition([&](const StopFlag&) {
        return std::vector<LocalModel>{{"numpy", numpy}, {"other", other}};
    });
    const RecognizedModels found = recognition.run([](const auto&) {}, {});
    EXPECT_NE(found.models[0].problem.find("256 MB"), std::string::npos);
    EXPECT_NE(found.models[1].problem.find("1.3 GB"), std::string::npos);
    EXPECT_EQ(found.models[0].kind + found.models[1].kind, "");
}

TEST(Recognition, counts_the_bytes_of_all_shards) {
    const ScratchFolder scratch;
    scratch.write("model-00001-of-00002.safetensors", std::string(1000, 'x'));
    scratch.write("model-00002-of-00002.safetensors", std::string(500, 'x'));
    const fs::path index = scratch.write(
        "model.safetensors.index.json",
        R"({"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})");
    Recognition recognition([&](const StopFlag&) {
        return std::vector<LocalModel>{{"a/shards", index}};
    });
    const RecognizedModels found = recognition.run([](const auto&) {}, {});
    EXPECT_EQ(found.models[0].bytes, 1500);
    EXPECT_NE(found.models[0].problem, "");
}

}  // namespace
}  // namespace headlight::screens
