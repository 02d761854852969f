#include "pytorch/variables.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "ops/picture.h"
#include "positions/relative.h"
#include "program/values.h"
#include "pytorch/python.h"

namespace headlight {

namespace {

using Shape = std::vector<std::int64_t>;

std::string text_of(Index number) { return std::to_string(number); }

template <class Numbers>
std::string list_of(const Numbers& numbers) {
    std::string text = "[";
    for (const auto number : numbers) text += (text.size() > 1 ? ", " : "") + number_text(number);
    return text + "]";
}

// One number per channel, to be broadcast to [B, C, H, W]; `otherwise` if pixels are normalized
// already.
std::string channels_of(const std::vector<float>& numbers, const std::string& otherwise) {
    if (numbers.empty()) return otherwise;
    return "torch.tensor(" + list_of(numbers) + ").reshape(-1, 1, 1)";
}

// The soft split of a patches node.
const SoftSplit& split_of(const Node& node, const Trace& trace) {
    const bool first = node.operands.front() != Tensor::split_input;
    const int level = first ? 0 : trace.model->level_of(trace.layer);
    return trace.model->splits[static_cast<std::size_t>(level)];
}

bool is_weight_name(std::string_view name) {
    return name.starts_with("W_") || name.starts_with("b_") || name.starts_with("gamma_") ||
           name == "w" || name == "table";
}

Matrix byte_matrix(const std::vector<std::uint8_t>& bytes, Index rows) {
    Matrix numbers(rows, static_cast<Index>(bytes.size()) / rows);
    std::ranges::copy(bytes, numbers.data());
    return numbers;
}

}  // namespace

Variables::Variables(const ScriptSource& source, PythonScript& script)
    : source_(source), script_(script) {
    if (source.checkpoint != nullptr) names_.emplace(*source.checkpoint);
}

std::string Variables::put(TensorToWrite tensor) {
    std::string name = "given[" + python::quoted(tensor.name) + "]";
    if (std::ranges::find(script_.tensors, tensor.name, &TensorToWrite::name) ==
        script_.tensors.end())
        script_.tensors.push_back(std::move(tensor));
    return name;
}

std::string Variables::put(const std::string& name, Shape shape, Matrix matrix) {
    script_.kept.push_back(make_result(std::move(matrix)));
    return put({name, std::move(shape), {script_.kept.back()->view()}});
}

std::string Variables::weight(const Wanted& wanted, const MatrixView& view, const Shape& shape,
                              std::span<const Index> parts) {
    if (names_)
        if (auto found = names_->find(view, shape, parts)) return *found;
    const bool in_layer = wanted.node.place == Place::layer;
    const std::string name =
        (in_layer ? wanted.trace.model_layer().file_name : std::string(wanted.node.name())) + "." +
        wanted.name;
    return put(name, shape, Matrix(view.eigen()));
}

std::string Variables::row(const Wanted& wanted, const SharedResult& weight) {
    const MatrixView view = weight->view();
    return this->weight(wanted, view, {view.rows * view.cols});
}

// γ and β of any norm, running statistics of a batch norm, and the width of a layer norm.
std::optional<std::string> Variables::norm_variable(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const auto is = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::find(names, wanted.name) != names.end();
    };
    if (is({"g", "g1", "g2"})) return row(wanted, node.weights[0].value);
    if (is({"b", "b1", "b2"})) return row(wanted, node.weights[1].value);
    if (is({"D", "C", "hidden"})) return text_of(node.weights[0].value->view().cols);
    if (name == "mean" || name == "var") {
        const MatrixView running = node.weights[2].value->view();
        return weight(wanted, running.block(name == "mean" ? 0 : 1, 0, 1, running.cols),
                      {running.cols});
    }
    return std::nullopt;
}

// The rows for queries and those for keys and values, from one weight or from two.
std::optional<std::string> Variables::projection_variable(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    if (name == "X_kv") return attention_variable(wanted);
    if (!is_weight_name(name)) return std::nullopt;
    const AttentionConfig& config = trace.config;
    const Layer& layer = trace.model_layer();
    const Index c = config.channels, v = config.value_width();
    const bool is_bias = name[0] == 'b', apart = layer.key_value.exists();
    const SharedResult &own = is_bias ? layer.qkv.bias : layer.qkv.weight,
                       &others = is_bias ? layer.key_value.bias : layer.key_value.weight;
    const std::array<Index, 3> all{c, c, v};
    struct Part {
        MatrixView view;
        Shape shape;
    };
    const auto part = [&](const MatrixView& view, Index first, Index size) -> Part {
        if (is_bias) return {view.block(0, first, 1, size), {size}};
        return {view.block(first, 0, size, view.cols), {size, view.cols}};
    };
    if (name.ends_with("_qkv")) {
        const auto [view, shape] = part(own->view(), 0, 2 * c + v);
        return weight(wanted, view, shape, all);
    }
    const bool of_queries = name.ends_with("_q");
    const auto [view, shape] = of_queries ? part(own->view(), 0, c)
                               : apart    ? part(others->view(), 0, c + v)
                                          : part(own->view(), c, c + v);
    if (names_ && !apart && !names_->find(view, shape)) {
        const auto [whole, extents] = part(own->view(), 0, 2 * c + v);
        const std::string slice = of_queries ? "[:" + text_of(c) + "]" : "[" + text_of(c) + ":]";
        if (const auto found = names_->find(whole, extents)) return *found + slice;
    }
    return weight(wanted, view, shape,
                  of_queries ? std::span<const Index>() : std::span(all).subspan(1));
}

// DeiT's weight holds two heads side by side, each halved; their biases are added up.
std::optional<std::string> Variables::classifier_variable(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const MatrixView w = node.weights[0].value->view();
    if (name == "D") return text_of(w.cols / 2);
    if (name != "proj" && !is_weight_name(name)) return std::nullopt;
    if (name == "proj") {
        const Matrix turned = w.eigen().transpose();
        return weight(wanted, turned, {w.cols, w.rows});
    }
    if (name.ends_with("_h")) {
        if (name[0] == 'b') return row(wanted, node.weights[1].value);
        return weight(wanted, w, {w.rows, w.cols});
    }
    const Index half = w.cols / 2;
    if (name[0] == 'b') return row(wanted, node.weights[1].value);
    const Matrix one = 2 * w.eigen().middleCols(name == "W_1" ? 0 : half, half);
    return weight(wanted, one, {w.rows, half});
}

std::string Variables::head_norm(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const bool query = name == "q_norm";
    const auto& [eps, key_eps] = node.get<NormParameters>();
    const std::size_t first = query ? 0 : 2;
    return "lambda x: F.layer_norm(x, (" + text_of(trace.config.head_dim()) + ",), " +
           row(wanted, node.weights[first].value) + ", " +
           row({node, trace, query ? "q_norm_b" : "k_norm_b"}, node.weights[first + 1].value) +
           ", eps=" + number_text(query ? eps : key_eps) + ")";
}

// The model's position embedding, resampled to the walk's grid and extended to all of its tokens.
std::string Variables::position_table(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const Model& model = *trace.model;
    const MatrixView whole = trace.all(Tensor::positions);
    const PositionTable& own = model.positions;
    const MatrixView stored = own.table->view();
    if (name == "table") return weight(wanted, stored, {stored.rows, stored.cols});
    const Index native = Index{own.grid_rows} * own.grid_cols, special = stored.rows - native;
    const PatchGrid grid = grid_of_front(model, trace.grid);
    const Index between = whole.rows - special - grid.count();
    const bool is_native = grid.rows == own.grid_rows && grid.cols == own.grid_cols;
    if (is_native && between == 0) return weight(wanted, stored, {stored.rows, stored.cols});
    std::string patches = "table[" + text_of(special) + ":]";
    const auto sizes = [](int rows, int cols) { return python::tuple({rows, cols}); };
    const std::string from = sizes(own.grid_rows, own.grid_cols), to = sizes(grid.rows, grid.cols);
    const auto resampled = [&](const std::string& how) {
        if (!is_native) patches = "resampled(" + patches + ", " + from + ", " + how + ")";
    };
    switch (own.resampling) {
        case Resampling::bicubic_antialiased:
            resampled("size=" + to + ", mode='bicubic', antialias=True");
            break;
        case Resampling::bilinear_antialiased:
            resampled("size=" + to + ", mode='bilinear', antialias=True");
            break;
        case Resampling::bicubic:
            resampled("size=" + to + ", mode='bicubic'");
            break;
        case Resampling::linear_corners:
            resampled("size=" + to + ", mode='bilinear', align_corners=True");
            break;
        case Resampling::bicubic_corners:
            resampled("size=" + to + ", mode='bicubic', align_corners=True");
            break;
        case Resampling::bicubic_offset: {
            const auto scale = [](int now, int before) {
                return "(" + text_of(now) + " + 0.1) / " + text_of(before);
            };
            resampled("scale_factor=(" + scale(grid.rows, own.grid_rows) + ", " +
                      scale(grid.cols, own.grid_cols) + "), mode='bicubic'");
            break;
        }
    }
    std::string rows;
    if (special > 0) rows += "table[:" + text_of(special) + "], ";
    if (between > 0) rows += "torch.zeros" + python::tuple({between, stored.cols}) + ", ";
    return rows.empty() ? patches : "torch.cat([" + rows + patches + "])";
}

// The table of a kind that has a formula, or one that was drawn.
std::string Variables::generated_positions(const Wanted& wanted, const PositionInfo& kind) {
    const auto& [node, trace, name] = wanted;
    const MatrixView table = trace.all(Tensor::positions);
    if (kind.python.empty())
        return put("positions.drawn", Shape{table.rows, table.cols}, Matrix(table.eigen()));
    const auto& choice = node.get<PositionChoice>();
    const PatchGrid grid = grid_of_front(*trace.model, trace.grid);
    return python::call_of(kind.python,
                           {{"tokens", text_of(table.rows)},
                            {"dim", text_of(table.cols)},
                            {"base", number_text(choice.base)},
                            {"rows", text_of(grid.rows)},
                            {"cols", text_of(grid.cols)},
                            {"prefix", text_of(trace.model->prefix.count())},
                            {"rows_first", choice.first == WavesFirst::rows ? "True" : "False"}});
}

// The given or painted mask (true blocks), and the numbers that are added.
std::string Variables::mask(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const auto& parameters = node.get<MaskParameters>();
    if (name == "painted") {
        MaskRules rules = parameters.rules;
        std::erase_if(rules, [](const MaskRule& rule) { return rule.kind != MaskKind::blocked; });
        const auto& [n, m] = std::pair(trace.shape.queries, trace.shape.keys);
        const std::vector<std::uint8_t> cells = make_mask(rules, nullptr, {}, n, m)->blocked;
        return put("painted", {n, m}, byte_matrix(cells, n)) + ".bool()";
    }
    const Mask& given = *parameters.given;
    if (name == "mask")
        return put("mask", {given.samples, 1, given.queries, given.keys},
                   byte_matrix(given.blocked, given.samples * given.queries)) +
               ".bool()";
    const Index rows = given.samples * given.heads * given.queries;
    return put("added", {given.samples, given.heads, given.queries, given.keys},
               MatrixView(given.added.data(), rows, given.keys, given.keys).eigen());
}

std::optional<std::string> Variables::picture_variable(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const Model& model = *trace.model;
    const Trace& how = source_.walk;
    const bool of_pixels = node.op == Op::frame || node.op == Op::gather || node.op == Op::linear;
    if (!of_pixels) return std::nullopt;
    if (name == "I") {
        if (source_.pixels == nullptr) return put_picture();
        const NamedTensor& pixels = *source_.pixels;
        const auto rows = pixels.shape[0] * pixels.shape[1] * pixels.shape[2];
        return put(
            "pixels", pixels.shape,
            MatrixView(pixels.values.data(), rows, pixels.shape[3], pixels.shape[3]).eigen());
    }
    if (name == "mean") return channels_of(how.mean, "0");
    if (name == "std") return channels_of(how.std, "1");
    if (name == "img") return "(I - mean) / std";
    if (node.op != Op::gather) return std::nullopt;
    if (name == "border")
        return python::tuple({0, std::max(0, trace.grid.used_width - trace.grid.image_width), 0,
                              std::max(0, trace.grid.used_height - trace.grid.image_height)});
    if (model.splits.empty()) {
        const PatchSettings settings = grid_of_patches(trace).settings;
        if (name == "p") return text_of(settings.size);
        if (name == "s") return text_of(settings.stride);
        return std::nullopt;
    }
    const SoftSplit& split = split_of(node, trace);
    if (name == "k") return text_of(split.kernel);
    if (name == "s") return text_of(split.stride);
    if (name == "p") return text_of(split.padding);
    if (name == "h") return text_of(trace.split_grid[0]);
    if (name == "w") return text_of(trace.split_grid[1]);
    if (name == "C") return text_of(trace.all(Tensor::split_input).cols);
    return std::nullopt;
}

// In memory, a picture is stored as planes side by side.
std::string Variables::put_picture() {
    const Trace& walk = source_.walk;
    const MatrixView planes = walk.all(Tensor::pixels);
    const Index channels = walk.image->channels, width = planes.cols / channels;
    TensorToWrite picture{"pixels", {1, channels, planes.rows, width}, {}};
    for (Index c = 0; c < channels; ++c)
        picture.blocks.push_back(planes.block(0, c * width, planes.rows, width));
    return put(std::move(picture));
}

std::optional<std::string> Variables::token_variable(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const Model& model = *trace.model;
    const PrefixTokens& prefix = model.prefix;
    const auto learned = [&](const SharedResult& tokens) {
        const MatrixView view = tokens->view();
        return weight(wanted, view, {1, view.rows, view.cols}) + ".expand(B, -1, -1)";
    };
    if (name == "cls") return learned(prefix.class_token);
    if (name == "dist") return learned(prefix.distillation_token);
    if (name == "registers") return learned(prefix.registers);
    if (node.op == Op::positions) {
        const MatrixView table = trace.all(Tensor::positions);
        if (name == "pos_embed" || name == "table") return position_table(wanted);
        for (const PositionInfo& kind : all_positions())
            if (!kind.pytorch.empty() && python::names_read(kind.pytorch).front() == name)
                return generated_positions(wanted, kind);
        if (name == "N" || name == "M") return text_of(table.rows);
    }
    if (name == "probe" && node.op == Op::learned) {
        const MatrixView row = node.weights[0].value->view();
        return weight(wanted, row, {1, 1, row.cols});
    }
    if (name == "prefix" && (node.op == Op::pool || node.op == Op::point))
        return text_of(prefix.count());
    if (node.place == Place::front && node.op == Op::linear && name == "p")
        return text_of(model.patch_size);
    if (node.op == Op::linear && name == "W_e" && model.splits.empty()) {  // the convolution's
        const MatrixView w = model.embedding.weight->view();
        return weight(wanted, w,
                      {w.rows, model.image_channels, model.patch_size, model.patch_size});
    }
    return std::nullopt;
}

// For windows: which tokens share one, what is added to pairs of different regions, and the row of
// the bias table. Each expression is self-contained, because other layers have other windows.
std::optional<std::string> Variables::window_variable(const Windows& windows, const Trace& trace,
                                                      const std::string& name) {
    constexpr std::array<std::string_view, 3> kNames{"same_window", "apart", "index"};
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) return std::nullopt;
    const auto [down, across] = windows.shift();
    return "windows" +
           python::tuple({trace.grid.rows, trace.grid.cols, windows.size(), down, across}) + "[" +
           text_of(found - kNames.begin()) + "]";
}

std::optional<std::string> Variables::attention_variable(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const Layer& layer = trace.model_layer();
    if (name == "X_kv" && !trace.has(Tensor::patches))  // otherwise an earlier step computed them
        return put(tensor_to_write(trace, Tensor::value_tokens, "value_tokens"));
    if (name == "q_norm" || name == "k_norm") return head_norm(wanted);
    if (node.op == Op::gather && (name == "h" || name == "w"))  // of the grid before merging
        return text_of(2 * (name == "h" ? trace.grid.rows : trace.grid.cols));
    if (const auto windows = windows_of(trace, &node))
        if (auto found = window_variable(*windows, trace, name)) return found;
    if (name == "W_score" || name == "v_s") {
        const Index heads = layer.score.heads;
        const MatrixView w = (name == "v_s" ? layer.score.vector : layer.score.weight)->view();
        if (name == "v_s") return weight(wanted, w, {w.rows, w.cols});
        return weight(wanted, w, {heads, w.rows / heads, w.cols});
    }
    if (node.op == Op::relative) {
        const auto& parameters = node.get<RelativeParameters>();
        const TokenGrid places = token_grid_of(trace);
        if (name == "index")
            return "offsets(" + text_of(places.rows) + ", " + text_of(places.cols) + ", " +
                   text_of(places.prefix) + ")";
        if (name == "table" && parameters.made) {
            Matrix table = made_bias_table(*parameters.made, parameters.layer, places,
                                           trace.shape.queries, trace.shape.heads);
            const Shape shape{table.rows(), table.cols()};
            return put(layer.file_name + ".relative_table", shape, std::move(table));
        }
    }
    if (node.op == Op::mask) {
        const TokenGrid places = token_grid_of(trace);
        if (name == "mask" || name == "added" || name == "painted") return mask(wanted);
        if (name == "prefix") return text_of(places.prefix);
        if (name == "rows_cols")
            return "torch.cartesian_prod(torch.arange(" + text_of(places.rows) +
                   "), torch.arange(" + text_of(places.cols) + ")).float()";
    }
    if (node.op == Op::rotate && (name == "sin" || name == "cos")) {
        const auto& rotary = node.get<Rotary>();
        const TokenGrid places = token_grid_of(trace);
        const auto along = [&](int count, int reference) {
            const std::string at = "torch.arange(" + text_of(count) + ").double()";
            if (rotary.places == Rotary::Places::centered)
                return "2 * (" + at + " + 0.5) / " + text_of(count) + " - 1";
            return at + " / " + text_of(count) + " * " + text_of(reference);
        };
        return "rotary(" + along(places.rows, rotary.reference_rows) + ", " +
               along(places.cols, rotary.reference_cols) + ", " + list_of(rotary.periods) + ", " +
               text_of(places.prefix) + ", " +
               (rotary.pairs == Rotary::Pairs::neighbors ? "True" : "False") + ")" +
               (name == "sin" ? "[0]" : "[1]");
    }
    return std::nullopt;
}

std::optional<std::string> Variables::extent(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    const AttentionConfig& config = trace.config;
    const auto is_for = [&](std::initializer_list<Op> ops) {
        return std::ranges::find(ops, wanted.node.op) != ops.end();
    };
    if (name == "B") return text_of(trace.shape.batch);
    if (name == "N" && is_for({Op::cut, Op::mask})) return text_of(trace.shape.queries);
    if (name == "M" && is_for({Op::mask, Op::largest})) return text_of(trace.shape.keys);
    if (name == "hd" && is_for({Op::cut, Op::rotate, Op::linear_heads}))
        return text_of(config.head_dim());
    if (!is_for({Op::cut})) return std::nullopt;
    if (name == "H") return text_of(config.heads);
    if (name == "C") return text_of(config.channels);
    if (name == "C_v") return text_of(config.value_width());
    return std::nullopt;
}

std::optional<std::string> Variables::other_weight(const Wanted& wanted) {
    const auto& [node, trace, name] = wanted;
    if (node.weights.empty() || !is_weight_name(name)) return std::nullopt;
    const bool is_bias = node.bias() && name.starts_with("b_");
    const SharedResult& value = node.weights[is_bias ? 1 : 0].value;
    if (is_bias) {
        const Index width = value->view().cols;
        return weight(wanted, value->view(), {width},
                      std::array<Index, 2>{width / 2, width - width / 2});
    }
    if (node.op == Op::stretch) return row(wanted, value);
    const MatrixView view = value->view();
    // The two halves of a gated layer may be separate tensors in the file.
    const std::array<Index, 2> halves{view.rows / 2, view.rows - view.rows / 2};
    return weight(wanted, view, {view.rows, view.cols}, halves);
}

std::optional<std::string> Variables::definition(const std::string& name, const Node& node,
                                                 const Trace& trace) {
    const Wanted wanted{node, trace, name};
    if (node.id == Step::qkv || node.id == Step::key_value) return projection_variable(wanted);
    switch (node.op) {
        case Op::norm:
        case Op::batch_norm:
            return norm_variable(wanted);
        case Op::classify:
            return classifier_variable(wanted);
        default:
            break;
    }
    std::optional<std::string> found;
    if (node.place == Place::layer) found = attention_variable(wanted);
    if (node.place == Place::front) found = picture_variable(wanted);
    if (!found && node.place != Place::layer) found = token_variable(wanted);
    if (!found) found = extent(wanted);
    return found ? found : other_weight(wanted);
}

}  // namespace headlight
