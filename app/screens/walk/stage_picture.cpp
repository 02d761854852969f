#include <algorithm>
#include <cmath>

#include "frame/photo.h"
#include "frame/picture.h"
#include "ops/picture.h"
#include "trace/same_place.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

void under(Frame& frame, const ui::Rect& place, const std::string& text) {
    ui::Canvas(frame.ui).label({place.x - frame.px(40), place.y + place.h + frame.px(4),
                                place.w + frame.px(80), frame.line()},
                               text, frame.small_dim(ui::Align::center));
}

float aspect(const Image& image) {
    return static_cast<float>(image.width) / static_cast<float>(image.height);
}

// Side of a patch or a soft split's window: values of one channel.
int side_of_window(const Trace& trace) {
    if (trace.model->splits.empty()) return grid_of_patches(trace).settings.size;
    const int level = trace.model->level_of(trace.layer);
    return trace.model->splits[static_cast<std::size_t>(level)].kernel;
}

// The channels shown: all of a picture; of tokens the focused one.
struct Channels {
    int first = 0, count = 1;
    bool of_tokens = false;

    [[nodiscard]] std::string name(int i) const {
        constexpr std::array<const char*, 3> colors{"R", "G", "B"};
        if (of_tokens) return "channel " + std::to_string(first + i);
        return count == 1 ? "gray" : colors[static_cast<std::size_t>(i)];
    }
};
Channels channels_of(const Frame& frame, int area) {
    if (!frame.trace.has(Tensor::split_input)) return {0, frame.trace.image->channels};
    return {frame.focus.col.value_or(0) / area, 1, true};
}

// False in a later stage of Swin, whose tokens cover several patches each.
bool are_its_tokens(const Trace& trace) { return shares_tokens(trace, Tensor::patches); }

// A patch, and the selected layer's token that covers it.
TokenPlaces places_of_patches(const Trace& trace) {
    TokenPlaces places = places_of(trace);
    places.grid = grid_of_patches(trace);
    places.layout.patches = places.grid.count();
    return places;
}
Index token_of_patch(const Trace& trace, int patch) {
    const Index token = token_of_row(trace, Axis::patch, patch);
    return are_its_tokens(trace) ? token
                                 : token_at_same_place(places_of_patches(trace), places_of(trace),
                                                       static_cast<int>(token));
}

// The focused patch enlarged, one square per channel.
void enlarged_patch(Frame& frame, const ui::Rect& rect, int patch) {
    const int size = side_of_window(frame.trace);
    const Channels shown_channels = channels_of(frame, size * size);
    const int channels = shown_channels.count, first = shown_channels.first;
    const Shown all = shown(frame, Tensor::patches, 0);
    if (all.cells.empty() || patch >= all.view.rows) return;
    ui::Canvas canvas(frame.ui);
    ui::Layout rest(frame.ui, rect);
    rest.row(4);
    const float gap = frame.px(8), gaps = gap * static_cast<float>(channels - 1);
    const float side =
        std::floor(std::min((rest.w - gaps) / static_cast<float>(channels), rest.h - frame.line()));
    if (side < frame.line()) return;  // too small to be legible
    rest = rest.inset((rest.w - side * static_cast<float>(channels) - gaps) / 2, 0);
    const ui::TextStyle small = frame.small_dim();
    const std::string token = token_and_place(frame.trace, token_of_patch(frame.trace, patch));
    const std::string how = shown_channels.of_tokens ? ", one channel of its window"
                            : channels > 1           ? ", channel by channel"
                                                     : "";
    const std::string words = first_that_fits(
        canvas, {token + how, token, token.substr(0, token.find(" · "))}, small, rect.w);
    // Above the first of them, if there is space.
    const float x =
        std::max(rect.x, std::min(rest.x, rect.x + rect.w - canvas.measure(words, small)));
    canvas.label({x, rect.y, rect.x + rect.w - x, frame.line()}, words, small);
    for (int c = 0; c < channels; ++c) {
        ui::HeatmapSpec spec;
        spec.name = "stage.channel." + std::to_string(c);
        spec.cells = {all.view.row(patch) + static_cast<std::ptrdiff_t>(first + c) * size * size,
                      size, size, size, all.cells.version};
        spec.scale = all.scale;
        spec.window = {0, 0, static_cast<float>(size), static_cast<float>(size)};
        if (frame.focus.col && *frame.focus.col / (size * size) == first + c) {
            spec.row = *frame.focus.col % (size * size) / size;
            spec.col = *frame.focus.col % size;
        }
        const ui::Rect place{std::round(rest.x + static_cast<float>(c) * (side + gap)), rest.y,
                             side, side};
        const auto hit = ui::heatmap(frame.ui, place, spec);
        if (hit.hovered) {
            hover_token(frame, side_of_patches(frame.trace), token_of_patch(frame.trace, patch));
            if (!are_its_tokens(frame.trace)) frame.memory.next_hovered.row = patch;
            frame.memory.next_hovered.col = (first + c) * size * size + hit.row * size + hit.col;
            if (hit.clicked)
                frame.say("cell", std::to_string(patch),
                          std::to_string(*frame.memory.next_hovered.col));
        }
        // A single name may be wider than its square.
        const ui::Rect below{place.x, place.y + side + frame.px(2), side, frame.line()};
        canvas.label(channels > 1 ? below : ui::Rect{rect.x, below.y, rect.w, below.h},
                     shown_channels.name(c), frame.small_dim(ui::Align::center));
    }
}

std::string squared(int side) { return std::to_string(side) + " × " + std::to_string(side); }

// How attention maps are laid out on the picture, why, and what else would fit.
std::string map_layout_text(const Trace& trace) {
    const Model& model = *trace.model;
    const auto fitting = map_layouts(model.maps.front()->view().cols, model.map_layout,
                                     PictureSize{trace.source->height, trace.source->width});
    if (fitting.empty()) return "";
    const std::string& why = model.map_layout.grid ? model.map_layout_origin : fitting[0].why;
    std::string text = "Patches: " + fitting[0].words() + " (" + why + ").";
    std::string others;
    for (const MapLayout& other : other_layouts(fitting))
        others += (others.empty() ? " Also fits: " : ", or ") + other.words();
    return text + others + (others.empty() ? "" : ".");
}

// How the picture is cut; for a soft split, in units of its input: pixels or finer tokens.
std::string patches_text(const Trace& trace) {
    const PatchGrid grid = grid_of_patches(trace);
    std::string text = std::to_string(grid.cols) + " × " + std::to_string(grid.rows);
    if (trace.model->is_maps()) return map_layout_text(trace);
    if (trace.model->splits.empty()) {
        text += " patches of " + squared(grid.settings.size) + " px";
        if (grid.settings.stride != grid.settings.size)
            text += ", every " + std::to_string(grid.settings.stride) + " px";
        return text;
    }
    const int level = trace.model->level_of(trace.layer);
    const SoftSplit& split = trace.model->splits[static_cast<std::size_t>(level)];
    const std::string unit = level == 0 ? " px" : " tokens";
    return text + " windows of " + squared(split.kernel) + unit + ", every " +
           std::to_string(split.stride) + ", padding\u00a0" + std::to_string(split.padding);
}

// How a border too thin for a patch is handled; empty if there is none.
std::string border_text(const Trace& trace) {
    const PatchGrid grid = grid_of_patches(trace);
    // A soft split's border is its padding; maps have no pixels.
    if (!trace.model->splits.empty() || trace.model->is_maps()) return "";
    const std::string used =
        std::to_string(grid.used_width) + " × " + std::to_string(grid.used_height) + " px";
    if (grid.used_width > grid.image_width || grid.used_height > grid.image_height)
        return "padded with zeros to " + used;
    if (grid.used_width < grid.image_width || grid.used_height < grid.image_height)
        return "cropped to " + used;
    return "";
}

// A scene is drawn at the model's input size, so there is one picture of it, not two.
bool is_drawn_as_seen(const Frame& frame) {
    const Trace& trace = frame.trace;
    return frame.recipe.scene && trace.source->width == trace.image->width &&
           trace.source->height == trace.image->height;
}

// A hint above the picture about what to do with it, if anything.
void invite(Frame& frame, ui::Layout& rect) {
    const std::string words = frame.picture_tools.invitation(frame);
    if (words.empty()) return;
    ui::TextStyle style{.face = ui::Face::bold,
                        .size = ui::Size::body,
                        .color = frame.colors().accent,
                        .align = ui::Align::center};
    ui::Canvas canvas(frame.ui);
    if (canvas.measure(words, style) > rect.w) style.size = ui::Size::small;
    canvas.label(rect.row(ui::Size::body, 0, 6), words, style);
    frame.ui.report("invitation", words);
}

// The part of the file that the model sees; the rest is dimmed.
void mark_part(Frame& frame, const ui::Rect& file) {
    const Trace& trace = frame.trace;
    const PicturePart part =
        part_in_frame(trace.source->height, trace.source->width, trace.preprocessing);
    const float across = file.w / static_cast<float>(trace.source->width),
                down = file.h / static_cast<float>(trace.source->height);
    const ui::Rect seen{file.x + static_cast<float>(part.col) * across,
                        file.y + static_cast<float>(part.row) * down,
                        static_cast<float>(part.width) * across,
                        static_cast<float>(part.height) * down};
    frame.ui.name("stage.seen", {seen, {0, 0, 0, 0}});
    if (trace.model->is_maps() || (file.w - seen.w < 1 && file.h - seen.h < 1)) return;
    ui::Canvas canvas(frame.ui);
    ui::Layout rest(frame.ui, file);
    const ImU32 veil = ui::with_alpha(frame.colors().background, 0.6F);
    canvas.fill(rest.top(seen.y - file.y), veil);
    canvas.fill(rest.bottom(file.y + file.h - seen.y - seen.h), veil);
    canvas.fill(rest.left(seen.x - file.x), veil);
    canvas.fill(rest.right(file.x + file.w - seen.x - seen.w), veil);
    canvas.mark(seen, frame.colors().accent, frame.px(1.5F));
}

// The file's picture at the left, with an arrow to the framed one.
void draw_source(Frame& frame, ui::Layout& rest) {
    const Image& source = *frame.trace.source;
    const float gap = frame.px(72);
    const ui::Rect left = rest.left((rest.w - gap) / 2), arrow = rest.left(gap);
    ui::Canvas canvas(frame.ui);
    const ui::Rect file = left.fit(aspect(source));
    canvas.photo(file, photo(frame.trace.source, true));
    mark_part(frame, file);
    const std::string transparency = transparency_of(frame.trace);
    under(frame, file,
          (frame.recipe.scene ? "the scene, drawn: " : "the file: ") +
              std::to_string(source.width) + " × " + std::to_string(source.height) +
              (transparency.empty() ? "" : ", " + transparency));
    frame.ui.report("stage.transparency", transparency);
    canvas.arrow_right(arrow.center(), frame.px(36), frame.colors().dim);
}

}  // namespace

void stage_source(Frame& frame, const ui::Rect& rect) {
    const Trace& trace = frame.trace;
    if (!trace.source || !trace.image) return;
    ui::Layout rest(frame.ui, rect);
    rest.last_row(10);
    invite(frame, rest);
    ui::Canvas canvas(frame.ui);
    if (!is_drawn_as_seen(frame)) draw_source(frame, rest);
    const ui::Rect framed = rest.fit(aspect(*trace.image));
    canvas.photo(framed, photo(trace.image, false));
    canvas.outline(framed, frame.colors().border);
    under(frame, framed,
          (frame.state.look.lecture || frame.small ? ""
           : trace.model->is_maps()                ? "as shown: "
           : trace.model->is_bare_layer()          ? "what the layer sees: "
                                                   : "what the model sees: ") +
              std::to_string(trace.image->width) + " × " + std::to_string(trace.image->height) +
              (trace.image->channels == 1 ? ", gray" : ", RGB"));
    // In the first step, cells are pixels: a row and a column in each channel.
    const int rows = trace.image->height, cols = trace.image->width;
    const auto state = ui::interact(frame.ui, "stage.result", framed, ui::Stop::no);
    frame.ui.name("stage.result",
                  {framed, {0, 0, static_cast<float>(rows), static_cast<float>(cols)}});
    const bool spent = is_drawn_as_seen(frame) &&
                       frame.picture_tools.take_mouse(frame, "stage.result", framed, state);
    if (!state.hovered) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int row = std::clamp(
        static_cast<int>((mouse.y - framed.y) / framed.h * static_cast<float>(rows)), 0, rows - 1);
    const int col = std::clamp(
        static_cast<int>((mouse.x - framed.x) / framed.w * static_cast<float>(cols)), 0, cols - 1);
    const int patch = trace.grid.patch_at(row, col);
    const Index token = token_of_row(trace, Axis::patch, patch);
    const Side side = side_of_patches(trace);
    if (patch >= 0) hover_token(frame, side, token);
    if (state.clicked && patch >= 0 && !spent) pin_token(frame, side, token);
    if (frame.picture_tools.is_moving(frame)) return;
    std::string values;
    for (int c = 0; c < trace.image->channels; ++c)
        values += (c > 0 ? ", " : "") + ui::number(trace.image->at(row, col, c));
    frame.ui.tooltip("pixel row " + std::to_string(row) + ", column " + std::to_string(col) + ": " +
                     values +
                     (patch >= 0 ? "\n" + token_and_place(trace, token) : "\nin no patch"));
}

namespace {

// The patch that the stage describes; none while a token that is no patch is in focus.
std::optional<int> patch_in_focus(const Frame& frame) {
    if (!are_its_tokens(frame.trace) && frame.focus.row) return *frame.focus.row;
    std::optional<int> token = focus_of(frame, side_of_patches(frame.trace));
    if (!token) return 0;
    if (!are_its_tokens(frame.trace))
        return token_at_same_place(places_of(frame.trace), places_of_patches(frame.trace), *token);
    const Index patch = row_of_token(frame.trace, Axis::patch, *token);
    if (patch < 0 || patch >= frame.trace.grid.count()) return std::nullopt;
    return static_cast<int>(patch);
}

void picture_and_window(Frame& frame, ui::Layout left, std::optional<int> patch) {
    const Trace& trace = frame.trace;
    const bool alone = !trace.has(Tensor::patches);
    ui::Rect upper = left;
    upper.h *= alone ? 0.86F : 0.6F;
    // At the top, so that the text below a wide picture is close to it.
    const ui::Rect place = upper.fit(aspect(*trace.image));
    upper = {place.x, upper.y, place.w, place.h};
    left.top(upper.h);
    PictureSpec picture{.name = "stage.image", .grid = true};
    const PatchGrid grid = grid_of_patches(trace);
    if (!are_its_tokens(trace)) picture.patches = &grid;
    if (patch)
        (is_cross(trace) ? picture.key_token : picture.token) =
            static_cast<int>(token_of_row(trace, Axis::patch, *patch));
    draw_picture(frame, upper, picture);
    left.skip_top(4);
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small = frame.small_dim(ui::Align::center);
    for (const std::string& text : {patches_text(trace), border_text(trace)})
        for (const std::string_view line : canvas.wrapped_lines(text, small, left.w))
            canvas.label(left.row(), line, small);
    left.skip_top(2);
    if (!alone && patch) enlarged_patch(frame, left, *patch);
    if (!alone) return;
    ui::Canvas(frame.ui).label(
        left.row(),
        "This file holds only attention maps. It does not say how the model computed its tokens.",
        {.color = frame.colors().dim, .align = ui::Align::center});
}

}  // namespace

void stage_patches(Frame& frame, const ui::Rect& rect) {
    const Trace& trace = frame.trace;
    if (!trace.image) return;
    const double phase = frame.phase();
    const int count = grid_of_patches(trace).count();
    const int forming = phase < 1.0 ? std::min(count - 1, static_cast<int>(phase * count)) : -1;
    const std::optional<int> patch = forming >= 0 ? forming : patch_in_focus(frame);
    ui::Layout rest(frame.ui, rect);
    rest.last_row(8);
    if (!trace.has(Tensor::patches)) return picture_and_window(frame, rest, patch);
    picture_and_window(frame, rest.left(rest.w * 0.44F), patch);
    rest.left(frame.px(30) + frame.line());
    rest.row(4);

    Matrix2D m = linked_matrix(frame, Tensor::patches, "stage.result");
    m.row = patch;
    if (forming >= 0) m.col.reset();
    m.revealed = static_cast<float>(phase);
    const ui::Rect place{std::round(rest.x), std::round(rest.y), std::round(rest.w),
                         std::round(rest.h)};
    draw_linked(frame, place, m);
    // With an embedding, a row becomes a token only there.
    const bool embeds = frame.trace.has(Tensor::embedded);
    const bool narrow = place.w < frame.px(240) * frame.ui.text_scale();
    under(frame, place,
          embeds || narrow ? "each patch is one row" : "each patch is one row: a token");
}

}  // namespace headlight::screens
