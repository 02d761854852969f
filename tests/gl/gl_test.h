#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "context.h"

namespace headlight::gl {

// A test with a current OpenGL context, shared by the suite. Fails if there is none, or if a test
// leaves an OpenGL error.
class GlTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { need_context(); }
    void TearDown() override { EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR}); }
};

// Prints colors as numbers in failure messages.
inline void PrintTo(const Rgb& c, std::ostream* out) { *out << +c.r << ' ' << +c.g << ' ' << +c.b; }
inline void PrintTo(const Rgba& c, std::ostream* out) {
    *out << +c.r << ' ' << +c.g << ' ' << +c.b << " alpha " << +c.a;
}

}  // namespace headlight::gl
