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

bool is_of_file(const PositionInfo& kind) {
    return kind.table != nullptr || kind.effect == PositionEffect::turned;
}

// Accepts "rope" for rotary positions.
PositionKind kind_named(const std::string& name) {
    if (name == "rope") return PositionKind::rotary;
    const auto kind = value_named<PositionKind>(name);
    if (kind && is_of_file(info(*kind))) return *kind;
    throw UsageError("--kind: expected " + alternatives(kinds_of_files()) + ", found \"" +
                     name.substr(0, 80) + "\".");
}

std::string kinds_with_first() {
    std::vector<std::string_view> names;
    for (const PositionInfo& kind : all_positions())
        if (kind.takes.first) names.push_back(name_of(kind.id));
    return alternatives(names);
}

WavesFirst first_of(const PositionsOptions& options, const PositionInfo& kind) {
    if (!options.first) return WavesFirst::columns;
    const auto first = value_named<WavesFirst>(*options.first);
    if (!kind.takes.first)
        throw UsageError("--first can be used only with --kind " + kinds_with_first() +
                         ", found \"" + options.kind.substr(0, 80) + "\".");
    if (!first)
        throw UsageError("--first: expected " + alternatives(names_of<WavesFirst>()) +
                         ", found \"" + options.first->substr(0, 80) + "\".");
    return *first;
}

// Rejects options that have no effect on this kind.
void expect_no(const std::string& option, bool given, const std::string& kind) {
    if (given) throw UsageError(option + " has no effect with --kind " + kind + ". Leave it out.");
}

// Each [N, dim]: one table, or sine and cosine.
std::vector<Matrix> tables_of(const PositionsOptions& options, const PositionInfo& kind,
                              const TokenGrid& grid) {
    const WavesFirst first = first_of(options, kind);
    expect_no("--base", options.base && kind.takes.base == 0, options.kind);
    expect_no("--seed", options.seed && !kind.takes.seed, options.kind);
    const double base = options.base.value_or(kind.takes.base > 0 ? kind.takes.base : kUsualBase);
    if (kind.effect == PositionEffect::turned) {
        auto [sine, cosine] = rotary_tables(dinov3_rotary(options.dim, base), grid, grid.count());
        return {std::move(sine), std::move(cosine)};
    }
    return {position_table(
        kind.id, {grid, grid.count(), Index{options.dim}, base, options.seed.value_or(0), first})};
}

}  // namespace

std::vector<std::string_view> kinds_of_files() {
    std::vector<std::string_view> names;
    for (const PositionInfo& kind : all_positions())
        if (is_of_file(kind)) names.push_back(name_of(kind.id));
    return names;
}

void run_positions(const PositionsOptions& options) {
    const PositionInfo& kind = info(kind_named(options.kind));
    const TokenGrid grid{0, options.rows, options.cols};
    const double copies = kind.effect == PositionEffect::turned ? 2 : 1;
    refuse_beyond_memory(4.0 * copies * static_cast<double>(grid.count()) * options.dim,
                         "This table", "fewer rows, columns or dimensions");
    const std::vector<Matrix> tables = tables_of(options, kind, grid);
    std::vector<std::int64_t> shape{tables[0].rows(), tables[0].cols()};
    if (tables.size() > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(tables.size()));
    const auto file = begin_npy(options.out, "<f4", shape);
    for (const Matrix& table : tables)
        file->write(std::as_bytes(std::span(table.data(), static_cast<std::size_t>(table.size()))));
    file->finish();
}

}  // namespace headlight::cli
