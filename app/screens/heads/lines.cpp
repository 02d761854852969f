#include "heads/lines.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "frame/traced.h"
#include "heads/memory.h"

namespace headlight::screens {

namespace {

constexpr double kMostMilliseconds = 5;  // in each frame

// Traced again for another answer or other display settings.
MapLines& lines_of(const Frame& frame, const HeadsView& view, HeadsMemory& memory) {
    MapLines& lines = memory.lines;
    const bool same =
        lines.of == view.said && lines.query == view.query() && lines.look == frame.state.look;
    if (!same) lines = {view.said, frame.state.look, view.query(), {}, {}};
    if (lines.frame != ImGui::GetFrameCount()) {
        lines.frame = ImGui::GetFrameCount();
        lines.milliseconds = 0;
    }
    return lines;
}

bool are_wanted(const Frame& frame, const ui::Rect& rect, const Shown& map) {
    return frame.state.look.heads_contours && !map.cells.empty() &&
           ui::has_room_for_contours(frame.ui,
                                     std::min(rect.w / static_cast<float>(map.cells.cols),
                                              rect.h / static_cast<float>(map.cells.rows)));
}

// An exported file always gets all lines.
bool has_time(const Frame& frame, const MapLines& lines) {
    return lines.milliseconds < kMostMilliseconds || frame.ui.recording() != nullptr;
}

template <class Known, class Key>
const ui::Contours* traced_once(Frame& frame, MapLines& lines, Known& known, const Key& key,
                                const Shown& map) {
    const auto found = known.find(key);
    if (found != known.end()) return &found->second;
    if (!has_time(frame, lines)) {
        frame.ui.ask_for_frame();
        return nullptr;
    }
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const ui::Cells& cells = map.cells;
    ui::Contours made = traced({cells.data, cells.rows, cells.cols, cells.stride}, map.scale);
    lines.milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return &known.emplace(key, std::move(made)).first->second;
}

}  // namespace

const ui::Contours* lines_over(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                               HeadsMemory& memory, const HeadPlace& place, const Shown& map) {
    if (!are_wanted(frame, rect, map)) return nullptr;
    MapLines& lines = lines_of(frame, view, memory);
    return traced_once(frame, lines, lines.heads, place, map);
}

const ui::Contours* lines_over(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                               HeadsMemory& memory, const Combination& of, const Shown& map) {
    if (!are_wanted(frame, rect, map)) return nullptr;
    MapLines& lines = lines_of(frame, view, memory);
    const auto at = static_cast<std::size_t>(&of - view.combinations.data());
    return traced_once(frame, lines, lines.combinations, at, map);
}

std::string upsampling_words(const Look& look) {
    return look.heads_smooth ? "smooth: bilinear between patch centers" : "one square per patch";
}

std::string drawing_words(const Look& look, const ui::ColorScale& scale) {
    if (!look.heads_contours) return upsampling_words(look);
    return upsampling_words(look) + ", " +
           (look.range == RangeMode::shared ? ui::contour_words(scale)
                                            : "lines at round numbers of each map's own scale");
}

}  // namespace headlight::screens
