#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "files.h"
#include "state/workspace.h"

// The program without a window.
namespace headlight::testing {

// Quick to compute: 4 × 4 patches, 4 heads with 4 channels.
inline State small_state() {
    State state;
    state.recipe.image = "a.ppm";
    state.recipe.image_height = state.recipe.image_width = 64;
    state.recipe.channels = 16;
    return state;
}

class Desk {
  public:
    explicit Desk(State initial = small_state(), const FileReader& files = test_files())
        : work_(std::move(initial), files, {}) {
        settle();
    }

    Workspace* operator->() { return &work_; }
    [[nodiscard]] const State& state() const { return work_.state(); }
    [[nodiscard]] const Selection& selection() const { return state().selection; }

    // Executes a command, as in a script.
    bool say(const std::string& line) { return work_.apply(parse_command(line)); }
    // Executes it and waits for the result.
    bool does(const std::string& line) {
        const bool good = say(line);
        settle();
        return good;
    }
    void settle() {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (work_.busy() && std::chrono::steady_clock::now() < until) {
            work_.update(0);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_FALSE(work_.busy()) << "the computation hangs";
    }
    void expect_notice(const std::string& part) {
        EXPECT_TRUE(work_.notice().is_error);
        EXPECT_NE(work_.notice().text.find(part), std::string::npos) << work_.notice().text;
    }

  private:
    Workspace work_;
};

}  // namespace headlight::testing
