#include "state/folder_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/head_table.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "state/workspace.h"

namespace headlight {

namespace {

// Writes lines of cells with any separator.
class FolderSheet {
  public:
    explicit FolderSheet(char between) : between_(between) {}

    void field(const std::string& text) {
        begin();
        append_field(text_, text, between_);
    }
    void field(double number) {
        begin();
        append_field(text_, number);
    }
    void end_line() {
        text_ += '\n';
        first_ = true;
    }
    [[nodiscard]] std::string text() const { return text_; }

  private:
    void begin() {
        if (!first_) text_ += between_;
        first_ = false;
    }

    char between_;
    bool first_ = true;
    std::string text_;
};

// The columns that the table has.
struct Columns {
    bool patches = true, answer = false, failed = false;
    const FolderQuestion& question;

    [[nodiscard]] std::size_t before_error() const {
        const auto lengths = static_cast<std::size_t>(
            std::ranges::count(run_measures(), kPixels, &HeadMeasureInfo::unit));
        return 3 + kRunMeasures + (patches ? lengths : 0) + question.on_request.size() +
               (answer ? 2 : 0);
    }
};

Columns columns_of(const FolderFinder::Said& said, int stride) {
    Columns columns{.patches = stride > 0, .question = said.question};
    for (const auto& image : said.answer.images) {
        columns.answer |= image->answer.has_value();
        columns.failed |= !image->error.empty();
    }
    return columns;
}

// A change of a probability is in percentage points.
bool is_in_points(const FolderQuestion& question, HeadMeasure measure) {
    return info(measure).unit == kPoints && has_classes(*question.model);
}

void add_head_line(FolderSheet& table, const Columns& columns) {
    for (const char* name : {"image", "layer", "head"}) table.field(std::string(name));
    for (const HeadMeasureInfo& measure : run_measures()) {
        table.field(measure.column(true));
        if (columns.patches && measure.unit == kPixels)
            table.field(std::string(measure.label) + " (patches)");
    }
    for (const HeadMeasure measure : columns.question.on_request)
        table.field(folder_noun(columns.question, measure) +
                    (is_in_points(columns.question, measure) ? " (%)" : ""));
    if (columns.answer) {
        table.field(std::string("answer"));
        table.field(std::string("its probability (%)"));
    }
    if (columns.failed) table.field(std::string("not measured"));
    table.end_line();
}

void add_failed(FolderSheet& table, const ImageMeasures& image, const Columns& columns) {
    table.field(image.path.string());
    for (std::size_t i = 1; i < columns.before_error(); ++i) table.field(std::string());
    table.field(image.error);
    table.end_line();
}

void add_heads(FolderSheet& table, const ImageMeasures& image, const Model& model, int stride,
               const Columns& columns) {
    for (std::size_t b = 0; b < image.heads.size(); ++b)
        for (std::size_t h = 0; h < image.heads[b].size(); ++h) {
            const HeadNumbers& head = image.heads[b][h];
            table.field(image.path.string());
            table.field(layer_in_tables(model.layers[b]));
            table.field(std::to_string(h + 1));
            for (const HeadMeasureInfo& measure : run_measures()) {
                table.field(head[measure.id]);
                if (columns.patches && measure.unit == kPixels)
                    table.field(head[measure.id] / stride);
            }
            for (const HeadMeasure measure : columns.question.on_request)
                table.field(head[measure] * (is_in_points(columns.question, measure) ? 100 : 1));
            if (columns.answer) {
                table.field(image.answer ? class_name(model, image.answer->index) : "");
                table.field(image.answer ? image.answer->probability * 100 : std::nan(""));
            }
            if (columns.failed) table.field(std::string());
            table.end_line();
        }
}

}  // namespace

std::string folder_table(const FolderFinder::Said& said, int stride, char between) {
    FolderSheet table(between);
    const Columns columns = columns_of(said, stride);
    add_head_line(table, columns);
    for (const auto& image : said.answer.images)
        if (image->error.empty())
            add_heads(table, *image, *said.question.model, stride, columns);
        else
            add_failed(table, *image, columns);
    return table.text();
}

std::string folder_noun(const FolderQuestion& question, HeadMeasure measure) {
    if (measure == HeadMeasure::importance && !has_classes(*question.model))
        return "change in the output when switched off (1 - cosine)";
    const HeadMeasureInfo& row = info(measure);
    if (!row.of_class) return row.column();
    const auto of_class = [&](const std::string& what) {
        return question.of_class
                   ? "the " + what + " of " + class_name(*question.model, *question.of_class)
                   : "the answer's " + what;
    };
    return fmt::format(fmt::runtime(row.noun_of_class), fmt::arg("logit", of_class("logit")),
                       fmt::arg("probability", of_class("probability")));
}

std::string folder_table_words(const FolderFinder::Said& said) {
    const auto& images = said.answer.images;
    const auto failed =
        std::ranges::count_if(images, [](const auto& image) { return !image->error.empty(); });
    const std::size_t done = images.size() - static_cast<std::size_t>(failed);
    std::string words =
        "the heads' numbers on " + std::to_string(done) + (done == 1 ? " image" : " images");
    if (failed > 0) words += ", with the errors of the other " + std::to_string(failed);
    const std::size_t all = said.question.images->size();
    if (images.size() < all)
        words += "; " + std::to_string(all - images.size()) + " are not measured yet";
    return words;
}

const FolderTable& checked(const FolderTable& table, const Workspace& work) {
    if (!table.said || table.said->answer.images.empty())
        throw CommandError(
            "There are no measurements of a folder yet. Open a folder on Heads and choose Measure "
            "all.");
    FolderQuestion present = table.said->question;
    present.recipe = work.trace_recipe();
    if (work.trace()) present.model = work.trace()->model;
    if (!(present == table.said->question))
        throw CommandError(
            "The folder was measured with another model or other settings. Choose Measure all "
            "again.");
    return table;
}

}  // namespace headlight
