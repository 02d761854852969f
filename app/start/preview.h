#pragma once

#include <functional>
#include <memory>
#include <string>

#include "application/application.h"
#include "image/image.h"
#include "platform/picture.h"

namespace headlight::app {

// Scales a picture to the presenter's width: RGB, 0..1.
std::shared_ptr<const Image> small_picture(const Picture& picture);

// A picture of another stop as the audience will see it, made by a second program without a window.
// It draws in the current OpenGL context and computes in background tasks.
class Preview {
  public:
    explicit Preview(std::function<void()> wake) : wake_(std::move(wake)) {}

    // Continues with that stop, counted from 0, for a window of that size. True when a new picture
    // is ready. Call it repeatedly while it is busy.
    bool follow(const std::string& lesson, int stop, const Look& own, Extent window);
    [[nodiscard]] bool busy() const { return busy_; }
    // Null until the first is ready.
    [[nodiscard]] const std::shared_ptr<const Image>& picture() const { return picture_; }

  private:
    void begin(const Look& own);

    std::function<void()> wake_;
    std::unique_ptr<Application> app_;
    Input input_;  // stays empty: no keys, no pointer
    std::string lesson_;
    int stop_ = -1, frames_ = 0;
    bool busy_ = false;
    std::shared_ptr<const Image> picture_;
};

}  // namespace headlight::app
