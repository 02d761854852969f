#include <algorithm>
#include <map>
#include <utility>

#include "lessons/read_lesson.h"
#include "program/values.h"

namespace headlight::lessons {

namespace {

constexpr int kAll = static_cast<int>(kMostStops);

// The stops that replace the borrowing one. Throws CommandError.
std::vector<Stop> stops_of(const Borrowed& from, const Lesson& lesson) {
    const int count = static_cast<int>(lesson.stops.size());
    const int last = from.last == 0 ? count : from.last;
    if (from.first > last || last > count)
        throw CommandError(from.file + ": expected stops from 1 to " + std::to_string(count) +
                           ", found " + std::to_string(from.first) +
                           (from.last == from.first ? "" : " to " + std::to_string(last)) + ".");
    std::vector<Stop> stops(lesson.stops.begin() + from.first - 1, lesson.stops.begin() + last);
    for (const Stop& stop : stops)
        if (stop.borrowed)
            throw CommandError("the stop " + in_quotes(stop.title) + " of " + from.file +
                               " is itself borrowed. Borrow it from its own lesson, " +
                               stop.borrowed->file + ".");
    return stops;
}

// Errors in borrowed stops are reported on the line that borrows them.
void put_in_line(Stop& stop, int line) {
    stop.line = line;
    for (Order& order : stop.orders) order.line = line;
    for (Block& block : stop.blocks) block.line = line;
}

}  // namespace

Borrowed parse_borrowed(const std::string& link) {
    const std::size_t sign = link.find('#');
    Borrowed from{link.substr(0, sign)};
    if (!from.file.ends_with(".md") || !stays_inside(from.file) ||
        from.file.find('/') != std::string::npos)
        throw CommandError(
            "a borrowed stop must come from a lesson (.md) in the same folder; found " +
            in_quotes(link) + ".");
    if (sign == std::string::npos) return from;
    const std::string stops = link.substr(sign + 1);
    const std::size_t dash = stops.find('-');
    from.first = parse_integer("stop", stops.substr(0, dash), 1, kAll);
    from.last = dash == std::string::npos
                    ? from.first
                    : parse_integer("stop", stops.substr(dash + 1), from.first, kAll);
    return from;
}

Lesson with_borrowed_stops(Lesson lesson, const std::function<Lesson(const std::string&)>& read) {
    std::map<std::string, Lesson> lessons;
    std::vector<Stop> all;
    for (Stop& stop : lesson.stops) {
        if (!stop.borrowed) {
            all.push_back(std::move(stop));
            continue;
        }
        try {
            const Borrowed& from = *stop.borrowed;
            if (!lessons.contains(from.file)) lessons.emplace(from.file, read(from.file));
            std::vector<Stop> others = stops_of(from, lessons.at(from.file));
            // A single borrowed stop may get another title here.
            if (others.size() == 1) others.front().title = stop.title;
            for (Stop& other : others) {
                put_in_line(other, stop.line);
                // The lecture's own text comes first.
                other.blocks.insert(other.blocks.begin(), stop.blocks.begin(), stop.blocks.end());
                other.orders.insert(other.orders.end(), stop.orders.begin(), stop.orders.end());
                stop.blocks.clear();
                if (!stop.notes.empty()) other.notes = std::exchange(stop.notes, {});
                all.push_back(std::move(other));
            }
        } catch (const CommandError& error) {
            lesson.problems.push_back({stop.line, error.what()});
        }
    }
    if (all.size() > kMostStops) {
        lesson.problems.push_back(
            {all[kMostStops].line,
             "expected no more than " + std::to_string(kMostStops) +
                 " stops, including borrowed ones; the last ones are left out."});
        all.resize(kMostStops);
    }
    lesson.stops = std::move(all);
    std::ranges::stable_sort(lesson.problems, {}, &Problem::line);
    return lesson;
}

}  // namespace headlight::lessons
