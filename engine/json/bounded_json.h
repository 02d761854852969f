#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

// Limits for a JSON file. A file beyond them is refused before it takes memory or stack.
struct JsonBounds {
    int levels = 0;                // nesting depth of objects and lists
    std::size_t entries = 0;       // per object or list
    std::string what = "entries";  // name of the entries in messages
};

// The message is "expected ..., found ...".
class JsonError : public std::runtime_error {
  public:
    JsonError(std::string expected, std::string found, std::size_t byte = 0)
        : std::runtime_error("expected " + expected + ", found " + found),
          expected_(std::move(expected)),
          found_(std::move(found)),
          byte_(byte) {}

    [[nodiscard]] const std::string& expected() const { return expected_; }
    [[nodiscard]] const std::string& found() const { return found_; }
    [[nodiscard]] std::size_t byte() const { return byte_; }  // position of a syntax error, from 1

  private:
    std::string expected_, found_;
    std::size_t byte_;
};

// Builds the value during parsing. The library's callback interface would traverse a whole object
// again whenever something in it ends.
template <class Json>
class JsonBuilder : public nlohmann::json_sax<Json> {
  public:
    JsonBuilder(const JsonBounds& bounds, const std::function<void()>& pulse)
        : bounds_(bounds), pulse_(pulse) {}

    Json take() { return std::move(root_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(typename Json::number_integer_t value) override { return add(value); }
    bool number_unsigned(typename Json::number_unsigned_t value) override { return add(value); }
    bool number_float(typename Json::number_float_t value, const std::string& /*text*/) override {
        return add(value);
    }
    bool string(std::string& value) override { return add(std::move(value)); }
    bool binary(typename Json::binary_t& /*value*/) override { return false; }  // not in JSON text

    bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
    bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    // A second entry with the same name would silently replace the first.
    bool key(std::string& name) override {
        expect_room(*open_.back());
        if (open_.back()->contains(name)) throw JsonError("JSON with every name once", twice(name));
        key_ = std::move(name);
        return true;
    }

    bool parse_error(std::size_t byte, const std::string& /*token*/,
                     const typename Json::exception& /*error*/) override {
        throw JsonError("JSON", "something else", byte);
    }

  private:
    template <class Value>
    bool add(Value&& value) {
        put(Json(std::forward<Value>(value)));
        return true;
    }

    Json& put(Json value) {
        if (pulse_) pulse_();
        if (open_.empty()) return root_ = std::move(value);
        Json& around = *open_.back();
        if (around.is_object()) return around[key_] = std::move(value);
        expect_room(around);
        around.push_back(std::move(value));
        return around.back();
    }

    bool open(Json empty) {
        if (static_cast<int>(open_.size()) == bounds_.levels)
            throw JsonError("JSON of at most " + std::to_string(bounds_.levels) + " levels",
                            "a deeper one");
        open_.push_back(&put(std::move(empty)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    void expect_room(const Json& around) const {
        if (around.size() >= bounds_.entries)
            throw JsonError(
                "JSON of at most " + std::to_string(bounds_.entries) + " " + bounds_.what, "more");
    }

    // A malicious name may be a megabyte long.
    static std::string twice(const std::string& name) {
        constexpr std::size_t kLongest = 80;
        return '"' + (name.size() <= kLongest ? name : name.substr(0, kLongest) + "...") +
               "\" twice";
    }

    const JsonBounds& bounds_;
    const std::function<void()>& pulse_;
    Json root_;
    std::vector<Json*> open_;  // enclosing objects and lists; each keeps its address until it is
                               // closed
    std::string key_;
};

// Parses untrusted JSON in time linear in its length. `pulse` is called for every value and may
// throw to stop parsing. Throws JsonError if the text is not JSON, exceeds the bounds, or repeats a
// name in an object.
template <class Json = nlohmann::json>
Json parse_json(std::span<const std::byte> file, const JsonBounds& bounds,
                const std::function<void()>& pulse = {}) {
    const auto* text = reinterpret_cast<const char*>(file.data());
    JsonBuilder<Json> builder(bounds, pulse);
    if (!Json::sax_parse(text, text + file.size(), &builder))
        throw JsonError("JSON", "something else");
    return builder.take();
}

}  // namespace headlight
