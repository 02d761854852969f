#include "scene/scene_file.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "json/bounded_json.h"
#include "json/checked_json.h"
#include "kernels/names.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;

// ---- writing

Json json_of(const Rgb& color) {
    return {json_number(color.red), json_number(color.green), json_number(color.blue)};
}

Json json_of(const Shape& shape) {
    return {{"kind", name_of(shape.kind)},
            {"x", json_number(shape.x)},
            {"y", json_number(shape.y)},
            {"radius", json_number(shape.radius)},
            {"rotation", json_number(shape.rotation)},
            {"color", json_of(shape.color)}};
}

Json json_of(const Background& background) {
    return {{"from", json_of(background.from)},
            {"to", json_of(background.to)},
            {"direction", json_number(background.direction)},
            {"noise", json_number(background.noise)},
            {"grain", background.grain}};
}

// ---- reading

using Value = CheckedJson<SceneError>;

struct Members : CheckedMembers<SceneError> {
    Members(const Value& value, std::initializer_list<const char*> names)
        : CheckedMembers(value, names, "a scene") {}
};

Rgb color_of(const Value& value) {
    const Json& json = value.json;
    if (!json.is_array() || json.size() != 3) value.refuse("three numbers: red, green, blue");
    const auto channel = [&](std::size_t i) { return Value{json[i], value.place}.number(0, 1); };
    return {channel(0), channel(1), channel(2)};
}

constexpr auto kSide = static_cast<float>(kSceneSize);

ShapeKind kind_of(const Value& value) {
    const auto kind = value.json.is_string()
                          ? value_named<ShapeKind>(value.json.get_ref<const std::string&>())
                          : std::nullopt;
    if (!kind) value.refuse(alternatives(names_of<ShapeKind>()));
    return *kind;
}

Shape shape_of(const Value& value) {
    const Members at(value, {"kind", "x", "y", "radius", "rotation", "color"});
    return {kind_of(at["kind"]),
            at["x"].number(0, kSide),
            at["y"].number(0, kSide),
            at["radius"].number(kMinRadius, kMaxRadius),
            at["rotation"].number(-360, 360),
            color_of(at["color"])};
}

Background background_of(const Value& value) {
    const Members at(value, {"from", "to", "direction", "noise", "grain"});
    const Value grain = at["grain"];
    if (!grain.json.is_number_unsigned() || grain.json.get<std::uint64_t>() > UINT32_MAX)
        grain.refuse("a whole number below 2^32");
    return {color_of(at["from"]), color_of(at["to"]), at["direction"].number(-360, 360),
            at["noise"].number(0, 1), grain.json.get<std::uint32_t>()};
}

}  // namespace

std::string to_json(const ShapeScene& scene) {
    Json shapes = Json::array();
    for (const Shape& shape : scene.shapes) shapes.push_back(json_of(shape));
    return Json{{"background", json_of(scene.background)}, {"shapes", shapes}}.dump(2) + "\n";
}

ShapeScene scene_from_json(std::span<const std::byte> file, const std::string& name) {
    constexpr std::size_t kMaxBytes = 1 << 20;  // a scene takes about 2 KB and is not nested deeply
    if (file.size() > kMaxBytes)
        throw SceneError(name + ": expected a scene, found " + std::to_string(file.size()) +
                         " bytes.");
    Json json;
    try {
        json = parse_json<Json>(file, {.levels = 8, .entries = 1000});
    } catch (const JsonError& error) {
        const auto before = file.first(std::min(error.byte(), file.size()));
        const auto line = 1 + std::ranges::count(before, std::byte{'\n'});
        throw SceneError(name + ": expected a scene as " + error.expected() + ", found " +
                         error.found() +
                         (error.byte() > 0 ? " on line " + std::to_string(line) : "") + ".");
    }
    const Value whole{json, name};
    const Members at(whole, {"background", "shapes"});
    ShapeScene scene{background_of(at["background"]), {}};
    const Value shapes = at["shapes"];
    if (!shapes.json.is_array() || shapes.json.size() > kMaxShapes)
        shapes.refuse("a list of at most " + std::to_string(kMaxShapes) + " shapes");
    for (std::size_t i = 0; i < shapes.json.size(); ++i)
        scene.shapes.push_back(
            shape_of({shapes.json[i], name + ", shape " + std::to_string(i + 1)}));
    return scene;
}

}  // namespace headlight
