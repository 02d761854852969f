#include "state/region_commands.h"

#include <array>
#include <exception>

#include "program/values.h"
#include "state/command.h"
#include "state/recipe_commands.h"

namespace headlight {

const PatchGrid& RegionCommands::grid(const std::string& verb) const {
    const Trace& trace = computed(trace_);
    if (!trace.image || trace.grid.count() == 0)
        throw CommandError(verb + ": there is no picture to draw a region on. Open one first.");
    return trace.grid;
}

void RegionCommands::patches(const std::string& inside, const std::string& patches) {
    const PatchGrid& grid = this->grid("region-patches");
    constexpr std::array<std::string_view, 2> kWhere{"out", "in"};
    const bool in = parse_name("region-patches", inside, kWhere) == 1;
    const auto named = region_from_text(patches, grid.rows, grid.cols);
    if (!named || named->empty())
        throw CommandError("region-patches: expected patches from 0 to " +
                           std::to_string(grid.count() - 1) + " such as 3-9,17, found " +
                           in_quotes(patches) + ".");
    Region region = region_on(region_, grid.rows, grid.cols);
    for (const int patch : named->patches)
        region = with_patches(std::move(region), patch, patch, in);
    region_ = region.empty() ? Region{} : std::move(region);
}

void RegionCommands::rectangle(const std::string& corner, const std::string& opposite) {
    const PatchGrid& grid = this->grid("region-rectangle");
    const auto patch = [&](const std::string& text) {
        return parse_integer("region-rectangle", text, 0, grid.count() - 1);
    };
    region_ = rectangle_region(grid.rows, grid.cols, patch(corner), patch(opposite));
}

void RegionCommands::mask(const std::string& file, const FileReader& read_file) {
    const PatchGrid& grid = this->grid("region-mask");
    if (file.empty())
        throw CommandError("region-mask: expected the name of an image, found nothing.");
    if (!trace_->source)
        throw CommandError("region-mask: there is no picture to lay the mask on. Open one first.");
    try {
        // Transparent pixels are outside the region.
        const Image mask = decode_image(read_file(file).bytes(), file, kMaxPixels, Alpha::black);
        region_ = region_of_mask(mask, file, trace_->source->height, trace_->source->width,
                                 trace_->preprocessing, grid);
    } catch (const std::exception& error) {  // ImageError, or an error of the reader
        throw CommandError(error.what());
    }
}

}  // namespace headlight
