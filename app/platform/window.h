#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/input.h"
#include "platform/monitors.h"

namespace headlight::platform {

// Why there can be no window: one sentence, and what to do.
class WindowError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Extent {
    int width = 0, height = 0;
    friend bool operator==(const Extent&, const Extent&) = default;
};

// A window with an OpenGL 3.3 core context (in a browser: the page's canvas with WebGL 2), current
// on the constructing thread until another is used. Everything is in pixels of its framebuffer, the
// pointer too; but boxes are the desktop's. desktop/ and web/ each hold an implementation.
class Window {
  public:
    enum class Show { yes, hidden };
    // As large as wanted, times the monitor's scale, where the monitor has room. Throws
    // WindowError.
    Window(const std::string& title, Extent wanted, Show show);
    // Another one of the program, which the first outlives; drawing in it waits for no monitor.
    Window(const Window& first, const std::string& title, Extent wanted);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] bool closing() const;
    [[nodiscard]] Extent size() const;
    [[nodiscard]] float scale() const;             // pixels per unit: 1 at 96 dpi
    [[nodiscard]] double refresh_seconds() const;  // the monitor's, from frame to frame
    void use();                                    // its OpenGL context, from here on
    void set_title(const std::string& title);      // cheap when it is the same
    void set_cursor(ImGuiMouseCursor shape);
    void present();

    // Takes what happened since the last call; waits until something does, or wake() is called.
    // Never longer than `seconds`; without them as long as it takes.
    void wait(std::optional<double> seconds);
    static void wake();  // from any thread
    // Calls `round` until it returns false. In a browser this returns at once, and the browser
    // calls `round` once for each frame of a visible page.
    static void repeat(std::function<bool()> round);

    static void set_clipboard(const char* text);
    static const char* clipboard();  // valid until the next call

    // A page sees only the files that a person gives it. pick_file() asks for some, which then come
    // with take_dropped(). picks_files() is false on the desktop.
    static bool picks_files();
    static void pick_file();
    // The address of this page, or on the desktop of the page that `./dev web serve` serves.
    static std::string page_address();

    // Of all that there are, the primary one first; asks the display.
    static std::vector<Box> monitors();
    static bool take_monitors_changed();  // one was plugged in or taken away
    [[nodiscard]] Box place() const;      // without its frame
    void fill(std::size_t monitor);       // by its number in monitors()
    void put(const Box& place);           // there, and no longer all of a monitor
    void spread_on(std::size_t monitor);  // as large as the desktop's panels leave room
    void spread();                        // the same, on the monitor that it is on
    [[nodiscard]] bool is_spread() const;

    // Something has happened since the last call that may change the picture.
    bool take_happened();
    // The desktop has lost a part of what the window shows, since the last call.
    bool take_exposed();
    std::vector<std::string> take_dropped();  // names of files
    Input& input() { return input_; }

  private:
    struct Native;  // what the back end keeps
    void begin();

    Input input_;
    std::vector<std::string> dropped_;
    std::string title_;
    ImGuiMouseCursor cursor_ = ImGuiMouseCursor_Arrow;
    bool happened_ = true, exposed_ = true;
    std::unique_ptr<Native> native_;
};

}  // namespace headlight::platform
