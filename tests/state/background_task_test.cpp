#include "tasks/background_task.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>

#include "kernels/parallel.h"
#include "state/directory.h"
#include "state/model_cache.h"
#include "state/worker.h"
#include "support.h"
#include "tasks/studies.h"
#include "tasks/suspender.h"
#include "tests/scratch_folder.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;

class BetweenFrames : public ::testing::Test {
  protected:
    BetweenFrames() { set_tasks_run_between_frames(true); }
    ~BetweenFrames() override { set_tasks_run_between_frames(false); }
};

// Of this thread and those that stand for suspended functions, only one runs at a time.
class ThreadSuspender : public Suspender {
  public:
    ThreadSuspender() = default;
    ThreadSuspender(const ThreadSuspender&) = delete;
    ThreadSuspender& operator=(const ThreadSuspender&) = delete;
    ~ThreadSuspender() override {
        for (auto& [key, one] : all_) one->thread.join();
    }

    void start(void (*function)(void*), void* key) override {
        std::unique_ptr<One>& one = all_[key];
        if (one) one->thread.join();
        one = std::make_unique<One>();
        one->thread = std::thread([this, function, key] {
            function(key);
            back_.release();
        });
        back_.acquire();
    }
    void suspend(void* key) override {
        ++suspended;
        back_.release();
        all_[key]->go_on.acquire();
    }
    void resume(void* key) override {
        all_[key]->go_on.release();
        back_.acquire();
    }

    int suspended = 0;

  private:
    struct One {
        std::thread thread;
        std::binary_semaphore go_on{0};
    };
    std::map<void*, std::unique_ptr<One>> all_;
    std::binary_semaphore back_{0};
};

class Suspended : public ::testing::Test {
  protected:
    Suspended() {
        set_threads(1);
        set_tasks_run_between_frames(true);
        suspend_slices(&suspender_);
    }
    ~Suspended() override {
        suspend_slices(nullptr);
        set_tasks_run_between_frames(false);
        set_threads(0);
    }

    ThreadSuspender suspender_;
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

TEST_F(BetweenFrames, run_a_slice_to_its_end_where_nothing_can_be_suspended) {
    let_frames_pass();  // outside a slice
    bool ended = false;
    BackgroundTask task([&] {
        for (int part = 0; part < 3; ++part) let_frames_pass();
        ended = true;
        return false;
    });
    task.poke();
    let_tasks_work(0ms);
    EXPECT_TRUE(ended);
}

TEST_F(Suspended, let_frames_pass_within_a_slice) {
    std::string turns;
    const auto task = [&](char name) {
        return [&turns, name] {
            for (int part = 0; part < 3; ++part) {
                turns += name;
                let_frames_pass();
            }
            return false;
        };
    };
    BackgroundTask first(task('a')), second(task('b'));
    first.poke();
    second.poke();
    for (int frame = 0; frame < 20; ++frame) {
        let_tasks_work(0ms);
        turns += '.';
    }
    turns.erase(turns.find_last_not_of('.') + 1);
    EXPECT_TRUE(turns == "a.b.a.b.a.b" || turns == "b.a.b.a.b.a") << turns;
    first.poke();  // its next slice begins anew
    turns.clear();
    let_tasks_work(1h);
    EXPECT_EQ(turns, "aaa");
}

TEST_F(Suspended, a_poke_is_kept_for_after_the_slice) {
    int slices = 0;
    BackgroundTask task([&] {
        ++slices;
        let_frames_pass();
        return false;
    });
    task.poke();
    let_tasks_work(0ms);
    task.poke();
    for (int frame = 0; frame < 10; ++frame) let_tasks_work(0ms);
    EXPECT_EQ(slices, 2);
}

// Answers in several frames, and several studies at a time.
TEST_F(Suspended, studies_take_turns) {
    const auto count_to = [](int question, const StudyRun<int>& run) {
        int answer = 0;
        parallel_for(question, [&](Index) {
            throw_if_stopped(run.stop);
            ++answer;
        });
        return answer;
    };
    const Study<int, int> counting{.compute = count_to}, quick{.compute = count_to};
    Studies studies;
    (void)studies.ask(counting, 100);
    for (int frame = 0; frame < 10; ++frame) let_tasks_work(0ms);
    EXPECT_TRUE(studies.busy(counting));
    (void)studies.ask(quick, 1);
    for (int frame = 0; frame < 10; ++frame) let_tasks_work(0ms);
    EXPECT_TRUE(studies.busy(counting));
    EXPECT_FALSE(studies.busy(quick));
    EXPECT_EQ(studies.last(quick)->answer, 1);
    for (int frame = 0; frame < 500 && studies.busy(counting); ++frame) let_tasks_work(0ms);
    EXPECT_EQ(studies.last(counting)->answer, 100);
    (void)studies.ask(counting, 1000000);
    let_tasks_work(0ms);
    studies.cancel(counting);
    for (int frame = 0; frame < 10; ++frame) let_tasks_work(0ms);
    EXPECT_FALSE(studies.busy(counting));
    EXPECT_EQ(studies.last(counting)->answer, 100);
}

// Two models are read and computed at the same time, here even between the blocks of one layer.
TEST_F(Suspended, workers_take_turns) {
    Recipe recipe = testing::small_state().recipe;
    ModelCache models(testing::test_files());
    Worker first(testing::test_files(), {}, {}, models.source()),
        second(testing::test_files(), {}, {}, models.source());
    first.request(recipe);
    second.request(recipe);
    std::optional<Finished> one, other;
    for (int frame = 0; frame < 100000 && !(one && other); ++frame) {
        let_tasks_work(0ms);
        if (!one) one = first.poll();
        if (!other) other = second.poll();
    }
    const auto expected = Runner(testing::test_files()).run(recipe);
    for (const auto& finished : {one, other}) {
        ASSERT_TRUE(finished && finished->trace);
        EXPECT_EQ(finished->trace->all(Tensor::attention).eigen(),
                  expected->all(Tensor::attention).eigen());
    }
    EXPECT_GT(suspender_.suspended, 10);
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
