#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/config.h"

namespace headlight {

template <typename T>
struct Decided {
    T value;
    std::string origin;  // for people: "config.json"
};

// Who says what about a model, the lowest first: the family's convention, the configs beside the
// file, what the person gave. A value is taken from the highest that has it.
class Decisions {
  public:
    explicit Decisions(std::vector<ModelConfig> rising) : rising_(std::move(rising)) {}

    [[nodiscard]] const std::vector<ModelConfig>& rising() const { return rising_; }

    template <typename T>
    [[nodiscard]] std::optional<Decided<T>> find(std::optional<T> ModelConfig::*field) const {
        for (auto source = rising_.rbegin(); source != rising_.rend(); ++source)
            if (const auto& value = (*source).*field) return Decided<T>{*value, source->name};
        return {};
    }

    // These over a convention.
    [[nodiscard]] Decisions above(ModelConfig convention) const {
        std::vector<ModelConfig> rising{std::move(convention)};
        rising.insert(rising.end(), rising_.begin(), rising_.end());
        return Decisions(std::move(rising));
    }

  private:
    std::vector<ModelConfig> rising_;
};

}  // namespace headlight
