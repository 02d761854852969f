#include "start/crash_marker.h"

#include <span>
#include <string>

#include "disk/files.h"
#include "state/session.h"

namespace headlight::app {

CrashMarker::CrashMarker(const std::filesystem::path& session) {
    if (session.empty() || !is_file(session)) return;
    path_ = session.string() + ".starting";
    file_ = system::OpenFile(path_, system::Access::edit_private);
    if (!file_) return;
    if (!file_.lock()) {  // another start is in progress
        file_.close();
        return;
    }
    try {
        left_ = load_session(path_).recipe;
    } catch (const SessionError&) {
        left_.reset();  // new, or truncated
    }
}

CrashMarker::~CrashMarker() {
    if (!set_) done();  // e.g. no window could be opened
}

void CrashMarker::set(const State& state) {
    if (!file_) return;
    const std::string text = to_json(state);
    set_ = file_.cut(0) && file_.write(0, std::as_bytes(std::span(text))) >= 0;
    if (!set_) done();  // without a marker, e.g. on a full disk
}

void CrashMarker::done() {
    if (!file_) return;
    (void)remove_file(path_);
    file_.close();
}

}  // namespace headlight::app
