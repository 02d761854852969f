#pragma once

#include <memory>

#include "heads/view.h"

// What the Heads screen asks of the studies in every frame, and the view that their answers give.
namespace headlight::screens {

// Requests everything needed for the current result. Call in every frame: what is not requested
// again is given up, and repeated requests are free.
void ask_for_heads(Frame& frame, HeadsMemory& memory);
// Stops all measurements; the maps return to the order by layer.
void stop_measuring(Frame& frame);
// The last maps of the result in view, or of a previous result.
std::shared_ptr<const TokenFinder::Said> maps_in_view(const Frame& frame);
// The study that computes the maps of the result in view.
const TokenFinder& reader_in_view(const Frame& frame);
// The view for the frame's trace, to which `said` belongs.
HeadsView view_of(Frame& frame, HeadsMemory& memory,
                  const std::shared_ptr<const TokenFinder::Said>& said);

}  // namespace headlight::screens
