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
#include "state/lane.h"

namespace headlight {

// What became of one request.
struct Finished {
    Recipe recipe{};
    std::shared_ptr<const Summary> summary{};  // of the trace
    std::shared_ptr<const Trace> trace{};      // null: failed or cancelled
    std::string error{};                       // empty: done, or cancelled
    std::optional<Step> failed_at{};           // of an error: the step that could not be computed
    bool cancelled = false;
};

// Runs recipes on a lane of its own. Of requests that pile up only the newest is computed; a run
// that takes long is given up when a newer one waits.
class Worker {
  public:
    // `wake` is called from the worker's lane whenever there is something new to look at.
    // `read_file` too is called from there.
    Worker(FileReader read_file, std::function<void()> wake);
    ~Worker();  // waits for the step that is being computed, not for the run
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void request(const Recipe& recipe);
    void cancel();  // what runs and what waits
    // The oldest result not yet taken. There are never more than a trace and a failure after it.
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
    void gather(const Trace& layer);
    void summarise_run();
    void end_run(std::optional<Finished> result);  // nothing: given up for a newer one
    void publish(Finished result);

    Runner runner_;
    std::shared_ptr<const Summary> summary_;  // of the runner's last trace
    std::optional<Recipe> run_;               // what is being computed
    Clock::time_point run_began_;
    bool begun_ = false;  // by the runner
    // Gathered while the layers of the present run are computed; those that are not stay.
    LayerNumbers layers_;
    KeptLayers kept_;
    std::optional<Rollout> rollout_;
    StopFlag stop_flag_;
    std::function<void()> wake_;
    mutable std::mutex guard_;  // of waiting_ ... started_
    std::optional<Recipe> waiting_;
    std::vector<Finished> finished_;
    bool working_ = false, given_up_ = false;
    Clock::time_point started_;
    // Read between blocks of work, also from the threads that share one step.
    std::atomic<bool> stop_{false}, newer_waits_{false}, quit_{false};
    std::atomic<float> progress_{0};
    Lane lane_;  // last: starts when all else is ready
};

}  // namespace headlight
