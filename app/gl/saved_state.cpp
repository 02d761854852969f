#include "gl/saved_state.h"

#include "gl/api.h"

namespace headlight::gl {
namespace {

constexpr GLenum kLayout[] = {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS,
                              GL_UNPACK_SKIP_PIXELS};
constexpr GLint kPacked[] = {1, 0, 0, 0};

constexpr GLenum kSwitchNames[] = {GL_BLEND,        GL_CULL_FACE,    GL_DEPTH_TEST,
                                   GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_RASTERIZER_DISCARD};

void set(GLenum name, bool on) {
    if (on) {
        glEnable(name);
    } else {
        glDisable(name);
    }
}

}  // namespace

SavedUploadState::SavedUploadState() {
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture_);
    glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &buffer_);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    for (std::size_t i = 0; i < layout_.size(); ++i) {
        glGetIntegerv(kLayout[i], &layout_[i]);
        glPixelStorei(kLayout[i], kPacked[i]);
    }
}

SavedUploadState::~SavedUploadState() {
    for (std::size_t i = 0; i < layout_.size(); ++i) {
        glPixelStorei(kLayout[i], layout_[i]);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, static_cast<GLuint>(buffer_));
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_));
}

SavedDrawState::SavedDrawState() {
    static_assert(std::size(kSwitchNames) == kSwitches);
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
    glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
    glGetIntegerv(GL_VIEWPORT, viewport_.data());
    glGetBooleanv(GL_COLOR_WRITEMASK, color_mask_.data());
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        switches_[i] = glIsEnabled(kSwitchNames[i]);
        set(kSwitchNames[i], false);
    }
    glGetIntegerv(GL_ACTIVE_TEXTURE, &active_unit_);
    for (std::size_t i = 0; i < textures_.size(); ++i) {
        glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &textures_[i]);
        glGetIntegerv(GL_SAMPLER_BINDING, &samplers_[i]);
        glBindSampler(static_cast<GLuint>(i), 0);
    }
}

SavedDrawState::~SavedDrawState() {
    for (std::size_t i = 0; i < textures_.size(); ++i) {
        glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
        glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(textures_[i]));
        glBindSampler(static_cast<GLuint>(i), static_cast<GLuint>(samplers_[i]));
    }
    glActiveTexture(static_cast<GLenum>(active_unit_));
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        set(kSwitchNames[i], switches_[i] != 0);
    }
    glColorMask(color_mask_[0], color_mask_[1], color_mask_[2], color_mask_[3]);
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
    glBindVertexArray(static_cast<GLuint>(vertex_array_));
    glUseProgram(static_cast<GLuint>(program_));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
}

}  // namespace headlight::gl
