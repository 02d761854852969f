#pragma once

namespace headlight {

// Sets what parallel_for calls between blocks of work if it has no other threads; null: nothing. A
// program without threads can draw a frame then.
void set_between_blocks(void (*call)());

// Calls it.
void between_blocks();

}  // namespace headlight
