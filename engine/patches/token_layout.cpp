#include "patches/token_layout.h"

namespace headlight {

TokenKind TokenLayout::kind_of(Index token) const {
    if (token < class_tokens) return TokenKind::class_token;
    if (token < class_tokens + distillation_tokens) return TokenKind::distillation_token;
    return token < prefix() ? TokenKind::register_token : TokenKind::patch;
}

std::string token_name(const TokenLayout& layout, Index token) {
    if (token < 0 || token >= layout.count()) return "token " + std::to_string(token);
    switch (layout.kind_of(token)) {
        case TokenKind::class_token:
            return "class token";
        case TokenKind::distillation_token:
            return "distillation token";
        case TokenKind::register_token:
            return "register " +
                   std::to_string(token - layout.class_tokens - layout.distillation_tokens);
        case TokenKind::patch:
            break;
    }
    const auto place = static_cast<std::size_t>(token - layout.prefix());
    if (layout.names && place < layout.names->size()) return (*layout.names)[place];
    return "token " + std::to_string(token);
}

}  // namespace headlight
