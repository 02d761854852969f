#include "state/walk_commands.h"

#include <algorithm>

#include "encoder/token_maps.h"
#include "program/fields.h"
#include "program/ordinals.h"
#include "program/values.h"
#include "state/all_heads.h"
#include "state/command.h"
#include "state/recipe_commands.h"
#include "trace/token_rows.h"
#include "trace/trace.h"

namespace headlight {

void WalkCommands::step(const std::string& where) {
    Step& step = selection_.step;
    const std::vector<Step>& walk = playback_.steps();
    const auto at = std::find(walk.begin(), walk.end(), step);
    const auto& all = all_steps();
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const StepInfo& s) { return s.name == where; });
    if (named != all.end()) {
        if (std::find(walk.begin(), walk.end(), named->id) == walk.end())
            throw CommandError("step: expected a step of this walk, found " + in_quotes(where) +
                               ".");
        step = named->id;
    } else if (where == "next") {
        if (at != walk.end() && at + 1 != walk.end()) step = *(at + 1);
    } else if (where == "previous") {
        if (at != walk.end() && at != walk.begin()) step = *(at - 1);
    } else if (where == "first") {
        step = walk.front();
    } else if (where == "last") {
        step = walk.back();
    } else {
        refuse_value("step", "the name of a step, next, previous, first or last", where);
    }
    playback_.rest();
}

void WalkCommands::stop(const std::string& where) {
    if (where == "next") {
        playback_.next_stop(selection_.step);
    } else if (where == "previous") {
        playback_.previous_stop(selection_.step);
    } else {
        refuse_value("stop", "next or previous", where);
    }
}

void WalkCommands::scrub(const std::string& position) {
    playback_.scrub(
        parse_number("scrub", position, 0, static_cast<double>(playback_.steps().size())),
        selection_.step);
}

int WalkCommands::head_count() const {
    return trace_ != nullptr ? static_cast<int>(trace_->shape.heads) : kMostHeads;
}

int WalkCommands::parse_head(std::string_view verb, const std::string& text) const {
    return parse_ordinal(verb, text, head_count(), "heads");
}

void WalkCommands::head(const std::string& which) {
    Selection& s = selection_;
    if (which == "next") {
        s.head = std::min(s.head + 1, head_count() - 1);
    } else if (which == "previous") {
        s.head = std::max(s.head - 1, 0);
    } else {
        s.head = parse_head("head", which);
    }
    s.head_pinned = true;
}

void WalkCommands::head_click(const std::string& which) {
    Selection& s = selection_;
    const int head = parse_head("head-click", which);
    s.head_pinned = !(s.head_pinned && s.head == head);
    s.head = head;
}

void WalkCommands::solo(const std::string& which) {
    Selection& s = selection_;
    const int head = parse_head("solo", which);
    s.solo = !(s.solo && s.head == head);
    s.head = head;
    s.head_pinned = true;
}

void WalkCommands::focus(const std::string& token) {
    const Trace& trace = computed(trace_);
    selection_.token = parse_integer("focus", token, 0, static_cast<int>(trace.shape.queries) - 1);
    selection_.token_chosen = true;
    selection_.also.clear();
}

int WalkCommands::parse_query(std::string_view verb, const std::string& text) const {
    const Trace& trace = computed(trace_);
    if (is_cross(trace))
        throw CommandError(std::string(verb) +
                           ": the queries here are not tokens of the picture. Only one of them can "
                           "be shown at a time.");
    return parse_integer(verb, text, 0, static_cast<int>(trace.shape.queries) - 1);
}

void WalkCommands::query(const std::string& text) {
    const int token = parse_query("query", text);
    Selection& s = selection_;
    s.token_chosen = true;
    const int first = s.token.value_or(usual_token(*trace_));
    if (const auto at = std::ranges::find(s.also, token); at != s.also.end()) {
        s.also.erase(at);
    } else if (token != first) {
        if (s.also.size() + 1 == kMostAsked)
            throw CommandError("query: expected at most " + std::to_string(kMostAsked) +
                               " tokens, one for each hue, found one more. Remove one first.");
        s.token = first;
        s.also.push_back(token);
    } else if (!s.also.empty()) {
        s.token = s.also.front();
        s.also.erase(s.also.begin());
    } else {
        s.token = token;
    }
}

void WalkCommands::queries(const std::vector<std::string>& tokens) {
    std::vector<int> chosen;
    for (const std::string& text : tokens) {
        const int token = parse_query("queries", text);
        if (std::ranges::find(chosen, token) != chosen.end())
            throw CommandError("queries: expected each token once, found " + in_quotes(text) +
                               " twice.");
        chosen.push_back(token);
    }
    if (chosen.size() > kMostAsked)
        throw CommandError("queries: expected at most " + std::to_string(kMostAsked) +
                           " tokens, one for each hue, found " + std::to_string(chosen.size()) +
                           ".");
    if (chosen.empty()) return selection_.also.clear();
    selection_.token = chosen.front();
    selection_.token_chosen = true;
    selection_.also.assign(chosen.begin() + 1, chosen.end());
}

void WalkCommands::next_query() {
    Selection& s = selection_;
    const int first = std::exchange(*s.token, s.also.front());
    s.also.erase(s.also.begin());
    s.also.push_back(first);
}

void WalkCommands::focus_key(const std::string& key) {
    const Trace& trace = computed(trace_);
    if (!is_cross(trace))
        throw CommandError("focus-key: queries and keys are the same tokens here. Use focus.");
    selection_.key = parse_integer("focus-key", key, 0, static_cast<int>(trace.shape.keys) - 1);
    if (selection_.col_axis == Axis::key_token) selection_.col = selection_.key;
}

void WalkCommands::cell(const std::string& row, const std::string& col) {
    const Trace& trace = computed(trace_);
    Selection& s = selection_;
    const Node* node = trace.node(s.step);
    if (node == nullptr)
        throw CommandError("cell: this step is not part of the walk. Go to another step.");
    const TensorInfo& result = info(node->result());
    if (result.rows == Axis::pixel_row)
        throw CommandError("cell: the rows of this step's result are not tokens.");
    const int r = parse_integer("cell", row, 0, static_cast<int>(trace.rows(result.id)) - 1);
    const int c = parse_integer("cell", col, 0, static_cast<int>(trace.cols(result.id)) - 1);
    // A row that represents the whole image, or another layer's token, is no token of this trace.
    if (const Index token = token_of_row(trace, result.id, r); token >= 0) {
        if (side_of(trace, result.id) == Side::query && s.token != static_cast<int>(token))
            s.also.clear();
        s.token_chosen = true;
        (side_of(trace, result.id) == Side::key ? s.key : s.token) = static_cast<int>(token);
    }
    s.col = c;
    s.col_axis = result.cols;
    if (is_cross(trace) && result.cols == Axis::key_token) s.key = c;
}

void WalkCommands::release(bool shows_cells) {
    Selection& s = selection_;
    if (!shows_cells && !s.shape && s.also.empty()) s.col.reset();
    if (s.shape) {
        s.shape.reset();
    } else if (!s.also.empty()) {
        s.also.clear();
    } else if (s.col) {
        if (s.col_axis == Axis::key_token) s.key.reset();
        s.col.reset();
    } else if (s.key) {
        s.key.reset();
    } else if (s.token) {
        s.token.reset();
        s.token_chosen = true;
    } else {
        s.head_pinned = s.solo = false;
    }
}

}  // namespace headlight
