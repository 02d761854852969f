
#include "analysis/cost.h"
#include "analysis/subspaces.h"
#include "state/position_study.h"

// Adding positions to tokens, compared with concatenating them.
namespace headlight {

namespace {

// `wanted` of the last `patches` rows, evenly spaced.
Matrix chosen_rows(const MatrixView& rows, Index patches, Index wanted) {
    Matrix chosen(wanted, rows.cols);
    for (Index i = 0; i < wanted; ++i)
        chosen.row(i) = rows.eigen().row(rows.rows - patches + i * patches / wanted);
    return chosen;
}

ReadOff read_off(const Matrix& from, const Matrix& table, const Matrix& tokens,
                 const StopFlag& stop) {
    return {part_read_off(from, table, stop), part_read_off(from, tokens, stop)};
}

// Concatenated rows of twice the width: tokens on the left, the table on the right.
struct SideBySide {
    Matrix tokens, table;

    SideBySide(const Matrix& of_tokens, const Matrix& of_table)
        : tokens(Matrix::Zero(of_tokens.rows(), of_tokens.cols() + of_table.cols())),
          table(tokens) {
        tokens.leftCols(of_tokens.cols()) = of_tokens;
        table.rightCols(of_table.cols()) = of_table;
    }
};

// The projection that reads the tokens, and the same for wider tokens.
void add_cost(AddedStudy& study, const Trace& trace) {
    const Node* product = trace.node(Step::qkv);
    if (product == nullptr || product->op != Op::project || product->weights.empty()) return;
    const MatrixView weight = product->weights[0].value->view();
    const MatrixView made = trace.all(product->result());
    const double wider = static_cast<double>(weight.cols) * static_cast<double>(weight.rows);
    study.weights = wider;
    study.weights_side_by_side = 2 * wider;
    study.operations = cost_of(trace, *product).operations;
    study.operations_side_by_side = study.operations + 2 * static_cast<double>(made.rows) *
                                                           static_cast<double>(made.cols) *
                                                           static_cast<double>(weight.cols);
}

}  // namespace

std::optional<AddedStudy> study_added(const AddedQuestion& question, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const Node* node = trace.node(Step::position);
    const Index patches = trace.grid.count();
    if (node == nullptr || patches < 3) return std::nullopt;
    const MatrixView added = trace.view(Tensor::positions), before = trace.view(node->operands[0]);
    if (added.rows < patches || before.rows < patches || added.cols != before.cols)
        return std::nullopt;
    AddedStudy found;
    found.patches = std::min(patches, kMostRead);
    found.width = added.cols;
    const Matrix table = chosen_rows(added, patches, found.patches),
                 tokens = chosen_rows(before, patches, found.patches);
    const Directions of_table = main_directions(table, kMainPart, stop),
                     of_tokens = main_directions(tokens, kMainPart, stop);
    found.table_directions = of_table.basis.rows();
    found.token_directions = of_tokens.basis.rows();
    found.angles = principal_angles(of_table.basis, of_tokens.basis);
    found.table_along_tokens = part_along(table, of_tokens.basis);
    found.tokens_along_table = part_along(tokens, of_table.basis);
    found.of_sum = read_off(tokens + table, table, tokens, stop);
    const SideBySide both(tokens, table);
    found.angles_side_by_side =
        principal_angles(main_directions(both.table, kMainPart, stop).basis,
                         main_directions(both.tokens, kMainPart, stop).basis);
    found.of_both = read_off(both.tokens + both.table, table, tokens, stop);
    add_cost(found, trace);
    return found;
}

const AddedFinder kAddedTable{
    .compute = [](const AddedQuestion& question,
                  const AddedFinder::Run& run) { return study_added(question, run.stop); },
    .takes_long = true};

}  // namespace headlight
