#include "model/name_words.h"

#include <cctype>

namespace headlight {

std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words;
    std::string word;
    const auto finish = [&] {
        if (!word.empty()) words.push_back(word);
        word.clear();
    };
    char before = ' ';
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalpha(byte) == 0) {
            finish();
        } else {
            const bool humps =
                std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
            if (humps) finish();
            word += static_cast<char>(std::tolower(byte));
        }
        before = c;
    }
    finish();
    return words;
}

}  // namespace headlight
