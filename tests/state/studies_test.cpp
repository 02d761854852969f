#include "tasks/studies.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace headlight {
namespace {

using namespace std::chrono_literals;
using Doubling = Study<int, int>;

// Where a computation reports its start, and waits to continue.
struct Gate {
    std::atomic<int> begun{0};
    std::atomic<bool> open{false};

    void pass(const StopFlag& stop) {
        ++begun;
        while (!open && !stop()) std::this_thread::yield();
        throw_if_stopped(stop);
    }
};

// Doubles the number; 1 waits at the gate, and negative numbers are errors.
Doubling doubling(Gate& gate, std::chrono::milliseconds patience = 0ms) {
    return {.compute =
                [&gate](int question, const Doubling::Run& run) {
                    run.progress = 0.5F;
                    if (question < 0) throw std::runtime_error("It is negative.");
                    if (question == 1) gate.pass(run.stop);
                    return 2 * question;
                },
            .patience = patience};
}

void settle(const Studies& studies, const auto& study) {
    while (studies.busy(study)) std::this_thread::yield();
}
void await_begin(const Gate& gate, int count = 1) {
    while (gate.begun < count) std::this_thread::yield();
}

class StudiesTest : public ::testing::Test {
  protected:
    Gate gate;
    Doubling study = doubling(gate);
    Studies studies;  // last: ends before what it uses
};

TEST_F(StudiesTest, answer) {
    EXPECT_EQ(studies.last(study), nullptr);
    EXPECT_EQ(studies.ask(study, 21), nullptr);
    settle(studies, study);
    EXPECT_EQ(studies.last(study)->question, 21);
    EXPECT_EQ(studies.ask(study, 21)->answer, 42);
    EXPECT_TRUE(studies.last(study)->whole);
    EXPECT_FALSE(studies.busy(study)) << "it was asked twice";
}

TEST_F(StudiesTest, give_up_what_is_outdated_and_skip_what_piles_up) {
    studies.ask(study, 1);
    await_begin(gate);
    for (int question = 2; question < 50; ++question) studies.ask(study, question);
    settle(studies, study);
    EXPECT_EQ(studies.last(study)->question, 49);
}

TEST_F(StudiesTest, finish_what_does_not_take_long) {
    const Doubling patient = doubling(gate, 1h);
    studies.ask(patient, 1);
    await_begin(gate);
    const auto before = studies.answers();
    studies.ask(patient, 2);
    gate.open = true;
    settle(studies, patient);
    EXPECT_EQ(studies.last(patient)->question, 2);
    EXPECT_EQ(studies.answers(), before + 2);
}

TEST_F(StudiesTest, say_what_went_wrong) {
    studies.ask(study, -1);
    settle(studies, study);
    EXPECT_EQ(studies.last(study)->error, "It is negative.");
}

TEST_F(StudiesTest, count_an_answer_before_they_are_idle) {
    for (int question = 2; question < 200; ++question) {
        const std::uint64_t before = studies.answers();
        studies.ask(study, question);
        settle(studies, study);
        ASSERT_GT(studies.answers(), before);
    }
}

// A question that a frame does not repeat is given up, and may be asked again; the last answer
// stays.
TEST_F(StudiesTest, give_up_what_no_frame_asks_for) {
    studies.ask(study, 4);
    settle(studies, study);
    studies.ask(study, 1);
    await_begin(gate);
    studies.end_frame();
    EXPECT_TRUE(studies.busy());
    studies.keep(study);
    studies.end_frame();
    EXPECT_TRUE(studies.busy());
    studies.end_frame();  // nothing was asked in this one
    settle(studies, study);
    EXPECT_FALSE(studies.busy());
    EXPECT_EQ(studies.last(study)->answer, 8);
    gate.open = true;
    studies.ask(study, 1);
    settle(studies, study);
    EXPECT_EQ(studies.last(study)->answer, 2);
}

TEST_F(StudiesTest, go_on_in_the_background_until_they_are_canceled) {
    Doubling background = doubling(gate);
    background.in_background = true;
    studies.ask(background, 1);
    await_begin(gate);
    studies.end_frame();
    studies.end_frame();
    std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(studies.busy(background));
    EXPECT_FALSE(studies.busy()) << "nobody waits for it";
    studies.cancel(background);
    settle(studies, background);
    EXPECT_EQ(studies.last(background), nullptr);
}

// A partial answer is shown, stays after a cancellation, and does not count as the answer.
TEST_F(StudiesTest, publish_parts) {
    const Study<int, std::string> parts{
        .compute = [this](int, const Study<int, std::string>::Run& run) {
            run.publish("a part");
            gate.pass(run.stop);
            return std::string("all of it");
        }};
    studies.ask(parts, 1);
    await_begin(gate);
    EXPECT_EQ(studies.last(parts)->answer, "a part");
    EXPECT_FALSE(studies.last(parts)->whole);
    studies.cancel(parts);
    settle(studies, parts);
    EXPECT_EQ(studies.last(parts)->answer, "a part");
    gate.open = true;
    studies.ask(parts, 1);
    settle(studies, parts);
    EXPECT_EQ(studies.last(parts)->answer, "all of it");
    EXPECT_TRUE(studies.last(parts)->whole);
}

// However many slow studies run, quick ones never wait for them.
TEST_F(StudiesTest, leave_threads_to_what_is_answered_at_once) {
    std::vector<std::unique_ptr<Doubling>> many;
    for (int i = 0; i < 12; ++i) {
        many.push_back(std::make_unique<Doubling>(doubling(gate, 1h)));
        many.back()->takes_long = true;
        studies.ask(*many.back(), 1);
    }
    await_begin(gate);
    studies.ask(study, 3);
    settle(studies, study);
    EXPECT_EQ(studies.last(study)->answer, 6);
    EXPECT_LE(gate.begun, 2);
    gate.open = true;
    for (const auto& one : many) settle(studies, *one);
    for (const auto& one : many) EXPECT_EQ(studies.last(*one)->answer, 2);
}

// Each Studies has its own copy of a computation's cache.
TEST_F(StudiesTest, remember_what_they_need_for_the_next_question) {
    const Doubling sums{
        .compute = [sum = 0](int number, const Doubling::Run&) mutable { return sum += number; }};
    for (const int number : {1, 2, 3}) {
        studies.ask(sums, number);
        settle(studies, sums);
    }
    EXPECT_EQ(studies.last(sums)->answer, 6);
    Studies others;
    others.ask(sums, 5);
    settle(others, sums);
    EXPECT_EQ(others.last(sums)->answer, 5);
}

TEST_F(StudiesTest, end_at_once_with_work_left) {
    studies.ask(study, 1);
    await_begin(gate);
    studies.ask(study, 7);
}

TEST_F(StudiesTest, wake_who_waits) {
    std::atomic<int> woken{0};
    Studies waking([&] { ++woken; });
    waking.ask(study, 2);
    while (woken == 0) std::this_thread::yield();
    EXPECT_EQ(waking.last(study)->answer, 4);
}

// All of them are asked, canceled and read from frame to frame while answering.
TEST_F(StudiesTest, bear_a_crowd) {
    std::vector<std::unique_ptr<Doubling>> many;
    for (int i = 0; i < 8; ++i) {
        many.push_back(std::make_unique<Doubling>(doubling(gate)));
        many.back()->takes_long = i % 2 == 0;
        many.back()->in_background = i % 3 == 0;
    }
    for (int frame = 0; frame < 300; ++frame) {
        for (std::size_t i = 0; i < many.size(); ++i) {
            const Doubling& one = *many[i];
            if ((frame + static_cast<int>(i)) % 5 == 0) continue;
            if (frame % 37 == 0) studies.cancel(one);
            const auto said = studies.ask(one, 2 + frame % 11);
            if (said) {
                EXPECT_EQ(said->answer, 2 * said->question);
            }
            (void)studies.progress(one);
        }
        (void)studies.busy();
        studies.end_frame();
    }
    for (const auto& one : many) settle(studies, *one);
}

}  // namespace
}  // namespace headlight
