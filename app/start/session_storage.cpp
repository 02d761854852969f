#include "start/session_storage.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "disk/files.h"
#include "disk/hub_cache.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "state/first_state.h"
#include "state/session.h"

namespace headlight::app {
namespace {

namespace fs = std::filesystem;

constexpr double kWriteDelay = 3.0;  // seconds from a change to saving it

// Moves the user's file aside, whatever is wrong with it.
std::string put_aside(const fs::path& file) {
    const std::string damaged = file.string() + ".damaged";
    fs::path aside = damaged;
    for (int number = 2; is_there(aside); ++number) aside = damaged + "-" + std::to_string(number);
    return rename_file(file, aside) ? " Headlight kept it as " + aside.string() + "."
                                    : std::string();
}

// What exists under that name, if it is not a file.
std::string words_for(FileKind kind) {
    switch (kind) {
        case FileKind::folder:
            return "a folder";
        case FileKind::pipe:
            return "a pipe";
        case FileKind::socket:
            return "a socket";
        default:
            return "a device";
    }
}

// Empty if the file is a session, or was one. The default session file is always ours, whatever it
// contains.
std::string why_left_alone(const fs::path& file, Whose whose) {
    const FileKind kind = state_of(file).kind;
    const std::string expected = file.string() + ": expected a session file, found ";
    if (kind != FileKind::file) return expected + words_for(kind);
    try {
        const File content = read_file(file.string());
        const FileBytes bytes =
            content.part(0, std::min<std::uint64_t>(content.size(), 256)).bytes();
        const std::string_view beginning(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (whose == Whose::named && !begins_like_session(beginning))
            return expected + "something else";
    } catch (const std::runtime_error&) {
        return expected + "one that you have no permission to read";
    }
    return {};
}

void replace_missing_image(Beginning& beginning) {
    Recipe& recipe = beginning.state.recipe;
    if (const auto* tokens = std::get_if<TokenFile>(&recipe.tokens);
        tokens != nullptr && !is_there(tokens->file)) {
        beginning.trouble = tokens->file + ": the tokens of the last session are no longer there.";
        leave_tokens(beginning.state, picture_again(beginning.state));
    }
    if (gives_tokens(recipe.tokens) || recipe.scene || is_there(recipe.image)) return;
    if (!recipe.image.empty())
        beginning.trouble = recipe.image + ": the picture of the last session is no longer there.";
    look_at_default(recipe);
}

// A baseline is only kept with its experiment.
void forget_baseline(State& state) {
    state.pinned.reset();
    state.look.compare = Compare::after;
}

}  // namespace

Beginning begin_session(const fs::path& file, Whose whose, const State& first_look) {
    Beginning first{first_look, {}, first_look, file};
    if (file.empty() || !is_there(file)) return first;
    if (const std::string why = why_left_alone(file, whose); !why.empty()) {
        if (whose == Whose::named) throw SessionError(why + ".");
        return {first_look, why + ", so this session will not be saved.", first_look, {}};
    }
    try {
        Beginning beginning{load_session(file), {}, {}, file};
        replace_missing_image(beginning);
        if (whose == Whose::own) forget_baseline(beginning.state);
        beginning.saved = beginning.state;
        return beginning;
    } catch (const SessionError& error) {
        first.trouble = error.what() + put_aside(file);
        return first;
    }
}

void leave_out(Beginning& beginning, const Recipe& unfinished) {
    Recipe& recipe = beginning.state.recipe;
    const bool has_model = !recipe.weights.empty() && recipe.weights == unfinished.weights;
    const bool has_image = input_name(recipe).empty() && recipe.image == unfinished.image;
    std::string name;
    if (has_model) {
        name = model_name(recipe.weights);
        recipe = with_model(recipe, "");
    } else if (unfinished.weights.empty() && has_image && recipe.image != default_image()) {
        name = fs::path(recipe.image).filename().string();
        look_at_default(recipe);
    } else {
        return;
    }
    forget_baseline(beginning.state);
    beginning.trouble = "Headlight did not finish starting last time. " + name +
                        ", which it was opening then, is not opened again.";
}

void leave_out_missing_model(Beginning& beginning) {
    Recipe& recipe = beginning.state.recipe;
    if (recipe.weights.empty() || is_file(recipe.weights)) return;
    const auto name = hub_repository_with(recipe.weights);
    if (!name) return;
    recipe = with_model(recipe, "");
    beginning.trouble += (beginning.trouble.empty() ? "" : " ") + *name +
                         " is not on this computer, so a random layer is used instead. To download "
                         "it, press M, enter its name and choose Get this model.";
}

std::optional<double> SessionStorage::due(const State& state, double now) {
    if (gave_up_ || file_.empty() || state == saved_) {
        changed_at_.reset();
        return std::nullopt;
    }
    if (!changed_at_) changed_at_ = now;
    return std::max(*changed_at_ + kWriteDelay - now, 0.0);
}

std::string SessionStorage::save(const State& state) {
    changed_at_.reset();
    if (file_.empty() || state == saved_) return {};
    try {
        save_session(file_, state);
        saved_ = state;
        return {};
    } catch (const SessionError& error) {
        gave_up_ = true;
        return error.what();
    }
}

}  // namespace headlight::app
