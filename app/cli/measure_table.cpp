#include "cli/measure_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/number_table.h"
#include "files/npy.h"
#include "files/zip.h"
#include "model/model.h"

namespace headlight::cli {

namespace {

template <class Number>
ZipFile array_of(const std::string& name, const std::string& type,
                 const std::vector<Number>& numbers) {
    std::string bytes = npy_header(type, {static_cast<std::int64_t>(numbers.size())});
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
    return {name + ".npy", std::move(bytes)};
}

// How many bytes of a valid UTF-8 sequence begin there; 0: none does.
std::size_t length_at(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const std::size_t length = byte(0) < 0x80U                       ? 1
                               : byte(0) >= 0xC2U && byte(0) < 0xE0U ? 2
                               : byte(0) >= 0xE0U && byte(0) < 0xF0U ? 3
                               : byte(0) >= 0xF0U && byte(0) < 0xF5U ? 4
                                                                     : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    return length;
}

// UTF-8 as UTF-32. A file's name may hold other bytes: each becomes what Python's "surrogateescape"
// makes of it, so that os.fsencode gives the name back.
std::u32string code_points(const std::string& text) {
    std::u32string points;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = length_at(text, at);
        const auto first = static_cast<unsigned char>(text[at]);
        if (length < 2) {
            points += length == 1 ? char32_t{first} : char32_t{0xDC00U + first};
            ++at;
            continue;
        }
        char32_t point = first & (0xFFU >> (length + 1));
        for (std::size_t i = 1; i < length; ++i)
            point = point << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
        points += point;
        at += length;
    }
    return points;
}

// Texts of one width, as numpy keeps them.
ZipFile texts(const std::string& name, const std::vector<std::string>& words,
              const std::vector<std::int32_t>& which) {
    std::vector<std::u32string> all;
    std::size_t width = 1;
    for (const std::string& word : words) {
        all.push_back(code_points(word));
        width = std::max(width, all.back().size());
    }
    std::string bytes =
        npy_header("<U" + std::to_string(width), {static_cast<std::int64_t>(which.size())});
    for (const std::int32_t index : which) {
        std::u32string word = all[static_cast<std::size_t>(index)];
        word.resize(width, U'\0');
        bytes.append(reinterpret_cast<const char*>(word.data()), width * sizeof(char32_t));
    }
    return {name + ".npy", std::move(bytes)};
}

}  // namespace

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
    std::vector<ZipFile> files{texts("image", images_, image_of_),
                               array_of("layer", "<i4", layers_), array_of("head", "<i4", heads_)};
    for (std::size_t c = 0; c < columns_.size(); ++c)
        files.push_back(array_of(std::string(name_of(columns_[c].measure)), "<f8", cells_[c]));
    return zip_text(files);
}

}  // namespace headlight::cli
