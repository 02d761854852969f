#pragma once

#include <vector>

#include "state/state.h"

namespace headlight {

// Positions within a step at which `stop next` rests, ascending, the last one 1.
const std::vector<double>& stops_of(Step step);

// How far the present step's motion has got, and whether the walk goes on by itself. The step is
// the selection's own; whatever moves it is here.
class Playback {
  public:
    [[nodiscard]] bool playing() const { return playing_; }
    [[nodiscard]] double phase() const { return phase_; }  // 0..1; 1 at rest

    void play(Step& step);  // at the very end: from the first step again
    void pause() { playing_ = false; }
    void rest();  // stand still at the end of a step
    // 0..kStepCount: the step and, behind the point, its phase. The end is the last step's.
    void scrub(double position, Step& step);
    void next_stop(Step& step);
    void previous_stop(Step& step);

    // Time goes by. True when this led to another step.
    bool advance(double seconds, const Look& look, Step& step);

  private:
    void stand(double phase);

    bool playing_ = false;
    double phase_ = 1.0;
    double rested_ = 0.0;  // seconds on this step, when motion is off
};

}  // namespace headlight
