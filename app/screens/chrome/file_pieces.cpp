#include "chrome/file_browsing.h"
#include "disk/names.h"
#include "disk/size_text.h"
#include "frame/photo.h"

namespace headlight::screens {

using ui::Canvas;
using ui::Rect;

Thumbnail draw_thumbnail(const Browsing& b, const Rect& rect, const DirectoryEntry& entry,
                         int side) {
    Thumbnail thumbnail = b.browser.thumbnails.request(entry.path, entry.written,
                                                       side > 0 ? side : b.thumbnail_side());
    if (thumbnail.pending()) b.ui.ask_for_frame();
    if (!thumbnail.image) return thumbnail;
    const Image& image = *thumbnail.image;
    const Rect place = rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
    // A picture that was not shrunk shows its pixels as squares.
    const bool smooth = thumbnail.width > image.width || static_cast<float>(image.width) > place.w;
    Canvas(b.ui).photo(place, photo(thumbnail.image, smooth), b.px(3));
    return thumbnail;
}

void draw_model_sign(const Browsing& b, const Rect& rect, bool lit) {
    Canvas canvas(b.ui);
    const ImU32 color = lit ? b.colors().accent : b.colors().hue(ui::Hue::weight);
    const Rect place = rect.fit(1.15F);
    const float bar = place.h * 0.19F, gap = place.h * 0.12F;
    ui::Layout rest(b.ui, place.inset(0, (place.h - 3 * bar - 2 * gap) / 2));
    for (int layer = 0; layer < 3; ++layer) {
        canvas.fill(rest.top(bar).inset(place.w * 0.12F * static_cast<float>(2 - layer), 0),
                    ui::with_alpha(color, 0.95F - 0.25F * static_cast<float>(layer)), bar * 0.3F);
        rest.top(gap);
    }
}

bool is_model(const DirectoryEntry& entry) { return is_checkpoint_name(entry.name); }
bool is_shown(const Browsing& b, const DirectoryEntry& entry) {
    return entry.path == b.browser.shown || entry.path == b.browser.shown_model ||
           entry.path == b.browser.shown_tokens;
}

void model_tip(const Browsing& b, const DirectoryEntry& entry) {
    const char* what = b.of_reference() ? "Numbers" : "Model";
    b.ui.tooltip(entry.path.string() + "\n" + what + " · " + bytes_in_words(entry.bytes));
}

void file_tip(const Browsing& b, const DirectoryEntry& entry, const Thumbnail& thumbnail) {
    std::string tip = entry.name + "\n";
    if (thumbnail.width > 0)
        tip += std::to_string(thumbnail.width) + " × " + std::to_string(thumbnail.height) +
               " pixels · ";
    tip += bytes_in_words(entry.bytes);
    if (!thumbnail.error.empty()) tip += "\n" + thumbnail.error;
    b.ui.tooltip(tip);
}

void begin_scrolling(const char* name, const Rect& rect) {
    ui::begin_child(name, rect, ImGuiWindowFlags_NoNav);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
}

void end_scrolling(float height) {
    ImGui::SetCursorPos({0, height});
    ImGui::Dummy({1, 0});
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

}  // namespace headlight::screens
