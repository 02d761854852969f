#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gl/heatmap.h"
#include "ui/drawn.h"
#include "ui/geometry.h"
#include "ui/heatmap_cache.h"
#include "ui/theme.h"

namespace headlight::ui {

// A widget that scripts and tests can find by its name: where it is and, for a heatmap, which cells
// it shows. "stage.result[45,62]" is the middle of a cell.
struct Named {
    Rect rect;
    gl::CellWindow cells;  // rows == 0: not a heatmap
};

// What widgets share within one frame, and what they remember from one to the next.
class Context {
  public:
    explicit Context(const FontPaths& fonts) : fonts_(fonts) {}

    // Before anything is drawn. `scale`: pixels per unit. `text_scale`: 2 in lecture view, where
    // running text is `sentence` times larger again. True when the fonts were rebuilt: the font
    // texture must be made again.
    bool begin(const Palette& palette, float scale, float text_scale, float sentence = 1);
    void start_frame();  // after ImGui::NewFrame: names and reports are those of this frame
    void end();          // after ImGui::Render: forgets what was not drawn for long

    // From the next frame on all that is drawn goes there too, each frame anew; null: nowhere. Or
    // there only, and nothing of it is painted: then there need not be a GPU.
    enum class Paint { yes, no };
    void record(Recording* into, Paint paint = Paint::yes) {
        wanted_ = into;
        paints_ = paint == Paint::yes;
    }
    [[nodiscard]] Recording* recording() const { return recording_; }
    [[nodiscard]] Recording* wanted_recording() const { return wanted_; }
    [[nodiscard]] bool paints() const { return paints_; }

    [[nodiscard]] const Palette& colors() const { return *palette_; }
    [[nodiscard]] const Fonts& fonts() const { return fonts_; }
    [[nodiscard]] float px(float units) const { return units * scale_; }
    [[nodiscard]] float text_scale() const { return text_scale_; }
    // The nearest whole number of units, then of pixels: at twice the scale exactly twice as much.
    [[nodiscard]] float whole(float pixels) const;
    [[nodiscard]] float line(Size size) const;  // height of a line of text
    // Of a text that is drawn: its letters are in the faces from the next frame on, if not now.
    void need(Face face, Size size, std::string_view text);

    HeatmapCache& heatmaps() { return heatmaps_; }
    [[nodiscard]] const HeatmapCache& heatmaps() const { return heatmaps_; }

    // Which cells a zoomable heatmap shows; all of them until the person zooms.
    gl::CellWindow& window(const std::string& name, int rows, int cols);
    // One that was drawn in this frame and shows only some of its cells.
    struct Zoomed {
        gl::CellWindow window;
        int rows = 0, cols = 0;
    };
    [[nodiscard]] std::optional<Zoomed> zoomed() const;
    void show_all_cells();

    void name(const std::string& name, const Named& where) { names_[name] = where; }
    [[nodiscard]] const std::map<std::string, Named>& names() const { return names_; }
    // The point of "widget" or "widget[row,col]"; false when nothing of that name was drawn.
    bool find(std::string_view name, ImVec2& point) const;
    // Of "widget", "widget[row,col]", "widget[row,*]" or "widget[*,col]", what of it can be seen;
    // nothing where that was not drawn.
    [[nodiscard]] std::optional<Rect> area(std::string_view name) const;

    // Of the smallest widget there: "widget", or "widget[row,col]" of a matrix.
    [[nodiscard]] std::optional<std::string> name_at(ImVec2 point) const;

    // What explains other things, as a color bar does: words of a lesson are not laid over it.
    void keep_clear(const Rect& rect) { kept_clear_.push_back(rect); }
    [[nodiscard]] const std::vector<Rect>& kept_clear() const { return kept_clear_; }
    // Where text was drawn in this frame.
    void took_text(const Rect& rect) { texts_.push_back(rect); }
    [[nodiscard]] const std::vector<Rect>& texts() const { return texts_; }

    // What a view shows in words or numbers, for tests and reports.
    void report(const std::string& what, std::string value) { reports_[what] = std::move(value); }
    // The same of what takes long to be put into words: done when somebody listens, until the next
    // frame. `say` keeps what it reads.
    void report_later(const std::string& what, std::function<std::string()> say) {
        later_[what] = std::move(say);
    }
    [[nodiscard]] std::map<std::string, std::string> reports() const;

    // The Tab key goes through the widgets that are drawn between these two, in the order of their
    // drawing; Enter clicks the one that is marked. Nothing is marked until Tab is pressed.
    void begin_stops() { gathering_ = true; }
    void end_stops();
    // For widgets: this one can be marked; true where it is, and Enter was pressed.
    bool take_stop(const std::string& name);
    [[nodiscard]] bool stop_marked() const { return !marked_stop_.empty(); }
    void leave_stops() { marked_stop_.clear(); }

    // Widgets that can be clicked call this; the frame's report gives their number.
    void count_control() { ++controls_; }

    // A view that moves by itself asks for the next frame; otherwise the loop sleeps.
    void ask_for_frame() { frame_asked_ = true; }
    [[nodiscard]] bool frame_asked() const { return frame_asked_; }
    // The same while a computation beside the interface goes on, however long it takes.
    void await_work() { frame_asked_ = work_awaited_ = true; }
    [[nodiscard]] bool work_awaited() const { return work_awaited_; }

    // The keyboard belongs to what lies on top: what is drawn behind a dialog does not hear it, and
    // while a list is open only the list does.
    void hear_keys(bool hears) { hears_keys_ = hears; }
    [[nodiscard]] bool key_pressed(ImGuiKey key) const;
    [[nodiscard]] bool is_typing() const;     // into a text field, which hears all keys then
    [[nodiscard]] bool is_list_open() const;  // or another popup
    void stop_typing();                       // what was typed stays; keys are others' now
    // A text field is about to take the keyboard: until then keys wait.
    void await_typing() { awaits_typing_ = true; }
    [[nodiscard]] bool awaits_typing() const { return awaits_typing_; }

    // Counts the frames in which the pointer moved: who remembers the count knows whether it has
    // moved since.
    [[nodiscard]] long pointer_moves() const { return pointer_moves_; }

    // Drawn last, over everything, next to the pointer. A pointer that rests gets no tip for what
    // comes to lie under it.
    void tooltip(std::string text) { tooltip_ = std::move(text); }
    void draw_tooltip();

  private:
    Fonts fonts_;
    const Palette* palette_ = &dark_palette();
    float scale_ = 1, text_scale_ = 1;
    HeatmapCache heatmaps_;
    std::map<std::string, Zoomed> windows_;
    std::map<std::string, Named> names_;
    std::vector<Rect> kept_clear_, texts_;
    std::map<std::string, std::string> reports_;
    std::map<std::string, std::function<std::string()>> later_;
    [[nodiscard]] bool may_show_tooltip();

    std::string tooltip_, shown_tooltip_;
    ImGuiID tip_widget_ = 0;  // that the pointer moved over last
    ImVec2 pointer_{-1, -1};
    long pointer_moves_ = 0;
    int rests_ = 0;  // frames since the pointer moved
    bool hears_keys_ = true, awaits_typing_ = false, typed_ = false;
    Recording *wanted_ = nullptr, *recording_ = nullptr;
    bool paints_ = true;
    bool frame_asked_ = false, work_awaited_ = false;
    bool letters_wanted_ = false;
    bool gathering_ = false;
    int controls_ = 0;  // of this frame
    std::vector<std::string> stops_;  // of this frame
    std::string marked_stop_;         // "": none
};

}  // namespace headlight::ui
