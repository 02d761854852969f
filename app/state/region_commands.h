#pragma once

#include <string>

#include "disk/read_file.h"
#include "state/state.h"
#include "trace/trace.h"

namespace headlight {

// The commands that draw a region on the picture. Every function checks all its arguments before it
// changes anything, and throws CommandError.
class RegionCommands {
  public:
    // `trace`: the current one, whose patches the arguments refer to; null before the first.
    RegionCommands(Region& region, const Trace* trace) : region_(region), trace_(trace) {}

    void patches(const std::string& inside, const std::string& patches);
    void rectangle(const std::string& corner, const std::string& opposite);
    void mask(const std::string& file, const FileReader& read_file);
    void clear() { region_ = {}; }

  private:
    [[nodiscard]] const PatchGrid& grid(const std::string& verb) const;

    Region& region_;
    const Trace* trace_;
};

}  // namespace headlight
