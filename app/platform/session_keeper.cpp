#include "platform/session_keeper.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "platform/files.h"
#include "state/session.h"

namespace headlight::platform {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 3.0;  // seconds from a change to its writing

// What the person had stays within reach, whatever is wrong with it.
std::string put_aside(const fs::path& file) {
    std::error_code error;
    const std::string damaged = file.string() + ".damaged";
    fs::path aside = damaged;
    for (int number = 2; fs::exists(aside, error); ++number)
        aside = damaged + "-" + std::to_string(number);
    fs::rename(file, aside, error);
    return error ? std::string() : " It is kept as " + aside.string() + ".";
}

void replace_missing_image(Beginning& beginning) {
    Recipe& recipe = beginning.state.recipe;
    std::error_code ignored;
    if (recipe.scene || fs::exists(recipe.image, ignored)) return;
    if (!recipe.image.empty())
        beginning.trouble = recipe.image + ": the picture of the last session is no longer there.";
    look_at_default(recipe);
}

}  // namespace

Beginning begin_session(const fs::path& file, State first_look) {
    std::error_code ignored;
    if (file.empty() || !fs::exists(file, ignored)) return {std::move(first_look), {}};
    try {
        Beginning beginning{load_session(file), {}};
        replace_missing_image(beginning);
        return beginning;
    } catch (const SessionError& error) {
        return {std::move(first_look), error.what() + put_aside(file)};
    }
}

std::optional<double> SessionKeeper::due(const State& state, double now) {
    if (gave_up_ || file_.empty() || state == saved_) {
        changed_at_.reset();
        return std::nullopt;
    }
    if (!changed_at_) changed_at_ = now;
    return std::max(*changed_at_ + kPatience - now, 0.0);
}

std::string SessionKeeper::save(const State& state) {
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

}  // namespace headlight::platform
