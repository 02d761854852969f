#include "cli/curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/error.h"
#include "analysis/number_table.h"
#include "cli/class_option.h"
#include "cli/errors.h"
#include "cli/npz_arrays.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "gradient/class_maps.h"
#include "gradient/deletion.h"
#include "patches/token_words.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

constexpr std::string_view kRandom = "random";

// Without duplicates; an empty entry is the random order.
std::vector<std::optional<MapMethod>> methods_of(const CurvesOptions& options) {
    std::vector<std::optional<MapMethod>> methods;
    for (std::string word : words_of_list(options.methods)) {
        std::ranges::replace(word, '-', '_');
        const auto method = value_named<MapMethod>(word);
        if (!method && word != kRandom)
            throw UsageError("--methods: expected one or more of " + curve_methods() + ", found " +
                             in_quotes(word) + ".");
        if (std::ranges::find(methods, method) != methods.end())
            throw UsageError("--methods: expected each method once, found " + in_quotes(word) +
                             " twice.");
        methods.push_back(method);
    }
    return methods;
}

Hiding hiding_of(const CurvesOptions& options) {
    const auto hiding = value_named<Hiding>(options.hide);
    if (!hiding)
        throw UsageError("--hide: expected mean_color or keys, found " + in_quotes(options.hide) +
                         ".");
    return *hiding;
}

std::string name_in_table(const std::optional<MapMethod>& method) {
    return std::string(method ? name_of(*method) : kRandom);
}

// One entry for each row of the table.
struct CurvesTable {
    std::vector<std::string> image, method;
    std::vector<std::int32_t> patches;
    std::vector<double> part, deletion, insertion, deletion_logit, insertion_logit;

    void add(const std::string& of_image, const std::string& by, const std::vector<int>& taken,
             const DeletionCurves& curves) {
        for (std::size_t i = 0; i < taken.size(); ++i) {
            image.push_back(of_image);
            method.push_back(by);
            patches.push_back(taken[i]);
            part.push_back(static_cast<double>(taken[i]) / taken.back());
            deletion.push_back(curves.deletion.probability[i]);
            insertion.push_back(curves.insertion.probability[i]);
            deletion_logit.push_back(curves.deletion.logit[i]);
            insertion_logit.push_back(curves.insertion.logit[i]);
        }
    }
    [[nodiscard]] bool is_finite() const {
        return std::ranges::all_of(deletion, [](double p) { return std::isfinite(p); }) &&
               std::ranges::all_of(insertion, [](double p) { return std::isfinite(p); });
    }
    [[nodiscard]] std::string csv() const {
        std::string text =
            "image,method,patches,part,deletion,insertion,deletion_logit,insertion_logit\n";
        for (std::size_t row = 0; row < image.size(); ++row) {
            append_field(text, image[row], ',');
            text += "," + method[row] + "," + std::to_string(patches[row]);
            for (const auto* column :
                 {&part, &deletion, &insertion, &deletion_logit, &insertion_logit}) {
                text += ',';
                append_field(text, (*column)[row]);
            }
            text += '\n';
        }
        return text;
    }
    [[nodiscard]] std::string npz() const {
        const std::vector<std::int64_t> count{static_cast<std::int64_t>(image.size())};
        return zip_text({npz_texts("image", count, image), npz_texts("method", count, method),
                         npz_array<std::int32_t>("patches", count, patches),
                         npz_array<double>("part", count, part),
                         npz_array<double>("deletion", count, deletion),
                         npz_array<double>("insertion", count, insertion),
                         npz_array<double>("deletion_logit", count, deletion_logit),
                         npz_array<double>("insertion_logit", count, insertion_logit)});
    }
};

class CurvesWork {
  public:
    CurvesWork(const CurvesOptions& options, const Audience& audience)
        : options_(options),
          audience_(audience),
          methods_(methods_of(options)),
          hiding_(hiding_of(options)),
          command_(options, audience) {
        if (!has_classes(command_.model()))
            throw WorkError(command_.model().file +
                            ": deletion and insertion curves need a model with a classifier.");
        of_class_ = class_of(command_.model(), options_.of_class);
    }

    void run() {
        try {
            command_.for_each_image(
                [this](const std::string& image, const std::string& where,
                       const Beginning& beginning) { add_image(image, where, beginning); });
        } catch (const AnalysisError& error) {
            throw WorkError(options_.source.model + ": " + error.what());
        }
        command_.finish(table_, {{"hidden_by", options_.hide},
                                 {"steps", steps_made_},
                                 {"seed", options_.seed},
                                 {"images", images_told_}});
    }

  private:
    void add_image(const std::string& image, const std::string& where, const Beginning& beginning) {
        const auto& [front, change] = beginning;
        Json json{{"file", image}, {"methods", Json::array()}};
        for (const auto& method : methods_) {
            const std::string name = name_in_table(method);
            const ClassMap map = map_by(method.value_or(MapMethod::last_attention), front, change,
                                        where + name + ", ");
            const bool zero = method && map.is_zero();
            if (zero)
                audience_.warnings << "headlight: "
                                   << one_line(image + ": " + name +
                                               " is zero everywhere, so the order of its patches "
                                               "is arbitrary.")
                                   << '\n';
            const auto patches = static_cast<int>(map.cells.size());
            DeletionQuestion question{
                map.grid, method ? order_of(map.cells) : random_order(patches, options_.seed),
                map.about->index, hiding_, options_.steps};
            const DeletionCurves curves =
                deletion_curves(front, change, question, audience_.stop, [&](float part) {
                    audience_.progress(where + name + ", " +
                                       std::to_string(static_cast<int>(100 * part)) + " %");
                });
            const std::vector<int> taken = patches_taken(patches, options_.steps);
            steps_made_ = std::max(steps_made_, static_cast<int>(taken.size()) - 1);
            table_.add(image, name, taken, curves);
            json["methods"].push_back({{"method", name},
                                       {"zero", zero},
                                       {"deletion_area", curves.deletion.area},
                                       {"insertion_area", curves.insertion.area}});
            json["class"] = map.about->index;
            json["class_name"] = class_name(command_.model(), map.about->index);
            json["probability"] = map.about->probability;
        }
        images_told_.push_back(std::move(json));
    }

    [[nodiscard]] ClassMap map_by(MapMethod method, const Trace& front,
                                  const Counterfactual& change, const std::string& where) const {
        ClassMapQuestion question;
        question.method = method;
        question.of_class = of_class_;
        return class_map(front, change, question, audience_.stop,
                         [&](const std::string& what) { audience_.progress(where + what); });
    }

    const CurvesOptions& options_;
    const Audience& audience_;
    std::vector<std::optional<MapMethod>> methods_;
    Hiding hiding_;
    TableCommand command_;
    std::optional<int> of_class_;
    int steps_made_ = 0;  // at most one per patch
    CurvesTable table_;
    Json images_told_ = Json::array();
};

}  // namespace

void run_curves(const CurvesOptions& options, const Audience& audience) {
    CurvesWork(options, audience).run();
}

std::string curve_methods() {
    std::string names;
    for (const std::string_view name : names_of<MapMethod>()) names += std::string(name) + ", ";
    return names + std::string(kRandom);
}

}  // namespace headlight::cli
