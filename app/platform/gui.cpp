#include "platform/gui.h"

#include <imgui_impl_opengl3.h>

#include <algorithm>

#include "gl/api.h"
#include "ui/compat.h"

namespace headlight::app {
namespace {

// ImGui needs advancing time, and uses it to detect double clicks. A long pause may be shortened,
// but not so much that clicks around it become a double click.
constexpr double kShortest = 1e-4, kLongest = 1.0;

// OpenGL counts pixels from the bottom, everything else from the top.
void clear(const ui::Area& part, Extent size, ImU32 background) {
    const ImVec4 color = ImGui::ColorConvertU32ToFloat4(background);
    glScissor(part.left, size.height - part.bottom, part.right - part.left, part.bottom - part.top);
    glClearColor(color.x, color.y, color.z, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
}

void use_clipboard(ImGuiIO& io) {
    io.SetClipboardTextFn = [](void*, const char* text) { Window::set_clipboard(text); };
    io.GetClipboardTextFn = [](void*) { return Window::clipboard(); };
}

}  // namespace

Gui::Turn::Turn(const Gui& gui) : before_(ImGui::GetCurrentContext()) {
    ImGui::SetCurrentContext(gui.context_);
}

Gui::Turn::~Turn() { ImGui::SetCurrentContext(before_); }

// The first context becomes the active one at once.
Gui::Gui() : context_(ImGui::CreateContext()) {
    const Turn turn(*this);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // our session stores what is needed
    io.LogFilename = nullptr;
    io.ConfigMacOSXBehaviors = false;       // our windows report Cmd as Ctrl
    io.ConfigInputTextCursorBlink = false;  // an idle window draws nothing
    ui::hear_all_at_once();
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    use_clipboard(io);
    ImGui_ImplOpenGL3_Init(gl::kGlslVersion);
}

Gui::~Gui() {
    ImGuiContext* const before = ImGui::GetCurrentContext();
    ImGui::SetCurrentContext(context_);
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(before == context_ ? nullptr : before);
}

void Gui::begin_frame(Extent size, double seconds) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
    io.DisplayFramebufferScale = {1, 1};
    io.DeltaTime = static_cast<float>(std::clamp(seconds, kShortest, kLongest));
    ImGui_ImplOpenGL3_NewFrame();
    started_ = true;
    ImGui::NewFrame();
}

void Gui::end_frame() { ImGui::Render(); }

// Only the texture: Dear ImGui 1.86 does not refill buffers that were destroyed and recreated.
void Gui::fonts_changed() {
    if (!started_) return;  // the first frame creates it
    damage_.forget();
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

void Gui::render(ui::Context& ui) {
    ImDrawData& frame = *ImGui::GetDrawData();
    const Extent size{static_cast<int>(frame.DisplaySize.x), static_cast<int>(frame.DisplaySize.y)};
    if (!picture_ || picture_->size() != size) {
        picture_ = std::make_unique<Offscreen>(size);
        damage_.forget();
    }
    const ImU32 background = ui.colors().background;
    const std::vector<ui::Area> parts = damage_.parts(frame, background, [&](ImTextureID texture) {
        return ui.heatmaps().content(ui::texture_name(texture));
    });
    if (parts.empty()) return;
    news_ = true;
    picture_->bind();
    glViewport(0, 0, size.width, size.height);
    glEnable(GL_SCISSOR_TEST);
    for (const ui::Area& part : parts) clear(part, size, background);
    const bool whole = parts.size() == 1 && parts[0] == ui::Area{0, 0, size.width, size.height};
    if (whole)
        ImGui_ImplOpenGL3_RenderDrawData(&frame);
    else
        ImGui_ImplOpenGL3_RenderDrawData(&ui::Cutout(frame, parts).data());
    glDisable(GL_SCISSOR_TEST);
}

void Gui::show() {
    picture_->copy_to_window();
    news_ = false;
}

}  // namespace headlight::app
