#include "system/program.h"

#include <windows.h>
#include <string>

namespace headlight::system {

std::filesystem::path program_file() {
    constexpr std::size_t kLongest = 1U << 15U;  // the limit of Windows
    std::wstring name(kLongest, L'\0');
    name.resize(GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size())));
    return name;
}

}  // namespace headlight::system
