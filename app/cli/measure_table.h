#pragma once

#include <string>
#include <vector>

#include "measures/measure_heads.h"

// The table that `headlight measure` writes.
namespace headlight::cli {

// A column after image, layer and head.
struct MeasureColumn {
    HeadMeasure measure{};
    std::string unit;   // unit in the table; "" if dimensionless
    double factor = 1;  // table value = factor · measured value
    std::string about;  // description, one phrase
};

class MeasureTable {
  public:
    explicit MeasureTable(std::vector<MeasureColumn> columns);

    // Adds all heads of an image.
    void add(const std::string& image, const MeasuredHeads& measured, const Model& model);

    [[nodiscard]] std::size_t rows() const { return layers_.size(); }
    // CSV as in RFC 4180 with a header line; NaN is an empty field.
    [[nodiscard]] std::string csv() const;
    // Arrays named after the columns: image <U, layer and head <i4, the measures <f8.
    [[nodiscard]] std::string npz() const;

  private:
    std::vector<MeasureColumn> columns_;
    std::vector<std::string> images_;     // names of the images
    std::vector<std::int32_t> image_of_;  // by row
    std::vector<std::int32_t> layers_, heads_;
    std::vector<std::vector<double>> cells_;  // by column
};

}  // namespace headlight::cli
