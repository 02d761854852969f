#include "lecture/lesson_command.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "disk/files.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "files/new_file.h"
#include "frame/value_text.h"
#include "lecture/handout.h"
#include "lecture/handout_picture.h"
#include "lecture/lesson_check.h"

namespace headlight::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = R"~(# The title of the lesson

What the lesson is about, in a sentence or two. The list of lessons shows this paragraph.

## The first stop

```headlight
# These commands set up the stop, one a line. Every stop begins with the same scene and model, so name
# everything that it needs. `headlight shot --help` lists the commands.
set screen walk
step softmax
head 3
focus 43
spotlight stage.result[43,*] "A call-out on a row of the matrix"
```

A paragraph. Point at [queries](symbol:query) to highlight their matrix. A [link](do:step products) runs
a command. Headlight computes the numbers: the largest weight in the row is
{percent max(attention[43,*])}. Equations are short: $A_{ij} = \exp S_{ij} / \sum_k \exp S_{ik}$.

<!-- note: For the speaker: ask who has seen a softmax before. -->

? What do the numbers of a row of attention add up to?
- [x] one
- the number of tokens
> A softmax divides every row by its sum.

! Make the row sharper, until one token gets more than nine tenths of it.
with: temperature
until: max(attention[43,*]) > 0.9
solution: set temperature 0.1

## The second stop

```headlight
set screen heads
```

Pictures lie beside the lesson: `![words](picture.png)`.

## Sources

Authors, *title*, [address](https://arxiv.org/abs/1706.03762).
)~";

std::string summary_of(const lessons::Lesson& lesson) {
    std::size_t questions = 0, tasks = 0;
    for (const lessons::Stop& stop : lesson.stops)
        for (const lessons::Block& block : stop.blocks) {
            questions += std::holds_alternative<lessons::Question>(block.what) ? 1 : 0;
            tasks += std::holds_alternative<lessons::Task>(block.what) ? 1 : 0;
        }
    return fmt::format("stops {}, questions {}, tasks {}: no mistakes", lesson.stops.size(),
                       questions, tasks);
}

// The evaluated values of a stop, as shown on the screen.
using Values = std::map<std::string, lessons::Measured>;
Values values_of(const lessons::Reader& reader) {
    Values values;
    for (const lessons::Block& block : reader.stop().blocks)
        for (const lessons::Prose* prose : lessons::proses_of(block))
            for (const lessons::Span& span : *prose)
                for (const std::string& expression : {span.text, span.condition})
                    if (const lessons::Measured* found = reader.measured(expression))
                        values[expression] = *found;
    return values;
}

std::string shown(const Values& values, const lessons::Span& span) {
    const auto found = values.find(span.text);
    if (found == values.end() || !found->second.value) return "?";
    return span.kind == lessons::Span::Kind::percent ? screens::percent_of(*found->second.value)
                                                     : screens::value_text(*found->second.value);
}

bool holds(const Values& values, const lessons::Span& span) {
    const auto found = values.find(span.condition);
    if (found == values.end() || !found->second.value) return false;
    const bool* holds = std::get_if<bool>(&*found->second.value);
    return holds != nullptr && *holds;
}

std::string picture_name(std::size_t stop) { return fmt::format("stop-{}.svg", stop + 1); }

// The lesson's own pictures, separate from those of the stops.
constexpr const char* kPictures = "pictures/";

void copy_pictures(const lessons::Lesson& lesson, const fs::path& from, const fs::path& to) {
    for (const lessons::Stop& stop : lesson.stops)
        for (const lessons::Block& block : stop.blocks) {
            const auto* picture = std::get_if<lessons::Picture>(&block.what);
            if (picture == nullptr) continue;
            if (!is_within(from / picture->file, from))
                throw CommandError(picture->file + ": expected a picture in the lesson's folder.");
            const fs::path target = to / picture->file;
            need_folder(target.parent_path());
            write_file(target.string(), read_text((from / picture->file).string()));
        }
}

}  // namespace

std::size_t check_lessons(const std::vector<fs::path>& files, std::ostream& out,
                          std::ostream& problems) {
    std::size_t count = 0;
    for (const fs::path& file : files) {
        try {
            LessonCheck check(file);
            const auto found = check.problems();
            for (const lessons::Problem& problem : found)
                problems << fmt::format("{}:{}: {}\n", file.string(), problem.line, problem.reason);
            if (found.empty()) out << file.string() << ": " << summary_of(check.lesson()) << '\n';
            count += found.size();
        } catch (const CommandError& error) {
            problems << error.what() << '\n';
            ++count;
        }
    }
    return count;
}

void write_handout(const fs::path& file, const fs::path& folder) {
    OffscreenLesson at(file);
    need_folder(folder);  // only once there is something to write
    (void)at.work().apply(command("set", "theme", "light"));
    (void)at.work().apply(command("set", "moving_operands", "off"));  // no picture halfway
    std::vector<Values> values;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < at.lesson().stops.size(); ++i) {
        at.go_to(i);
        at.describe();
        HandoutPicture picture = handout_picture(at);
        write_file((folder / picture_name(i)).string(), picture.svg);
        words.push_back(std::move(picture.words));
        values.push_back(values_of(at.reader()));
    }
    copy_pictures(at.lesson(), absolute_path(file).parent_path(), folder / kPictures);
    const HandoutSource source{[&](std::size_t stop, const lessons::Span& span) {
                                   return stop < values.size() ? shown(values[stop], span) : "?";
                               },
                               [&](std::size_t stop, const lessons::Span& span) {
                                   return stop < values.size() && holds(values[stop], span);
                               },
                               picture_name, [&](std::size_t stop) { return words[stop]; },
                               kPictures};
    write_file((folder / "index.html").string(), html_of(at.lesson(), source));
}

void begin_lesson(const fs::path& file) {
    if (!is_lesson_name(file.string()))
        throw std::runtime_error(file.string() + ": expected a name that ends in .md.");
    if (is_there(file))
        throw std::runtime_error(file.string() +
                                 ": this file exists already. Choose another name.");
    write_file(file.string(), std::string(kBeginning));
}

}  // namespace headlight::app
