#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frame/shown.h"
#include "look/runs.h"
#include "program/head_place.h"

// Shared by the parts of the Look screen.
namespace headlight::screens {

// How the query token was chosen.
enum class Asking { hovered, pinned, usual };

// The attention rows of one token, [heads, tokens] for each layer; null where none are kept.
struct AttentionRows {
    std::shared_ptr<const Trace> trace;  // its trace, with its summary
    std::shared_ptr<const Summary> summary;
    Index token = -1;
    std::vector<SharedResult> layers;
    std::vector<Index> reachable;  // by layer: tokens that get any weight in some head
};

// State kept between frames.
struct LookMemory {
    AttentionRows rows;
    std::optional<HeadPlace> hovered, next_hovered;  // in the grid of heads
    std::optional<HeadPlace> in_sight;               // last scrolled into view,
    float list_height = 0, list_seen = 0;            // in a list of this height, of which this much
    std::optional<HeadPlace> awaited;                // clicked; selected once its layer is computed
    long moves_at_key = -1;  // pointer moves when an arrow key last moved the patch
    Runs answer;             // the last one, until the next is computed
    // The tokens most similar to the last one, and the trace and token that they belong to.
    struct Nearest {
        std::shared_ptr<const Trace> trace;
        Index token = -1;
        std::vector<std::pair<Index, float>> tokens;
    } nearest;
};

struct LookView {
    int token = 0;  // query token of the selected layer
    Asking asking = Asking::usual;
    const AttentionRows* rows = nullptr;
    HeadPlace chosen, shown;  // shown: hovered in the grid, or else selected

    [[nodiscard]] bool has(const HeadPlace& place) const;
    [[nodiscard]] Index heads(int layer) const;  // 0: the layer keeps no attention
    [[nodiscard]] int most_heads() const;        // in any layer
    [[nodiscard]] int count() const;             // over all layers
};

// ---- maps.cpp

LookView view_of(Frame& frame, LookMemory& memory);
// A head's attention from the token to all tokens, [1, N], and to the patches in their grid.
MatrixView row_of(const LookView& view, const HeadPlace& place);
MatrixView patches_of(const Frame& frame, const LookView& view, const HeadPlace& place);
const PatchGrid& patch_grid_of(const Frame& frame, int layer);
// The number n of tokens that it can attend to; uniform attention is 1 / n. Smaller than N with
// windows or masks.
Index reachable(const LookView& view, int layer);
// The patches, with brightness proportional to multiples of uniform attention.
Shown shown_map(const Frame& frame, const LookView& view, const HeadPlace& place);
// The scale from black (no attention) past 1 (uniform, 1 / tokens) to the largest multiple shown.
ui::ColorScale times_even(Index tokens);
inline constexpr float kBrightest = 8;
inline constexpr float kMapOpacity = 0.62F;  // over the picture

// ---- words.cpp

// "layer 4", "head 3"
std::string layer_words(const Frame& frame, int layer);
std::string head_words(const Frame& frame, const HeadPlace& place);  // "layer 4, head 3"
// "Sixteen heads look at the same picture in sixteen ways"
std::string heads_title(int heads, const std::string& what);
std::string question_words(Frame& frame);
Runs answer_runs(Frame& frame, LookMemory& memory, const LookView& view);
Runs caption_runs(Frame& frame, const LookView& view);
// The name of a token here: its shape, "token 15 · row 2, column 5", or its own name.
std::string place_words(Frame& frame, Index token);
// The tokens most similar to the query after the last layer; empty for a model with classes.
const std::vector<std::pair<Index, float>>& nearest_to(Frame& frame, LookMemory& memory,
                                                       Index token);

// ---- the parts of the screen

void heads_grid_of_look(Frame& frame, const ui::Rect& rect, const LookView& view,
                        LookMemory& memory);
// Takes its row off the top.
void say_question(Frame& frame, ui::Layout& rest);
// The heads, what they look at ("picture"), and links to other places: walk, photograph, lesson.
void heads_column(Frame& frame, ui::Layout rest, const LookView& view, LookMemory& memory,
                  const std::string& what);
// Replaces the picture for given tokens.
void look_at_given(Frame& frame, ui::Rect rect, LookView& view, LookMemory& memory);

// A word of a sentence, and the attention weight from the focused word to it.
struct WordPlace {
    ui::Rect place;
    float weight = 0;
    std::string name;
};
// Arrows below a line of words, from the focused word to each word; thicker for larger weights.
void word_arrows(Frame& frame, const ui::Rect& rect, const std::vector<WordPlace>& words,
                 int focus);

ui::TextStyle lead_style(const Frame& frame, float width);  // of the sentences

}  // namespace headlight::screens
