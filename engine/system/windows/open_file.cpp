#include "system/open_file.h"

#include <fcntl.h>
#include <io.h>

#include <cerrno>
#include <system_error>
// After the standard library, because its macros would change names there.
#include <windows.h>

namespace headlight::system {

namespace {

namespace fs = std::filesystem;

// Others may read, write, move and delete a file that is open here, as on other systems.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

void set_errno(DWORD error) {
    switch (error) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_NAME:
            errno = ENOENT;
            break;
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS:
            errno = EEXIST;
            break;
        case ERROR_SHARING_VIOLATION:
            errno = EBUSY;
            break;
        case ERROR_LOCK_VIOLATION:
        case ERROR_IO_PENDING:
            errno = EWOULDBLOCK;
            break;
        case ERROR_DISK_FULL:
        case ERROR_HANDLE_DISK_FULL:
            errno = ENOSPC;
            break;
        case ERROR_ACCESS_DENIED:
        case ERROR_WRITE_PROTECT:
            errno = EACCES;
            break;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_OUTOFMEMORY:
            errno = ENOMEM;
            break;
        default:
            errno = EIO;
    }
}

bool done(BOOL succeeded) {
    if (succeeded != FALSE) return true;
    set_errno(GetLastError());
    return false;
}

HANDLE handle_of(int number) { return reinterpret_cast<HANDLE>(_get_osfhandle(number)); }

OVERLAPPED position(std::uint64_t begin) {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(begin);
    at.OffsetHigh = static_cast<DWORD>(begin >> 32U);
    return at;
}

DWORD at_most(std::size_t bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 30U;  // a call counts in 32 bits
    return static_cast<DWORD>(bytes < kMost ? bytes : kMost);
}

std::uint64_t joined(DWORD high, DWORD low) { return std::uint64_t{high} << 32U | low; }

struct Identity {
    std::uint64_t file = 0;
    DWORD volume = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
};

bool identify(HANDLE file, Identity& found) {
    BY_HANDLE_FILE_INFORMATION now{};
    if (GetFileInformationByHandle(file, &now) == FALSE) return false;
    found = {joined(now.nFileIndexHigh, now.nFileIndexLow), now.dwVolumeSerialNumber};
    return true;
}

}  // namespace

OpenFile::OpenFile(const fs::path& path, Access access) {
    const bool reads = access != Access::write, writes = access != Access::read;
    const DWORD wanted = (reads ? GENERIC_READ : 0U) | (writes ? GENERIC_WRITE : 0U);
    const bool edits = access == Access::edit || access == Access::edit_private;
    const DWORD how = access == Access::make ? CREATE_NEW : edits ? OPEN_ALWAYS : OPEN_EXISTING;
    // With these flags a folder opens too, so that it can be distinguished from a file.
    DWORD flags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS;
    if (edits) flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    const HANDLE handle = CreateFileW(path.c_str(), wanted, kShared, nullptr, how, flags, nullptr);
    if (!done(handle != INVALID_HANDLE_VALUE)) return;
    number_ = _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
    if (number_ < 0) CloseHandle(handle);
}

OpenFile OpenFile::nameless(const fs::path& /*folder*/) { return {}; }

void OpenFile::close() {
    if (number_ >= 0) _close(std::exchange(number_, -1));
}

std::ptrdiff_t OpenFile::read_some(std::uint64_t begin, std::span<std::byte> into) const {
    OVERLAPPED at = position(begin);
    DWORD count = 0;
    if (ReadFile(handle_of(number_), into.data(), at_most(into.size()), &count, &at) == FALSE &&
        GetLastError() != ERROR_HANDLE_EOF) {
        set_errno(GetLastError());
        return -1;
    }
    return count;
}

std::ptrdiff_t OpenFile::write_some(std::uint64_t begin, std::span<const std::byte> bytes) {
    OVERLAPPED at = position(begin);
    DWORD count = 0;
    return done(WriteFile(handle_of(number_), bytes.data(), at_most(bytes.size()), &count, &at))
               ? static_cast<std::ptrdiff_t>(count)
               : -1;
}

std::ptrdiff_t OpenFile::write_some_next(std::span<const std::byte> bytes) {
    DWORD count = 0;
    return done(WriteFile(handle_of(number_), bytes.data(), at_most(bytes.size()), &count, nullptr))
               ? static_cast<std::ptrdiff_t>(count)
               : -1;
}

bool OpenFile::cut(std::uint64_t bytes) {
    FILE_END_OF_FILE_INFO end{};
    end.EndOfFile.QuadPart = static_cast<LONGLONG>(bytes);
    return done(
        SetFileInformationByHandle(handle_of(number_), FileEndOfFileInfo, &end, sizeof(end)));
}

bool OpenFile::sync() { return done(FlushFileBuffers(handle_of(number_))); }

bool OpenFile::lock() {
    // Windows locks byte ranges, and a lock also prevents reading. So this range is beyond the end
    // of any file.
    OVERLAPPED at = position(std::uint64_t{1} << 62U);
    return done(LockFileEx(handle_of(number_), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                           0, 1, 0, &at));
}

bool OpenFile::facts(FileFacts& found) const {
    const HANDLE handle = handle_of(number_);
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        found = {};
        return true;
    }
    BY_HANDLE_FILE_INFORMATION now{};
    if (!done(GetFileInformationByHandle(handle, &now))) return false;
    const bool folder = (now.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    found = {folder ? FileFacts::Kind::folder : FileFacts::Kind::file,
             joined(now.nFileSizeHigh, now.nFileSizeLow),
             static_cast<std::int64_t>(
                 joined(now.ftLastWriteTime.dwHighDateTime, now.ftLastWriteTime.dwLowDateTime))};
    return true;
}

bool OpenFile::has_name(const fs::path& path) const {
    const HANDLE named =
        CreateFileW(path.c_str(), 0, kShared, nullptr, OPEN_EXISTING,
                    FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (named == INVALID_HANDLE_VALUE) return false;
    Identity ours, theirs;
    const bool same =
        identify(handle_of(number_), ours) && identify(named, theirs) && ours == theirs;
    CloseHandle(named);
    return same;
}

bool OpenFile::set_name(const fs::path& /*path*/) {
    errno = ENOSYS;  // not supported
    return false;
}

// On Windows a file inherits the permissions of its folder.
void OpenFile::take_permissions_of(const fs::path& /*path*/) {}

void sync_folder(const fs::path& /*folder*/) {}

bool make_link(const fs::path& /*target*/, const fs::path& /*link*/) {
    errno = EPERM;  // only administrators may create links
    return false;
}

bool errors_go_to_a_terminal() { return _isatty(_fileno(stderr)) != 0; }

}  // namespace headlight::system
