#include "encoder/program.h"

namespace headlight {

namespace {

using Steps = std::vector<Step>;

void add_if(Steps& steps, bool exists, Step step) {
    if (exists) steps.push_back(step);
}

// From the patches to what enters the first layer.
Steps tokens_of(const Model& model) {
    Steps steps;
    add_if(steps, model.embedding.exists(), Step::embed);
    add_if(steps, model.prefix.count() > 0, Step::prefix);
    add_if(steps, model.positions.table || model.is_bare_layer(), Step::position);
    add_if(steps, model.pre_norm.exists(), Step::pre_norm);
    return steps;
}

Steps layer_of(const Block& block) {
    Steps steps;
    add_if(steps, block.norm1.exists(), Step::norm1);
    steps.insert(steps.end(), {Step::qkv, Step::heads});
    add_if(steps, block.query_norm.exists(), Step::qk_norm);
    steps.insert(steps.end(), {Step::products, Step::scale, Step::softmax, Step::mix, Step::concat,
                               Step::project});
    add_if(steps, block.ls1 != nullptr, Step::ls1);
    steps.push_back(Step::skip);
    if (!block.mlp_in.exists()) return steps;
    steps.insert(steps.end(), {Step::norm2, Step::mlp_in, Step::activation, Step::mlp_out});
    add_if(steps, block.ls2 != nullptr, Step::ls2);
    steps.push_back(Step::residual2);
    return steps;
}

Steps end_of(const Model& model) {
    Steps steps;
    add_if(steps, model.norm.exists(), Step::norm);
    if (model.pooling == Pooling::none) return steps;
    add_if(steps, model.head.exists() || model.pooled_norm.exists() || model.pooler.exists(),
           Step::pool);
    add_if(steps, model.pooled_norm.exists(), Step::pooled_norm);
    add_if(steps, model.pooler.exists(), Step::pooler);
    add_if(steps, model.pooler.exists(), Step::pooler_tanh);
    add_if(steps, model.head.exists(), Step::head);
    add_if(steps, model.pointing.exists(), Step::point);
    return steps;
}

void append(Steps& to, const Steps& steps) { to.insert(to.end(), steps.begin(), steps.end()); }

void append(std::vector<Slice>& to, const Steps& steps) {
    for (const Step step : steps) to.push_back({Slice::Kind::step, step, 0});
}

void add_block(std::vector<Slice>& slices, const Model& model, int block, bool looked_at) {
    if (!looked_at) return slices.push_back({Slice::Kind::block, Step::norm1, block});
    const Steps steps = model.is_maps() ? Steps{Step::softmax}
                                        : layer_of(model.blocks[static_cast<std::size_t>(block)]);
    slices.push_back({Slice::Kind::enter, steps.front(), block});
    append(slices, steps);
}

}  // namespace

std::vector<Step> steps_of(const Model& model, int block) {
    Steps steps{Step::image, Step::patches};
    if (model.is_maps()) return {Step::image, Step::patches, Step::softmax};
    if (block >= model.token_transformers()) append(steps, tokens_of(model));
    append(steps, layer_of(model.blocks[static_cast<std::size_t>(block)]));
    append(steps, end_of(model));
    return steps;
}

std::vector<Slice> program(const Model& model, int block) {
    std::vector<Slice> slices;
    append(slices, {Step::image, Step::patches});
    const int transformers = model.token_transformers();
    for (int b = 0; b < transformers; ++b) {
        add_block(slices, model, b, b == block);
        slices.push_back({Slice::Kind::split, Step::patches, b + 1});
    }
    append(slices, tokens_of(model));
    for (int b = transformers; b < static_cast<int>(model.blocks.size()); ++b)
        add_block(slices, model, b, b == block);
    append(slices, end_of(model));
    return slices;
}

}  // namespace headlight
