#include <algorithm>
#include <cmath>

#include "encoder/ablation.h"
#include "encoder/contributions.h"
#include "encoder/run_scene.h"
#include "gradient/attribution.h"
#include "measures/measure_heads.h"
#include "models.h"
#include "state/folder_study.h"
#include "state/folder_table.h"
#include "state/image_folder.h"
#include "support.h"
#include "tests/scratch_folder.h"

// A folder of images: opening, stepping through, and measuring.
namespace headlight {
namespace {

using testing::Desk;

// Three pictures and an invalid one, on the disk; the models are those of the tests.
class FolderTest : public ::testing::Test {
  protected:
    void SetUp() override {
        save("one.ppm", testing::picture(40, 60, 1));
        save("two.ppm", testing::picture(60, 40, 2));
        save("broken.png", testing::to_bytes("this is no picture"));
        save("ten.ppm", testing::picture(33, 33, 3));
        save("notes.txt", testing::to_bytes("not shown"));
    }
    void save(const std::string& name, const Bytes& bytes) const {
        scratch.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    [[nodiscard]] FileReader files() const {
        return [models = testing::model_files(), root = scratch.path()](const std::string& name) {
            if (!name.starts_with(root.string())) return models(name);
            std::ifstream file(name, std::ios::binary);
            if (!file) throw FileMissing(name + ": there is no such file.");
            return File(testing::to_bytes(std::string(std::istreambuf_iterator<char>(file), {})));
        };
    }
    [[nodiscard]] std::string path(const std::string& name = "") const {
        return name.empty() ? scratch.path().string() : (scratch / name).string();
    }

    ScratchFolder scratch;
};

std::vector<std::string> names(const std::vector<DirectoryEntry>& images) {
    std::vector<std::string> all;
    for (const DirectoryEntry& image : images) all.push_back(image.name);
    return all;
}

TEST_F(FolderTest, is_opened_with_its_first_image_on_the_screen_of_all_heads) {
    std::filesystem::remove(scratch / "broken.png");
    Desk desk(testing::small_state(), files());
    const State before = desk.state();
    ASSERT_TRUE(desk.does("open " + path() + "/"));
    EXPECT_TRUE(desk.state().look.folder_shown);
    EXPECT_EQ(desk.state().recipe.image, path("one.ppm"));
    EXPECT_EQ(desk.state().look.screen, ScreenId::heads);
    EXPECT_NE(desk->notice().text.find("3 images"), std::string::npos) << desk->notice().text;
    // Other images keep the selection.
    ASSERT_TRUE(desk.does("focus 5"));
    ASSERT_TRUE(desk.does("open " + path("two.ppm")));
    EXPECT_EQ(folder_of(desk.state().recipe), path());
    EXPECT_EQ(desk.selection().token, 5);
    // It is already open: its current image stays.
    ASSERT_TRUE(desk.does("folder " + path()));
    EXPECT_EQ(desk.state().recipe.image, path("two.ppm"));
    ASSERT_TRUE(desk.does("set folder_shown false"));
    EXPECT_EQ(desk.state().recipe.image, path("two.ppm"));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(desk.state().look.folder_shown);
    while (desk->can_undo()) desk.does("undo");
    EXPECT_FALSE(desk.state().look.folder_shown);
    EXPECT_EQ(desk.state().look.screen, before.look.screen);
    EXPECT_EQ(desk.state().recipe, before.recipe);
}

TEST_F(FolderTest, of_a_scene_or_of_tokens_there_is_none) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    ASSERT_TRUE(desk.does("scene 3"));
    EXPECT_EQ(folder_of(desk.state().recipe), "");
    ASSERT_TRUE(desk.does("folder " + path()));
    // The first readable one.
    EXPECT_EQ(desk.state().recipe.image, path("one.ppm"));
    EXPECT_FALSE(desk.state().recipe.scene);
    for (const char* name : {"one.ppm", "two.ppm", "ten.ppm"})
        std::filesystem::remove(scratch / name);
    ASSERT_TRUE(desk.does("scene 3"));
    EXPECT_FALSE(desk.does("folder " + path()));
    desk.expect_notice("none of its 1 images can be read. ");
}

TEST_F(FolderTest, holds_images_in_natural_order_and_nothing_else) {
    save("two10.ppm", testing::picture(8, 8, 1));
    save("two9.ppm", testing::picture(8, 8, 1));
    EXPECT_EQ(names(images_at(path())),
              (std::vector<std::string>{"broken.png", "one.ppm", "ten.ppm", "two.ppm", "two9.ppm",
                                        "two10.ppm"}));
}

TEST_F(FolderTest, without_images_is_refused_in_one_sentence) {
    Desk desk(testing::small_state(), files());
    std::filesystem::create_directory(scratch / "empty");
    EXPECT_FALSE(desk.does("folder " + path("empty")));
    desk.expect_notice("expected images (");
    desk.expect_notice("found none in this folder.");
    EXPECT_FALSE(desk.does("open " + path("empty")));
    desk.expect_notice("There are no images in it either.");
    EXPECT_FALSE(desk.does("folder " + path("one.ppm")));
    desk.expect_notice("expected a folder of images, found a file.");
    EXPECT_FALSE(desk.does("folder " + path("gone")));
    desk.expect_notice("found nothing.");
    EXPECT_FALSE(desk.state().look.folder_shown);
}

// A folder with a checkpoint is opened as a model, whatever else it contains, unless told
// otherwise.
TEST_F(FolderTest, with_a_checkpoint_is_a_model) {
    save("model.safetensors", testing::golden_model("timm"));
    EXPECT_FALSE(is_image_folder(path()));
    Desk desk(testing::small_state(), files());
    EXPECT_TRUE(desk.say("open " + path()));
    EXPECT_EQ(desk.state().recipe.weights, path("model.safetensors"));
    EXPECT_FALSE(desk.state().look.folder_shown);
    EXPECT_TRUE(desk.say("folder " + path()));
    EXPECT_TRUE(desk.state().look.folder_shown);
}

FolderMeasures measure(const FolderQuestion& question, const FileReader& files) {
    std::atomic<float> progress{0};
    const FolderMeasures found = measure_folder(question, files, {}, progress);
    EXPECT_EQ(progress, 1);
    return found;
}

FolderQuestion question_of(Desk& desk, const std::string& folder,
                           std::vector<HeadMeasure> on_request = {}) {
    return {desk->trace_recipe(),
            std::make_shared<const std::vector<DirectoryEntry>>(images_at(folder)),
            std::move(on_request), desk->trace()->model};
}

// The numbers of every image equal those of a single run.
void expect_single_runs(Desk& desk, const FolderMeasures& found, bool importance) {
    for (const auto& image : found.images) {
        if (!image->error.empty()) continue;
        ASSERT_TRUE(desk.does("open " + image->path.string()));
        const Trace& trace = *desk->trace();
        ASSERT_EQ(desk->trace_recipe().image, image->path.string());
        const LayerNumbers& numbers = desk->summary()->layers;
        ASSERT_EQ(image->heads.size(), numbers.size());
        HeadEffects effects;
        if (importance) {
            ASSERT_EQ(image->answer->index, desk->summary()->top.front().index);
            effects = ablate_heads(trace, counterfactual_of(desk->trace_recipe(), *trace.model),
                                   image->answer->index);
        }
        for (std::size_t b = 0; b < numbers.size(); ++b) {
            ASSERT_EQ(image->heads[b].size(), numbers[b].size());
            for (std::size_t h = 0; h < numbers[b].size(); ++h) {
                const HeadNumbers& head = image->heads[b][h];
                EXPECT_EQ(head[HeadMeasure::entropy], numbers[b][h][HeadMeasure::entropy])
                    << image->path;
                EXPECT_EQ(head[HeadMeasure::distance], numbers[b][h][HeadMeasure::distance]);
                if (importance) {
                    EXPECT_NEAR(head[HeadMeasure::importance], effects[b][h].probability, 1e-9);
                } else {
                    EXPECT_TRUE(std::isnan(head[HeadMeasure::importance]));
                }
            }
        }
    }
}

TEST_F(FolderTest, is_measured_as_its_images_are_alone) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("set image_height 48"));
    ASSERT_TRUE(desk.does("set image_width 48"));
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    ASSERT_TRUE(desk.does("switch-head 2 1"));
    const FolderMeasures found =
        measure(question_of(desk, path(), {HeadMeasure::importance}), files());
    ASSERT_EQ(found.images.size(), 4U);
    expect_single_runs(desk, found, true);
    EXPECT_EQ(found.find(path("two.ppm"))->heads.size(), 2U);
    EXPECT_EQ(found.find(path("gone.ppm")), nullptr);
    // An invalid picture is named, and the others are measured.
    const ImageMeasures* broken = found.find(path("broken.png"));
    ASSERT_NE(broken, nullptr);
    EXPECT_NE(broken->error.find("broken.png"), std::string::npos) << broken->error;
    EXPECT_TRUE(broken->heads.empty());
    const std::vector<double> entropies = measures_of(found, {1, 2}, HeadMeasure::entropy);
    ASSERT_EQ(entropies.size(), 3U);
    EXPECT_EQ(entropies[0], found.find(path("one.ppm"))->heads[1][2][HeadMeasure::entropy]);
    EXPECT_TRUE(measures_of(found, {7, 0}, HeadMeasure::entropy).empty());
}

// The change of one class on all images, whatever is predicted for each.
TEST_F(FolderTest, is_measured_for_a_class_that_was_chosen) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    FolderQuestion question = question_of(desk, path(), {HeadMeasure::importance});
    question.of_class = desk->summary()->top.back().index;
    ASSERT_NE(question.of_class, desk->summary()->top.front().index);
    EXPECT_FALSE(question == question_of(desk, path(), {HeadMeasure::importance}));
    const FolderMeasures found = measure(question, files());
    const HeadEffects effects =
        ablate_heads(*desk->trace(), counterfactual_of(desk->trace_recipe(), *question.model),
                     *question.of_class);
    const auto& heads = found.find(path("one.ppm"))->heads;
    for (std::size_t b = 0; b < effects.size(); ++b)
        for (std::size_t h = 0; h < effects[b].size(); ++h)
            EXPECT_NEAR(heads[b][h][HeadMeasure::importance], effects[b][h].probability, 1e-9);
    const FolderFinder::Said said{question, found, {}, true};
    EXPECT_NE(folder_table(said, 16, ',')
                  .find("change in the probability of " +
                        class_name(*question.model, *question.of_class) + " when switched off (%)"),
              std::string::npos);
}

std::vector<std::vector<std::string>> lines_of(const std::string& text, char between) {
    std::vector<std::vector<std::string>> lines(1, {""});
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
            lines.back().back() += text[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == between && !quoted)
            lines.back().emplace_back();
        else if (c == '\n' && !quoted)
            lines.push_back({""});
        else
            lines.back().back() += c;
    }
    EXPECT_EQ(lines.back(), std::vector<std::string>{""});  // the last line ends too
    lines.pop_back();
    return lines;
}

// Every measure on request that an image alone is enough for, beside those of every run.
TEST_F(FolderTest, is_measured_by_what_maps_can_be_sorted_by) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    const Counterfactual none;
    const Trace& trace = *desk->trace();
    std::vector<HeadMeasure> wanted;
    for (const HeadMeasureInfo& row : all_head_measures())
        if (row.of_row == nullptr && row.is_of_image() && has_measure(row.id, *trace.model, none))
            wanted.push_back(row.id);
    ASSERT_GE(wanted.size(), 4U);
    const FolderQuestion question = question_of(desk, path(), wanted);
    const FolderMeasures found = measure(question, files());
    const Index answer = desk->summary()->top.front().index;
    const HeadEffects effects = ablate_heads(trace, none, answer);
    const auto attributions = attribute_heads(trace, none, answer);
    const auto parts = contributions_to(trace, none, answer).heads;
    const auto& heads = found.find(path("one.ppm"))->heads;
    for (std::size_t b = 0; b < effects.size(); ++b)
        for (std::size_t h = 0; h < effects[b].size(); ++h) {
            const HeadNumbers& head = heads[b][h];
            EXPECT_NEAR(head[HeadMeasure::importance_logit], effects[b][h].logit, 1e-6);
            EXPECT_NEAR(head[HeadMeasure::attribution], attributions[b][h], 1e-6);
            EXPECT_NEAR(head[HeadMeasure::contribution], parts[b][h], 1e-6);
            EXPECT_EQ(measures_of(found, {static_cast<int>(b), static_cast<int>(h)},
                                  HeadMeasure::attribution)
                          .size(),
                      3U);
        }
    const auto lines = lines_of(folder_table({question, found, {}, true}, 8, ','), ',');
    const auto at =
        std::ranges::find(lines[0], "estimated change in the answer's logit when switched off");
    ASSERT_NE(at, lines[0].end());
    EXPECT_EQ(lines[1].size(), lines[0].size());
    EXPECT_NEAR(
        std::stod(lines.at(lines.size() - 1)[static_cast<std::size_t>(at - lines[0].begin())]),
        found.images.back()->heads.back().back()[HeadMeasure::attribution], 1e-12);
}

// Without classes: the turn of the output, compared with the cosine of two whole runs.
TEST_F(FolderTest, is_measured_by_the_turn_of_the_output_where_there_are_no_classes) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open-model mae/model.safetensors"));
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    ASSERT_TRUE(desk->summary()->top.empty());
    const FolderQuestion question = question_of(desk, path(), {HeadMeasure::importance});
    const FolderMeasures found = measure(question, files());
    const Vector before = output_row(*desk->trace());
    ASSERT_TRUE(desk.does("switch-head 1 2"));
    const Vector without = output_row(*desk->trace());
    const double cosine = before.cast<double>().dot(without.cast<double>()) /
                          before.cast<double>().norm() / without.cast<double>().norm();
    EXPECT_NEAR(found.find(path("one.ppm"))->heads[0][1][HeadMeasure::importance], 1 - cosine,
                1e-6);
    EXPECT_GT(found.find(path("one.ppm"))->heads[0][1][HeadMeasure::importance], 0);
    const FolderFinder::Said said{question, found, {}, true};
    EXPECT_NE(
        folder_table(said, 16, ',').find("change in the output when switched off (1 - cosine)"),
        std::string::npos);
}

TEST_F(FolderTest, is_measured_with_a_layer_that_is_drawn_from_a_seed_too) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    const FolderMeasures found = measure(question_of(desk, path()), files());
    ASSERT_EQ(found.images.size(), 4U);
    EXPECT_FALSE(found.images[1]->answer);
    expect_single_runs(desk, found, false);
}

TEST_F(FolderTest, keeps_no_more_than_numbers_and_can_be_stopped) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    const FolderQuestion question = question_of(desk, path());
    std::size_t told = 0;
    std::atomic<float> progress{0};
    EXPECT_THROW(
        measure_folder(
            question, files(), [&](const FolderMeasures& found) { told = found.images.size(); },
            progress, [&] { return told == 2; }),
        Stopped);
    EXPECT_EQ(told, 2U);
    EXPECT_EQ(progress, 0.5F);
}

TEST_F(FolderTest, is_a_table_of_every_head_on_every_image) {
    save("with, a \"comma\".ppm", testing::picture(20, 30, 4));
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    const FolderQuestion question = question_of(desk, path(), {HeadMeasure::importance});
    const FolderFinder::Said said{question, measure(question, files()), {}, true};
    const int stride = desk->trace()->grid.settings.stride;
    std::vector<std::string> columns{"image", "layer", "head"};
    for (const HeadMeasureInfo& measure : run_measures()) {
        columns.push_back(measure.column(true));
        if (measure.id == HeadMeasure::distance) columns.push_back("distance (patches)");
    }
    EXPECT_EQ(columns[5], "distance (patches)");
    const std::size_t importance = columns.size();
    columns.insert(columns.end(), {"change in the answer's probability when switched off (%)",
                                   "answer", "its probability (%)", "not measured"});
    for (const char between : {',', '\t'}) {
        const auto lines = lines_of(folder_table(said, stride, between), between);
        EXPECT_EQ(lines[0], columns);
        std::size_t at = 1;
        for (const auto& image : said.answer.images) {
            if (!image->error.empty()) {
                std::vector<std::string> expected(columns.size());
                expected.front() = image->path.string();
                expected.back() = image->error;
                EXPECT_EQ(lines[at], expected);
                ++at;
                continue;
            }
            for (std::size_t b = 0; b < image->heads.size(); ++b)
                for (std::size_t h = 0; h < image->heads[b].size(); ++h, ++at) {
                    const auto& line = lines[at];
                    const HeadNumbers& head = image->heads[b][h];
                    ASSERT_EQ(line.size(), columns.size());
                    EXPECT_EQ(line[0], image->path.string());
                    EXPECT_EQ(line[1], std::to_string(b + 1));
                    EXPECT_EQ(line[2], std::to_string(h + 1));
                    EXPECT_EQ(std::stod(line[3]), head[HeadMeasure::entropy]);
                    EXPECT_EQ(std::stod(line[4]), head[HeadMeasure::distance]);
                    EXPECT_EQ(std::stod(line[5]), head[HeadMeasure::distance] / stride);
                    EXPECT_EQ(std::stod(line[importance]), head[HeadMeasure::importance] * 100);
                    EXPECT_FALSE(line[importance + 1].empty());
                    EXPECT_EQ(std::stod(line[importance + 2]), image->answer->probability * 100);
                    EXPECT_EQ(line.back(), "");
                }
        }
        EXPECT_EQ(at, lines.size());
    }
    EXPECT_EQ(folder_table_words(said),
              "the heads' numbers on 4 images, with the errors of the other 1");
}

TEST_F(FolderTest, has_no_table_of_another_experiment) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open " + path("one.ppm")));
    EXPECT_THROW((void)checked({}, *desk.operator->()), CommandError);
    const FolderQuestion question = question_of(desk, path());
    const FolderTable table{std::make_shared<const FolderFinder::Said>(
                                FolderFinder::Said{question, measure(question, files()), {}, true}),
                            8};
    EXPECT_EQ(&checked(table, *desk.operator->()), &table);
    const auto head = lines_of(folder_table(*table.said, 8, ','), ',')[0];
    EXPECT_EQ(head.back(), "not measured");
    EXPECT_EQ(head.size(),
              kRunMeasures + 5);  // a drawn layer has no answer, and none asked for importance
    for (const auto& line : lines_of(folder_table(*table.said, 0, ','), ','))
        EXPECT_EQ(line.size(), kRunMeasures + 4);  // patches of several sizes: pixels alone
    ASSERT_TRUE(desk.does("open " + path("two.ppm")));
    EXPECT_NO_THROW((void)checked(table, *desk.operator->()));
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    EXPECT_THROW((void)checked(table, *desk.operator->()), CommandError);
}

// Another image of the folder or another layer is the same question; another experiment is not.
TEST_F(FolderTest, asks_anew_only_where_numbers_would_be_others) {
    Desk desk(testing::small_state(), files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const FolderQuestion question = question_of(desk, path());
    ASSERT_TRUE(desk.does("open " + path("two.ppm")));
    ASSERT_TRUE(desk.does("layer 2"));
    EXPECT_TRUE(question == question_of(desk, path()));
    EXPECT_FALSE(question == question_of(desk, path(), {HeadMeasure::importance}));
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    EXPECT_FALSE(question == question_of(desk, path()));
    ASSERT_TRUE(desk.does("undo"));
    save("more.ppm", testing::picture(8, 8, 9));
    EXPECT_FALSE(question == question_of(desk, path()));
}

}  // namespace
}  // namespace headlight
