#include "tasks/background_task.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "state/directory.h"
#include "state/worker.h"
#include "support.h"
#include "tasks/studies.h"
#include "tests/scratch_folder.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;

class BetweenFrames : public ::testing::Test {
  protected:
    BetweenFrames() { set_tasks_run_between_frames(true); }
    ~BetweenFrames() override { set_tasks_run_between_frames(false); }
};

TEST_F(BetweenFrames, take_turns_on_the_callers_thread) {
    std::string turns;
    const auto task = [&](char name, int slices) {
        return [&turns, name, slices, caller = std::this_thread::get_id()]() mutable {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            turns += name;
            return --slices > 0;
        };
    };
    BackgroundTask first(task('a', 2)), second(task('b', 4)), idle(task('c', 1));
    first.poke();
    second.poke();
    EXPECT_EQ(turns, "");
    let_tasks_work(1h);  // ends when nothing is left to do
    EXPECT_TRUE(turns == "ababbb" || turns == "babbab" || turns == "bababb") << turns;
}

TEST_F(BetweenFrames, stop_when_the_time_is_over) {
    int slices = 0;
    BackgroundTask endless([&] {
        ++slices;
        std::this_thread::sleep_for(2ms);
        return true;
    });
    endless.poke();
    let_tasks_work(1ms);
    EXPECT_EQ(slices, 1);
    let_tasks_work(1ms);
    EXPECT_EQ(slices, 2);
}

TEST_F(BetweenFrames, answer_studies) {
    const Study<int, int> doubling{
        .compute = [](int question, const StudyRun<int>&) { return 2 * question; }};
    Studies studies;
    EXPECT_EQ(studies.ask(doubling, 21), nullptr);
    EXPECT_TRUE(studies.busy(doubling));
    let_tasks_work(1h);
    EXPECT_FALSE(studies.busy(doubling));
    EXPECT_EQ(studies.last(doubling)->answer, 42);
}

TEST_F(BetweenFrames, compute_a_layer_in_several_slices) {
    const Recipe recipe = testing::small_state().recipe;
    Worker worker(testing::test_files(), {});
    worker.request(recipe);
    int rounds = 0;
    std::optional<Finished> finished;
    for (; worker.busy() && !finished; ++rounds) {
        let_tasks_work(0ms);
        finished = worker.poll();
    }
    EXPECT_GT(rounds, 3);
    ASSERT_TRUE(finished && finished->trace);
    const auto expected = Runner(testing::test_files()).run(recipe);
    EXPECT_EQ(finished->trace->all(Tensor::attention).eigen(),
              expected->all(Tensor::attention).eigen());
}

TEST_F(BetweenFrames, read_a_folder_without_waiting_for_it) {
    const ScratchFolder folder;
    folder.write("bee.png", "x");
    DirectoryReader reader;
    reader.go(folder.path());
    reader.update();
    EXPECT_TRUE(reader.reading());
    let_tasks_work(1h);
    reader.update();
    ASSERT_EQ(reader.directory().entries.size(), 1U);
    EXPECT_EQ(reader.directory().entries.front().name, "bee.png");
}

}  // namespace
}  // namespace headlight
