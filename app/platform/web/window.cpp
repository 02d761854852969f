#include "platform/window.h"

#include <emscripten/em_js.h>
#include <emscripten/em_macros.h>
#include <emscripten/emscripten.h>
#include <emscripten/html5.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <utility>

#include "platform/keyboard.h"
#include "platform/web/fingers.h"
#include "platform/web/keys.h"
#include "tasks/background_task.h"
#include "ui/compat_internal.h"

namespace headlight::app {
namespace {

constexpr const char* kCanvas = "#canvas";
constexpr double kWheelNotch = 100;   // CSS pixels per wheel notch in browsers
constexpr double kMostPixels = 8192;  // along a side: what graphics cards can at least draw
constexpr double kWheelLine = 33;     // CSS pixels per line, for browsers that count lines

// CSS names in the order of ImGuiMouseCursor_.
constexpr std::array kCursors = {"default",     "text",        "move",    "ns-resize",  "ew-resize",
                                 "nesw-resize", "nwse-resize", "pointer", "not-allowed"};

// The JavaScript side is web/page.js. The linker keeps only those of emscripten's functions that
// are named here.
EM_JS_DEPS(headlight_window, "$UTF8ToString,$stringToNewUTF8");
EM_JS(void, show_cursor, (const char* name), { Module.canvas.style.cursor = UTF8ToString(name); });
EM_JS(void, write_clipboard, (const char* text), { Module.page.copy(UTF8ToString(text)); });
EM_JS(void, show_keyboard, (int shown), { Module.page.showKeyboard(shown != 0); });
EM_JS(void, ask_for_file, (), { Module.page.pick(); });
EM_JS(char*, address_of_page, (), { return stringToNewUTF8(location.origin + location.pathname); });
EM_JS(void, remember_state, (), { Module.page.rememberState(GLctx); });
EM_JS(void, page_is_drawn, (), { Module.page.drawn(); });
EM_JS(void, page_has_ended, (), { Module.page.ended(); });
EM_JS(void, page_has_failed, (), { Module.page.failed(); });

// Events from page.js carry no pointer to us; a page has one window.
std::function<void(const char*)> hear_dropped, hear_pasted;
std::function<void(int, const char*)> hear_typed;
std::string clipboard_text;
std::function<bool()> each_round;

void one_round() {
    try {
        if (each_round()) return;
        emscripten_cancel_main_loop();
        page_has_ended();
    } catch (const std::exception& error) {
        emscripten_cancel_main_loop();
        std::cerr << error.what() << '\n';
        page_has_failed();
    }
}

double seconds() { return emscripten_get_now() / 1000; }

Modifiers modifiers_of(const EmscriptenMouseEvent& event) {
    return {event.ctrlKey || event.metaKey, bool(event.shiftKey)};
}

}  // namespace

struct Window::Native {
    explicit Native(Window& its) : owner(its) {}

    void make_context();
    void fit_canvas();
    void listen();
    bool key(const EmscriptenKeyboardEvent& event, bool down);
    void paste(const char* text);
    void type(int removed, const char* text);
    void pointer(double x, double y);
    void button(const EmscriptenMouseEvent& event, bool down);
    void wheel(const EmscriptenWheelEvent& event);
    void touch(int type, const EmscriptenTouchEvent& event);
    void release();

    Window& owner;
    Extent size;
    float scale = 1;
    Fingers fingers{owner.input_};
};

void Window::Native::make_context() {
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
    // Unchanged parts are not drawn again.
    wanted.preserveDrawingBuffer = true;
    const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context =
        emscripten_webgl_create_context(kCanvas, &wanted);
    if (context <= 0)
        throw WindowError("Headlight needs WebGL 2, which this browser does not offer.");
    emscripten_webgl_make_context_current(context);
    remember_state();
}

// The canvas gets the screen's full resolution.
void Window::Native::fit_canvas() {
    double width = 0, height = 0;
    emscripten_get_element_css_size(kCanvas, &width, &height);
    scale = static_cast<float>(std::min(emscripten_get_device_pixel_ratio(),
                                        kMostPixels / std::max({width, height, 1.0})));
    const Extent now{static_cast<int>(std::lround(width * scale)),
                     static_cast<int>(std::lround(height * scale))};
    if (now == size) return;
    size = now;
    emscripten_set_canvas_element_size(kCanvas, size.width, size.height);
    owner.happened_ = owner.exposed_ = true;
}

// Callbacks only store events for the next frame.
void Window::Native::listen() {
    const auto key_down = [](int, const EmscriptenKeyboardEvent* event, void* self) -> EM_BOOL {
        return static_cast<Native*>(self)->key(*event, true);
    };
    const auto key_up = [](int, const EmscriptenKeyboardEvent* event, void* self) -> EM_BOOL {
        return static_cast<Native*>(self)->key(*event, false);
    };
    const auto moved = [](int, const EmscriptenMouseEvent* event, void* self) -> EM_BOOL {
        static_cast<Native*>(self)->pointer(event->clientX, event->clientY);
        return EM_FALSE;
    };
    const auto pressed = [](int, const EmscriptenMouseEvent* event, void* self) -> EM_BOOL {
        static_cast<Native*>(self)->button(*event, true);
        return EM_FALSE;  // gives the keyboard to the canvas
    };
    const auto released = [](int, const EmscriptenMouseEvent* event, void* self) -> EM_BOOL {
        static_cast<Native*>(self)->button(*event, false);
        return EM_FALSE;
    };
    const auto left = [](int, const EmscriptenMouseEvent* event, void* self) -> EM_BOOL {
        auto& native = *static_cast<Native*>(self);
        native.owner.happened_ = true;
        // A drag continues outside the canvas.
        if (event->buttons == 0) native.owner.input_.add(PointerLeft{});
        return EM_FALSE;
    };
    const auto turned = [](int, const EmscriptenWheelEvent* event, void* self) -> EM_BOOL {
        static_cast<Native*>(self)->wheel(*event);
        return EM_TRUE;  // Ctrl+wheel must not zoom the page
    };
    const auto touched = [](int type, const EmscriptenTouchEvent* event, void* self) -> EM_BOOL {
        static_cast<Native*>(self)->touch(type, *event);
        return EM_TRUE;
    };
    const auto blurred = [](int, const EmscriptenFocusEvent*, void* self) -> EM_BOOL {
        static_cast<Native*>(self)->release();
        return EM_FALSE;
    };
    const char* const kPage = EMSCRIPTEN_EVENT_TARGET_WINDOW;
    emscripten_set_keydown_callback(kPage, this, false, key_down);
    emscripten_set_keyup_callback(kPage, this, false, key_up);
    emscripten_set_mousemove_callback(kPage, this, false, moved);
    emscripten_set_mousedown_callback(kCanvas, this, false, pressed);
    emscripten_set_mouseup_callback(kPage, this, false, released);
    emscripten_set_mouseleave_callback(kCanvas, this, false, left);
    emscripten_set_wheel_callback(kCanvas, this, false, turned);
    emscripten_set_touchstart_callback(kCanvas, this, false, touched);
    emscripten_set_touchmove_callback(kCanvas, this, false, touched);
    emscripten_set_touchend_callback(kCanvas, this, false, touched);
    emscripten_set_touchcancel_callback(kCanvas, this, false, touched);
    emscripten_set_blur_callback(kPage, this, false, blurred);
    hear_pasted = [this](const char* text) { paste(text); };
    hear_typed = [this](int removed, const char* text) { type(removed, text); };
    hear_dropped = [this](const char* path) {
        owner.happened_ = true;
        owner.dropped_.emplace_back(path);
    };
}

bool Window::Native::key(const EmscriptenKeyboardEvent& event, bool down) {
    const KeyMeaning meaning = meaning_of(
        {event.key, event.ctrlKey || event.metaKey, bool(event.shiftKey), bool(event.altKey)});
    if (meaning.browsers) return false;
    owner.happened_ = true;
    const bool repeated = event.repeat;
    owner.input_.add(Modifiers{meaning.ctrl, bool(event.shiftKey)});
    if (down && !meaning.name.empty()) owner.input_.add(Pressed{meaning.name, repeated});
    if (down && meaning.character != 0) {
        owner.input_.add(Typed{meaning.character});
        if (!meaning.capital.empty()) owner.input_.add(Pressed{meaning.capital, repeated});
    }
    if (!meaning.edit || repeated) return true;  // ImGui repeats held keys itself
    // With Cmd held, Macs do not report the release of a letter.
    if (down) owner.input_.add(EditKey{*meaning.edit, true});
    if (down == meaning.ctrl) owner.input_.add(EditKey{*meaning.edit, false});
    return true;
}

// Browsers reveal pasted text only in a paste event, so Ctrl+V is sent together with the text.
void Window::Native::paste(const char* text) {
    owner.happened_ = true;
    clipboard_text = text;
    add_key(owner.input_, "Ctrl+V");
}

// On a keyboard on the screen. It may first remove characters, as when it corrects a word.
void Window::Native::type(int removed, const char* text) {
    owner.happened_ = true;
    owner.input_.add(Modifiers{});  // text fields take no characters while Ctrl is held
    for (int i = 0; i < removed; ++i) add_key(owner.input_, "Backspace");
    for (const char* next = text; *next != '\0';) {
        unsigned point = 0;
        next += ImTextCharFromUtf8(&point, next, nullptr);
        owner.input_.add(Typed{point});
    }
}

void Window::Native::pointer(double x, double y) {
    owner.happened_ = true;
    owner.input_.add(PointerMoved{static_cast<float>(x * scale), static_cast<float>(y * scale)});
}

void Window::Native::button(const EmscriptenMouseEvent& event, bool down) {
    // DOM: 0 left, 1 middle, 2 right.
    constexpr std::array kButtons = {0, 2, 1};
    if (event.button >= kButtons.size()) return;
    pointer(event.clientX, event.clientY);
    owner.input_.add(modifiers_of(event));
    owner.input_.add(ButtonChanged{kButtons[event.button], down});
}

void Window::Native::wheel(const EmscriptenWheelEvent& event) {
    owner.happened_ = true;
    const double unit = event.deltaMode == DOM_DELTA_PIXEL ? 1 : kWheelLine;
    owner.input_.add(modifiers_of(event.mouse));
    owner.input_.add(Wheel{static_cast<float>(-event.deltaX * unit / kWheelNotch),
                           static_cast<float>(-event.deltaY * unit / kWheelNotch)});
}

void Window::Native::touch(int type, const EmscriptenTouchEvent& event) {
    owner.happened_ = true;
    std::array<Finger, 2> both;
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(event.numTouches), 2);
    for (std::size_t i = 0; i < count; ++i)
        both.at(i) = {static_cast<double>(event.touches[i].clientX),
                      static_cast<double>(event.touches[i].clientY)};
    const std::span<const Finger> there(both.data(), count);
    if (type == EMSCRIPTEN_EVENT_TOUCHSTART)
        fingers.land(there, scale, seconds());
    else if (type == EMSCRIPTEN_EVENT_TOUCHMOVE)
        fingers.move(there);
    else if (type == EMSCRIPTEN_EVENT_TOUCHEND)
        fingers.lift();
    else
        fingers.cancel();
}

// Key and button releases are missed while another window has the keyboard.
void Window::Native::release() {
    owner.happened_ = true;
    owner.input_.add(Modifiers{});
}

Window::Window(const std::string& title, Extent, Show)
    : title_(title), native_(std::make_unique<Native>(*this)) {
    native_->make_context();
    begin();
}

Window::Window(const Window&, const std::string&, Extent) {
    throw WindowError(
        "In a browser, Headlight has only one window. Use the desktop program for the presenter's "
        "window.");
}

Window::~Window() = default;

void Window::begin() {
    native_->fit_canvas();
    native_->listen();
}

void Window::use() {}
bool Window::closing() const { return false; }
Extent Window::size() const { return native_->size; }
float Window::scale() const { return native_->scale; }
double Window::refresh_seconds() const { return 0; }  // the browser schedules frames

std::vector<Box> Window::monitors() { return {}; }
bool Window::take_monitors_changed() { return false; }
Box Window::place() const { return {0, 0, native_->size.width, native_->size.height}; }
bool Window::is_spread() const { return false; }
void Window::spread() {}
void Window::fill(std::size_t) {}
void Window::put(const Box&) {}
void Window::spread_on(std::size_t) {}

void Window::set_title(const std::string& title) {
    if (title == title_) return;
    title_ = title;
    emscripten_set_window_title(title.c_str());
}

void Window::set_cursor(ImGuiMouseCursor shape) {
    if (shape == cursor_) return;
    cursor_ = shape;
    const bool known = shape >= 0 && shape < static_cast<int>(kCursors.size());
    show_cursor(known ? kCursors[static_cast<std::size_t>(shape)] : "none");
}

void Window::set_typing(bool typing) {
    if (std::exchange(typing_, typing) != typing) show_keyboard(typing);
}

void Window::present() { page_is_drawn(); }

void Window::wait(std::optional<double>) {
    constexpr std::chrono::milliseconds kBetweenFrames{8};
    native_->fit_canvas();
    if (native_->fingers.pass(seconds())) happened_ = true;
    if (tasks_run_between_frames()) let_tasks_work(kBetweenFrames);
}

void Window::wake() {}  // the next frame checks

void Window::repeat(std::function<bool()> round) {
    each_round = std::move(round);
    emscripten_set_main_loop(one_round, 0, false);
}

void Window::set_clipboard(const char* text) {
    clipboard_text = text;
    write_clipboard(text);
}

const char* Window::clipboard() { return clipboard_text.c_str(); }

bool Window::picks_files() { return true; }
void Window::pick_file() { ask_for_file(); }
std::string Window::page_address() {
    char* const address = address_of_page();
    std::string text = address;
    std::free(address);
    return text;
}

bool Window::take_happened() { return std::exchange(happened_, false); }
bool Window::take_exposed() { return std::exchange(exposed_, false); }
std::vector<std::string> Window::take_dropped() { return std::exchange(dropped_, {}); }

}  // namespace headlight::app

// Called by page.js once the window exists.
extern "C" {
EMSCRIPTEN_KEEPALIVE void headlight_dropped(const char* path) {
    headlight::app::hear_dropped(path);
}
EMSCRIPTEN_KEEPALIVE void headlight_typed(int removed, const char* text) {
    headlight::app::hear_typed(removed, text);
}
EMSCRIPTEN_KEEPALIVE void headlight_pasted(const char* text) { headlight::app::hear_pasted(text); }
}
