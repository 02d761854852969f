#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

// Runs work in slices, one after the other, on its own thread. All work in parallel to the
// interface runs in such tasks. (On a platform without threads, a task could run its slices between
// frames.)
class BackgroundTask {
  public:
    // `slice` does a piece of the work and returns whether there is more. It is called only from
    // the task's thread, never concurrently, and must not throw.
    explicit BackgroundTask(std::function<bool()> slice);
    ~BackgroundTask();  // waits for the current slice, not for all remaining work
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;

    // Tells the task that there is work, now or when the current slice has ended.
    void poke();

  private:
    void loop();

    std::function<bool()> slice_;
    std::mutex guard_;  // guards both
    bool poked_ = false, quit_ = false;
    std::condition_variable changed_;
    std::thread thread_;  // last member: starts when all others exist
};

}  // namespace headlight
