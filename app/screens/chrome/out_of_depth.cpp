#include "chrome/out_of_depth.h"

#include <memory>

#include "assets/assets.h"
#include "disk/files.h"
#include "encoder/run_scene.h"
#include "image/few_colors.h"

namespace headlight::screens {

namespace {

constexpr const char* kTwinLayer = "6";  // of the model for photographs, as its card says

// Computed once per picture.
struct ColorsOfPicture {
    std::shared_ptr<const Image> of;
    bool few = false;
};

bool shows_drawn_shapes(const Frame& frame) {
    const std::shared_ptr<const Image>& picture = frame.trace.source;
    if (!picture) return false;
    auto& kept = frame.memory.own<ColorsOfPicture>();
    if (kept.of != picture) kept = {picture, has_few_colors(*picture)};
    return kept.few;
}

// One plain sentence; "" if the model is suitable for the picture, or no picture is shown.
std::string out_of_depth(const Frame& frame) {
    const Recipe& recipe = frame.recipe;
    if (!frame.trace.image || !frame.trace.model || recipe.scene || gives_tokens(recipe.tokens) ||
        frame.trace.model->is_maps())
        return "";
    const bool without_projections = recipe.variant.projections == Projections::none;
    if (recipe.weights.empty() && without_projections) return "";  // and so without weights
    if (recipe.weights.empty())
        return "This layer has random weights. It has learned nothing, so its maps say nothing "
               "about the photograph.";
    if (answers_scenes(*frame.trace.model) && !shows_drawn_shapes(frame))
        return "This model was trained on drawn shapes. Its maps say little about a photograph.";
    return "";
}

}  // namespace

float out_of_depth_height(Frame& frame) {
    const std::string words = out_of_depth(frame);
    frame.ui.report("out_of_depth", words);
    return words.empty() ? 0 : frame.line() + frame.px(10);
}

void out_of_depth_line(Frame& frame, ui::Layout row) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(row, frame.colors().card);
    row = row.inset(frame.px(12), frame.px(2));
    const std::filesystem::path photos = assets::directory() / "models/photos/model.safetensors";
    const std::string label = "Open the model for photographs";
    const float wide = ui::button_width(frame.ui, label);
    if (is_there(photos) && wide < row.w * 0.6F) {
        if (ui::button(frame.ui, "out_of_depth.open", row.right(wide, 12), label,
                       ui::ButtonLook::outlined,
                       "Opens the included model that was trained on photographs"))
            frame.say("open-model", photos.string(), kTwinLayer);
    }
    canvas.label(row, out_of_depth(frame), {.color = frame.colors().dim});
}

}  // namespace headlight::screens
