#include "views/picture.h"

#include <algorithm>
#include <cmath>

namespace headlight::views {

namespace {

// Pixels of the framed image to the screen.
struct Placed {
    ui::Rect rect;
    float per_pixel_x = 1, per_pixel_y = 1;

    [[nodiscard]] ui::Rect of(const PixelRect& r) const {
        return {rect.x + static_cast<float>(r.col) * per_pixel_x,
                rect.y + static_cast<float>(r.row) * per_pixel_y,
                static_cast<float>(r.width) * per_pixel_x,
                static_cast<float>(r.height) * per_pixel_y};
    }
};

void draw_grid(Scene& scene, const Placed& placed) {
    const PatchGrid& grid = scene.trace.grid;
    const float step = static_cast<float>(grid.settings.stride) * placed.per_pixel_x;
    if (step < 5) return;  // would hide the picture
    ui::Canvas canvas(scene.ui);
    const ImU32 color = IM_COL32(255, 255, 255, 52);
    for (int c = 1; c < grid.cols; ++c) {
        const float x = std::round(placed.rect.x + static_cast<float>(c * grid.settings.stride) *
                                                       placed.per_pixel_x);
        canvas.line({x, placed.rect.y}, {x, placed.rect.y + placed.rect.h}, color);
    }
    for (int r = 1; r < grid.rows; ++r) {
        const float y = std::round(placed.rect.y + static_cast<float>(r * grid.settings.stride) *
                                                       placed.per_pixel_y);
        canvas.line({placed.rect.x, y}, {placed.rect.x + placed.rect.w, y}, color);
    }
}

void draw_overlay(Scene& scene, const Placed& placed, const PictureSpec& spec) {
    const Shown& map = *spec.overlay;
    const PatchGrid& grid = scene.trace.grid;
    // Overlapping patches share pixels; each value then covers its patch's share of the grid. Of a
    // padded grid only what lies on the picture is drawn.
    const PixelRect covered{0, 0, std::min(grid.used_height, grid.image_height),
                            std::min(grid.used_width, grid.image_width)};
    const auto share = [](int part, int whole, int count) {
        return static_cast<float>(part) / static_cast<float>(whole) * static_cast<float>(count);
    };
    const gl::CellWindow all{0, 0, share(covered.height, grid.used_height, grid.rows),
                             share(covered.width, grid.used_width, grid.cols)};
    const ui::Rect place = placed.of(covered);
    const int w = std::max(1, static_cast<int>(std::round(place.w))),
              h = std::max(1, static_cast<int>(std::round(place.h)));
    const auto texture = scene.ui.heatmaps().picture(spec.name + ".overlay", map.cells, all,
                                                     map.scale.style(), w, h);
    ui::Canvas(scene.ui).image(place, texture, 0.5F);
}

void outline_patch(Scene& scene, const Placed& placed, int token, ImU32 color) {
    const int patch = token - static_cast<int>(scene.trace.layout.prefix());
    if (patch < 0 || patch >= scene.trace.grid.count()) return;  // no patch: it has no place
    const ui::Rect r = placed.of(scene.trace.grid.rect(patch));
    ui::Canvas canvas(scene.ui);
    // Photographs are neither dark nor light: bright on black is seen on all of them.
    canvas.outline(r.inset(-1), IM_COL32(0, 0, 0, 170), scene.px(4));
    canvas.outline(r, color, scene.px(2));
}

void take_hover(Scene& scene, const Placed& placed, const PictureSpec& spec) {
    const auto state = ui::interact(scene.ui, spec.name, placed.rect);
    const PatchGrid& grid = scene.trace.grid;
    const float rows =
        static_cast<float>(grid.image_height) / static_cast<float>(grid.settings.stride);
    const float cols =
        static_cast<float>(grid.image_width) / static_cast<float>(grid.settings.stride);
    scene.ui.name(spec.name, {placed.rect, {0, 0, rows, cols}});
    if (!state.hovered) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int patch =
        grid.patch_at(static_cast<int>((mouse.y - placed.rect.y) / placed.per_pixel_y),
                      static_cast<int>((mouse.x - placed.rect.x) / placed.per_pixel_x));
    if (patch < 0) return;
    const int token = patch + static_cast<int>(scene.trace.layout.prefix());
    scene.memory.next_hovered.token = token;
    if (state.clicked) scene.say("focus", std::to_string(token));
    if (spec.overlay == nullptr) return;
    const float value = spec.overlay->view(patch / grid.cols, patch % grid.cols);
    scene.ui.tooltip("patch " + std::to_string(patch) + ": " + ui::number(value, 4));
}

}  // namespace

ui::Rect draw_picture(Scene& scene, const ui::Rect& rect, const PictureSpec& spec) {
    const Image& image = *scene.trace.image;
    const ui::Rect whole{std::round(rect.x), std::round(rect.y), std::round(rect.w),
                         std::round(rect.h)};
    const Placed placed{whole, whole.w / static_cast<float>(image.width),
                        whole.h / static_cast<float>(image.height)};
    ui::Canvas canvas(scene.ui);
    canvas.image(whole, scene.ui.heatmaps().photo(image.values.data(), image.height, image.width,
                                                  image.channels, false));
    canvas.list()->PushClipRect({whole.x - 3, whole.y - 3},
                                {whole.x + whole.w + 3, whole.y + whole.h + 3}, true);
    if (spec.overlay != nullptr && !spec.overlay->cells.empty()) draw_overlay(scene, placed, spec);
    if (spec.grid) draw_grid(scene, placed);
    if (spec.key_token)
        outline_patch(scene, placed, *spec.key_token, ui::dark_palette().hue(ui::Hue::key));
    if (spec.token) {
        outline_patch(scene, placed, *spec.token, ui::dark_palette().accent);
        scene.ui.report("lit." + spec.name, std::to_string(*spec.token));
    }
    canvas.list()->PopClipRect();
    if (spec.interactive) take_hover(scene, placed, spec);
    return whole;
}

}  // namespace headlight::views
