#include "cli/heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <ostream>
#include <vector>

#include "analysis/scene_heads.h"
#include "cli/errors.h"
#include "cli/model_file.h"
#include "cli/scenes.h"
#include "encoder/run_scene.h"
#include "kernels/counted.h"
#include "kernels/parallel.h"
#include "program/ordinals.h"

namespace headlight::cli {

namespace {

constexpr double kTwinHead = 10;  // names a head if it gives the twin this many times more

// Totals over all scenes with the same heads switched off.
struct Tally {
    SceneScore score;
    std::vector<SceneHeads> layers;

    void add(const Tally& other) {
        score.add(other.score);
        layers.resize(std::max(layers.size(), other.layers.size()));
        for (std::size_t l = 0; l < other.layers.size(); ++l) layers[l].add(other.layers[l]);
    }
};

class Study {
  public:
    Study(const HeadsOptions& options, std::shared_ptr<const Model> model, const StopFlag& stop)
        : options_(options), model_(std::move(model)), stop_(stop) {}

    // Runs in parallel but adds in the order of the scenes, so the results are the same on any
    // machine.
    [[nodiscard]] Tally run(const Counterfactual& change, bool look) const {
        constexpr Index kAtOnce = 64;
        Tally all;
        for (Index first = 0; first < options_.scenes; first += kAtOnce) {
            const Index count = std::min<Index>(kAtOnce, options_.scenes - first);
            std::vector<Tally> each(static_cast<std::size_t>(count));
            parallel_for(count, [&](Index i) {
                each[static_cast<std::size_t>(i)] = run_one(first + i, change, look);
            });
            for (const Tally& one : each) all.add(one);
        }
        return all;
    }

  private:
    [[nodiscard]] Tally run_one(Index index, const Counterfactual& change, bool look) const {
        const ShapeScene scene =
            random_scene(options_.seed + static_cast<std::uint64_t>(index), options_.shapes);
        const std::vector<int> twins = twins_of(scene);
        Tally tally;
        const auto take = [&](const Trace& layer) {
            tally.layers.emplace_back().add(layer.all(Tensor::attention), layer.shape.heads,
                                            layer.layout, layer.grid, truth_of(layer, scene),
                                            twins);
        };
        const Trace done =
            run_scene(model_, scene, change, look ? LayerObserver(take) : nullptr, stop_);
        tally.score = score(done, scene);
        return tally;
    }

    const HeadsOptions& options_;
    std::shared_ptr<const Model> model_;
    const StopFlag& stop_;
};

std::string percent(std::int64_t part, std::int64_t all) {
    return all == 0 ? "–"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(all));
}

// Includes the number of heads assumed, because most models have no tensor that tells it.
void print_conditions(const HeadsOptions& options, const Model& model, std::ostream& out) {
    const auto [fewest, most] = options.shapes;
    out << fmt::format(
        "{} from number {}, {}\n", counted(options.scenes, "scene"), options.seed,
        fewest == most ? counted(most, "shape") : fmt::format("{} to {} shapes", fewest, most));
    for (const ModelFact& fact : model.facts)
        if (fact.what == "heads") out << fmt::format("heads: {} ({})\n", fact.value, fact.origin);
}

// Rejects NaN, which would otherwise be printed as numbers.
void expect_numbers(const Tally& all, const Model& model) {
    for (std::size_t l = 0; l < all.layers.size(); ++l)
        for (const SceneHeadNumbers& n : all.layers[l].result())
            if (!std::isfinite(n.numbers[HeadMeasure::entropy]))
                throw WorkError(
                    fmt::format("{}: expected finite attention weights, found NaN or infinite ones "
                                "in layer {}.",
                                model.file, layer_number(model, static_cast<int>(l))));
}

void print_score(const SceneScore& score, const Model& model, std::ostream& out) {
    if (answers_scenes(model))
        out << fmt::format("right: {} of {} scenes; {} of the {} without a pair\n",
                           percent(score.right, score.scenes), score.scenes,
                           percent(score.right_without_pair, score.without_pair),
                           score.without_pair);
    if (model.pointing.exists())
        out << fmt::format("pointing within one cell: {} of {} patches\n",
                           percent(score.near, score.pointing), score.pointing);
}

std::string row_of(const std::string& layer, std::size_t head, const SceneHeadNumbers& n) {
    const KinShares &pair = n.pair, &cls = n.class_token;
    const std::string twin_to_other =
        std::isfinite(n.twin_to_other) ? fmt::format("{:.1f}", n.twin_to_other) : "–";
    return fmt::format(
        "{:>5} {:>4} {:>6.2f} {:>6.2f} {:>6.2f} {:>6.2f} {:>6.2f} {:>7.2f} {:>7} {:>7.2f} "
        "{:>6.2f} {:>6.2f} {:>8.2f} {:>8.1f}",
        layer, head + 1, pair[Kin::own], pair[Kin::twin], pair[Kin::other], pair[Kin::background],
        pair[Kin::prefix], n.by_area[Kin::twin], twin_to_other, cls[Kin::own] + cls[Kin::twin],
        cls[Kin::other], cls[Kin::background], n.numbers[HeadMeasure::entropy],
        n.numbers[HeadMeasure::distance]);
}

constexpr const char* kHeading =
    "            a paired shape's patches attend to        twin    twin   class attends to      "
    "entropy distance\nlayer head    own   twin  other   back prefix by area : other    pair  "
    "other   back     bits   pixels";

}  // namespace

void run_heads(const HeadsOptions& options, const Audience& audience) {
    std::ostream& out = audience.out;
    check(options.shapes);
    check_numbers(options.seed, options.scenes);
    const auto model = open_model({options.model, options.config, options.part}, audience.stop);
    print_warnings(*model, std::cerr);
    say_notes(*model, std::cerr);
    const Study study(options, model, audience.stop);
    const auto say = [&](const std::string& text) {
        throw_if_stopped(audience.stop);
        audience.progress(text);
    };
    say("all heads");
    const Tally all = study.run({}, true);
    expect_numbers(all, *model);
    print_conditions(options, *model, out);
    print_score(all.score, *model, out);
    out << '\n' << kHeading << (answers_scenes(*model) ? "   right without it" : "") << '\n';

    std::string named;
    for (std::size_t l = 0; l < all.layers.size(); ++l) {
        const auto heads = all.layers[l].result();
        const std::string layer = layer_number(*model, static_cast<int>(l));
        for (std::size_t h = 0; h < heads.size(); ++h) {
            const SceneHeadNumbers& n = heads[h];
            out << row_of(layer, h, n);
            if (answers_scenes(*model)) {
                say(fmt::format("without layer {} head {}", layer, h + 1));
                Counterfactual without;
                without.switched_off = {{static_cast<int>(l), static_cast<int>(h)}};
                const SceneScore score = study.run(without, false).score;
                out << fmt::format("   {:>16}", percent(score.right, score.scenes));
            }
            out << '\n' << std::flush;
            if (n.twin_to_other >= kTwinHead)
                named += fmt::format(
                    "layer {} head {}: {:.0f} % of a shape's attention goes to its twin, compared "
                    "with {:.0f} % expected by area. A patch of the twin gets {:.0f} times as much "
                    "as a patch of another shape\n",
                    layer, h + 1, 100 * n.pair[Kin::twin], 100 * n.by_area[Kin::twin],
                    n.twin_to_other);
        }
    }
    if (!named.empty()) out << '\n' << named;
}

}  // namespace headlight::cli
