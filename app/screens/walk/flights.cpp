#include "walk/flights.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headlight::screens {

namespace {

constexpr double kArrivalPart = 0.2;     // fraction of a step's animation
constexpr double kArrivalSeconds = 0.7;  // without playback, at speed 1

// Where a matrix was drawn, and whether it was transposed.
struct Lain {
    ui::Rect rect;
    bool transposed = false;
};

struct Flight {
    Lain from;
    ui::Rect to;
    bool turns = false;
    Matrix2D matrix;
    ui::HeatmapSpec spec;
};

struct Flights {
    std::optional<Step> step, before;  // the current step, and the one shown before it
    ui::Rect column;
    double arrival = 1;  // 0..1
    std::map<Step, std::map<Tensor, Lain>> lain;
    std::vector<Flight> flying;  // in this frame
};

// The last place of the tensor: at the step shown before or, if it was not there, at the nearest
// earlier step.
const Lain* place_of(const Frame& frame, const Flights& flights, Tensor tensor) {
    const auto on = [&](Step step) -> const Lain* {
        const auto places = flights.lain.find(step);
        if (places == flights.lain.end()) return nullptr;
        const auto found = places->second.find(tensor);
        return found == places->second.end() ? nullptr : &found->second;
    };
    if (flights.before)
        if (const Lain* lain = on(*flights.before)) return lain;
    const std::vector<Step>& steps = frame.work.steps();
    for (auto at = std::ranges::find(steps, frame.step()); at != steps.begin();)
        if (const Lain* lain = on(*--at)) return lain;
    return nullptr;
}

ui::Rect part_way(const ui::Rect& from, const ui::Rect& to, float part) {
    const auto mix = [part](float a, float b) { return a + (b - a) * part; };
    return {mix(from.x, to.x), mix(from.y, to.y), mix(from.w, to.w), mix(from.h, to.h)};
}

// A transposed matrix turns over: it is seen edge-on halfway, then from its other side.
void draw_flight(Frame& frame, const Flight& flight, float part) {
    ui::Rect rect = part_way(flight.from.rect, flight.to, part);
    ui::HeatmapSpec spec = flight.spec;
    if (flight.turns) {
        const float width = std::abs(1 - 2 * part);
        rect = {rect.center().x - rect.w * width / 2, rect.y, std::max(1.0F, rect.w * width),
                rect.h};
        if (part < 0.5F) {  // not turned over yet
            const Shown was =
                flight.matrix.transposed
                    ? shown(frame, flight.matrix.tensor, flight.matrix.head)
                    : shown_transposed(frame, flight.matrix.tensor, flight.matrix.head);
            spec.cells = was.cells;
            spec.window = {0, 0, static_cast<float>(was.cells.rows),
                           static_cast<float>(was.cells.cols)};
        }
    }
    if (spec.cells.empty()) return;
    ui::Canvas canvas(frame.ui);
    canvas.matrix(rect, {spec.name + ".moving", spec.cells, spec.window, spec.scale.style()});
    canvas.outline(rect, frame.colors().accent, frame.px(1));
}

}  // namespace

void begin_flights(Frame& frame, const ui::Rect& column) {
    auto& flights = frame.memory.own<Flights>();
    if (flights.column != column) flights.lain.clear();
    flights.column = column;
    flights.flying.clear();
    const Look& look = frame.state.look;
    if (flights.step != frame.step()) {
        flights.before = flights.step;
        flights.step = frame.step();
        flights.arrival = flights.before ? 0 : 1;
    }
    if (!look.motion || !look.moving_operands || frame.difference()) flights.arrival = 1;
    if (flights.arrival < 1 && frame.phase() >= 1)
        flights.arrival += std::min(ImGui::GetIO().DeltaTime, 0.1F) * look.speed / kArrivalSeconds;
    if (look.motion && look.moving_operands && frame.phase() < 1)
        flights.arrival = frame.phase() / kArrivalPart;
    flights.arrival = std::min(1.0, flights.arrival);
}

void fly_in(Frame& frame, const ui::Rect& rect, const Matrix2D& matrix,
            const ui::HeatmapSpec& spec) {
    auto& flights = frame.memory.own<Flights>();
    const bool is_result = matrix.tensor == frame.node().result();
    if (flights.arrival < 1 && !is_result)
        if (const Lain* from = place_of(frame, flights, matrix.tensor)) {
            flights.flying.push_back(
                {*from, rect, from->transposed != matrix.transposed, matrix, spec});
            ui::Canvas(frame.ui).fill(rect, frame.colors().background);
        }
    if (frame.phase() >= 1) flights.lain[frame.step()][matrix.tensor] = {rect, matrix.transposed};
}

void end_flights(Frame& frame) {
    auto& flights = frame.memory.own<Flights>();
    const auto t = static_cast<float>(flights.arrival);
    const float eased = t * t * (3 - 2 * t);
    for (const Flight& flight : flights.flying) draw_flight(frame, flight, eased);
    frame.ui.report("stage.moving", std::to_string(flights.flying.size()));
    // During playback frames are drawn anyway; while paused, operands pause too.
    if (!flights.flying.empty() && frame.phase() >= 1) frame.ui.ask_for_frame();
}

}  // namespace headlight::screens
