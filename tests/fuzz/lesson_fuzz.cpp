#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fuzz.h"
#include "lessons/evaluate.h"
#include "lessons/read_lesson.h"
#include "program/values.h"
#include "state/command.h"

namespace {

using namespace headlight;
using namespace headlight::lessons;

// The data that expressions refer to: a trace with few tensors.
const Present& present() {
    static const State state;
    static const Trace trace = [] {
        Trace small;
        small.shape = {1, 3, 3, 2, 4};
        auto model = std::make_shared<Model>();
        model->layers.resize(1);
        small.model = std::move(model);
        small.set(Tensor::attention, make_result(Matrix::Constant(6, 3, 1.0F / 3)));
        return small;
    }();
    static const Summary summary;
    static const Recipe recipe;
    static const Present present{state, trace, summary, recipe};
    return present;
}

void compute(const std::string& expression) {
    fuzz::read_or_refuse<ValueError>([&] { (void)evaluate(expression, present()); });
}

void look_at(const Prose& prose) {
    for (const Span& span : prose)
        if (span.kind == Span::Kind::value || span.kind == Span::Kind::percent) compute(span.text);
}

}  // namespace

// A lesson from an untrusted source: it is always read, with short error messages on existing
// lines; pictures and other lessons stay in its folder, and expressions give a value or an error.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Lesson lesson = read_lesson(text);
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    fuzz::promise(lesson.problems.size() <= kMostProblems, "few problems");
    for (const Problem& problem : lesson.problems) {
        fuzz::promise(problem.line >= 1 && problem.line <= lines, "a line of the file");
        fuzz::promise(!problem.reason.empty() && problem.reason.size() < 500, "a short reason");
    }
    fuzz::promise(lesson.stops.size() <= kMostStops, "few stops");
    const Lesson whole = with_borrowed_stops(lesson, [&](const std::string&) { return lesson; });
    fuzz::promise(whole.stops.size() <= kMostStops, "few stops, with those borrowed");
    for (const Stop& stop : whole.stops) fuzz::promise(!stop.borrowed, "nothing borrowed twice");
    for (const Stop& stop : lesson.stops) {
        fuzz::promise(stop.line >= 1 && stop.line <= lines, "a line of the file");
        for (const Block& block : stop.blocks) {
            if (const auto* words = std::get_if<Text>(&block.what)) look_at(words->prose);
            if (const auto* picture = std::get_if<Picture>(&block.what))
                fuzz::promise(stays_inside(picture->file), "a picture in the folder");
            if (const auto* task = std::get_if<Task>(&block.what)) compute(task->until);
        }
    }
    return 0;
}
