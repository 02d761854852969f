#include "cli/measure_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/number_table.h"
#include "cli/npz_arrays.h"
#include "files/zip.h"
#include "model/model.h"

namespace headlight::cli {

MeasureTable::MeasureTable(std::vector<MeasureColumn> columns)
    : columns_(std::move(columns)), cells_(columns_.size()) {}

void MeasureTable::add(const std::string& image, const MeasuredHeads& measured,
                       const Model& model) {
    images_.push_back(image);
    const auto first = static_cast<std::size_t>(model.token_transformers());
    for (std::size_t b = first; b < measured.heads.size(); ++b)
        for (std::size_t h = 0; h < measured.heads[b].size(); ++h) {
            image_of_.push_back(static_cast<std::int32_t>(images_.size() - 1));
            layers_.push_back(static_cast<std::int32_t>(b - first + 1));
            heads_.push_back(static_cast<std::int32_t>(h + 1));
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                const MeasureColumn& column = columns_[c];
                const bool possible = info(column.measure).is_possible(model, measured.layout);
                cells_[c].push_back(possible ? column.factor * measured.heads[b][h][column.measure]
                                             : std::numeric_limits<double>::quiet_NaN());
            }
        }
}

std::string MeasureTable::csv() const {
    std::string text = "image,layer,head";
    for (const MeasureColumn& column : columns_) text += "," + std::string(name_of(column.measure));
    text += '\n';
    for (std::size_t row = 0; row < rows(); ++row) {
        append_field(text, images_[static_cast<std::size_t>(image_of_[row])], ',');
        text += "," + std::to_string(layers_[row]) + "," + std::to_string(heads_[row]);
        for (const std::vector<double>& cells : cells_) {
            text += ',';
            append_field(text, cells[row]);
        }
        text += '\n';
    }
    return text;
}

std::string MeasureTable::npz() const {
    std::vector<std::string> of_rows;
    for (const std::int32_t image : image_of_)
        of_rows.push_back(images_[static_cast<std::size_t>(image)]);
    const auto count = static_cast<std::int64_t>(rows());
    std::vector<ZipFile> files{npz_texts("image", {count}, of_rows),
                               npz_array<std::int32_t>("layer", {count}, layers_),
                               npz_array<std::int32_t>("head", {count}, heads_)};
    for (std::size_t c = 0; c < columns_.size(); ++c)
        files.push_back(
            npz_array<double>(std::string(name_of(columns_[c].measure)), {count}, cells_[c]));
    return zip_text(files);
}

}  // namespace headlight::cli
