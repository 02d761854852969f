#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
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

// The sources about a model, weakest first: the family's convention, the configs next to the file,
// and the user's settings. The strongest source that has a value decides.
class Decisions {
  public:
    explicit Decisions(std::vector<ModelConfig> rising) : rising_(std::move(rising)) {}

    [[nodiscard]] const std::vector<ModelConfig>& rising() const { return rising_; }

    template <typename T>
    [[nodiscard]] std::optional<Decided<T>> find(std::optional<T> ModelConfig::*field) const {
        asked_->insert(place_of(field));
        for (auto source = rising_.rbegin(); source != rising_.rend(); ++source)
            if (const auto& value = (*source).*field) return Decided<T>{*value, source->name};
        return {};
    }

    // The values of all sources, strongest first.
    template <typename T>
    [[nodiscard]] std::vector<Decided<T>> all(std::optional<T> ModelConfig::*field) const {
        asked_->insert(place_of(field));
        std::vector<Decided<T>> said;
        for (auto source = rising_.rbegin(); source != rising_.rend(); ++source)
            if (const auto& value = (*source).*field) said.push_back({*value, source->name});
        return said;
    }

    // True if the field was read, here or in an object made by above() or with().
    template <typename T>
    [[nodiscard]] bool is_asked(std::optional<T> ModelConfig::*field) const {
        return asked_->contains(place_of(field));
    }

    // The same sources on top of a convention.
    [[nodiscard]] Decisions above(ModelConfig convention) const {
        std::vector<ModelConfig> rising{std::move(convention)};
        rising.insert(rising.end(), rising_.begin(), rising_.end());
        return with(std::move(rising));
    }
    // The same with other sources.
    [[nodiscard]] Decisions with(std::vector<ModelConfig> rising) const {
        Decisions other = *this;
        other.rising_ = std::move(rising);
        return other;
    }

  private:
    // The offset of a field in a config, because pointers to members cannot be ordered.
    template <typename T>
    static std::ptrdiff_t place_of(std::optional<T> ModelConfig::*field) {
        static const ModelConfig config;
        return reinterpret_cast<const char*>(&(config.*field)) -
               reinterpret_cast<const char*>(&config);
    }

    std::vector<ModelConfig> rising_;
    std::shared_ptr<std::set<std::ptrdiff_t>> asked_ = std::make_shared<std::set<std::ptrdiff_t>>();
};

}  // namespace headlight
