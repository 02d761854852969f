#include "platform/crash_marker.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

#include "disk/files.h"
#include "state/session.h"

namespace headlight::platform {

CrashMarker::CrashMarker(const std::filesystem::path& session) {
    if (session.empty() || !is_file(session)) return;
    file_ = session.string() + ".starting";
    number_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (number_ < 0) return;
    if (::flock(number_, LOCK_EX | LOCK_NB) != 0) {  // another start, under way
        ::close(number_);
        number_ = -1;
        return;
    }
    try {
        left_ = load_session(file_).recipe;
    } catch (const SessionError&) {
        left_.reset();  // new, or cut off
    }
}

CrashMarker::~CrashMarker() {
    if (!set_) done();  // as where there is no window
    if (number_ >= 0) ::close(number_);
}

void CrashMarker::set(const State& state) {
    if (number_ < 0) return;
    const std::string text = to_json(state);
    set_ = ::ftruncate(number_, 0) == 0 &&
           ::pwrite(number_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    if (!set_) done();  // without it, as on a full disk
}

void CrashMarker::done() {
    if (number_ < 0) return;
    ::unlink(file_.c_str());
    ::close(number_);
    number_ = -1;
}

}  // namespace headlight::platform
