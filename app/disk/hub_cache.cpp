#include "disk/hub_cache.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "disk/environment.h"
#include "disk/files.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "kernels/ascii.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kModels = "models--", kBetween = "--";

// Expands "~" to the home folder, as Python's expanduser does.
fs::path expanded(const std::string& path) {
    if (path == "~") return home_folder();
    return path.starts_with("~/") ? home_folder() / path.substr(2) : fs::path(path);
}

// The folder for caches; empty if there is no home.
fs::path cache_home() {
    if (const std::string set = environment("XDG_CACHE_HOME"); !set.empty()) return expanded(set);
    const fs::path home = home_folder();
    return home.empty() ? home : home / ".cache";
}

fs::path below(const fs::path& folder, const fs::path& more) {
    return folder.empty() ? folder : folder / more;
}

bool is_hex(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// The part before or after the slash of a repository name.
bool is_plain_name(std::string_view name) {
    constexpr std::size_t kLongest = 96;
    const auto ends = [&](char c) { return is_letter_or_digit(c) || c == '_'; };
    return !name.empty() && name.size() <= kLongest && ends(name.front()) && ends(name.back()) &&
           name.find(kBetween) == name.npos && name.find("..") == name.npos &&
           !name.ends_with(".git") && std::ranges::all_of(name, [](char c) {
               return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
           });
}

// Whether all parts between slashes stay inside the folder.
bool is_relative(std::string_view path) {
    constexpr std::size_t kLongest = 256;
    if (path.empty() || path.size() > kLongest) return false;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
    if (std::ranges::any_of(path, is_control) || path.find('\\') != path.npos) return false;
    // On Windows, a colon follows a drive letter or precedes an alternate stream.
    const bool on_windows = fs::path::preferred_separator != '/';
    if (on_windows && path.find(':') != path.npos) return false;
    while (true) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (part.empty() || part == "." || part == "..") return false;
        if (slash == path.npos) return true;
        path.remove_prefix(slash + 1);
    }
}

// The commit in a ref file, if it contains one.
std::optional<std::string> commit_of(const fs::path& ref) {
    constexpr std::uintmax_t kMost = 64;  // the commit, and whitespace that an editor appended
    const FileState state = state_of(ref);
    if (state.kind != FileKind::file || state.bytes > kMost) return {};
    try {
        std::string text = read_text(ref.string());
        text.resize(std::min(text.size(), text.find_last_not_of(" \t\r\n") + 1));
        return is_hub_commit(text) ? std::optional(text) : std::nullopt;
    } catch (const std::runtime_error&) {
        return {};
    }
}

std::optional<fs::path> newest_snapshot(const fs::path& repository) {
    std::optional<std::pair<fs::file_time_type, fs::path>> newest;
    for (const fs::path& path : list_folder(repository / "snapshots").paths) {
        if (!is_hub_commit(path.filename().string())) continue;
        const FileState state = state_of(path);
        std::pair found(state.written, path);
        if (state.kind == FileKind::folder && (!newest || *newest < found))
            newest = std::move(found);
    }
    return newest ? std::optional(std::move(newest->second)) : std::nullopt;
}

std::optional<fs::path> if_folder(const fs::path& path) {
    return is_folder(path) ? std::optional(path) : std::nullopt;
}

// The snapshot that is there of a repository's folder: of the revision (a commit, or a branch or
// tag that refs knows); where none is asked for, the one of refs/main, or else the newest.
std::optional<fs::path> find_hub_snapshot(const fs::path& repository,
                                          const std::string& revision = {}) {
    if (!revision.empty() && !is_hub_revision(revision)) return {};
    if (is_hub_commit(revision)) return if_folder(hub_snapshot(repository, revision));
    if (const auto commit = commit_of(hub_ref(repository, revision.empty() ? "main" : revision)))
        if (auto snapshot = if_folder(hub_snapshot(repository, *commit))) return snapshot;
    return revision.empty() ? newest_snapshot(repository) : std::nullopt;
}

// A path or name, and what stands behind its last "@".
std::pair<std::string, std::string> without_revision(const std::string& name) {
    const std::size_t at = name.rfind('@');
    if (at == std::string::npos) return {name, ""};
    return {name.substr(0, at), name.substr(at + 1)};
}

// A path that the user typed, possibly with a trailing slash.
fs::path written_path(std::string_view text) {
    while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
    return expanded(std::string(text));
}

bool is_repository_folder(const fs::path& path) {
    return path.filename().string().starts_with(kModels) && is_folder(path / "snapshots");
}

// `advice`: a sentence for a missing repository; may be empty.
std::string in_repository(const fs::path& repository, const std::string& name,
                          const std::string& revision, const std::string& advice = {}) {
    const auto snapshot = find_hub_snapshot(repository, revision);
    if (!snapshot)
        throw std::runtime_error(name + ": the Hub's cache has no snapshot of " +
                                 (revision.empty() ? "this model" : "revision " + revision) + " (" +
                                 repository.string() + ")." + advice);
    if (const auto file = checkpoint_in_snapshot(*snapshot)) return file->string();
    throw std::runtime_error(why_no_checkpoint_in(*snapshot) + advice);
}

// When the revision began to point to this snapshot, as far as file times tell.
fs::file_time_type time_of(const fs::path& snapshot, const std::string& revision) {
    const fs::path repository = snapshot.parent_path().parent_path();
    const FileState ref = state_of(hub_ref(repository, revision.empty() ? "main" : revision));
    return ref.kind == FileKind::file ? ref.written : state_of(snapshot).written;
}

// Without the folder's name, which the model's name implies.
std::string why_none_in(const fs::path& snapshot) {
    return why_no_checkpoint_in(snapshot).substr(snapshot.string().size() + 2);
}

void add_hub_models(std::vector<LocalModel>& models, const fs::path& cache, const std::string& part,
                    const StopFlag& stop) {
    for (const fs::path& folder : list_folder(cache).paths) {
        throw_if_stopped(stop);
        auto name = hub_repository_of(folder.filename().string());
        const auto snapshot = name ? find_hub_snapshot(folder) : std::nullopt;
        if (!snapshot) continue;
        *name += part;
        if (auto file = checkpoint_in_snapshot(*snapshot))
            models.push_back({*name, std::move(*file)});
        else
            models.push_back({*name, {}, why_none_in(*snapshot)});
    }
}

void add_torch_models(std::vector<LocalModel>& models) {
    const std::string home = environment("TORCH_HOME");
    const fs::path torch = home.empty() ? below(cache_home(), "torch") : expanded(home);
    for (const fs::path& path : list_folder(below(torch, "hub/checkpoints")).paths) {
        const std::string name = path.filename().string();
        if (!name.starts_with('.') && is_checkpoint_name(name) && is_file(path))
            models.push_back({path.stem().string(), path});
    }
}

}  // namespace

fs::path hub_cache_folder() {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
        if (const std::string set = environment(name); !set.empty()) return expanded(set);
    if (const std::string set = environment("HF_HOME"); !set.empty()) return expanded(set) / "hub";
    return below(cache_home(), "huggingface/hub");
}

fs::path part_cache_folder() { return below(cache_home(), "headlight/hub"); }

fs::path hub_token_file() {
    if (const std::string set = environment("HF_TOKEN_PATH"); !set.empty()) return expanded(set);
    if (const std::string set = environment("HF_HOME"); !set.empty())
        return expanded(set) / "token";
    return below(cache_home(), "huggingface/token");
}

fs::path feature_cache_folder() { return below(cache_home(), "headlight/features"); }

bool is_hub_offline() {
    constexpr std::array<std::string_view, 4> kYes{"1", "ON", "YES", "TRUE"};
    return std::ranges::any_of(std::array{"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"},
                               [&](const char* name) {
                                   std::string value = environment(name);
                                   for (char& c : value)
                                       if (c >= 'a' && c <= 'z')
                                           c = static_cast<char>(c - 'a' + 'A');
                                   return std::ranges::find(kYes, value) != kYes.end();
                               });
}

bool is_hub_repository(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash != name.npos && is_plain_name(name.substr(0, slash)) &&
           is_plain_name(name.substr(slash + 1));
}

bool is_hub_revision(std::string_view name) {
    return is_relative(name) && name.front() != '-' && name.find_first_of(" ~^:?*[@") == name.npos;
}

bool is_hub_commit(std::string_view name) { return name.size() == 40 && is_hex(name); }

bool is_hub_etag(std::string_view name) {
    return (name.size() == 40 || name.size() == 64) && is_hex(name);
}

bool is_hub_path(std::string_view path) { return is_relative(path); }

std::optional<HubName> parse_hub_name(std::string_view text) {
    const std::size_t at = text.find('@');
    HubName name{std::string(text.substr(0, at)), ""};
    if (!is_hub_repository(name.repository)) return {};
    if (at == text.npos) return name;
    name.revision = text.substr(at + 1);
    return is_hub_revision(name.revision) ? std::optional(name) : std::nullopt;
}

std::string hub_folder_name(std::string_view repository) {
    std::string name(kModels);
    for (const char c : repository) name += c == '/' ? std::string(kBetween) : std::string(1, c);
    return name;
}

std::optional<std::string> hub_repository_of(std::string_view folder_name) {
    if (!folder_name.starts_with(kModels)) return {};
    folder_name.remove_prefix(kModels.size());
    std::string name(folder_name);
    if (const std::size_t between = name.find(kBetween); between != name.npos)
        name.replace(between, kBetween.size(), "/");
    const bool is_name =
        name.find('/') == name.npos ? is_plain_name(name) : is_hub_repository(name);
    return is_name ? std::optional(name) : std::nullopt;
}

std::optional<std::string> hub_repository_with(const fs::path& path) {
    for (const fs::path& cache : {hub_cache_folder(), part_cache_folder()}) {
        const fs::path inside = path.lexically_relative(cache);
        if (cache.empty() || inside.empty()) continue;
        if (auto name = hub_repository_of(inside.begin()->string())) return name;
    }
    return {};
}

fs::path hub_repository_folder(const HubName& name) {
    return below(hub_cache_folder(), hub_folder_name(name.repository));
}

fs::path part_repository_folder(const HubName& name) {
    return below(part_cache_folder(), hub_folder_name(name.repository));
}

fs::path hub_blob(const fs::path& repository, std::string_view etag) {
    return repository / "blobs" / etag;
}

fs::path hub_ref(const fs::path& repository, std::string_view revision) {
    return repository / "refs" / revision;
}

fs::path hub_snapshot(const fs::path& repository, std::string_view commit) {
    return repository / "snapshots" / commit;
}

std::vector<fs::path> find_hub_snapshots(const HubName& name) {
    std::vector<fs::path> found;
    for (const fs::path& repository : {hub_repository_folder(name), part_repository_folder(name)}) {
        if (repository.empty()) continue;  // the location of the cache is unknown
        if (auto snapshot = find_hub_snapshot(repository, name.revision))
            found.push_back(std::move(*snapshot));
    }
    if (found.size() == 2 && found[0].filename() != found[1].filename() &&
        time_of(found[0], name.revision) < time_of(found[1], name.revision))
        std::swap(found[0], found[1]);
    return found;
}

std::optional<fs::path> checkpoint_in_snapshot(const fs::path& snapshot) {
    if (auto file = checkpoint_in(snapshot)) return file;
    std::optional<fs::path> only;
    for (const fs::path& path : list_folder(snapshot).paths) {
        auto file = is_folder(path) ? checkpoint_in(path) : std::nullopt;
        if (file && only) return {};  // ambiguous
        if (file) only = std::move(file);
    }
    return only;
}

std::string find_model(const std::string& name) {
    const fs::path path = written_path(name);
    if (is_repository_folder(path)) return in_repository(path, name, "");
    if (is_folder(path)) {
        if (const auto inside = checkpoint_in(path)) return inside->string();
        throw std::runtime_error(why_no_checkpoint_in(path));
    }
    if (is_there(path)) return path.string();
    const auto [folder, revision] = without_revision(name);
    if (!revision.empty() && is_repository_folder(written_path(folder)))
        return in_repository(written_path(folder), name, revision);
    const auto hub = parse_hub_name(name);
    if (!hub) return name;
    const fs::path repository = hub_repository_folder(*hub);
    for (const fs::path& snapshot : find_hub_snapshots(*hub))
        if (const auto file = checkpoint_in_snapshot(snapshot)) return file->string();
    const std::string advice = " To download it from the Hub, run headlight get " + name + ".";
    if (is_folder(repository)) return in_repository(repository, name, hub->revision, advice);
    if (is_checkpoint_name(name)) return name;  // more likely a file
    throw std::runtime_error(
        name + ": there is no such file, and the Hub's cache has no model of this name (" +
        hub_cache_folder().string() + ")." + advice);
}

bool names_cached_model(const std::string& name) {
    const fs::path path = written_path(name), folder = written_path(without_revision(name).first);
    if (is_repository_folder(path) || (!is_there(path) && is_repository_folder(folder)))
        return true;
    const auto hub = parse_hub_name(name);
    return hub && !is_there(path) &&
           (is_folder(hub_repository_folder(*hub)) || is_folder(part_repository_folder(*hub)));
}

std::vector<LocalModel> local_models(const StopFlag& stop) {
    std::vector<LocalModel> models;
    add_hub_models(models, hub_cache_folder(), "", stop);
    add_hub_models(models, part_cache_folder(), ", vision tower", stop);
    add_torch_models(models);
    std::ranges::sort(models, [](const LocalModel& a, const LocalModel& b) {
        return a.name == b.name ? a.file < b.file : natural_less(a.name, b.name);
    });
    return models;
}

}  // namespace headlight
