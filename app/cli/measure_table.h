#pragma once

#include <string>
#include <vector>

#include "measures/measure_heads.h"

// The table that `headlight measure` writes.
namespace headlight::cli {

// One of its columns after image, layer and head.
struct MeasureColumn {
    HeadMeasure measure{};
    std::string unit;   // of the numbers in the table; "" of pure numbers
    double factor = 1;  // table = factor · what was measured
    std::string about;  // one phrase
};

class MeasureTable {
  public:
    explicit MeasureTable(std::vector<MeasureColumn> columns);

    // All heads of an image.
    void add(const std::string& image, const MeasuredHeads& measured, const Model& model);

    [[nodiscard]] std::size_t rows() const { return layers_.size(); }
    // RFC 4180 with a line of names; NaN is an empty field.
    [[nodiscard]] std::string csv() const;
    // Arrays by the columns' names: image <U, layer and head <i4, the measures <f8.
    [[nodiscard]] std::string npz() const;

  private:
    std::vector<MeasureColumn> columns_;
    std::vector<std::string> images_;     // by image
    std::vector<std::int32_t> image_of_;  // by row
    std::vector<std::int32_t> layers_, heads_;
    std::vector<std::vector<double>> cells_;  // by column
};

}  // namespace headlight::cli
