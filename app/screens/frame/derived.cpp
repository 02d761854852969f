#include "frame/derived.h"

#include <algorithm>
#include <exception>
#include <iterator>

namespace headlight::screens {

namespace {

// A failure, as for want of memory, leaves nothing to be seen.
Matrix made_or_nothing(const Derived::Make& make) {
    try {
        return make();
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace

const MatrixSummary& Derived::Entry::summarise() {
    if (summarised) return summary;
    const MatrixView view = result->view();
    summary.statistics = statistics(view);
    summary.bins = histogram(view, summary.statistics.min, summary.statistics.max, kHistogramBins);
    summarised = true;
    return summary;
}

Derived::Entry& Derived::get(const Key& key, const Make& make) {
    Entry& entry = entries_[key];
    if (!entry.result) entry.result = make_result(make());
    entry.used = frame_;
    return entry;
}

Derived::Entry* Derived::later(const Key& key, Make make) {
    const auto found = entries_.find(key);
    if (found != entries_.end()) {
        found->second.used = frame_;
        return &found->second;
    }
    if (asked_in_.insert_or_assign(key, frame_).second) {
        if (!workshop_) workshop_ = std::make_unique<Workshop>(wake_);
        workshop_->ask(key, std::move(make));
    }
    return nullptr;
}

bool Derived::take_made() {
    if (!workshop_) return false;
    auto made = workshop_->take();
    for (auto& [key, entry] : made) {
        asked_in_.erase(key);
        entry.used = frame_;
        entries_[key] = std::move(entry);
    }
    return !made.empty();
}

void Derived::end_frame() {
    // A source that was freed could come back at the same address, but never with the same version.
    std::erase_if(entries_, [&](const auto& item) {
        const Entry& entry = item.second;
        const bool large = entry.result->view().rows * entry.result->view().cols > Index{1} << 21U;
        return entry.used + (large ? 0 : 8) < frame_;
    });
    // Nobody looks at it any more.
    const auto dropped =
        std::erase_if(asked_in_, [&](const auto& item) { return item.second < frame_; });
    if (dropped > 0) workshop_->keep([&](const Key& key) { return asked_in_.contains(key); });
    ++frame_;
}

void Derived::Workshop::ask(const Key& key, Make make) {
    {
        const std::lock_guard lock(guard_);
        asked_.emplace_back(key, std::move(make));
    }
    lane_.poke();
}

std::vector<std::pair<Derived::Key, Derived::Entry>> Derived::Workshop::take() {
    const std::lock_guard lock(guard_);
    return std::exchange(made_, {});
}

void Derived::Workshop::keep(const std::function<bool(const Key&)>& wanted) {
    const std::lock_guard lock(guard_);
    std::erase_if(asked_, [&](const auto& job) { return !wanted(job.first); });
}

bool Derived::Workshop::busy() {
    const std::lock_guard lock(guard_);
    return making_ || !asked_.empty() || !made_.empty();
}

bool Derived::Workshop::make_next() {
    std::pair<Key, Make> job;
    {
        const std::lock_guard lock(guard_);
        if (asked_.empty()) return false;
        job = std::move(asked_.back());
        asked_.pop_back();
        making_ = true;
    }
    Entry entry;
    entry.result = make_result(made_or_nothing(job.second));
    entry.summarise();
    {
        const std::lock_guard lock(guard_);
        made_.emplace_back(job.first, std::move(entry));
        making_ = false;
    }
    if (wake_) wake_();
    return true;
}

}  // namespace headlight::screens
