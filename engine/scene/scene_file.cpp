#include "scene/scene_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "json/bounded_json.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;

// ---- writing

// The shortest decimal that is this float and no other.
Json number(float value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return Json::parse(text.data(), end);
}

Json json_of(const Rgb& colour) {
    return {number(colour.red), number(colour.green), number(colour.blue)};
}

Json json_of(const Shape& shape) {
    return {{"kind", kShapeNames[static_cast<std::size_t>(shape.kind)]},
            {"x", number(shape.x)},
            {"y", number(shape.y)},
            {"radius", number(shape.radius)},
            {"rotation", number(shape.rotation)},
            {"colour", json_of(shape.colour)}};
}

Json json_of(const Background& background) {
    return {{"from", json_of(background.from)},
            {"to", json_of(background.to)},
            {"direction", number(background.direction)},
            {"noise", number(background.noise)},
            {"grain", background.grain}};
}

// ---- reading

// A value with its place in the file, for the sentence that refuses it.
struct Value {
    const Json& json;
    std::string place;

    [[noreturn]] void refuse(const std::string& expected) const {
        std::string found = json.is_primitive()
                                ? json.dump(-1, ' ', true, Json::error_handler_t::replace)
                            : json.is_array() ? "a list of " + std::to_string(json.size())
                                              : std::string("an object");
        if (found.size() > 60) found = found.substr(0, 60) + "…";
        throw SceneError(place + ": expected " + expected + ", found " + found + ".");
    }

    [[nodiscard]] float number(float low, float high) const {
        const auto range = [&] {
            const auto text = [](float v) { return headlight::number(v).dump(); };
            return "a number from " + text(low) + " to " + text(high);
        };
        if (!json.is_number()) refuse(range());
        const double value = json.get<double>();
        if (!(value >= low && value <= high)) refuse(range());
        return static_cast<float>(value);
    }

    [[nodiscard]] Rgb colour() const {
        if (!json.is_array() || json.size() != 3) refuse("three numbers: red, green, blue");
        const auto channel = [&](std::size_t i) { return Value{json[i], place}.number(0, 1); };
        return {channel(0), channel(1), channel(2)};
    }
};

// An object with exactly these members.
class Members {
  public:
    Members(const Value& value, std::initializer_list<const char*> names) : value_(value) {
        if (!value.json.is_object()) value.refuse("an object");
        for (const auto& [name, unused] : value.json.items())
            if (std::find(names.begin(), names.end(), name) == names.end())
                throw SceneError(value.place + ": there is no \"" + name.substr(0, 40) +
                                 "\" in a scene.");
    }
    [[nodiscard]] Value operator[](const char* name) const {
        const auto found = value_.json.find(name);
        if (found == value_.json.end())
            throw SceneError(value_.place + ": expected \"" + name + "\", found none.");
        return {*found, value_.place + ", " + name};
    }

  private:
    const Value& value_;
};

constexpr auto kSide = static_cast<float>(kSceneSize);

ShapeKind kind_of(const Value& value) {
    const auto found = value.json.is_string() ? std::find(kShapeNames.begin(), kShapeNames.end(),
                                                          value.json.get_ref<const std::string&>())
                                              : kShapeNames.end();
    if (found == kShapeNames.end()) value.refuse("disc, square, triangle, ring, cross or star");
    return static_cast<ShapeKind>(found - kShapeNames.begin());
}

Shape shape_of(const Value& value) {
    const Members at(value, {"kind", "x", "y", "radius", "rotation", "colour"});
    return {kind_of(at["kind"]),
            at["x"].number(0, kSide),
            at["y"].number(0, kSide),
            at["radius"].number(kMinRadius, kMaxRadius),
            at["rotation"].number(-360, 360),
            at["colour"].colour()};
}

Background background_of(const Value& value) {
    const Members at(value, {"from", "to", "direction", "noise", "grain"});
    const Value grain = at["grain"];
    if (!grain.json.is_number_unsigned() || grain.json.get<std::uint64_t>() > UINT32_MAX)
        grain.refuse("a whole number below 2^32");
    return {at["from"].colour(), at["to"].colour(), at["direction"].number(-360, 360),
            at["noise"].number(0, 1), grain.json.get<std::uint32_t>()};
}

}  // namespace

std::string to_json(const ShapeScene& scene) {
    Json shapes = Json::array();
    for (const Shape& shape : scene.shapes) shapes.push_back(json_of(shape));
    return Json{{"background", json_of(scene.background)}, {"shapes", shapes}}.dump(2) + "\n";
}

ShapeScene scene_from_json(std::span<const std::byte> file, const std::string& name) {
    constexpr std::size_t kMaxBytes = 1 << 20;  // a scene has two kilobytes, and no depth
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
                         (error.byte() > 0 ? " in line " + std::to_string(line) : "") + ".");
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
