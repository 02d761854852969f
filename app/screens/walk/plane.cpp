#include "walk/plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "analysis/denoising.h"

namespace headlight::screens {

namespace {

// A vector that is being dragged.
struct VectorGrip {
    int vector = -1;    // -1: none
    std::string plane;  // in which of the planes
    bool moved = false;
    float dx = 0, dy = 0;  // from the pointer to the tip, in pixels
    float reach = 0;       // of the plane, which is fixed meanwhile
};

constexpr float kDragStarts = 4;  // pixels from the press: less is a click
constexpr float kGrasp = 14;      // units around a tip

// Maps vectors to the screen. A third coordinate is drawn as depth.
class PlanePlace {
  public:
    PlanePlace(const ui::Rect& rect, float reach) : middle_(rect.center()) {
        per_unit_ = std::min(rect.w, rect.h) / 2 / reach;
    }

    [[nodiscard]] ImVec2 at(float x, float y, float z = 0) const {
        return {middle_.x + (x - kDepthX * z) * per_unit_,
                middle_.y - (y - kDepthY * z) * per_unit_};
    }
    [[nodiscard]] ImVec2 tip(const float* numbers, Index width) const {
        return at(numbers[0], numbers[1], width > 2 ? numbers[2] : 0);
    }
    [[nodiscard]] ImVec2 origin() const { return middle_; }
    // For a known depth.
    [[nodiscard]] std::array<float, 2> plane_at(ImVec2 point, float z) const {
        return {(point.x - middle_.x) / per_unit_ + kDepthX * z,
                (middle_.y - point.y) / per_unit_ + kDepthY * z};
    }
    [[nodiscard]] float per_unit() const { return per_unit_; }

  private:
    ImVec2 middle_;
    float per_unit_ = 1;
};

// The output, if it is in the same plane.
MatrixView output_of(const Frame& frame, const VectorSet& set) {
    const MatrixView output = frame.trace.view(Tensor::output);
    const bool fits =
        output.cols == set.width() && output.rows == static_cast<Index>(set.vectors.size());
    return fits ? output : MatrixView{};
}

// The range of the axes, in round steps.
float reach_of(const Frame& frame, const VectorSet& set) {
    float most = 0;
    const auto see = [&](const float* numbers, Index width) {
        const float z = width > 2 ? numbers[2] : 0;
        most = std::max(
            {most, std::abs(numbers[0] - kDepthX * z), std::abs(numbers[1] - kDepthY * z)});
    };
    for (const NamedVector& vector : set.vectors) see(vector.at.data(), set.width());
    const MatrixView output = output_of(frame, set);
    for (Index i = 0; i < output.rows; ++i) see(output.row(i), output.cols);
    for (float decade = 1;; decade *= 10)
        for (const float step : {1.0F, 1.5F, 2.0F, 3.0F, 5.0F, 7.5F})
            if (most * 1.15F <= step * decade) return step * decade;
}

// ---- drawing

// Lines at round numbers, if they are far enough apart. A number is left out where the name of a
// vector is, or the plane ends.
void draw_axes(Frame& frame, const ui::Rect& rect, const PlanePlace& place, float reach, bool deep,
               const std::vector<ui::Rect>& names) {
    ui::Canvas canvas(frame.ui);
    const float step = reach > 50 ? 25 : reach > 20 ? 10 : reach > 5 ? 5 : 1;
    const ui::TextStyle style = frame.mono_dim();
    const bool readable = place.per_unit() * step > frame.px(16);
    const auto lines = [&](float half) {
        return readable ? static_cast<int>(half / place.per_unit() / step) : 0;
    };
    const auto ink = [&](int i) {
        return i == 0 ? frame.colors().faint : ui::with_alpha(frame.colors().border, 0.7F);
    };
    // At the edges, where no vector covers them.
    const auto number = [&](ImVec2 at, int i) {
        if (i == 0) return;
        const int value = i * static_cast<int>(step);
        const std::string text = (value < 0 ? "−" : "") + std::to_string(std::abs(value));
        const ui::Rect box{at.x, at.y, canvas.measure(text, style), frame.line()};
        const bool covered = std::ranges::any_of(
            names, [&](const ui::Rect& name) { return name.common(box).area() > 0; });
        if (!covered && box.x + box.w <= rect.x + rect.w) canvas.text(at, text, style);
    };
    // Only as many numbers as have room.
    const auto every = [&](float room) {
        return std::max(1, static_cast<int>(std::ceil(room / (place.per_unit() * step))));
    };
    const int across = lines(rect.w / 2), down = lines(rect.h / 2);
    const int column = every(canvas.measure("−5", style) + frame.px(6)), row = every(frame.line());
    const float foot = rect.y + rect.h - frame.line() - frame.px(2);
    for (int i = -across; i <= across; ++i) {
        const float x = place.at(static_cast<float>(i) * step, 0).x;
        canvas.line({x, rect.y}, {x, rect.y + rect.h}, ink(i));
        if (i % column == 0) number({x + frame.px(3), foot}, i);
    }
    for (int i = -down; i <= down; ++i) {
        const float y = place.at(0, static_cast<float>(i) * step).y;
        canvas.line({rect.x, y}, {rect.x + rect.w, y}, ink(i));
        if (i % row == 0 && y < foot - frame.line())
            number({rect.x + frame.px(5), y + frame.px(1)}, i);
    }
    if (deep) canvas.line(place.at(0, 0, -reach), place.at(0, 0, reach), frame.colors().faint);
}

void dashed(ui::Canvas& canvas, ImVec2 from, ImVec2 to, ImU32 color, float thick, float dash) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1) return;
    const auto point = [&](float way) {
        const float part = std::min(way / length, 1.0F);
        return ImVec2{from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
    };
    for (float way = 0; way < length; way += dash * 2)
        canvas.line(point(way), point(way + dash), color, thick);
}

// Its weighted vectors chained head to tail; they end at the output.
void draw_chain(Frame& frame, const PlanePlace& place, const VectorSet& set, int token) {
    const Tensor weights = frame.trace.node(Step::mix)->operands[0];
    const MatrixView attention = frame.trace.view(weights);
    std::array<float, 3> sum{};
    ImVec2 from = place.origin();
    for (Index j = 0; j < attention.cols; ++j) {
        const auto& vector = set.vectors[static_cast<std::size_t>(j)];
        for (std::size_t c = 0; c < vector.at.size(); ++c)
            sum.at(c) += attention(token, j) * vector.at[c];
        const ImVec2 to = place.at(sum[0], sum[1], sum[2]);
        const ImU32 color = vector_color(frame, static_cast<std::size_t>(j));
        ui::Canvas(frame.ui).line(from, to, ui::with_alpha(color, 0.45F), frame.px(7));
        from = to;
    }
}

// Vectors with the same tip, which share a label.
struct NamedTip {
    ImVec2 tip{};
    std::vector<std::size_t> vectors;
};

std::vector<NamedTip> named_tips(const Frame& frame, const PlanePlace& place,
                                 const VectorSet& set) {
    std::vector<NamedTip> labels;
    const float same = frame.px(3);
    for (std::size_t i = 0; i < set.vectors.size(); ++i) {
        const ImVec2 tip = place.tip(set.vectors[i].at.data(), set.width());
        const auto found = std::ranges::find_if(labels, [&](const NamedTip& label) {
            return std::hypot(label.tip.x - tip.x, label.tip.y - tip.y) < same;
        });
        if (found == labels.end())
            labels.push_back({tip, {i}});
        else
            found->vectors.push_back(i);
    }
    return labels;
}

// In a small plane, only one of the vectors with the same tip is named: the one in focus, if it is
// among them.
void name_only_one(const Frame& frame, NamedTip& label) {
    const auto lit = std::ranges::find_if(
        label.vectors, [&](std::size_t i) { return frame.focus.token == static_cast<int>(i); });
    label.vectors = {lit != label.vectors.end() ? *lit : label.vectors.front()};
}

// A name in a label, and its place from the label's upper left corner.
struct NamePart {
    std::string text;
    ui::TextStyle style;
    ImVec2 at{};
};

// The names of the vectors in lines of at most that width; each name once.
std::vector<NamePart> name_parts(const Frame& frame, const VectorSet& set, const NamedTip& label,
                                 ui::Size size, float width) {
    const ui::Canvas canvas(frame.ui);
    std::vector<NamePart> parts;
    for (const std::size_t i : label.vectors) {
        const bool lit = frame.focus.token == static_cast<int>(i);
        const ui::TextStyle style{.face = lit ? ui::Face::bold : ui::Face::words,
                                  .size = size,
                                  .color = vector_color(frame, i)};
        const std::string name = vector_name(set, i);
        const auto same = std::ranges::find(parts, name, &NamePart::text);
        if (same == parts.end())
            parts.push_back({name, style});
        else if (lit)
            same->style = style;
    }
    ImVec2 at{};
    for (NamePart& part : parts) {
        if (&part != &parts.back()) part.text += ',';
        const float wide = canvas.measure(part.text, part.style);
        if (at.x > 0 && at.x + wide > width) at = {0, at.y + frame.line(size)};
        part.at = at;
        at.x += wide + canvas.measure(" ", part.style);
    }
    return parts;
}

// Above or below where it would cover another label.
ui::Rect free_place(const ui::Rect& wished, const ui::Rect& room,
                    const std::vector<ui::Rect>& taken) {
    const auto is_free = [&](const ui::Rect& rect) {
        return rect.y >= room.y && rect.y + rect.h <= room.y + room.h &&
               std::ranges::none_of(
                   taken, [&](const ui::Rect& other) { return rect.common(other).area() > 0; });
    };
    constexpr int kMostShifts = 12;
    for (int shift = 0; shift <= kMostShifts; ++shift)
        for (const float way : {1.0F, -1.0F}) {
            ui::Rect rect = wished;
            rect.y += way * static_cast<float>(shift) * wished.h / 4;
            if (is_free(rect)) return rect;
        }
    return wished;
}

// The names beside one tip.
struct PlacedNames {
    ui::Rect block;
    std::vector<NamePart> parts;
};

// Inside the plane, and without covering each other if possible.
std::vector<PlacedNames> place_names(Frame& frame, const ui::Rect& rect, const PlanePlace& place,
                                     const VectorSet& set, ui::Size size) {
    const ui::Canvas canvas(frame.ui);
    const ImVec2 origin = place.origin();
    const float out = frame.px(12), edge = frame.px(4);
    std::vector<PlacedNames> all;
    std::vector<ui::Rect> taken;
    const bool small = std::min(rect.w, rect.h) < 5 * frame.line(size);
    for (NamedTip& label : named_tips(frame, place, set)) {
        if (small) name_only_one(frame, label);
        const bool left = label.tip.x < origin.x;
        const float room = left ? label.tip.x - out - rect.x : rect.x + rect.w - label.tip.x - out;
        auto parts = name_parts(frame, set, label, size, room);
        float wide = 0, tall = 0;
        for (const NamePart& part : parts) {
            wide = std::max(wide, part.at.x + canvas.measure(part.text, part.style) + 2);
            tall = std::max(tall, part.at.y + frame.line(size));
        }
        const auto inside = [&](float at, float size_of, float low, float room_of) {
            return std::clamp(at, low + edge, std::max(low + edge, low + room_of - size_of - edge));
        };
        const float x = inside(label.tip.x + (left ? -wide - out : out), wide, rect.x, rect.w);
        const float y =
            inside(label.tip.y + (label.tip.y < origin.y ? -tall : 0), tall, rect.y, rect.h);
        const ui::Rect block = free_place({x, y, wide, tall}, rect, taken);
        taken.push_back(block);
        all.push_back({block, std::move(parts)});
    }
    return all;
}

void draw_names(Frame& frame, const std::vector<PlacedNames>& names) {
    ui::Canvas canvas(frame.ui);
    for (const auto& [block, parts] : names)
        for (const NamePart& part : parts)
            canvas.label({block.x + part.at.x, block.y + part.at.y,
                          canvas.measure(part.text, part.style) + 2, frame.line(part.style.size)},
                         part.text, part.style);
}

void draw_vectors(Frame& frame, const PlanePlace& place, const VectorSet& set,
                  const std::string& name) {
    ui::Canvas canvas(frame.ui);
    const ImVec2 origin = place.origin();
    for (std::size_t i = 0; i < set.vectors.size(); ++i) {
        const bool lit = frame.focus.token == static_cast<int>(i);
        const ImU32 color = vector_color(frame, i);
        const ImVec2 tip = place.tip(set.vectors[i].at.data(), set.width());
        canvas.line(origin, tip, color, frame.px(lit ? 4.0F : 2.5F));
        canvas.circle(tip, frame.px(lit ? 5.5F : 4), color);
        frame.ui.name(fmt::format("{}.{}", name, i + 1),
                      {{tip.x - 1, tip.y - 1, 2, 2}, {0, 0, 0, 0}});
    }
}

void draw_outputs(Frame& frame, const PlanePlace& place, const VectorSet& set,
                  const std::string& name) {
    const MatrixView output = output_of(frame, set);
    ui::Canvas canvas(frame.ui);
    for (Index i = 0; i < output.rows; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const bool lit = frame.focus.token == static_cast<int>(i);
        const ImU32 color = vector_color(frame, index);
        const ImVec2 ring = place.tip(output.row(i), output.cols);
        if (lit)
            dashed(canvas, place.tip(set.vectors[index].at.data(), set.width()), ring, color,
                   frame.px(1.5F), frame.px(4));
        canvas.circle(ring, frame.px(lit ? 9 : 7), color, frame.px(lit ? 3.0F : 2.0F));
        frame.ui.name(fmt::format("{}.output.{}", name, i + 1),
                      {{ring.x - 1, ring.y - 1, 2, 2}, {0, 0, 0, 0}});
    }
}

// ---- the mouse

int vector_under(const Frame& frame, const PlanePlace& place, const VectorSet& set, ImVec2 at) {
    int nearest = -1;
    float least = frame.px(kGrasp);
    for (std::size_t i = 0; i < set.vectors.size(); ++i) {
        const ImVec2 tip = place.tip(set.vectors[i].at.data(), set.width());
        const float away = std::hypot(at.x - tip.x, at.y - tip.y);
        if (away <= least) least = away, nearest = static_cast<int>(i);
    }
    return nearest;
}

// Moves the vector to the pointer; with Shift along the third axis.
void pull(Frame& frame, const ui::Rect& rect, const PlanePlace& place, const NamedVector& vector) {
    const VectorGrip& grip = frame.memory.own<VectorGrip>();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 to{std::clamp(mouse.x + grip.dx, rect.x, rect.x + rect.w),
                    std::clamp(mouse.y + grip.dy, rect.y, rect.y + rect.h)};
    std::vector<float> at = vector.at;
    const float z = at.size() > 2 ? at[2] : 0;
    const auto [x, y] = place.plane_at(to, z);
    if (at.size() > 2 && ImGui::GetIO().KeyShift) {
        const float along = (x - at[0]) * -kDepthX + (y - at[1]) * -kDepthY;
        at[2] += along / (kDepthX * kDepthX + kDepthY * kDepthY);
    } else {
        at[0] = x;
        at[1] = y;
    }
    Command move{"set-vector", {std::to_string(grip.vector + 1)}};
    bool moved = false;
    for (std::size_t c = 0; c < at.size(); ++c) {
        const float rounded = std::round(std::clamp(at[c], -100.0F, 100.0F) * 100) / 100;
        moved = moved || rounded != vector.at[c];
        move.args.push_back(fmt::format("{}", rounded == 0 ? 0 : rounded));
    }
    if (moved) frame.out.push_back(std::move(move));
}

void drag(Frame& frame, const ui::Rect& rect, const std::string& name, const PlanePlace& place,
          const ui::Interaction& mouse) {
    VectorGrip& grip = frame.memory.own<VectorGrip>();
    const auto* set = std::get_if<VectorSet>(&frame.state.recipe.tokens);
    if (grip.vector < 0 || grip.plane != name) return;
    if (set == nullptr || grip.vector >= static_cast<int>(set->vectors.size()))
        return void(grip = {});  // it was removed by an undo
    if (mouse.held) {
        grip.moved = grip.moved || ImGui::IsMouseDragging(0, frame.px(kDragStarts));
        if (grip.moved)
            pull(frame, rect, place, set->vectors[static_cast<std::size_t>(grip.vector)]);
        return;
    }
    if (grip.moved) frame.memory.gesture_ended = true;
    grip = {};
}

void take_mouse(Frame& frame, const ui::Rect& rect, const std::string& name,
                const PlanePlace& place, const VectorSet& set, float reach) {
    const auto mouse = ui::interact(frame.ui, name, rect);
    VectorGrip& grip = frame.memory.own<VectorGrip>();
    const ImVec2 at = ImGui::GetIO().MousePos;
    const bool held = grip.vector >= 0 && grip.plane == name;
    const int under = held ? grip.vector : mouse.hovered ? vector_under(frame, place, set, at) : -1;
    if (under >= 0) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
        frame.memory.next_hovered.token = under;
        if (!held && mouse.hovered && ImGui::IsMouseClicked(0) && !frame.before()) {
            const ImVec2 tip =
                place.tip(set.vectors[static_cast<std::size_t>(under)].at.data(), set.width());
            grip = {under, name, false, tip.x - at.x, tip.y - at.y, reach};
            frame.say("focus", std::to_string(under));
        }
    }
    drag(frame, rect, name, place, mouse);
}

}  // namespace

const VectorSet* vectors_of(const Frame& frame) {
    return std::get_if<VectorSet>(&frame.recipe.tokens);
}

bool mixes_vectors(const Frame& frame) {
    const AttentionConfig& config = frame.trace.config;
    return vectors_of(frame) != nullptr && frame.trace.model->layers.size() == 1 &&
           config.variant.projections == Projections::none && config.heads == 1 &&
           config.skip == Skip::none && config.variant.dropout.output == 0 &&
           frame.trace.has(Step::mix) && !frame.trace.has(Step::position) &&
           switched_off(frame.trace).empty();
}

bool stage_shows_tokens(const Frame& frame) {
    const Node& node = frame.node();
    if (node.op == Op::given || node.op == Op::array || node.op == Op::curve ||
        node.op == Op::windows)
        return true;
    if (node.op != Op::add || node.result() != Tensor::output) return false;
    const auto denoising = denoising_of(frame.trace);
    return mixes_vectors(frame) || (denoising && !denoising->attended.empty());
}

// The hues of heads, which are distinct, adjusted in lightness for text.
ImU32 vector_color(const Frame& frame, std::size_t i) {
    constexpr double kReadable = 4.5;
    const ui::Palette& colors = frame.colors();
    const ImU32 hue = colors.head(static_cast<int>(i));
    ImU32 color = hue;
    for (float part = 0.1F; part < 1 && ui::contrast(color, colors.card) < kReadable; part += 0.1F)
        color = ui::mix(hue, colors.text, part);
    return color;
}

void plane(Frame& frame, const ui::Rect& rect, const std::string& name) {
    const VectorSet* set = vectors_of(frame);
    if (set == nullptr || rect.empty()) return;
    const VectorGrip& grip = frame.memory.own<VectorGrip>();
    const float reach = grip.vector >= 0 && grip.plane == name ? grip.reach : reach_of(frame, *set);
    const PlanePlace place(rect, reach);
    const bool large = rect.h > frame.px(330);
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    {
        const auto clip = canvas.clip(rect);
        const auto names =
            place_names(frame, rect, place, *set, large ? ui::Size::body : ui::Size::small);
        std::vector<ui::Rect> blocks;
        for (const PlacedNames& each : names) blocks.push_back(each.block);
        draw_axes(frame, rect, place, reach, set->width() > 2, blocks);
        const bool chain = mixes_vectors(frame) && frame.focus.token && !frame.difference();
        if (chain) draw_chain(frame, place, *set, *frame.focus.token);
        draw_vectors(frame, place, *set, name);
        draw_names(frame, names);
        draw_outputs(frame, place, *set, name);
    }
    take_mouse(frame, rect, name, place, *set, reach);
}

namespace {

// A piece of the weighted sum, which is not broken.
struct Summand {
    std::string words, name;
    ImU32 color = 0;
    ui::Face face = ui::Face::words;  // of the name
};

std::vector<Summand> summands_of(const Frame& frame, std::string_view space) {
    const VectorSet& set = *vectors_of(frame);
    const auto token = static_cast<std::size_t>(*frame.focus.token);
    const MatrixView weights = frame.trace.view(frame.trace.node(Step::mix)->operands[0]);
    const std::string name = vector_name(set, token);
    const bool numbered = set.vectors[token].word.empty();
    std::vector<Summand> summands{{"", numbered ? "y" + name.substr(1) : name + "′",
                                   vector_color(frame, token), ui::Face::bold}};
    for (Index j = 0; j < weights.cols; ++j) {
        const auto index = static_cast<std::size_t>(j);
        summands.push_back({fmt::format("{0}{1}{0}{2} ", space, j > 0 ? "+" : "=",
                                        ui::number(weights(static_cast<Index>(token), j), 2)),
                            vector_name(set, index), vector_color(frame, index)});
    }
    return summands;
}

float width_of_summand(Frame& frame, const Summand& summand) {
    const ui::Canvas canvas(frame.ui);
    return canvas.measure(summand.words, {}) +
           canvas.measure(summand.name, {.face = summand.face}) + 2;
}

// With wide spaces, or with narrow ones if it then fits on one line.
std::vector<Summand> summands_in(Frame& frame, float width) {
    std::vector<Summand> summands = summands_of(frame, "  ");
    float all = 0;
    for (const Summand& summand : summands) all += width_of_summand(frame, summand);
    return all <= width ? summands : summands_of(frame, " ");
}

bool has_mixture(const Frame& frame) { return mixes_vectors(frame) && frame.focus.token; }

}  // namespace

float mixture_height(Frame& frame, float width) {
    const float line = frame.line(ui::Size::body) + frame.px(6);
    if (!has_mixture(frame)) return line;
    ui::Flow flow({frame.ui, {0, 0, width, 1e6F}}, line);
    for (const Summand& summand : summands_in(frame, width))
        flow.take(width_of_summand(frame, summand));
    return flow.bottom();
}

void mixture_line(Frame& frame, const ui::Rect& rect) {
    if (!has_mixture(frame)) return;
    ui::Flow flow({frame.ui, rect}, frame.line(ui::Size::body) + frame.px(6));
    std::string said;
    for (const Summand& summand : summands_in(frame, rect.w)) {
        said += summand.words + summand.name;
        ui::Layout place = flow.take(width_of_summand(frame, summand));
        place.words_left(summand.words, {.color = frame.colors().text});
        place.words_left(summand.name, {.face = summand.face, .color = summand.color});
    }
    frame.ui.report("mixture", said);
}

}  // namespace headlight::screens
