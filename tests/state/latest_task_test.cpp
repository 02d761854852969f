#include "tasks/latest_task.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <stdexcept>
#include <thread>

namespace headlight {
namespace {

// Answers with twice the number; blocks on the first until told to go on.
class Held {
  public:
    explicit Held(std::chrono::milliseconds patience = std::chrono::milliseconds(0))
        : desk([this](const int& question, std::atomic<float>& progress,
                      const StopFlag& stop) { return answer(question, progress, stop); },
               patience) {}

    std::atomic<bool> held{false}, go_on{false}, first_answered{false};

  private:
    int answer(int question, std::atomic<float>& progress, const StopFlag& stop) {
        progress = 0.5F;
        if (question < 0) throw std::runtime_error("It is negative.");
        if (question == 1) {
            held = true;
            while (!go_on && !stop()) std::this_thread::yield();
            throw_if_stopped(stop);
            first_answered = true;
        }
        return 2 * question;
    }

  public:
    LatestTask<int, int> desk;  // last: answers only while the others exist

    void settle() const {
        while (desk.busy()) std::this_thread::yield();
    }
    void hold() {
        desk.ask(1);
        while (!held) std::this_thread::yield();
    }
};

TEST(LatestTask, answers) {
    Held h;
    EXPECT_EQ(h.desk.last(), nullptr);
    h.desk.ask(21);
    h.settle();
    EXPECT_EQ(h.desk.last()->question, 21);
    EXPECT_EQ(h.desk.last()->answer, 42);
    EXPECT_EQ(h.desk.last()->error, "");
}

TEST(LatestTask, gives_up_what_is_outdated_and_skips_what_piles_up) {
    Held h;
    h.hold();
    for (int question = 2; question < 50; ++question) h.desk.ask(question);
    h.settle();
    EXPECT_EQ(h.desk.last()->question, 49);
}

TEST(LatestTask, finishes_what_does_not_take_long) {
    Held h(std::chrono::hours(1));
    h.hold();
    h.desk.ask(2);
    h.go_on = true;
    h.settle();
    EXPECT_TRUE(h.first_answered);
    EXPECT_EQ(h.desk.last()->question, 2);
}

TEST(LatestTask, asks_nothing_twice) {
    Held h;
    h.hold();
    h.desk.ask(1);
    h.go_on = true;
    h.settle();
    EXPECT_EQ(h.desk.last()->answer, 2) << "it was not given up for the same question";
    const auto first = h.desk.last();
    h.desk.ask(1);
    EXPECT_FALSE(h.desk.busy());
    EXPECT_EQ(h.desk.last(), first);
}

TEST(LatestTask, keeps_the_last_answer_when_it_is_canceled) {
    Held h;
    h.desk.ask(4);
    h.settle();
    h.hold();
    h.desk.cancel();
    h.settle();
    EXPECT_EQ(h.desk.last()->answer, 8);
    h.go_on = true;
    h.desk.ask(1);  // may be asked again
    h.settle();
    EXPECT_EQ(h.desk.last()->answer, 2);
}

TEST(LatestTask, counts_an_answer_before_it_is_idle) {
    Held h;
    for (int question = 2; question < 200; ++question) {
        const std::uint64_t before = answers_given;
        h.desk.ask(question);
        h.settle();
        ASSERT_GT(answers_given, before);
    }
}

TEST(LatestTask, says_what_went_wrong) {
    Held h;
    h.desk.ask(-1);
    h.settle();
    EXPECT_EQ(h.desk.last()->error, "It is negative.");
}

TEST(LatestTask, ends_at_once_with_work_left) {
    Held h;
    h.hold();
    h.desk.ask(7);
}

}  // namespace
}  // namespace headlight
