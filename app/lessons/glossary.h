#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

// Terms and what they mean, read from the manual's glossary.
namespace headlight::lessons {

class Glossary {
  public:
    // Paragraphs that begin with terms in bold: "**Bias, weight**: what training changes."
    static Glossary read(std::string_view markdown);

    // What those words mean, in any case, in the plural too, with the term's name before it; "" of
    // words that are no term.
    [[nodiscard]] std::string_view meaning(std::string_view words) const;
    [[nodiscard]] std::size_t longest() const { return longest_; }  // in words

    struct Term {
        std::size_t words = 0;  // how many of those that were given; 0: none begins there
        std::string_view meaning;
    };
    // The longest term that the words begin with.
    [[nodiscard]] Term first_term(std::span<const std::string_view> words) const;

  private:
    void add(std::string_view names, const std::string& meaning);

    std::map<std::string, std::string, std::less<>> meanings_;  // by names in lower case
    std::size_t longest_ = 0;
};

// A word without the punctuation around it: "scores" of "(scores,".
std::string_view without_punctuation(std::string_view word);

}  // namespace headlight::lessons
