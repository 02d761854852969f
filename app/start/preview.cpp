#include "start/preview.h"

#include <algorithm>
#include <utility>

#include "state/command.h"
#include "state/first_state.h"

namespace headlight::app {
namespace {

constexpr int kPreviewWidth = 640;     // maximum width of a picture
constexpr int kPreviewDrawn = 960;     // width of the virtual window
constexpr int kPreviewFrames = 6;      // frames until hover, evaluation and layout have settled
constexpr double kPreviewStep = 0.05;  // seconds of program time between two calls

}  // namespace

std::shared_ptr<const Image> small_picture(const Picture& picture) {
    const auto [width, height] = picture.size;
    const int each = std::max(
        1, (width + kPreviewWidth - 1) / kPreviewWidth);  // pixels along a side that become one
    auto image = std::make_shared<Image>();
    image->width = width / each;
    image->height = height / each;
    image->channels = 3;
    image->values.resize(static_cast<std::size_t>(image->width) * image->height * 3);
    const float part = 1.0F / (255.0F * static_cast<float>(each * each));
    for (int row = 0; row < image->height; ++row)
        for (int col = 0; col < image->width; ++col)
            for (int channel = 0; channel < 3; ++channel) {
                int sum = 0;
                for (int y = row * each; y < (row + 1) * each; ++y)
                    for (int x = col * each; x < (col + 1) * each; ++x)
                        sum += picture.rgb[(static_cast<std::size_t>(y) * width + x) * 3 + channel];
                const auto at = (static_cast<std::size_t>(row) * image->width + col) * 3 + channel;
                image->values[at] = static_cast<float>(sum) * part;
            }
    return image;
}

void Preview::begin(const Look& own) {
    State state = first_state();
    state.look = with_own(state.look, own);
    state.look.lecture = true;
    state.look.pointer_light = state.look.pointer_dot = state.look.pen = false;
    state.look.improvise = false;
    state.look.motion = false;
    app_ = std::make_unique<Application>(std::move(state), wake_);
}

bool Preview::follow(const std::string& lesson, int stop, const Look& own, Extent window) {
    if (lesson != lesson_ || stop != stop_) {
        if (!app_) begin(own);
        lesson_ = lesson;
        stop_ = stop;
        frames_ = 0;
        picture_.reset();
        busy_ = app_->obey(command("lesson", lesson, std::to_string(stop + 1)));
    }
    if (!busy_) return false;
    const Gui::Turn turn(app_->gui());
    app_->advance(kPreviewStep);
    if (app_->busy() && frames_ == 0) return false;
    const Extent size{kPreviewDrawn,
                      std::max(1, kPreviewDrawn * window.height / std::max(1, window.width))};
    app_->draw(input_, size, 1, kPreviewStep);
    app_->render();
    if (app_->busy() || ++frames_ < kPreviewFrames) return false;
    picture_ = small_picture(app_->shown());
    busy_ = false;
    return true;
}

}  // namespace headlight::app
