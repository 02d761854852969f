#include "state/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;
using testing::small_state;
using testing::test_files;

// 1024 tokens in 64 heads: slow, in many blocks.
Recipe big_recipe() {
    Recipe recipe = small_state().recipe;
    recipe.image_height = recipe.image_width = 256;
    recipe.patches = {8, 8, Ragged::pad};
    recipe.channels = 512;
    recipe.heads = 64;
    return recipe;
}

// A disk that delivers no file until allowed to.
class SlowDisk {
  public:
    FileReader reader() {
        return [this](const std::string&) {
            asked_ = true;
            while (!open_) std::this_thread::sleep_for(1ms);
            return testing::picture(20, 20, 1);
        };
    }
    void wait_until_it_is_asked() const {
        while (!asked_) std::this_thread::sleep_for(1ms);
    }
    void open() { open_ = true; }

  private:
    std::atomic<bool> asked_ = false, open_ = false;
};

Recipe other_recipe() {
    Recipe recipe = small_state().recipe;
    recipe.seed = 7;
    return recipe;
}

std::optional<Finished> wait(Worker& worker, std::chrono::seconds longest = 60s) {
    const auto until = std::chrono::steady_clock::now() + longest;
    while (std::chrono::steady_clock::now() < until) {
        if (auto finished = worker.poll()) return finished;
        if (!worker.busy()) return std::nullopt;
        std::this_thread::sleep_for(1ms);
    }
    ADD_FAILURE() << "the worker hangs";
    return std::nullopt;
}

TEST(Worker, computes_what_is_asked_and_wakes) {
    std::atomic<int> woken{0};
    Worker worker(test_files(), [&] { ++woken; });
    EXPECT_FALSE(worker.busy());
    EXPECT_FALSE(worker.poll());
    worker.request(small_state().recipe);
    EXPECT_TRUE(worker.busy());
    const auto finished = wait(worker);
    ASSERT_TRUE(finished && finished->trace);
    EXPECT_EQ(finished->recipe, small_state().recipe);
    EXPECT_EQ(finished->trace->shape.queries, 16);
    EXPECT_TRUE(finished->error.empty());
    EXPECT_FALSE(worker.busy());
    EXPECT_EQ(worker.running_for(), 0ms);
    while (woken == 0) std::this_thread::yield();
    EXPECT_EQ(woken, 1);
}

TEST(Worker, says_what_went_wrong_and_where) {
    Worker worker(test_files(), {});
    Recipe recipe = small_state().recipe;
    recipe.image = "none.ppm";
    worker.request(recipe);
    auto finished = wait(worker);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->error, "none.ppm: there is no such file.");
    EXPECT_EQ(finished->failed_at, Step::image);
    EXPECT_FALSE(finished->trace);

    recipe = small_state().recipe;
    worker.request(recipe);
    ASSERT_TRUE(wait(worker)->trace);
    recipe.heads = 5;
    worker.request(recipe);
    finished = wait(worker);
    ASSERT_TRUE(finished);
    EXPECT_NE(finished->error.find("5 heads"), std::string::npos);
    EXPECT_EQ(finished->failed_at, Step::heads);
}

TEST(Worker, survives_every_kind_of_exception) {
    int kind = 0;
    Worker worker(
        [&kind](const std::string&) -> Bytes {
            switch (kind) {
                case 0:
                    throw std::bad_alloc();
                case 1:
                    throw 42;  // NOLINT: on purpose
                case 2:
                    throw std::runtime_error("");
                default:
                    throw std::logic_error("The disk is on fire.");
            }
        },
        {});
    for (const char* part : {"not enough memory", "unknown reason", "unknown reason", "on fire"}) {
        worker.request(small_state().recipe);
        const auto finished = wait(worker);
        ASSERT_TRUE(finished);
        EXPECT_NE(finished->error.find(part), std::string::npos) << finished->error;
        ++kind;
    }
}

TEST(Worker, gives_up_a_long_run_for_a_newer_request) {
    SlowDisk disk;
    Worker worker(disk.reader(), {});
    worker.request(other_recipe());
    disk.wait_until_it_is_asked();
    worker.request(small_state().recipe);
    while (worker.running_for() < 300ms) std::this_thread::sleep_for(1ms);  // now it is long
    disk.open();
    const auto finished = wait(worker);
    ASSERT_TRUE(finished && finished->trace);
    EXPECT_EQ(finished->recipe, small_state().recipe);
    EXPECT_FALSE(worker.poll());
}

TEST(Worker, of_many_requests_the_newest_wins) {
    Worker worker(test_files(), {});
    Recipe recipe = big_recipe();
    for (int seed = 0; seed < 200; ++seed) {
        recipe.seed = static_cast<std::uint64_t>(seed);
        worker.request(recipe);
    }
    recipe = small_state().recipe;
    worker.request(recipe);
    std::optional<Finished> last;
    while (auto finished = wait(worker)) last = std::move(finished);
    ASSERT_TRUE(last && last->trace);
    EXPECT_EQ(last->recipe, recipe);
}

TEST(Worker, cancels_what_runs) {
    SlowDisk disk;
    Worker worker(disk.reader(), {});
    worker.request(other_recipe());
    disk.wait_until_it_is_asked();
    while (worker.running_for() == 0ms) std::this_thread::sleep_for(1ms);
    worker.cancel();
    disk.open();
    const auto finished = wait(worker);
    ASSERT_TRUE(finished);
    EXPECT_TRUE(finished->canceled);
    EXPECT_TRUE(finished->error.empty());
    EXPECT_FALSE(finished->trace);
    EXPECT_FALSE(worker.busy());

    worker.request(small_state().recipe);  // and goes on
    EXPECT_TRUE(wait(worker)->trace);
}

TEST(Worker, cancel_of_nothing_is_nothing) {
    Worker worker(test_files(), {});
    worker.cancel();
    EXPECT_FALSE(worker.busy());
    worker.request(small_state().recipe);
    EXPECT_TRUE(wait(worker)->trace);
}

TEST(Worker, a_trace_that_nobody_took_survives_a_failure) {
    std::atomic<int> woken{0};
    Worker worker(test_files(), [&] { ++woken; });
    const auto run = [&](const Recipe& recipe) {
        const int before = woken;
        worker.request(recipe);
        while (woken == before) std::this_thread::sleep_for(1ms);
    };
    run(small_state().recipe);
    Recipe bad = small_state().recipe;
    bad.image = "none.ppm";
    run(bad);
    bad.image = "nothing.ppm";
    run(bad);
    EXPECT_TRUE(worker.poll()->trace);
    EXPECT_EQ(worker.poll()->recipe.image, "nothing.ppm");
    EXPECT_FALSE(worker.poll());
}

TEST(Worker, ends_at_once_whatever_it_does) {
    for (const auto pause : {0ms, 1ms, 60ms}) {
        const auto begin = std::chrono::steady_clock::now();
        {
            Worker worker(test_files(), {});
            worker.request(big_recipe());
            std::this_thread::sleep_for(pause);
            worker.request(big_recipe());
        }
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
    }
}

TEST(Worker, progress_goes_from_nothing_to_all) {
    Worker worker(test_files(), {});
    Recipe recipe = small_state().recipe;
    recipe.patches = {4, 4, Ragged::pad};
    worker.request(recipe);
    float last = 0;
    while (worker.busy() && !worker.poll()) {
        const float now = worker.progress();
        EXPECT_GE(now, last);
        EXPECT_LE(now, 1.0F);
        last = now;
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(worker.progress(), 1.0F);
}

}  // namespace
}  // namespace headlight
