#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "context.h"

namespace headlight::gl {

// A test with a current OpenGL context, one for the suite; fails where there is none, and when a
// test leaves an OpenGL error behind.
class GlTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { need_context(); }
    void TearDown() override { EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR}); }
};

// So that a failed comparison prints colors as numbers.
inline void PrintTo(const Rgb& c, std::ostream* out) { *out << +c.r << ' ' << +c.g << ' ' << +c.b; }
inline void PrintTo(const Rgba& c, std::ostream* out) {
    *out << +c.r << ' ' << +c.g << ' ' << +c.b << " alpha " << +c.a;
}

}  // namespace headlight::gl
