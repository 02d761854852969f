#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/input.h"
#include "platform/monitors.h"

namespace headlight::app {

// Why no window can be opened: one sentence, and what to do.
class WindowError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Extent {
    int width = 0, height = 0;
    friend bool operator==(const Extent&, const Extent&) = default;
};

// A window with an OpenGL 3.3 core context (in a browser: the page's canvas with WebGL 2). The
// context is current on the constructing thread until another is used. All units, also for the
// pointer, are pixels of its framebuffer; but boxes are in desktop coordinates. Implementations are
// in desktop/ and web/.
class Window {
  public:
    enum class Show { yes, hidden };
    // Opens a window of the wanted size, times the monitor's scale, if the monitor is large enough.
    // Throws WindowError.
    Window(const std::string& title, Extent wanted, Show show);
    // A second window of the program; the first must outlive it. Drawing in it does not wait for
    // vertical sync.
    Window(const Window& first, const std::string& title, Extent wanted);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] bool closing() const;
    [[nodiscard]] Extent size() const;
    [[nodiscard]] float scale() const;             // pixels per unit: 1 at 96 dpi
    [[nodiscard]] double refresh_seconds() const;  // the monitor's refresh interval
    void use();                                    // makes its OpenGL context current
    void set_title(const std::string& title);      // cheap if unchanged
    void set_cursor(ImGuiMouseCursor shape);
    // Whether a text field has the keyboard: a touch screen then shows one.
    void set_typing(bool typing);
    void present();

    // Processes pending events. Waits for an event or wake(), but at most `seconds`, if given.
    void wait(std::optional<double> seconds);
    static void wake();  // from any thread
    // Calls `round` until it returns false. In a browser this returns at once, and the browser
    // calls `round` once per frame while the page is visible.
    static void repeat(std::function<bool()> round);

    static void set_clipboard(const char* text);
    static const char* clipboard();  // valid until the next call

    // In a browser, a page can access only files that the user selects. pick_file() asks for some,
    // which then arrive through take_dropped(). picks_files() is false on the desktop.
    static bool picks_files();
    static void pick_file();
    // The address of this page, or on the desktop of the page that `./dev web serve` serves.
    static std::string page_address();

    // All monitors, the primary one first; queries the display.
    static std::vector<Box> monitors();
    static bool take_monitors_changed();  // one was connected or disconnected
    [[nodiscard]] Box place() const;      // without its frame
    void fill(std::size_t monitor);       // by its index in monitors()
    void put(const Box& place);           // moves it there, no longer filling a monitor
    void spread_on(std::size_t monitor);  // maximizes it within the desktop's panels
    void spread();                        // the same, on its current monitor
    [[nodiscard]] bool is_spread() const;

    // Whether an event since the last call may change the picture.
    bool take_happened();
    // Whether the desktop has discarded part of the window's content since the last call.
    bool take_exposed();
    std::vector<std::string> take_dropped();  // file names
    Input& input() { return input_; }

  private:
    struct Native;  // data of the back end
    void begin();

    Input input_;
    std::vector<std::string> dropped_;
    std::string title_;
    ImGuiMouseCursor cursor_ = ImGuiMouseCursor_Arrow;
    bool typing_ = false;
    bool happened_ = true, exposed_ = true;
    std::unique_ptr<Native> native_;
};

}  // namespace headlight::app
