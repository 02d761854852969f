#include "tasks/background_task.h"

#include <utility>

namespace headlight {

BackgroundTask::BackgroundTask(std::function<bool()> slice)
    : slice_(std::move(slice)), thread_([this] { loop(); }) {}

BackgroundTask::~BackgroundTask() {
    {
        const std::lock_guard lock(guard_);
        quit_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void BackgroundTask::poke() {
    {
        const std::lock_guard lock(guard_);
        poked_ = true;
    }
    changed_.notify_all();
}

void BackgroundTask::loop() {
    std::unique_lock lock(guard_);
    for (;;) {
        changed_.wait(lock, [this] { return quit_ || poked_; });
        if (quit_) return;
        poked_ = false;
        lock.unlock();
        const bool more = slice_();
        lock.lock();
        poked_ = poked_ || more;
    }
}

}  // namespace headlight
