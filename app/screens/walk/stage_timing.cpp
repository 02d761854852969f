#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "frame/studies.h"
#include "kernels/counted.h"
#include "state/product_timing.h"
#include "walk/stages.h"

// One stacked product for queries, keys and values compared with three, timed.
namespace headlight::screens {

namespace {

struct TimingMemory {
    int run = 0;
};

std::string microseconds(double time) {
    if (time >= 1000) return ui::number(time / 1000, 3) + " ms";
    return ui::number(time, 3) + " µs";
}

struct TimedWay {
    const char *name, *title;
    std::string product;
    TimeSpread time;
};

// Its name above a bar with its median, and the quartiles as a line.
void timed_bar(Frame& frame, ui::Layout rect, const TimedWay& way, double longest, ImU32 color) {
    ui::Canvas canvas(frame.ui);
    const float line = frame.line(ui::Size::body);
    ui::Layout words = rect.top(line);
    canvas.label(words.left(words.w * 0.5F), way.title, {.face = ui::Face::bold});
    canvas.label(words, way.product, frame.mono_dim(ui::Align::right));
    rect.skip_top(6);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::body};
    const std::string text = microseconds(way.time.median);
    const float room = rect.w - canvas.measure("000.00 ms", mono) - frame.px(12);
    const auto x_of = [&](double time) {
        return rect.x + room * static_cast<float>(std::min(1.0, time / longest));
    };
    const float high = std::min(rect.h, frame.px(34) * frame.ui.text_scale());
    const ui::Rect bar{rect.x, rect.y, x_of(way.time.median) - rect.x, high};
    canvas.fill(bar, color, frame.px(3));
    const float y = bar.center().y;
    canvas.line({x_of(way.time.lower), y}, {x_of(way.time.upper), y}, frame.colors().text,
                frame.px(1.5F));
    canvas.label(
        {std::max(bar.x + bar.w, x_of(way.time.upper)) + frame.px(10), bar.y, rect.w, high}, text,
        mono);
    frame.ui.report(std::string("timing.") + way.name, text);
}

std::string product_text(const ProductTiming& timing, Index cols, const char* times) {
    return fmt::format("{}[{}, {}] · [{}, {}]", times, timing.rows, timing.depth, timing.depth,
                       cols);
}

std::string timing_words(const ProductTiming& timing) {
    const double factor = timing.apart.median / timing.stacked.median;
    const std::string compared =
        factor >= 1
            ? fmt::format("Three products take {:.2f} times as long as one.", factor)
            : fmt::format("Here one product takes {:.2f} times as long as three.", 1 / factor);
    const std::string same =
        timing.difference == 0
            ? "Both give the same numbers."
            : fmt::format("Their numbers differ by at most {:.0e}.", timing.difference);
    return fmt::format(
        "{} {} Median of {} runs on this machine, with {}; the line shows the middle half of "
        "the runs.",
        compared, same, timing.repetitions, counted(timing.threads, "thread"));
}

void draw_timing(Frame& frame, ui::Layout rect, const ProductTiming& timing, TimingMemory& memory) {
    const double longest = std::max(timing.stacked.upper, timing.apart.upper) * 1.02;
    const float wide = std::min(rect.w, frame.px(640) * frame.ui.text_scale());
    const float each = frame.px(78) * frame.ui.text_scale();
    rect = {rect.center().x - wide / 2, rect.y + std::max(0.0F, rect.h * 0.2F), wide,
            rect.h * 0.8F};
    const TimedWay stacked{"stacked", "one stacked product", product_text(timing, timing.cols, ""),
                           timing.stacked};
    const TimedWay apart{"apart", "three products", product_text(timing, timing.cols / 3, "3 × "),
                         timing.apart};
    timed_bar(frame, rect.top(each), stacked, longest, frame.colors().accent);
    timed_bar(frame, rect.top(each, 8), apart, longest, frame.colors().hue(ui::Hue::key));
    const ui::TextStyle style{.color = frame.colors().dim};
    rect.paragraph(timing_words(timing), style, 12);
    const char* again = "Measure again";
    ui::Layout row = rect.row(10);
    if (row.button_left("timing.again", again, 0, ui::ButtonLook::outlined,
                        "Measures both ways again"))
        ++memory.run;
}

}  // namespace

void stage_timing(Frame& frame, const ui::Rect& rect) {
    auto& memory = frame.memory.own<TimingMemory>();
    const TimingQuestion question{frame.shared(frame.trace), memory.run};
    const auto said = studies_of(frame).ask(kProductTiming, question);
    if (said && said->error.empty() && said->answer.repetitions > 0)
        return draw_timing(frame, {frame.ui, rect}, said->answer, memory);
    ui::Canvas(frame.ui).label(rect, said ? said->error : "Timing both ways…",
                               {.color = frame.colors().dim, .align = ui::Align::center});
}

}  // namespace headlight::screens
