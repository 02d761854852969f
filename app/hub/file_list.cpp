#include "hub/file_list.h"

#include <span>

#include "json/bounded_json.h"

namespace headlight::hub {

namespace {

std::string text_at(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void add_file(FileList& list, const nlohmann::json& file) {
    if (!file.is_object()) return;
    const std::string path = text_at(file, "rfilename");
    const auto size = file.find("size"), large = file.find("lfs");
    std::string hash = text_at(file, "blobId");
    if (large != file.end() && large->is_object()) hash = text_at(*large, "sha256");
    if (path.empty() || hash.empty() || size == file.end() || !size->is_number_unsigned()) return;
    list.files[path] = {hash, size->get<std::uint64_t>()};
}

}  // namespace

Address list_address(const Address& base, const std::string& repository,
                     const std::string& revision) {
    return api_address(base, repository, "/revision/" + encoded(revision) + "?blobs=true");
}

std::optional<FileList> parse_file_list(std::string_view json) {
    constexpr std::size_t kMostFiles = 100'000;
    nlohmann::json said;
    try {
        said = parse_json(std::as_bytes(std::span(json)),
                          {.levels = 16, .entries = kMostFiles, .what = "files"});
    } catch (const JsonError&) {
        return {};
    }
    if (!said.is_object()) return {};
    FileList list{text_at(said, "id"), text_at(said, "sha"), {}};
    const auto files = said.find("siblings");
    if (list.repository.empty() || files == said.end() || !files->is_array()) return {};
    for (const auto& file : *files) add_file(list, file);
    return list;
}

Response head_in(const FileList& list, const std::string& path) {
    Response response{200, {{"x-repo-commit", list.commit}}};
    const auto found = list.files.find(path);
    if (found == list.files.end()) {
        response.status = 404;
        response.headers["x-error-code"] = "EntryNotFound";
        return response;
    }
    response.headers["x-linked-etag"] = found->second.hash;
    response.headers["x-linked-size"] = std::to_string(found->second.size);
    return response;
}

}  // namespace headlight::hub
