#pragma once

#include <utility>
#include <vector>

#include "state/state.h"

namespace headlight {

// Phases of a step at which `stop next` pauses, ascending; the last one is 1.
const std::vector<double>& stops_of(Step step);

// The progress of the current step's animation, and whether playback continues to the next steps.
// The step itself belongs to the selection.
class Playback {
  public:
    Playback();  // with the steps of a bare layer

    // Sets the steps to walk through; the current step must be one of them.
    void walk(std::vector<Step> steps) { steps_ = std::move(steps); }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

    [[nodiscard]] bool playing() const { return playing_; }
    [[nodiscard]] double phase() const { return phase_; }  // 0..1; 1 when the animation has ended

    void play(Step& step);  // at the very end, starts again from the first step
    void pause() { playing_ = false; }
    void rest();  // ends the animation of the current step
    // position: 0..steps().size(), the step's index plus its phase. The end belongs to the last
    // step.
    void scrub(double position, Step& step);
    void next_stop(Step& step);
    void previous_stop(Step& step);

    // Advances the time. True when the step changed.
    bool advance(double seconds, const Look& look, Step& step);

  private:
    void stand(double phase);
    [[nodiscard]] std::size_t index_of(Step step) const;  // 0 if the step is not among them
    [[nodiscard]] bool is_last(Step step) const { return step == steps_.back(); }

    std::vector<Step> steps_;

    bool playing_ = false;
    double phase_ = 1.0;
    double rested_ = 0.0;  // seconds on this step, when animation is off
};

}  // namespace headlight
