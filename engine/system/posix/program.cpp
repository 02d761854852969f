#include "system/program.h"

#include <system_error>
#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <string>
#endif

namespace headlight::system {

#ifdef __APPLE__

std::filesystem::path program_file() {
    std::uint32_t size = 0;
    _NSGetExecutablePath(nullptr, &size);
    std::string name(size, '\0');  // with a terminating zero
    if (_NSGetExecutablePath(name.data(), &size) != 0) return {};
    std::error_code unknown;
    return std::filesystem::canonical(name.c_str(), unknown);
}

#else

std::filesystem::path program_file() {
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

#endif

}  // namespace headlight::system
