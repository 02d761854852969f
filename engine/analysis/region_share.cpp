#include "analysis/region_share.h"

namespace headlight {

namespace {

// Sums over the region's queries, in order.
class Means {
  public:
    Means(Index heads, const TokenLayout& layout, const Region& region)
        : sums_(static_cast<std::size_t>(heads)), layout_(layout), region_(region) {}

    // weights: over all tokens, [1, N].
    void add(Index head, const MatrixView& weights) {
        sums_[static_cast<std::size_t>(head)] +=
            share_on_region(weights.block(0, layout_.prefix(), 1, layout_.patches), region_);
    }
    [[nodiscard]] std::vector<double> result() {
        for (double& sum : sums_) sum /= static_cast<double>(region_.patches.size());  // 0 / 0: NaN
        return sums_;
    }

  private:
    std::vector<double> sums_;
    const TokenLayout& layout_;
    const Region& region_;
};

}  // namespace

double share_on_region(const MatrixView& patches, const Region& region) {
    double sum = 0;
    for (const int patch : region.patches)
        sum += static_cast<double>(patches(patch / patches.cols, patch % patches.cols));
    return sum;
}

std::vector<double> shares_within_region(const Trace& layer, const Region& region) {
    Means means(layer.shape.heads, layer.layout, region);
    const Index prefix = layer.layout.prefix();
    for (Index h = 0; h < layer.shape.heads; ++h) {
        const MatrixView attention = layer.view(Tensor::attention, 0, h);
        for (const int patch : region.patches)
            means.add(h, attention.block(prefix + patch, 0, 1, attention.cols));
    }
    return means.result();
}

std::vector<double> shares_within_region(const KeptAttention& layer, const Region& region,
                                         const StopFlag& stop) {
    Means means(layer.heads(), layer.layout(), region);
    const Index prefix = layer.layout().prefix();
    layer.for_queries(
        [&](Index first, const MatrixView& rows) {
            const Index count = rows.rows / layer.heads();
            for (const int patch : region.patches) {
                const Index row = prefix + patch - first;
                for (Index h = 0; row >= 0 && row < count && h < layer.heads(); ++h)
                    means.add(h, rows.block(h * count + row, 0, 1, rows.cols));
            }
        },
        stop);
    return means.result();
}

}  // namespace headlight
