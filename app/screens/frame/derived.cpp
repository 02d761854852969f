#include "frame/derived.h"

#include <algorithm>
#include <exception>
#include <iterator>

namespace headlight::screens {

namespace {

// Empty on failure, such as lack of memory.
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
        if (!results_) results_ = std::make_unique<BackgroundResults<Key, Entry>>(wake_);
        results_->ask(key, [make = std::move(make)] {
            Entry entry;
            entry.result = make_result(made_or_nothing(make));
            entry.summarise();
            return entry;
        });
    }
    return nullptr;
}

bool Derived::take_made() {
    if (!results_) return false;
    auto made = results_->take();
    for (auto& [key, entry] : made) {
        asked_in_.erase(key);
        entry.used = frame_;
        entries_[key] = std::move(entry);
    }
    return !made.empty();
}

void Derived::end_frame() {
    // A new source may reuse a freed one's address, but never its version.
    std::erase_if(entries_, [&](const auto& item) {
        const Entry& entry = item.second;
        const bool large = entry.result->view().rows * entry.result->view().cols > Index{1} << 21U;
        return entry.used + (large ? 0 : 8) < frame_;
    });
    // No longer shown.
    const auto dropped =
        std::erase_if(asked_in_, [&](const auto& item) { return item.second < frame_; });
    if (dropped > 0) results_->keep([&](const Key& key) { return asked_in_.contains(key); });
    ++frame_;
}

}  // namespace headlight::screens
