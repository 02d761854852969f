#include <fmt/format.h>

#include <span>

#include "analysis/strongest.h"
#include "frame/attention_scale.h"
#include "heads/hues.h"
#include "heads/lines.h"
#include "heads/memory.h"

// Maps of several queries, or of a layer's heads, as one picture: each patch has the hue of the map
// that is largest there.
namespace headlight::screens {

namespace {

// Maps, their hues, and the part of them that is used: all, or what holds the mass.
struct Sources {
    std::vector<MatrixView> maps, counted;
    std::vector<ImU32> hues;
    bool masked = true;       // all maps: NaN is outside the mass
    bool is_rollout = false;  // it has its own range

    void add(const MatrixView& map, const SharedResult& mass, ImU32 hue) {
        maps.push_back(map);
        counted.push_back(mass ? mass->view() : map);
        masked = masked && mass;
        hues.push_back(hue);
    }
};

SharedResult mass_in(const HeadsView& view, std::size_t query, const HeadPlace& place) {
    return view.masses == nullptr ? nullptr : (*view.masses)[query].at(place);
}

Sources queries_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    Sources sources;
    for (std::size_t q = 0; q < view.tokens.size(); ++q)
        if (const MatrixView map = patches_of(frame, view, place, q); !map.empty())
            sources.add(map, mass_in(view, q, place), ui::kQueryHues.at(q));
    return sources;
}

Sources queries_of(const HeadsView& view, const Combination& of) {
    Sources sources;
    sources.is_rollout = of.is_rollout;
    for (std::size_t q = 0; q < view.tokens.size(); ++q)
        sources.add(of.cells[q]->view(), of.mass.empty() ? nullptr : of.mass[q],
                    ui::kQueryHues.at(q));
    return sources;
}

Sources heads_of(const Frame& frame, const HeadsView& view, int layer) {
    Sources sources;
    for (const HeadTile& tile : view.tiles)
        if (tile.place.layer == layer)
            sources.add(patches_of(frame, view, tile.place),
                        mass_in(view, view.query(), tile.place),
                        ui::dark_palette().head(tile.place.head));
    return sources;
}

Sources sources_of(const Frame& frame, const HeadsView& view, const Combination& of) {
    return of.in_hues() ? heads_of(frame, view, *of.layer) : queries_of(view, of);
}

ui::ColorScale scale_of(const Frame& frame, const HeadsView& view, const Sources& sources) {
    Magnitudes own;
    const bool shared = frame.state.look.range == RangeMode::shared && !sources.is_rollout;
    if (!shared)
        for (const MatrixView& map : sources.maps) own.add(map);
    const MatrixView& first = sources.maps.front();
    ui::ColorScale scale = attention_scale(frame.state.look, shared ? *view.sizes : own,
                                           frame.trace.layout.prefix() + first.rows * first.cols);
    if (sources.masked) scale.nan = {0, 0, 0};
    return scale;
}

HuedMap made_of(const Frame& frame, const HeadsView& view, const Sources& sources) {
    if (sources.maps.empty()) return {};
    const Strongest found = strongest_of(sources.counted);
    const ui::ColorScale scale = scale_of(frame, view, sources);
    const std::span values(found.value.data(), static_cast<std::size_t>(found.value.size()));
    return {ui::mosaic(static_cast<int>(found.value.rows()), static_cast<int>(found.value.cols()),
                       found.which, values, sources.hues, scale),
            scale};
}

// Recomputed for another answer or other display settings.
HuedMaps& hued_maps(const Frame& frame, const HeadsView& view, HeadsMemory& memory) {
    HuedMaps& hued = memory.hued;
    const bool same =
        hued.of == view.said && hued.query == view.query() && hued.look == frame.state.look;
    if (!same) hued = {view.said, frame.state.look, view.query(), {}, {}};
    return hued;
}

// The layer of a map's tokens; for a map over several layers, any of them.
int layer_of(const Frame&, const HeadPlace& place) { return place.layer; }
int layer_of(const Frame& frame, const Combination& of) {
    return of.layer.value_or(frame.trace.layer);
}

bool in_heads_hues(const HeadPlace&) { return false; }
bool in_heads_hues(const Combination& of) { return of.in_hues(); }

// While the query is pinned, the key token under the pointer.
std::optional<int> key_under_pointer(const Frame& frame) {
    const bool looks = is_query_pinned(frame) && frame.focus.hovered;
    return looks ? frame.focus.token : std::nullopt;
}

template <class What>
ui::ColorScale draw(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory,
                    const What& what, PictureSpec& spec) {
    // Heads in hues belong to one query.
    const int layer = layer_of(frame, what);
    const std::vector<TokenMark> marks =
        in_heads_hues(what) ? std::vector<TokenMark>{} : marks_of(frame, view, layer);
    spec.marks = marks;
    if (frame.trace.model->has_merges()) spec.patches = &grid_of(frame, layer);
    spec.region = &frame.state.region;
    if (marks.empty()) spec.token = token_there(frame, layer, view.token);
    if (const auto key = key_under_pointer(frame)) spec.key_token = token_there(frame, layer, *key);
    if (is_hued(view, what)) {
        const HuedMap& map = hued_map(frame, view, memory, what);
        if (map.picture.pixels) spec.hues = &map.picture;
        spec.opacity = kHuedOpacity;
        spec.words = [&](int patch) { return patch_words(frame, view, what, patch); };
        draw_picture(frame, rect, spec);
        return map.scale;
    }
    const Shown map = shown_map(frame, view, what, view.query());
    spec.overlay = map.cells.empty() ? nullptr : &map;
    spec.smooth = frame.state.look.heads_smooth;
    spec.contours = lines_over(frame, rect, view, memory, what, map);
    draw_picture(frame, rect, spec);
    return map.scale;
}

std::string line(const std::string& name, float value) {
    return "\n" + name + ": " + ui::number(value, 4);
}

std::string queries_words(const Frame& frame, const HeadsView& view, const Sources& sources,
                          int patch) {
    std::string words = patch_and_place(frame.trace, patch);
    for (std::size_t q = 0; q < sources.maps.size(); ++q) {
        const MatrixView& map = sources.maps[q];
        if (patch < map.rows * map.cols)
            words += line(token_name(frame.trace.layout, view.tokens[q]),
                          map(patch / map.cols, patch % map.cols));
    }
    return words;
}

}  // namespace

bool is_hued(const HeadsView& view, const HeadPlace&) { return view.together(); }
bool is_hued(const HeadsView& view, const Combination& of) {
    if (of.class_map) return false;  // it is the same for every query
    return of.in_hues() || view.together();
}

const HuedMap& hued_map(Frame& frame, const HeadsView& view, HeadsMemory& memory,
                        const HeadPlace& place) {
    auto& made = hued_maps(frame, view, memory).heads;
    if (const auto found = made.find(place); found != made.end()) return found->second;
    return made[place] = made_of(frame, view, queries_of(frame, view, place));
}

const HuedMap& hued_map(Frame& frame, const HeadsView& view, HeadsMemory& memory,
                        const Combination& of) {
    auto& made = hued_maps(frame, view, memory).combinations;
    const auto at = static_cast<std::size_t>(&of - view.combinations.data());
    if (const auto found = made.find(at); found != made.end()) return found->second;
    return made[at] = made_of(frame, view, sources_of(frame, view, of));
}

ui::ColorScale draw_map(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                        HeadsMemory& memory, const HeadPlace& place, PictureSpec spec) {
    return draw(frame, rect, view, memory, place, spec);
}

ui::ColorScale draw_map(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                        HeadsMemory& memory, const Combination& of, PictureSpec spec) {
    return draw(frame, rect, view, memory, of, spec);
}

std::string patch_words(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                        int patch) {
    return queries_words(frame, view, queries_of(frame, view, place), patch);
}

std::string patch_words(const Frame& frame, const HeadsView& view, const Combination& of,
                        int patch) {
    const Sources sources = sources_of(frame, view, of);
    if (!of.in_hues()) return queries_words(frame, view, sources, patch);
    const Strongest found = strongest_of(sources.maps);
    const int which = found.which[static_cast<std::size_t>(patch)];
    const std::string name = patch_and_place(frame.trace, patch);
    if (which < 0) return name;
    return fmt::format("{}\nhead {} attends to it most: {}", name, which + 1,
                       ui::number(found.value.data()[patch], 4));
}

}  // namespace headlight::screens
