#pragma once

namespace headlight::testing {

// Replaces OpenGL by functions that accept everything and draw nothing. So views can be tested
// quickly and without a display. Programs and framebuffers always appear valid.
void use_no_gl();

}  // namespace headlight::testing
