#pragma once

#include <utility>
#include <vector>

#include "state/state.h"

namespace headlight {

// Positions within a step at which `stop next` rests, ascending, the last one 1.
const std::vector<double>& stops_of(Step step);

// How far the present step's motion has got, and whether the walk goes on by itself. The step is
// the selection's own; whatever moves it is here.
class Playback {
  public:
    Playback();  // over the steps of a bare layer

    // The steps that are walked through, of which the present one is always one.
    void walk(std::vector<Step> steps) { steps_ = std::move(steps); }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

    [[nodiscard]] bool playing() const { return playing_; }
    [[nodiscard]] double phase() const { return phase_; }  // 0..1; 1 at rest

    void play(Step& step);  // at the very end: from the first step again
    void pause() { playing_ = false; }
    void rest();  // stand still at the end of a step
    // 0..steps().size(): the step and, behind the point, its phase. The end is the last step's.
    void scrub(double position, Step& step);
    void next_stop(Step& step);
    void previous_stop(Step& step);

    // Time goes by. True when this led to another step.
    bool advance(double seconds, const Look& look, Step& step);

  private:
    void stand(double phase);
    [[nodiscard]] std::size_t index_of(Step step) const;  // 0 where it is none of them
    [[nodiscard]] bool is_last(Step step) const { return step == steps_.back(); }

    std::vector<Step> steps_;

    bool playing_ = false;
    double phase_ = 1.0;
    double rested_ = 0.0;  // seconds on this step, when motion is off
};

}  // namespace headlight
