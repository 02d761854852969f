#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "models.h"
#include "state/worker.h"
#include "support.h"

// While dragging something that is slow to compute, the displayed part comes first, and outdated
// parts are never computed.
namespace headlight {
namespace {

using namespace std::chrono_literals;
using testing::Desk;
using testing::model_files;

constexpr Pace kAtOnce{.early = 0ms};

// Blocks the worker's `wake` until it is opened.
class Gate {
  public:
    std::function<void()> wake() {
        return [this] {
            ++reached_;
            while (!open_) std::this_thread::sleep_for(1ms);
        };
    }
    void wait_until_reached() const {
        while (reached_ == 0) std::this_thread::sleep_for(1ms);
    }
    void open() { open_ = true; }

  private:
    std::atomic<int> reached_ = 0;
    std::atomic<bool> open_ = false;
};

Recipe first_layer(float temperature = 1) {
    Recipe recipe = with_model(testing::small_state().recipe, "timm/model.safetensors");
    recipe.temperature = temperature;
    return recipe;
}

Finished next(Worker& worker) {
    for (;;) {
        if (auto finished = worker.poll()) return *finished;
        std::this_thread::sleep_for(1ms);
    }
}

TEST(Early, the_layer_looked_at_comes_before_what_follows_it) {
    Gate gate;
    Worker worker(model_files(), gate.wake(), kAtOnce);
    worker.request(first_layer(), Worker::Seen::layer_alone);
    gate.wait_until_reached();
    const Finished early = next(worker);
    ASSERT_TRUE(early.trace) << early.error;
    EXPECT_FALSE(early.complete);
    EXPECT_TRUE(worker.busy());
    EXPECT_TRUE(early.trace->has(Tensor::attention));
    EXPECT_TRUE(early.trace->has(Tensor::output));
    EXPECT_FALSE(early.trace->has(Tensor::logits));
    EXPECT_NE(early.summary->find(Tensor::attention), nullptr);
    EXPECT_TRUE(early.summary->top.empty());

    gate.open();
    const Finished whole = next(worker);
    EXPECT_TRUE(whole.complete);
    EXPECT_TRUE(whole.trace->has(Tensor::logits));
    EXPECT_FALSE(whole.summary->top.empty());
    EXPECT_EQ(whole.trace->steps(), early.trace->steps());
    for (const Tensor tensor : {Tensor::scores, Tensor::attention, Tensor::output})
        EXPECT_EQ(whole.trace->version(tensor), early.trace->version(tensor));
}

TEST(Early, nothing_of_an_earlier_run_stands_behind_the_layer) {
    Gate gate;
    Worker worker(model_files(), gate.wake(), kAtOnce);
    gate.open();
    worker.request(first_layer(), Worker::Seen::all);
    ASSERT_TRUE(next(worker).trace->has(Tensor::logits));
    worker.request(first_layer(0.5F), Worker::Seen::layer_alone);
    Finished found = next(worker);
    while (!found.complete) {
        for (const Node& node : found.trace->nodes)
            for (const Tensor tensor : node.results)
                EXPECT_EQ(found.trace->has(tensor), node.place != Place::end) << node.name();
        EXPECT_FALSE(found.trace->has(Tensor::encoded));
        found = next(worker);
    }
}

TEST(Early, the_rest_is_given_up_when_a_newer_request_waits) {
    Gate gate;
    Worker worker(model_files(), gate.wake(), kAtOnce);
    worker.request(first_layer(), Worker::Seen::layer_alone);
    gate.wait_until_reached();
    ASSERT_FALSE(next(worker).complete);
    worker.request(first_layer(0.5F), Worker::Seen::all);
    gate.open();
    const Finished second = next(worker);
    EXPECT_EQ(second.recipe, first_layer(0.5F));
    EXPECT_TRUE(second.complete);
    EXPECT_FALSE(worker.poll());
}

TEST(Early, a_run_that_is_under_way_is_finished_though_a_newer_one_waits) {
    Worker worker(model_files(), {}, {.early = 1h, .doubts = 1h});
    worker.request(first_layer());
    while (worker.running_for() == 0ms && !worker.poll()) std::this_thread::sleep_for(1ms);
    std::vector<Finished> all;
    for (int i = 1; i <= 40; ++i) {
        worker.request(first_layer(1 + 0.01F * static_cast<float>(i)));
        std::this_thread::sleep_for(1ms);
        if (auto finished = worker.poll()) all.push_back(*finished);
    }
    while (worker.busy())
        if (auto finished = worker.poll()) all.push_back(*finished);
    EXPECT_GT(all.size(), 1U);
    EXPECT_EQ(all.back().recipe, first_layer(1 + 0.01F * 40));
    EXPECT_TRUE(std::ranges::all_of(all, [](const Finished& f) { return f.trace && f.complete; }));
}

// Each run alone would be given up for the next.
TEST(Early, something_comes_however_fast_requests_do) {
    Worker worker(model_files(), {}, {.early = 1h, .doubts = 0ms, .longest = 1ms});
    std::optional<Finished> finished;
    for (float temperature = 1; !finished; temperature += 0.001F) {
        worker.request(first_layer(temperature), Worker::Seen::layer_alone);
        std::this_thread::sleep_for(1ms);
        finished = worker.poll();
    }
    EXPECT_TRUE(finished->trace) << finished->error;
    EXPECT_TRUE(finished->complete);
}

TEST(Early, all_comes_at_once_where_all_is_seen) {
    Worker worker(model_files(), {}, kAtOnce);
    worker.request(first_layer(), Worker::Seen::all);
    EXPECT_TRUE(next(worker).complete);
}

State on_first_layer(Step step) {
    State state = testing::small_state();
    state.recipe = first_layer();
    state.selection.step = step;
    return state;
}

TEST(Early, the_workspace_says_what_is_still_to_come) {
    Gate gate;
    Workspace work(on_first_layer(Step::softmax), model_files(), gate.wake(), kAtOnce);
    gate.open();
    const auto settle = [&] {
        while (work.busy()) {
            work.update(0);
            EXPECT_TRUE(work.trace() == nullptr || work.complete() ||
                        !work.trace()->has(Tensor::logits));
            std::this_thread::sleep_for(1ms);
        }
        EXPECT_TRUE(work.complete());
        EXPECT_TRUE(work.trace()->has(Tensor::logits));
    };
    settle();
    ASSERT_TRUE(work.apply(command("set", "temperature", "0.5")));
    settle();
    EXPECT_EQ(work.trace_recipe().temperature, 0.5F);
}

}  // namespace
}  // namespace headlight
