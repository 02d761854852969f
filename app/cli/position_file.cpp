#include "cli/position_file.h"

#include <span>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "ops/limits.h"
#include "positions/positions.h"
#include "positions/rotary.h"

namespace headlight::cli {

namespace {

// The kind's name everywhere else, and the one that it is known by.
bool is_rotary(std::string_view name) {
    return name == name_of(PositionKind::rotary) || name == "rope";
}

PositionKind kind_named(const std::string& name) {
    std::vector<std::string_view> known;
    for (const PositionInfo& kind : all_positions()) {
        if (kind.table == nullptr) continue;
        known.push_back(name_of(kind.id));
        if (known.back() == name) return kind.id;
    }
    known.push_back(name_of(PositionKind::rotary));
    throw UsageError("--kind: expected " + alternatives(known) + ", found \"" + name.substr(0, 80) +
                     "\".");
}

WavesFirst first_of(const PositionsOptions& options) {
    if (!options.first) return WavesFirst::columns;
    const auto first = value_named<WavesFirst>(*options.first);
    if (options.kind != name_of(PositionKind::sincos_2d))
        throw UsageError("--first: expected only with --kind " +
                         std::string(name_of(PositionKind::sincos_2d)) + ", found \"" +
                         options.kind.substr(0, 80) + "\".");
    if (!first)
        throw UsageError("--first: expected " + alternatives(kNames<WavesFirst>) + ", found \"" +
                         options.first->substr(0, 80) + "\".");
    return *first;
}

// What would change nothing is no setting of a table.
void expect_no(const std::string& option, bool given, const std::string& kind) {
    if (given) throw UsageError(option + ": expected none with --kind " + kind + ", found one.");
}

// Each [N, dim]: one table, or sine and cosine.
std::vector<Matrix> tables_of(const PositionsOptions& options, const TokenGrid& grid) {
    const WavesFirst first = first_of(options);
    if (is_rotary(options.kind)) {
        expect_no("--seed", options.seed.has_value(), options.kind);
        auto [sine, cosine] = rotary_tables(
            dinov3_rotary(options.dim, options.base.value_or(kDinov3Base)), grid, grid.count());
        return {std::move(sine), std::move(cosine)};
    }
    const PositionKind kind = kind_named(options.kind);
    expect_no("--base", options.base && info(kind).base == 0, options.kind);
    expect_no("--seed", options.seed && kind != PositionKind::learned, options.kind);
    const double base = options.base.value_or(kUsualBase);
    return {position_table(
        kind, {grid, grid.count(), Index{options.dim}, base, options.seed.value_or(0), first})};
}

}  // namespace

void run_positions(const PositionsOptions& options) {
    const TokenGrid grid{0, options.rows, options.cols};
    const double copies = is_rotary(options.kind) ? 2 : 1;
    refuse_beyond_memory(4.0 * copies * static_cast<double>(grid.count()) * options.dim,
                         "This table", "fewer rows, columns or dimensions");
    const std::vector<Matrix> tables = tables_of(options, grid);
    std::vector<std::int64_t> shape{tables[0].rows(), tables[0].cols()};
    if (tables.size() > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(tables.size()));
    const auto file = begin_npy(options.out, "<f4", shape);
    for (const Matrix& table : tables)
        file->write(std::as_bytes(std::span(table.data(), static_cast<std::size_t>(table.size()))));
    file->finish();
}

}  // namespace headlight::cli
