#include "tasks/studies.h"

#include <utility>

namespace headlight {

namespace {

constexpr std::size_t kTasks = 4;
constexpr int kMostLongOnes = 2;

}  // namespace

Studies::Studies(std::function<void()> wake) : wake_(std::move(wake)) {}

Studies::~Studies() {
    const std::lock_guard lock(guard_);
    for (const auto& [study, desk] : desks_) give_up(*desk);
}

bool Studies::busy() const {
    const std::lock_guard lock(guard_);
    for (const auto& [study, desk] : desks_)
        if ((desk->waits || desk->working) && (desk->wanted || desk->was_wanted)) return true;
    return false;
}

void Studies::end_frame() {
    const std::lock_guard lock(guard_);
    for (const auto& [study, desk] : desks_) {
        desk->was_wanted = std::exchange(desk->wanted, false);
        const bool busy = desk->waits || desk->working;
        if (busy && !desk->was_wanted && !desk->in_background) give_up(*desk);
    }
}

const Studies::Desk* Studies::find(const void* study) const {
    const auto found = desks_.find(study);
    return found == desks_.end() ? nullptr : found->second.get();
}

void Studies::enqueue(Desk& desk) {
    if (!desk.waits) desk.ticket = ++tickets_;
    desk.waits = true;
    while (tasks_.size() < kTasks)  // no question was asked
        tasks_.push_back(std::make_unique<BackgroundTask>([this] { return work(); }));
    for (const auto& task : tasks_) task->poke();
}

void Studies::give_up(Desk& desk) {
    desk.waits = false;
    desk.give_up = true;
    desk.cancel();
}

void Studies::cancel_desk(const void* study) {
    const std::lock_guard lock(guard_);
    const auto found = desks_.find(study);
    if (found != desks_.end()) give_up(*found->second);
}

bool Studies::is_busy(const void* study) const {
    const std::lock_guard lock(guard_);
    const Desk* desk = find(study);
    return desk != nullptr && (desk->waits || desk->working);
}

float Studies::progress_of(const void* study) const {
    const std::lock_guard lock(guard_);
    const Desk* desk = find(study);
    return desk == nullptr ? 0 : desk->progress.load();
}

// A slow study waits while others are running, so that quick ones never wait for them.
Studies::Desk* Studies::next() {
    Desk* first = nullptr;
    for (const auto& [study, desk] : desks_) {
        if (!desk->waits || desk->working) continue;
        if (desk->takes_long && long_ones_ >= kMostLongOnes) continue;
        const bool sooner = first == nullptr || (first->takes_long && !desk->takes_long) ||
                            (first->takes_long == desk->takes_long && desk->ticket < first->ticket);
        if (sooner) first = desk.get();
    }
    return first;
}

// A question that must wait is taken by the task that it waits for.
bool Studies::work() {
    std::unique_lock lock(guard_);
    Desk* const desk = next();
    if (desk == nullptr) return false;
    desk->waits = false;
    desk->working = true;
    desk->give_up = desk->newer = false;
    desk->progress = 0;
    desk->begin();
    if (desk->takes_long) ++long_ones_;
    lock.unlock();
    const bool answered = desk->compute(*this);
    lock.lock();
    desk->end(answered);
    lock.unlock();
    desk->forget();  // without the lock: it may be large
    lock.lock();
    if (desk->takes_long) --long_ones_;
    ++answers_;
    desk->working = false;
    lock.unlock();
    if (answered && wake_) wake_();
    return true;
}

}  // namespace headlight
