#include "tokens/vector_set.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {

namespace {

[[noreturn]] void refuse_vectors(const std::string& what, const std::string& expected,
                                 const std::string& found) {
    throw TokenError(what + ": expected " + expected + ", found " + found + ".");
}

void check_numbers(const std::string& what, const NamedVector& vector, std::size_t width) {
    if (vector.at.size() != width)
        refuse_vectors(what, "as many numbers as the first vector has, " + std::to_string(width),
                       std::to_string(vector.at.size()));
    for (const float number : vector.at)
        if (!(std::abs(number) <= kMostCoordinate))
            refuse_vectors(what, "numbers from -100 to 100",
                           std::isnan(number) ? "NaN" : std::to_string(number));
}

void check_word(const std::string& what, const std::string& word) {
    if (word.size() > kMostLetters)
        refuse_vectors(what, "a word of at most " + std::to_string(kMostLetters) + " bytes",
                       std::to_string(word.size()));
    if (std::ranges::any_of(word, [](unsigned char c) { return c < ' ' || c == 0x7F; }))
        refuse_vectors(what, "a word on one line", "a control character");
}

std::string below_the_line(std::size_t number) {
    constexpr std::array<const char*, 10> kDigits{"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    std::string text;
    for (const char digit : std::to_string(number))
        text += kDigits.at(static_cast<std::size_t>(digit - '0'));
    return text;
}

}  // namespace

void validate(const VectorSet& set) {
    const std::size_t count = set.vectors.size();
    if (count < kLeastVectors || count > kMostVectors)
        refuse_vectors(
            "vectors",
            std::to_string(kLeastVectors) + " to " + std::to_string(kMostVectors) + " of them",
            std::to_string(count));
    const std::size_t width = set.vectors.front().at.size();
    if (width < kLeastNumbers || width > kMostNumbers)
        refuse_vectors("vectors",
                       std::to_string(kLeastNumbers) + " or " + std::to_string(kMostNumbers) +
                           " numbers in each",
                       std::to_string(width));
    for (std::size_t i = 0; i < count; ++i) {
        const std::string what = "vector " + std::to_string(i + 1);
        check_numbers(what, set.vectors[i], width);
        check_word(what, set.vectors[i].word);
    }
}

std::string vector_name(const VectorSet& set, std::size_t i) {
    const std::string& word = set.vectors[i].word;
    return word.empty() ? "v" + below_the_line(i + 1) : word;
}

bool has_words(const VectorSet& set) {
    return std::ranges::any_of(set.vectors, [](const NamedVector& v) { return !v.word.empty(); });
}

std::span<const VectorPreset> vector_presets() {
    static const std::vector<VectorPreset> presets{
        {"four",
         "four vectors",
         {{{"", {1.4F, 0.35F}}, {"", {1.1F, 0.92F}}, {"", {-0.6F, 1.21F}}, {"", {-0.95F, -0.7F}}}}},
        {"space",
         "four in space",
         {{{"", {1.4F, 0.35F, 0.2F}},
           {"", {1.1F, 0.9F, -0.5F}},
           {"", {-0.6F, 1.2F, 0.8F}},
           {"", {-0.9F, -0.7F, 1}}}}},
        // x: royal; y: from woman to man.
        {"royal",
         "king and queen",
         {{{"king", {1.8F, 1.1F}},
           {"queen", {1.8F, -1.1F}},
           {"man", {0.15F, 1.2F}},
           {"woman", {0.15F, -1.2F}}}}},
        // x: money; y: water. "bank" alone may be either.
        {"bank-money",
         "a bank with money",
         {{{"the", {0.1F, 0.1F}},
           {"bank", {1, 1}},
           {"lends", {1.3F, 0.1F}},
           {"money", {2, 0.05F}}}}},
        {"bank-river",
         "a bank by the river",
         {{{"the", {0.1F, 0.1F}},
           {"bank", {1, 1}},
           {"by the", {0.05F, 0.3F}},
           {"river", {0.1F, 2}}}}},
        // x: person; y: warmth. Only the order tells the subject of the sentence from the object.
        {"hello",
         "Hello I love you",
         {{{"Hello", {0.4F, 0.6F}},
           {"I", {1.2F, -0.3F}},
           {"love", {0.2F, 1.6F}},
           {"you", {-1.1F, 0.4F}}}}}};
    return presets;
}

const VectorPreset* find_preset(std::string_view name) {
    for (const VectorPreset& preset : vector_presets())
        if (preset.name == name) return &preset;
    return nullptr;
}

}  // namespace headlight
