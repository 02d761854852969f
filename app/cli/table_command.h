#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/audience.h"
#include "cli/images.h"

namespace headlight::cli {

// Options of a command that runs one model on several images and writes one table about all.
struct TableOptions {
    SourceOptions source;             // its image is not used
    std::vector<std::string> images;  // files and folders
    std::string out;                  // .csv or .npz
    bool json = false;                // describe the table on standard output
};

// A column, for its first line and for --json.
struct TableColumn {
    const char *name, *unit, *about;
};
std::string head_of(std::span<const TableColumn> columns);  // "image,layer,…\n"
Json json_of(std::span<const TableColumn> columns);

// What such commands have in common.
class TableCommand {
  public:
    // Reads the model. Throws UsageError if `out` is an input file, and as all_images and
    // read_source do.
    TableCommand(const TableOptions& options, const Audience& audience);

    [[nodiscard]] const Model& model() const { return *source_.model; }

    // where: "image 3 of 7, ", for progress; empty if there is only one image.
    using Run = std::function<void(const std::string& image, const std::string& where,
                                   Beginning beginning)>;
    // For each image that can be read.
    void for_each_image(const Run& run);

    // Writes the table, which has csv(), npz() and is_finite(). `facts`: for --json. Throws
    // WorkError if no image could be read and, when all is written, if some could not.
    template <class Table>
    void finish(const Table& table, Json facts) const {
        unread_.expect_some();
        if (!table.is_finite()) say_not_finite();
        write(options_.out.ends_with(".npz") ? table.npz() : table.csv(), std::move(facts));
    }

  private:
    void say_not_finite() const;
    void write(const std::string& table, Json facts) const;

    const TableOptions& options_;
    const Audience& audience_;
    std::vector<std::string> images_;
    Source source_;
    UnreadImages unread_;
};

}  // namespace headlight::cli
