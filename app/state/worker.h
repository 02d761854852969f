#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "encoder/runner.h"

namespace headlight {

// What became of one request.
struct Finished {
    Recipe recipe;
    std::shared_ptr<const Trace> trace;  // null: failed or cancelled
    std::string error;                   // empty: done, or cancelled
    bool cancelled = false;
};

// Runs recipes on a thread of its own. Of requests that pile up only the newest is computed; a run
// that takes long is given up when a newer one waits.
class Worker {
  public:
    // `wake` is called from the worker's thread whenever there is something new to look at.
    Worker(FileReader read_file, std::function<void()> wake);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void request(const Recipe& recipe);
    void cancel();  // what runs and what waits
    std::optional<Finished> poll();

    [[nodiscard]] bool busy() const;
    [[nodiscard]] float progress() const;
    [[nodiscard]] std::chrono::milliseconds running_for() const;  // 0 when idle

  private:
    void loop();

    Runner runner_;
    std::function<void()> wake_;
    mutable std::mutex guard_;
    std::condition_variable changed_;
    std::optional<Recipe> waiting_;
    std::optional<Finished> finished_;
    bool working_ = false, quit_ = false;
    std::atomic<bool> stop_{false};
    std::atomic<float> progress_{0};
    std::chrono::steady_clock::time_point started_;
    std::thread thread_;  // last: starts when all else is ready
};

}  // namespace headlight
