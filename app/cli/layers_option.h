#pragma once

#include <set>
#include <string>

namespace headlight::cli {

// --layers: "all", or numbers such as "0,2", counted from 0.
class LayersOption {
  public:
    // Throws UsageError where it is neither.
    explicit LayersOption(const std::string& text);

    [[nodiscard]] bool all() const { return chosen_.empty(); }
    [[nodiscard]] bool has(int layer) const { return all() || chosen_.contains(layer); }

    // Throws WorkError, naming the file, where it has not so many layers.
    void expect_within(int layers, const std::string& model) const;

  private:
    std::set<int> chosen_;
};

}  // namespace headlight::cli
