#include <gtest/gtest.h>

#include <functional>

#include "encoder/runner.h"
#include "golden_families.h"
#include "naive.h"
#include "picture.h"
#include "scene/random_scene.h"

// Whatever changes led to a whole model's recipe, its numbers equal those of a run from scratch.
namespace headlight::family_rerun_test {
namespace {

FileReader with_pictures(const GoldenModel& model) {
    return [read = reader_of(model)](const std::string& path) -> File {
        if (path == "a") return picture(50, 47);
        if (path == "b") return picture(40, 52, 99);
        return read(path);
    };
}

void expect_the_same(const Trace& trace, const Trace& expected, const std::string& when) {
    EXPECT_EQ(trace.steps(), expected.steps()) << when;
    for (const Step step : expected.steps()) {
        const Tensor result = expected.node(step)->result();
        ASSERT_EQ(trace.has(result), expected.has(result)) << when << ": " << info(step).name;
        EXPECT_TRUE(naive::identical(trace.view(result), expected.view(result)))
            << when << ": " << info(step).name;
    }
}

class FamilyRerun : public ::testing::TestWithParam<GoldenModel> {};

TEST_P(FamilyRerun, the_numbers_do_not_depend_on_the_way) {
    const FileReader read = with_pictures(GetParam());
    const std::pair<const char*, std::function<void(Recipe&)>> way[] = {
        {"the first", [](Recipe& r) { r.image = "a"; }},
        {"another picture", [](Recipe& r) { r.image = "b"; }},
        {"another layer", [](Recipe& r) { r.layer = 1; }},
        {"a temperature", [](Recipe& r) { r.temperature = 0.5F; }},
        {"no positions", [](Recipe& r) { r.position.kind = PositionKind::none; }},
        {"a rotation",
         [](Recipe& r) {
             r.position = {PositionKind::rotary, kDinov3Base};
         }},
        {"a relative bias", [](Recipe& r) { r.position = {PositionKind::relative}; }},
        {"its own positions", [](Recipe& r) { r.position = {}; }},
        {"the first layer again", [](Recipe& r) { r.layer = 0; }},
        {"a head off",
         [](Recipe& r) {
             r.switched_off = {{1, 0}};
         }},
        {"a scene", [](Recipe& r) { r.scene = random_scene(7); }},
        {"a shape moved", [](Recipe& r) { r.scene->shapes.front().x += 5; }},
        {"all heads", [](Recipe& r) { r.switched_off.clear(); }},
        {"a file again", [](Recipe& r) { r.scene.reset(); }},
        {"the first picture again", [](Recipe& r) { r.image = "a"; }}};
    Runner runner(read);
    Recipe recipe;
    recipe.weights = GetParam().path();
    // By default DINOv2 takes 1,369 patches. That is slow, and enough for one of its four models.
    if (GetParam().name.find("dinov2") != std::string::npos && GetParam().name != "dinov2")
        recipe.image_height = recipe.image_width = 36;
    int runs = 0;
    for (const auto& [when, change] : way) {
        change(recipe);
        std::shared_ptr<const Trace> afresh;
        try {
            afresh = Runner(read).run(recipe);
        } catch (const std::exception& error) {  // such as a rotation of Swin's windows
            EXPECT_ANY_THROW((void)runner.run(recipe)) << when << ": " << error.what();
            continue;
        }
        expect_the_same(*runner.run(recipe), *afresh, when);
        ++runs;
    }
    EXPECT_GE(runs, 10);
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyRerun, ::testing::ValuesIn(golden_files()),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace headlight::family_rerun_test
