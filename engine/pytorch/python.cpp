#include "pytorch/python.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "positions/positions.h"

namespace headlight::python {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_of_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

void add_once(std::vector<std::string>& names, std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

// The position of the last assignment sign outside all brackets; npos: there is none.
std::size_t assignment(std::string_view statement) {
    std::size_t found = std::string_view::npos;
    int depth = 0;
    for (std::size_t at = 0; at < statement.size(); ++at) {
        const char c = statement[at];
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c == '#') break;
        if (c == '=' && depth == 0) found = at;
    }
    return found;
}

struct Helper {
    std::string_view call, text;
};

constexpr std::array kReaders{
    Helper{"read_npz(", R"(
def read_npz(path):  # numpy's archive: {name: tensor}
    tensors = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = bytearray(archive.read(name))
            begin = 10 if data[6] == 1 else 12
            start = begin + int.from_bytes(data[8:begin], "little")
            header = ast.literal_eval(data[begin:start].decode())
            kind = {"f4": torch.float32, "f2": torch.float16, "f8": torch.float64}.get(header["descr"][1:])
            if kind is None:
                continue
            shape = header["shape"]
            tensor = torch.frombuffer(data[start:], dtype=kind).float()
            tensor = tensor.reshape(shape[::-1]).permute(*range(len(shape))[::-1]) if header["fortran_order"] else tensor.reshape(shape)
            tensors[name.removesuffix(".npy")] = tensor
    return tensors
)"},
    Helper{"read_safetensors(", R"(
def read_safetensors(path):  # {name: tensor}
    kinds = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    tensors = {}
    with open(path, "rb") as file:
        start = 8 + int.from_bytes(file.read(8), "little")
        for name, entry in json.loads(file.read(start - 8)).items():
            if entry.get("dtype") in kinds:
                begin, end = entry["data_offsets"]
                file.seek(start + begin)
                tensor = torch.frombuffer(bytearray(file.read(end - begin)), dtype=kinds[entry["dtype"]])
                tensors[name] = tensor.reshape(entry["shape"]).float()
    return tensors
)"},
    Helper{"read_shards(", R"(
def read_shards(path):  # the files that an index names
    names = json.load(open(path))["weight_map"].values()
    tensors = {}
    for name in sorted(set(names)):
        tensors.update(read_safetensors(os.path.join(os.path.dirname(path), name)))
    return tensors
)"},
};

// Ordered so that each helper only needs those before it.
constexpr std::array kHelpers{
    Helper{"rotary(", R"(
def rotary(rows, cols, periods, prefix, neighbors):  # axial: half of the pairs rotate by row, half by column
    row, col = (2 * math.pi * place[:, None] / torch.tensor(periods).double() for place in torch.cartesian_prod(rows, cols).T)
    angle = torch.cat([row, col], 1)
    angle = angle.repeat_interleave(2, dim=1) if neighbors else angle.repeat(1, 2)
    angle = F.pad(angle, (0, 0, prefix, 0))  # tokens that are not patches are not rotated
    return angle.sin().float(), angle.cos().float()
)"},
    Helper{"offsets(", R"(
def offsets(rows, cols, before):  # each pair's row in the bias table: patches; class to patch, patch to class, class to class
    row, col = torch.arange(rows).repeat_interleave(cols), torch.arange(cols).repeat(rows)
    across = 2 * cols - 1
    index = F.pad((row[:, None] - row + rows - 1) * across + col[:, None] - col + cols - 1, (before, 0, before, 0))
    index[:before], index[before:, :before], index[:before, :before] = [(2 * rows - 1) * across + i for i in range(3)]
    return index
)"},
    Helper{"windows(", R"(
def windows(rows, cols, size, down, across):  # of each pair: same window; -100 between regions; row in the bias table
    row, col = torch.arange(rows).repeat_interleave(cols), torch.arange(cols).repeat(rows)
    r, c = (row - down) % rows, (col - across) % cols  # of the picture rolled by the shift
    window, region = r // size * cols + c // size, (row < down) * 2 + (col < across) * 1
    r, c = r % size, c % size
    index = (r[:, None] - r + size - 1) * (2 * size - 1) + c[:, None] - c + size - 1
    return window[:, None] == window, -100.0 * (region[:, None] != region), index
)"},
    Helper{"resampled(", R"(
def resampled(table, old, **how):  # a table of positions on another grid
    return F.interpolate(table.T.reshape(1, -1, *old), **how).flatten(2)[0].T
)"},
    Helper{"same(", R"(
def same(usual, other):  # torch.einsum may add in another order, so up to rounding error
    largest = usual.abs().nan_to_num(0, 0, 0).max().item()
    return torch.allclose(usual, other, rtol=TOLERANCE, atol=TOLERANCE * largest, equal_nan=True)
)"},
    Helper{"moments(", R"(
def moments(x, eps):  # every row's mean, and the standard deviation by which a norm divides
    return torch.stack([x.mean(-1), (x.var(-1, unbiased=False) + eps).sqrt()], -1)
)"},
};

// "def f(a, b): ..." → "f(".
std::string_view called(std::string_view function) {
    const std::size_t name = function.find("def ") + 4;
    return function.substr(name, function.find('(') + 1 - name);
}

constexpr std::string_view kEinops = R"(
try:
    from einops import rearrange  # optional: the same changes of shape in its notation
except ImportError:
    rearrange = None
)";

constexpr std::string_view kCompare = R"(
def compare(name, found, least=1e-30, tolerance=TOLERANCE):  # compares a result with the numbers that Headlight computed
    expected = given[name]
    if found.numel() != expected.numel():
        sys.exit(f"{name}: expected the shape {list(expected.shape)}, found {list(found.shape)}.")
    error = (found.reshape(expected.shape) - expected).abs().masked_fill(found.reshape(expected.shape) == expected, 0).max().item()
    finite = expected[expected.isfinite()].abs()
    error = error and error / max(finite.max().item() if finite.numel() else 0.0, least)
    print(f"{name:32} {str(list(expected.shape)):20} {error:.1e}")
    if not error <= tolerance:
        sys.exit(f"{name}: expected an error of at most {tolerance} times the largest number, found {error:.1e} times.")

)";

constexpr std::string_view kCheck = R"(
def check(step, **results):  # compares all results of a step
    global steps
    for name, found in results.items():
        compare(f"{step}.{name}", found)
    steps += 1
)";

// The same, and keeps the results that the output y depends on.
constexpr std::string_view kCheckGradients = R"(
def check(step, **results):  # compares all results of a step
    global steps
    for name, found in results.items():
        compare(f"{step}.{name}", found)
        if f"{step}.{name}.gradient" in given and found.requires_grad:
            followed[f"{step}.{name}"] = found
    steps += 1


followed = {}  # results by name, in order


def check_gradients(y):  # compares autograd's dy/d(result) with Headlight's; rounding errors add up over the layers
    found = torch.autograd.grad(y, list(followed.values()), retain_graph=True)
    for name, gradient in zip(followed, found):
        compare(f"{name}.gradient", gradient, least=1e-4, tolerance=1e-4)
)";

}  // namespace

std::vector<std::string> statements(std::string_view line) {
    std::vector<std::string> parts;
    constexpr std::string_view kBetween = "; ";
    for (std::size_t at = line.find(kBetween); at != std::string_view::npos;
         at = line.find(kBetween)) {
        parts.emplace_back(line.substr(0, at));
        line.remove_prefix(at + kBetween.size());
    }
    parts.emplace_back(line);
    return parts;
}

std::vector<std::string> names_read(std::string_view statement) {
    const std::size_t sign = assignment(statement);
    std::string_view text = sign == std::string_view::npos ? statement : statement.substr(sign + 1);
    std::vector<std::string> names, own{"for",   "in", "if",   "else", "lambda", "math",
                                        "torch", "F",  "bool", "None", "True",   "False"};
    char before = ' ';
    bool introduced = false;
    while (!text.empty()) {
        const char c = text.front();
        if (c == '#') break;
        if (c == '\'' || c == '"') {
            text.remove_prefix(std::min(text.find(c, 1), text.size() - 1) + 1);
            before = c;
            continue;
        }
        if (!is_of_name(c)) {
            if (c != ' ') before = c;
            text.remove_prefix(1);
            continue;
        }
        const auto length =
            static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_name) - text.begin());
        const std::string name(text.substr(0, length));
        text.remove_prefix(length);
        const bool is_argument = text.starts_with('=') && !text.starts_with("==");
        if (introduced) own.push_back(name);
        if (begins_name(name[0]) && before != '.' && !is_argument) add_once(names, name);
        introduced = name == "for" || name == "lambda";
        before = name.back();
    }
    // A name introduced by a comprehension may be used before its "for".
    std::erase_if(
        names, [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); });
    return names;
}

std::vector<std::string> names_bound(std::string_view statement) {
    std::vector<std::string> names;
    const std::size_t sign = assignment(statement);
    if (sign == std::string_view::npos) return names;
    std::string name;
    for (const char c : statement.substr(0, sign + 1)) {
        if (is_of_name(c)) {
            name += c;
        } else if (!name.empty()) {
            add_once(names, std::exchange(name, ""));
        }
    }
    return names;
}

std::string quoted(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') result += '\\';
        if (byte >= 32 && byte != 127)
            result += c;
        else
            result.append("\\x").append({kHex[byte / 16], kHex[byte % 16]});
    }
    return result + '"';
}

std::string tuple(const std::vector<std::int64_t>& numbers) {
    std::string text = "(";
    for (const long number : numbers)
        text += (text.size() > 1 ? ", " : "") + std::to_string(number);
    return text + (numbers.size() == 1 ? ",)" : ")");
}

std::string call_of(std::string_view function,
                    const std::map<std::string_view, std::string>& arguments) {
    const std::string_view name = called(function);
    function.remove_prefix(function.find(name) + name.size());
    std::string call(name);
    for (const std::string& parameter : names_read(function.substr(0, function.find(')'))))
        call += (call.ends_with('(') ? "" : ", ") + arguments.at(parameter);
    return call + ")";
}

std::string head(std::string_view body) {
    std::string helpers;
    const auto add = [&](const Helper& helper) {
        if (body.find(helper.call) != std::string_view::npos || helper.call == "read_safetensors(")
            helpers += "\n" + std::string(helper.text);
    };
    std::ranges::for_each(kReaders, add);
    for (const PositionInfo& kind : all_positions())
        if (!kind.python.empty()) add({called(kind.python), kind.python});
    std::ranges::for_each(kHelpers, add);
    std::string text = "import ";
    if (helpers.find("ast.") != std::string::npos) text += "ast, ";
    text += "json, math, os, sys";
    if (helpers.find("zipfile.") != std::string::npos) text += ", zipfile";
    text += "\n\nimport torch\nimport torch.nn.functional as F\n";
    if (body.find("rearrange(") != std::string_view::npos) text += kEinops;
    const bool differentiates = body.find("check_gradients(") != std::string_view::npos;
    return text + "\nTOLERANCE = 1e-5\nsteps = 0\n" + helpers + "\n" + std::string(kCompare) +
           std::string(differentiates ? kCheckGradients : kCheck);
}

}  // namespace headlight::python
