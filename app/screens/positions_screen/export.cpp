#include "frame/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "analysis/head_table.h"
#include "positions_screen/view.h"

// The curves of Positions as tables with row and column names.
namespace headlight::screens {

namespace {

using Table = std::optional<NumberTable>;

// The answer to that question; null if it is being computed, or there is none.
template <class Question, class Answer>
std::shared_ptr<const Said<Question, Answer>> answer_to(Frame& frame,
                                                        const Study<Question, Answer>& study,
                                                        const Question& question) {
    auto& exported = frame.memory.own<Export>();
    auto said = studies_of(frame).ask(study, question);
    exported.computing = !said || !(said->question == question);
    if (exported.computing) return nullptr;
    exported.refusal = said->error;
    return said->error.empty() ? said : nullptr;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double degrees(double angle) { return angle * 180 / std::numbers::pi; }

double at_or_nan(const std::vector<double>& values, int i) {
    return i >= 0 && i < static_cast<int>(values.size()) ? values[static_cast<std::size_t>(i)]
                                                         : kNaN;
}

// Two curves as columns; the shorter one has empty cells at its ends. `first`: the offset of a
// curve's first value, by its length.
NumberTable by_offset(const std::string& what, const std::vector<double>& along_row,
                      const std::vector<double>& down_column, int (*first)(std::size_t)) {
    NumberTable table{{"offset"}, {}, {what + " along a row", what + " down a column"}, {}};
    const auto most = std::max(along_row.size(), down_column.size());
    for (int offset = first(most); offset < first(most) + static_cast<int>(most); ++offset)
        table.add({std::to_string(offset)},
                  {at_or_nan(along_row, offset - first(along_row.size())),
                   at_or_nan(down_column, offset - first(down_column.size()))});
    return table;
}
int from_zero(std::size_t) { return 0; }
int from_both_sides(std::size_t count) { return -static_cast<int>(count / 2); }

Table profile_table(Frame& frame, const PositionsView& view, PositionsMemory&) {
    if (view.bias != nullptr)
        return by_offset("bias", view.head->profile.along_row, view.head->profile.down_column,
                         from_both_sides);
    const OffsetProfile& profile = view.table->profile;
    return by_offset("mean " + std::string(name_of_measure(frame)), profile.along_row,
                     profile.down_column, from_zero);
}

Table rotation_table(Frame& frame, const PositionsView& view, PositionsMemory&) {
    if (view.table == nullptr || !view.table->turns) return {};
    const auto& profile = rotation_profile(frame, view);
    if (!profile) return {};
    return by_offset("mean Q·K", profile->along_row, profile->down_column, from_both_sides);
}

// All channels; only a few of them are drawn.
Table waves_table(Frame& frame, const PositionsView& view, PositionsMemory&) {
    if (view.table == nullptr) return {};
    NumberTable table{{frame.trace.image ? "patch" : "token"}, {}, {}, {}};
    const MatrixView numbers = view.table->table->view();
    for (Index c = 0; c < numbers.cols; ++c) table.columns.push_back(fmt::format("channel {}", c));
    for (Index p = 0; p < numbers.rows; ++p)
        table.add({std::to_string(p)}, {numbers.row(p), numbers.row(p) + numbers.cols});
    return table;
}

// The hands of the focused patch.
Table hands_table(Frame&, const PositionsView& view, PositionsMemory&) {
    if (view.table == nullptr) return {};
    NumberTable table{{"sine's channel", "cosine's channel"},
                      {},
                      {"sine", "cosine", "angle, degrees", "length"},
                      {}};
    const MatrixView numbers = view.table->table->view();
    for (const ChannelPair& pair : channel_pairs(view.table->pairing, view.dim())) {
        const double sine = numbers(view.patch, pair.first),
                     cosine = numbers(view.patch, pair.second);
        table.add({std::to_string(pair.first), std::to_string(pair.second)},
                  {sine, cosine, degrees(std::atan2(sine, cosine)), std::hypot(sine, cosine)});
    }
    return table;
}

Table turns_table(Frame& frame, const PositionsView& view, PositionsMemory&) {
    if (view.table == nullptr) return {};
    const auto said = answer_to(frame, kRotation, rotation_question(view));
    if (!said) return {};
    const RotationQuestion& asked = said->question;
    NumberTable table{{"sine's channel", "cosine's channel"},
                      {},
                      {fmt::format("rotation for {} columns right and {} rows down, degrees",
                                   asked.right, asked.down),
                       "error"},
                      {}};
    const auto pairs = channel_pairs(asked.pairing, asked.table->view().cols);
    for (std::size_t i = 0; i < std::min(pairs.size(), said->answer.turns.size()); ++i) {
        const Turn& turn = said->answer.turns[i];
        table.add({std::to_string(pairs[i].first), std::to_string(pairs[i].second)},
                  {std::isnan(turn.residual) ? kNaN : degrees(turn.angle), turn.residual});
    }
    return table;
}

Table apart_table(Frame& frame, const PositionsView& view, PositionsMemory&) {
    if (view.table == nullptr || view.rows * view.cols < 2) return {};
    const int other = other_position(frame, view);
    NumberTable table{{"sine's channel", "cosine's channel"},
                      {},
                      {fmt::format("distance of {} and {}", view.patch, other), "angle, degrees"},
                      {}};
    for (const HandDifference& hand :
         hand_differences(view.table->table->view(), view.table->pairing, view.patch, other))
        table.add({std::to_string(hand.pair.first), std::to_string(hand.pair.second)},
                  {hand.distance, degrees(hand.angle)});
    return table;
}

Table readout_table(Frame& frame, const PositionsView&, PositionsMemory&) {
    const auto said = answer_to(frame, kReadout, readout_question(frame));
    if (!said || said->answer.row.empty()) return {};
    NumberTable table{{"after layer"}, {}, {"R² of the row", "R² of the column"}, {}};
    for (std::size_t l = 0; l < said->answer.row.size(); ++l)
        table.add({stream_in_tables(*frame.trace.model, static_cast<int>(l))},
                  {said->answer.row[l], said->answer.column[l]});
    return table;
}

Table angles_table(Frame& frame, const PositionsView&, PositionsMemory&) {
    const auto said = answer_to(frame, kAddedTable, {frame.shared(frame.trace)});
    if (!said || !said->answer) return {};
    const AddedStudy& found = *said->answer;
    NumberTable table{
        {"direction"}, {}, {"angle where added, degrees", "angle side by side, degrees"}, {}};
    const auto count = std::max(found.angles.size(), found.angles_side_by_side.size());
    for (int i = 0; i < static_cast<int>(count); ++i)
        table.add({std::to_string(i + 1)},
                  {at_or_nan(found.angles, i), at_or_nan(found.angles_side_by_side, i)});
    return table;
}

using TableMaker = Table (*)(Frame&, const PositionsView&, PositionsMemory&);
const std::map<std::string_view, TableMaker>& tables() {
    static const std::map<std::string_view, TableMaker> table{
        {"positions.profile", profile_table}, {"positions.rotation", rotation_table},
        {"positions.waves", waves_table},     {"positions.hands", hands_table},
        {"positions.turns", turns_table},     {"positions.apart", apart_table},
        {"positions.readout", readout_table}, {"positions.angles", angles_table},
    };
    return table;
}

// The plot under the pointer.
std::string_view pointed_at(const Frame& frame) {
    for (const auto& [name, maker] : tables()) {
        const auto drawn = frame.ui.names().find(std::string(name));
        if (drawn != frame.ui.names().end() && drawn->second.rect.contains(ImGui::GetIO().MousePos))
            return name;
    }
    return {};
}

}  // namespace

void answer_positions(Frame& frame, const PositionsView& view, PositionsMemory& memory) {
    auto& exported = frame.memory.own<Export>();
    const std::string_view name =
        exported.wanted->empty() ? pointed_at(frame) : std::string_view(*exported.wanted);
    if (const auto found = tables().find(name); found != tables().end())
        exported.table = found->second(frame, view, memory);
}

}  // namespace headlight::screens
