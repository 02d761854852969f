#include "kernels/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

namespace headlight {
ThreadPool* test_pool();  // tests/main.cpp
namespace {

// More threads than this machine has, fewer, and one.
class Parallel : public ::testing::TestWithParam<int> {
  protected:
    void SetUp() override { set_threads(GetParam()); }
    void TearDown() override { set_threads(0); }
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 2, 3, 8));

TEST_P(Parallel, calls_each_index_once) {
    for (const Index count : {0, 1, 2, 7, 1000}) {
        std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
        parallel_for(count, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
        for (std::size_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i], 1) << "index " << i;
    }
}

TEST_P(Parallel, rows_cover_all_without_overlap) {
    for (const Index total : {0, 1, 5, 64, 65, 1001})
        for (const Index block : {1, 3, 64, 5000}) {
            std::vector<std::atomic<int>> rows(static_cast<std::size_t>(total));
            parallel_rows(total, block, [&](Index first, Index count) {
                EXPECT_GE(count, 1);
                EXPECT_LE(count, block);
                for (Index r = first; r < first + count; ++r) ++rows[static_cast<std::size_t>(r)];
            });
            for (std::size_t r = 0; r < rows.size(); ++r) ASSERT_EQ(rows[r], 1) << "row " << r;
        }
}

TEST_P(Parallel, throws_one_of_the_exceptions_to_the_caller) {
    std::atomic<int> started{0};
    EXPECT_THROW(parallel_for(100'000,
                              [&](Index i) {
                                  ++started;
                                  if (i % 10 == 3) throw std::runtime_error("three");
                              }),
                 std::runtime_error);
    EXPECT_LT(started, 100'000) << "the remaining ones should not start";
    parallel_for(4, [&](Index) { started = -1; });  // and the threads still work
    EXPECT_EQ(started, -1);
}

TEST_P(Parallel, waits_for_every_running_body) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> inside{0};
        try {
            parallel_for(8, [&](Index i) {
                ++inside;
                std::this_thread::yield();
                --inside;
                if (i == 2) throw std::runtime_error("two");
            });
        } catch (const std::runtime_error&) {
        }
        ASSERT_EQ(inside, 0) << "round " << round;
    }
}

// The runner computes on one thread while the window's thread computes statistics.
TEST_P(Parallel, serves_several_callers_at_once) {
    std::atomic<Index> sum{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) parallel_for(20, [&](Index i) { sum += i; });
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(sum, 4 * 50 * 190);
}

TEST_P(Parallel, may_be_called_from_within) {
    std::atomic<int> calls{0};
    parallel_for(5, [&](Index) { parallel_for(7, [&](Index) { ++calls; }); });
    EXPECT_EQ(calls, 35);
}

// Wakes sleeping threads, and finds those that are still polling.
TEST_P(Parallel, serves_after_a_pause) {
    std::atomic<int> calls{0};
    for (int round = 0; round < 30; ++round) {
        parallel_for(16, [&](Index) { ++calls; });
        if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(calls, 30 * 16);
}

// The tests' main() provides a pool; this temporarily uses others.
TEST_P(Parallel, pools_end_and_join_their_threads) {
    std::atomic<int> calls{0};
    for (int round = 0; round < 20; ++round) {
        ThreadPool pool;
        use_pool(&pool);
        if (round % 4 != 0) parallel_for(64, [&](Index) { ++calls; });
        if (round % 4 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(calls, 15 * 64);
    std::thread::id here = std::this_thread::get_id();
    std::atomic<bool> elsewhere{false};
    parallel_for(64, [&](Index) { elsewhere = elsewhere || std::this_thread::get_id() != here; });
    EXPECT_FALSE(elsewhere) << "without a pool, the caller computes alone";
    use_pool(test_pool());
}

TEST(Threads, are_all_of_the_machine_unless_chosen) {
    EXPECT_GE(threads(), 1);
    set_threads(3);
    EXPECT_EQ(threads(), 3);
    set_threads(0);
    EXPECT_GE(threads(), 1);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need address space
TEST(ParallelDeathTest, works_with_the_threads_that_it_gets) {
    const auto work_without_room = [] {
        set_threads(64);
        rlimit limit{};
        ::getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = 1 << 20;  // below current use: no stack for another thread
        ::setrlimit(RLIMIT_AS, &limit);
        std::atomic<int> calls = 0;
        parallel_for(1000, [&](Index) { ++calls; });
        std::_Exit(calls == 1000 ? 0 : 1);
    };
    EXPECT_EXIT(work_without_room(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace headlight
