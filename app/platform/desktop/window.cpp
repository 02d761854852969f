#include "platform/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <utility>

#include "platform/desktop/keyboard.h"

namespace headlight::app {
namespace {

constexpr Extent kLeast{960, 600}, kLeastBeside{400, 300};  // minimum sizes, in units

bool monitors_changed = false;  // GLFW reports this once for all windows

std::string last_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text == nullptr ? "no reason given" : text;
}

// GLFW 3.4 tries Wayland first, which prints its own error if it is not running.
void leave_wayland_out() {
#ifdef GLFW_PLATFORM
    if (std::getenv("WAYLAND_DISPLAY") == nullptr &&
        glfwPlatformSupported(GLFW_PLATFORM_X11) == GLFW_TRUE)
        glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

void start_glfw() {
    leave_wayland_out();
    if (glfwInit() == GLFW_TRUE) return;
    throw WindowError("Headlight found no display (" + last_error() +
                      "). Start it in a graphical session. \"headlight shot\" also works under "
                      "xvfb-run, and \"headlight trace\" needs no display.");
}

GLFWwindow* make_window(const std::string& title, Window::Show show) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    // By these names a desktop finds headlight.desktop, and with it the icon.
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "Headlight");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headlight");
#ifdef GLFW_WAYLAND_APP_ID
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "headlight");
#endif
    // Shown once it has its size and content.
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_FOCUS_ON_SHOW, show == Window::Show::yes ? GLFW_TRUE : GLFW_FALSE);
    // A user who works in one window still wants to see the other.
    glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
    GLFWwindow* window =
        glfwCreateWindow(kLeast.width, kLeast.height, title.c_str(), nullptr, nullptr);
    if (window != nullptr) return window;
    throw WindowError("Headlight needs OpenGL 3.3, which this display does not offer (" +
                      last_error() +
                      "). Update the graphics driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw "
                      "without a graphics card.");
}

Extent scaled(Extent extent, float scale) {
    return {static_cast<int>(static_cast<float>(extent.width) * scale),
            static_cast<int>(static_cast<float>(extent.height) * scale)};
}

// The monitor without its panels; without a monitor, an unlimited size.
Extent room_on_monitor() {
    constexpr int kAny = std::numeric_limits<int>::max();
    int x = 0, y = 0, width = 0, height = 0;
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
        glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
    return {width > 0 ? width : kAny, height > 0 ? height : kAny};
}

// Desktop coordinates per unit: pixels or, on macOS, points.
float window_scale(GLFWwindow* window) {
    float scale = 1.0F;
    int width = 0, pixels = 0;
    glfwGetWindowContentScale(window, &scale, nullptr);
    glfwGetWindowSize(window, &width, nullptr);
    glfwGetFramebufferSize(window, &pixels, nullptr);
    return pixels > 0 ? scale * static_cast<float>(width) / static_cast<float>(pixels) : scale;
}

void fit_into_monitor(GLFWwindow* window, Extent smallest, Extent wanted) {
    const float scale = window_scale(window);
    const Extent room = room_on_monitor();
    const auto fitted = [&](Extent extent) {
        const Extent whole = scaled(extent, scale);
        return Extent{std::min(whole.width, room.width), std::min(whole.height, room.height)};
    };
    const Extent least = fitted(smallest), size = fitted(wanted);
    glfwSetWindowSizeLimits(window, least.width, least.height, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetWindowSize(window, std::max(size.width, least.width),
                      std::max(size.height, least.height));
}

std::vector<GLFWmonitor*> all_monitors() {
    int count = 0;
    GLFWmonitor** const monitors = glfwGetMonitors(&count);
    return {monitors, monitors + count};
}

// In the order of ImGuiMouseCursor_. GLFW 3.3 has no diagonal arrows.
constexpr int kShapes[] = {GLFW_ARROW_CURSOR,   GLFW_IBEAM_CURSOR,   GLFW_ARROW_CURSOR,
                           GLFW_VRESIZE_CURSOR, GLFW_HRESIZE_CURSOR, GLFW_ARROW_CURSOR,
                           GLFW_ARROW_CURSOR,   GLFW_HAND_CURSOR};

Modifiers modifiers_of(int glfw) { return {has_ctrl(glfw), (glfw & GLFW_MOD_SHIFT) != 0}; }

Modifiers modifiers_held(GLFWwindow* window) {
    const auto held = [&](int left, int right) {
        return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
    };
    int held_now = 0;
    if (held(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL)) held_now |= GLFW_MOD_CONTROL;
    if (held(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER)) held_now |= GLFW_MOD_SUPER;
    if (held(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT)) held_now |= GLFW_MOD_SHIFT;
    return modifiers_of(held_now);
}

}  // namespace

struct Window::Native {
    explicit Native(Window& its) : owner(its) {}
    ~Native() {
        for (GLFWcursor* cursor : cursors)
            if (cursor != nullptr) glfwDestroyCursor(cursor);
        if (window != nullptr) glfwDestroyWindow(window);
        if (first) glfwTerminate();
    }
    Native(const Native&) = delete;
    Native& operator=(const Native&) = delete;

    static Native& of(GLFWwindow* window) {
        return *static_cast<Native*>(glfwGetWindowUserPointer(window));
    }
    static Window& window_of(GLFWwindow* window) { return of(window).owner; }
    void listen();
    void key(int key, int scancode, int action, int modifiers);
    void character(unsigned codepoint);
    void pointer(double x, double y);

    Window& owner;
    GLFWwindow* window = nullptr;
    std::vector<GLFWcursor*> cursors;
    int buttons_down = 0;
    bool first = false;      // the first window terminates GLFW
    bool repeating = false;  // for the key that is about to type a character
};

Window::Window(const std::string& title, Extent wanted, Show show)
    : title_(title), native_(std::make_unique<Native>(*this)) {
    start_glfw();
    native_->first = true;
    native_->window = make_window(title, show);
    glfwSetMonitorCallback([](GLFWmonitor*, int) { monitors_changed = true; });
    fit_into_monitor(native_->window, kLeast, wanted);
    begin();
    glfwSwapInterval(1);
    if (show == Show::yes) glfwShowWindow(native_->window);
}

Window::Window(const Window&, const std::string& title, Extent wanted)
    : title_(title), native_(std::make_unique<Native>(*this)) {
    native_->window = make_window(title, Show::yes);
    fit_into_monitor(native_->window, kLeastBeside, wanted);
    begin();
    glfwSwapInterval(0);
    glfwShowWindow(native_->window);
}

Window::~Window() = default;

void Window::begin() {
    glfwMakeContextCurrent(native_->window);
    for (const int shape : kShapes) native_->cursors.push_back(glfwCreateStandardCursor(shape));
    glfwSetWindowUserPointer(native_->window, native_.get());
    native_->listen();
}

void Window::use() { glfwMakeContextCurrent(native_->window); }

// Callbacks only store events for the next frame. They change nothing else, because they may come
// at any time, even while a frame is being drawn.
void Window::Native::listen() {
    glfwSetInputMode(window, GLFW_LOCK_KEY_MODS, GLFW_TRUE);  // reports NumLock
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
        of(w).key(key, scancode, action, mods);
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned c) { of(w).character(c); });
    glfwSetCursorPosCallback(window,
                             [](GLFWwindow* w, double x, double y) { of(w).pointer(x, y); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
        window_of(w).happened_ = true;
        // A drag continues outside the window.
        if (entered == GLFW_FALSE && of(w).buttons_down == 0)
            window_of(w).input_.add(PointerLeft{});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
        window_of(w).happened_ = true;
        if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
        of(w).buttons_down = std::max(of(w).buttons_down + (action == GLFW_PRESS ? 1 : -1), 0);
        // On X11, the event of Shift itself has the modifiers from before it.
        window_of(w).input_.add(modifiers_of(mods));
        window_of(w).input_.add(ButtonChanged{button, action == GLFW_PRESS});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
        window_of(w).happened_ = true;
        window_of(w).input_.add(modifiers_held(w));  // scroll events have no modifiers
        window_of(w).input_.add(Wheel{static_cast<float>(x), static_cast<float>(y)});
    });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        window_of(w).happened_ = true;
        window_of(w).dropped_.insert(window_of(w).dropped_.end(), paths, paths + count);
    });
    // Only requests a redraw. (When the focus is lost, GLFW releases all keys.)
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { window_of(w).happened_ = true; });
    glfwSetFramebufferSizeCallback(window,
                                   [](GLFWwindow* w, int, int) { window_of(w).happened_ = true; });
    glfwSetWindowContentScaleCallback(
        window, [](GLFWwindow* w, float, float) { window_of(w).happened_ = true; });
    glfwSetWindowRefreshCallback(
        window, [](GLFWwindow* w) { window_of(w).happened_ = window_of(w).exposed_ = true; });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { window_of(w).happened_ = true; });
}

void Window::Native::key(int key, int scancode, int action, int modifiers) {
    owner.happened_ = true;
    key = without_num_lock(key, modifiers);
    repeating = action == GLFW_REPEAT;
    owner.input_.add(modifiers_of(modifiers));
    if (action != GLFW_RELEASE)
        if (std::string name = key_name(key, scancode, modifiers); !name.empty())
            owner.input_.add(Pressed{std::move(name), repeating});
    // ImGui repeats held keys itself.
    if (const auto edit = glfw_edit_key(key); edit && !repeating)
        owner.input_.add(EditKey{*edit, action == GLFW_PRESS});
}

void Window::Native::character(unsigned codepoint) {
    owner.happened_ = true;
    owner.input_.add(Typed{codepoint});
    if (codepoint > ' ' && codepoint < 127) {
        const char capital = static_cast<char>(std::toupper(static_cast<int>(codepoint)));
        owner.input_.add(Pressed{std::string(1, capital), repeating});
    }
}

void Window::Native::pointer(double x, double y) {
    owner.happened_ = true;
    int width = 1, height = 1;
    glfwGetWindowSize(window, &width, &height);
    const Extent pixels = owner.size();
    owner.input_.add(PointerMoved{static_cast<float>(x * pixels.width / std::max(width, 1)),
                                  static_cast<float>(y * pixels.height / std::max(height, 1))});
}

bool Window::closing() const { return glfwWindowShouldClose(native_->window) == GLFW_TRUE; }

Extent Window::size() const {
    Extent extent;
    glfwGetFramebufferSize(native_->window, &extent.width, &extent.height);
    return extent;
}

float Window::scale() const {
    float scale = 1.0F;
    glfwGetWindowContentScale(native_->window, &scale, nullptr);
    return scale;
}

double Window::refresh_seconds() const {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
    return mode == nullptr || mode->refreshRate <= 0 ? 1.0 / 60 : 1.0 / mode->refreshRate;
}

std::vector<Box> Window::monitors() {
    std::vector<Box> boxes;
    for (GLFWmonitor* monitor : all_monitors()) {
        const GLFWvidmode* mode = glfwGetVideoMode(monitor);
        Box box;
        glfwGetMonitorPos(monitor, &box.x, &box.y);
        if (mode != nullptr) {
            box.width = mode->width;
            box.height = mode->height;
        }
        boxes.push_back(box);
    }
    return boxes;
}

bool Window::take_monitors_changed() { return std::exchange(monitors_changed, false); }

Box Window::place() const {
    Box box;
    glfwGetWindowPos(native_->window, &box.x, &box.y);
    glfwGetWindowSize(native_->window, &box.width, &box.height);
    return box;
}

bool Window::is_spread() const {
    return glfwGetWindowAttrib(native_->window, GLFW_MAXIMIZED) == GLFW_TRUE;
}

void Window::spread() { glfwMaximizeWindow(native_->window); }

void Window::fill(std::size_t number) {
    const auto monitors = all_monitors();
    if (number >= monitors.size()) return;
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[number]);
    if (mode == nullptr) return;
    // Window managers without _NET_WM_FULLSCREEN_MONITORS, such as Openbox, fill the monitor with
    // the window. So the window moves to the wanted monitor first; a maximized window would not
    // move.
    Box there;
    glfwGetMonitorPos(monitors[number], &there.x, &there.y);
    if (is_spread()) glfwRestoreWindow(native_->window);
    put({there.x, there.y, mode->width, mode->height});
    glfwSetWindowMonitor(native_->window, monitors[number], 0, 0, mode->width, mode->height,
                         mode->refreshRate);
}

void Window::put(const Box& place) {
    glfwSetWindowMonitor(native_->window, nullptr, place.x, place.y, place.width, place.height,
                         GLFW_DONT_CARE);
}

void Window::spread_on(std::size_t number) {
    const auto monitors = all_monitors();
    if (number >= monitors.size()) return;
    Box room;
    glfwGetMonitorWorkarea(monitors[number], &room.x, &room.y, &room.width, &room.height);
    if (room.width <= 0 || room.height <= 0) return;
    glfwRestoreWindow(native_->window);
    // With a margin for its frame, if the desktop does not maximize it.
    const int margin = std::min(room.width, room.height) / 20;
    put({room.x + margin, room.y + margin, room.width - 2 * margin, room.height - 2 * margin});
    glfwMaximizeWindow(native_->window);
}

void Window::set_title(const std::string& title) {
    if (title == title_) return;
    title_ = title;
    glfwSetWindowTitle(native_->window, title.c_str());
}

void Window::set_cursor(ImGuiMouseCursor shape) {
    if (shape == cursor_) return;
    cursor_ = shape;
    const bool known = shape >= 0 && shape < static_cast<int>(native_->cursors.size());
    glfwSetCursor(native_->window,
                  known ? native_->cursors[static_cast<std::size_t>(shape)] : nullptr);
}

void Window::present() { glfwSwapBuffers(native_->window); }

void Window::wait(std::optional<double> seconds) {
    if (!seconds)
        glfwWaitEvents();
    else if (*seconds > 0)
        glfwWaitEventsTimeout(*seconds);
    else
        glfwPollEvents();
}

void Window::repeat(std::function<bool()> round) {
    while (round()) {
    }
}

void Window::set_clipboard(const char* text) { glfwSetClipboardString(nullptr, text); }

const char* Window::clipboard() { return glfwGetClipboardString(nullptr); }

void Window::set_typing(bool) {}  // the desktop does so itself
bool Window::picks_files() { return false; }
void Window::pick_file() {}
std::string Window::page_address() { return "http://localhost:8000/"; }

void Window::wake() { glfwPostEmptyEvent(); }

bool Window::take_happened() { return std::exchange(happened_, false); }

bool Window::take_exposed() { return std::exchange(exposed_, false); }

std::vector<std::string> Window::take_dropped() { return std::exchange(dropped_, {}); }

}  // namespace headlight::app
