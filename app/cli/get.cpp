#include "cli/get.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <ostream>

#include "cli/errors.h"
#include "files/error.h"
#include "hub/curated.h"
#include "hub/examine.h"
#include "hub/rate.h"
#include "hub/remote_model.h"

namespace headlight::cli {

namespace {

hub::Wanted wanted_by(const GetOptions& options) {
    const auto name = parse_hub_name(options.name);
    if (!name)
        throw UsageError(
            "NAME: expected a model on the Hub as ORG/NAME or ORG/NAME@REVISION, such as "
            "timm/vit_small_patch16_224.dino, found \"" +
            options.name.substr(0, 120) + "\".");
    for (const std::string& path : options.files)
        if (!is_hub_path(path))
            throw UsageError("--file: expected the path of a file in " + name->repository +
                             ", found \"" + path.substr(0, 120) + "\".");
    return {*name, options.files};
}

[[noreturn]] void refuse_without_downloads(const hub::Wanted& wanted, const GetOutput& output) {
    const std::string lines = hub::python_to_get(wanted.name.repository, wanted.name.revision);
    output.say("These two lines of Python also download it, after pip install huggingface_hub:");
    for (std::size_t at = 0, end = 0; (end = lines.find('\n', at)) != std::string::npos;
         at = end + 1)
        output.say(lines.substr(at, end - at));
    throw WorkError(hub::why_no_transport());
}

// Describes the model from its headers alone, and decides whether a part of it is enough. Throws if
// Headlight does not support it.
std::string description(hub::Client& client, hub::RemoteModel& model) {
    if (model.checkpoint.empty()) return hub::size_and_license(model);
    try {
        const std::string kind = hub::examine(client, model);
        return kind + ", " + hub::size_and_license(model);
    } catch (const CheckpointError& error) {
        throw WorkError("Headlight does not read this model, so it is not downloaded (--file " +
                        model.checkpoint + " downloads it anyway). " + error.what());
    } catch (const std::bad_alloc&) {
        return hub::size_and_license(model) +
               "; this machine does not have enough memory to open it";
    }
}

void say_what_it_is(hub::Client& client, hub::RemoteModel& model, const GetOutput& output) {
    if (!model.renamed_to.empty())
        output.say(model.name.repository + " is called " + model.renamed_to + " on the Hub now.");
    output.say(model.name.repository + ": " + description(client, model));
}

std::filesystem::path fetch(hub::Client& client, const hub::RemoteModel& model,
                            const GetOutput& output) {
    constexpr std::chrono::milliseconds kBetween(100);
    hub::Rate rate;
    hub::Rate::Clock::time_point said{};
    const auto tell = [&](const hub::ModelProgress& progress) {
        const auto now = hub::Rate::Clock::now();
        rate.add(progress.file, now);
        if (now - said < kBetween) return;
        said = now;
        output.progress(hub::progress_in_words(progress, rate.bytes_per_second()));
    };
    try {
        return hub::fetch(client, model, tell);
    } catch (const Stopped&) {
        output.say("stopped. The downloaded part is kept; run the same command again to continue.");
        throw;
    }
}

}  // namespace

void run_get(const GetOptions& options, const GetOutput& output, const StopFlag& stop) {
    const hub::Wanted wanted = wanted_by(options);
    if (is_hub_offline()) {
        output.out << hub::find_in_cache(wanted).string() << '\n';
        return;
    }
    if (hub_cache_folder().empty())
        throw WorkError(
            "Headlight found no folder for the Hub's cache. Set HF_HUB_CACHE to a folder.");
    const auto transport = hub::new_transport();
    if (!transport) refuse_without_downloads(wanted, output);
    const hub::Token token = hub::find_token();
    if (!token.warning.empty()) output.say(token.warning);
    hub::Client client(*transport, hub::endpoint(), token.text, stop);
    output.progress(wanted.name.repository + ": asking the Hub");
    hub::RemoteModel model = hub::look_up(client, wanted);
    if (!hub::may_be_part(model)) hub::expect_room(model);
    say_what_it_is(client, model, output);
    hub::expect_room(model);
    output.out << fetch(client, model, output).string() << '\n';
}

void list_models(std::ostream& out) {
    std::size_t what = 0, name = 0, size = 0;
    for (const hub::CuratedModel& model : hub::curated_models()) {
        what = std::max(what, model.what.size());
        name = std::max(name, model.name.size());
        size = std::max(size, model.size.size());
    }
    for (const hub::CuratedModel& model : hub::curated_models())
        out << fmt::format("{:<{}}  {:<{}}  {:>{}}  {}\n", model.name, name, model.what, what,
                           model.size, size, model.license);
}

}  // namespace headlight::cli
