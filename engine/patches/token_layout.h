#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// What a token stands for.
enum class TokenKind { class_token, distillation_token, register_token, patch };

// How the tokens of a sequence are laid out: class token, distillation token, registers, patches.
// What a model does not have counts 0.
struct TokenLayout {
    Index class_tokens = 0;         // 0 or 1
    Index distillation_tokens = 0;  // 0 or 1
    Index registers = 0;
    Index patches = 0;
    // What the patches are called where they are none, but tokens that were given: one name each.
    // Null: they are patches.
    std::shared_ptr<const std::vector<std::string>> names = {};

    // Tokens before the patches, so also the index of the first patch's token.
    [[nodiscard]] Index prefix() const { return class_tokens + distillation_tokens + registers; }
    [[nodiscard]] Index count() const { return prefix() + patches; }
    // The caller keeps token in [0, count()).
    [[nodiscard]] TokenKind kind_of(Index token) const;

    // As they lie; names make no difference.
    friend bool operator==(const TokenLayout& a, const TokenLayout& b) {
        return a.class_tokens == b.class_tokens && a.distillation_tokens == b.distillation_tokens &&
               a.registers == b.registers && a.patches == b.patches;
    }
};

// For people: the name that it was given, or "class token", "distillation token", "register 2" (the
// third register). A patch is its row in every matrix of tokens: "token 45".
std::string token_name(const TokenLayout& layout, Index token);

}  // namespace headlight
