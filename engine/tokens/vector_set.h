#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Tokens that a person gives by hand, instead of a picture: a few short vectors, which may be
// words.
namespace headlight {

// What cannot be given as tokens: one sentence.
class TokenError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline constexpr int kLeastVectors = 2, kMostVectors = 12;
inline constexpr int kLeastNumbers = 2, kMostNumbers = 3;  // of one vector
inline constexpr float kMostCoordinate = 100;              // either way
inline constexpr std::size_t kMostLetters = 24;            // of a word, in bytes

struct NamedVector {
    std::string word;  // "": it is called by its number
    std::vector<float> at;

    bool operator==(const NamedVector&) const = default;
};

// Valid where 2 to 12 vectors all have 2, or all have 3 numbers within ±kMostCoordinate, and words
// of at most kMostLetters bytes.
struct VectorSet {
    std::vector<NamedVector> vectors;

    // Numbers of one vector.
    [[nodiscard]] int width() const { return static_cast<int>(vectors.front().at.size()); }
    bool operator==(const VectorSet&) const = default;
};

// Throws TokenError: what was expected, what was found.
void validate(const VectorSet& set);

// As they are written: the word, or "v₁" from 1 on.
std::string vector_name(const VectorSet& set, std::size_t i);
bool has_words(const VectorSet& set);  // at least one of them is a word

// Sets to begin with.
struct VectorPreset {
    std::string_view name;   // in commands
    std::string_view title;  // on screen
    VectorSet set;
};
std::span<const VectorPreset> vector_presets();
const VectorPreset* find_preset(std::string_view name);  // null: there is none

}  // namespace headlight
