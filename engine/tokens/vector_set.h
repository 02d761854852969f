#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Tokens that the user enters instead of a picture: a few short vectors, possibly with words as
// names.
namespace headlight {

// Invalid tokens. The message is one sentence.
class TokenError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline constexpr int kLeastVectors = 2, kMostVectors = 12;
inline constexpr int kLeastNumbers = 2, kMostNumbers = 3;  // per vector
inline constexpr float kMostCoordinate = 100;              // absolute value
inline constexpr std::size_t kMostLetters = 24;            // per word, in bytes

struct NamedVector {
    std::string word;  // "": it is named by its number
    std::vector<float> at;

    bool operator==(const NamedVector&) const = default;
};

// Valid if there are 2 to 12 vectors, all with 2 or all with 3 numbers within ±kMostCoordinate, and
// words of at most kMostLetters bytes.
struct VectorSet {
    std::vector<NamedVector> vectors;

    // Numbers per vector.
    [[nodiscard]] int width() const { return static_cast<int>(vectors.front().at.size()); }
    bool operator==(const VectorSet&) const = default;
};

// Throws TokenError: what was expected, what was found.
void validate(const VectorSet& set);

// The name on screen: the word, or "v₁" counted from 1.
std::string vector_name(const VectorSet& set, std::size_t i);
bool has_words(const VectorSet& set);  // true if at least one has a word

// Example sets.
struct VectorPreset {
    std::string_view name;   // in commands
    std::string_view title;  // on screen
    VectorSet set;
};
std::span<const VectorPreset> vector_presets();
const VectorPreset* find_preset(std::string_view name);  // null: there is none

}  // namespace headlight
