#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "disk/read_file.h"
#include "lessons/reader.h"
#include "walks.h"

namespace headlight::testing {

// Until everything is computed.
inline void wait_for_both(Desk& desk, lessons::Reader& reader) {
    while (true) {
        desk->update(0);
        reader.update();
        if (!desk->busy() && !reader.busy()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// A desk with a small picture and a lesson reader.
class ReadsLessons : public ::testing::Test {
  protected:
    ReadsLessons()
        : desk_(beginning(), read_file),
          reader_(*desk_.operator->(), source("assets"), beginning()) {}

    // Executes the line, and waits for all computations.
    void say(const std::string& line) {
        ASSERT_TRUE(desk_->command_table().obey(parse_command(line))) << line;
        wait_for_both(desk_, reader_);
    }

    Desk desk_;
    lessons::Reader reader_;

  private:
    static State beginning() {
        State state = cat();
        state.recipe.image_height = state.recipe.image_width = 64;
        return state;
    }
};

}  // namespace headlight::testing
