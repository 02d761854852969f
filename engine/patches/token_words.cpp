#include "patches/token_words.h"

#include <charconv>

namespace headlight {

namespace {

constexpr std::string_view kClass = "class", kDistillation = "distillation", kRegister = "register",
                           kToken = "token";

// A text of digits only, as a number below `count`.
std::optional<Index> counted(std::string_view text, Index count) {
    Index number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool good = error == std::errc() && stop == end && !text.starts_with('-');
    return good && number < count ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string token_word(const TokenLayout& layout, Index token) {
    switch (layout.kind_of(token)) {
        case TokenKind::class_token:
            return std::string(kClass);
        case TokenKind::distillation_token:
            return std::string(kDistillation);
        case TokenKind::register_token:
            return std::string(kRegister) +
                   std::to_string(token - layout.class_tokens - layout.distillation_tokens);
        case TokenKind::patch:
            break;
    }
    return std::to_string(token - layout.prefix());
}

std::string token_word_on_screens(const TokenLayout& layout, Index token) {
    return token < layout.prefix() ? token_word(layout, token)
                                   : std::string(kToken) + std::to_string(token);
}

std::optional<Index> token_of_word(const TokenLayout& layout, std::string_view word) {
    if (word == kClass) return layout.class_tokens > 0 ? std::optional<Index>(0) : std::nullopt;
    const Index registers = layout.class_tokens + layout.distillation_tokens;
    if (word == kDistillation)
        return layout.distillation_tokens > 0 ? std::optional(layout.class_tokens) : std::nullopt;
    if (word.starts_with(kToken)) return counted(word.substr(kToken.size()), layout.count());
    const bool is_register = word.starts_with(kRegister);
    const auto number = is_register ? counted(word.substr(kRegister.size()), layout.registers)
                                    : counted(word, layout.patches);
    if (!number) return std::nullopt;
    return (is_register ? registers : layout.prefix()) + *number;
}

std::vector<std::string> words_of_list(std::string_view list) {
    std::vector<std::string> words;
    for (;;) {
        const std::size_t comma = list.find(',');
        words.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return words;
        list.remove_prefix(comma + 1);
    }
}

}  // namespace headlight
