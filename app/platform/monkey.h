#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "platform/application.h"

namespace headlight::platform {

// Somebody who knows every command, key and widget, and nothing of what they mean. Each line is one
// for Player; the same seed and the same program give the same lines.
class Monkey {
  public:
    explicit Monkey(std::uint64_t seed) : chance_(seed) {}

    // The next line, of what the last frame showed.
    std::string next(const Application& app);

  private:
    std::size_t below(std::size_t end);
    double between(double low, double high);
    template <class List>
    const auto& one_of(const List& list) {
        return *std::next(std::begin(list), static_cast<std::ptrdiff_t>(below(std::size(list))));
    }

    std::string hand(const Application& app);
    std::string place(const Application& app);
    std::string key();
    std::string setting();
    std::string walk();
    std::string scene();
    std::string tokens();
    std::string window();
    std::string number(int high);

    std::mt19937_64 chance_;
};

}  // namespace headlight::platform
