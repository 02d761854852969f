#include "families/rotary_parts.h"

#include <cmath>
#include <vector>

#include "files/error.h"
#include "positions/positions.h"

namespace headlight {

namespace {

Rotary stored_rotary(ModelBuilder& builder, const std::string& name, Index head_dim) {
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

// Rounding error of a number between −1 and 1 in a file's type.
double rounding_of(const std::string& type) {
    return type.find("16") == std::string::npos ? 1e-4 : 1e-2;
}

// Hugging Face's frequencies, which follow from the base.
void expect_frequencies(TensorReader& at, const Rotary& rotary) {
    const std::string name = "rope_embeddings.inv_freq";
    if (!at.has(name)) return;
    Matrix frequencies(1, static_cast<Index>(rotary.periods.size()));
    for (std::size_t k = 0; k < rotary.periods.size(); ++k)
        frequencies(0, static_cast<Index>(k)) = static_cast<float>(1 / rotary.periods[k]);
    expect_of_formula(at, name, frequencies);
}

}  // namespace

void expect_of_formula(TensorReader& at, const std::string& name, const MatrixView& formula) {
    const TensorShape shape = formula.rows == 1 && at.shape(name).size() == 1
                                  ? TensorShape{formula.cols}
                                  : TensorShape{formula.rows, formula.cols};
    const std::vector<float> stored = at.values(name, shape);
    const double allowed = rounding_of(at.type(name));
    for (Index i = 0; i < static_cast<Index>(stored.size()); ++i) {
        const float expected = formula(i / formula.cols, i % formula.cols),
                    found = stored[static_cast<std::size_t>(i)];
        if (std::abs(static_cast<double>(found) - expected) <= allowed) continue;
        at.refuse(name,
                  "the value that the formula of its rotary positions gives, " + text_of(expected),
                  text_of(found) + " at index " + std::to_string(i));
    }
}

std::optional<Index> head_dim_of_periods(const TensorReader& at, const std::string& name) {
    if (!at.has(name)) return {};
    return 4 * at.shape(name, 1, "[head_dim / 4]")[0];
}

void read_dinov3_rotary(ModelBuilder& builder, const std::string& name, Index width) {
    const Index head_dim = width / builder.heads();
    if (builder.at.has(name))
        return builder.rotary(
            stored_rotary(builder, name, head_dim),
            "tensor " + name + "; rows and columns separately, as in all published models");
    const Decided<float> base = builder.rotary_base(kDinov3Base);
    try {
        Rotary rotary = dinov3_rotary(head_dim, base.value);
        expect_frequencies(builder.at, rotary);
        builder.rotary(std::move(rotary), base.origin);
    } catch (const PositionError& error) {
        throw CheckpointError(builder.at.file_name() + ": " + error.what());
    }
}

}  // namespace headlight
