#include "state/class_map_study.h"

#include "encoder/token_maps.h"
#include "state/layer_studies.h"

namespace headlight {

namespace {

// Each layer is visited once, forward or backward; for integrated gradients both ways at each step.
float part_done(const ClassMapAsked& question, int layers_met) {
    const ClassMapQuestion usual;
    const auto layers = static_cast<int>(question.trace->model->layers.size());
    const bool in_steps = question.method == MapMethod::integrated_gradients;
    const int all = in_steps ? 2 * layers * usual.steps : layers;
    return static_cast<float>(layers_met) / static_cast<float>(all);
}

ClassMap compute_class_map(const ClassMapAsked& question, const ClassMapFinder::Run& run) {
    ClassMapQuestion asked;
    asked.method = question.method;
    asked.of_class = question.of_class;
    int layers_met = 0;
    return class_map(*question.trace, question.change, asked, run.stop,
                     [&](const std::string&) { run.progress = part_done(question, ++layers_met); });
}

}  // namespace

bool operator==(const ClassMapAsked& a, const ClassMapAsked& b) {
    return a.method == b.method && a.of_class == b.of_class &&
           BranchQuestion{a.trace, a.change} == BranchQuestion{b.trace, b.change};
}

const ClassMapFinder kClassMap{.compute = compute_class_map, .takes_long = true},
    kClassMapBefore{.compute = compute_class_map, .takes_long = true};

bool is_possible(MapMethod method, const Trace& trace, const Counterfactual& change) {
    const Model& model = *trace.model;
    if (!trace.image || !trace.has(Tensor::patches)) return false;
    if (starts_at_a_layer(method) && model.has_merges()) return false;
    return !asks_for_class(method) || why_no_gradient(model, change).empty();
}

}  // namespace headlight
