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

// Compares the walk with another program's numbers in a background task.
namespace headlight {

struct ReferenceQuestion {
    std::string file;
    int reading = 0;  // a new number reads the file again
    std::shared_ptr<const Trace> trace;
    TraceOrigin origin{};

    friend bool operator==(const ReferenceQuestion&, const ReferenceQuestion&) = default;
};
using HeldResults = std::vector<HeldResult>;

// The comparisons of one step, worst first; may be empty.
HeldResults held_of_step(const HeldResults& all, Step step);
// The worst of all: first one that cannot be compared, then the largest relative error. Null if
// there are none.
const HeldResult* worst_of(const HeldResults& results);

using ReferenceStudent = LatestTask<ReferenceQuestion, HeldResults>;

// Opens a file once, and again when it has changed on the disk.
std::unique_ptr<ReferenceStudent> make_reference_student(FileReader read_file,
                                                         std::function<void()> wake);

}  // namespace headlight
