#pragma once

namespace headlight::testing {

// From here on OpenGL takes everything and draws nothing: what the views describe can be looked at
// without a display, and quickly. Programs and framebuffers are always as they should be.
void use_no_gl();

}  // namespace headlight::testing
