#include "kernels/between_blocks.h"

namespace headlight {

namespace {

void (*between)() = nullptr;

}  // namespace

void set_between_blocks(void (*call)()) { between = call; }

void between_blocks() {
    if (between != nullptr) between();
}

}  // namespace headlight
