#include "application/link.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "start/session_storage.h"
#include "state/first_state.h"
#include "tests/scratch_folder.h"

namespace headlight::app {
namespace {

State chosen_state() {
    State state = first_state();
    state.recipe.layer = 2;
    state.selection.head = 1;
    state.look.screen = ScreenId::heads;
    state.look.speed = 2;
    state.recent = {"/home/ann/secret.png"};
    return state;
}

TEST(Link, KeepsWhatWasChosenAndNothingOfThePersonsFiles) {
    const State state = chosen_state();
    const std::string text = link_text(state);
    EXPECT_LT(text.size(), 3000U);
    EXPECT_EQ(
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        text.npos);
    State own;
    own.recent = {"/home/bob/mine.png"};
    const State told = state_of_link(text, own);
    EXPECT_EQ(told.recipe, state.recipe);
    EXPECT_EQ(told.selection, state.selection);
    EXPECT_EQ(told.look.screen, ScreenId::heads);
    EXPECT_EQ(told.recent, own.recent);
}

TEST(Link, NamesOnlyFilesOfTheAssetsFolder) {
    State state = chosen_state();
    state.recipe.scene.reset();
    state.recipe.image = "/etc/passwd";
    state.recipe.weights = "/home/ann/model.safetensors";
    state.look.nearest_folder = "/home/ann/pictures";
    const State told = state_of_link(link_text(state), State());
    EXPECT_EQ(told.recipe.weights, "");
    EXPECT_EQ(told.recipe.image, default_image());
    EXPECT_EQ(told.look.nearest_folder, "");
    // A manipulated link.
    state.recipe.image = "assets:../../../etc/passwd";
    EXPECT_EQ(state_of_link(link_text(state), State()).recipe.image, default_image());
}

TEST(Link, NamesAModelOfTheHub) {
    const ScratchFolder folder;
    const std::filesystem::path cache = folder / "hub";
    setenv("HF_HUB_CACHE", cache.c_str(), 1);
    const std::filesystem::path file =
        cache / "models--ada--vit" / "snapshots" / std::string(40, '1') / "model.safetensors";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "x";
    State state = chosen_state();
    state.recipe.weights = file.string();
    const std::string text = link_text(state);
    Beginning beginning{state_of_link(text, State()), "", {}, {}};
    leave_out_missing_model(beginning);
    EXPECT_EQ(beginning.state.recipe.weights, file.string());
    EXPECT_EQ(beginning.trouble, "");
    // On another computer
    setenv("HF_HUB_CACHE", (folder / "other").c_str(), 1);
    beginning.state = state_of_link(text, State());
    leave_out_missing_model(beginning);
    EXPECT_EQ(beginning.state.recipe.weights, "");
    EXPECT_TRUE(beginning.trouble.starts_with("ada/vit is not on this computer"))
        << beginning.trouble;
    unsetenv("HF_HUB_CACHE");
}

TEST(Link, LeavesOtherMissingModelsAlone) {
    Beginning beginning{chosen_state(), "", {}, {}};
    beginning.state.recipe.weights = "/there/is/no/model.safetensors";
    leave_out_missing_model(beginning);
    EXPECT_EQ(beginning.state.recipe.weights, "/there/is/no/model.safetensors");
    EXPECT_EQ(beginning.trouble, "");
}

TEST(Link, RefusesWhatIsCutOffOrEmptyInOneSentence) {
    const std::string text = link_text(chosen_state());
    for (const std::string& broken :
         {std::string(), text.substr(0, 100), text.substr(7), std::string("-"), std::string("%00"),
          std::string("<script>"), text + text}) {
        try {
            static_cast<void>(state_of_link(broken, State()));
            EXPECT_EQ(broken, text + text);  // what follows the end is ignored
        } catch (const SessionError& error) {
            const std::string said = error.what();
            EXPECT_NE(said.find("link"), said.npos) << said;
            EXPECT_LT(said.size(), 300U);
        }
    }
}

TEST(Link, RefusesAnyChangeInOneSentence) {
    const std::string text = link_text(chosen_state());
    std::mt19937 random(5);  // NOLINT: the same changes every time
    for (int round = 0; round < 300; ++round) {
        std::string changed = text;
        // The last character also holds bits that nothing reads.
        for (int i = 0; i <= round % 4; ++i)
            changed[random() % (changed.size() - 1)] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[random() % 64];
        if (changed == text) continue;
        try {
            static_cast<void>(state_of_link(changed, State()));
            ADD_FAILURE() << "opened: " << changed;
        } catch (const SessionError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("The link cannot be opened: "));
        }
    }
}

}  // namespace
}  // namespace headlight::app
