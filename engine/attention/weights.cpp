#include <cmath>
#include <random>

#include "attention/layer.h"

namespace headlight {

namespace {

// std::mt19937_64 gives the same numbers everywhere, but the standard distributions do not. So this
// class maps the numbers itself: the top 24 bits give a float in [0, 1) exactly.
class Uniform {
  public:
    Uniform(std::uint64_t seed, std::uint64_t stream) {
        std::seed_seq mixed{seed & 0xffffffffU, seed >> 32U, stream};
        engine_.seed(mixed);
    }
    float draw(float bound) {
        const float unit = static_cast<float>(engine_() >> 40U) * 0x1p-24F;
        return (2.0F * unit - 1.0F) * bound;
    }

  private:
    std::mt19937_64 engine_;
};

template <class Dense>
void fill(Dense& numbers, float bound, std::uint64_t seed, std::uint64_t stream,
          const StopFlag& stop) {
    Uniform uniform(seed, stream);
    constexpr Index kBlock = Index{1} << 16U;
    for (Index i = 0; i < numbers.size(); ++i) {
        if (i % kBlock == 0) throw_if_stopped(stop);
        numbers.data()[i] = uniform.draw(bound);
    }
}

}  // namespace

AttentionWeights draw_weights(const AttentionConfig& config, std::uint64_t seed,
                              const StopFlag& stop) {
    const Index v = config.value_width(), others = config.channels + v;
    const bool apart = config.value_token_dim.has_value();
    const Index qkv = config.channels + (apart ? 0 : others);
    const auto bound_of = [](Index inputs) { return 1.0F / std::sqrt(static_cast<float>(inputs)); };
    const float qkv_bound = bound_of(config.dim), projection_bound = bound_of(v);
    AttentionWeights weights;
    // Each tensor has its own stream, so adding a bias does not change the others' numbers.
    weights.qkv.resize(qkv, config.dim);
    fill(weights.qkv, qkv_bound, seed, 1, stop);
    if (config.qkv_bias) {
        weights.qkv_bias.resize(qkv);
        fill(weights.qkv_bias, qkv_bound, seed, 2, stop);
    }
    if (apart) {
        const float bound = bound_of(*config.value_token_dim);
        weights.key_value.resize(others, *config.value_token_dim);
        fill(weights.key_value, bound, seed, 7, stop);
        weights.key_value_bias.resize(config.qkv_bias ? others : 0);
        fill(weights.key_value_bias, bound, seed, 8, stop);
    }
    weights.projection.resize(config.output_width(), v);
    fill(weights.projection, projection_bound, seed, 3, stop);
    weights.projection_bias.resize(config.output_width());
    fill(weights.projection_bias, projection_bound, seed, 4, stop);
    return weights;
}

DrawnScore draw_score_weights(const AttentionConfig& config, Index keys, std::uint64_t seed) {
    const Index heads = config.heads, width = config.head_dim();
    DrawnScore drawn;
    const auto root = [](Index inputs) { return 1.0F / std::sqrt(static_cast<float>(inputs)); };
    switch (config.score()) {
        case Score::scaled_dot:
        case Score::dot:
        case Score::cosine:
            return drawn;
        case Score::general:
            drawn.weight.resize(heads * width, width);
            break;
        case Score::additive:
            drawn.weight.resize(heads * width, 2 * width);
            drawn.vector.resize(heads, width);
            fill(drawn.vector, root(width), seed, 6, {});
            break;
        case Score::location:
            drawn.weight.resize(heads * keys, width);
            break;
    }
    fill(drawn.weight, root(drawn.weight.cols()), seed, 5, {});
    return drawn;
}

}  // namespace headlight
