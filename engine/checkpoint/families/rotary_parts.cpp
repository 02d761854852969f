#include "families/rotary_parts.h"

#include "files/error.h"
#include "positions/positions.h"

namespace headlight {

namespace {

Rotary of_file(ModelBuilder& builder, const std::string& name, Index head_dim) {
    TensorReader& at = builder.at;
    if (head_dim_of_periods(at, name) != head_dim)
        at.refuse(name, std::to_string(head_dim / 4) + " periods, a quarter of head_dim",
                  shape_text(at.shape(name)));
    const SharedResult periods = at.row(name, head_dim / 4);
    Rotary rotary = dinov3_rotary(head_dim);
    for (Index k = 0; k < head_dim / 4; ++k) {
        const float period = periods->view()(0, k);
        if (!(period > 0)) at.refuse(name, "positive periods", text_of(period));
        rotary.periods[static_cast<std::size_t>(k)] = period;
    }
    return rotary;
}

}  // namespace

std::optional<Index> head_dim_of_periods(const TensorReader& at, const std::string& name) {
    if (!at.has(name)) return {};
    return 4 * at.shape(name, 1, "[head_dim / 4]")[0];
}

void read_dinov3_rotary(ModelBuilder& builder, const std::string& name, Index width) {
    const Index head_dim = width / builder.heads();
    if (builder.at.has(name))
        return builder.rotary(of_file(builder, name, head_dim), "tensor " + name);
    const Decided<float> base = builder.rotary_base(kDinov3Base);
    try {
        builder.rotary(dinov3_rotary(head_dim, base.value), base.origin);
    } catch (const PositionError& error) {
        throw CheckpointError(builder.at.file_name() + ": " + error.what());
    }
}

}  // namespace headlight
