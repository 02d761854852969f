#include "application/link.h"

#include <zlib.h>

#include <array>
#include <optional>

#include "disk/hub_cache.h"
#include "state/first_state.h"
#include "state/portable_files.h"

namespace headlight::app {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

[[noreturn]] void refuse(const std::string& why) {
    throw SessionError("The link cannot be opened: " + why + ". Copy the whole link again.");
}

// The file, or none if none is named. Refuses other files than those of the assets folder.
std::string opened(const std::string& name) {
    std::string file = name.empty() ? "" : file_in_assets(name);
    if (file.empty() && !name.empty())
        throw SessionError("The link cannot be opened: it names " + name +
                           ", which does not come with this version of Headlight. Links open no "
                           "other files.");
    return file;
}

// ---- letters

std::string in_letters(std::string_view bytes) {
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : bytes) {
        bits = bits << 8U | static_cast<unsigned char>(c);
        for (count += 8; count >= 6; count -= 6) text += kLetters[bits >> (count - 6) & 63U];
    }
    if (count > 0) text += kLetters[bits << (6 - count) & 63U];
    return text;
}

std::string from_letters(std::string_view text) {
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t six = kLetters.find(c);
        if (six == kLetters.npos) refuse("it contains a character that links never have");
        bits = bits << 6U | static_cast<std::uint32_t>(six);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 255U);
    }
    return bytes;
}

// ---- deflate

class Stream {
  public:
    explicit Stream(std::string_view input) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
        stream_.avail_in = static_cast<uInt>(input.size());
    }
    z_stream* get() { return &stream_; }

    // The whole output of `step` (deflate or inflate). Empty if it failed, or exceeds `most` bytes.
    template <class Step>
    std::optional<std::string> all(Step step, std::size_t most) {
        std::string output;
        std::array<char, 4096> part{};
        for (int state = Z_OK; state != Z_STREAM_END;) {
            stream_.next_out = reinterpret_cast<Bytef*>(part.data());
            stream_.avail_out = part.size();
            state = step(&stream_, Z_FINISH);
            output.append(part.data(), part.size() - stream_.avail_out);
            const bool full = state == Z_BUF_ERROR && stream_.avail_out == 0;
            if ((state != Z_OK && state != Z_STREAM_END && !full) || output.size() > most)
                return {};
        }
        return output;
    }

  private:
    z_stream stream_{};
};

// With zlib's checksum, so that a changed link is refused and does not open as something else.
constexpr int kChecked = MAX_WBITS;

std::string deflated(std::string_view text) {
    Stream stream(text);
    if (deflateInit2(stream.get(), Z_BEST_COMPRESSION, Z_DEFLATED, kChecked, 9,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    const auto output = stream.all(deflate, std::string::npos);
    deflateEnd(stream.get());
    return output.value();
}

std::string inflated(std::string_view bytes) {
    Stream stream(bytes);
    if (inflateInit2(stream.get(), kChecked) != Z_OK) throw std::bad_alloc();
    const auto output = stream.all(inflate, kMostBytes);
    inflateEnd(stream.get());
    if (!output) refuse("a part of it is missing or was changed");
    return *output;
}

// ---- models of the Hub: "hub:ORG/NAME"

constexpr std::string_view kHub = "hub:";

std::string name_on_hub(const std::string& file) {
    const auto repository = hub_repository_with(file);
    return repository ? std::string(kHub) + *repository : "";
}

std::string file_of_hub(const std::string& name) {
    if (!name.starts_with(kHub) || !is_hub_repository(name.substr(kHub.size()))) return "";
    const HubName model{name.substr(kHub.size()), ""};
    for (const auto& snapshot : find_hub_snapshots(model))
        if (const auto file = checkpoint_in_snapshot(snapshot)) return file->string();
    return hub_repository_folder(model).string();
}

}  // namespace

std::string link_text(const State& state) {
    State told;
    told.recipe = with_files(state.recipe, name_in_assets);
    if (told.recipe.weights.empty()) told.recipe.weights = name_on_hub(state.recipe.weights);
    told.selection = state.selection;
    told.region = state.region;
    told.look = state.look;
    told.look.nearest_folder = name_in_assets(state.look.nearest_folder);
    return in_letters(deflated(to_json(told)));
}

State state_of_link(std::string_view text, const State& own) {
    if (text.empty()) refuse("there is nothing in it");
    const State told = from_json(inflated(from_letters(text)), "The link");
    State state = own;
    Recipe recipe = told.recipe;
    const std::string of_hub = file_of_hub(recipe.weights);
    if (!of_hub.empty()) recipe.weights.clear();
    state.recipe = with_files(std::move(recipe), opened);
    if (!of_hub.empty()) state.recipe.weights = of_hub;
    state.selection = told.selection;
    state.region = told.region;
    state.look = with_own(told.look, own.look);
    state.look.nearest_folder = opened(told.look.nearest_folder);
    state.pinned.reset();
    state.on_picture.reset();
    state.reference.clear();
    if (!has_input(state.recipe)) look_at_default(state.recipe);
    return state;
}

}  // namespace headlight::app
