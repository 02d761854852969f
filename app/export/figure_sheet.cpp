#include "export/figure_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "analysis/mass.h"
#include "analysis/statistics.h"
#include "analysis/strongest.h"
#include "frame/attention_scale.h"
#include "frame/photo.h"
#include "frame/picture.h"
#include "frame/traced.h"
#include "kernels/in_a_row.h"
#include "kernels/result.h"
#include "program/number_ranges.h"
#include "program/values.h"
#include "ui/mosaic.h"

namespace headlight::app {
namespace {

namespace fs = std::filesystem;
using figure::MapSheet;

// "token 44, token 58 and the class token"
std::string names_of(const std::vector<TokenMaps>& queries) {
    std::vector<std::string> names;
    for (const TokenMaps& query : queries) {
        const bool is_patch = query.layout.kind_of(query.token) == TokenKind::patch;
        names.push_back((is_patch ? "" : "the ") + token_name(query.layout, query.token));
    }
    return in_a_row(names);
}

std::string what_is_read(const std::vector<TokenMaps>& queries, const FigureOptions& options) {
    const std::string names = names_of(queries);
    return options.read_by ? "what attends to " + names
                           : "what " + names + (queries.size() > 1 ? " attend to" : " attends to");
}

// "Grad-CAM", "Grad-CAM, relevance and LeGrad"
std::string titles_of(const std::vector<MapMethod>& methods) {
    std::vector<std::string> titles;
    for (const MapMethod method : methods) titles.emplace_back(info(method).title);
    return in_a_row(titles);
}

// "Grad-CAM and LeGrad of “cat”, rollout": attention and the rollout do not depend on the class.
std::string class_maps_text(const FigureClassMaps& maps) {
    if (maps.of_class.empty()) return titles_of(maps.methods);
    std::vector<MapMethod> of_class, others;
    for (const MapMethod method : maps.methods)
        (asks_for_class(method) ? of_class : others).push_back(method);
    return titles_of(of_class) + " of “" + maps.of_class + "”" +
           (others.empty() ? "" : ", " + titles_of(others));
}

// "Grad-CAM and LeGrad are zero everywhere"; "" if no map is. less: of differences.
std::string zero_maps_text(const TokenMaps& drawn, const FigureClassMaps& maps, bool less) {
    std::vector<MapMethod> zero;
    for (std::size_t i = 0; i < maps.methods.size(); ++i) {
        const Statistics cells = statistics(drawn.map(0, static_cast<int>(i)));
        if (cells.min == 0 && cells.max == 0 && cells.nan + cells.infinite == 0)
            zero.push_back(maps.methods[i]);
    }
    if (zero.empty()) return "";
    return titles_of(zero) + (zero.size() > 1 ? " are" : " is") +
           (less ? " the same before and after" : " zero everywhere");
}

bool is_difference(const MapsOfBoth& maps) { return !maps.before.empty(); }

// Whether each patch has the hue of one of several queries, or of a layer's heads.
bool heads_in_hues(const FigureOptions& options) {
    return options.look.figure.combine == Combined::hues;
}
bool queries_in_hues(const MapsOfBoth& maps, const FigureOptions& options) {
    return maps.now.size() > 1 && options.look.figure.queries == FigureQueries::hues &&
           !heads_in_hues(options) && !is_difference(maps);
}

// ---- provenance

using Facts = figure::Provenance;

void add_before(Facts& facts, const MapsOfBoth& maps, const FigureOptions& options) {
    const FigureSource& before = options.before;
    facts.push_back({"model before", before.model});
    facts.push_back({"image before", before.image});
    if (!options.class_maps) facts.push_back({"query before", names_of(maps.before)});
    if (!before.scene.empty()) facts.push_back({"scene before", before.scene});
    facts.push_back({"settings before", before.settings.empty() ? "none" : before.settings});
}

// Describes how attention is colored.
void add_look(Facts& facts, const MapsOfBoth& maps, const FigureOptions& options) {
    facts.push_back({"scale", std::string(name_of(options.look.attention_scale))});
    if (heads_in_hues(options) || queries_in_hues(maps, options))
        facts.push_back({"hues", fmt::format("each patch has the hue of the {} whose map is "
                                             "largest there; the larger, the brighter",
                                             heads_in_hues(options) ? "head" : "query")});
    if (options.look.figure.mass < 100)
        facts.push_back(
            {"outlined", fmt::format("the smallest set of patches with {} % of the attention to "
                                     "patches",
                                     options.look.figure.mass)});
}

Facts facts_of(const MapsOfBoth& maps, const FigureOptions& options) {
    const FigureLook& chosen = options.look.figure;
    const bool less = is_difference(maps);
    Facts facts{
        {"made by", "Headlight " HEADLIGHT_VERSION},
        {"model", options.now.model},
        {"image", options.now.image},
        {"shows", options.class_maps
                      ? (less ? "difference of class maps, after − before: " : "") +
                            class_maps_text(*options.class_maps)
                      : (less ? "difference of attention, after − before: " : "attention: ") +
                            what_is_read(maps.now, options)}};
    if (options.look.range == RangeMode::own && !options.class_maps)
        facts.push_back({"range", "own: each map has its own"});
    if (!options.now.scene.empty()) facts.push_back({"scene", options.now.scene});
    if (less) add_before(facts, maps, options);
    if (!options.class_maps) {
        facts.push_back({"layers", chosen.layers});
        facts.push_back({"heads", chosen.heads});
    }
    if (chosen.combine != Combined::nothing)
        facts.push_back({"combined", std::string(name_of(chosen.combine))});
    if (chosen.columns > 0) facts.push_back({"columns", std::to_string(chosen.columns)});
    if (!options.now.settings.empty()) facts.push_back({"settings", options.now.settings});
    if (options.now.random_weights)
        facts.push_back({"random weights", std::to_string(*options.now.random_weights)});
    if (options.class_maps)
        facts.push_back({"scale", "linear, each map has its own range"});
    else if (less)
        facts.push_back({"scale", "linear, centered on zero"});
    else
        add_look(facts, maps, options);
    return facts;
}

std::string words_of(const FigureSource& source) {
    fs::path model = fs::path(source.model);
    if (model.stem() == "model") model = model.parent_path();  // as the Hub calls all of them
    return model.stem().string() + ", " + fs::path(source.image).filename().string() +
           (source.random_weights ? ", shuffled weights" : "");
}

// Names both results, with the facts in which they differ.
std::string caption_of_difference(const MapsOfBoth& maps, const FigureOptions& options) {
    std::string now = words_of(options.now), before = words_of(options.before);
    if (options.now.settings != options.before.settings) {
        const auto words = [](const FigureSource& source) {
            return ", " + (source.settings.empty() ? "unchanged model" : source.settings);
        };
        now += words(options.now);
        before += words(options.before);
    }
    if (options.class_maps)
        return now + " − " + before + ": " + class_maps_text(*options.class_maps);
    const std::string reads = what_is_read(maps.now, options),
                      read = what_is_read(maps.before, options);
    if (reads == read) return now + " − " + before + ": " + reads;
    return now + ": " + reads + " − " + before + ": " + read;
}

std::string caption_of(const MapsOfBoth& maps, const FigureOptions& options) {
    const FigureLook& chosen = options.look.figure;
    if (chosen.caption == FigureCaption::none) return "";
    if (chosen.caption == FigureCaption::own) return chosen.words;
    if (is_difference(maps)) return caption_of_difference(maps, options);
    if (options.class_maps) {
        const std::string zero = zero_maps_text(maps.now.front(), *options.class_maps, false);
        return words_of(options.now) + ": " + class_maps_text(*options.class_maps) +
               (zero.empty() ? "" : "; " + zero);
    }
    return words_of(options.now) + ": " + what_is_read(maps.now, options);
}

// Converts to gray with the luminance of ITU-R BT.709.
std::shared_ptr<const Image> in_grey(const Image& image) {
    auto grey = std::make_shared<Image>(image);
    const auto channels = static_cast<std::size_t>(image.channels);
    for (std::size_t i = 0; channels >= 3 && i < grey->values.size(); i += channels) {
        float* pixel = &grey->values[i];
        std::fill_n(pixel, 3, 0.2126F * pixel[0] + 0.7152F * pixel[1] + 0.0722F * pixel[2]);
    }
    return grey;
}

// Has the picture's size, however much of it is shown.
ui::PhotoPicture picture_below(const std::shared_ptr<const Image>& image, FigurePicture how) {
    ui::PhotoPicture picture =
        screens::photo(how == FigurePicture::grey ? in_grey(*image) : image, true);
    if (how == FigurePicture::none) picture.pixels = nullptr;
    return picture;
}

// Builds the maps of a sheet, row by row.
class Builder {
  public:
    Builder(FigureSheet& made, MapsOfBoth both, const FigureOptions& options)
        : made_(made),
          both_(std::move(both)),
          options_(options),
          chosen_(options.look.figure),
          less_(is_difference(both_)) {}

    void build() {
        const TokenMaps& first = both_.now.front();
        layers_ = NumberRanges(options_.layers_word, chosen_.layers)
                      .of(static_cast<int>(first.layers.size()), "layers");
        heads_ = heads_of(first);
        const bool together = queries_in_hues(both_, options_);
        own_ = owns_ranges(together);
        combine();
        subtract();
        sheet().scale = less_ ? scale_of_differences() : scale_of_attention();
        name_scale(together);
        if (sheet().scale.cut)
            made_.facts.push_back({"cut", fmt::format("{} %", options_.look.attention_cut)});
        for (std::size_t q = 0; q < (together ? 1 : made_.maps.size()); ++q)
            for (const int layer : layers_) add_row(static_cast<std::size_t>(layer), q, together);
        if (together) add_queries_legend();
        if (heads_in_hues(options_)) add_heads_legend();
        say_how_drawn();
        lay_over_picture();
        if (!sheet().legend.empty()) sheet().scale = ui::brightness_of(sheet().scale);
        name_columns();
        wrap();
    }

  private:
    MapSheet& sheet() { return made_.sheet; }
    [[nodiscard]] MatrixView map(std::size_t query, std::size_t layer, int head) const {
        return made_.maps[query].map(layer, head);
    }

    void combine() {
        if (chosen_.combine == Combined::nothing || heads_in_hues(options_)) return;
        const auto how = static_cast<Combine>(static_cast<int>(chosen_.combine) - 1);
        for (TokenMaps& maps : both_.before) maps = combined(maps, heads_of(maps), how);
        for (TokenMaps& maps : both_.now) maps = combined(maps, heads_, how);
        heads_ = {0};
    }
    // The selected heads in another result.
    [[nodiscard]] std::vector<int> heads_of(const TokenMaps& maps) const {
        return NumberRanges(options_.heads_word, chosen_.heads)
            .of(static_cast<int>(maps.heads), "heads");
    }

    void subtract() {
        made_.maps = std::move(both_.now);
        for (std::size_t q = 0; q < both_.before.size(); ++q) {
            TokenMaps& maps = made_.maps[q];
            const TokenMaps& before = both_.before[q];
            maps = difference(maps, before);
            // If the numbers of heads differ.
            if (maps.names != before.names) maps.names.front() += " − " + before.names.front();
        }
    }

    // All shown maps share one scale.
    template <class Take>
    void for_maps(const Take& take) const {
        for (std::size_t q = 0; q < made_.maps.size(); ++q)
            for (const int layer : layers_)
                for (const int head : heads_) take(map(q, static_cast<std::size_t>(layer), head));
    }
    [[nodiscard]] ui::ColorScale scale_of_attention() const {
        Magnitudes sizes;
        for_maps([&](const MatrixView& cells) { sizes.add(cells); });
        Look look = options_.look;
        look.range = RangeMode::shared;  // all maps of a figure have one color bar
        return screens::attention_scale(look, sizes, made_.maps.front().layout.count());
    }
    // With hues, the brightness has one scale for all.
    [[nodiscard]] bool owns_ranges(bool together) const {
        return (options_.class_maps || options_.look.range == RangeMode::own) && !together &&
               !heads_in_hues(options_);
    }
    // The scale of a single map.
    [[nodiscard]] ui::ColorScale own_scale(const MatrixView& cells) const {
        const Statistics range = statistics(cells);
        if (less_ || (options_.class_maps && range.min < 0))
            return screens::signed_scale(options_.look, std::fmin(0.0F, range.min),
                                         std::fmax(0.0F, range.max));
        if (options_.class_maps) {
            ui::ColorScale scale;
            scale.map = screens::map_named(options_.look.attention_map, gl::ColorMap::magma);
            scale.low = 0;
            scale.high = range.max > 0 ? range.max : 1;
            return scale;
        }
        Magnitudes sizes;
        sizes.add(cells);
        return screens::attention_scale(options_.look, sizes, made_.maps.front().layout.count());
    }

    // Labels the bar and its ends.
    void name_scale(bool together) {
        const bool one = layers_.size() * heads_.size() * made_.maps.size() == 1;
        if (own_ && one) {
            sheet().scale =
                own_scale(map(0, static_cast<std::size_t>(layers_.front()), heads_.front()));
        } else if (own_) {
            const bool is_signed = less_ || has_negative_cells();
            if (options_.class_maps && !is_signed)
                sheet().scale.map =
                    screens::map_named(options_.look.attention_map, gl::ColorMap::magma);
            else if (is_signed)
                sheet().scale.map = screens::signed_scale(options_.look, -1, 1).map;
            sheet().low_words = is_signed ? "− largest of each map" : "0";
            if (!is_signed && options_.look.attention_scale == AttentionScale::logarithm &&
                !options_.class_maps)
                sheet().low_words = "smallest of each map";
            sheet().high_words = is_signed ? "+ largest" : "largest of each map";
        }
        say(quantity(together));
    }
    // If a map has negative values, all colors and the bar use a diverging scale.
    [[nodiscard]] bool has_negative_cells() const {
        bool negative = false;
        for_maps(
            [&](const MatrixView& cells) { negative = negative || statistics(cells).min < 0; });
        return negative;
    }
    [[nodiscard]] std::string quantity(bool together) const {
        if (options_.class_maps) {
            std::string text = (less_ ? "difference, after − before: " : "") +
                               class_maps_text(*options_.class_maps);
            const std::string zero =
                zero_maps_text(made_.maps.front(), *options_.class_maps, less_);
            // A caption of the user's own does not say it.
            if (!zero.empty() && (less_ || chosen_.caption != FigureCaption::made))
                text += "; " + zero;
            return text;
        }
        if (less_) return "difference of attention weights, after − before";
        const std::string weight = "attention weight";
        if (together || heads_in_hues(options_)) return weight + ": the larger, the brighter";
        switch (options_.look.attention_scale) {
            case AttentionScale::linear:
                break;
            case AttentionScale::square_root:
                return weight + ", square-root scale";
            case AttentionScale::logarithm:
                return weight + ", logarithmic scale";
            case AttentionScale::even:
                return weight + ", in multiples of even attention";
        }
        return weight;
    }

    [[nodiscard]] ui::ColorScale scale_of_differences() const {
        float low = 0, high = 0;
        for_maps([&](const MatrixView& cells) {
            const Statistics range = statistics(cells);
            low = std::fmin(low, range.min);  // NaN if a map has no number
            high = std::fmax(high, range.max);
        });
        return screens::signed_scale(options_.look, low, high);
    }

    void add_row(std::size_t layer, std::size_t query, bool together) {
        const TokenMaps& maps = made_.maps[query];
        std::string name = maps.layers[layer];
        if (!together && made_.maps.size() > 1)
            name = token_name(maps.layout, maps.token) + " · " + name;
        sheet().rows.push_back(name);
        if (heads_in_hues(options_)) return add_heads_in_hues(layer, query);
        for (const int head : heads_)
            together ? add_queries_in_hues(layer, head) : add_map(layer, query, head);
    }

    MapSheet::Map& add(const MatrixView& size, std::string title) {
        MapSheet::Map& added = sheet().maps.emplace_back();
        added.title = std::move(title);
        added.rows = static_cast<int>(size.rows);
        added.cols = static_cast<int>(size.cols);
        return added;
    }
    // With several rows of columns, a title completes the column's name.
    [[nodiscard]] std::string title(const std::string& column) {
        return layers_.size() > 1 || sheet().rows.back().find(" · ") != std::string::npos
                   ? sheet().rows.back() + " · " + column
                   : column;
    }

    void add_map(std::size_t layer, std::size_t query, int head) {
        const TokenMaps& maps = made_.maps[query];
        const MatrixView cells = map(query, layer, head);
        MapSheet::Map& added = add(cells, title(maps.names[static_cast<std::size_t>(head)]));
        added.cells = {cells.data, added.rows, added.cols, static_cast<int>(cells.stride),
                       next_version()};
        if (options_.look.heads_contours && !less_ && has_room_for_contours())
            added.contours = screens::traced(cells, own_ ? own_scale(cells) : sheet().scale);
        if (own_) added.scale = own_scale(cells);
        if (!less_) outline(added, cells, IM_COL32_WHITE);
        mark(added, maps, ui::kQueryHues[0]);
    }

    void add_queries_in_hues(std::size_t layer, int head) {
        std::vector<MatrixView> cells;
        for (std::size_t q = 0; q < made_.maps.size(); ++q) cells.push_back(map(q, layer, head));
        const TokenMaps& first = made_.maps.front();
        MapSheet::Map& added =
            add(cells.front(), title(first.names[static_cast<std::size_t>(head)]));
        added.hues = in_hues(cells, ui::kQueryHues);
        for (std::size_t q = 0; q < cells.size(); ++q) {
            outline(added, cells[q], ui::kQueryHues.at(q));
            mark(added, made_.maps[q], ui::kQueryHues.at(q));
        }
    }

    void add_heads_in_hues(std::size_t layer, std::size_t query) {
        std::vector<MatrixView> cells;
        std::vector<ImU32> hues;
        for (const int head : heads_) {
            cells.push_back(map(query, layer, head));
            hues.push_back(ui::dark_palette().head(head));
        }
        MapSheet::Map& added = add(cells.front(), sheet().rows.back());
        added.hues = in_hues(cells, hues);
        for (std::size_t h = 0; h < cells.size(); ++h) outline(added, cells[h], hues[h]);
        mark(added, made_.maps[query], ui::kQueryHues[0]);
    }

    [[nodiscard]] ui::PhotoPicture in_hues(const std::vector<MatrixView>& cells,
                                           std::span<const ImU32> hues) {
        const Strongest found = strongest_of(cells);
        return ui::mosaic(static_cast<int>(found.value.rows()),
                          static_cast<int>(found.value.cols()), found.which,
                          {found.value.data(), static_cast<std::size_t>(found.value.size())}, hues,
                          sheet().scale);
    }

    void outline(MapSheet::Map& added, const MatrixView& cells, ImU32 color) const {
        if (chosen_.mass < 100)
            added.outlines.push_back({smallest_set(cells, chosen_.mass / 100.0), color});
    }

    static void mark(MapSheet::Map& added, const TokenMaps& maps, ImU32 color) {
        const Index patch = maps.token - maps.layout.prefix();
        if (patch < 0) return;
        const PixelRect r = maps.grid.rect(static_cast<int>(patch));
        added.marks.push_back({{static_cast<float>(r.col), static_cast<float>(r.row),
                                static_cast<float>(r.width), static_cast<float>(r.height)},
                               color});
    }

    void add_queries_legend() {
        for (std::size_t q = 0; q < made_.maps.size(); ++q)
            sheet().legend.push_back(
                {token_name(made_.maps[q].layout, made_.maps[q].token), ui::kQueryHues.at(q)});
    }

    void add_heads_legend() {
        // There are fewer hues than some layers have heads, so two may share one.
        for (const int head : heads_) {
            const ImU32 hue = ui::dark_palette().head(head);
            const auto same = std::ranges::find(sheet().legend, hue, &MapSheet::Hue::color);
            if (same == sheet().legend.end())
                sheet().legend.push_back(
                    {made_.maps.front().names[static_cast<std::size_t>(head)], hue});
            else
                same->name += " or " + std::to_string(head + 1);
        }
    }

    void name_columns() {
        if (heads_in_hues(options_)) {
            sheet().columns = {"heads in hues"};
            return;
        }
        for (const int head : heads_)
            sheet().columns.push_back(made_.maps.front().names[static_cast<std::size_t>(head)]);
    }

    // The same criterion as in ui::draw_contours.
    [[nodiscard]] bool has_room_for_contours() const {
        const MapSheet& all = made_.sheet;
        const auto longer = static_cast<float>(std::max(all.picture.width, all.picture.height));
        const float cell =
            std::min(all.covered.w / all.window.cols, all.covered.h / all.window.rows);
        return cell * all.tile / longer >= ui::kLeastContourCell;
    }
    [[nodiscard]] std::string words_of_contours() const {
        return has_room_for_contours() ? ui::contour_words(made_.sheet.scale)
                                       : "no lines, because the maps are too small for them";
    }

    // Sets the opacity of the maps and the picture below.
    void lay_over_picture() {
        const bool hued = !sheet().legend.empty(), bare = chosen_.picture == FigurePicture::none;
        float& opacity = hued ? sheet().hued_opacity : sheet().opacity;
        opacity = chosen_.opacity.value_or(bare ? 1 : opacity);
        made_.facts.push_back({"opacity", number_text(opacity)});
        if (chosen_.picture != FigurePicture::color)
            made_.facts.push_back({"picture", std::string(name_of(chosen_.picture))});
        if (!hued) made_.facts.push_back({"colors", std::string(gl::name(sheet().scale.map))});
        if (opacity < 1)
            say(fmt::format("over {} at {:.3g}\u00a0%", bare ? "the background" : "the picture",
                            opacity * 100));
    }

    // Adds a text beside the bar.
    void say(const std::string& words) {
        sheet().scale_label += (sheet().scale_label.empty() ? "" : "; ") + words;
    }

    // Names the drawing style if it is not the default; the provenance always has it. Two hues
    // cannot be interpolated.
    void say_how_drawn() {
        const Look& look = options_.look;
        const bool hued = !sheet().legend.empty();
        sheet().smooth = look.heads_smooth && !hued;
        std::string words =
            sheet().smooth ? "smooth: bilinear between patch centers" : "one square per patch";
        if (look.heads_contours && !hued && !less_) words += ", " + words_of_contours();
        made_.facts.push_back({"drawn", words});
        if (less_) {
            if (sheet().smooth) say(words);
        } else if (look.heads_smooth || look.heads_contours)
            say(hued ? "in hues: one square per patch, without lines" : words);
    }

    // Wraps the maps into the wanted number of columns, each with its own title; otherwise uses
    // column names.
    void wrap() {
        if (chosen_.columns == 0) {
            for (MapSheet::Map& map : sheet().maps) map.title.clear();
            return;
        }
        const std::size_t count = sheet().maps.size(),
                          across = std::min(static_cast<std::size_t>(chosen_.columns), count);
        sheet().columns.assign(across, "");
        sheet().rows.assign((count + across - 1) / across, "");
    }

    FigureSheet& made_;
    MapsOfBoth both_;
    const FigureOptions& options_;
    const FigureLook& chosen_;
    bool less_;         // differences are shown
    bool own_ = false;  // each map has its own scale
    std::vector<int> layers_, heads_;
};

}  // namespace

FigureSheet figure_sheet(MapsOfBoth both, const FigureOptions& options) {
    FigureSheet made;
    made.facts = facts_of(both, options);
    figure::MapSheet& sheet = made.sheet;
    sheet.caption = caption_of(both, options);
    sheet.picture = picture_below(both.now.front().image, options.look.figure.picture);
    const auto [covered, cells] = screens::map_place(both.now.front().grid);
    sheet.covered = covered;
    sheet.window = cells;
    sheet.tile = static_cast<float>(options.look.figure.tile);
    Builder(made, std::move(both), options).build();
    return made;
}

}  // namespace headlight::app
