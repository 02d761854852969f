#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "application/application.h"

namespace headlight::app {

// A monkey tester that uses all commands, keys and widgets at random. Each line is a Player
// command. The same seed and program give the same lines.
class Monkey {
  public:
    explicit Monkey(std::uint64_t seed) : chance_(seed) {}

    // The next line, based on the last frame.
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

}  // namespace headlight::app
