#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/layer.h"
#include "checkpoint/layer_file.h"
#include "image/image.h"
#include "patches/patches.h"
#include "positions/positions.h"

// What a layer's tensors cannot say, and who said it.
namespace headlight::cli {

// A value and its origin, as `headlight info` prints it. Later sources overwrite earlier ones.
template <class T>
struct Setting {
    std::optional<T> value;
    std::string origin;

    void set(std::optional<T> new_value, std::string new_origin) {
        value = std::move(new_value);
        origin = std::move(new_origin);
    }
    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
};

struct Settings {
    Setting<std::string> family;
    Setting<int> heads;
    Setting<float> scale;  // unset: head_dim^-0.5
    Setting<float> temperature;
    Setting<Skip> skip;
    Setting<bool> causal;

    Setting<int> patch, stride;  // unset: from the token's width; as far as the patch is wide
    Setting<Ragged> ragged;
    Setting<std::pair<int, int>> image_size;  // height, width
    Setting<Framing> framing;
    Setting<int> channels;  // 1 or 3; unset: from the token's width
    Setting<PositionKind> positions;
    Setting<std::vector<float>> mean, std;  // one number or three
};

// Which keys of --attention mean something: each scope includes those before it.
enum class Scope {
    layer,    // tokens are given
    patches,  // pixels are given
    image,    // an image is given
};

// In rising order of precedence: the family's convention, config.json and preprocessor_config.json
// beside the model, the file of --config (unless empty). Throws WorkError: not JSON, a value of
// another kind, in --config also a key that we do not know.
Settings model_settings(const LayerFile& layer, const std::string& model_path,
                        const std::string& config_path);

// The JSON of --attention (unless empty) on top. Throws UsageError: not JSON, an unknown key or one
// outside the scope, a value of another kind.
void apply_attention(const std::string& text, Scope scope, Settings& settings);

// The layer's configuration. Throws WorkError where the number of heads is nowhere said, and
// AttentionError where the settings do not fit the layer.
AttentionConfig attention_config(const LayerFile& layer, const Settings& settings,
                                 const std::string& model_path);

}  // namespace headlight::cli
