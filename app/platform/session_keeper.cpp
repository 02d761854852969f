#include "platform/session_keeper.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "disk/names.h"
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

// What is under that name, where it is no file.
std::string words_for(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "a folder";
        case fs::file_type::fifo:
            return "a pipe";
        case fs::file_type::socket:
            return "a socket";
        default:
            return "a device";
    }
}

// Empty where the file is a session, or was one. Our own file's name is ours, whatever it holds.
std::string why_left_alone(const fs::path& file, Whose whose) {
    std::error_code ignored;
    const auto type = fs::status(file, ignored).type();
    const std::string expected = file.string() + ": expected a session file, found ";
    if (type != fs::file_type::regular) return expected + words_for(type);
    std::ifstream in(file, std::ios::binary);
    if (!in) return expected + "one that may not be read";
    std::string beginning(256, '\0');
    in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(in.gcount()));
    if (whose == Whose::named && !begins_like_session(beginning))
        return expected + "something else";
    return {};
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

Beginning begin_session(const fs::path& file, Whose whose, const State& first_look) {
    std::error_code ignored;
    Beginning first{first_look, {}, first_look, file};
    if (file.empty() || !fs::exists(file, ignored)) return first;
    if (const std::string why = why_left_alone(file, whose); !why.empty()) {
        if (whose == Whose::named) throw SessionError(why + ".");
        return {first_look, why + "; nothing is kept this time.", first_look, {}};
    }
    try {
        Beginning beginning{load_session(file), {}, {}, file};
        replace_missing_image(beginning);
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
    const bool has_image = !recipe.scene && recipe.image == unfinished.image;
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
    beginning.state.pinned.reset();
    beginning.state.look.compare = Compare::now;
    beginning.trouble = "The last start ended before its first picture; " + name +
                        ", which it was opening, is left out.";
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
