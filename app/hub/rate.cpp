#include "hub/rate.h"

#include <cmath>

#include "disk/size_text.h"

namespace headlight::hub {

namespace {

constexpr std::chrono::seconds kWindow(5);

std::string time_in_words(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600)
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace

void Rate::add(const FileProgress& progress, Clock::time_point now) {
    constexpr std::chrono::milliseconds kBetween(100);
    const std::uint64_t arrived = progress.arrived;
    const bool is_new = progress.path != path_ || progress.phase != FileProgress::Phase::fetching;
    if (is_new || (!seen_.empty() && arrived < seen_.back().second)) seen_.clear();
    path_ = progress.path;
    if (progress.phase != FileProgress::Phase::fetching) return;
    if (seen_.size() > 1 && now - seen_[seen_.size() - 2].first < kBetween) seen_.pop_back();
    seen_.emplace_back(now, arrived);
    while (seen_.size() > 2 && now - seen_.front().first > kWindow) seen_.pop_front();
}

double Rate::bytes_per_second() const {
    if (seen_.size() < 2) return 0;
    const std::chrono::duration<double> time = seen_.back().first - seen_.front().first;
    constexpr double kLeast = 0.2;
    if (time.count() < kLeast) return 0;
    return static_cast<double>(seen_.back().second - seen_.front().second) / time.count();
}

std::string progress_in_words(const ModelProgress& progress, double bytes_per_second) {
    using Phase = FileProgress::Phase;
    const FileProgress& file = progress.file;
    if (file.phase == Phase::waiting)
        return file.path + ": another program is downloading it. Waiting for it to finish.";
    if (file.phase == Phase::checking)
        return file.path + ": checking the part that is already downloaded, " +
               bytes_in_words(file.arrived) + " so far";
    std::string text = file.path + ": " + bytes_in_words(progress.arrived) + " of " +
                       bytes_in_words(progress.size);
    if (bytes_per_second <= 0) return text;
    text += ", " + bytes_in_words(static_cast<std::uint64_t>(bytes_per_second)) + "/s";
    const auto left = static_cast<double>(progress.size - progress.arrived);
    return text + ", " + time_in_words(left / bytes_per_second) + " left";
}

}  // namespace headlight::hub
