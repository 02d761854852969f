#include "window/screens.h"

#include <gtest/gtest.h>

#include <set>

namespace headlight::screens {
namespace {

TEST(Screens, are_told_apart_and_can_be_drawn) {
    std::set<ScreenId> ids;
    for (const Screen& screen : all_screens()) {
        const std::string_view name = words_of(screen.id).name;
        EXPECT_TRUE(ids.insert(screen.id).second) << name;
        EXPECT_NE(screen.draw, nullptr) << name;
    }
    EXPECT_EQ(ids.size(), kNames<ScreenId>.size()) << "the state can choose each of them";
}

struct Pages {
    int turned = 1;
};
struct Marks {
    int turned = 5;
};

TEST(Memory, keeps_for_each_type_what_it_was_told) {
    Memory memory;
    EXPECT_EQ(memory.own<Pages>().turned, 1);
    memory.own<Pages>().turned = 2;
    EXPECT_EQ(memory.own<Marks>().turned, 5);
    EXPECT_EQ(memory.own<Pages>().turned, 2);
    EXPECT_EQ(Memory().own<Pages>().turned, 1);
}

}  // namespace
}  // namespace headlight::screens
