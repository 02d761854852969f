#include "ui/damage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace headlight::ui {

namespace {

constexpr int kTile = 32;  // pixels
// Each part needs its own OpenGL calls, so neighbors are joined until there are at most this many.
constexpr std::size_t kMostParts = 24;
constexpr double kMost = 0.6;  // of the window's pixels: beyond, everything is drawn

// ---- hashes: different content has the same hash only with a probability of about 2^-64

std::uint64_t joined(std::uint64_t hash, std::uint64_t next) {
    return (std::rotl(hash, 29) ^ next) * 0x9e3779b97f4a7c15U;
}
std::uint64_t joined(std::uint64_t hash, ImVec2 next) {
    return joined(hash, std::bit_cast<std::uint64_t>(next));
}
std::uint64_t joined(std::uint64_t hash, const ImDrawVert& v) {
    return joined(joined(joined(hash, v.pos), v.uv), v.col);
}
// Mixes all bits.
std::uint64_t stirred(std::uint64_t hash) {
    hash = (hash ^ hash >> 32U) * 0xd6e8feb86659fd93U;
    return hash ^ hash >> 32U;
}

std::uint64_t hash_of(const ImDrawCmd& command, const Damage::Content& content) {
    const ImVec4& clip = command.ClipRect;
    return joined(joined(joined(1, {clip.x, clip.y}), {clip.z, clip.w}),
                  content(command.GetTexID()));
}

// ---- positions

Area window_of(const ImDrawData& frame) {
    return {0, 0, static_cast<int>(frame.DisplaySize.x), static_cast<int>(frame.DisplaySize.y)};
}

Area both(const Area& a, const Area& b) {
    return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
            std::min(a.bottom, b.bottom)};
}
Area around(const Area& a, const Area& b) {
    return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
            std::max(a.bottom, b.bottom)};
}

// Rounded to whole pixels as in the renderer, where rows count from the bottom.
Area clip_of(const ImDrawCmd& command, const Area& window) {
    const ImVec4& c = command.ClipRect;
    const int left = static_cast<int>(c.x), right = left + static_cast<int>(c.z - c.x);
    const int bottom = window.bottom - static_cast<int>(static_cast<float>(window.bottom) - c.w);
    return both(window, {left, bottom - static_cast<int>(c.w - c.y), right, bottom});
}

// All pixels that a triangle may cover.
Area bounds_of(ImVec2 a, ImVec2 b, ImVec2 c) {
    const auto whole = [](float v) { return static_cast<int>(std::clamp(v, -1e6F, 1e6F)); };
    return {
        whole(std::floor(std::min({a.x, b.x, c.x}))), whole(std::floor(std::min({a.y, b.y, c.y}))),
        whole(std::ceil(std::max({a.x, b.x, c.x}))), whole(std::ceil(std::max({a.y, b.y, c.y})))};
}

// Calls body(command, clip in pixels, its list's vertices, the triangle's three indices into them).
template <class Body>
void for_each_triangle(const ImDrawData& frame, const Body& body) {
    const Area window = window_of(frame);
    for (int l = 0; l < frame.CmdListsCount; ++l) {
        const ImDrawList& list = *frame.CmdLists[l];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            const Area clip = clip_of(command, window);
            if (clip.empty() || command.UserCallback != nullptr) continue;
            const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
            const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
            for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
                const ImDrawVert &a = vertices[indices[i]], &b = vertices[indices[i + 1]],
                                 &c = vertices[indices[i + 2]];
                const Area place = both(clip, bounds_of(a.pos, b.pos, c.pos));
                if (!place.empty()) body(command, place, a, b, c);
            }
        }
    }
}

// ---- from tiles to rectangles

int tiles_along(int pixels) { return (pixels + kTile - 1) / kTile; }

// Merges adjacent tiles in a row, and equal runs of the next rows, to a rectangle.
std::vector<Area> rectangles(const std::vector<bool>& changed, const Area& window) {
    const int across = tiles_along(window.right), down = tiles_along(window.bottom);
    const auto is_changed = [&](int row, int col) {
        return changed[static_cast<std::size_t>(row) * across + col];
    };
    std::vector<Area> found;
    for (int row = 0; row < down; ++row)
        for (int col = 0; col < across; ++col) {
            if (!is_changed(row, col)) continue;
            const int first = col;
            while (col < across && is_changed(row, col)) ++col;
            const Area run =
                both(window, {first * kTile, row * kTile, col * kTile, row * kTile + kTile});
            const auto above = std::ranges::find_if(found, [&](const Area& r) {
                return r.bottom == run.top && r.left == run.left && r.right == run.right;
            });
            if (above != found.end())
                above->bottom = run.bottom;
            else
                found.push_back(run);
        }
    return found;
}

// Joins the two areas whose union adds the fewest pixels, and all that the union intersects.
void join_nearest(std::vector<Area>& parts) {
    std::size_t best_a = 0, best_b = 1;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t a = 0; a < parts.size(); ++a)
        for (std::size_t b = a + 1; b < parts.size(); ++b) {
            const std::int64_t more =
                around(parts[a], parts[b]).pixels() - parts[a].pixels() - parts[b].pixels();
            if (more >= least) continue;
            least = more;
            best_a = a;
            best_b = b;
        }
    Area whole = around(parts[best_a], parts[best_b]);
    const auto meets = [&](const Area& r) { return !both(r, whole).empty(); };
    for (auto met = std::ranges::find_if(parts, meets); met != parts.end();
         met = std::ranges::find_if(parts, meets)) {
        whole = around(whole, *met);
        parts.erase(met);
    }
    parts.push_back(whole);
}

bool is_most(const std::vector<Area>& parts, const Area& window) {
    std::int64_t sum = 0;
    for (const Area& part : parts) sum += part.pixels();
    return static_cast<double>(sum) > kMost * static_cast<double>(window.pixels());
}

}  // namespace

std::vector<Area> Damage::parts(const ImDrawData& frame, ImU32 ground, const Content& content) {
    const Area window = window_of(frame);
    const int across = tiles_along(window.right);
    Tiles tiles(static_cast<std::size_t>(across) * tiles_along(window.bottom), 0);
    const ImDrawCmd* hashed = nullptr;
    std::uint64_t of_command = 0;
    for_each_triangle(frame, [&](const ImDrawCmd& command, const Area& place, const ImDrawVert& a,
                                 const ImDrawVert& b, const ImDrawVert& c) {
        if (std::exchange(hashed, &command) != &command) of_command = hash_of(command, content);
        const std::uint64_t triangle = stirred(joined(joined(joined(of_command, a), b), c));
        for (int row = place.top / kTile; row <= (place.bottom - 1) / kTile; ++row)
            for (int col = place.left / kTile; col <= (place.right - 1) / kTile; ++col) {
                auto& tile = tiles[static_cast<std::size_t>(row) * across + col];
                tile = joined(tile, triangle);
            }
    });

    const bool known = window == window_ && ground == ground_ && tiles.size() == tiles_.size();
    std::vector<bool> changed(tiles.size(), true);
    if (known)
        for (std::size_t i = 0; i < tiles.size(); ++i) changed[i] = tiles[i] != tiles_[i];
    tiles_ = std::move(tiles);
    window_ = window;
    ground_ = ground;

    if (!known) return {window};
    std::vector<Area> parts = rectangles(changed, window);
    constexpr std::size_t kManyMore = 8 * kMostParts;  // joining more would take long
    if (parts.size() > kManyMore || is_most(parts, window)) return {window};
    while (parts.size() > kMostParts) join_nearest(parts);
    if (is_most(parts, window)) return {window};
    return parts;
}

Cutout::Cutout(const ImDrawData& frame, const std::vector<Area>& parts) : data_(frame) {
    // One draw list after the other for each part, and another when one is full.
    constexpr int kFull = std::numeric_limits<std::uint16_t>::max() - 3;
    std::vector<std::vector<ImDrawList*>> of_parts(parts.size());
    std::vector<const ImDrawCmd*> last(parts.size(), nullptr);
    const auto list_for = [&](std::size_t part) -> ImDrawList& {
        auto& lists = of_parts[part];
        if (lists.empty() || lists.back()->VtxBuffer.Size > kFull) {
            lists_.push_back(std::make_unique<ImDrawList>(ImGui::GetDrawListSharedData()));
            lists.push_back(lists_.back().get());
            last[part] = nullptr;
        }
        return *lists.back();
    };
    const Area window = window_of(frame);
    for_each_triangle(frame, [&](const ImDrawCmd& command, const Area& place, const ImDrawVert& a,
                                 const ImDrawVert& b, const ImDrawVert& c) {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            if (both(place, parts[part]).empty()) continue;
            ImDrawList& list = list_for(part);
            if (std::exchange(last[part], &command) != &command) {
                const Area seen = both(clip_of(command, window), parts[part]);
                ImDrawCmd cut = command;
                cut.ClipRect = {static_cast<float>(seen.left), static_cast<float>(seen.top),
                                static_cast<float>(seen.right), static_cast<float>(seen.bottom)};
                cut.VtxOffset = 0;
                cut.IdxOffset = static_cast<unsigned>(list.IdxBuffer.Size);
                cut.ElemCount = 0;
                list.CmdBuffer.push_back(cut);
            }
            for (const ImDrawVert* vertex : {&a, &b, &c}) {
                list.IdxBuffer.push_back(static_cast<ImDrawIdx>(list.VtxBuffer.Size));
                list.VtxBuffer.push_back(*vertex);
            }
            list.CmdBuffer.back().ElemCount += 3;
        }
    });
    for (const auto& lists : of_parts)
        for (ImDrawList* list : lists) pointers_.push_back(list);
    set_lists(data_, pointers_);
}

}  // namespace headlight::ui
