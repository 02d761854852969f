#include <string>
#include <string_view>

#include "files/error.h"
#include "files/recognise.h"

// The way out of a PyTorch checkpoint: a short program in Python that rewrites its weights.
namespace headlight {

namespace {

// As Python writes a text.
std::string python_text(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

std::string with_ending(const std::string& name, std::string_view ending) {
    const std::size_t folder = name.find_last_of('/');
    const std::size_t dot = name.find_last_of('.');
    const bool has_ending =
        dot != std::string::npos && (folder == std::string::npos || dot > folder + 1);
    return (has_ending ? name.substr(0, dot) : name) + std::string(ending);
}

// Reads the pickle as data: only tensors and dictionaries are made, everything else becomes an X
// that ignores what it is given, so nothing in the file runs. Then it takes the state dictionary
// that the authors evaluate (an average of the weights or a teacher before the model in training),
// or the parameters of a whole pickled module, and writes them as safetensors. IN and OUT stand for
// names.
//
// Every line ends in a semicolon and none is a compound statement, so that the program is right
// also where it is shown as one line. torch.load of some versions ignores pickle_module, so the
// module's own name is replaced.
constexpr std::string_view kProgram = R"(
import torch, pickle, json, zipfile;
F, = IN,;
assert not zipfile.is_zipfile(F) or not any(n.endswith("/constants.pkl") for n in zipfile.ZipFile(F).namelist()), "TorchScript runs its own code: save its state_dict() instead";
X = type("X", (dict,), {"__setstate__": lambda s, d: s.__dict__.update(d if isinstance(d, dict) else {}), **dict.fromkeys(("__init__", "append", "extend"), lambda *a, **k: None)});
U = type("U", (pickle.Unpickler,), {"find_class": lambda s, m, n: pickle.Unpickler.find_class(s, m, n) if (m, n) == ("collections", "OrderedDict") or m.split(".")[0] == "torch" and (n.startswith("_rebuild") or n.endswith("Storage")) else X});
torch.serialization.pickle = type("P", (), {"Unpickler": U, "load": lambda f, **k: U(f, **k).load()});
D = lambda w: {**(w if isinstance(w, dict) else {}), **getattr(w, "__dict__", {})};
T = lambda d: {k: v for k, v in d.items() if torch.is_tensor(v)};
M = lambda d: {**T(d["_parameters"]), **T(d["_buffers"]), **{k + "." + n: v for k, m in d["_modules"].items() for n, v in M(D(m)).items()}} if "_modules" in d else {};
K = "state_dict_ema model_ema ema_state_dict ema_model params_ema ema shadow teacher target_encoder state_dict model_state_dict model net network module params encoder backbone".split();
B = lambda d: M(d) or next((b for b in (B(D(d[k])) for k in K if k in d) if b), {}) or (T(d) if any(v.dim() > 1 for v in T(d).values()) else max((B(D(v)) for v in d.values()), key=len, default={}));
W = {k: (v.float() if v.dtype == torch.bfloat16 else v).detach().numpy() for k, v in B(D(torch.load(F, map_location="cpu", weights_only=False))).items()};
assert W, "no weights found";
O = [sum(a.nbytes for a in list(W.values())[:i]) for i in range(len(W) + 1)];
H = json.dumps({k: {"dtype": "BOOL" if a.dtype == bool else a.dtype.kind.upper() + str(8 * a.itemsize), "shape": a.shape, "data_offsets": O[i:i + 2]} for i, (k, a) in enumerate(W.items())}).encode();
open(OUT, "wb").write(len(H).to_bytes(8, "little") + H + b"".join(a.tobytes() for a in W.values()))
)";

std::string with(std::string text, std::string_view word, const std::string& value) {
    return text.replace(text.find(word), word.size(), value);
}

std::string program(const std::string& name) {
    constexpr std::string_view kIn = "IN,", kOut = "OUT,";
    const std::string out = python_text(with_ending(name, ".safetensors"));
    const std::string text(kProgram.substr(0, kProgram.size() - 1));
    // The last first: a name may hold the other word.
    return with(with(text, kOut, out + ","), kIn, python_text(name) + ",");
}

}  // namespace

void refuse_pickle(const std::string& name) {
    throw CheckpointError(
        name +
        ": expected safetensors, .npz or .npy, found a PyTorch pickle, which is a program and is "
        "not executed. These lines of Python convert it:" +
        program(name));
}

}  // namespace headlight
