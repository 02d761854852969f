#include "frame/derived.h"

namespace headlight::screens {

Derived::Entry& Derived::get(const Key& key, const std::function<Matrix()>& make) {
    Entry& entry = entries_[key];
    if (!entry.result) entry.result = make_result(make());
    entry.used = frame_;
    return entry;
}

void Derived::end_frame() {
    // A source that was freed could come back at the same address, but never with the same version.
    std::erase_if(entries_, [&](const auto& item) {
        const auto& [result, summary, summarised, used] = item.second;
        const bool large = result->view().rows * result->view().cols > Index{1} << 21U;
        return used + (large ? 0 : 8) < frame_;
    });
    ++frame_;
}

}  // namespace headlight::screens
