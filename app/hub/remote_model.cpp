#include "hub/remote_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "disk/files.h"
#include "disk/partial_file.h"
#include "disk/read_file.h"
#include "disk/size_text.h"
#include "files/error.h"
#include "files/shards.h"
#include "hub/curated.h"
#include "hub/download_errors.h"
#include "hub/error.h"
#include "json/bounded_json.h"

namespace headlight::hub {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSmallBytes = std::uint64_t{64} << 20U;  // a config, an index of shards
constexpr const char* kSafetensors = ".safetensors";
constexpr const char* kIndex = ".safetensors.index.json";

fs::path folder_of(const RemoteModel& model) { return hub_repository_folder(model.name); }

fs::path blob_of(const RemoteModel& model, const RemoteFile& file) {
    return hub_blob(folder_of(model), file.hash);
}

fs::path shown_as(const RemoteModel& model, const RemoteFile& file) {
    return hub_snapshot(folder_of(model), model.commit) / file.path;
}

bool has_size(const fs::path& path, const RemoteFile& file) {
    const FileState state = state_of(path);
    return state.kind == FileKind::file && state.bytes == file.size;
}

// Without symbolic links, the file itself is in the snapshot.
bool has_bytes(const RemoteModel& model, const RemoteFile& file) {
    return has_size(blob_of(model, file), file) || has_size(shown_as(model, file), file);
}

const RemoteFile* find(const RemoteModel& model, const std::string& path) {
    const auto found = std::ranges::find(model.files, path, &RemoteFile::path);
    return found == model.files.end() ? nullptr : &*found;
}

// A part in our own cache, which has the Hub's layout.
fs::path part_blob(const RemoteModel& model) {
    const std::string hash = find(model, model.part->path)->hash;
    return hub_blob(part_repository_folder(model.name), hash + "-vision");
}

fs::path part_snapshot(const RemoteModel& model) {
    return hub_snapshot(part_repository_folder(model.name), model.commit);
}

fs::path shown_part(const RemoteModel& model) { return part_snapshot(model) / model.part->name; }

class LookUp {
  public:
    LookUp(Client& client, const Wanted& wanted) : client_(client), wanted_(wanted) {
        model_.name = wanted.name;
    }

    RemoteModel run() {
        if (wanted_.paths.empty()) {
            find_model();
        } else {
            for (const std::string& path : wanted_.paths) need(path);
        }
        if (model_.commit.empty())
            throw HubError(model_.name.repository + ": " + client_.base().place() +
                           " does not name a commit (X-Repo-Commit), so it is not compatible with "
                           "the Hub. Check HF_ENDPOINT.");
        find_license();
        return model_;
    }

  private:
    [[nodiscard]] std::string revision() const { return client_.subject(model_.name).revision(); }

    // Adds the file, if the repository has it.
    bool add(const std::string& path) {
        if (!is_hub_path(path))
            throw HubError(model_.name.repository +
                           ": it lists a file whose path leads outside the repository or is too "
                           "long, so Headlight does not download it.");
        if (find(model_, path) != nullptr) return true;
        const auto [response, address] = client_.head(model_.name.repository, revision(), path);
        const Subject subject = client_.subject(model_.name, path);
        take_commit(response);
        if (is_missing_file(response)) {
            missing_ = response;
            return false;
        }
        if (response.status >= 400) throw HubError(meaning_of(response, subject));
        model_.files.push_back(described(response, path));
        take_name(address);
        return true;
    }

    void need(const std::string& path) {
        if (!add(path)) throw HubError(meaning_of(missing_, client_.subject(model_.name, path)));
    }

    [[nodiscard]] RemoteFile described(const Response& response, const std::string& path) const {
        const std::string linked = response.header("x-linked-etag"),
                          size = response.header("x-linked-size");
        const auto hash = hash_in_etag(linked.empty() ? response.header("etag") : linked);
        if (!hash)
            throw HubError(
                model_.name.repository + ", " + path +
                ": the server gives no hash of this file (40 or 64 hex digits as ETag). Without a "
                "hash, Headlight cannot check the file and does not download it.");
        const bool has_body = !is_redirect(response.status);
        const auto bytes =
            parse_size(size.empty() && has_body ? response.header("content-length") : size);
        if (!bytes)
            throw HubError(model_.name.repository + ", " + path +
                           ": the server gives no size for this file.");
        if (*bytes > kMaxFileBytes)
            throw HubError(
                model_.name.repository + ", " + path + ": expected at most " +
                bytes_in_words(kMaxFileBytes) + ", found " + bytes_in_words(*bytes) + "." +
                (client_.is_in_browser() ? " Use the desktop program for larger files." : ""));
        return {path, *hash, *bytes};
    }

    void take_commit(const Response& response) {
        const std::string commit = response.header("x-repo-commit");
        if (commit.empty()) return;
        if (!is_hub_commit(commit))
            throw HubError(model_.name.repository +
                           ": expected a commit of 40 hex digits from the server, found another "
                           "form. Check HF_ENDPOINT.");
        if (!model_.commit.empty() && model_.commit != commit)
            throw HubError(model_.name.repository + " has just changed on the Hub. Try again.");
        model_.commit = commit;
    }

    // Takes the repository's name from the responding address, if it was renamed.
    void take_name(const Address& address) {
        const std::string rest =
            address.rest.substr(std::min(client_.base().rest.size(), address.rest.size()));
        const std::size_t end = rest.find("/resolve/");
        if (end == std::string::npos || end < 2) return;
        const std::string name = rest.substr(1, end - 1);
        if (name != model_.name.repository && is_hub_repository(name)) model_.renamed_to = name;
    }

    void find_model() {
        const bool has_config = add("config.json");
        for (const char* name :
             {"model.safetensors", "model.safetensors.index.json", "open_clip_model.safetensors"})
            if (model_.checkpoint.empty() && add(name)) model_.checkpoint = name;
        if (model_.checkpoint.empty()) model_.checkpoint = only_checkpoint();
        add("preprocessor_config.json");
        if (!has_config || model_.checkpoint.starts_with("open_clip")) add("open_clip_config.json");
        for (const RemoteFile& file : model_.files)
            if (file.path != model_.checkpoint || file.path.ends_with(kIndex)) fetch_now(file);
        if (model_.checkpoint.ends_with(kIndex)) add_shards();
    }

    // Downloads small files that are needed before the rest.
    void fetch_now(const RemoteFile& file) {
        if (file.size > kMostSmallBytes)
            throw HubError(model_.name.repository + ", " + file.path +
                           ": expected a small file, found one of " + bytes_in_words(file.size) +
                           ".");
        if (!has_bytes(model_, file))
            fetch_blob(client_, model_.name, file, blob_of(model_, file), {});
    }

    void add_shards() {
        const RemoteFile index = *find(model_, model_.checkpoint);
        const fs::path blob = blob_of(model_, index);
        const fs::path path = has_size(blob, index) ? blob : shown_as(model_, index);
        const std::string name = model_.name.repository + "/" + index.path;
        const File file = read_file(path.string());
        const FileBytes bytes = file.bytes();
        for (const auto& [shard, tensors] : parse_shard_index(bytes.bytes(), name).tensors)
            need(shard);
    }

    // For a repository with unusual names for its weights.
    std::string only_checkpoint() {
        const std::vector<std::string> all = listed();
        std::vector<std::string> found;
        for (const std::string& path : all)
            if (path.find('/') == path.npos && path.ends_with(kSafetensors)) found.push_back(path);
        if (found.size() > 1) std::erase(found, "adapter_model.safetensors");
        if (found.size() == 1) {
            need(found.front());
            return found.front();
        }
        if (model_.commit.empty() && all.empty())
            throw HubError(meaning_of(missing_, client_.subject(model_.name)));
        refuse_choice(found.size() > 1 ? found : all, found.size());
    }

    [[noreturn]] void refuse_choice(const std::vector<std::string>& paths,
                                    std::size_t found) const {
        std::string some;
        int count = 0;
        for (const std::string& path : paths) {
            const bool is_weights = path.ends_with(kSafetensors) || path.ends_with(".bin") ||
                                    path.ends_with(".pth") || path.ends_with(".pt") ||
                                    path.ends_with(".npz");
            if (is_weights && ++count <= 4) some += (some.empty() ? "" : ", ") + path;
        }
        if (count > 4) some += ", …";
        throw HubError(
            model_.name.repository + ": expected one model.safetensors, found " +
            (found > 0 ? std::to_string(found) + ": " + some + ". Name one of them with --file."
             : some.empty()
                 ? "no file with weights. Its files are on " + client_.subject(model_.name).page() +
                       "/tree/" + revision() + "."
                 : "no such file, but " + some + ". --file downloads one of these anyway."));
    }

    // The repository's files; empty if the server does not list them. Malicious paths are left out.
    std::vector<std::string> listed() {
        constexpr std::size_t kMostBytes = std::size_t{16} << 20U, kMostFiles = 100'000;
        const std::string at = model_.commit.empty() ? revision() : model_.commit;
        const auto text = client_.text(api_address(client_.base(), model_.name.repository,
                                                   "/tree/" + encoded(at) + "?recursive=true"),
                                       kMostBytes);
        std::vector<std::string> paths;
        const auto json = parsed(text, {.levels = 8, .entries = kMostFiles, .what = "files"});
        if (!json || !json->is_array()) return paths;
        for (const auto& entry : *json) {
            if (!entry.is_object()) continue;
            const auto path = entry.find("path"), type = entry.find("type");
            if (path == entry.end() || !path->is_string()) continue;
            if (type != entry.end() && *type != "file") continue;
            if (is_hub_path(path->get_ref<const std::string&>()))
                paths.push_back(path->get<std::string>());
        }
        return paths;
    }

    static std::optional<nlohmann::json> parsed(const std::optional<std::string>& text,
                                                const JsonBounds& bounds) {
        if (!text) return {};
        try {
            return parse_json(std::as_bytes(std::span(*text)), bounds);
        } catch (const JsonError&) {
            return {};
        }
    }

    // The model card states the license, and the API repeats it.
    void find_license() {
        std::string id = license_of_api();
        if (id.empty()) id = license_of_card();
        const auto is_odd = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 127; };
        constexpr std::size_t kLongest = 60;
        if (id.size() > kLongest || std::ranges::any_of(id, is_odd)) id.clear();
        if (!id.empty() && id != "other") model_.license = license_in_words(id);
        if (model_.license.empty())
            for (const CuratedModel& known : curated_models())
                if (known.name == model_.name.repository) model_.license = known.license;
    }

    std::string license_of_api() {
        constexpr std::size_t kMostBytes = std::size_t{4} << 20U, kMostEntries = 100'000;
        const auto json = parsed(
            client_.text(api_address(client_.base(), model_.name.repository, ""), kMostBytes),
            {.levels = 16, .entries = kMostEntries});
        if (!json || !json->is_object()) return "";
        if (const auto card = json->find("cardData"); card != json->end() && card->is_object())
            for (const char* key : {"license", "license_name"})
                if (const auto id = card->find(key);
                    id != card->end() && id->is_string() && *id != "other")
                    return id->get<std::string>();
        if (const auto tags = json->find("tags"); tags != json->end() && tags->is_array())
            for (const auto& tag : *tags)
                if (tag.is_string() && tag.get_ref<const std::string&>().starts_with("license:"))
                    return tag.get<std::string>().substr(8);
        return "";
    }

    // The lines between "---" at the top of README.md.
    std::string license_of_card() {
        constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
        const auto text = client_.text(
            file_address(client_.base(), model_.name.repository, revision(), "README.md"),
            kMostBytes);
        if (!text || !text->starts_with("---")) return "";
        const std::string card = text->substr(0, text->find("\n---", 3));
        constexpr std::string_view kKey = "\nlicense:";
        const std::size_t at = card.find(kKey);
        if (at == std::string::npos) return "";
        std::string id = card.substr(at + kKey.size(), card.find('\n', at + 1) - at - kKey.size());
        std::erase_if(id, [](char c) { return c == ' ' || c == '\r' || c == '"' || c == '\''; });
        return id;
    }

    Client& client_;
    const Wanted& wanted_;
    RemoteModel model_;
    Response missing_;  // the response for the last missing file
};

// A file that is read in parts. Its start is downloaded in one piece, large enough for nearly every
// safetensors header.
class RemoteParts {
  public:
    RemoteParts(Client& client, HubName name, RemoteFile file)
        : client_(client), name_(std::move(name)), file_(std::move(file)) {}

    void read(std::uint64_t begin, std::span<std::byte> into) {
        constexpr std::uint64_t kBeginning = 100'000;
        if (beginning_.empty()) beginning_ = fetched(0, std::min(kBeginning + 1, file_.size));
        if (begin + into.size() <= beginning_.size()) {
            std::copy_n(beginning_.begin() + static_cast<std::ptrdiff_t>(begin), into.size(),
                        into.begin());
            return;
        }
        const Bytes part = fetched(begin, into.size());
        std::ranges::copy(part, into.begin());
    }

  private:
    [[nodiscard]] Bytes fetched(std::uint64_t begin, std::uint64_t count) {
        Bytes bytes;
        std::uint64_t at = 0;  // position of the next piece in the file
        const Subject subject = client_.subject(name_, file_.path);
        const Response response = client_.get(
            file_address(client_.base(), name_.repository, subject.revision(), file_.path),
            ByteRange{begin, begin + count - 1},
            [&](const Response& answer, std::span<const std::byte> piece) {
                if (answer.status != 200 && answer.status != 206) return false;
                if (answer.status == 206 && bytes.empty()) at = begin_of(answer, begin, subject);
                const std::uint64_t skipped =
                    at < begin ? std::min<std::uint64_t>(begin - at, piece.size()) : 0;
                at += piece.size();
                piece = piece.subspan(skipped);
                piece = piece.first(std::min<std::uint64_t>(piece.size(), count - bytes.size()));
                bytes.insert(bytes.end(), piece.begin(), piece.end());
                return bytes.size() < count;
            });
        if (response.status >= 400) throw HubError(meaning_of(response, subject));
        if (bytes.size() != count)
            throw ConnectionError(name_.repository + ", " + file_.path +
                                  ": only part of its header arrived. Try again.");
        return bytes;
    }

    // Checks that the server's range starts at `begin`, and returns it.
    [[nodiscard]] static std::uint64_t begin_of(const Response& response, std::uint64_t begin,
                                                const Subject& subject) {
        const auto range = parse_content_range(response.header("content-range"));
        if (range && range->begin == begin) return begin;
        refuse_range(subject);
    }

    Client& client_;
    HubName name_;
    RemoteFile file_;
    Bytes beginning_;
};

// Configs come first, so that the snapshot only contains a complete model.
fs::path fetch_into_own_cache(Client& client, const RemoteModel& model, const HubName& name,
                              const TellProgress& tell) {
    const fs::path shown = shown_part(model), folder = part_snapshot(model);
    for (const RemoteFile& file : model.files)
        if (file.path != model.part->path) {
            const fs::path blob = blob_of(model, file);
            const fs::path from = has_size(blob, file) ? blob : shown_as(model, file);
            put_text(folder / file.path, read_text(from.string()));
        }
    if (state_of(shown).bytes != model.part->size())
        fetch_part(client, name, *find(model, model.part->path), *model.part, part_blob(model),
                   shown, tell);
    const std::string revision = client.subject(model.name).revision();
    if (revision != model.commit)
        put_text(hub_ref(part_repository_folder(model.name), revision), model.commit);
    return folder;
}

// Shows a blob as PATH of a snapshot: by a link, or, where there are none, as the file itself.
void show_in_snapshot(const fs::path& repository, const std::string& commit,
                      const RemoteFile& file) {
    const fs::path shown = hub_snapshot(repository, commit) / file.path,
                   blob = hub_blob(repository, file.hash);
    if (!has_size(blob, file)) return;  // the file itself is there
    const fs::path target = blob.lexically_relative(shown.parent_path());
    if (!put_link(target, shown) && !rename_file(blob, shown))
        throw DiskError(
            shown.string() +
            ": the downloaded file could not be moved here. Check the folder's permissions.");
}

}  // namespace

std::uint64_t RemoteModel::bytes() const {
    std::uint64_t sum = 0;
    for (const RemoteFile& file : files)
        sum += part && part->path == file.path ? part->size() : file.size;
    return sum;
}

std::string name_of_part(const RemoteModel& model) {
    const std::string& repository = model.name.repository;
    return repository.substr(repository.find('/') + 1) + "-vision.safetensors";
}

std::string origin_of_part(const RemoteModel& model) {
    const RemoteFile* file = find(model, model.checkpoint);
    return model.name.repository + ", " + model.checkpoint + ", commit " + model.commit +
           (file == nullptr ? "" : ", hash " + file->hash);
}

std::string size_and_license(const RemoteModel& model) {
    std::uint64_t whole = 0;
    for (const RemoteFile& file : model.files) whole += file.size;
    const std::string size = model.part
                                 ? "only its vision tower: " + bytes_in_words(model.bytes()) +
                                       " of " + bytes_in_words(whole)
                                 : bytes_in_words(whole);
    return size + ", " + (model.license.empty() ? "license not stated" : model.license);
}

RemoteModel look_up(Client& client, const Wanted& wanted) { return LookUp(client, wanted).run(); }

FileReader remote_files(Client& client, const RemoteModel& model) {
    auto parts = std::make_shared<std::map<std::string, std::shared_ptr<RemoteParts>>>();
    return [&client, &model, parts](const std::string& name) -> File {
        const std::string start = model.name.repository + "/";
        const RemoteFile* file =
            name.starts_with(start) ? find(model, name.substr(start.size())) : nullptr;
        if (file == nullptr) throw FileMissing(name + ": there is no such file.");
        for (const fs::path& there : {blob_of(model, *file), shown_as(model, *file)})
            if (has_size(there, *file)) return read_file(there.string());
        auto& part = (*parts)[name];
        if (!part) part = std::make_shared<RemoteParts>(client, model.name, *file);
        return File(file->size, [part](std::uint64_t begin, std::span<std::byte> into) {
            part->read(begin, into);
        });
    };
}

std::uint64_t missing_bytes(const RemoteModel& model) {
    std::uint64_t sum = 0;
    for (const RemoteFile& file : model.files) {
        if (model.part && model.part->path == file.path) {
            const std::uint64_t size = model.part->size();
            if (state_of(shown_part(model)).bytes != size)
                sum += size - std::min(size, state_of(partial_blob(part_blob(model))).bytes);
            continue;
        }
        if (has_bytes(model, file)) continue;
        sum += file.size - std::min(file.size, state_of(partial_blob(blob_of(model, file))).bytes);
    }
    return sum;
}

fs::path fetch(Client& client, const RemoteModel& model,
               const std::function<void(const ModelProgress&)>& tell) {
    std::uint64_t before = 0;
    // Fetch the commit that was looked up, because the branch may have moved.
    const HubName at_commit{model.name.repository, model.commit};
    for (const RemoteFile& file : model.files) {
        const TellProgress tell_file = [&](const FileProgress& progress) {
            if (tell) tell({progress, before + progress.arrived, model.bytes()});
        };
        if (model.part && model.part->path == file.path) continue;  // last
        if (!has_bytes(model, file))
            fetch_blob(client, at_commit, file, blob_of(model, file), tell_file);
        before += file.size;
    }
    if (model.part) {
        const TellProgress tell_part = [&](const FileProgress& progress) {
            if (tell) tell({progress, before + progress.arrived, model.bytes()});
        };
        return fetch_into_own_cache(client, model, at_commit, tell_part);
    }
    for (const RemoteFile& file : model.files)
        show_in_snapshot(folder_of(model), model.commit, file);
    const std::string revision = client.subject(model.name).revision();
    if (revision != model.commit) put_text(hub_ref(folder_of(model), revision), model.commit);
    return hub_snapshot(folder_of(model), model.commit);
}

fs::path find_in_cache(const Wanted& wanted) {
    const auto is_there = [&](const fs::path& snapshot) {
        if (wanted.paths.empty()) return checkpoint_in_snapshot(snapshot).has_value();
        return std::ranges::all_of(wanted.paths, [&](const std::string& path) {
            return is_hub_path(path) && is_file(snapshot / path);
        });
    };
    for (const fs::path& snapshot : find_hub_snapshots(wanted.name))
        if (is_there(snapshot)) return snapshot;
    throw HubError(wanted.name.repository + ": it is not in the cache (" +
                   hub_cache_folder().string() +
                   "), and HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids downloading it. Unset "
                   "them and run the same command again.");
}

}  // namespace headlight::hub
