#include "platform/picture.h"

#include <stdexcept>
#include <string>

#include "figure/png.h"
#include "files/new_file.h"
#include "gl/api.h"

namespace headlight::app {

void save_png(const std::filesystem::path& path, const Picture& picture,
              const figure::Provenance& facts) {
    const auto [width, height] = picture.size;
    const auto file = figure::png_of({width, height, 3, picture.rgb}, figure::text_of(facts));
    if (!file) throw std::runtime_error(path.string() + ": the picture is too large for a PNG.");
    write_file(path.string(), *file);
}

void finish_drawing() { glFinish(); }

Offscreen::Offscreen(Extent size) : size_(size) {
    glGenFramebuffers(1, &framebuffer_);
    glGenTextures(1, &color_);
    glBindTexture(GL_TEXTURE_2D, color_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.width, size.height, 0, gl::kWindowFormat,
                 GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color_, 0);
    const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (complete) return;
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &color_);
    throw std::runtime_error("The graphics card cannot draw a picture of " +
                             std::to_string(size.width) + "×" + std::to_string(size.height) +
                             " pixels.");
}

Offscreen::~Offscreen() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &color_);
}

void Offscreen::bind() { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }

void Offscreen::copy_to_window() {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    const auto [width, height] = size_;
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

Picture Offscreen::read() {
    const auto width = static_cast<std::size_t>(size_.width),
               height = static_cast<std::size_t>(size_.height);
    // OpenGL ES cannot read RGB.
    std::vector<std::uint8_t> rgba(width * height * 4);
    bind();
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size_.width, size_.height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    Picture picture{size_, {}};
    picture.rgb.reserve(width * height * 3);
    for (std::size_t row = height; row-- > 0;)  // OpenGL's row 0 is at the bottom
        for (std::size_t pixel = row * width; pixel < (row + 1) * width; ++pixel)
            picture.rgb.insert(picture.rgb.end(), &rgba[4 * pixel], &rgba[4 * pixel] + 3);
    return picture;
}

}  // namespace headlight::app
