#include "frame/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "frame/mask_brush.h"
#include "frame/photo.h"
#include "frame/tensor_text.h"
#include "trace/same_place.h"

namespace headlight::screens {

namespace {

// Maps pixels of the framed image to the screen.
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

// The area of the picture that stands for a patch along one axis, in pixels: its square or, for
// overlapping windows, the middle of each. The first and the last one extend to the picture's
// border.
struct Cells {
    float first = 0, each = 1;
    float covered = 0;  // pixels from 0 on that are covered by patches

    [[nodiscard]] float begin(int i) const { return first + static_cast<float>(i) * each; }
    [[nodiscard]] float at(float pixel) const { return (pixel - first) / each; }
};

Cells cells_along(const PatchGrid& grid, int count, int used, int image) {
    const auto stride = static_cast<float>(grid.settings.stride),
               offset = static_cast<float>(grid.offset), n = static_cast<float>(count);
    const float overlap = std::max(0.0F, static_cast<float>(grid.settings.size) - stride);
    Cells cells{overlap / 2 - offset, stride,
                static_cast<float>(std::min(used - grid.offset, image))};
    if (overlap == 0) return cells;
    const float end = std::max(cells.begin(count), cells.covered);
    cells.first = std::min(cells.first, 0.0F);
    cells.each = (end - cells.first) / n;
    return cells;
}

Cells cells_down(const PatchGrid& grid) {
    return cells_along(grid, grid.rows, grid.used_height, grid.image_height);
}
Cells cells_across(const PatchGrid& grid) {
    return cells_along(grid, grid.cols, grid.used_width, grid.image_width);
}

const PatchGrid& grid_of(const Frame& frame, const PictureSpec& spec) {
    return spec.patches == nullptr ? frame.trace.grid : *spec.patches;
}

void draw_grid(Frame& frame, const Placed& placed, const PatchGrid& grid) {
    const Cells down = cells_down(grid), across = cells_across(grid);
    if (across.each * placed.per_pixel_x < 5) return;  // lines would hide the picture
    ui::Canvas canvas(frame.ui);
    const ImU32 color = IM_COL32(255, 255, 255, 52);
    for (int c = 1; c < grid.cols; ++c) {
        const float x = std::round(placed.rect.x + across.begin(c) * placed.per_pixel_x);
        canvas.line({x, placed.rect.y}, {x, placed.rect.y + placed.rect.h}, color);
    }
    for (int r = 1; r < grid.rows; ++r) {
        const float y = std::round(placed.rect.y + down.begin(r) * placed.per_pixel_y);
        canvas.line({placed.rect.x, y}, {placed.rect.x + placed.rect.w, y}, color);
    }
}

void draw_overlay(Frame& frame, const Placed& placed, const PictureSpec& spec) {
    const Shown& map = *spec.overlay;
    const auto [covered, cells] = map_place(grid_of(frame, spec));
    const ui::Rect place{placed.rect.x, placed.rect.y, covered.w * placed.per_pixel_x,
                         covered.h * placed.per_pixel_y};
    gl::HeatmapStyle style = map.scale.style();
    style.smooth = spec.smooth;
    ui::Canvas(frame.ui).matrix(place, {spec.name + ".overlay", map.cells, cells, style},
                                spec.opacity);
    if (spec.contours != nullptr) ui::draw_contours(frame.ui, place, cells, *spec.contours);
}

// The same for cells that already have colors; cells at the border may extend beyond it.
void draw_hues(Frame& frame, const Placed& placed, const PictureSpec& spec) {
    const auto [covered, cells] = map_place(grid_of(frame, spec));
    const ui::Rect seen{placed.rect.x, placed.rect.y, covered.w * placed.per_pixel_x,
                        covered.h * placed.per_pixel_y};
    const float wide = seen.w / cells.cols, tall = seen.h / cells.rows;  // of a cell
    ui::Canvas canvas(frame.ui);
    const auto clip = canvas.clip(seen);
    canvas.photo(
        {seen.x - cells.col * wide, seen.y - cells.row * tall,
         static_cast<float>(spec.hues->width) * wide, static_cast<float>(spec.hues->height) * tall},
        *spec.hues, 0, spec.opacity);
}

// False if the token is no patch and has no place.
bool outline_patch(Frame& frame, const Placed& placed, const PatchGrid& grid, int token,
                   ImU32 color) {
    const Index patch = row_of_token(frame.trace, Axis::patch, token);
    if (patch < 0 || patch >= grid.count()) return false;
    // A window may start outside the picture.
    const ui::Rect r = placed.of(grid.rect(static_cast<int>(patch))).common(placed.rect);
    ui::Canvas canvas(frame.ui);
    // White on black is visible on dark and light photographs.
    const float thick = frame.px(std::max(2.0F, 1.25F * frame.ui.text_scale()));
    canvas.outline(r.inset(-1), IM_COL32(0, 0, 0, 170), thick * 2);
    canvas.outline(r, color, thick);
    return true;
}

// The patch for a point of the picture in pixels; -1 if there is none.
int patch_under(const PatchGrid& grid, float row, float col) {
    if (grid.settings.size <= grid.settings.stride)
        return grid.patch_at(static_cast<int>(row), static_cast<int>(col));
    const Cells down = cells_down(grid), across = cells_across(grid);
    if (row >= down.covered || col >= across.covered) return -1;
    const int r = std::clamp(static_cast<int>(down.at(row)), 0, grid.rows - 1),
              c = std::clamp(static_cast<int>(across.at(col)), 0, grid.cols - 1);
    return r * grid.cols + c;
}

// In the selected layer.
int token_at(const Frame& frame, const PictureSpec& spec, int patch) {
    const auto token = static_cast<int>(token_of_row(frame.trace, Axis::patch, patch));
    if (spec.patches == nullptr) return token;
    TokenPlaces from = places_of(frame.trace);
    from.grid = *spec.patches;
    from.layout.patches = from.grid.count();
    return token_at_same_place(from, places_of(frame.trace), token);
}

void take_hover(Frame& frame, const Placed& placed, const PictureSpec& spec) {
    const auto state = ui::interact(frame.ui, spec.name, placed.rect, ui::Stop::no);
    const PatchGrid& grid = grid_of(frame, spec);
    const Cells down = cells_down(grid), across = cells_across(grid);
    frame.ui.name(spec.name,
                  {placed.rect,
                   {down.at(0), across.at(0), static_cast<float>(grid.image_height) / down.each,
                    static_cast<float>(grid.image_width) / across.each}});
    const bool painting = spec.editable && paints(frame);
    const bool spent = spec.editable && !painting &&
                       frame.picture_tools.take_mouse(frame, spec.name, placed.rect, state);
    if (!state.hovered) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int patch = patch_under(grid, (mouse.y - placed.rect.y) / placed.per_pixel_y,
                                  (mouse.x - placed.rect.x) / placed.per_pixel_x);
    if (patch < 0) return;
    const int token = token_at(frame, spec, patch);
    const Side side = side_of_patches(frame.trace);
    hover_token(frame, side, token);
    if (painting) {
        paint_patch(frame, token);
        return;
    }
    if (state.clicked && spec.asks && ImGui::GetIO().KeyShift)
        frame.say("query", std::to_string(token));
    else if (state.clicked && !spent)
        pin_token(frame, side, token);
    if (!spec.tips || frame.picture_tools.is_moving(frame)) return;
    std::vector<std::string> lines;
    if (spec.words) lines.push_back(spec.words(patch));
    if (spec.overlay != nullptr)
        lines.push_back(
            fmt::format("{}: {}",
                        spec.patches == nullptr ? token_and_place(frame.trace, token)
                                                : row_and_column(patch, grid.cols),
                        ui::number(spec.overlay->view(patch / grid.cols, patch % grid.cols), 4)));
    if (spec.editable)
        for (std::string& hint : frame.picture_tools.hints(frame, placed.rect, patch))
            lines.push_back(std::move(hint));
    if (!lines.empty()) frame.ui.tooltip(fmt::format("{}", fmt::join(lines, "\n")));
}

// Masked keys are darkened and crossed out.
void draw_hidden(Frame& frame, const Placed& placed) {
    ui::Canvas canvas(frame.ui);
    for (int patch = 0; patch < frame.trace.grid.count(); ++patch) {
        if (!is_hidden(frame, static_cast<int>(token_of_row(frame.trace, Axis::patch, patch))))
            continue;
        const ui::Rect r = placed.of(frame.trace.grid.rect(patch)).common(placed.rect);
        canvas.fill(r, IM_COL32(0, 0, 0, 170));
        canvas.line({r.x, r.y + r.h}, {r.x + r.w, r.y}, IM_COL32(255, 255, 255, 120), frame.px(1));
    }
}

// The outline of the region, bright on dark to be visible on every picture.
void draw_region(Frame& frame, const Placed& placed, const PatchGrid& grid, const Region& region) {
    const Region here = region_on(region, grid.rows, grid.cols);
    const Cells down = cells_down(grid), across = cells_across(grid);
    const auto x = [&](int c) {
        return std::clamp(placed.rect.x + across.begin(c) * placed.per_pixel_x, placed.rect.x,
                          placed.rect.x + placed.rect.w);
    };
    const auto y = [&](int r) {
        return std::clamp(placed.rect.y + down.begin(r) * placed.per_pixel_y, placed.rect.y,
                          placed.rect.y + placed.rect.h);
    };
    const auto inside = [&](int r, int c) {
        return r >= 0 && r < grid.rows && c >= 0 && c < grid.cols &&
               here.contains(r * grid.cols + c);
    };
    ui::Canvas canvas(frame.ui);
    const auto edges = [&](ImU32 color, float thick) {
        for (const int patch : here.patches) {
            const int r = patch / grid.cols, c = patch % grid.cols;
            if (!inside(r - 1, c)) canvas.line({x(c), y(r)}, {x(c + 1), y(r)}, color, thick);
            if (!inside(r + 1, c))
                canvas.line({x(c), y(r + 1)}, {x(c + 1), y(r + 1)}, color, thick);
            if (!inside(r, c - 1)) canvas.line({x(c), y(r)}, {x(c), y(r + 1)}, color, thick);
            if (!inside(r, c + 1))
                canvas.line({x(c + 1), y(r)}, {x(c + 1), y(r + 1)}, color, thick);
        }
    };
    const bool large = across.each * placed.per_pixel_x >= frame.px(8);
    edges(IM_COL32(0, 0, 0, 170), frame.px(large ? 4 : 2));
    edges(IM_COL32(255, 255, 255, 255), frame.px(large ? 1.5F : 1));
}

// Draws the marks on it.
void draw_marks(Frame& frame, const Placed& placed, const PictureSpec& spec) {
    if (spec.overlay != nullptr && !spec.overlay->cells.empty()) draw_overlay(frame, placed, spec);
    if (spec.hues != nullptr) draw_hues(frame, placed, spec);
    if (spec.editable) draw_hidden(frame, placed);
    const PatchGrid& grid = grid_of(frame, spec);
    if (spec.grid) draw_grid(frame, placed, grid);
    if (spec.region != nullptr && !spec.region->empty())
        draw_region(frame, placed, grid, *spec.region);
    const auto& [key, query] = std::tie(spec.key_token, spec.token);
    const bool cross = is_cross(frame.trace);  // queries are then no patches
    const bool key_lit =
        key && outline_patch(frame, placed, grid, *key, ui::dark_palette().hue(ui::Hue::key));
    const bool query_lit =
        query && !cross && outline_patch(frame, placed, grid, *query, ui::dark_palette().accent);
    for (const TokenMark& mark : spec.marks)
        outline_patch(frame, placed, grid, mark.token, mark.color);
    const bool keys_alone = cross || !query;
    if (query_lit || (keys_alone && key_lit))
        frame.ui.report("lit." + spec.name, std::to_string(keys_alone ? *key : *query));
}

Placed placed_in(const Frame& frame, const ui::Rect& rect) {
    const Image& image = *frame.trace.image;
    const ui::Rect whole{std::round(rect.x), std::round(rect.y), std::round(rect.w),
                         std::round(rect.h)};
    return {whole, whole.w / static_cast<float>(image.width),
            whole.h / static_cast<float>(image.height)};
}

}  // namespace

std::string transparency_of(const Trace& trace) {
    if (!trace.source || !trace.source->alpha) return "";
    const Alpha alpha = *trace.source->alpha;
    return alpha == Alpha::drop ? "transparency dropped"
                                : "transparency on " + std::string(name_of(alpha));
}

float aspect_of(const Image& image) {
    return static_cast<float>(image.width) / static_cast<float>(image.height);
}

std::optional<int> patch_at(const Frame& frame, const ui::Rect& picture, ImVec2 point) {
    return patch_at(frame, frame.trace.grid, picture, point);
}

std::optional<int> patch_at(const Frame& frame, const PatchGrid& grid, const ui::Rect& picture,
                            ImVec2 point) {
    const Placed placed = placed_in(frame, picture);
    if (!placed.rect.contains(point)) return std::nullopt;
    const int patch = patch_under(grid, (point.y - placed.rect.y) / placed.per_pixel_y,
                                  (point.x - placed.rect.x) / placed.per_pixel_x);
    return patch < 0 ? std::nullopt : std::optional(patch);
}

MapPlace map_place(const PatchGrid& grid) {
    const Cells down = cells_down(grid), across = cells_across(grid);
    return {{0, 0, across.covered, down.covered},
            {down.at(0), across.at(0), down.covered / down.each, across.covered / across.each}};
}

ui::Rect draw_picture(Frame& frame, const ui::Rect& rect, const PictureSpec& spec) {
    if (rect.empty()) return rect;
    const Placed placed = placed_in(frame, rect);
    const ui::Rect& whole = placed.rect;
    ui::Canvas canvas(frame.ui);
    canvas.photo(whole, photo(frame.trace.image, spec.softened));
    {
        const auto clip = canvas.clip({whole.x - 3, whole.y - 3, whole.w + 6, whole.h + 6});
        draw_marks(frame, placed, spec);
    }
    if (spec.interactive) take_hover(frame, placed, spec);
    return whole;
}

}  // namespace headlight::screens
