#include "frame/derived.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

namespace headlight::screens {
namespace {

using namespace std::chrono_literals;

Derived::Key key_of(std::uint64_t version) {
    return {Derived::Kind::of_one_head, version, nullptr, 0, nullptr, 2, 3};
}

Matrix matrix_of(float value) { return Matrix::Constant(2, 3, value); }

void wait_until_made(Derived& derived) {
    while (!derived.take_made()) std::this_thread::sleep_for(1ms);
}

TEST(Derived, is_made_once_and_kept_while_it_is_looked_at) {
    Derived derived;
    int made = 0;
    const auto make = [&] {
        ++made;
        return matrix_of(1);
    };
    for (int frame = 0; frame < 3; ++frame) {
        EXPECT_EQ(derived.get(key_of(1), make).result->view()(1, 2), 1);
        derived.end_frame();
    }
    EXPECT_EQ(made, 1);
    for (int frame = 0; frame < 20; ++frame) derived.end_frame();
    derived.get(key_of(1), make);
    EXPECT_EQ(made, 2);
}

TEST(Derived, what_takes_long_comes_later_with_its_summary) {
    Derived derived;
    std::atomic<int> woken = 0;
    derived.set_wake([&] { ++woken; });
    std::atomic<bool> open = false;
    std::atomic<int> made = 0;
    const auto make = [&] {
        while (!open) std::this_thread::sleep_for(1ms);
        ++made;
        return matrix_of(7);
    };
    for (int frame = 0; frame < 3; ++frame) {
        EXPECT_EQ(derived.later(key_of(1), make), nullptr);
        EXPECT_TRUE(derived.busy());
        derived.end_frame();
    }
    open = true;
    wait_until_made(derived);
    EXPECT_FALSE(derived.busy());
    while (woken == 0) std::this_thread::sleep_for(1ms);
    Derived::Entry* entry = derived.later(key_of(1), make);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->result->view()(0, 0), 7);
    EXPECT_TRUE(entry->summarised);
    EXPECT_EQ(entry->summary.statistics.max, 7);
    EXPECT_EQ(made, 1);
}

TEST(Derived, what_nobody_asks_for_any_more_is_not_made) {
    Derived derived;
    std::atomic<bool> open = false, begun = false;
    std::atomic<int> made = 0;
    const auto make = [&] {
        begun = true;
        while (!open) std::this_thread::sleep_for(1ms);
        ++made;
        return matrix_of(1);
    };
    derived.later(key_of(1), make);
    while (!begun) std::this_thread::sleep_for(1ms);
    derived.later(key_of(2), make);
    derived.later(key_of(3), make);
    derived.end_frame();
    derived.later(key_of(3), make);
    derived.end_frame();
    open = true;
    while (derived.busy()) {
        derived.take_made();
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(made, 2);  // the one in progress, and the third
    EXPECT_NE(derived.later(key_of(3), make), nullptr);
    EXPECT_EQ(derived.later(key_of(2), make), nullptr);
}

TEST(Derived, a_failure_shows_nothing) {
    Derived derived;
    derived.later(key_of(1), []() -> Matrix { throw std::bad_alloc(); });
    wait_until_made(derived);
    Derived::Entry* entry = derived.later(key_of(1), [] { return matrix_of(1); });
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->result->view().rows, 0);
}

}  // namespace
}  // namespace headlight::screens
