#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/rollout.h"
#include "analysis/summary.h"
#include "encoder/runner.h"
#include "tasks/background_task.h"

namespace headlight {

// What became of one request.
struct Finished {
    Recipe recipe{};
    std::shared_ptr<const Summary> summary{};  // of the trace
    std::shared_ptr<const Trace> trace{};      // null: failed or canceled
    std::string error{};                       // empty: done, or canceled
    std::optional<Step> failed_at{};           // of an error: the step that could not be computed
    bool tokens_refused = false;               // of an error: the model reads no such tokens
    // Of an error: the model, which does not have the layer that was asked for.
    std::shared_ptr<const Model> without_layer{};
    bool canceled = false;
    bool complete = true;  // false: what follows the layer looked at is still being computed
};

// How long a person who drags something waits for what comes of it.
struct Pace {
    std::chrono::milliseconds early{80};  // a run longer than this says first what is looked at
    // Once it has run so long, one that a newer request waits for is finished only where it will
    // not have taken longer than `longest`; after each that was given up, twice as long, so that in
    // the end there is something to be seen.
    std::chrono::milliseconds doubts{250}, longest{2000};
};

// Runs recipes in a background task of its own. Of requests that pile up only the newest is
// computed. A run that a newer one waits for is finished, so that while something is dragged its
// picture follows; but no more of it than is looked at, and not where it takes long.
class Worker {
  public:
    // `wake` is called from the worker's thread whenever there is something new to look at.
    // `read_file` too is called from there.
    // `models`: see Runner.
    Worker(FileReader read_file, std::function<void()> wake, const Pace& pace = {},
           ModelSource models = {});
    ~Worker();  // waits for the step that is being computed, not for the run
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    enum class Seen { all, layer_alone };  // of the trace
    void request(const Recipe& recipe, Seen seen = Seen::all);
    void cancel();  // what runs and what waits
    // The oldest result not yet taken. There are never more than a trace and a failure after it. An
    // incomplete one is followed by another.
    std::optional<Finished> poll();

    // Something runs, waits, or has not been taken by poll() yet.
    [[nodiscard]] bool busy() const;
    [[nodiscard]] float progress() const;
    // Since the last result, while something runs: runs that were given up count. 0 when idle.
    [[nodiscard]] std::chrono::milliseconds running_for() const;

  private:
    using Clock = std::chrono::steady_clock;

    bool slice();         // a step of a run; whether there is more to do
    bool take_request();  // false: there is none
    void begin_run();
    [[nodiscard]] bool given_up_for_newer() const;
    void gather(const Trace& layer);
    void publish_early();
    void summarise_run();
    void end_run(std::optional<Finished> result);  // nothing: given up for a newer one
    void publish(Finished result);

    Runner runner_;
    std::shared_ptr<const Summary> summary_;  // of the runner's last trace
    std::optional<Recipe> run_;               // what is being computed
    Pace pace_;
    Seen run_seen_ = Seen::all;
    Clock::time_point run_began_;
    bool published_early_ = false;  // of the present run
    bool begun_ = false;            // by the runner
    // Gathered while the layers of the present run are computed; those that are not stay.
    LayerNumbers layers_;
    KeptLayers kept_;
    std::optional<Rollout> rollout_;
    StopFlag stop_flag_;
    std::function<void()> wake_;
    mutable std::mutex guard_;  // of waiting_ ... started_
    std::optional<Recipe> waiting_;
    Seen waiting_seen_ = Seen::all;
    std::vector<Finished> finished_;
    bool working_ = false, given_up_ = false;
    std::atomic<int> given_up_in_a_row_{0};
    Clock::time_point started_;
    // Read between blocks of work, also from the threads that share one step.
    std::atomic<bool> stop_{false}, newer_waits_{false}, quit_{false};
    std::atomic<float> progress_{0};
    BackgroundTask task_;  // last: starts when all else is ready
};

}  // namespace headlight
