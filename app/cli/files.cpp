#include "cli/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <span>
#include <system_error>

#include "cli/audience.h"
#include "cli/errors.h"
#include "disk/read_file.h"
#include "files/npy.h"
#include "kernels/stop.h"
#include "system/pipe.h"

namespace headlight::cli {

File read_file(const std::string& path) {
    std::error_code unknown;
    const auto kind = std::filesystem::status(path, unknown).type();
    if (kind != std::filesystem::file_type::fifo) return headlight::read_file(path);
    try {
        return system::read_pipe(path, [] { throw_if_stopped(Interruption::asked); });
    } catch (const std::system_error& error) {
        throw WorkError(path + ": cannot be read: " + error.code().message() + ".");
    }
}

std::unique_ptr<NewFile> begin_npy(const std::string& path, const std::string& type,
                                   const std::vector<std::int64_t>& shape) {
    auto file = std::make_unique<NewFile>(path);
    const std::string header = npy_header(type, shape);
    file->write(std::as_bytes(std::span(header)));
    return file;
}

std::string map_text(const MatrixView& cells) {
    std::string text;
    for (Index r = 0; r < cells.rows; ++r)
        for (Index c = 0; c < cells.cols; ++c)
            fmt::format_to(std::back_inserter(text), "{}{}", cells(r, c),
                           c + 1 < cells.cols ? ',' : '\n');
    return text;
}

}  // namespace headlight::cli
