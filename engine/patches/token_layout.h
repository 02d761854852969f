#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// What kind of token it is.
enum class TokenKind { class_token, distillation_token, register_token, patch };

// The order of tokens in a sequence: class token, distillation token, registers, patches. Missing
// ones count 0.
struct TokenLayout {
    Index class_tokens = 0;         // 0 or 1
    Index distillation_tokens = 0;  // 0 or 1
    Index registers = 0;
    Index patches = 0;
    // If the tokens were given instead of patches: one name each. Null: they are patches.
    std::shared_ptr<const std::vector<std::string>> names = {};

    // Number of tokens before the patches, and the index of the first patch's token.
    [[nodiscard]] Index prefix() const { return class_tokens + distillation_tokens + registers; }
    [[nodiscard]] Index count() const { return prefix() + patches; }
    // `token` must be in [0, count()).
    [[nodiscard]] TokenKind kind_of(Index token) const;

    // Compares the layout only, not the names.
    friend bool operator==(const TokenLayout& a, const TokenLayout& b) {
        return a.class_tokens == b.class_tokens && a.distillation_tokens == b.distillation_tokens &&
               a.registers == b.registers && a.patches == b.patches;
    }
};

// For people: the given name, or "class token", "distillation token", "register 2" (counted from
// 0), or "token 45" for a patch, after its row in every matrix of tokens.
std::string token_name(const TokenLayout& layout, Index token);

}  // namespace headlight
