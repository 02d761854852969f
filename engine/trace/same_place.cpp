#include "trace/same_place.h"

#include <algorithm>
#include <cmath>

namespace headlight {

namespace {

int length_of(const PatchGrid& grid, bool down) {
    return down ? grid.image_height : grid.image_width;
}

// The center of a patch along one axis, as a fraction of the picture.
double part_of(const PatchGrid& grid, int index, bool down) {
    const double middle =
        static_cast<double>(index) * grid.settings.stride - grid.offset + grid.settings.size / 2.0;
    return middle / length_of(grid, down);
}

// The patch whose center is nearest.
int index_at(const PatchGrid& grid, double part, bool down) {
    const double middle = part * length_of(grid, down) + grid.offset - grid.settings.size / 2.0;
    const auto nearest = static_cast<int>(std::lround(middle / grid.settings.stride));
    return std::clamp(nearest, 0, (down ? grid.rows : grid.cols) - 1);
}

// The first token of a kind, and how many there are.
struct Run {
    Index first = 0, count = 0;
};
Run run_of(const TokenLayout& layout, TokenKind kind) {
    switch (kind) {
        case TokenKind::class_token:
            return {0, layout.class_tokens};
        case TokenKind::distillation_token:
            return {layout.class_tokens, layout.distillation_tokens};
        case TokenKind::register_token:
            return {layout.class_tokens + layout.distillation_tokens, layout.registers};
        case TokenKind::patch:
            break;
    }
    return {layout.prefix(), layout.patches};
}

}  // namespace

TokenPlaces places_of(const Trace& trace) { return {trace.layout, trace.grid}; }

std::string token_and_place(const Trace& trace, Index token) {
    const TokenLayout& layout = trace.layout;
    std::string name = token_name(layout, token);
    const Index patch = token - layout.prefix();
    const bool in_picture =
        patch >= 0 && patch < std::min(layout.patches, Index{trace.grid.count()});
    if (!in_picture || layout.names) return name;
    return name + " · " + row_and_column(patch, trace.grid.cols);
}

std::string patch_and_place(const Trace& trace, Index patch) {
    return token_and_place(trace, trace.layout.prefix() + patch);
}

int token_at_same_place(const TokenPlaces& from, const TokenPlaces& to, int token) {
    if (from == to) return token;
    const bool in_pictures = from.grid.image_width > 0 && to.grid.image_width > 0;
    if (!in_pictures) return token;  // given tokens have no place in a picture
    if (from.grid.count() == 0 || to.grid.count() == 0 || token >= from.layout.count())
        return token;
    double row = 0.5, col = 0.5;  // as fractions of the picture
    const TokenKind kind = from.layout.kind_of(token);
    if (kind == TokenKind::patch) {
        const int patch = token - static_cast<int>(from.layout.prefix());
        row = part_of(from.grid, patch / from.grid.cols, true);
        col = part_of(from.grid, patch % from.grid.cols, false);
    } else if (const Run run = run_of(to.layout, kind); run.count > 0) {
        const Index within = token - run_of(from.layout, kind).first;
        return static_cast<int>(run.first + std::min(within, run.count - 1));
    }
    const int patch = index_at(to.grid, row, true) * to.grid.cols + index_at(to.grid, col, false);
    return static_cast<int>(to.layout.prefix()) + patch;
}

}  // namespace headlight
