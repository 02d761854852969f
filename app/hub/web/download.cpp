#include "hub/download.h"

#include <stdexcept>

#include "disk/files.h"
#include "disk/partial_file.h"
#include "disk/read_file.h"
#include "disk/size_text.h"
#include "hub/download_errors.h"
#include "hub/error.h"
#include "hub/remote_model.h"
#include "hub/web/page.h"
#include "json/bounded_json.h"

// In a page, the browser downloads files, checks them and keeps them (platform/web/page/hub.js).
namespace headlight::hub {

namespace fs = std::filesystem;

namespace {

class PageDownload {
  public:
    PageDownload(Client& client, const HubName& name, const RemoteFile& file, const fs::path& path,
                 std::uint64_t size)
        : client_(client),
          subject_(client.subject(name, file.path)),
          address_(file_address(client.base(), name.repository, subject_.revision(), file.path)),
          file_(file),
          path_(path),
          size_(size),
          order_{{"address", address_.text()}, {"path", path.string()},
                 {"key", "hub/" + file.hash},  {"size", size},
                 {"whole", file.size},         {"hash", file.hash}} {}

    // Instead of the whole file: this text, then these bytes of the file.
    void take(const FilePart& part, const fs::path& blob) {
        const fs::path start = partial_blob(blob);
        if (state_of(start).bytes != part.start.size()) put_text(start, part.start);
        order_["start"] = start.string();
        order_["key"] = "hub/" + blob.filename().string();
        order_["hash"] = "";  // the Hub has none
        for (const FilePart::Span& span : part.spans)
            order_["spans"].push_back({span.begin, span.size});
    }

    void run(const TellProgress& tell) {
        const FileState state = state_of(path_);
        if (state.kind == FileKind::file && state.bytes == size_) return;
        throw_if_stopped(client_.stop());
        // The only transport of a page.
        const PageAnswer answer =
            static_cast<PageTransport&>(client_.transport()).ask(order_.dump());
        if (answer.outcome == "done") return;
        if (!answer.outcome.empty()) refuse(answer);
        if (tell) tell({file_.path, answer.arrived, size_, FileProgress::Phase::fetching});
        throw Pending();
    }

  private:
    [[noreturn]] void refuse(const PageAnswer& answer) const {
        expect_connection(address_, answer);
        if (answer.outcome == "status") throw HubError(meaning_of(answer.response, subject_));
        if (answer.outcome == "short")
            throw HubError(arrived_too_little(subject_, answer.arrived, size_));
        if (answer.outcome == "range") refuse_range(subject_);
        if (answer.outcome == "surplus") refuse_surplus(subject_, file_.size);
        if (answer.outcome == "hash") refuse_hash(subject_, answer.detail, file_.hash);
        throw HubError(subject_.name.repository + ", " + file_.path +
                       ": the browser has no memory for " + bytes_in_words(size_) +
                       ". Close other tabs, or use the desktop program.");
    }

    Client& client_;
    const Subject subject_;
    const Address address_;
    const RemoteFile& file_;
    const fs::path& path_;
    std::uint64_t size_;
    nlohmann::json order_;
};

}  // namespace

fs::path partial_blob(const fs::path& blob) {
    fs::path path = blob;
    return path += ".start";
}

void fetch_blob(Client& client, const HubName& name, const RemoteFile& file, const fs::path& blob,
                const TellProgress& tell) {
    PageDownload(client, name, file, blob, file.size).run(tell);
}

void fetch_part(Client& client, const HubName& name, const RemoteFile& file, const FilePart& part,
                const fs::path& blob, const fs::path& shown, const TellProgress& tell) {
    PageDownload download(client, name, file, shown, part.size());
    download.take(part, blob);
    download.run(tell);
}

void expect_room(const RemoteModel& model) {
    const std::uint64_t bytes = model.bytes();
    if (bytes <= kMaxFileBytes) return;
    throw HubError(model.name.repository + ": expected at most " + bytes_in_words(kMaxFileBytes) +
                   ", found " + bytes_in_words(bytes) +
                   ". Use the desktop program for larger models.");
}

}  // namespace headlight::hub
