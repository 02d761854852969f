#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frame/shown.h"
#include "look/runs.h"
#include "program/head_place.h"

// What the parts of the first screen share.
namespace headlight::screens {

// How the token that asks was found.
enum class Asking { hovered, pinned, usual };

// The rows of attention of one token, [heads, tokens] for each layer; null where none are kept.
struct AttentionRows {
    std::shared_ptr<const Trace> trace;  // that they belong to, with its summary
    std::shared_ptr<const Summary> summary;
    Index token = -1;
    std::vector<SharedResult> layers;
    std::vector<Index> reachable;  // by layer: the tokens that some head gives any weight
};

// Remembered between frames.
struct LookMemory {
    AttentionRows rows;
    std::optional<HeadPlace> hovered, next_hovered;  // in the grid of heads
    std::optional<HeadPlace> in_sight;               // was last scrolled to
    std::optional<HeadPlace> awaited;  // was clicked; chosen once its layer is computed
    long moves_at_key = -1;            // of the pointer, when an arrow key last moved the patch
    Runs answer;                       // the last one, until the next has been computed
    // The tokens that the last one is most similar to, and of which trace and token that is known.
    struct Nearest {
        std::shared_ptr<const Trace> trace;
        Index token = -1;
        std::vector<std::pair<Index, float>> tokens;
    } nearest;
};

struct LookView {
    int token = 0;  // that asks, of the layer that is looked at
    Asking asking = Asking::usual;
    const AttentionRows* rows = nullptr;
    HeadPlace chosen, shown;  // shown: hovered in the grid, else chosen

    [[nodiscard]] bool has(const HeadPlace& place) const;
    [[nodiscard]] Index heads(int layer) const;  // 0: the layer keeps no attention
    [[nodiscard]] int most_heads() const;        // of a layer
    [[nodiscard]] int count() const;             // of all layers
};

// ---- maps.cpp

LookView view_of(Frame& frame, LookMemory& memory);
// A head's attention from the token to all tokens, [1, N], and to the patches in their grid.
MatrixView row_of(const LookView& view, const HeadPlace& place);
MatrixView patches_of(const Frame& frame, const LookView& view, const HeadPlace& place);
const PatchGrid& patch_grid_of(const Frame& frame, int layer);
// How many tokens it may attend to there, so that 1 / n each would be even: windows and masks
// leave less than all.
Index reachable(const LookView& view, int layer);
// The patches, in brightness that says how many times even attention they get.
Shown shown_map(const Frame& frame, const LookView& view, const HeadPlace& place);
// From black, which is no attention, past 1, which is 1 / tokens each, to so many times that.
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
// What a token is called here: the shape that it lies on, "token 15 · row 2, column 5", its name.
std::string place_words(Frame& frame, Index token);
// The tokens nearest to the one that asks, after the last layer; none where the model has classes.
const std::vector<std::pair<Index, float>>& nearest_to(Frame& frame, LookMemory& memory,
                                                       Index token);

// ---- the parts of the screen

void heads_grid_of_look(Frame& frame, const ui::Rect& rect, const LookView& view,
                        LookMemory& memory);
// Takes its row from the top.
void say_question(Frame& frame, ui::Rect& rest);
// The heads, what they look at ("picture"), and the ways on from here: walk, photograph, lesson.
void heads_column(Frame& frame, ui::Rect rest, const LookView& view, LookMemory& memory,
                  const std::string& what);
// Instead of the picture: tokens that were given.
void look_at_given(Frame& frame, ui::Rect rect, LookView& view, LookMemory& memory);

// A word of a sentence, and the attention weight that it gets from the word in focus.
struct WordPlace {
    ui::Rect place;
    float weight = 0;
    std::string name;
};
// Arrows below a line of words, from the word in focus to each word: the thicker, the larger its
// weight.
void word_arrows(Frame& frame, const ui::Rect& rect, const std::vector<WordPlace>& words,
                 int focus);

ui::TextStyle lead_style(const Frame& frame, float width);  // of the sentences

}  // namespace headlight::screens
