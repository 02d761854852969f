#include "heads/export.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "analysis/head_table.h"
#include "frame/classes.h"
#include "heads/asked.h"
#include "heads/baseline.h"
#include "heads/curves_card.h"
#include "heads/heads.h"
#include "heads/memory.h"
#include "heads/nearest_pictures.h"
#include "heads/numbers_table.h"
#include "heads/order.h"
#include "heads/side_card.h"
#include "program/ordinals.h"
#include "state/changes.h"
#include "state/figure_maps.h"

namespace headlight::screens {

namespace {

// Kept between frames: the provenance of what the screen shows.
struct HeadsFacts {
    Facts all;                // for every part
    Facts large, other;       // for the two large maps, instead of `all`
    std::string layer, head;  // of the displayed head
    std::string combined;     // replaces the head for combined maps
    std::vector<std::string> combinations;
};

// ---- provenance

// The queries whose maps are visible.
std::string queries_of(const Frame& frame, const HeadsView& view) {
    if (view.alone) return token_and_place(frame.trace, view.token);
    if (view.tokens.size() == 1) return token_and_place(frame.trace, view.tokens.front());
    std::string names;
    for (const Index token : view.tokens)
        names += (names.empty() ? "" : ", ") + token_name(frame.trace.layout, token);
    return names;
}

// Describes the colors of attention.
void add_colors(Facts& facts, const Look& look) {
    facts.push_back({"scale", std::string(name_of(look.attention_scale))});
    if (look.attention_cut > 0) facts.push_back({"cut", fmt::format("{} %", look.attention_cut)});
    if (look.heads_mass < 100)
        facts.push_back({"part of each map shown",
                         fmt::format("the smallest set of patches with {:g} % of the "
                                     "attention to patches; the numbers cover all patches",
                                     look.heads_mass)});
}

// The provenance of the baseline.
void add_before(Facts& facts, const Frame& frame) {
    const Recipe& recipe = *frame.state.pinned;
    facts.push_back({"model before", recipe.weights.empty() ? "a random layer" : recipe.weights});
    facts.push_back({"image before", recipe.scene ? "a scene of shapes" : recipe.image});
    std::string settings;
    for (const RecipeField* field : changed_fields(recipe, *frame.work.pinned_trace()))
        settings += (settings.empty() ? "" : ", ") + std::string(field->name) + " " +
                    (field->name == "switched_off"
                         ? heads_text(recipe.switched_off, frame.work.pinned_trace()->model.get())
                         : field->get(recipe));
    facts.push_back({"settings before", settings.empty() ? "none" : settings});
}

// The baseline's token at the position of the query.
std::string query_before(const HeadsView& view) {
    const TokenQuestion& asked = view.other->question;
    return token_and_place(*asked.trace,
                           view.query() == 0 ? asked.token : asked.also[view.query() - 1]);
}

// Which result the numbers belong to.
enum class Of { now, before, difference };

Facts choices(const Frame& frame, const HeadsView& view, Of of) {
    const Look& look = frame.state.look;
    const bool less = of == Of::difference;
    Facts facts{
        {"query", queries_of(frame, view)},
        {"shows", std::string(less ? "difference of attention, after − before: " : "attention: ") +
                      (look.reading == Reading::from ? "what the query attends to"
                                                     : "what attends to the query")},
        {"order of the heads", order_name(look.heads_order)},
        {"range of the colors", std::string(name_of(look.range))}};
    if (less)
        facts.push_back({"scale", "linear, centered on zero"});
    else
        add_colors(facts, look);
    if (const auto asked = class_asked(frame))
        facts.push_back({"class of importance, contributions, patching",
                         class_name(*frame.trace.model, *asked) +
                             (is_class_chosen(frame) ? " (chosen)" : " (predicted)")});
    if (const auto* found = answer_of(view.contributions); found && !found->frozen.empty())
        facts.push_back({"contributions", "direct; " + frozen_words(frame, found->frozen)});
    if (look.heads_combined != Combined::nothing)
        facts.push_back({"combined", std::string(name_of(look.heads_combined))});
    if (of == Of::before) facts.push_back({"result", "the baseline"});
    if (of != Of::now) add_before(facts, frame);
    if (!frame.before() && of != Of::now && view.other)
        facts.push_back({"query before", query_before(view)});
    if (shows_difference(frame.work) && !view.apart.empty())
        facts.push_back({"no difference", view.apart});
    return facts;
}

// "heads.map.3.2": layer 3 after T2T's token transformers, head 2, from 1; empty for names of
// another kind.
std::optional<HeadPlace> place_named(std::string_view name) {
    constexpr std::string_view kBegin = "heads.map.";
    if (!name.starts_with(kBegin)) return std::nullopt;
    name.remove_prefix(kBegin.size());
    int layer = 0, head = 0;
    const char* end = name.data() + name.size();
    const auto [dot, bad] = std::from_chars(name.data(), end, layer);
    if (bad != std::errc() || dot == end || *dot != '.') return std::nullopt;
    const auto [rest, wrong] = std::from_chars(dot + 1, end, head);
    if (wrong != std::errc() || rest != end || layer < 1 || head < 1) return std::nullopt;
    return HeadPlace{layer - 1, head - 1};
}

// "heads.combined.2", from 1.
std::optional<std::size_t> combination_named(std::string_view name) {
    constexpr std::string_view kBegin = "heads.combined.";
    if (!name.starts_with(kBegin)) return std::nullopt;
    name.remove_prefix(kBegin.size());
    std::size_t number = 0;
    const char* end = name.data() + name.size();
    const auto [rest, bad] = std::from_chars(name.data(), end, number);
    if (bad != std::errc() || rest != end || number < 1) return std::nullopt;
    return number - 1;
}

// ---- numbers

// True if both results are there. Otherwise reports that their difference is being computed, or why
// there is none.
bool wait_for_difference(Export& exported, const HeadsView& view) {
    exported.refusal = view.apart;
    exported.computing = view.apart.empty() && !view.pairs;
    return view.apart.empty() && view.pairs;
}

// The complete map, not only what is shown; with several queries, a row of patches each.
void answer_map(Export& exported, const Frame& frame, const HeadsView& view,
                const std::vector<MatrixView>& maps) {
    if (maps.size() == 1) {
        exported.matrix = Matrix(maps.front().eigen());
        return;
    }
    NumberTable table{{"query"}, {}, {}, {}};
    const Index prefix = frame.trace.layout.prefix();
    for (Index patch = 0; patch < maps.front().rows * maps.front().cols; ++patch)
        table.columns.push_back(token_name(frame.trace.layout, prefix + patch));
    for (std::size_t q = 0; q < maps.size(); ++q) {
        std::vector<double> cells;
        for (Index r = 0; r < maps[q].rows; ++r)
            for (Index c = 0; c < maps[q].cols; ++c)
                cells.push_back(static_cast<double>(maps[q](r, c)));
        table.add({token_name(frame.trace.layout, view.tokens[q])}, std::move(cells));
    }
    exported.table = std::move(table);
}

bool has_head(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const auto b = static_cast<std::size_t>(place.layer);
    return b < frame.trace.model->layers.size() && view.all().maps[b] &&
           place.head < view.all().maps[b]->view().rows;
}

// Replaces a map when differences are shown; a sentence if there is none.
void answer_difference(Export& exported, const HeadsView& view, const MapPair* pair) {
    if (!wait_for_difference(exported, view)) return;
    if (pair == nullptr || !pair->difference)
        exported.refusal =
            "There is no difference, because only one of the two results has this map.";
    else
        exported.matrix = Matrix(pair->difference->view().eigen());
}

void answer_head(Export& exported, const Frame& frame, const HeadsView& view,
                 const HeadPlace& place) {
    if (!has_head(frame, view, place)) return;
    if (shows_difference(frame.work))
        return answer_difference(exported, view, pair_of(frame, view, place));
    std::vector<MatrixView> maps;
    for (std::size_t q = 0; q < (view.together() ? view.tokens.size() : 1); ++q) {
        maps.push_back(patches_of(frame, view, place, view.together() ? q : view.query()));
        if (maps.back().empty()) return;
    }
    answer_map(exported, frame, view, maps);
}

void answer_combination(Export& exported, const Frame& frame, const HeadsView& view,
                        const Combination& of) {
    if (shows_difference(frame.work)) return answer_difference(exported, view, pair_of(view, of));
    std::vector<MatrixView> maps;
    for (std::size_t q = 0; q < of.cells.size(); ++q)
        if (view.together() || q == view.query()) maps.push_back(of.cells[q]->view());
    if (!maps.empty()) answer_map(exported, frame, view, maps);
}

// The large map, or the visible one while the pointer is elsewhere.
void answer_shown(Export& exported, const Frame& frame, const HeadsView& view) {
    if (const Combination* combined = view.hovered_combination)
        return answer_combination(exported, frame, view, *combined);
    answer_head(exported, frame, view, view.shown);
}

std::optional<NumberTable> lens_table(Frame& frame, const HeadsView& view) {
    const Matrix& lens = view.stream().lens;
    if (lens.size() == 0) return std::nullopt;
    NumberTable table{{"after layer"}, {}, {}, {}};
    for (Index c = 0; c < lens.cols(); ++c)
        table.columns.push_back("probability of " + class_name(*frame.trace.model, c));
    for (Index c = 0; c < lens.cols(); ++c)
        table.columns.push_back("logit of " + class_name(*frame.trace.model, c));
    for (Index l = 0; l < lens.rows(); ++l) {
        std::vector<double> row = view.stream().answers[static_cast<std::size_t>(l)];
        for (Index c = 0; c < lens.cols(); ++c) row.push_back(static_cast<double>(lens(l, c)));
        table.add({stream_in_tables(*frame.trace.model, static_cast<int>(l))}, std::move(row));
    }
    return table;
}

std::optional<NumberTable> cosines_table(Frame& frame, const HeadsView& view,
                                         const MatrixView& cosines, const std::string& with) {
    if (cosines.empty()) return std::nullopt;
    NumberTable table{{"after layer"}, {}, {}, {}};
    for (Index token = 0; token < cosines.cols; ++token)
        table.columns.push_back("cosine of " + token_name(frame.trace.layout, view.token) +
                                " with " + token_name(frame.trace.layout, token) + with);
    for (Index l = 0; l < cosines.rows; ++l) {
        std::vector<double> row;
        for (Index token = 0; token < cosines.cols; ++token)
            row.push_back(static_cast<double>(cosines(l, token)));
        table.add({stream_in_tables(*frame.trace.model, static_cast<int>(l))}, std::move(row));
    }
    return table;
}

// All contributions to the predicted class's logit, which sum to it.
std::optional<NumberTable> contributions_table(Frame& frame, const HeadsView& view) {
    const std::optional<Index> asked = class_asked(frame);
    if (!asked) return std::nullopt;
    const Contributions* there = awaited(frame, view.contributions);
    if (there == nullptr) return std::nullopt;
    const Contributions& found = *there;
    const Model& model = *frame.trace.model;
    NumberTable table{
        {"layer", "head", "part"}, {}, {"adds to the logit of " + class_name(model, *asked)}, {}};
    // Layers before the last merge are not decomposed further.
    const int first = model.alike_from();
    table.add({"", "",
               first > model.token_transformers()
                   ? "all up to layer " +
                         layer_in_tables(model.layers[static_cast<std::size_t>(first) - 1])
                   : "the input of the first layer"},
              {found.input});
    for (auto b = static_cast<std::size_t>(first); b < found.heads.size(); ++b) {
        const Layer& layer = model.layers[b];
        const std::string number = layer_in_tables(layer);
        for (std::size_t h = 0; h < found.heads[b].size(); ++h)
            table.add({number, std::to_string(h + 1), "head"}, {found.heads[b][h]});
        table.add({number, "", found.heads[b].empty() ? "attention" : "bias after the heads"},
                  {found.attention_rest[b]});
        if (layer.mlp_out.exists()) table.add({number, "", "MLP"}, {found.mlp[b]});
    }
    table.add({"", "", "biases at the end"}, {found.end});
    return table;
}

using TableMaker = std::optional<NumberTable> (*)(Frame&, const HeadsView&);
const std::map<std::string_view, TableMaker>& tables() {
    static const std::map<std::string_view, TableMaker> table{
        {"heads.lens", lens_table},
        {"heads.contributions", contributions_table},
        {"heads.rings", rings_table},
        {"heads.branches", branches_table},
        {"heads.curves", curves_table},
        {"heads.patched",
         [](Frame& frame, const HeadsView& view) { return patched_table(frame, view); }},
        {"heads.likeness",
         [](Frame& frame, const HeadsView& view) {
             const SharedResult& likeness = view.stream().likeness;
             return cosines_table(frame, view, likeness ? likeness->view() : MatrixView(), "");
         }},
        {"heads.nearest",
         [](Frame& frame, const HeadsView& view) {
             return cosines_table(frame, view, view.stream().nearest, " at the end");
         }},
    };
    return table;
}

// Registers maps of which only a part is shown.
void add_whole(Frame& frame, const HeadsView& view) {
    if (view.masses != nullptr)
        for (std::size_t q = 0; q < view.masses->size(); ++q)
            for (const auto& [place, part] : (*view.masses)[q])
                note_whole(frame, part, patches_of(frame, view, place, q));
    for (const Combination& of : view.combinations)
        for (std::size_t q = 0; q < of.mass.size(); ++q)
            note_whole(frame, of.mass[q], of.cells[q]->view());
}

// Maps in hues are no matrices, but the values below them are.
void answer_pointer(Export& exported, Frame& frame, const HeadsView& view,
                    const HeadsMemory& memory) {
    exported.table = is_under_pointer(frame, "heads.curves") && view.map_curves
                         ? curves_table(frame, view)
                         : side_table(frame, view);
    if (exported.table || !view.together()) return;
    if (memory.pointed.head || memory.pointed.combination || is_under_pointer(frame, "heads.large"))
        answer_shown(exported, frame, view);
}

void answer(Export& exported, Frame& frame, const HeadsView& view, const HeadsMemory& memory) {
    const std::string& name = *exported.wanted;
    add_whole(frame, view);
    if (name.empty()) return answer_pointer(exported, frame, view, memory);
    if (const auto found = tables().find(name); found != tables().end())
        exported.table = found->second(frame, view);
    else if (name == "heads.large" && !shows_both(view))  // else it is what is drawn
        answer_shown(exported, frame, view);
    else if (const auto place = place_named(name))
        answer_head(exported, frame, view,
                    {place->layer + frame.trace.model->token_transformers(), place->head});
    else if (const auto i = combination_named(name); i && *i < view.combinations.size())
        answer_combination(exported, frame, view, view.combinations[*i]);
    else if (name == "heads.grid")
        exported.undrawn = view.difference && !view.pairs;
}

// Finds the maps of all heads and their measurements. Otherwise reports that they are being
// computed.
bool find_maps(Frame& frame, HeadsMemory& memory, Export& exported, HeadsView& view) {
    const Trace& trace = frame.trace;
    exported.computing = false;
    if (!trace.image || is_cross(trace) || trace.layer < trace.model->token_transformers())
        return false;
    ask_for_heads(frame, memory);
    const auto said = maps_in_view(frame);
    const bool drawn = frame.state.look.screen == ScreenId::heads;  // or from elsewhere
    exported.computing =
        !said || said->question.trace.get() != &trace || (!drawn && studies_of(frame).busy());
    if (exported.computing || !said->error.empty()) return false;
    view = view_of(frame, memory, said);
    return !view.tiles.empty();
}

void answer_numbers(Export& exported, const Frame& frame, const HeadsView* view) {
    if (!shows_difference(frame.work)) {
        exported.table = table_of_all_heads(frame, view);
    } else if (view == nullptr) {
        exported.refusal =
            "There is no difference, because there are no maps of all heads to compare.";
    } else if (wait_for_difference(exported, *view)) {
        exported.table = table_of_both_results(frame, *view);
    }
}

}  // namespace

bool is_under_pointer(const Frame& frame, const char* name) {
    const auto place = frame.ui.names().find(name);
    return place != frame.ui.names().end() && place->second.rect.contains(ImGui::GetIO().MousePos);
}

void note_whole(Frame& frame, const SharedResult& part, const MatrixView& whole) {
    if (!part) return;
    frame.memory.own<Export>().whole[part->view().data] = {whole.data, static_cast<int>(whole.rows),
                                                           static_cast<int>(whole.cols),
                                                           static_cast<int>(whole.stride)};
}

void remember_facts(Frame& frame, const HeadsView& view) {
    auto& facts = frame.memory.own<HeadsFacts>();
    const Of in_view = frame.before() ? Of::before : Of::now;
    facts.all = choices(frame, view, view.difference ? Of::difference : in_view);
    // Lecture view only shows the difference there.
    facts.large = frame.state.look.lecture ? facts.all : choices(frame, view, in_view);
    facts.other =
        view.other ? choices(frame, view, frame.before() ? Of::now : Of::before) : Facts();
    facts.layer = layer_number(*frame.trace.model, view.shown.layer);
    facts.head = std::to_string(view.shown.head + 1);
    facts.combined =
        view.hovered_combination ? name_of_combination(frame, view, *view.hovered_combination) : "";
    facts.combinations.clear();
    for (const Combination& of : view.combinations)
        facts.combinations.push_back(name_of_combination(frame, view, of));
}

void export_heads(Frame& frame) {
    auto& exported = frame.memory.own<Export>();
    if (!exported.refusal.empty()) return;
    if (is_of_nearest_pictures(frame, *exported.wanted)) return export_nearest_pictures(frame);
    if (exported.wanted->starts_with("features.")) return;  // a drawn matrix
    auto& memory = frame.memory.own<HeadsMemory>();
    HeadsView view;
    const HeadsView* there = find_maps(frame, memory, exported, view) ? &view : nullptr;
    if (exported.computing) return;
    if (there != nullptr) remember_facts(frame, view);
    if (*exported.wanted == "heads.numbers")
        answer_numbers(exported, frame, there);
    else if (there != nullptr)
        answer(exported, frame, view, memory);
}

Facts heads_facts(Memory& memory, const std::string& widget) {
    if (widget == kNearestWidget) return nearest_pictures_facts(memory);
    const auto& known = memory.own<HeadsFacts>();
    Facts facts;
    if (const auto place = place_named(widget)) {
        facts = {{"layer", std::to_string(place->layer + 1)},
                 {"head", std::to_string(place->head + 1)}};
    } else if (const auto i = combination_named(widget); i && *i < known.combinations.size()) {
        facts = {{"heads", known.combinations[*i]}};
    } else if (widget == "heads.grid" || widget == "heads.numbers") {
        facts = {{"layers", "all"}, {"heads", "all"}};
    } else if (!known.combined.empty()) {
        facts = {{"heads", known.combined}};
    } else if (!known.layer.empty()) {
        facts = {{"layer", known.layer}, {"head", known.head}};
    }
    const Facts& of_part = widget == "heads.large"   ? known.large
                           : widget == "heads.other" ? known.other
                                                     : known.all;
    facts.insert(facts.end(), of_part.begin(), of_part.end());
    return facts;
}

}  // namespace headlight::screens
