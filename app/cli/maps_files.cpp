#include "cli/maps_files.h"

#include <map>
#include <span>
#include <utility>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/layers_option.h"
#include "cli/npz_arrays.h"
#include "files/error.h"
#include "files/npy.h"
#include "files/safetensors.h"
#include "files/zip.h"
#include "patches/token_words.h"

namespace headlight::cli {

namespace {

constexpr const char* kType = "<f4";

// [layers, heads, rows, columns]; with several queries, these come first.
std::vector<std::int64_t> shape_of(const std::vector<TokenMaps>& maps) {
    const TokenMaps& first = maps.front();
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(first.layers.size()), first.heads,
                                    first.grid.rows, first.grid.cols};
    if (maps.size() > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(maps.size()));
    return shape;
}

// The maps to write, or their differences. Throws AnalysisError if there is no difference.
std::vector<TokenMaps> written_of(const MapsOfBoth& maps) {
    std::vector<TokenMaps> written = maps.now;
    for (std::size_t q = 0; q < maps.before.size(); ++q)
        written[q] = difference(maps.now[q], maps.before[q]);
    return written;
}

std::vector<float> numbers_of(const std::vector<TokenMaps>& maps) {
    std::vector<float> numbers;
    for (const TokenMaps& of_one : maps)
        numbers.insert(numbers.end(), of_one.numbers.begin(), of_one.numbers.end());
    return numbers;
}

void add_settings(std::map<std::string, std::string>& facts, const MapsOptions& of,
                  const std::string& when) {
    if (!of.attention.empty()) facts["attention" + when] = of.attention;
    if (!of.config.empty()) facts["config" + when] = of.config;
    if (!of.part.empty()) facts["part" + when] = of.part;
}

std::string query_of(const std::vector<TokenMaps>& maps) {
    std::string words;
    for (const TokenMaps& one : maps)
        words += (words.empty() ? "" : ",") + token_word(one.layout, one.token);
    return words;
}

// The listed layers or heads, from 1; count: how many there are, if all are chosen.
std::vector<int> numbers_from_one(const NumberRanges& ranges, std::size_t count) {
    constexpr int kMost = 1'000'000;  // the files hold the chosen ones alone
    std::vector<int> numbers = ranges.of(ranges.all() ? static_cast<int>(count) : kMost, "");
    for (int& number : numbers) ++number;
    return numbers;
}

Json provenance(const MapsOptions& options, const std::vector<TokenMaps>& maps,
                const std::vector<std::string>& images) {
    Json json = json_of(source_of_maps(options));
    json["made_by"] = "Headlight " HEADLIGHT_VERSION;
    json["layers"] =
        numbers_from_one(ranges_of("--layers", options.layers), maps.front().layers.size());
    if (const NumberRanges heads = ranges_of("--heads", options.heads); !heads.all())
        json["heads"] = numbers_from_one(heads, 0);
    json["query"] = query_of(maps);
    json["reading"] = options.reading;
    for (const std::string& image : images) json["images"].push_back({{"file", image}});
    if (const auto before = options_before(options)) {
        json["shows"] = "after − before";
        json["before"] = json_of(source_of_maps(*before));
        json["before"]["image"] = before->image;
    }
    return json;
}

void write_archive(const std::string& out, const std::vector<std::int64_t>& shape,
                   std::span<const float> numbers, const std::vector<std::string>& images,
                   Json made_by) {
    made_by["shape"] = shape;
    const std::vector<std::int64_t> count{static_cast<std::int64_t>(images.size())};
    const std::string text = printed(made_by);
    write_file(
        out, zip_text({npz_array<float>("maps", shape, numbers), npz_texts("image", count, images),
                       npz_texts("provenance", {}, std::span(&text, 1))}));
}

void expect_one(const char* option, const std::string& text) {
    const NumberRanges ranges = ranges_of(option, text);
    if (ranges.all() || numbers_from_one(ranges, 0).size() != 1)
        throw UsageError(std::string(option) +
                         ": expected one number such as 2, because a .csv holds one map, found " +
                         in_quotes(text) + ".");
}

}  // namespace

bool is_npz(const std::string& out) { return out.ends_with(".npz"); }

void write_maps(const MapsOfBoth& maps, const std::string& out) {
    const std::vector<TokenMaps> written = written_of(maps);
    const auto file = begin_npy(out, kType, shape_of(written));
    for (const TokenMaps& of_one : written) file->write(std::as_bytes(std::span(of_one.numbers)));
    file->finish();
}

void write_maps_with_facts(const MapsOfBoth& both, const MapsOptions& options,
                           const std::string& out) {
    const std::vector<TokenMaps> maps = written_of(both);
    const TokenMaps& first = maps.front();
    std::string layers;
    for (const std::string& layer : first.layers) layers += (layers.empty() ? "" : ", ") + layer;
    std::map<std::string, std::string> facts{{"made by", "Headlight " HEADLIGHT_VERSION},
                                             {"model", options.model},
                                             {"image", options.image},
                                             {"layers", layers},
                                             {"query", query_of(maps)},
                                             {"reading", options.reading}};
    if (!ranges_of("--heads", options.heads).all()) facts["heads"] = options.heads;
    add_settings(facts, options, "");
    if (const auto before = options_before(options)) {
        facts["shows"] = "after − before";
        facts["model before"] = before->model;
        facts["image before"] = before->image;
        add_settings(facts, *before, " before");
    }
    const std::string name = "maps";
    const std::vector<std::int64_t> shape = shape_of(maps);
    SafetensorsWriter file(out, SafetensorsWriter::room_for(name, shape.size()), facts);
    TensorToWrite tensor{name, shape, {}};
    for (const TokenMaps& of_one : maps) {
        const auto count = static_cast<Index>(of_one.numbers.size());
        tensor.blocks.emplace_back(of_one.numbers.data(), 1, count, count);
    }
    file.write(tensor);
    file.finish();
}

void write_maps_archive(const MapsOfBoth& both, const MapsOptions& options,
                        const std::string& out) {
    const std::vector<TokenMaps> maps = written_of(both);
    const std::vector<std::string> images{options.image};
    write_archive(out, shape_of(maps), numbers_of(maps), images, provenance(options, maps, images));
}

void expect_one_map(const MapsOptions& options) {
    expect_one("--layers", options.layers);
    expect_one("--heads", options.heads);
    if (words_of_list(options.query).size() > 1)
        throw UsageError("--query: expected one token, because a .csv holds one map, found " +
                         in_quotes(options.query) + ".");
}

void write_map_table(const MapsOfBoth& maps, const std::string& out) {
    write_file(out, map_text(written_of(maps).front().map(0, 0)));
}

ImagesOfMaps::ImagesOfMaps(const MapsOptions& options, std::string out, std::size_t images)
    : options_(options), out_(std::move(out)), most_(images) {}

std::vector<std::int64_t> ImagesOfMaps::shape(std::size_t images) const {
    std::vector<std::int64_t> shape = shape_of(first_);
    shape.insert(shape.begin(), static_cast<std::int64_t>(images));
    return shape;
}

void ImagesOfMaps::add(const std::string& image, const std::vector<TokenMaps>& maps) {
    if (images_.empty()) {
        first_ = maps;
        for (TokenMaps& of_one : first_) of_one.numbers = {};
        if (!is_npz(out_)) {
            file_ = begin_npy(out_, kType, shape(most_));
            header_ = npy_header(kType, shape(most_)).size();
        }
    } else if (shape_of(maps) != shape_of(first_)) {
        throw WorkError(image + ": expected maps " + shape_text(shape_of(first_)) + ", as for " +
                        images_.front() + ", found " + shape_text(shape_of(maps)) + ".");
    }
    images_.push_back(image);
    if (file_) {
        for (const TokenMaps& of_one : maps) file_->write(std::as_bytes(std::span(of_one.numbers)));
    } else {
        const std::vector<float> more = numbers_of(maps);
        numbers_.insert(numbers_.end(), more.begin(), more.end());
    }
}

void ImagesOfMaps::finish(const UnreadImages& unread) {
    if (!file_) {
        Json made_by = provenance(options_, first_, images_);
        if (!unread.all().empty()) made_by["failed"] = json_of(unread);
        write_archive(out_, shape(images_.size()), numbers_, images_, std::move(made_by));
        return;
    }
    if (images_.size() < most_) {  // some could not be read
        const std::string header = npy_header(kType, shape(images_.size()), header_);
        file_->seek(0);
        file_->write(std::as_bytes(std::span(header)));
    }
    std::string names;
    for (const std::string& image : images_) names += image + '\n';
    write_file(list_beside(out_), names);
    file_->finish();
}

}  // namespace headlight::cli
