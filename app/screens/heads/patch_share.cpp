#include "heads/patch_share.h"

#include "frame/value_text.h"
#include "heads/grid_layout.h"
#include "state/paired_maps.h"
#include "ui/mosaic.h"

namespace headlight::screens {

namespace {

bool has_other_tokens(const Frame& frame) { return frame.trace.layout.prefix() > 0; }

}  // namespace

std::optional<double> share_of(const HeadsView& view, const HeadPlace& place, std::size_t query) {
    return patch_share(*view.said, place, query);
}

std::optional<double> share_of(const HeadsView&, const Combination& of, std::size_t query) {
    return query < of.share.size() ? of.share[query] : std::nullopt;
}

std::string share_words(const Frame& frame, std::optional<double> share) {
    if (!share) return "";
    const bool from = frame.state.look.reading == Reading::from;
    return percent_of(*share) + (from ? " on patches" : " from patches");
}

template <class What>
void draw_shares(Frame& frame, const ui::Rect& map, const HeadsView& view, const What& what) {
    if (!has_other_tokens(frame) || view.difference) return;
    const std::size_t first = view.together() ? 0 : view.query(),
                      end = view.together() ? view.tokens.size() : first + 1;
    const float high = frame.px(3);
    ui::Canvas canvas(frame.ui);
    for (std::size_t query = first; query < end; ++query) {
        const std::optional<double> share = share_of(view, what, query);
        if (!share) continue;
        const auto rows = static_cast<float>(end - query);
        const ui::Rect bar{map.x, map.y + map.h - high * rows, map.w, high};
        canvas.fill(bar, IM_COL32(0, 0, 0, 190));
        canvas.fill({bar.x, bar.y, bar.w * static_cast<float>(*share), bar.h},
                    view.together() ? ui::kQueryHues.at(query)
                                    : ui::dark_palette().hue(ui::Hue::attention));
    }
}

void draw_share_number(Frame& frame, const ui::Rect& map, const HeadsView& view,
                       const HeadPlace& place) {
    const auto share = share_of(view, place, view.query());
    if (!share || !has_other_tokens(frame) || view.difference || view.together()) return;
    ui::Canvas canvas(frame.ui);
    const std::string number = percent_of(*share);
    const float width = canvas.measure(number, corner_style()) + frame.px(6), high = frame.line();
    // Either all maps of one size show it, or none.
    if (map.w < canvas.measure("> 99.9 %", corner_style()) * 2 || map.h < high * 4) return;
    const ui::Rect box{map.x + map.w - width, map.y + map.h - frame.px(3) - high, width, high};
    canvas.fill(box, IM_COL32(0, 0, 0, 170));
    canvas.text({box.x + frame.px(3), box.y}, number, corner_style());
}

template <class What>
void draw_share_words(Frame& frame, ui::Layout& caption, float width, const HeadsView& view,
                      const What& what) {
    if (view.together()) return;
    const std::string words = share_words(frame, share_of(view, what, view.query()));
    if (words.empty()) return;
    frame.ui.report("heads.share", words);
    if (!has_other_tokens(frame)) return;
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = frame.small_dim(ui::Align::right);
    const float wide = canvas.measure(words, style) + 1, gap = frame.px(8);
    if (width + gap + wide > caption.w) return;
    const ui::Rect place = caption.right(wide);
    caption.right(gap);
    canvas.label(place, words, style);
    if (!place.contains(ImGui::GetIO().MousePos) || !ImGui::IsWindowHovered()) return;
    frame.ui.tooltip(frame.state.look.reading == Reading::from
                         ? "The map shows patches only. The rest of this row goes to other tokens."
                         : "The attention that this token gets from patches. It gets the rest "
                           "from other tokens.");
}

template void draw_shares(Frame&, const ui::Rect&, const HeadsView&, const HeadPlace&);
template void draw_shares(Frame&, const ui::Rect&, const HeadsView&, const Combination&);
template void draw_share_words(Frame&, ui::Layout&, float, const HeadsView&, const HeadPlace&);
template void draw_share_words(Frame&, ui::Layout&, float, const HeadsView&, const Combination&);

}  // namespace headlight::screens
