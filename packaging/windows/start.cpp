// The program of the folder for Windows. It chooses the library whose code fits the processor, and
// has no such code itself. It belongs to the console, so that it takes commands. If it was started
// with the mouse, its console is hidden unless the program fails.
#include <windows.h>

#include <cstdio>

#include "system/program.h"

namespace {

using Program = int(int argc, char** argv);

Program* program_for(const char* level) {
    const auto library =
        headlight::system::program_file().parent_path() / "lib" / level / "headlight.dll";
    const HMODULE opened = LoadLibraryExW(library.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (opened == nullptr) return nullptr;
    return reinterpret_cast<Program*>(
        reinterpret_cast<void*>(GetProcAddress(opened, "headlight_main")));
}

Program* program() {
    __builtin_cpu_init();
    Program* found = nullptr;
    if (__builtin_cpu_supports("x86-64-v3") != 0) found = program_for("x86-64-v3");
    return found != nullptr ? found : program_for("base");
}

// Whether the console was made for this program alone: it was started with the mouse.
bool owns_console() {
    DWORD processes[2];
    return GetConsoleProcessList(processes, 2) == 1;
}

void show_console(bool shown) {
    if (const HWND console = GetConsoleWindow()) ShowWindow(console, shown ? SW_SHOW : SW_HIDE);
}

}  // namespace

int main(int argc, char** argv) {
    SetConsoleOutputCP(CP_UTF8);
    const bool own = owns_console();
    if (own) show_console(false);
    int status = 1;
    if (Program* const run = program())
        status = run(argc, argv);
    else
        std::fputs(
            "headlight: lib\\base\\headlight.dll is missing. Unpack the whole folder again.\n",
            stderr);
    if (own && status != 0) {
        show_console(true);
        std::fputs("Press Enter to close this window.\n", stderr);
        (void)std::getchar();
    }
    return status;
}
