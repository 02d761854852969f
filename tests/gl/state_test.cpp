// Our code leaves OpenGL's state as it found it.
#include <array>

#include "gl/heatmap.h"
#include "gl/image_texture.h"
#include "gl/objects.h"
#include "gl_test.h"

namespace headlight::gl::state_test {
namespace {

constexpr GLenum kIntegers[] = {GL_DRAW_FRAMEBUFFER_BINDING,
                                GL_READ_FRAMEBUFFER_BINDING,
                                GL_CURRENT_PROGRAM,
                                GL_VERTEX_ARRAY_BINDING,
                                GL_ACTIVE_TEXTURE,
                                GL_PIXEL_UNPACK_BUFFER_BINDING,
                                GL_UNPACK_ALIGNMENT,
                                GL_UNPACK_ROW_LENGTH,
                                GL_UNPACK_SKIP_ROWS,
                                GL_UNPACK_SKIP_PIXELS,
                                GL_BLEND,
                                GL_CULL_FACE,
                                GL_DEPTH_TEST,
                                GL_SCISSOR_TEST,
                                GL_STENCIL_TEST,
                                GL_RASTERIZER_DISCARD};

std::vector<GLint> state() {
    std::vector<GLint> values;
    const auto add = [&](GLenum name, int count) {
        std::array<GLint, 4> read{};
        glGetIntegerv(name, read.data());
        values.insert(values.end(), read.begin(), read.begin() + count);
    };
    for (const GLenum name : kIntegers) {
        add(name, 1);
    }
    add(GL_VIEWPORT, 4);
    add(GL_COLOR_WRITEMASK, 4);
    GLint active = 0;
    glGetIntegerv(GL_ACTIVE_TEXTURE, &active);
    for (GLenum unit = 0; unit < 6; ++unit) {
        glActiveTexture(GL_TEXTURE0 + unit);
        add(GL_TEXTURE_BINDING_2D, 1);
        add(GL_SAMPLER_BINDING, 1);
    }
    glActiveTexture(static_cast<GLenum>(active));
    return values;
}

constexpr GLenum kSwitches[] = {GL_BLEND,        GL_CULL_FACE,    GL_DEPTH_TEST,
                                GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_RASTERIZER_DISCARD};
constexpr GLenum kSkips[] = {GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS};

class StateTest : public GlTest {
  protected:
    // As different from a fresh context, and as hostile to a careless renderer, as possible.
    void SetUp() override {
        program_ = make_program("test", "void main() { gl_Position = vec4(0.0); }",
                                "out vec4 c; void main() { c = vec4(1.0); }");
        glUseProgram(program_.id());
        vertices_ = make_vertex_array();
        glBindVertexArray(vertices_.id());
        glGenBuffers(1, &buffer_);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
        glGenSamplers(1, &sampler_);  // its default filter needs mipmaps, which our textures lack
        for (GLenum unit = 0; unit < 6; ++unit) {
            glActiveTexture(GL_TEXTURE0 + unit);
            textures_[unit] = make_texture();
            glBindSampler(unit, sampler_);
        }
        glActiveTexture(GL_TEXTURE0 + 4);
        for (const GLenum name : kSkips) glPixelStorei(name, 3);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 8);
        glViewport(1, 2, 3, 4);
        glScissor(0, 0, 1, 1);
        glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
        glCullFace(GL_FRONT_AND_BACK);
        for (const GLenum name : kSwitches) glEnable(name);
    }
    // Restores a fresh context: the next test's renderer would otherwise restore a deleted program.
    void TearDown() override {
        for (const GLenum name : kSwitches) glDisable(name);
        for (const GLenum name : kSkips) glPixelStorei(name, 0);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        glCullFace(GL_BACK);
        glActiveTexture(GL_TEXTURE0);
        glBindVertexArray(0);
        glUseProgram(0);
        glDeleteBuffers(1, &buffer_);  // which also unbinds them
        glDeleteSamplers(1, &sampler_);
        GlTest::TearDown();
    }

  private:
    Program program_;
    VertexArray vertices_;
    std::array<Texture, 6> textures_;
    GLuint buffer_ = 0, sampler_ = 0;
};

TEST_F(StateTest, is_restored_and_does_not_disturb) {
    const auto before = state();
    HeatmapRenderer renderer;
    EXPECT_EQ(state(), before) << "by the renderer's constructor";
    const std::vector<float> cells(12, 40.0F);
    HeatmapTexture texture(cells.data(), 3, 4, 4);
    EXPECT_EQ(state(), before) << "by the upload";
    RenderTarget target(5, 6);
    EXPECT_EQ(state(), before) << "by the target";
    const ImageTexture image(cells.data(), 2, 2, 3, true);
    EXPECT_EQ(state(), before) << "by the image";

    HeatmapStyle style;
    style.map = ColorMap::grey;
    style.high = 255.0F;
    renderer.draw(texture, {0, 0, 3, 4}, style, target);
    EXPECT_EQ(state(), before) << "by the drawing";
    for (const Rgba pixel : read_texture(target.texture(), 5, 6)) {
        EXPECT_EQ(pixel, (Rgba{40, 40, 40, 255}));
    }
}

TEST_F(StateTest, says_why_a_shader_is_refused) {
    try {
        make_program("wrong", "void main() { no }", "void main() {}");
        FAIL() << "compiled";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("wrong: vertex"), std::string::npos)
            << error.what();
        EXPECT_GT(std::string(error.what()).size(), 45U) << error.what();
    }
}

}  // namespace
}  // namespace headlight::gl::state_test
