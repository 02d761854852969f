#include "state/playback.h"

#include <algorithm>

namespace headlight {

namespace {

constexpr double kMotionSeconds = 3.0;   // for one step, at speed 1
constexpr double kReadingSeconds = 7.0;  // the same if there is a sentence to read
constexpr double kRestSeconds = 1.5;     // on one step when animation is off
constexpr double kSamePlace = 1e-9;      // phases accumulate rounding errors

}  // namespace

const std::vector<double>& stops_of(Step step) {
    // Softmax has three parts: exp, the row's sum, and the division.
    static const std::vector<double> softmax{1.0 / 3, 2.0 / 3, 1.0}, others{1.0};
    return step == Step::softmax ? softmax : others;
}

Playback::Playback()
    : steps_{Step::image, Step::patches,  Step::position, Step::qkv,
             Step::heads, Step::products, Step::scale,    Step::softmax,
             Step::mix,   Step::concat,   Step::project,  Step::skip} {}

std::size_t Playback::index_of(Step step) const {
    const auto found = std::find(steps_.begin(), steps_.end(), step);
    return found == steps_.end() ? 0 : static_cast<std::size_t>(found - steps_.begin());
}

void Playback::stand(double phase) {
    playing_ = false;
    phase_ = phase;
}

void Playback::rest() { stand(1.0); }

void Playback::play(Step& step) {
    if (playing_) return;
    if (is_last(step) && phase_ >= 1.0) {
        step = steps_.front();
        phase_ = 0.0;
    }
    playing_ = true;
    rested_ = 0.0;
}

void Playback::scrub(double position, Step& step) {
    const double within = std::clamp(position, 0.0, static_cast<double>(steps_.size()));
    const std::size_t index = std::min(static_cast<std::size_t>(within), steps_.size() - 1);
    step = steps_[index];
    stand(within - static_cast<double>(index));
}

void Playback::next_stop(Step& step) {
    for (const double stop : stops_of(step))
        if (stop > phase_ + kSamePlace) return stand(stop);
    if (is_last(step)) return rest();
    step = steps_[index_of(step) + 1];
    stand(stops_of(step).front());
}

void Playback::previous_stop(Step& step) {
    const std::vector<double>& stops = stops_of(step);
    for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop)
        if (*stop < phase_ - kSamePlace) return stand(*stop);
    const std::size_t index = index_of(step);
    if (index == 0) return pause();
    step = steps_[index - 1];
    rest();
}

bool Playback::advance(double seconds, const Look& look, Step& step) {
    const Step before = step;
    const double motion_seconds = look.follow_cell ? kReadingSeconds : kMotionSeconds,
                 rest_seconds = look.follow_cell ? kReadingSeconds : kRestSeconds;
    double left = seconds > 0.0 ? seconds * static_cast<double>(look.speed) : 0.0;
    // A slow frame may span several steps; each iteration ends one.
    while (playing_) {
        if (look.motion) {
            const double needed = (1.0 - phase_) * motion_seconds;
            if (left + kSamePlace < needed) {
                phase_ += left / motion_seconds;
                break;
            }
            left = std::max(left - needed, 0.0);
        } else {
            phase_ = 1.0;
            rested_ += left;
            if (rested_ + kSamePlace < rest_seconds) break;
            left = std::max(rested_ - rest_seconds, 0.0);
            rested_ = 0.0;
        }
        if (is_last(step)) {
            rest();
            break;
        }
        step = steps_[index_of(step) + 1];
        phase_ = look.motion ? 0.0 : 1.0;
    }
    return step != before;
}

}  // namespace headlight
