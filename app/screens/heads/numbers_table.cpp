#include "heads/numbers_table.h"

#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "analysis/head_table.h"
#include "heads/order.h"

namespace headlight::screens {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double or_nan(const auto* effects, const HeadPlace& place, auto member) {
    if (effects == nullptr) return kNaN;
    const auto b = static_cast<std::size_t>(place.layer), h = static_cast<std::size_t>(place.head);
    if (b >= effects->size() || h >= (*effects)[b].size()) return kNaN;
    return static_cast<double>((*effects)[b][h].*member);
}

using HeadNumber = std::function<double(const HeadPlace&)>;

// In the order of the table's rows.
std::vector<HeadPlace> heads_of(const Summary& summary) {
    std::vector<HeadPlace> places;
    for (std::size_t b = 0; b < summary.layers.size(); ++b)
        for (std::size_t h = 0; h < summary.layers[b].size(); ++h)
            places.push_back({static_cast<int>(b), static_cast<int>(h)});
    return places;
}

void add_numbers(NumberTable& table, const Summary& summary, const std::string& name,
                 const HeadNumber& number) {
    std::vector<double> numbers;
    for (const HeadPlace& place : heads_of(summary)) numbers.push_back(number(place));
    table.add_column(name, numbers);
}

void add_effects(NumberTable& table, const Frame& frame, const std::string& what,
                 const HeadEffects* effects) {
    if (effects == nullptr) return;
    const auto name = [&](const char* number) {
        return of_class(frame, number).substr(4) + ", " + what;  // without "the "
    };
    // In percentage points, as on the screen and in `headlight measure`.
    add_numbers(table, frame.summary, name("probability") + ", points",
                [&](const HeadPlace& place) {
                    return 100 * or_nan(effects, place, &HeadEffect::probability);
                });
    add_numbers(table, frame.summary, name("logit"),
                [&](const HeadPlace& place) { return or_nan(effects, place, &HeadEffect::logit); });
}

// For a model without classes: the turn of its output (1 − cosine), 0 to 2.
void add_turns(NumberTable& table, const Frame& frame, const HeadsTurning& found) {
    const auto add = [&](const char* how, const HeadTurns& turns) {
        add_numbers(table, frame.summary,
                    std::string("change in the output with the head ") + how + " (1 − cosine)",
                    [&](const HeadPlace& place) {
                        const auto b = static_cast<std::size_t>(place.layer),
                                   h = static_cast<std::size_t>(place.head);
                        return b < turns.size() && h < turns[b].size() ? turns[b][h] : kNaN;
                    });
    };
    add("switched off", found.off);
    add("set to its mean", found.level);
}

// The measures that every result has.
NumberTable table_of(const Summary& summary, const Trace& trace) {
    NumberTable table = table_of_heads(summary, *trace.model, trace.layout);
    add_numbers(table, summary, "distance, patches", [&](const HeadPlace& place) {
        return summary.layers[static_cast<std::size_t>(place.layer)]
                             [static_cast<std::size_t>(place.head)][HeadMeasure::distance] /
               grid_in_layer(trace, summary.kept, place.layer).settings.stride;
    });
    return table;
}

// Maps a head to its row in the table.
std::map<HeadPlace, std::size_t> rows_of(const Summary& summary) {
    std::map<HeadPlace, std::size_t> rows;
    for (const HeadPlace& place : heads_of(summary)) rows.emplace(place, rows.size());
    return rows;
}

}  // namespace

NumberTable table_of_all_heads(const Frame& frame, const HeadsView* view) {
    NumberTable table = table_of(frame.summary, frame.trace);
    if (view == nullptr) return table;
    if (const auto* found = answer_of(view->effects)) {
        add_effects(table, frame, "change with the head switched off", &found->off);
        add_effects(table, frame, "change with the head set to its mean", &found->level);
    }
    if (const auto* found = answer_of(view->turns)) add_turns(table, frame, *found);
    const auto add_measure = [&](HeadMeasure measure) {
        add_numbers(table, frame.summary, noun_of(frame, measure), [&](const HeadPlace& place) {
            return number_of(frame, *view, place, measure).value_or(kNaN);
        });
    };
    for (const auto& [measure, said] : view->computed)
        if (answer_of(said)) add_measure(measure);
    if (const auto* found = answer_of(view->contributions))
        add_numbers(table, frame.summary, "adds to " + of_class(frame, "logit"),
                    [&](const HeadPlace& place) {
                        const auto& heads = found->heads[static_cast<std::size_t>(place.layer)];
                        const auto h = static_cast<std::size_t>(place.head);
                        return h < heads.size() ? heads[h] : kNaN;
                    });
    add_effects(table, frame, "change with the head from the baseline", answer_of(view->patches));
    for (const HeadMeasureInfo& row : all_head_measures())
        if (row.of_region && is_possible(frame, row.id)) add_measure(row.id);
    return table;
}

NumberTable table_of_both_results(const Frame& frame, const HeadsView& view) {
    const Trace& other = *view.other->question.trace;
    const Summary& other_summary = *view.other->question.summary;
    const NumberTable now = table_of_all_heads(frame, &view),
                      before = table_of(other_summary, other);
    const auto rows = rows_of(frame.summary), rows_before = rows_of(other_summary);
    const auto in_both = [&](std::size_t column, const HeadPlace& place) {
        const auto there = same_head(frame.trace, other, place);
        const auto row = there ? rows_before.find(*there) : rows_before.end();
        return row == rows_before.end() ? kNaN : before.cells[row->second][column];
    };
    NumberTable table{now.of_rows, now.rows, {}, std::vector<std::vector<double>>(now.rows.size())};
    const auto add = [&](const std::string& name, const HeadNumber& number) {
        add_numbers(table, frame.summary, name, number);
    };
    for (std::size_t c = 0; c < now.columns.size(); ++c) {
        const auto here = [&](const HeadPlace& place) { return now.cells[rows.at(place)][c]; };
        add("after: " + now.columns[c], here);
        if (c >= before.columns.size()) continue;  // only measured for the current result
        add("before: " + now.columns[c], [&](const HeadPlace& p) { return in_both(c, p); });
        add("after − before: " + now.columns[c],
            [&](const HeadPlace& p) { return here(p) - in_both(c, p); });
    }
    const auto of_maps = [&](double MapPair::*number) {
        return [&frame, &view, number](const HeadPlace& place) {
            const MapPair* pair = pair_of(frame, view, place);
            return pair == nullptr ? kNaN : pair->*number;
        };
    };
    const std::string maps =
        " of the maps of " + token_name(frame.trace.layout, view.token) + ", before and after";
    add("correlation" + maps, of_maps(&MapPair::correlation));
    add("total variation" + maps, of_maps(&MapPair::variation));
    return table;
}

}  // namespace headlight::screens
