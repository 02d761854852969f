#include "hub/download.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "disk/files.h"
#include "disk/partial_file.h"
#include "hub/digest.h"
#include "hub/download_errors.h"
#include "hub/error.h"

namespace headlight::hub {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Pauses before further attempts. Any received byte restarts the list.
constexpr std::array kPauses{milliseconds(250), milliseconds(500), milliseconds(1000),
                             milliseconds(2000), milliseconds(4000)};

void wait(milliseconds time, const StopFlag& stop) {
    constexpr milliseconds kStep(50);
    for (milliseconds waited(0); waited < time; waited += kStep) {
        throw_if_stopped(stop);
        std::this_thread::sleep_for(kStep);
    }
}

// The Hub has no hash for a part of a file. So the hash of each received block is written to a file
// beside it, one per line.
class BlockHashes {
  public:
    static constexpr std::uint64_t kBlock = std::uint64_t{4} << 20U;

    explicit BlockHashes(const fs::path& path) : file_(PartialFile::open(path)) {
        if (!file_)
            throw DiskError(
                path.string() +
                ": another program is writing to this file. Try again when it has finished.");
    }

    // Returns the number of bytes at the start of `data` that match their hashes. Drops the other
    // hashes.
    std::uint64_t verified(const PartialFile& data, const StopFlag& stop,
                           const std::function<void(std::uint64_t)>& tell) {
        std::uint64_t good = 0;
        std::vector<std::byte> block(kBlock);
        std::string line(kLine, '\0');
        for (std::uint64_t at = 0; at + kLine <= file_->size(); at += kLine) {
            throw_if_stopped(stop);
            if (good + kBlock > data.size()) break;
            tell(good);
            data.read(good, block);
            file_->read(at, std::as_writable_bytes(std::span(line)));
            if (hash_of(block) + "\n" != line) break;
            good += kBlock;
        }
        file_->cut(good / kBlock * kLine);
        begin_block();
        return good;
    }

    void add(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const auto count = std::min<std::size_t>(bytes.size(), kBlock - in_block_);
            digest_->add(bytes.first(count));
            in_block_ += count;
            bytes = bytes.subspan(count);
            if (in_block_ < kBlock) continue;
            const std::string line = digest_->finish() + "\n";
            file_->append(std::as_bytes(std::span(line)));
            begin_block();
        }
    }

    void start_over() {
        file_->cut(0);
        begin_block();
    }
    void remove() { file_->remove(); }

  private:
    static constexpr std::uint64_t kLine = 65;  // 64 hex digits and a newline

    static std::unique_ptr<Digest> new_digest() {
        return std::make_unique<Digest>(std::string(kLine - 1, '0'), 0);
    }
    static std::string hash_of(std::span<const std::byte> bytes) {
        const auto digest = new_digest();
        digest->add(bytes);
        return digest->finish();
    }
    void begin_block() {
        digest_ = new_digest();
        in_block_ = 0;
    }

    std::unique_ptr<PartialFile> file_;
    std::unique_ptr<Digest> digest_;
    std::uint64_t in_block_ = 0;
};

class Download {
  public:
    Download(Client& client, const HubName& name, const RemoteFile& file, const fs::path& blob,
             const TellProgress& tell)
        : client_(client),
          subject_(client.subject(name, file.path)),
          file_(file),
          blob_(blob),
          target_(blob),
          tell_(tell),
          size_(file.size) {}

    // Downloads only the part.
    void run(const FilePart& part, const fs::path& shown) {
        part_ = &part;
        size_ = part.size();
        target_ = shown;
        if (!open()) return;
        blocks_ = std::make_unique<BlockHashes>(fs::path(partial_blob(blob_)) += ".sha256");
        partial_->cut(blocks_->verified(*partial_, client_.stop(), [&](std::uint64_t at) {
            say(at, FileProgress::Phase::checking);
        }));
        if (!begins_as_part()) start_over();
        receive_all();
        // Before the move, because another process may then start the same part of another commit.
        blocks_->remove();
        blocks_.reset();
        partial_->move_to(target_);
    }

    void run() {
        if (is_there() || !open()) return;
        hash_what_is_there();
        bool is_resumed = partial_->size() > 0;
        for (;;) {
            receive_all();
            const std::string found = digest_->finish();
            if (found == file_.hash) break;
            start_over();
            if (!is_resumed) refuse_hash(subject_, found, file_.hash);
            is_resumed = false;  // an earlier run's bytes were damaged; start over once
        }
        partial_->move_to(target_);
    }

  private:
    [[nodiscard]] bool is_there() const {
        const FileState state = state_of(target_);
        return state.kind == FileKind::file && state.bytes == size_;
    }

    // Whether an earlier run wanted the same tensors.
    [[nodiscard]] bool begins_as_part() const {
        std::string start(std::min<std::uint64_t>(part_->start.size(), partial_->size()), '\0');
        partial_->read(0, std::as_writable_bytes(std::span(start)));
        return part_->start.starts_with(start);
    }

    // Waits while another process downloads the file. False if that process has finished it.
    bool open() {
        constexpr milliseconds kBetween(200);
        for (;;) {
            partial_ = PartialFile::open(partial_blob(blob_));
            if (is_there()) {
                if (partial_) partial_->remove();
                return false;
            }
            if (partial_) return true;
            say(0, FileProgress::Phase::waiting);
            wait(kBetween, client_.stop());
        }
    }

    void say(std::uint64_t arrived, FileProgress::Phase phase) const {
        if (tell_) tell_({file_.path, arrived, size_, phase});
    }

    void hash_what_is_there() {
        digest_ = std::make_unique<Digest>(file_.hash, file_.size);
        if (partial_->size() > file_.size) partial_->cut(0);
        constexpr std::size_t kBlock = std::size_t{1} << 20U;
        std::vector<std::byte> block(kBlock);
        for (std::uint64_t at = 0; at < partial_->size();) {
            throw_if_stopped(client_.stop());
            say(at, FileProgress::Phase::checking);
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, partial_->size() - at));
            partial_->read(at, std::span(block).first(count));
            digest_->add(std::span(block).first(count));
            at += count;
        }
    }

    void start_over() {
        partial_->cut(0);
        if (blocks_)
            blocks_->start_over();
        else
            digest_ = std::make_unique<Digest>(file_.hash, file_.size);
    }

    void keep(std::span<const std::byte> bytes) {
        partial_->append(bytes);
        if (blocks_)
            blocks_->add(bytes);
        else
            digest_->add(bytes);
    }

    void receive_all() {
        std::size_t failures = 0;
        std::uint64_t most = partial_->size();
        say(most, FileProgress::Phase::fetching);
        while (partial_->size() < size_) {
            const std::string trouble = receive_some();
            if (partial_->size() > most) {
                most = partial_->size();
                failures = 0;
            }
            if (partial_->size() == size_) break;
            if (part_ != nullptr && partial_->size() == end_) continue;  // the next range
            if (failures == kPauses.size()) throw HubError(trouble);
            wait(kPauses.at(failures++), client_.stop());
        }
    }

    // Receives one response, and returns the error that ended it early.
    std::string receive_some() {
        if (part_ != nullptr && partial_->size() < part_->start.size())
            keep(std::as_bytes(std::span(part_->start)).subspan(partial_->size()));
        const std::uint64_t at = partial_->size();
        const FilePart::Span from =
            part_ != nullptr ? part_->source(at) : FilePart::Span{at, file_.size - at};
        const std::uint64_t begin = from.begin;
        end_ = at + from.size;
        std::optional<ByteRange> range;
        if (part_ != nullptr)
            range = ByteRange{begin, begin + from.size - 1};
        else if (begin > 0)
            range = ByteRange{begin, {}};
        skipped_ = 0;
        bool is_first = true;
        Response response;
        try {
            response =
                client_.get(file_address(client_.base(), subject_.name.repository,
                                         subject_.revision(), file_.path),
                            range, [&](const Response& answer, std::span<const std::byte> piece) {
                                if (answer.status != 200 && answer.status != 206) return false;
                                if (is_first) expect_place(answer, begin);
                                is_first = false;
                                take(piece);
                                return part_ == nullptr || partial_->size() < end_;
                            });
        } catch (const ConnectionError& error) {
            return error.what();
        }
        return trouble_of(response);
    }

    // The response must continue the existing bytes. A server without ranges starts from the
    // beginning.
    void expect_place(const Response& response, std::uint64_t begin) {
        sends_all_ = response.status == 200 && part_ != nullptr;
        if (sends_all_)
            skipped_ = begin;
        else if (response.status == 200 && begin > 0)
            start_over();
        if (response.status == 200) return;
        const auto range = parse_content_range(response.header("content-range"));
        if (!range || range->begin != begin || (range->size && *range->size != file_.size))
            refuse_range(subject_);
    }

    void take(std::span<const std::byte> piece) {
        throw_if_stopped(client_.stop());  // libcurl checks only now and then
        const auto before = std::min<std::size_t>(skipped_, piece.size());
        skipped_ -= before;
        piece = piece.subspan(before);
        if (sends_all_)
            piece = piece.first(std::min<std::size_t>(piece.size(), end_ - partial_->size()));
        if (piece.size() > end_ - partial_->size()) {
            start_over();
            refuse_surplus(subject_, file_.size);
        }
        keep(piece);
        say(partial_->size(), FileProgress::Phase::fetching);
    }

    // Returns a message if another attempt may succeed, and throws otherwise.
    [[nodiscard]] std::string trouble_of(const Response& response) {
        if (response.status == 200 || response.status == 206)
            return arrived_too_little(subject_, partial_->size(), size_);
        if (response.status == 416) start_over();
        const std::string meaning = meaning_of(response, subject_);
        if (!may_pass(response)) throw HubError(meaning);
        return meaning;
    }

    Client& client_;
    const Subject subject_;
    const RemoteFile& file_;
    const fs::path& blob_;  // names the unfinished file
    fs::path target_;       // final path when complete
    const TellProgress& tell_;
    const FilePart* part_ = nullptr;  // null: the whole file
    std::uint64_t size_;              // total bytes to download
    std::uint64_t end_ = 0;           // byte at which the current response ends
    std::uint64_t skipped_ = 0;       // bytes of it before the requested ones
    bool sends_all_ = false;          // the server has no ranges
    std::unique_ptr<PartialFile> partial_;
    std::unique_ptr<Digest> digest_;       // of the whole file
    std::unique_ptr<BlockHashes> blocks_;  // of a part
};

}  // namespace

fs::path partial_blob(const fs::path& blob) {
    fs::path path = blob;
    return path += ".headlight.incomplete";
}

void fetch_blob(Client& client, const HubName& name, const RemoteFile& file, const fs::path& blob,
                const TellProgress& tell) {
    Download(client, name, file, blob, tell).run();
}

void fetch_part(Client& client, const HubName& name, const RemoteFile& file, const FilePart& part,
                const fs::path& blob, const fs::path& shown, const TellProgress& tell) {
    Download(client, name, file, blob, tell).run(part, shown);
}

}  // namespace headlight::hub
