#include "state/model_shelf.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headlight {

namespace {

constexpr std::chrono::milliseconds kLook{20};  // whether the one who waits is to stop

bool same_model(const Recipe& a, const Recipe& b) {
    return a.weights == b.weights && a.reading == b.reading && a.model == b.model;
}

// As far as one can tell without reading it.
bool is_unchanged(const DirectoryEntry& file) {
    const DirectoryEntry now = describe_file(file.path);
    return now.bytes == file.bytes && now.written == file.written;
}

}  // namespace

ModelSource ModelShelf::source() {
    return [this](const Recipe& recipe, const ModelRead& read, const StopFlag& stop) {
        return take(recipe, read, stop);
    };
}

ModelShelf::Books::iterator ModelShelf::find(const Recipe& recipe) {
    return std::ranges::find_if(books_,
                                [&](const Book& book) { return same_model(book.wanted, recipe); });
}

void ModelShelf::forget_dead() {
    std::erase_if(books_,
                  [](const Book& book) { return !book.being_read && book.model.expired(); });
}

std::shared_ptr<const Model> ModelShelf::take(const Recipe& recipe, const ModelRead& read,
                                              const StopFlag& stop) {
    std::unique_lock lock(guard_);
    auto book = find(recipe);
    while (book != books_.end() && book->being_read) {
        was_read_.wait_for(lock, kLook);
        throw_if_stopped(stop);
        book = find(recipe);
    }
    if (book != books_.end()) {
        auto model = book->model.lock();
        if (model && std::ranges::all_of(book->files, is_unchanged)) return model;
        books_.erase(book);
    }
    forget_dead();
    Book begun;
    begun.wanted.weights = recipe.weights;
    begun.wanted.reading = recipe.reading;
    begun.wanted.model = recipe.model;
    book = books_.insert(books_.end(), std::move(begun));
    lock.unlock();
    return read_into(book, read);
}

std::shared_ptr<const Model> ModelShelf::read_into(Books::iterator book, const ModelRead& read) {
    std::vector<DirectoryEntry> files;
    std::mutex listing;  // files may be asked for on several threads
    try {
        auto model = read([&](const std::string& name) {
            DirectoryEntry entry = describe_file(name);
            entry.path = name;
            const std::lock_guard lock(listing);
            files.push_back(std::move(entry));
            return read_file_(name);
        });
        const std::lock_guard lock(guard_);
        book->files = std::move(files);
        book->model = model;
        book->being_read = false;
        was_read_.notify_all();
        return model;
    } catch (...) {
        const std::lock_guard lock(guard_);
        books_.erase(book);
        was_read_.notify_all();
        throw;
    }
}

}  // namespace headlight
