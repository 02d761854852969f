#include "state/model_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "models.h"
#include "state/patching.h"
#include "support.h"
#include "tests/scratch_folder.h"

// Results of one file share one model.
namespace headlight {
namespace {

using testing::Desk;

// Two pictures, one of them in the session.
State session(const std::string& model) {
    State state = testing::small_state();
    state.recipe.weights = model;
    state.recipe.image_height = state.recipe.image_width = 48;
    state.pinned = state.recipe;
    state.recipe.image = "b.ppm";
    return state;
}

TEST(ModelCache, shares_the_model_of_a_session_so_that_it_can_be_patched) {
    Desk desk(session("timm/model.safetensors"), testing::model_files());
    ASSERT_TRUE(desk->trace() && desk->pinned_trace());
    EXPECT_EQ(desk->trace()->model, desk->pinned_trace()->model);
    const TokenEffects found = patch_tokens({*desk->trace(), {}}, {*desk->pinned_trace(), {}}, 1);
    for (const HeadEffect& effect : found.all)
        EXPECT_NEAR(effect.logit, found.from.logit - found.now.logit, 1e-6);
}

TEST(ModelCache, reads_it_once) {
    std::atomic<int> reads{0};
    const FileReader counting = [&, files = testing::model_files()](const std::string& name) {
        if (name == "timm/model.safetensors") ++reads;
        return files(name);
    };
    Desk desk(session("timm/model.safetensors"), counting);
    EXPECT_EQ(reads, 1);
}

TEST(ModelCache, knows_other_files_options_and_readings_apart) {
    for (const auto& change : std::vector<std::function<void(Recipe&)>>{
             [](Recipe& r) { r.weights = "vit/model.safetensors"; },
             [](Recipe& r) { r.reading = 1; }, [](Recipe& r) { r.model.num_heads = 2; }}) {
        State state = session("timm/model.safetensors");
        change(*state.pinned);
        Desk desk(state, testing::model_files());
        ASSERT_TRUE(desk->trace() && desk->pinned_trace()) << desk->notice().text;
        EXPECT_NE(desk->trace()->model, desk->pinned_trace()->model);
    }
}

// A changed file is read again, although its previous content is still in use.
TEST(ModelCache, reads_a_file_again_that_has_changed_on_the_disk) {
    const ScratchFolder folder;
    const std::string name = (folder / "model.safetensors").string();
    const auto write = [&](const char* text) { std::ofstream(name) << text; };
    ModelCache cache([](const std::string&) { return File(Bytes{}); });
    const ModelSource source = cache.source();
    Recipe recipe;
    recipe.weights = name;
    int reads = 0;
    const ModelRead read = [&](const FileReader& files) {
        (void)files(name);
        ++reads;
        return std::make_shared<const Model>();
    };
    write("one");
    const auto first = source(recipe, read, {});
    EXPECT_EQ(source(recipe, read, {}), first);
    EXPECT_EQ(reads, 1);
    write("another");
    const auto second = source(recipe, read, {});
    EXPECT_NE(second, first);
    EXPECT_EQ(reads, 2);
    EXPECT_EQ(source(recipe, read, {}), second);
}

TEST(ModelCache, forgets_what_nobody_uses_and_survives_a_failure) {
    ModelCache cache([](const std::string&) { return File(Bytes{}); });
    const ModelSource source = cache.source();
    int reads = 0;
    const ModelRead good = [&](const FileReader&) {
        ++reads;
        return std::make_shared<const Model>();
    };
    const ModelRead bad = [](const FileReader&) -> std::shared_ptr<const Model> {
        throw std::runtime_error("no model");
    };
    EXPECT_THROW((void)source({}, bad, {}), std::runtime_error);
    (void)source({}, good, {});
    (void)source({}, good, {});  // evicts the first
    EXPECT_EQ(reads, 2);
}

TEST(ModelCache, lets_one_wait_for_another_and_stop_waiting) {
    ModelCache cache([](const std::string&) { return File(Bytes{}); });
    const ModelSource source = cache.source();
    std::atomic<bool> go{false}, begun{false};
    std::shared_ptr<const Model> first;
    std::thread slow([&] {
        first = source({},
                       [&](const FileReader&) {
                           begun = true;
                           while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                           return std::make_shared<const Model>();
                       },
                       {});
    });
    while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const ModelRead never = [](const FileReader&) -> std::shared_ptr<const Model> {
        throw std::runtime_error("read twice");
    };
    EXPECT_THROW((void)source({}, never, [] { return true; }), Stopped);
    std::shared_ptr<const Model> second;
    std::thread waits([&] { second = source({}, never, {}); });
    go = true;
    slow.join();
    waits.join();
    EXPECT_EQ(first, second);
    EXPECT_TRUE(first);
}

}  // namespace
}  // namespace headlight
