#include "cli/position_file.h"

#include <span>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "files/new_file.h"
#include "files/npy.h"
#include "ops/limits.h"
#include "positions/positions.h"

namespace headlight::cli {

namespace {

PositionKind kind_named(const std::string& name) {
    std::vector<std::string_view> known;
    for (const PositionInfo& kind : all_positions()) {
        if (kind.table == nullptr) continue;
        known.push_back(name_of(kind.id));
        if (known.back() == name) return kind.id;
    }
    throw UsageError("--kind: expected " + alternatives(known) + ", found \"" + name.substr(0, 80) +
                     "\".");
}

}  // namespace

void run_positions(const PositionsOptions& options) {
    const PositionKind kind = kind_named(options.kind);
    const TokenGrid grid{0, options.rows, options.cols};
    refuse_beyond_memory(4.0 * static_cast<double>(grid.count()) * options.dim, "This table",
                         "fewer rows, columns or dimensions");
    const Matrix table =
        position_table(kind, {grid, grid.count(), Index{options.dim}, options.base});
    NewFile file(options.out);
    const std::string header = npy_header("<f4", {table.rows(), table.cols()});
    file.write(std::as_bytes(std::span(header)));
    file.write(std::as_bytes(std::span(table.data(), static_cast<std::size_t>(table.size()))));
    file.finish();
}

}  // namespace headlight::cli
