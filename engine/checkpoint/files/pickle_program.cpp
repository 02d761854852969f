#include <string>
#include <string_view>

#include "files/error.h"
#include "files/recognize.h"

// For PyTorch checkpoints that Headlight does not read: a short Python program that converts the
// weights.
namespace headlight {

namespace {

// As a Python string literal.
std::string python_text(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

// A page in a browser sees the file in a folder that the computer does not have.
std::string file_name(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

std::string with_ending(const std::string& name, std::string_view ending) {
    const std::size_t folder = name.find_last_of('/');
    const std::size_t dot = name.find_last_of('.');
    const bool has_ending =
        dot != std::string::npos && (folder == std::string::npos || dot > folder + 1);
    return (has_ending ? name.substr(0, dot) : name) + std::string(ending);
}

// The program reads the pickle as data and only creates tensors, dictionaries and lists. Everything
// else becomes an X that ignores its arguments, so nothing in the file is executed.
//
// A holds all parts of the file that have weights, by path: state dictionaries, parameters of
// pickled modules, and lists of averaged weights. A list gets the names of the state dictionary
// with the same shapes. A partial average is completed from the model in training. The program
// takes the part that the authors evaluate (R: an average or a teacher before the model in
// training), or TAKE, together with a head that is stored next to it (G). It never takes optimizers
// or parts much smaller than the largest. mmengine (recognized by its message_hub) stores the
// average as state_dict and the weights in training as ema_state_dict. The last line prints what
// was taken and what else there is. IN and OUT are placeholders for file names.
//
// Every line but the last ends in a semicolon and there are no compound statements, so the program
// also works when shown as one line. Some versions of torch.load ignore pickle_module, so the
// program replaces the module's own name.
constexpr std::string_view kProgram = R"python(
import torch, pickle, json, zipfile;
F, = IN,;
TAKE = "";
assert not zipfile.is_zipfile(F) or not any(n.endswith("/constants.pkl") for n in zipfile.ZipFile(F).namelist()), "TorchScript runs its own code: save its state_dict() instead";
X = type("X", (dict,), {"__setstate__": lambda s, d: s.__dict__.update(d if isinstance(d, dict) else {}), **dict.fromkeys(("__init__", "append", "extend"), lambda *a, **k: None)});
U = type("U", (pickle.Unpickler,), {"find_class": lambda s, m, n: pickle.Unpickler.find_class(s, m, n) if (m, n) == ("collections", "OrderedDict") or m.split(".")[0] == "torch" and (n.startswith("_rebuild") or n.endswith("Storage")) else X});
torch.serialization.pickle = type("P", (), {"Unpickler": U, "load": lambda f, **k: U(f, **k).load()});
D = lambda w: dict(enumerate(w)) if isinstance(w, (list, tuple)) else {**(w if isinstance(w, dict) else {}), **getattr(w, "__dict__", {})};
T = lambda d: {k: v for k, v in d.items() if torch.is_tensor(v)};
M = lambda d: {**T(d["_parameters"]), **T(d["_buffers"]), **{k + "." + n: v for k, m in d["_modules"].items() for n, v in M(D(m)).items()}} if "_modules" in d else {};
C = lambda d, p=(): [] if len(p) > 6 or "param_groups" in d else [(p, M(d))] if "_modules" in d else [(p, T(d))] * any(v.dim() > 1 for v in T(d).values()) + [c for k, v in d.items() if not torch.is_tensor(v) for c in C(D(v), (*p, str(k)))];
J = D(torch.load(F, map_location="cpu", weights_only=False));
A = {p: w for p, w in C(J) if w};
E = {"ema", "swa", "average", "averaged"} if "message_hub" not in J else set();
L = "ema shadow shadow_params teacher target_encoder".split();
K = L + "best_state_dict best_model online student encoder_q state_dict model_state_dict model net network module params encoder backbone".split();
R = lambda p: min([K.index(k) for c in p for k in ("ema" if E & set(c.lower().split("_")) else c.lower(),) if k in K], default=len(K)) + 99 * any(b in c.lower() for c in p for b in ("optim", "discrim", "predictor", "decoder", "loss", "collected"));
N = [w for w in A.values() if 0 not in w];
B = lambda n: [k for k in n if not k.endswith(("running_mean", "running_var", "num_batches_tracked"))];
S = lambda w: [v.shape for v in w];
Z = lambda p, w: next(({**n, **dict(zip(k, w.values()))} for n in N for k in (list(n), B(n)) if S(n[i] for i in k) == S(w.values())), {}) if 0 in w else next(({**n, **w} for q, n in A.items() if R(p) < len(L) <= R(q) <= len(K) and len(n) > len(w) and w.keys() <= n.keys()), w);
A = {p: Z(p, w) for p, w in A.items()};
P = min([p for p, w in A.items() if w and (".".join(p) == TAKE if TAKE else 4 * len(w) >= max(map(len, A.values())))], key=lambda p: (R(p), -len(A[p])), default=None);
assert P is not None, "no weights found";
G = [q for q in A if q and q != P and q[:-1] in (P[:-1], P) and q[-1].lower().startswith(("head", "classif", "cls_head", "fc", "linear", "mlp_head"))];
W = {".".join((*p[-1:], k) if G else (k,)): (v.float() if v.dtype == torch.bfloat16 else v).detach().numpy() for p in (P, *G) for k, v in A[p].items()};
O = [sum(a.nbytes for a in list(W.values())[:i]) for i in range(len(W) + 1)];
H = json.dumps({k: {"dtype": "BOOL" if a.dtype == bool else a.dtype.kind.upper() + str(8 * a.itemsize), "shape": a.shape, "data_offsets": O[i:i + 2]} for i, (k, a) in enumerate(W.items())}).encode();
open(OUT, "wb").write(len(H).to_bytes(8, "little") + H + b"".join(a.tobytes() for a in W.values()));
print("Took", " and ".join(".".join(p) or "all tensors" for p in (P, *G)), "| left, for TAKE:", ", ".join(".".join(p) + ("" if w else " (no names fit)") for p, w in A.items() if p not in (P, *G)) or "nothing")
)python";

std::string with(std::string text, std::string_view word, const std::string& value) {
    return text.replace(text.find(word), word.size(), value);
}

std::string program(const std::string& name) {
    constexpr std::string_view kIn = "IN,", kOut = "OUT,";
    const std::string out = python_text(with_ending(name, ".safetensors"));
    const std::string text(kProgram.substr(0, kProgram.size() - 1));
    // OUT first: the file name inserted for IN may contain "OUT,".
    return with(with(text, kOut, out + ","), kIn, python_text(name) + ",");
}

}  // namespace

void refuse_pickle(const std::string& name, const std::string& found) {
    throw CheckpointError(
        name + ": expected a state_dict as torch.save writes it, found " + found +
        ". In its folder, these lines of Python convert it:" + program(file_name(name)));
}

void refuse_torch_script(const std::string& name) {
    throw CheckpointError(
        name +
        ": expected a state_dict as torch.save writes it, found TorchScript, which holds a "
        "program. "
        "In its folder, this line of Python saves its weights: import torch; "
        "torch.save(torch.jit.load(" +
        python_text(file_name(name)) + ", map_location=\"cpu\").state_dict(), " +
        python_text(with_ending(file_name(name), ".state_dict.pth")) + ")");
}

}  // namespace headlight
