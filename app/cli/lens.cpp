#include "cli/lens.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/number_table.h"
#include "analysis/prediction.h"
#include "cli/class_option.h"
#include "cli/errors.h"
#include "cli/npz_arrays.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "encoder/runner.h"

namespace headlight::cli {

namespace {

constexpr TableColumn kColumns[] = {
    {"image", "", "the image's file"},
    {"layer", "", "after which layer, from 1; 0: before the first"},
    {"token", "", "the patch's token, from 0; missing for the model's own answer"},
    {"row", "", "of the patch, from 1"},
    {"column", "", "of the patch, from 1"},
    {"rank", "", "of the class in that answer, from 1"},
    {"class", "", "the class's index, from 0"},
    {"class_name", "", "its name"},
    {"logit", "", "of the class"},
    {"probability", "", "of the class, 0 to 1"}};

// Where an answer comes from.
struct AnswerPlace {
    int layer = 0;
    // Of a patch; −1 for the model's own answer.
    int token = -1, row = -1, column = -1;
};

// A class in an answer.
struct RankedClass {
    int rank = 0;
    Prediction prediction;
};

// One entry for each row of the table.
struct LensTable {
    std::vector<std::string> image, class_name;
    std::vector<std::int32_t> layer, token, row, column, rank, index;
    std::vector<double> logit, probability;

    void add(const std::string& of_image, const AnswerPlace& place, const RankedClass& one,
             const Model& model) {
        image.push_back(of_image);
        layer.push_back(place.layer);
        token.push_back(place.token);
        row.push_back(place.row);
        column.push_back(place.column);
        rank.push_back(one.rank);
        index.push_back(static_cast<std::int32_t>(one.prediction.index));
        class_name.push_back(headlight::class_name(model, one.prediction.index));
        logit.push_back(static_cast<double>(one.prediction.logit));
        probability.push_back(one.prediction.probability);
    }
    [[nodiscard]] bool is_finite() const {
        return std::ranges::all_of(probability, [](double p) { return std::isfinite(p); });
    }
    [[nodiscard]] std::string csv() const {
        std::string text = head_of(kColumns);
        for (std::size_t i = 0; i < image.size(); ++i) {
            append_field(text, image[i], ',');
            text += "," + std::to_string(layer[i]);
            for (const auto* place : {&token, &row, &column})
                text += "," + ((*place)[i] < 0 ? "" : std::to_string((*place)[i]));
            text += "," + std::to_string(rank[i]) + "," + std::to_string(index[i]) + ",";
            append_field(text, class_name[i], ',');
            for (const double number : {logit[i], probability[i]}) {
                text += ',';
                append_field(text, number);
            }
            text += '\n';
        }
        return text;
    }
    [[nodiscard]] std::string npz() const {
        const std::vector<std::int64_t> count{static_cast<std::int64_t>(image.size())};
        std::vector<ZipFile> files{npz_texts("image", count, image)};
        for (const auto& [name, numbers] :
             {std::pair{"layer", &layer}, std::pair{"token", &token}, std::pair{"row", &row},
              std::pair{"column", &column}, std::pair{"rank", &rank}, std::pair{"class", &index}})
            files.push_back(npz_array<std::int32_t>(name, count, *numbers));
        files.push_back(npz_texts("class_name", count, class_name));
        files.push_back(npz_array<double>("logit", count, logit));
        files.push_back(npz_array<double>("probability", count, probability));
        return zip_text(files);
    }
};

// The rank counts the classes with larger logits.
RankedClass chosen_class(const MatrixView& logits, Index of_class) {
    RankedClass chosen{1,
                       {of_class, logits(0, of_class),
                        class_probabilities(logits)[static_cast<std::size_t>(of_class)]}};
    for (Index c = 0; c < logits.cols; ++c)
        if (logits(0, c) > logits(0, of_class) ||
            (logits(0, c) == logits(0, of_class) && c < of_class))
            ++chosen.rank;
    return chosen;
}

class LensWork {
  public:
    LensWork(const LensOptions& options, const Audience& audience)
        : options_(options), audience_(audience), command_(options, audience) {
        if (!has_lens(model()))
            throw WorkError(model().file +
                            ": a lens needs a model with a classifier whose input has the width of "
                            "the layers.");
        of_class_ = class_of(model(), options_.of_class);
    }

    void run() {
        command_.for_each_image(
            [this](const std::string& image, const std::string& where, Beginning beginning) {
                add_image(image, where, std::move(beginning));
            });
        command_.finish(table_, {{"rows", table_.image.size()},
                                 {"columns", json_of(kColumns)},
                                 {"images", about_images_}});
    }

  private:
    [[nodiscard]] const Model& model() const { return command_.model(); }

    void add_image(const std::string& image, const std::string& where, Beginning beginning) {
        const Trace done = Runner::run(
            std::move(beginning),
            [&](const Trace& layer) { audience_.progress(where + layer.model_layer().name); },
            audience_.stop);
        const Matrix own = logit_lens(done, std::nullopt, audience_.stop);
        const int first = model().alike_from() - model().token_transformers();
        for (Index step = 0; step < own.rows(); ++step)
            for (const RankedClass& one :
                 classes_of(MatrixView(own).block(step, 0, 1, own.cols()), options_.top))
                table_.add(image, {first + static_cast<int>(step)}, one, model());
        const Prediction answer =
            top_predictions(MatrixView(own).block(own.rows() - 1, 0, 1, own.cols()), 1).front();
        Json about{{"file", image}};
        about.update(json_of(answer, model()));
        about_images_.push_back(std::move(about));
        if (options_.patches) add_patches(image, done, where);
    }

    // Row by row of the table, patch by patch.
    void add_patches(const std::string& image, const Trace& done, const std::string& where) {
        const auto prefix = static_cast<int>(done.layout.prefix());
        std::vector<Index> tokens(static_cast<std::size_t>(done.grid.count()));
        std::iota(tokens.begin(), tokens.end(), Index{prefix});
        std::vector<int> layers;
        std::vector<std::vector<RankedClass>> of_patches(tokens.size());
        const auto take = [&](int layer, const MatrixView& logits) {
            layers.push_back(layer - model().token_transformers());
            audience_.progress(where + "every patch, after layer " + std::to_string(layers.back()));
            for (Index patch = 0; patch < logits.rows; ++patch)
                of_patches[static_cast<std::size_t>(patch)].push_back(
                    classes_of(logits.block(patch, 0, 1, logits.cols), 1).front());
        };
        logit_lens(done, tokens, take, audience_.stop);
        for (int patch = 0; patch < done.grid.count(); ++patch)
            for (std::size_t l = 0; l < layers.size(); ++l)
                table_.add(image,
                           {layers[l], prefix + patch, patch / done.grid.cols + 1,
                            patch % done.grid.cols + 1},
                           of_patches[static_cast<std::size_t>(patch)][l], model());
    }

    // The class of --class, or the most probable ones, at most `top`.
    [[nodiscard]] std::vector<RankedClass> classes_of(const MatrixView& logits, int top) const {
        if (of_class_) return {chosen_class(logits, *of_class_)};
        std::vector<RankedClass> classes;
        for (const Prediction& one : top_predictions(logits, top))
            classes.push_back({static_cast<int>(classes.size()) + 1, one});
        return classes;
    }

    const LensOptions& options_;
    const Audience& audience_;
    TableCommand command_;
    std::optional<int> of_class_;
    LensTable table_;
    Json about_images_ = Json::array();
};

}  // namespace

void run_lens(const LensOptions& options, const Audience& audience) {
    LensWork(options, audience).run();
}

}  // namespace headlight::cli
