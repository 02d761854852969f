#include "state/model_cache.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headlight {

namespace {

constexpr std::chrono::milliseconds kLook{20};  // how often a waiting caller checks for a stop

bool same_model(const Recipe& a, const Recipe& b) {
    return a.weights == b.weights && a.reading == b.reading && a.model == b.model;
}

// As far as can be told without reading it.
bool is_unchanged(const DirectoryEntry& file) {
    const DirectoryEntry now = describe_file(file.path);
    return now.bytes == file.bytes && now.written == file.written;
}

}  // namespace

ModelSource ModelCache::source() {
    return [this](const Recipe& recipe, const ModelRead& read, const StopFlag& stop) {
        return take(recipe, read, stop);
    };
}

ModelCache::Entries::iterator ModelCache::find(const Recipe& recipe) {
    return std::ranges::find_if(
        entries_, [&](const Entry& entry) { return same_model(entry.wanted, recipe); });
}

void ModelCache::forget_dead() {
    std::erase_if(entries_,
                  [](const Entry& entry) { return !entry.being_read && entry.model.expired(); });
}

std::shared_ptr<const Model> ModelCache::take(const Recipe& recipe, const ModelRead& read,
                                              const StopFlag& stop) {
    std::unique_lock lock(guard_);
    auto entry = find(recipe);
    while (entry != entries_.end() && entry->being_read) {
        was_read_.wait_for(lock, kLook);
        lock.unlock();  // the caller may be suspended
        throw_if_stopped(stop);
        lock.lock();
        entry = find(recipe);
    }
    if (entry != entries_.end()) {
        auto model = entry->model.lock();
        if (model && std::ranges::all_of(entry->files, is_unchanged)) return model;
        entries_.erase(entry);
    }
    forget_dead();
    Entry begun;
    begun.wanted.weights = recipe.weights;
    begun.wanted.reading = recipe.reading;
    begun.wanted.model = recipe.model;
    entry = entries_.insert(entries_.end(), std::move(begun));
    lock.unlock();
    return read_into(entry, read);
}

std::shared_ptr<const Model> ModelCache::read_into(Entries::iterator entry, const ModelRead& read) {
    std::vector<DirectoryEntry> files;
    std::mutex listing;  // files may be requested on several threads
    try {
        auto model = read([&](const std::string& name) {
            DirectoryEntry file = describe_file(name);
            file.path = name;
            const std::lock_guard lock(listing);
            files.push_back(std::move(file));
            return read_file_(name);
        });
        const std::lock_guard lock(guard_);
        entry->files = std::move(files);
        entry->model = model;
        entry->being_read = false;
        was_read_.notify_all();
        return model;
    } catch (...) {
        const std::lock_guard lock(guard_);
        entries_.erase(entry);
        was_read_.notify_all();
        throw;
    }
}

}  // namespace headlight
