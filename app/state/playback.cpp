#include "state/playback.h"

#include <algorithm>

namespace headlight {

namespace {

constexpr double kMotionSeconds = 3.0;  // of one step, at speed 1
constexpr double kRestSeconds = 1.5;    // on one step when motion is off
constexpr double kSamePlace = 1e-9;     // phases are sums of small times

constexpr Step kFirst = Step::image;
constexpr Step kLast = static_cast<Step>(kStepCount - 1);

Step moved(Step step, int by) { return static_cast<Step>(static_cast<int>(step) + by); }

}  // namespace

const std::vector<double>& stops_of(Step step) {
    // Softmax is three things in a row: exp, the row's sum, the division.
    static const std::vector<double> softmax{1.0 / 3, 2.0 / 3, 1.0}, others{1.0};
    return step == Step::softmax ? softmax : others;
}

void Playback::stand(double phase) {
    playing_ = false;
    phase_ = phase;
}

void Playback::rest() { stand(1.0); }

void Playback::play(Step& step) {
    if (playing_) return;
    if (step == kLast && phase_ >= 1.0) {
        step = kFirst;
        phase_ = 0.0;
    }
    playing_ = true;
    rested_ = 0.0;
}

void Playback::scrub(double position, Step& step) {
    const double within = std::clamp(position, 0.0, static_cast<double>(kStepCount));
    const int index = std::min(static_cast<int>(within), kStepCount - 1);
    step = static_cast<Step>(index);
    stand(within - index);
}

void Playback::next_stop(Step& step) {
    for (const double stop : stops_of(step))
        if (stop > phase_ + kSamePlace) return stand(stop);
    if (step == kLast) return rest();
    step = moved(step, 1);
    stand(stops_of(step).front());
}

void Playback::previous_stop(Step& step) {
    const std::vector<double>& stops = stops_of(step);
    for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop)
        if (*stop < phase_ - kSamePlace) return stand(*stop);
    if (step == kFirst) return pause();
    step = moved(step, -1);
    rest();
}

bool Playback::advance(double seconds, const Look& look, Step& step) {
    const Step before = step;
    double left = seconds > 0.0 ? seconds * static_cast<double>(look.speed) : 0.0;
    // A slow frame may span several steps; each turn of the loop ends one.
    while (playing_) {
        if (look.motion) {
            const double needed = (1.0 - phase_) * kMotionSeconds;
            if (left + kSamePlace < needed) {
                phase_ += left / kMotionSeconds;
                break;
            }
            left = std::max(left - needed, 0.0);
        } else {
            phase_ = 1.0;
            rested_ += left;
            if (rested_ + kSamePlace < kRestSeconds) break;
            left = std::max(rested_ - kRestSeconds, 0.0);
            rested_ = 0.0;
        }
        if (step == kLast) {
            rest();
            break;
        }
        step = moved(step, 1);
        phase_ = look.motion ? 0.0 : 1.0;
    }
    return step != before;
}

}  // namespace headlight
