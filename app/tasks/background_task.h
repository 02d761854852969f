#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

// Background work runs on threads. Where a program may not start any, its tasks run on the
// interface's thread, between frames. Set this before the first task is made.
void set_tasks_run_between_frames(bool on);
[[nodiscard]] bool tasks_run_between_frames();

// Gives background tasks time: sleeps that long or, between frames, runs slices of all tasks in
// turn until no task has work or the time is over, but at least one slice.
void let_tasks_work(std::chrono::milliseconds time);

// Runs work in slices, one after the other, on its own thread. All work in parallel to the
// interface runs in such tasks.
class BackgroundTask {
  public:
    // `slice` does a piece of the work and returns whether there is more. It is called only from
    // the task's thread or between frames, never concurrently, and must not throw.
    explicit BackgroundTask(std::function<bool()> slice);
    ~BackgroundTask();  // waits for the current slice, not for all remaining work
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;

    // Tells the task that there is work, now or when the current slice has ended.
    void poke();

  private:
    friend void let_tasks_work(std::chrono::milliseconds);
    void loop();
    bool run_slice();  // between frames; returns false if there was nothing to do

    std::function<bool()> slice_;
    std::mutex guard_;  // guards both
    bool poked_ = false, quit_ = false;
    std::condition_variable changed_;
    std::thread thread_;  // last member: starts when all others exist; none between frames
};

}  // namespace headlight
