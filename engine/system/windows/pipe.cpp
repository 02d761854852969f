#include "system/pipe.h"

#include <system_error>

namespace headlight::system {

// Windows has no named pipes in the file system.
std::vector<std::byte> read_pipe(const std::filesystem::path& /*path*/, void (* /*ask*/)()) {
    throw std::system_error(std::make_error_code(std::errc::not_supported));
}

}  // namespace headlight::system
