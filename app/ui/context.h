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

// A widget that scripts and tests find by its name: its rectangle and, for a heatmap, the visible
// cells. "stage.result[45,62]" is the middle of a cell.
struct Named {
    Rect rect;
    gl::CellWindow cells;  // rows == 0 if it is not a heatmap
};

// State shared by the widgets within a frame, and kept from frame to frame.
class Context {
  public:
    explicit Context(const FontPaths& fonts) : fonts_(fonts) {}

    // Call before drawing. `scale`: pixels per unit. `text_scale`: 2 in lecture view, where running
    // text is larger by another factor `sentence`. True if the fonts were rebuilt; then rebuild the
    // font texture.
    bool begin(const Palette& palette, float scale, float text_scale, float sentence = 1);
    void start_frame();  // call after ImGui::NewFrame; resets names and reports
    void end();          // call after ImGui::Render; drops what was not drawn for long

    // From the next frame on, records everything that is drawn, starting over each frame; null:
    // off. With Paint::no, drawing is only recorded and needs no GPU.
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
    void shrink_sentences(float part) { fonts_.shrink_sentences(part); }
    [[nodiscard]] float px(float units) const { return units * scale_; }
    [[nodiscard]] float text_scale() const { return text_scale_; }
    // Rounds to whole units, then to pixels, so that twice the scale gives exactly twice the size.
    [[nodiscard]] float whole(float pixels) const;
    [[nodiscard]] float line(Size size) const;  // height of a line of text, in pixels
    // Call for text to be drawn: its letters are loaded into the font, at the latest in the next
    // frame.
    void need(Face face, Size size, std::string_view text);

    HeatmapCache& heatmaps() { return heatmaps_; }
    [[nodiscard]] const HeatmapCache& heatmaps() const { return heatmaps_; }

    // The visible cells of a zoomable heatmap; all of them until the user zooms.
    gl::CellWindow& window(const std::string& name, int rows, int cols);
    // A heatmap drawn in this frame that shows only some of its cells.
    struct Zoomed {
        gl::CellWindow window;
        int rows = 0, cols = 0;
    };
    [[nodiscard]] std::optional<Zoomed> zoomed() const;
    void show_all_cells();

    void name(const std::string& name, const Named& where) { names_[name] = where; }
    [[nodiscard]] const std::map<std::string, Named>& names() const { return names_; }
    // The point of "widget" or "widget[row,col]"; false if it was not drawn.
    bool find(std::string_view name, ImVec2& point) const;
    // The visible part of "widget", "widget[row,col]", "widget[row,*]" or "widget[*,col]"; empty if
    // it was not drawn.
    [[nodiscard]] std::optional<Rect> area(std::string_view name) const;

    // The smallest widget at the point: "widget", or "widget[row,col]" for a matrix.
    [[nodiscard]] std::optional<std::string> name_at(ImVec2 point) const;

    // Marks something explanatory, such as a color bar, that lesson callouts must not cover.
    void keep_clear(const Rect& rect) { kept_clear_.push_back(rect); }
    [[nodiscard]] const std::vector<Rect>& kept_clear() const { return kept_clear_; }
    // Records where text was drawn in this frame.
    void took_text(const Rect& rect) { texts_.push_back(rect); }
    [[nodiscard]] const std::vector<Rect>& texts() const { return texts_; }

    // Reports what a view shows, as text or a number, for tests and reports.
    void report(const std::string& what, std::string value) { reports_[what] = std::move(value); }
    // The same for values that are slow to format: `say` runs only if a listener asks before the
    // next frame. It must own what it uses.
    void report_later(const std::string& what, std::function<std::string()> say) {
        later_[what] = std::move(say);
    }
    [[nodiscard]] std::map<std::string, std::string> reports() const;

    // The Tab key visits the widgets drawn between these two calls, in drawing order; Enter clicks
    // the marked one. None is marked until Tab is pressed.
    void begin_stops() { gathering_ = true; }
    void end_stops();
    // Called by widgets that can be marked. True if this one is marked and Enter was pressed.
    bool take_stop(const std::string& name);
    [[nodiscard]] bool stop_marked() const { return !marked_stop_.empty(); }
    void leave_stops() { marked_stop_.clear(); }

    // Called by clickable widgets; the frame's report contains their number.
    void count_control() { ++controls_; }

    // An animated view asks for the next frame; otherwise the loop sleeps.
    void ask_for_frame() { frame_asked_ = true; }
    [[nodiscard]] bool frame_asked() const { return frame_asked_; }
    // The same while a background computation runs, however long it takes.
    void await_work() { frame_asked_ = work_awaited_ = true; }
    [[nodiscard]] bool work_awaited() const { return work_awaited_; }

    // The topmost layer gets the keyboard: widgets behind a dialog do not, and while a list is
    // open, only the list does.
    void hear_keys(bool hears) { hears_keys_ = hears; }
    [[nodiscard]] bool key_pressed(ImGuiKey key) const;
    [[nodiscard]] bool is_typing() const;     // into a text field, which then gets all keys
    [[nodiscard]] bool is_list_open() const;  // or another popup
    void stop_typing();                       // keeps the text and releases the keyboard
    // A text field is about to take the keyboard; until then, keys wait.
    void await_typing() { awaits_typing_ = true; }
    [[nodiscard]] bool awaits_typing() const { return awaits_typing_; }

    // Counts the frames in which the pointer moved. Compare two values to see whether it has moved.
    [[nodiscard]] long pointer_moves() const { return pointer_moves_; }

    // Drawn last, on top of everything, next to the pointer. If a widget moves under a resting
    // pointer, its tip stays hidden.
    void tooltip(std::string text) { tooltip_ = std::move(text); }
    void draw_tooltip();
    // Whether the pointer is a finger. It stays where it tapped, and shows tips only while it rests
    // on the screen.
    void set_touched(bool touched) { touched_ = touched; }

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
    ImGuiID tip_widget_ = 0;  // the widget under the pointer when it last moved
    ImVec2 pointer_{-1, -1};
    long pointer_moves_ = 0;
    int rests_ = 0;  // frames since the pointer moved
    bool touched_ = false;
    bool hears_keys_ = true, awaits_typing_ = false, typed_ = false;
    Recording *wanted_ = nullptr, *recording_ = nullptr;
    bool paints_ = true;
    bool frame_asked_ = false, work_awaited_ = false;
    bool letters_wanted_ = false;
    bool gathering_ = false;
    int controls_ = 0;                // in this frame
    std::vector<std::string> stops_;  // in this frame
    std::string marked_stop_;         // "": none
};

}  // namespace headlight::ui
