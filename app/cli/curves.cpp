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
#include "program/values.h"

namespace headlight::cli {

namespace {

Hiding hiding_of(const CurvesOptions& options) {
    const auto hiding = value_named<Hiding>(options.hide);
    if (!hiding)
        throw UsageError("--hide: expected mean_color or keys, found " + in_quotes(options.hide) +
                         ".");
    return *hiding;
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
          methods_(rankings_named("--methods", options.methods)),
          hiding_(hiding_of(options)),
          command_(options, audience) {
        expect_curves(command_.model());
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
        for (const PatchRanking& method : methods_) {
            const std::string name = ranking_name(method);
            const MapCurves found = map_curves(
                front, change, {method, of_class_, hiding_, options_.steps, options_.seed},
                audience_.stop, [&](const std::string& what, float) {
                    audience_.progress(where + name + ", " + what);
                });
            if (found.zero) audience_.warnings << order_is_arbitrary(image, name) << '\n';
            steps_made_ = std::max(steps_made_, static_cast<int>(found.taken.size()) - 1);
            table_.add(image, name, found.taken, found.curves);
            json["methods"].push_back({{"method", name},
                                       {"zero", found.zero},
                                       {"deletion_area", found.curves.deletion.area},
                                       {"insertion_area", found.curves.insertion.area}});
            json.update(json_of(found.about, command_.model()));
        }
        images_told_.push_back(std::move(json));
    }

    const CurvesOptions& options_;
    const Audience& audience_;
    std::vector<PatchRanking> methods_;
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

std::vector<PatchRanking> rankings_named(const std::string& option, const std::string& text) {
    return or_usage_error([&] { return patch_rankings_named(option, text); });
}

void expect_curves(const Model& model) {
    if (!has_classes(model))
        throw WorkError(model.file +
                        ": deletion and insertion curves need a model with a classifier.");
}

std::string order_is_arbitrary(const std::string& image, const std::string& method) {
    return "headlight: " +
           one_line(image + ": " + method +
                    " is zero everywhere, so the order of its patches is arbitrary.");
}

}  // namespace headlight::cli
