#include "cli/measure.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>

#include "cli/class_option.h"
#include "cli/errors.h"
#include "cli/images.h"
#include "cli/json.h"
#include "cli/measure_table.h"
#include "cli/query_option.h"
#include "cli/region_option.h"
#include "encoder/contributions.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "files/new_file.h"
#include "kernels/in_a_row.h"
#include "ops/limits.h"
#include "patches/token_words.h"
#include "program/ordinals.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

std::string names_of_measures() {
    std::string names;
    for (const std::string_view name : names_of<HeadMeasure>())
        names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

// The named measures, or those of every run, plus the region's if there is one. Without duplicates.
std::vector<HeadMeasure> measures_of(const std::string& what, bool of_region) {
    std::vector<HeadMeasure> measures;
    if (what.empty()) {
        for (const HeadMeasureInfo& measure : run_measures()) measures.push_back(measure.id);
        for (const HeadMeasureInfo& measure : all_head_measures())
            if (of_region && measure.of_region) measures.push_back(measure.id);
    } else {
        for (const std::string& word : words_of_list(what)) {
            const auto measure = value_named<HeadMeasure>(word);
            if (!measure)
                throw UsageError("--what: expected " + names_of_measures() + ", found " +
                                 in_quotes(word) + ".");
            if (std::ranges::find(measures, *measure) != measures.end())
                throw UsageError("--what: expected each measure once, found " + in_quotes(word) +
                                 " twice.");
            measures.push_back(*measure);
        }
    }
    return measures;
}

// "9.7" is the seventh head of the ninth layer. The number of heads in a bare layer is not known
// yet.
HeadPlace head_of(const std::string& text, const Model& model) {
    constexpr int kMostHeads = 100'000;
    const auto point = text.find('.');
    try {
        if (point != std::string::npos)
            return {parse_layer("--like", text.substr(0, point), model),
                    parse_ordinal("--like", text.substr(point + 1), kMostHeads, "heads")};
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
    throw UsageError("--like: expected a layer and a head from 1 such as 9.7, found " +
                     in_quotes(text) + ".");
}

bool needs_before(const HeadMeasuresQuestion& question) {
    return question.asks(&HeadMeasureInfo::of_baseline);
}

bool needs_region(const HeadMeasuresQuestion& question) {
    return question.asks(&HeadMeasureInfo::of_region);
}

// Rejects combinations that are invalid for any model.
void check_measures(const MeasureOptions& options, const HeadMeasuresQuestion& question) {
    if (question.asks(HeadMeasure::patching) && options.before.empty())
        throw UsageError("--before: expected the baseline image for patching, found none.");
    if (needs_before(question) && options.before.empty() && !options.has_model_before())
        throw UsageError(
            "Expected a baseline for change, with --before or --before-model, found neither.");
    if (!needs_before(question) && !options.before.empty())
        throw UsageError("--before can be used only with --what change or patching.");
    const bool compares =
        question.asks(HeadMeasure::change) && !question.asks(HeadMeasure::patching);
    for (const auto& [option, given] : {std::pair{"--before-model", &options.before_model},
                                        std::pair{"--before-attention", &options.before_attention},
                                        std::pair{"--before-config", &options.before_config},
                                        std::pair{"--before-part", &options.before_part}})
        if (!given->empty() && !compares)
            throw UsageError(
                std::string(option) +
                " can be used only with --what change, and not together with patching.");
    if (needs_region(question) && options.region.empty())
        throw UsageError(
            "--region: expected a mask for " +
            std::string(name_of(question.asks(HeadMeasure::region) ? HeadMeasure::region
                                                                   : HeadMeasure::within_region)) +
            ", found none.");
    if (!needs_region(question) && !options.region.empty())
        throw UsageError("--region can be used only with --what region or within_region.");
    if (options.of_class && !question.asks(&HeadMeasureInfo::of_class))
        throw UsageError("--class can be used only with --what " + measures_of_class("or") + ".");
}

void expect_possible(const HeadMeasuresQuestion& question, const Model& model) {
    const auto refuse = [&](HeadMeasure measure, const std::string& needs) {
        if (question.asks(measure))
            throw WorkError(model.file + ": " + std::string(name_of(measure)) + " needs " + needs +
                            ".");
    };
    if (!has_importance(model)) refuse(HeadMeasure::importance, "a whole model");
    if (has_classes(model)) {
        const std::string why = why_no_contributions(model);
        if (question.asks(HeadMeasure::contribution) && !why.empty())
            throw WorkError(model.file + ": " + why);
        return;
    }
    for (const HeadMeasureInfo& measure : all_head_measures())
        if (measure.of_class && measure.id != HeadMeasure::importance)
            refuse(measure.id, "a model with a classifier");
}

constexpr const char* kSignOfImportance = ", negative where the head raises it";

// What a table holds that is measured of such a model.
MeasureColumn column_of(HeadMeasure measure, const Model& model) {
    const HeadMeasureInfo& row = info(measure);
    std::string about(row.help.empty() ? row.noun() : row.help);
    const std::string points = "the class's probability, in percentage points: ";
    if (measure == HeadMeasure::importance && has_classes(model)) about += kSignOfImportance;
    if (measure == HeadMeasure::importance && !has_classes(model))
        return {measure, "", 1, "1 − cosine between the outputs with and without the head"};
    if (row.unit == kPoints) return {measure, std::string(row.unit), 100, points + about};
    if (row.of_class && row.unit.empty()) return {measure, "logit", 1, std::move(about)};
    return {measure, std::string(row.unit), 1, std::move(about)};
}

struct Failure {
    std::string image, error;
};

// Runs one model over the images.
class Measurement {
  public:
    Measurement(const MeasureOptions& options, const Audience& audience)
        : options_(options), audience_(audience), images_(all_images(options.images)) {
        question_.what = measures_of(options.what, !options.region.empty());
        check_measures(options_, question_);
        expect_another_file(options_.out, "--before", options_.before);
        expect_another_file(options_.out, "--region", options_.region);
        expect_another_file(options_.out, "--before-model", options_.before_model);
        expect_another_file(options_.out, "--before-config", options_.before_config);
        expect_own_output(options_.out, options_.source, images_);
        open();
    }

    void run() {
        for (std::size_t i = 0; i < images_.size(); ++i) {
            throw_if_stopped(audience_.stop);
            const std::string where = nth_image(i, images_.size()) + ", ";
            if (const auto why = trouble_with_image([&] { measure(i, where); }))
                fail(images_[i], *why);
        }
        if (table_->rows() > 0)
            write_file(options_.out,
                       options_.out.ends_with(".npz") ? table_->npz() : table_->csv());
        if (options_.json) describe();
        if (failures_.empty()) return;
        throw WorkError(std::to_string(failures_.size()) + " of " + std::to_string(images_.size()) +
                        (images_.size() == 1 ? " image was" : " images were") + " not measured" +
                        (table_->rows() > 0 ? "." : ", so nothing was written."));
    }

  private:
    // Loads the model, and the run that others are compared with.
    void open() {
        source_ = read(0, audience_.warnings);
        const Model& model = *source_.model;
        if (model.is_maps() && model.map_samples > 1) expect_as_many_samples(model, images_.size());
        question_.chosen = head_of(options_.like, model);
        question_.query = [this](const TokenPlaces& places) {
            const Index token = token_of(query_or_usual(options_.query, places), places.layout);
            query_ = token_word(places.layout, token);
            return token;
        };
        expect_possible(question_, model);
        question_.of_class = class_of(model, options_.of_class);
        for (const HeadMeasure measure : question_.what)
            columns_.push_back(column_of(measure, model));
        table_.emplace(columns_);
        if (options_.has_model_before()) {
            source_before_ = with_before_attention(!options_.before_attention.empty(), [&] {
                return read_source(source_before(), audience_.warnings, audience_.stop);
            });
        } else if (needs_before(question_)) {
            audience_.progress("the baseline image");
            run_before(source_, options_.before);
        }
    }

    // What is not given is the same, but another file has no config and part of this one.
    [[nodiscard]] SourceOptions source_before() const {
        SourceOptions before = options_.source;
        if (!options_.before_model.empty()) {
            before.model = options_.before_model;
            before.config = before.part = "";
        }
        if (!options_.before_attention.empty()) before.attention = options_.before_attention;
        if (!options_.before_config.empty()) before.config = options_.before_config;
        if (!options_.before_part.empty()) before.part = options_.before_part;
        before.image = images_.front();
        return before;
    }

    void run_before(Source& source, const std::string& image) {
        source.image = image;
        auto [front, change] = beginning_of(source);
        before_ = compared_run(std::move(front), change, question_, audience_.stop);
    }

    Source read(std::size_t image, std::ostream& warnings) const {
        SourceOptions of_image = options_.source;
        of_image.image = images_[image];
        if (source_.model && source_.model->map_samples > 1)
            of_image.layout.sample = static_cast<int>(image) + 1;
        return read_source(of_image, warnings, audience_.stop);
    }

    void measure(std::size_t i, const std::string& where) {
        std::ostringstream said;
        if (i > 0 && source_.model->map_samples > 1) source_ = read(i, said);
        if (source_before_)
            run_before(*source_before_, options_.before.empty() ? images_[i] : options_.before);
        source_.image = images_[i];
        auto [front, change] = beginning_of(source_);
        say_layout(front, said);
        if (said_.insert(said.str()).second) audience_.warnings << said.str();
        if (needs_region(question_))
            question_.region = [mask = mask_of(options_.region, images_[i])](const Trace& layer) {
                return region_in_mask(mask, layer);
            };
        const MeasuredHeads measured = measure_heads(
            std::move(front), change, question_, before_ ? &*before_ : nullptr, audience_.stop,
            [&](const std::string& what) { audience_.progress(where + what); });
        table_->add(images_[i], measured, *source_.model);
        Json about{{"file", images_[i]}};
        if (measured.answer) about.update(json_of(*measured.answer, *source_.model));
        describe_region(measured, about);
        about_images_.push_back(std::move(about));
    }

    // A region can have patches on the grid of one layer and none on the coarser grid of another.
    void describe_region(const MeasuredHeads& measured, Json& about) const {
        const auto first = static_cast<std::size_t>(source_.model->token_transformers());
        const std::vector<Index>& patches = measured.region_patches;
        if (patches.size() <= first) return;
        about["region_patches"] = patches[first];
        Json none = Json::array();
        for (std::size_t b = first; b < patches.size(); ++b)
            if (patches[b] == 0) none.push_back(b - first + 1);
        if (!none.empty()) about["layers_without_region"] = std::move(none);
    }

    void fail(const std::string& image, const std::string& why) {
        const bool named = why.find(image) != std::string::npos;
        audience_.warnings << "headlight: " << one_line(named ? why : image + ": " + why) << '\n';
        failures_.push_back({image, why});
    }

    // What the measures refer to.
    void describe_question(Json& json) const {
        if (question_.of_class) {
            json["class"] = *question_.of_class;
            json["class_name"] = class_name(*source_.model, *question_.of_class);
        }
        if (question_.asks(HeadMeasure::alike)) json["like"] = options_.like;
        if (question_.asks(&HeadMeasureInfo::of_query) && !query_.empty())
            json["query"] = query_;  // empty: no image was measured
        if (needs_region(question_)) json["region"] = options_.region;
        if (!needs_before(question_)) return;
        json["before"] = json_of(source_before());
        if (!options_.before.empty()) json["before"]["image"] = options_.before;
    }

    void describe() const {
        Json json{{"table", options_.out},   {"made_by", "Headlight " HEADLIGHT_VERSION},
                  {"rows", table_->rows()},  {"columns", Json::array()},
                  {"images", about_images_}, {"failed", Json::array()}};
        json.update(json_of(options_.source));
        describe_question(json);
        const auto add = [&](const std::string& name, const std::string& unit,
                             const std::string& about) {
            json["columns"].push_back({{"name", name}, {"unit", unit}, {"about", about}});
        };
        add("image", "", "the image's file");
        add("layer", "", "from 1");
        add("head", "", "from 1");
        for (const MeasureColumn& column : columns_)
            add(std::string(name_of(column.measure)), column.unit, column.about);
        for (const Failure& failure : failures_)
            json["failed"].push_back({{"file", failure.image}, {"error", failure.error}});
        audience_.out << printed(json) << '\n';
    }

    const MeasureOptions& options_;
    const Audience& audience_;
    std::vector<std::string> images_;
    HeadMeasuresQuestion question_;
    std::string query_;  // in words, of the last image
    Source source_;
    std::optional<Source> source_before_;  // of another model
    std::vector<MeasureColumn> columns_;
    std::optional<MeasureTable> table_;
    std::optional<ComparedRun> before_;
    Json about_images_ = Json::array();
    std::vector<Failure> failures_;
    std::set<std::string> said_;
};

}  // namespace

void run_measure(const MeasureOptions& options, const Audience& audience) {
    Measurement(options, audience).run();
}

std::string measures_of_class(const std::string& conjunction) {
    std::vector<std::string> names;
    for (const HeadMeasureInfo& measure : all_head_measures())
        if (measure.of_class) names.emplace_back(name_of(measure.id));
    return in_a_row(names, conjunction);
}

std::string measures_help() {
    std::string text =
        "Measures for --what. Those from " + std::string(name_of(run_measures().front().id)) +
        " to " + std::string(name_of(run_measures().back().id)) + " are means over the queries:";
    for (const HeadMeasureInfo& measure : all_head_measures()) {
        text += "\n  " + std::string(name_of(measure.id)) + ": " + measure.column(true);
        if (!measure.help.empty()) text += ". " + std::string(measure.help);
        if (measure.id == HeadMeasure::importance)
            text += ". The probability without the head, minus the probability with it.";
    }
    return text;
}

}  // namespace headlight::cli
