#include "walk/scale_choice.h"

#include <algorithm>

#include "frame/field_words.h"

namespace headlight::screens {

namespace {

constexpr const char* kUsualCut = "1";  // per cent

const Field& scale_field() { return *find_field("attention_scale"); }

struct Options {
    std::vector<std::string_view> names;
    std::vector<std::string> words;
};

// The scales, then the options.
Options options_of(const Look& look) {
    Options options;
    for (const std::string_view scale : names_of<AttentionScale>()) {
        options.names.push_back(scale);
        options.words.push_back(words_of(scale_field(), scale));
    }
    options.names.emplace_back("cut");
    options.words.emplace_back(look.attention_cut > 0 ? "clip nothing"
                                                      : "clip and mark the largest 1 %");
    options.names.emplace_back("view");
    options.words.emplace_back(look.range == RangeMode::view
                                   ? "range of all heads"
                                   : "range of the cells in view, when zoomed");
    return options;
}

}  // namespace

bool offers_scales(const Frame& frame) {
    const Look& look = frame.state.look;
    const Look usual;
    return look.experiment_open() || frame.is_narrow() ||
           look.attention_cut != usual.attention_cut ||
           look.attention_scale != usual.attention_scale;
}

float scale_choice_width(Frame& frame) {
    float widest = 0;
    for (const std::string_view scale : names_of<AttentionScale>())
        widest = std::max(widest, ui::Canvas(frame.ui).measure(words_of(scale_field(), scale), {}));
    return widest + frame.px(28);
}

void scale_choice(Frame& frame, const ui::Rect& rect, const std::string& name) {
    const Look& look = frame.state.look;
    const Options options = options_of(look);
    const int chosen = ui::choice(frame.ui, name, rect, options.names,
                                  static_cast<int>(look.attention_scale), options.words);
    if (rect.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(std::string(scale_field().help));
    if (chosen < 0) return;
    const std::string_view option = options.names[static_cast<std::size_t>(chosen)];
    if (option == "cut")
        frame.set("attention_cut", look.attention_cut > 0 ? "0" : kUsualCut);
    else if (option == "view")
        frame.set("range", look.range == RangeMode::view ? "shared" : "view");
    else
        frame.set("attention_scale", std::string(option));
}

}  // namespace headlight::screens
