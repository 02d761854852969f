#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/file.h"
#include "reference/reference.h"
#include "state/directory.h"
#include "tasks/latest_task.h"
#include "trace/trace.h"

// The walk against the numbers of another program, held against each other beside the interface.
namespace headlight {

struct ReferenceQuestion {
    std::string file;
    int reading = 0;  // another number reads it again
    std::shared_ptr<const Trace> trace;
    TraceOrigin origin{};

    friend bool operator==(const ReferenceQuestion&, const ReferenceQuestion&) = default;
};
using HeldResults = std::vector<HeldResult>;

// What the reference says of a step: its results, the worst of them first. Empty: nothing.
HeldResults held_of_step(const HeldResults& all, Step step);
// The worst of all: one that cannot be compared, then the largest relative error. Null where there
// is none.
const HeldResult* worst_of(const HeldResults& results);

using ReferenceStudent = LatestTask<ReferenceQuestion, HeldResults>;

// Opens a file once, and again where it has changed on the disk.
std::unique_ptr<ReferenceStudent> make_reference_student(FileReader read_file,
                                                         std::function<void()> wake);

}  // namespace headlight
