#include "application/link.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bitset>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "assets/assets.h"
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

// A link made by hand, which keeps all names of files (RFC 1950 and RFC 4648).
std::string link_with(const State& state) {
    const std::string json = to_json(state);
    uLongf size = compressBound(json.size());
    std::string bytes(size, '\0');
    if (compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                 reinterpret_cast<const Bytef*>(json.data()), json.size()) != Z_OK)
        throw std::bad_alloc();
    std::string bits, text;
    for (const char c : bytes.substr(0, size)) bits += std::bitset<8>(c).to_string();
    bits.resize((bits.size() + 5) / 6 * 6, '0');
    for (std::size_t at = 0; at < bits.size(); at += 6)
        text += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            [std::bitset<6>(bits, at, 6).to_ulong()];
    return text;
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
}

TEST(Link, OpensNoFileOutsideTheAssetsFolder) {
    State state = chosen_state();
    state.recipe.scene.reset();
    state.recipe.image = "assets:images/cat.jpg";
    state.recipe.weights = "";
    EXPECT_EQ(state_of_link(link_with(state), State()).recipe.image,
              (assets::directory() / "images/cat.jpg").string());
    const State good = state;
    for (const char* path : {"assets:../../../etc/passwd", "assets:/etc/passwd", "/etc/passwd",
                             "assets:images/../../../../../etc/passwd", "hub:../../etc/passwd"})
        for (std::string* file :
             {&state.recipe.image, &state.recipe.weights, &state.look.nearest_folder}) {
            state = good;
            *file = path;
            EXPECT_THROW(static_cast<void>(state_of_link(link_with(state), State())), SessionError)
                << path;
        }
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
