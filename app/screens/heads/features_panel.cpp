#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "encoder/run_scene.h"
#include "frame/attention_scale.h"
#include "frame/overlay.h"
#include "frame/photo.h"
#include "frame/picture.h"
#include "frame/studies.h"
#include "frame/tiling.h"
#include "heads/flow.h"
#include "heads/heads.h"
#include "heads/nearest_pictures.h"
#include "heads/region.h"
#include "kernels/counted.h"
#include "program/ordinals.h"
#include "state/all_heads.h"
#include "state/feature_study.h"
#include "state/fields.h"
#include "trace/same_place.h"
#include "ui/color_bar.h"
#include "ui/controls.h"
#include "ui/mosaic.h"

// The features of every patch, layer by layer: a picture for each layer, and one of them large.
namespace headlight::screens {

namespace {

constexpr std::size_t kMostLines = 40;

// Pictures for one answer, made once.
struct FeaturePictures {
    std::shared_ptr<const FeatureFinder::Said> of;
    std::vector<ui::PhotoPicture> pictures;     // for pca and answers, by layer
    std::vector<ui::PhotoPicture> others;       // colors of the other picture
    std::vector<SharedResult> cells;            // for numbers [rows, columns], by layer
    std::vector<std::pair<Index, ImU32>> hues;  // of the most frequent classes
    std::optional<int> hovered, next_hovered;   // index in the list
};

// Each component divided by its standard deviation becomes a color channel: 1 / (1 + e^−2x).
// NaN, outside a region or the foreground, is dark.
ui::PhotoPicture in_colors(const Matrix& components, const Vector& deviations,
                           const PatchGrid& grid) {
    constexpr float kOutside = 0.08F;
    const auto pixels = std::make_shared<std::vector<float>>();
    for (Index r = 0; r < components.rows(); ++r)
        for (Index c = 0; c < components.cols(); ++c) {
            const float number = components(r, c),
                        x = deviations[c] > 0 ? number / deviations[c] : 0;
            pixels->push_back(std::isnan(number) ? kOutside : 1 / (1 + std::exp(-2 * x)));
        }
    return {{pixels, pixels->data()}, grid.rows, grid.cols, 3, false, true};
}

// The most frequent classes over all layers get a hue each, in that order; the others are gray.
std::vector<std::pair<Index, ImU32>> hues_of(const FeaturesFound& found) {
    std::map<Index, std::size_t> counts;
    for (const FeatureLayer& layer : found.layers)
        for (const Index one : layer.classes) ++counts[one];
    std::vector<std::pair<std::size_t, Index>> order;
    for (const auto& [one, count] : counts) order.emplace_back(count, one);
    std::ranges::sort(order, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::pair<Index, ImU32>> hues;
    for (const auto& [count, one] : order)
        if (hues.size() < ui::kQueryHues.size())
            hues.emplace_back(one, ui::kQueryHues.at(hues.size()));
    return hues;
}

ui::PhotoPicture in_class_hues(const FeatureLayer& layer, const PatchGrid& grid,
                               const std::vector<std::pair<Index, ImU32>>& of) {
    std::vector<ImU32> hues;
    for (const auto& [one, hue] : of) hues.push_back(hue);
    hues.push_back(IM_COL32(150, 150, 150, 255));
    std::vector<int> which;
    for (const Index one : layer.classes) {
        const auto found = std::ranges::find(of, one, &std::pair<Index, ImU32>::first);
        which.push_back(static_cast<int>(found - of.begin()));
    }
    ui::ColorScale scale;
    scale.low = 0;
    scale.high = 1;
    return ui::mosaic(grid.rows, grid.cols, which,
                      {layer.numbers.data(), static_cast<std::size_t>(layer.numbers.size())}, hues,
                      scale);
}

void make_pictures(const Frame& frame, FeaturePictures& made,
                   const std::shared_ptr<const FeatureFinder::Said>& said) {
    if (made.of == said) return;
    made = {said, {}, {}, {}, {}, made.hovered, made.next_hovered};
    const PatchGrid& grid = frame.trace.grid;
    const FeatureView view = said->question.view;
    if (view == FeatureView::answers) made.hues = hues_of(said->answer);
    for (const FeatureLayer& layer : said->answer.layers) {
        if (view == FeatureView::pca) {
            made.pictures.push_back(in_colors(layer.numbers, layer.deviations, grid));
            if (layer.others.size() > 0)
                made.others.push_back(
                    in_colors(layer.others, layer.deviations, said->question.other->grid));
        } else if (view == FeatureView::answers) {
            made.pictures.push_back(in_class_hues(layer, grid, made.hues));
        } else {
            Matrix cells = layer.numbers;
            cells.resize(grid.rows, grid.cols);
            made.cells.push_back(make_result(std::move(cells)));
        }
    }
}

Shown shown_numbers(const Frame& frame, FeatureView view, const SharedResult& cells) {
    Shown map;
    map.set_cells(cells);
    if (view == FeatureView::likeness) {
        map.scale = signed_scale(frame, -1, 1);
    } else {
        const float most = cells->view().eigen().maxCoeff();
        map.scale = positive_scale(frame, most > 0 ? most : 1);
    }
    return map;
}

std::string class_of(const Frame& frame, Index index) {
    return class_name(*frame.trace.model, index);
}

std::string patch_text(const Frame& frame, FeatureView view, const FeatureLayer& layer, int patch) {
    const auto at = [&](Index c) { return ui::number(layer.numbers(patch, c), 4); };
    std::string words = patch_and_place(frame.trace, patch) + "\n";
    switch (view) {
        case FeatureView::pca:
            if (std::isnan(layer.numbers(patch, 0))) return words + "without a color";
            return words + "components " + at(0) + ", " + at(1) + ", " + at(2);
        case FeatureView::norms:
            return words + "norm of its token " + at(0);
        case FeatureView::answers:
            return words + class_of(frame, layer.classes[static_cast<std::size_t>(patch)]) +
                   fmt::format(" {:.1f} %", layer.numbers(patch, 0) * 100);
        case FeatureView::likeness:
            return words + "cosine with the query " + at(0);
        case FeatureView::matches:
        case FeatureView::nearest:
            break;
    }
    return words;
}

// Draws one layer's picture, for numbers over the photograph; returns the scale of its colors.
ui::ColorScale draw_layer(Frame& frame, const ui::Rect& place, const FeaturePictures& made,
                          std::size_t i, bool large) {
    const FeatureView view = made.of->question.view;
    const FeatureLayer& layer = made.of->answer.layers[i];
    const bool draws = large && view == FeatureView::pca && draws_region(frame);
    PictureSpec spec{.name = large ? "features.large" : fmt::format("features.tile.{}", i),
                     .interactive = large && !draws};
    if (large && view == FeatureView::pca) spec.region = &frame.state.region;
    ui::ColorScale scale;
    Shown map;
    if (made.cells.empty()) {
        spec.hues = &made.pictures[i];
        spec.opacity = draws ? 0.6F : 1.0F;  // what is marked is seen below the colors
    } else {
        map = shown_numbers(frame, view, made.cells[i]);
        scale = map.scale;
        spec.overlay = &map;
        spec.opacity = 0.85F;
        spec.tips = false;
    }
    if (view == FeatureView::likeness) spec.token = static_cast<int>(made.of->question.token);
    spec.words = [&](int patch) { return patch_text(frame, view, layer, patch); };
    if (!made.cells.empty() && large)
        if (const auto patch = patch_at(frame, place, ImGui::GetIO().MousePos))
            frame.ui.tooltip(patch_text(frame, view, layer, *patch));
    draw_picture(frame, place, spec);
    if (draws) draw_region_with_mouse(frame, "features.large", place);
    return scale;
}

// As large as all of them fit.
void draw_tiles(Frame& frame, const ui::Rect& rect, FeaturePictures& made, int chosen) {
    const auto count = static_cast<int>(made.of->answer.layers.size());
    const float aspect = aspect_of(*frame.trace.image), gap = frame.px(10), line = frame.line();
    const Tiling tiles = largest_tiles(frame, rect, count, aspect, gap);
    const float wide = tiles.tall * aspect, tall = tiles.tall;
    for (int i = 0; i < count; ++i) {
        const auto c = static_cast<float>(i % tiles.across),
                   r = static_cast<float>(i / tiles.across);
        const ui::Rect tile{rect.x + c * (wide + gap), rect.y + r * (tall + line + gap), wide,
                            tall + line};
        ui::Layout inside(frame.ui, tile);
        const FeatureLayer& layer = made.of->answer.layers[static_cast<std::size_t>(i)];
        ui::Canvas(frame.ui).label(
            inside.top(line), layer.name,
            {.size = ui::Size::small,
             .color = i == chosen ? frame.colors().text : frame.colors().dim});
        draw_layer(frame, inside, made, static_cast<std::size_t>(i), false);
        const auto mouse =
            ui::interact(frame.ui, fmt::format("features.layer.{}", i + 1), inside, ui::Stop::no);
        if (mouse.hovered) made.next_hovered = i;
        if (i == chosen || mouse.hovered)
            ui::Canvas(frame.ui).outline(inside.inset(-frame.px(2)),
                                         i == chosen ? frame.colors().accent : frame.colors().dim,
                                         frame.px(2));
        if (mouse.clicked && layer.layer < static_cast<int>(frame.trace.model->layers.size()))
            frame.say("layer", layer_number(*frame.trace.model, layer.layer));
    }
}

// In as many rows as the names need and the rectangle holds.
void draw_hues_legend(Frame& frame, ui::Layout rest, const FeaturePictures& made) {
    ui::Canvas canvas(frame.ui);
    ui::Layout row = rest.row();
    const ui::TextStyle style = frame.small_dim();
    std::string said;
    const auto add = [&](const std::string& name, ImU32 hue) {
        const float wide = canvas.measure(name, style) + frame.px(30);
        if (wide > row.w && rest.h >= frame.line()) row = rest.row();
        if (wide > row.w) return;
        ui::Layout place = row.left(wide);
        canvas.fill(ui::Rect(place.left(frame.px(12), 6)).fit(1), hue, frame.px(2));
        canvas.label(place, name, style);
        said += (said.empty() ? "" : ", ") + name;
    };
    for (const auto& [one, hue] : made.hues) add(class_of(frame, one), hue);
    add("other classes", IM_COL32(150, 150, 150, 255));
    frame.ui.report("features.classes", said);
}

// The baseline's trace, if it can share the colors.
std::shared_ptr<const Trace> other_in_colors(const Frame& frame) {
    const auto pinned = frame.work.pinned_trace();
    const bool has = pinned && pinned.get() != &frame.trace && pinned->model == frame.trace.model &&
                     why_no_features(*pinned, FeatureView::pca).empty();
    return has ? pinned : nullptr;
}

// A projector's large type leaves no row for it, unless it is chosen.
bool offers_foreground(const Frame& frame) {
    const Look& look = frame.state.look;
    return frame.state.region.empty() && (!look.lecture || look.features_foreground);
}

std::string words_of_colors(Frame& frame) {
    const bool other = other_in_colors(frame) != nullptr, region = !frame.state.region.empty(),
               foreground = frame.state.look.features_foreground.has_value();
    frame.ui.report("features.colors_of", region       ? "region"
                                          : foreground ? "foreground"
                                          : other      ? "both"
                                                       : "picture");
    std::string words =
        "Red, green and blue are the first three principal components of the patches' features, "
        "computed for each layer. Their signs are arbitrary. ";
    if (region)
        words += other ? "They are computed from the region's patches, and the baseline uses the "
                         "same ones."
                       : "They are computed from the region's patches.";
    else if (foreground)
        words += other ? "They are computed from the foreground of this picture and the baseline."
                       : "They are computed from the foreground's patches.";
    else
        words += other ? "They are computed from this picture and the baseline together."
                       : std::string(offers_foreground(frame) ? "Choose the foreground or draw"
                                                              : "Draw") +
                             " a region to color an object alone, or save a baseline and open "
                             "another picture to color both.";
    return words;
}

std::string what_is_shown(Frame& frame, FeatureView view) {
    switch (view) {
        case FeatureView::pca:
            return words_of_colors(frame);
        case FeatureView::norms:
            return "The length of each patch's token in the residual stream, each layer on its own "
                   "scale. A few very large ones are often artifacts, which registers would "
                   "absorb.";
        case FeatureView::answers:
            return "What the model would predict from each patch if it ended at this layer: a hue "
                   "for each class, brighter where it is more probable.";
        case FeatureView::likeness:
            return "The cosine similarity of each patch's feature with the query's. Click a patch "
                   "of the large picture to make it the query.";
        case FeatureView::matches:
            return "Save a result as the baseline, then open another picture, to see which patches "
                   "match.";
        case FeatureView::nearest:
            break;  // says it itself
    }
    return "";
}

void draw_other(Frame& frame, ui::Layout rect, const FeaturePictures& made, std::size_t shown) {
    rect.skip_top(8);
    ui::Canvas canvas(frame.ui);
    canvas.label(rect.row(0, 4), "Baseline", {.face = ui::Face::bold, .size = ui::Size::small});
    const ui::Rect fitted = rect.fit(aspect_of(*made.of->question.other->image));
    const ui::Rect place{fitted.x, rect.y, fitted.w, fitted.h};
    canvas.photo(place, made.others[shown]);
    frame.ui.name("features.other", {place, {}});
}

// Which fraction of the layer's patches is in the foreground.
std::string words_of_foreground(Frame& frame, const FeatureLayer& layer) {
    const PatchGrid& grid = frame.trace.grid;
    Region foreground{grid.rows, grid.cols, {}};
    for (Index patch = 0; patch < layer.numbers.rows(); ++patch)
        if (!std::isnan(layer.numbers(patch, 0)))
            foreground.patches.push_back(static_cast<int>(patch));
    frame.ui.report("features.foreground", text_of_patches(foreground));
    if (foreground.empty()) return "foreground: too few patches. Change the bound.";
    const auto count = static_cast<int>(foreground.patches.size());
    return fmt::format("foreground: {} of {} patches ({:.0f} %)", count, grid.count(),
                       100.0 * count / grid.count());
}

void draw_large(Frame& frame, ui::Layout rect, const FeaturePictures& made, int shown) {
    const FeatureLayer& layer = made.of->answer.layers[static_cast<std::size_t>(shown)];
    ui::Layout head = rect.row();
    const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::small};
    head.words_left(layer.name, bold, 12);
    if (made.of->question.foreground)
        ui::Canvas(frame.ui).label(head, words_of_foreground(frame, layer), frame.small_dim());
    rect.skip_top(4);
    const float rows = made.hues.empty() ? 2 : 4;
    const ui::Layout bar = rect.bottom(made.others.empty() ? frame.line() * rows : 0);
    rect.skip_bottom(6);
    if (!made.others.empty())
        draw_other(frame, rect.bottom(rect.h / 2), made, static_cast<std::size_t>(shown));
    const ui::Rect fitted = rect.fit(aspect_of(*frame.trace.image));
    const ui::ColorScale scale = draw_layer(frame, {fitted.x, rect.y, fitted.w, fitted.h}, made,
                                            static_cast<std::size_t>(shown), true);
    if (!made.cells.empty())
        ui::color_bar(frame.ui, bar, scale, "");
    else if (!made.hues.empty())
        draw_hues_legend(frame, bar, made);
    frame.ui.report("features.shown", layer.name);
}

// ---- matches of two pictures

ImVec2 center_of(const ui::Rect& place, const Trace& trace, Index patch) {
    const PixelRect r = trace.grid.rect(static_cast<int>(patch));
    const float x = static_cast<float>(r.col) + 0.5F * static_cast<float>(r.width),
                y = static_cast<float>(r.row) + 0.5F * static_cast<float>(r.height);
    return {place.x + x / static_cast<float>(trace.image->width) * place.w,
            place.y + y / static_cast<float>(trace.image->height) * place.h};
}

std::string words_of_matches(const FeatureFinder::Said& said) {
    const auto layer = static_cast<std::size_t>(said.question.layer);
    const std::size_t pairs = said.answer.pairs.size();
    std::string words = said.question.trace->model->layers[layer].name + ": " +
                        counted(static_cast<Index>(pairs), "pair") +
                        " of patches that are each other's most similar patch, one in each "
                        "picture. ";
    if (pairs > kMostLines) words += "Lines join the best " + std::to_string(kMostLines) + ". ";
    return words + "To see another layer, choose it in one of the other views.";
}

void draw_matches(Frame& frame, ui::Layout rect, const FeatureFinder::Said& said) {
    const Trace& here = *said.question.trace;
    const Trace& there = *said.question.other;
    ui::Canvas canvas(frame.ui);
    ui::Layout left = rect.left(rect.column(0, 2, 40).w, 40);
    const auto draw_side = [&](ui::Layout& side, const Trace& trace, const char* name) {
        canvas.label(side.row(), name, {.face = ui::Face::bold, .size = ui::Size::small});
        side = side.fit(aspect_of(*trace.image));
        canvas.photo(side, photo(trace.image, true));
    };
    draw_side(left, here, "This picture");
    draw_side(rect, there, "Baseline");
    const std::size_t count = std::min(kMostLines, said.answer.pairs.size());
    const auto nearest = patch_at(frame, left, ImGui::GetIO().MousePos);
    for (std::size_t i = count; i-- > 0;) {
        const PatchPair& pair = said.answer.pairs[i];
        const bool lit = nearest && pair.a == *nearest;
        const ImU32 hue = ui::kQueryHues.at(i % ui::kQueryHues.size());
        const ImVec2 from = center_of(left, here, pair.a), to = center_of(rect, there, pair.b);
        const float thick = frame.px(lit ? 3 : 1.5F);
        canvas.line(from, to, ui::with_alpha(hue, !nearest || lit ? 0.9F : 0.25F), thick);
        canvas.circle(from, frame.px(3), hue);
        canvas.circle(to, frame.px(3), hue);
        if (lit)
            frame.ui.tooltip(
                fmt::format("{} ↔ {}\ncosine {}", row_and_column(pair.a, here.grid.cols),
                            row_and_column(pair.b, there.grid.cols), ui::number(pair.cosine, 4)));
    }
    frame.ui.report("features.pairs", std::to_string(said.answer.pairs.size()));
    if (count > 0) {
        const PatchPair& best = said.answer.pairs.front();
        frame.ui.report("features.best", fmt::format("{} {} {}", best.a, best.b, best.cosine));
    }
}

// Large type has no space for the longer names.
void choose_view(Frame& frame, const ui::Rect& rect) {
    const std::vector<std::string_view> whole{"colors (PCA)",   "norms",   "answers",
                                              "like the query", "matches", "nearest"},
        brief{"colors", "norms", "answers", "likeness", "matches", "nearest"};
    float wide = 0;
    for (const std::string_view name : whole)
        wide += ui::Canvas(frame.ui).measure(name, {}) + frame.px(12);
    const int chosen =
        ui::segmented(frame.ui, "features.view", rect, wide <= rect.w ? whole : brief,
                      static_cast<int>(frame.state.look.features));
    if (chosen >= 0) frame.set("features", std::string(name_of(static_cast<FeatureView>(chosen))));
}

FeatureQuestion asked_of_features(const Frame& frame) {
    FeatureQuestion question{frame.shared(frame.trace), frame.state.look.features};
    if (question.view == FeatureView::likeness)
        question.token = frame.state.selection.token.value_or(usual_token(frame.trace));
    if (question.view == FeatureView::pca) {
        question.other = other_in_colors(frame);
        // Keeps the colors while a region is being drawn.
        const auto last = studies_of(frame).last(kFeatures);
        const bool is_drawn =
            ImGui::IsMouseDown(0) && last && last->question.trace == question.trace;
        question.region = is_drawn ? last->question.region : frame.state.region;
    }
    if (question.view == FeatureView::pca && question.region.empty())
        question.foreground = frame.state.look.features_foreground;
    if (question.view == FeatureView::matches) {
        question.other = frame.work.pinned_trace();
        question.layer = frame.trace.layer;
    }
    return question;
}

// All patches, or those on one side of a bound of the first component.
void foreground_choice(Frame& frame, ui::Flow& flow) {
    const std::optional<Foreground> present = frame.state.look.features_foreground;
    double bound = present.value_or(Foreground{}).bound;
    const auto say = [&](bool above) {
        frame.set("features_foreground",
                  fmt::format("{}:{:.2f}", above ? "above" : "below", bound));
    };
    const int selected = present ? (present->above ? 1 : 2) : 0;
    const int chosen =
        buttons(frame, flow, "features.foreground", {"all patches", "above", "below"}, selected,
                find_field("features_foreground")->help);
    if (chosen == 0) frame.set("features_foreground", "all");
    if (chosen > 0) say(chosen == 1);
    if (!present) return;
    const std::string text = fmt::format("{:.2f}", bound);
    ui::Layout place = flow.take(frame.px(160) * frame.ui.text_scale());
    ui::Canvas(frame.ui).label(place.right(frame.px(44) * frame.ui.text_scale(), 8), text,
                               {.face = ui::Face::mono, .size = ui::Size::small});
    const auto slid = ui::slider(frame.ui, "features.bound", place, bound, 0, 1, false);
    if (slid.changed && fmt::format("{:.2f}", bound) != text) say(present->above);
    if (slid.released) frame.memory.gesture_ended = true;
}

// Whether everything but the foreground is equal.
bool same_but_for_foreground(FeatureQuestion a, const FeatureQuestion& b) {
    a.foreground = b.foreground;
    return a == b;
}

// A message that replaces the pictures; "" if there is none.
std::string why_nothing(Frame& frame) {
    std::string why = why_no_features(frame.trace, frame.state.look.features);
    if (why.empty() && frame.state.look.features == FeatureView::matches &&
        !frame.work.pinned_trace())
        why = what_is_shown(frame, FeatureView::matches);
    if (why.empty() && !frame.work.complete()) why = "Computing…";
    return why;
}

void content(Frame& frame, ui::Layout rect) {
    if (frame.state.look.features == FeatureView::nearest) return nearest_pictures(frame, rect);
    auto& made = frame.memory.own<FeaturePictures>();
    const auto say = [&](const std::string& words) {
        ui::Canvas(frame.ui).wrapped(rect, words, {.color = frame.colors().dim});
        frame.ui.report("features.instead", words);
    };
    if (const std::string why = why_nothing(frame); !why.empty()) return say(why);
    if (frame.state.look.features == FeatureView::pca) {
        ui::Flow flow = flow_in(frame, rect);
        region_choice(frame, flow);
        if (offers_foreground(frame)) foreground_choice(frame, flow);
        rect.top(flow.bottom() - rect.y + frame.px(8));
    }
    const FeatureQuestion question = asked_of_features(frame);
    const auto said = studies_of(frame).ask(kFeatures, question);
    const bool is_current = said && said->question == question;
    if (!is_current) frame.ui.await_work();
    // The last colors stay while the bound of the foreground is dragged.
    if (!said || !same_but_for_foreground(said->question, question)) return say("Computing…");
    if (!said->error.empty()) return say(said->error);
    const ui::TextStyle dim = frame.small_dim();
    const std::string words = question.view == FeatureView::matches
                                  ? words_of_matches(*said)
                                  : what_is_shown(frame, question.view);
    rect.paragraph(words, dim, 10);
    if (question.view == FeatureView::matches) return draw_matches(frame, rect, *said);
    make_pictures(frame, made, said);
    if (said->answer.layers.empty()) return say("This model's layers have no features to show.");
    int chosen = 0;
    for (std::size_t i = 0; i < said->answer.layers.size(); ++i)
        if (said->answer.layers[i].layer <= frame.trace.layer) chosen = static_cast<int>(i);
    made.next_hovered.reset();
    ui::Layout right = rect;
    const ui::Rect left = right.left(rect.w * 0.58F, 20);
    draw_tiles(frame, left, made, chosen);
    const auto count = static_cast<int>(said->answer.layers.size());
    draw_large(frame, right, made, std::clamp(made.hovered.value_or(chosen), 0, count - 1));
    if (made.hovered != made.next_hovered) frame.ui.ask_for_frame();
    made.hovered = made.next_hovered;
}

}  // namespace

void features_panel(Frame& frame, const ui::Rect& window) {
    ui::Layout inside = begin_overlay(frame, window, "features", "Features of the patches");
    const ui::Rect row = inside.row(8);
    choose_view(frame,
                {row.x, row.y, std::min(row.w, frame.px(720) * frame.ui.text_scale()), row.h});
    inside.skip_top(10);
    content(frame, inside);
    end_overlay();
}

}  // namespace headlight::screens
