#include "heads/view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/mass.h"
#include "analysis/similarity.h"
#include "frame/attention_scale.h"

namespace headlight::screens {

namespace {

// The token in focus; without one the class token, or the picture's middle. Of several, which were
// chosen, the pointer takes none away.
std::vector<Index> tokens_of(const Frame& frame) {
    const Selection& pinned = frame.state.selection;
    if (!pinned.token || pinned.also.empty())
        return {frame.focus.token.value_or(usual_token(frame.trace))};
    std::vector<Index> tokens{*pinned.token};
    tokens.insert(tokens.end(), pinned.also.begin(), pinned.also.end());
    return tokens;
}

double alike(const Frame& frame, const HeadsView& view, const HeadPlace& a, const HeadPlace& b) {
    const double r = correlation(patches_of(frame, view, a), patches_of(frame, view, b));
    return std::isnan(r) ? -2.0 : r;
}

std::optional<double> number_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const HeadNumbers& n = numbers_of(frame, place);
    const auto b = static_cast<std::size_t>(place.layer), h = static_cast<std::size_t>(place.head);
    switch (frame.state.look.heads_order) {
        case HeadOrder::layer:
        case HeadOrder::groups:
        case HeadOrder::entropy:
            return n.entropy;
        case HeadOrder::distance:
            return n.distance;
        case HeadOrder::class_token:
            return n.class_mass;
        case HeadOrder::itself:
            return n.self_mass;
        case HeadOrder::alike:
            return alike(frame, view, view.chosen, place);
        case HeadOrder::importance:
            if (const auto* found = answer_of(view.effects))
                return std::abs(found->off[b][h].probability);
            return std::nullopt;
        case HeadOrder::patching:
            if (const auto* found = answer_of(view.patches))
                return std::abs((*found)[b][h].probability);
            return std::nullopt;
        case HeadOrder::contribution:
            if (const auto* found = answer_of(view.contributions);
                found && !found->heads[b].empty())
                return found->heads[b][h];
            return std::nullopt;
    }
    return std::nullopt;
}

std::vector<HeadTile> tiles_in_groups(const Frame& frame, const HeadsView& view,
                                      const HeadGroups& groups) {
    std::vector<HeadTile> tiles;
    for (std::size_t i = 0; i < groups.order.size(); ++i)
        tiles.push_back(
            {groups.order[i], number_of(frame, view, groups.order[i]), groups.group[i]});
    return tiles;
}

std::vector<HeadTile> tiles_of(const Frame& frame, const HeadsView& view) {
    if (const auto* groups = answer_of(view.groups);
        groups && frame.state.look.heads_order == HeadOrder::groups)
        return tiles_in_groups(frame, view, *groups);
    std::vector<HeadTile> tiles;
    const auto& maps = view.all().maps;
    for (std::size_t b = 0; b < maps.size(); ++b)
        for (Index h = 0; maps[b] && h < maps[b]->view().rows; ++h) {
            const HeadPlace place{static_cast<int>(b), static_cast<int>(h)};
            tiles.push_back({place, number_of(frame, view, place)});
        }
    if (frame.state.look.heads_order == HeadOrder::groups) return tiles;
    const double least = -std::numeric_limits<double>::infinity();
    const auto sorted_by = [&](const HeadTile& tile) {
        return tile.number && !std::isnan(*tile.number) ? *tile.number : least;
    };
    if (frame.state.look.heads_order != HeadOrder::layer)
        std::ranges::stable_sort(tiles, std::greater{}, sorted_by);
    return tiles;
}

std::optional<HeadPlace> most_alike_to(const Frame& frame, const HeadsView& view,
                                       const HeadPlace& place) {
    std::optional<HeadPlace> best;
    double most = -2;
    for (const HeadTile& tile : view.tiles) {
        if (tile.place == place) continue;
        const double r = alike(frame, view, place, tile.place);
        if (r > most) {
            most = r;
            best = tile.place;
        }
    }
    return best;
}

bool has_map(const HeadsView& view, const HeadPlace& place) {
    return std::ranges::find(view.tiles, place, &HeadTile::place) != view.tiles.end();
}

void count(const Frame& frame, const HeadsView& view, HeadsMemory& memory) {
    if (memory.counted == view.said) return;
    memory.counted = view.said;
    memory.sizes = {};
    for (std::size_t q = 0; q < view.tokens.size(); ++q)
        for (const HeadTile& tile : view.tiles)
            memory.sizes.add(Matrix(patches_of(frame, view, tile.place, q).eigen()));
}

const std::shared_ptr<const Summary>& summary_of(const Frame& frame) {
    const bool before = &frame.trace == frame.work.pinned_trace().get();
    return before ? frame.work.pinned_summary() : frame.work.summary();
}

// Asked again in every frame: what was asked already costs nothing.
void ask(const Frame& frame, HeadsMemory& memory, const std::vector<Index>& tokens) {
    memory.reader->ask({frame.shared(frame.trace),
                        summary_of(frame),
                        tokens.front(),
                        frame.state.look.reading,
                        {tokens.begin() + 1, tokens.end()}});
    const HeadOrder order = frame.state.look.heads_order;
    if (order == HeadOrder::groups && memory.reader->last() && memory.reader->last()->error.empty())
        memory.groups->ask({memory.reader->last()});
    if (frame.summary.top.empty()) return;
    const EffectQuestion of_answer{frame.shared(frame.trace),
                                   counterfactual_of(frame.recipe, *frame.trace.model),
                                   frame.summary.top.front().index};
    if (order == HeadOrder::importance) memory.effects->ask(of_answer);
    if (order == HeadOrder::contribution) memory.contributions->ask(of_answer);
    const bool of_heads = frame.state.look.heads_patched == Patched::heads;
    if (order == HeadOrder::patching && of_heads && can_be_patched(frame))
        memory.patches->ask({of_answer, frame.work.pinned_trace(),
                             counterfactual_of(*frame.state.pinned, *frame.trace.model)});
}

bool is_busy(const HeadsMemory& memory) {
    return memory.reader->busy() || memory.effects->busy() || memory.contributions->busy() ||
           memory.patches->busy() || memory.groups->busy();
}

// What was found, where it is of this very result.
template <class Said>
std::shared_ptr<const Said> of_present(const Frame& frame, std::shared_ptr<const Said> said) {
    return said && said->question.trace.get() == &frame.trace ? said : nullptr;
}

void find_masses(const Frame& frame, HeadsView& view, HeadsMemory& memory) {
    const float mass = frame.state.look.heads_mass;
    if (mass >= 100) return;
    if (memory.masked != view.said || memory.mass != mass) {
        memory.masked = view.said;
        memory.mass = mass;
        memory.masses.assign(view.tokens.size(), {});
        for (std::size_t q = 0; q < view.tokens.size(); ++q)
            for (const HeadTile& tile : view.tiles)
                if (const MatrixView map = patches_of(frame, view, tile.place, q); !map.empty())
                    memory.masses[q][tile.place] = make_result(mass_of(map, mass / 100.0));
    }
    view.masses = &memory.masses;
}

}  // namespace

bool can_be_patched(const Frame& frame) {
    const auto before = frame.work.pinned_trace();
    const auto rows = [](const Trace& trace) {
        return trace.stream.empty() ? Index{0} : trace.stream.back()->view().rows;
    };
    return before && frame.state.pinned && before.get() != &frame.trace &&
           before->model == frame.trace.model && rows(*before) == rows(frame.trace);
}

HeadsView view_of(Frame& frame, HeadsMemory& memory) {
    HeadsView view;
    view.tokens = tokens_of(frame);
    view.token = view.tokens.front();
    ask(frame, memory, view.tokens);
    if (is_busy(memory)) frame.ui.ask_for_frame();
    // What is there of another result has other heads or other tokens.
    view.said = of_present(frame, memory.reader->last());
    if (!view.said || !view.said->error.empty()) return view;
    view.effects = of_present(frame, memory.effects->last());
    view.contributions = of_present(frame, memory.contributions->last());
    view.patches = memory.patches->last();
    if (view.patches && (view.patches->question.now.trace.get() != &frame.trace ||
                         view.patches->question.from != frame.work.pinned_trace()))
        view.patches = nullptr;
    view.groups = memory.groups->last();
    if (view.groups && view.groups->question.maps != view.said) view.groups = nullptr;
    const TokenQuestion& asked = view.said->question;
    view.tokens.assign(1, asked.token);
    view.tokens.insert(view.tokens.end(), asked.also.begin(), asked.also.end());
    if (memory.hovered_query && *memory.hovered_query < view.tokens.size())
        view.alone = memory.hovered_query;
    view.token = view.tokens[view.query()];
    view.chosen = {frame.trace.layer, frame.state.selection.head};
    view.tiles = tiles_of(frame, view);
    if (!has_map(view, view.chosen) && !view.tiles.empty()) view.chosen = view.tiles.front().place;
    view.shown = memory.hovered && has_map(view, *memory.hovered) ? *memory.hovered : view.chosen;
    view.most_alike = most_alike_to(frame, view, view.shown);
    count(frame, view, memory);
    view.sizes = &memory.sizes;
    find_masses(frame, view, memory);
    find_combinations(frame, view, memory);
    return view;
}

Matrix mass_of(const MatrixView& map, double part) {
    const std::vector<bool> chosen = smallest_set(map, part);
    Matrix cells = map.eigen();
    if (std::ranges::find(chosen, true) == chosen.end()) return cells;
    for (Index i = 0; i < cells.size(); ++i)
        if (!chosen[static_cast<std::size_t>(i)])
            cells.data()[i] = std::numeric_limits<float>::quiet_NaN();
    return cells;
}

MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    return patches_of(frame, view, place, view.query());
}

MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                      std::size_t query) {
    const SharedResult& maps = view.all().of(query)[static_cast<std::size_t>(place.layer)];
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix();
    if (!maps || maps->view().cols != prefix + grid.count()) return {};
    return {maps->view().row(place.head) + prefix, grid.rows, grid.cols, grid.cols};
}

namespace {

// mass: what is shown of it; null: all.
Shown shown_cells(Frame& frame, const HeadsView& view, const MatrixView& cells,
                  std::uint64_t version, const SharedResult& mass) {
    Shown map;
    map.set_cells(cells, version);
    Magnitudes own;
    const bool shared = frame.state.look.range == RangeMode::shared;
    if (!shared) own.add(cells);
    map.scale =
        attention_scale(frame.state.look, shared ? *view.sizes : own, frame.trace.layout.count());
    if (!mass) return map;
    const MatrixView held = mass->view();
    map.cells = {held.data, static_cast<int>(held.rows), static_cast<int>(held.cols),
                 static_cast<int>(held.stride), mass->version()};
    map.scale.nan = {0, 0, 0};
    return map;
}

}  // namespace

Shown shown_map(Frame& frame, const HeadsView& view, const HeadPlace& place, std::size_t query) {
    const MatrixView patches = patches_of(frame, view, place, query);
    if (patches.empty()) return {};
    return shown_cells(frame, view, patches,
                       view.all().of(query)[static_cast<std::size_t>(place.layer)]->version(),
                       view.masses == nullptr ? nullptr : (*view.masses)[query].at(place));
}

Shown shown_map(Frame& frame, const HeadsView& view, const Combination& of, std::size_t query) {
    const SharedResult& cells = of.cells[query];
    return shown_cells(frame, view, cells->view(), cells->version(),
                       of.mass.empty() ? nullptr : of.mass[query]);
}

Index patches_shown(const HeadsView& view, const HeadPlace& place) {
    const auto cells = (*view.masses)[view.query()].at(place)->view().eigen().array();
    return (cells == cells).count();  // NaN is not itself
}

const HeadNumbers& numbers_of(const Frame& frame, const HeadPlace& place) {
    return frame.summary
        .layers[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
}

std::string name_of_head(const Frame& frame, const HeadPlace& place) {
    return frame.trace.model->layers[static_cast<std::size_t>(place.layer)].name + " · head " +
           std::to_string(place.head + 1);
}

int most_heads(const HeadsView& view) {
    int most = 1;
    for (const HeadTile& tile : view.tiles) most = std::max(most, tile.place.head + 1);
    return most;
}

}  // namespace headlight::screens
