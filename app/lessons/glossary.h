#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

// Terms and their meanings, from the manual's glossary.
namespace headlight::lessons {

class Glossary {
  public:
    // Reads paragraphs that start with a term in bold: "**Bias, weight**: what training changes."
    static Glossary read(std::string_view markdown);

    // The meaning of a term, preceded by its name. Ignores case and accepts plurals; "" if it is no
    // term.
    [[nodiscard]] std::string_view meaning(std::string_view words) const;
    [[nodiscard]] std::size_t longest() const { return longest_; }  // in words

    struct Term {
        std::size_t words = 0;  // how many of the given words it has; 0: no term starts there
        std::string_view meaning;
    };
    // The longest term at the start of the words.
    [[nodiscard]] Term first_term(std::span<const std::string_view> words) const;

  private:
    void add(std::string_view names, const std::string& meaning);

    std::map<std::string, std::string, std::less<>> meanings_;  // by lowercase name
    std::size_t longest_ = 0;
};

// A word without surrounding punctuation: "scores" for "(scores,".
std::string_view without_punctuation(std::string_view word);

}  // namespace headlight::lessons
