#include "state/session.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>

#include "disk/environment.h"
#include "disk/files.h"
#include "disk/read_file.h"
#include "encoder/token_maps.h"
#include "files/error.h"
#include "files/new_file.h"
#include "json/bounded_json.h"
#include "program/values.h"
#include "scene/scene_file.h"
#include "state/command.h"
#include "state/fields.h"
#include "state/portable_files.h"
#include "tokens/token_source.h"

namespace headlight {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr int kMaxInt = std::numeric_limits<int>::max();
// A session has a third of these levels, and no more entries than switched-off heads.
const JsonBounds kBounds{.levels = 16, .entries = 10'000};
constexpr std::uintmax_t kMaxBytes = 1 << 20;  // a session takes a few kilobytes

constexpr std::array<std::string_view, 12> kMembers{
    "version", "recipe", "pinned", "on_picture",    "reference",     "selection",
    "region",  "look",   "recent", "recent_models", "recent_tokens", "lessons"};

// ---- writing

// Numbers and toggles as JSON numbers and booleans, lists of them as lists, anything else as text.
Json value_of(const FieldInfo& field, const std::string& text) {
    if (!field.unset.empty() && text == field.unset) return text;
    switch (field.kind) {
        case FieldKind::integer:
            if (field.one_based) return std::stoi(text) - 1;
            return Json::parse(text);
        case FieldKind::number:
        case FieldKind::toggle:
            return Json::parse(text);
        case FieldKind::numbers: {
            Json list;
            std::istringstream numbers(text);
            for (std::string number; numbers >> number;) list.push_back(Json::parse(number));
            return list;
        }
        default:
            return text;
    }
}

// These fields have code of their own for writing and reading.
bool is_structure(const FieldInfo& field) { return field.kind == FieldKind::structure; }

template <class Subject>
void write_fields(Json& object, const Subject& subject,
                  const std::vector<FieldOf<Subject>>& fields) {
    for (const auto& field : fields)
        if (!is_structure(field) && field.parts.empty())  // parts are written separately
            object[std::string(field.name)] = value_of(field, field.get(subject));
}

Json recipe_json(const Recipe& recipe) {
    Json object;
    write_fields(object, recipe, recipe_fields());
    if (recipe.scene) object["scene"] = Json::parse(to_json(*recipe.scene));
    if (gives_tokens(recipe.tokens)) object["tokens"] = Json::parse(to_json(recipe.tokens));
    for (const HeadPlace& place : recipe.switched_off)  // from 0, as in the state
        object["switched_off"].push_back({place.layer, place.head});
    return object;
}

Json places_json(const TokenPlaces& places) {
    const auto& [layout, grid] = places;
    return {{"class_tokens", layout.class_tokens},
            {"distillation_tokens", layout.distillation_tokens},
            {"registers", layout.registers},
            {"rows", grid.rows},
            {"cols", grid.cols},
            {"patch_size", grid.settings.size},
            {"stride", grid.settings.stride},
            {"padding", grid.offset},
            {"image_height", grid.image_height},
            {"image_width", grid.image_width}};
}

Json selection_json(const Selection& s) {
    Json object;
    object["step"] = info(s.step).name;
    object["head"] = s.head;  // from 0, as in the state
    object["head_pinned"] = s.head_pinned;
    object["solo"] = s.solo;
    object["shape"] = s.shape ? Json(*s.shape) : Json();
    object["token"] = s.token ? Json(*s.token) : Json();
    object["token_chosen"] = s.token_chosen;
    object["key"] = s.key ? Json(*s.key) : Json();
    object["col"] = s.col ? Json(*s.col) : Json();
    object["col_axis"] = name_of(s.col_axis);
    object["also"] = s.also;
    // Stores the grid, because in another one the same positions have other numbers. Given tokens
    // have none.
    if (const auto& places = s.numbered.places; places && places->grid.image_width > 0)
        object["grid"] = places_json(*places);
    return object;
}

Json region_json(const Region& region) {
    if (region.empty()) return {};
    return {{"rows", region.rows}, {"cols", region.cols}, {"patches", text_of_patches(region)}};
}

Json lessons_json(const std::vector<LessonPlace>& lessons) {
    Json list = Json::array();
    for (const LessonPlace& place : lessons) {
        Json entry{{"file", place.file}, {"stop", place.stop}, {"furthest", place.furthest}};
        for (const LessonMark& mark : place.marks)
            entry["marks"].push_back(
                {{"stop", mark.stop}, {"number", mark.number}, {"result", name_of(mark.result)}});
        list.push_back(std::move(entry));
    }
    return list;
}

// ---- reading: all functions throw CommandError, which from_json converts to a SessionError

[[noreturn]] void refuse(const std::string& what, const std::string& expected, const Json& found) {
    std::string value = found.type_name();  // for a list or an object, which may be large
    if (found.is_string()) {
        value = in_quotes(found.get_ref<const std::string&>());
    } else if (found.is_primitive()) {
        value = found.dump();
    }
    throw CommandError(what + ": expected " + expected + ", found " + value + ".");
}

// The member of that name, or null if there is none, which keeps the default.
const Json* member(const Json& object, std::string_view name) {
    const auto found = object.find(std::string(name));
    return found == object.end() ? nullptr : &*found;
}

const Json& object_of(const Json& value, const std::string& what) {
    if (!value.is_object()) refuse(what, "an object", value);
    return value;
}

void read_toggle(const Json& object, const std::string& name, bool& toggle) {
    const Json* value = member(object, name);
    if (!value) return;
    if (!value->is_boolean()) refuse(name, "true or false", *value);
    toggle = value->get<bool>();
}

// Absent or null: empty.
std::optional<int> read_integer(const Json& object, const std::string& name, int high) {
    const Json* value = member(object, name);
    if (!value || value->is_null()) return std::nullopt;
    if (!value->is_number()) refuse(name, "an integer", *value);
    return parse_integer(name, value->dump(), 0, high);
}

template <class Names>
std::size_t read_name(const Json& object, const std::string& name, const Names& names,
                      std::size_t otherwise) {
    const Json* value = member(object, name);
    if (!value) return otherwise;
    if (value->is_string())
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == value->get_ref<const std::string&>()) return i;
    refuse(name, "one of its values", *value);
}

template <class Enum>
void read_enum(const Json& object, const std::string& name, Enum& value) {
    value = static_cast<Enum>(
        read_name(object, name, names_of<Enum>(), static_cast<std::size_t>(value)));
}

// Converts a JSON value to the field's text.
std::string text_of(const Json& value, const FieldInfo& field) {
    const std::string name(field.name);
    if (!field.unset.empty() && value == std::string(field.unset)) return std::string(field.unset);
    switch (field.kind) {
        case FieldKind::integer:
        case FieldKind::number:
            if (!value.is_number()) refuse(name, "a number", value);
            if (field.one_based)
                return std::to_string(parse_integer(name, value.dump(), 0, kMaxInt - 1) + 1);
            return value.dump();
        case FieldKind::toggle:
            if (!value.is_boolean()) refuse(name, "true or false", value);
            return value.dump();
        case FieldKind::numbers: {
            if (!value.is_array()) refuse(name, "three numbers", value);
            std::string text;
            for (const Json& number : value) {
                if (!number.is_number()) refuse(name, "three numbers", number);
                text += (text.empty() ? "" : " ") + number.dump();
            }
            return text;
        }
        default:
            if (!value.is_string()) refuse(name, "text", value);
            return value.get<std::string>();
    }
}

template <class Subject>
void read_fields(const Json& object, Subject& subject,
                 const std::vector<FieldOf<Subject>>& fields) {
    for (const auto& field : fields)
        if (const Json* value = member(object, field.name); value && !is_structure(field))
            field.set(subject, text_of(*value, field));
}

// A list of [layer, head].
std::vector<HeadPlace> read_heads(const Json& object, const std::string& name) {
    std::vector<HeadPlace> heads;
    const Json* list = member(object, name);
    if (!list) return heads;
    if (!list->is_array()) refuse(name, "a list of heads", *list);
    for (const Json& place : *list) {
        if (!place.is_array() || place.size() != 2)
            refuse(name, "the numbers of a layer and a head", place);
        const auto number = [&](std::size_t i) {
            return parse_integer(name, place[i].dump(), 0, kMaxInt - 1);
        };
        heads.push_back({number(0), number(1)});
    }
    std::sort(heads.begin(), heads.end());
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    return heads;
}

Recipe read_recipe(const Json& object) {
    Recipe recipe;
    read_fields(object, recipe, recipe_fields());
    if (const Json* scene = member(object, "scene")) {
        const std::string text = scene->dump();
        recipe.scene = scene_from_json(std::as_bytes(std::span(text)), "scene");
    }
    if (const Json* tokens = member(object, "tokens")) {
        const std::string text = tokens->dump();
        recipe.tokens = tokens_from_json(std::as_bytes(std::span(text)), "tokens");
    }
    recipe.switched_off = read_heads(object, "switched_off");
    return recipe;
}

// The queries besides the first.
std::vector<int> read_tokens(const Json& object, const std::string& name,
                             const std::optional<int>& first) {
    std::vector<int> tokens;
    const Json* list = member(object, name);
    if (!list) return tokens;
    if (!list->is_array()) refuse(name, "a list of tokens", *list);
    for (const Json& token : *list) {
        const int number = parse_integer(name, token.dump(), 0, kMaxInt);
        const bool is_new = number != first && std::ranges::find(tokens, number) == tokens.end();
        if (first && is_new && tokens.size() + 1 < kMostAsked) tokens.push_back(number);
    }
    return tokens;
}

// The grid that the token numbers of a selection refer to.
TokenPlaces read_places(const Json& object) {
    constexpr int kMost = 1 << 15;
    const auto number = [&](const char* name, int least) {
        const int found = read_integer(object, name, kMost).value_or(0);
        if (found < least) refuse(name, "a number above 0", Json(found));
        return found;
    };
    TokenPlaces places;
    TokenLayout& layout = places.layout;
    layout.class_tokens = number("class_tokens", 0);
    layout.distillation_tokens = number("distillation_tokens", 0);
    layout.registers = number("registers", 0);
    PatchGrid& grid = places.grid;
    grid.rows = number("rows", 1);
    grid.cols = number("cols", 1);
    grid.settings.size = number("patch_size", 1);
    grid.settings.stride = number("stride", 1);
    grid.offset = number("padding", 0);
    grid.image_height = number("image_height", 1);
    grid.image_width = number("image_width", 1);
    layout.patches = grid.count();
    return places;
}

Selection read_selection(const Json& object) {
    Selection s;
    std::array<std::string_view, kStepCount> steps;
    for (const StepInfo& step : all_steps())
        steps.at(static_cast<std::size_t>(step.id)) = step.name;
    s.step = static_cast<Step>(read_name(object, "step", steps, static_cast<std::size_t>(s.step)));
    s.head = read_integer(object, "head", kMostHeads - 1).value_or(s.head);
    read_toggle(object, "head_pinned", s.head_pinned);
    read_toggle(object, "solo", s.solo);
    s.shape = read_integer(object, "shape", kMaxShapes - 1);
    s.token = read_integer(object, "token", kMaxInt);
    read_toggle(object, "token_chosen", s.token_chosen);
    s.key = read_integer(object, "key", kMaxInt);
    s.col = read_integer(object, "col", kMaxInt);
    read_enum(object, "col_axis", s.col_axis);
    s.also = read_tokens(object, "also", s.token);
    if (const Json* grid = member(object, "grid"))
        s.numbered.places = read_places(object_of(*grid, "grid"));
    return s;
}

Region read_region(const Json& object) {
    constexpr int kMost = 1 << 12, kMostPatches = 1 << 18;  // more would fill the undo memory
    const int rows = read_integer(object, "rows", kMost).value_or(0),
              cols = read_integer(object, "cols", kMost).value_or(0);
    if (rows * cols > kMostPatches)
        refuse("region", "a grid of at most " + std::to_string(kMostPatches) + " patches", object);
    const Json* patches = member(object, "patches");
    if (!patches || !patches->is_string()) refuse("patches", "text", patches ? *patches : Json());
    const auto region = region_from_text(patches->get_ref<const std::string&>(), rows, cols);
    if (!region) refuse("patches", "patches of the grid such as 3-9,17", *patches);
    return *region;
}

std::vector<std::string> read_recent(const Json& list) {
    if (!list.is_array()) refuse("recent", "a list", list);
    std::vector<std::string> recent;
    for (const Json& image : list) {
        if (!image.is_string()) refuse("recent", "names of files", image);
        if (recent.size() < kMaxRecent) recent.push_back(image.get<std::string>());
    }
    return recent;
}

std::vector<LessonMark> read_marks(const Json& list) {
    if (!list.is_array()) refuse("marks", "a list", list);
    std::vector<LessonMark> marks;
    for (const Json& entry : list) {
        LessonMark mark;
        mark.stop = read_integer(object_of(entry, "marks"), "stop", kMaxInt).value_or(0);
        mark.number = read_integer(entry, "number", kMaxInt).value_or(1);
        const Json* result = member(entry, "result");
        const auto known = result && result->is_string()
                               ? value_named<LessonResult>(result->get<std::string>())
                               : std::nullopt;
        if (!known) refuse("result", "first try, second try, missed or done", entry);
        mark.result = *known;
        if (marks.size() < kMaxMarks) marks.push_back(mark);
    }
    return marks;
}

std::vector<LessonPlace> read_lessons(const Json& list) {
    if (!list.is_array()) refuse("lessons", "a list", list);
    std::vector<LessonPlace> lessons;
    for (const Json& place : list) {
        const Json* file = member(object_of(place, "lessons"), "file");
        if (!file || !file->is_string()) refuse("lessons", "the name of a file", place);
        const int stop = read_integer(place, "stop", kMaxInt).value_or(0);
        const int furthest = read_integer(place, "furthest", kMaxInt).value_or(stop);
        const Json* marks = member(place, "marks");
        if (lessons.size() < kMaxLessons)
            lessons.push_back({file->get<std::string>(), stop, furthest,
                               marks ? read_marks(*marks) : std::vector<LessonMark>{}});
    }
    return lessons;
}

State read_state(const Json& file) {
    object_of(file, "The session");
    if (const Json* version = member(file, "version"))
        if (*version != kVersion) refuse("version", std::to_string(kVersion), *version);
    State state;
    if (const Json* recipe = member(file, "recipe"))
        state.recipe = read_recipe(object_of(*recipe, "recipe"));
    if (const Json* pinned = member(file, "pinned"); pinned && !pinned->is_null())
        state.pinned = read_recipe(object_of(*pinned, "pinned"));
    if (const Json* picture = member(file, "on_picture"); picture && !picture->is_null())
        state.on_picture = read_recipe(object_of(*picture, "on_picture"));
    if (const Json* reference = member(file, "reference")) {
        if (!reference->is_string()) refuse("reference", "the name of a file", *reference);
        state.reference = reference->get<std::string>();
    }
    if (const Json* selection = member(file, "selection"))
        state.selection = read_selection(object_of(*selection, "selection"));
    if (const Json* region = member(file, "region"); region && !region->is_null())
        state.region = read_region(object_of(*region, "region"));
    if (const Json* look = member(file, "look")) {
        read_fields(object_of(*look, "look"), state.look, look_fields());
        if (member(*look, "grid")) read_toggle(*look, "grid", state.look.grid);  // once its name
        Json compare = *look;
        // As they were called once.
        if (const Json* kept = member(compare, "compare"); kept && *kept == "a")
            compare["compare"] = name_of(Compare::before);
        else if (kept && *kept == "now")
            compare["compare"] = name_of(Compare::after);
        read_enum(compare, "compare", state.look.compare);
    }
    if (!state.pinned) state.look.compare = Compare::after;
    if (const Json* recent = member(file, "recent")) state.recent = read_recent(*recent);
    if (const Json* recent = member(file, "recent_models"))
        state.recent_models = read_recent(*recent);
    if (const Json* recent = member(file, "recent_tokens"))
        state.recent_tokens = read_recent(*recent);
    if (const Json* lessons = member(file, "lessons")) state.lessons = read_lessons(*lessons);
    return state;
}

// ---- files

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
    throw SessionError(path.string() + ": " + why);
}

fs::path folder_in(const fs::path& above, const char* below) {
    return above.is_absolute() ? above / below : fs::path();
}

}  // namespace

std::string to_json(const State& state) {
    Json file;
    file["version"] = kVersion;
    file["recipe"] = recipe_json(state.recipe);
    file["pinned"] = state.pinned ? recipe_json(*state.pinned) : Json();
    file["on_picture"] = state.on_picture ? recipe_json(*state.on_picture) : Json();
    file["reference"] = state.reference;
    file["selection"] = selection_json(state.selection);
    file["region"] = region_json(state.region);
    write_fields(file["look"], state.look, look_fields());
    file["look"]["compare"] = name_of(state.look.compare);
    file["recent"] = state.recent;
    file["recent_models"] = state.recent_models;
    file["recent_tokens"] = state.recent_tokens;
    file["lessons"] = lessons_json(state.lessons);
    // A path need not be UTF-8, but JSON must be: an unreadable name is better than no session.
    return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

State from_json(const std::string& text, const std::string& name) {
    try {
        return read_state(parse_json(std::as_bytes(std::span(text)), kBounds));
    } catch (const JsonError& e) {
        const std::string at = e.byte() > 0 ? " at byte " + std::to_string(e.byte()) : "";
        throw SessionError(name + ": " + e.what() + at + ".");
    } catch (const Json::exception& e) {
        throw SessionError(name + ": " + e.what());
    } catch (const CommandError& e) {
        throw SessionError(name + ": " + e.what());
    } catch (const SceneError& e) {
        throw SessionError(name + ": " + e.what());
    } catch (const TokenError& e) {
        throw SessionError(name + ": " + e.what());
    }
}

fs::path default_session_path() {
    fs::path folder = folder_in(environment("XDG_STATE_HOME"), "headlight");
    if (folder.empty()) folder = folder_in(environment("LOCALAPPDATA"), "Headlight");  // on Windows
    if (folder.empty()) folder = folder_in(home_folder(), ".local/state/headlight");
    return folder.empty() ? folder : folder / "session.json";
}

bool begins_like_session(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto skip = [&](std::string_view word) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
        const bool there = text.starts_with(word);
        if (there) text.remove_prefix(word.size());
        return there;
    };
    if (!skip("{")) return text.empty();  // nothing is lost
    if (!skip("\"")) return skip("}");
    return std::ranges::any_of(
        kMembers, [&](std::string_view name) { return text.starts_with(std::string(name) + '"'); });
}

State load_session(const fs::path& path) {
    const FileState file = state_of(path);
    if (file.kind != FileKind::file) fail(path, "expected a session file, found none.");
    if (file.bytes > kMaxBytes)
        fail(path, "expected a session of less than 1 MB, found a larger file.");
    std::string text;
    try {
        text = read_text(path.string());
    } catch (const std::runtime_error&) {
        fail(path, "the session could not be read. Check its permissions.");
    }
    return from_json(text, path.string());
}

State as_experiment(const State& state, const fs::path& path) {
    State saved = with_files(state, portable_from(path.parent_path()));
    saved.recent.clear();
    saved.recent_models.clear();
    saved.recent_tokens.clear();
    saved.lessons.clear();
    return saved;
}

State load_experiment(const fs::path& path, const State& own) {
    State state = with_files(load_session(path), located_from(path.parent_path()));
    state.look = with_own(std::move(state.look), own.look);
    state.recent = own.recent;
    state.recent_models = own.recent_models;
    state.recent_tokens = own.recent_tokens;
    state.lessons = own.lessons;
    return state;
}

void save_session(const fs::path& path, const State& state) {
    if (path.empty()) fail("session", "there is no folder for it, because HOME is not set.");
    const auto error = path.has_parent_path() ? make_folder(path.parent_path()) : std::nullopt;
    if (error) fail(path.parent_path(), "the folder could not be created: " + *error + ".");

    try {
        write_file(path.string(), to_json(state));
    } catch (const CheckpointError& why) {
        throw SessionError("The session could not be saved. " + std::string(why.what()));
    }
}

}  // namespace headlight
