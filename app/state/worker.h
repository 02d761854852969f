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

// The outcome of one request.
struct Finished {
    Recipe recipe{};
    std::shared_ptr<const Summary> summary{};  // of `trace`
    std::shared_ptr<const Trace> trace{};      // null if failed or canceled
    std::string error{};                       // empty if done or canceled
    std::optional<Step> failed_at{};           // with an error: the step that could not be computed
    bool tokens_refused = false;               // with an error: the model refuses such tokens
    // With an error: the model, if it lacks the requested layer.
    std::shared_ptr<const Model> without_layer{};
    bool canceled = false;
    bool complete = true;  // false: what follows the selected layer is still being computed
};

// Timing that keeps dragging responsive.
struct Pace {
    std::chrono::milliseconds early{80};  // longer runs publish the selected layer first
    // After running for `doubts`, a run that a newer request waits for continues only if it is
    // expected to take at most `longest` in total. After each run that was given up, `longest`
    // doubles, so that eventually a result appears.
    std::chrono::milliseconds doubts{250}, longest{2000};
};

// Runs recipes in a background task. Of waiting requests, only the newest is computed. A run that a
// newer request waits for is still finished, so that the picture follows a drag. Only the part that
// is shown is computed then, and the run is given up if it takes long.
class Worker {
  public:
    // `wake` is called from the worker's thread whenever there is something new to show.
    // `read_file` is called from that thread too. `models`: see Runner.
    Worker(FileReader read_file, std::function<void()> wake, const Pace& pace = {},
           ModelSource models = {});
    ~Worker();  // waits for the current step, not for the whole run
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    enum class Seen { all, layer_alone };  // part of the trace that is shown
    void request(const Recipe& recipe, Seen seen = Seen::all);
    void cancel();  // the current run and the waiting request
    // The oldest result not yet taken. At most a trace and a failure after it wait here. An
    // incomplete result is followed by another.
    std::optional<Finished> poll();

    // Whether something runs, waits, or has not been taken by poll().
    [[nodiscard]] bool busy() const;
    [[nodiscard]] float progress() const;
    // Time since the last result while something runs, counting runs that were given up. 0 when
    // idle.
    [[nodiscard]] std::chrono::milliseconds running_for() const;

  private:
    using Clock = std::chrono::steady_clock;

    bool slice();         // one step of a run; returns whether there is more
    bool take_request();  // false if there is none
    void begin_run();
    [[nodiscard]] bool given_up_for_newer() const;
    void gather(const Trace& layer);
    void publish_early();
    void summarise_run();
    void end_run(std::optional<Finished> result);  // empty: given up for a newer one
    void publish(Finished result);

    Runner runner_;
    std::shared_ptr<const Summary> summary_;  // of the runner's last trace
    std::optional<Recipe> run_;               // the recipe being computed
    Pace pace_;
    Seen run_seen_ = Seen::all;
    Clock::time_point run_began_;
    bool published_early_ = false;  // in the current run
    bool begun_ = false;            // by the runner
    // Collected while the current run computes its layers; entries of other layers stay.
    LayerNumbers layers_;
    KeptLayers kept_;
    std::optional<Rollout> rollout_;
    StopFlag stop_flag_;
    std::function<void()> wake_;
    mutable std::mutex guard_;  // guards waiting_ ... started_
    std::optional<Recipe> waiting_;
    Seen waiting_seen_ = Seen::all;
    std::vector<Finished> finished_;
    bool working_ = false, given_up_ = false;
    std::atomic<int> given_up_in_a_row_{0};
    Clock::time_point started_;
    // Polled between blocks of work, also by the threads that share one step.
    std::atomic<bool> stop_{false}, newer_waits_{false}, quit_{false};
    std::atomic<float> progress_{0};
    BackgroundTask task_;  // last member: starts when all others exist
};

}  // namespace headlight
