#pragma once

#include <functional>
#include <memory>
#include <string>

#include "image/image.h"
#include "platform/application.h"
#include "platform/picture.h"

namespace headlight::platform {

// A picture as wide as the presenter needs it: RGB, 0..1.
std::shared_ptr<const Image> small_picture(const Picture& picture);

// What the room will see at another stop: a second program without a window goes there. It draws in
// the OpenGL context that is current, and computes beside the interface as the first one does.
class Preview {
  public:
    explicit Preview(std::function<void()> wake) : wake_(std::move(wake)) {}

    // Goes on with that stop of a lesson, counted from 0, in a window of that shape. True when its
    // picture has come. Call it now and then until it is not busy.
    bool follow(const std::string& lesson, int stop, const Look& own, Extent window);
    [[nodiscard]] bool busy() const { return busy_; }
    // Null until it has come.
    [[nodiscard]] const std::shared_ptr<const Image>& picture() const { return picture_; }

  private:
    void begin(const Look& own);

    std::function<void()> wake_;
    std::unique_ptr<Application> app_;
    Input input_;  // stays empty: no key, no pointer
    std::string lesson_;
    int stop_ = -1, frames_ = 0;
    bool busy_ = false;
    std::shared_ptr<const Image> picture_;
};

}  // namespace headlight::platform
