#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "pane.h"
#include "reads_lessons.h"
#include "walks.h"

// The stops of all lessons, in a pane.
namespace headlight::testing {

// As the program begins: with the model of scenes.
inline State first_state() {
    Desk desk(cat(), read_file);
    say_all(desk, {"open-model " + source("assets/models/scenes"), "scene 2000000049"});
    return desk.state();
}

class AllStops : public ::testing::Test {
  protected:
    AllStops() : AllStops(first_state()) {}

    // Executes the line, and waits for all computations.
    void say(const std::string& line) {
        ASSERT_TRUE(desk_->command_table().obey(parse_command(line))) << line;
        wait_for_both(desk_, reader_);
    }

    // Visits every stop, outside of lecture view.
    template <class Visit>
    void for_each_stop(const Visit& visit) {
        for (const auto& entry : std::filesystem::directory_iterator(source("assets/lessons"))) {
            const std::string name = entry.path().filename().string();
            if (!name.ends_with(".md") || name.find_first_of("0123456789") != 0) continue;
            say("set lecture off");
            say("lesson " + entry.path().string());
            const std::size_t stops = reader_.lesson()->stops.size();
            for (std::size_t stop = 1; stop <= stops; ++stop) {
                say("set lecture off");
                say("lesson-stop " + std::to_string(stop));
                SCOPED_TRACE(name + ", stop " + std::to_string(stop));
                visit();
            }
        }
    }

    Desk desk_;
    lessons::Reader reader_;
    Pane pane_;

  private:
    explicit AllStops(const State& first)
        : desk_(first, read_file), reader_(*desk_.operator->(), source("assets"), first) {
        pane_.read_with(&reader_);
    }
};

}  // namespace headlight::testing
