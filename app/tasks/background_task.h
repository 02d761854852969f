#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

// Where work goes on that nobody waits for: in slices, one after the other, on a thread of its own.
// All work beside the interface runs in such tasks. (Where there are no threads, a task
// would do its slices between two frames.)
class BackgroundTask {
  public:
    // `slice` does a piece of the work, and says whether there is more to be done. It is called
    // from its thread alone, never twice at once, and throws nothing.
    explicit BackgroundTask(std::function<bool()> slice);
    ~BackgroundTask();  // waits for the slice that is being done, not for what is left
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;

    // There is something to do, or will be when the slice under way has ended.
    void poke();

  private:
    void loop();

    std::function<bool()> slice_;
    std::mutex guard_;  // of both
    bool poked_ = false, quit_ = false;
    std::condition_variable changed_;
    std::thread thread_;  // last: starts when all else is ready
};

}  // namespace headlight
