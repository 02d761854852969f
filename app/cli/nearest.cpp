#include "cli/nearest.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "analysis/number_table.h"
#include "cli/errors.h"
#include "cli/images.h"
#include "cli/json.h"
#include "cli/query_option.h"
#include "disk/files.h"
#include "disk/hub_cache.h"
#include "disk/read_file.h"
#include "index/nearest.h"
#include "ops/picture.h"
#include "patches/token_words.h"
#include "program/values.h"
#include "trace/same_place.h"

namespace headlight::cli {

namespace {

struct Asked {
    NearestQuestion question;
    int prefix = 0;     // tokens before the patches; 0 without a query
    std::string query;  // as a word for --query
};

Asked asked_of(const NearestOptions& options, const std::vector<std::string>& images,
               const Audience& audience) {
    const Source source = read_source(options.source, audience.warnings, audience.stop);
    const std::optional<int> after = layer_of_features(options.layer, *source.model);
    Asked asked;
    asked.question = {
        .model = source.model, .recipe = source.asked, .layer = after, .images = images};
    asked.question.recipe.image = source.image;
    if (options.query.empty()) return asked;
    const TokenLayout layout =
        layout_of(*source.model, after.value_or(static_cast<int>(source.model->layers.size()) - 1),
                  beginning_of(source).front.grid);
    asked.prefix = static_cast<int>(layout.prefix());
    const Index token = token_of(options.query, layout);
    asked.query = token_word(layout, token);
    const Index patch = token - layout.prefix();
    if (patch < 0)
        throw UsageError("--query: expected a patch, found " + in_quotes(options.query) +
                         ". To compare whole images, leave out --query.");
    asked.question.patch = static_cast<int>(patch);
    return asked;
}

Json json_of(const NearestImage& found, const Asked& asked) {
    Json json{{"image", found.image}, {"cosine", found.cosine}};
    if (!asked.question.patch) return json;
    json["token"] = asked.prefix + found.patch;
    json["row"] = found.row();
    json["column"] = found.column();
    return json;
}

Json described(const NearestOptions& options, const Asked& asked, const NearestFound& found,
               const UnreadImages& unread) {
    Json json{{"made_by", "Headlight " HEADLIGHT_VERSION},
              {"image", options.source.image},
              {"layer", options.layer},
              {"compared", found.images.size()},
              {"from_cache", std::ranges::count(found.images, true, &NearestImage::from_cache)},
              {"nearest", Json::array()},
              {"failed", json_of(unread)}};
    json.update(json_of(options.source));
    if (asked.question.patch) json["query"] = asked.query;
    return json;
}

}  // namespace

void write_nearest(const NearestOptions& options, const Audience& audience) {
    const std::vector<std::string> images = all_images(options.among);
    if (!options.out.empty()) {
        expect_own_output(options.out, options.source);
        for (const std::string& image : images) expect_another_file(options.out, "--among", image);
    }
    const Asked asked = asked_of(options, images, audience);
    NearestTools tools{.read_file = [](const std::string& path) { return read_file(path); },
                       .stop = audience.stop};
    if (options.keep) tools.cache = feature_cache_folder();
    tools.progress = [&](std::size_t done) {
        audience.progress("image " + std::to_string(done) + " of " + std::to_string(images.size()));
    };
    const NearestFound found = find_nearest(asked.question, tools);
    UnreadImages unread(audience.warnings, found.images.size() + found.failed.size());
    for (const FailedImage& failed : found.failed) unread.add(failed.image, failed.error);
    if (!found.cache_problem.empty())
        audience.warnings << "headlight: " << found.cache_problem << '\n';
    if (found.images.empty() && found.failed.empty())
        throw WorkError("--among: expected images other than --image, found none.");
    unread.expect_some();
    std::vector<NearestImage> first = found.images;
    first.resize(std::min(first.size(), static_cast<std::size_t>(options.count)));
    const std::string table = text_of(
        table_of(first, asked.question.patch ? std::optional<Index>(asked.prefix) : std::nullopt),
        ',');
    if (!options.out.empty()) write_file(options.out, table);
    if (options.json) {
        Json json = described(options, asked, found, unread);
        for (const NearestImage& image : first) json["nearest"].push_back(json_of(image, asked));
        audience.out << printed(json) << '\n';
    } else if (options.out.empty()) {
        audience.out << table;
    }
    unread.say();
}

}  // namespace headlight::cli
