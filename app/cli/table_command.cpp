#include "cli/table_command.h"

#include <ostream>
#include <utility>

#include "cli/audience.h"
#include "files/new_file.h"

namespace headlight::cli {

std::string head_of(std::span<const TableColumn> columns) {
    std::string text;
    for (const TableColumn& column : columns)
        text += (text.empty() ? "" : ",") + std::string(column.name);
    return text + '\n';
}

Json json_of(std::span<const TableColumn> columns) {
    Json json = Json::array();
    for (const auto& [name, unit, about] : columns)
        json.push_back({{"name", name}, {"unit", unit}, {"about", about}});
    return json;
}

TableCommand::TableCommand(const TableOptions& options, const Audience& audience)
    : options_(options),
      audience_(audience),
      images_(all_images(options.images)),
      unread_(audience.warnings, images_.size()) {
    expect_own_output(options_.out, options_.source, images_);
    SourceOptions first = options_.source;
    first.image = images_.front();
    source_ = read_source(first, audience_.warnings, audience_.stop);
}

void TableCommand::for_each_image(const Run& run) {
    for (std::size_t i = 0; i < images_.size(); ++i) {
        throw_if_stopped(audience_.stop);
        source_.image = images_[i];
        std::optional<Beginning> beginning = unread_.begin(source_);
        if (beginning)
            run(images_[i], images_.size() == 1 ? "" : nth_image(i, images_.size()) + ", ",
                std::move(*beginning));
    }
}

void TableCommand::say_not_finite() const {
    cli::say_not_finite(options_.source.model, audience_.warnings);
}

void TableCommand::write(const std::string& table, Json facts) const {
    write_file(options_.out, table);
    if (options_.json) {
        facts["table"] = options_.out;
        facts["made_by"] = "Headlight " HEADLIGHT_VERSION;
        facts.update(json_of(options_.source));
        facts["failed"] = json_of(unread_);
        audience_.out << printed(facts) << '\n';
    }
    unread_.say();
}

}  // namespace headlight::cli
