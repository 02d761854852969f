#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "walk/stages.h"

// The alternative views of a step, and the choice between them.
namespace headlight::screens {

namespace {

constexpr Index kMostBlockedBars = 1024;  // keys whose bars fit for a masked row

struct OfferedView {
    StageView view;
    std::string_view words;
};

bool is_masked(const Frame& frame) {
    const Op op = frame.node().op;
    const bool at_weights = op == Op::mask || (op == Op::softmax && !stage_is_row(frame));
    return at_weights && !frame.difference() && frame.trace.shape.keys <= kMostBlockedBars &&
           std::ranges::find(frame.trace.nodes, Op::mask, &Node::op) != frame.trace.nodes.end();
}

std::string_view usual_words(const Frame& frame) {
    switch (frame.node().op) {
        case Op::project:
            return "product";
        case Op::given:
            return "plane";
        case Op::curve:
        case Op::windows:
            return "curve";
        default:
            return has_all_heads(frame) ? "one head" : "matrix";
    }
}

// Queries, keys and values must have equal widths, as in the timed products.
bool has_three_equal_products(const Frame& frame) {
    const Node& node = frame.node();
    return node.op == Op::project && !frame.difference() && !node.weights.empty() &&
           node.weights[0].value &&
           node.weights[0].value->view().rows == 3 * frame.trace.shape.channels();
}

// The default view first; empty if there is no other.
std::vector<OfferedView> offered_views(Frame& frame) {
    const Op op = frame.node().op;
    std::vector<OfferedView> offered{{StageView::usual, usual_words(frame)}};
    const auto offer = [&](bool there, StageView view, std::string_view words) {
        if (there) offered.push_back({view, words});
    };
    offer(has_all_heads(frame), StageView::heads, "all heads");
    offer(has_maps(frame), StageView::maps, "maps");
    offer(is_masked(frame), StageView::fills, "−100 or −∞");
    offer(has_three_equal_products(frame), StageView::timing, "timed");
    offer(has_schematic(frame), StageView::schematic, "schematic");
    offer(has_listing(frame), StageView::listing, "code");
    offer(op == Op::cut || op == Op::join, StageView::why_heads, "why heads");
    offer(has_recurrent(frame), StageView::recurrent, "sequence");
    offer(has_cloud(frame), StageView::cloud, "cloud");
    offer(has_learning(frame), StageView::learning, "a toy that learns");
    if (offered.size() == 1) offered.clear();
    return offered;
}

// At the top of the stage, centered.
void choose_view(Frame& frame, ui::Layout& rect, const std::vector<OfferedView>& offered, int now) {
    std::vector<std::string_view> words;
    float wide = 0;
    for (const OfferedView& each : offered) {
        words.push_back(each.words);
        wide = std::max(wide, ui::Canvas(frame.ui).measure(each.words, {}) + frame.px(24));
    }
    const ui::Rect row = rect.row(6);
    rect.skip_top(8);
    if (row.empty()) return;
    const float all = std::min(row.w, wide * static_cast<float>(words.size()));
    const int chosen = ui::segmented(frame.ui, "stage.view",
                                     {row.center().x - all / 2, row.y, all, row.h}, words, now);
    if (chosen < 0) return;
    const StageView view = offered[static_cast<std::size_t>(chosen)].view;
    frame.set("stage_view", std::string(name_of(view)));
    frame.memory.gesture_ended = true;
}

}  // namespace

bool view_has_no_cells(Frame& frame) {
    constexpr std::array without{StageView::timing,    StageView::listing,  StageView::recurrent,
                                 StageView::schematic, StageView::learning, StageView::why_heads};
    const StageView wanted = frame.state.look.stage_view;
    if (std::ranges::find(without, wanted) == without.end()) return false;
    const std::vector<OfferedView> offered = offered_views(frame);
    return std::ranges::find(offered, wanted, &OfferedView::view) != offered.end();
}

bool stage_view(Frame& frame, ui::Layout& rect) {
    const StageView wanted = frame.state.look.stage_view;
    const bool chooses = frame.in_lesson() || frame.state.look.experiment_open();
    if (wanted == StageView::usual && !chooses) return false;
    const std::vector<OfferedView> offered = offered_views(frame);
    const auto found = std::ranges::find(offered, wanted, &OfferedView::view);
    const bool shows = found != offered.end() && wanted != StageView::usual;
    // In a lecture, and in a lesson on a phone, the view takes the space of the choice.
    const bool has_room = !frame.state.look.lecture && !(frame.small && frame.in_lesson());
    if (!offered.empty() && has_room && (chooses || shows))
        choose_view(frame, rect, offered, shows ? static_cast<int>(found - offered.begin()) : 0);
    if (!shows) return false;
    switch (wanted) {
        case StageView::usual:
            break;
        case StageView::heads:
            stage_all_heads(frame, rect);
            break;
        case StageView::maps:
            stage_maps(frame, rect);
            break;
        case StageView::fills:
            stage_fills(frame, rect);
            break;
        case StageView::timing:
            stage_timing(frame, rect);
            break;
        case StageView::listing:
            stage_listing(frame, rect);
            break;
        case StageView::recurrent:
            stage_recurrent(frame, rect);
            break;
        case StageView::learning:
            stage_learning(frame, rect);
            break;
        case StageView::cloud:
            stage_cloud(frame, rect);
            break;
        case StageView::schematic:
            stage_schematic(frame, rect);
            break;
        case StageView::why_heads:
            stage_why_heads(frame, rect);
            break;
    }
    return true;
}

}  // namespace headlight::screens
