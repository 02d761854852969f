#include "files/torch_archive.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "files/error.h"
#include "files/recognize.h"
#include "files/strided.h"

namespace headlight {

namespace {

constexpr std::string_view kPickleName = "data.pkl";
constexpr std::size_t kMaxRank = 64;  // PyTorch's own limit
// A view may repeat its numbers (expand). Up to this many are allowed, whatever the size of the
// storage.
constexpr std::uint64_t kMaxRepeated = std::uint64_t{1} << 24U;

struct TorchType {
    std::string_view storage, dtype;  // FloatStorage; torch.float32
    std::string_view type;            // StoredTensor::type
};
constexpr std::array kTorchTypes{
    TorchType{"DoubleStorage", "float64", "F64"},
    TorchType{"FloatStorage", "float32", "F32"},
    TorchType{"HalfStorage", "float16", "F16"},
    TorchType{"BFloat16Storage", "bfloat16", "BF16"},
    TorchType{"LongStorage", "int64", "I64"},
    TorchType{"IntStorage", "int32", "I32"},
    TorchType{"ShortStorage", "int16", "I16"},
    TorchType{"CharStorage", "int8", "I8"},
    TorchType{"ByteStorage", "uint8", "U8"},
    TorchType{"BoolStorage", "bool", "BOOL"},
    TorchType{"", "uint16", "U16"},
    TorchType{"", "uint32", "U32"},
    TorchType{"", "uint64", "U64"},
};

std::string type_of(std::string_view name, std::string_view TorchType::*column) {
    const auto* row = std::ranges::find(kTorchTypes, name, column);
    return row == kTorchTypes.end() || name.empty() ? std::string() : std::string(row->type);
}

// The member with the pickle, at the top level or in the only top-level folder.
const ZipMember* pickle_member(const std::vector<ZipMember>& members) {
    const auto found = std::ranges::find_if(members, [](const ZipMember& member) {
        const std::size_t slash = member.name.find('/');
        const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
        return std::string_view(member.name).substr(begin) == kPickleName;
    });
    return found == members.end() ? nullptr : &*found;
}

}  // namespace

// How a tensor refers to a storage.
struct TorchArchive::View {
    std::string problem;  // why it cannot be read; empty: readable
    std::string_view key;
    std::string type;
    std::uint64_t numbers = 0;  // size of the storage
    bool counts_bytes = false;  // `numbers` counts bytes
    Strides strides;
};

bool TorchArchive::is_one(const std::vector<ZipMember>& members) {
    return pickle_member(members) != nullptr;
}

TorchArchive::TorchArchive(const std::vector<ZipMember>& members, const std::string& name,
                           const StopFlag& stop)
    : name_(name), stop_(stop) {
    const ZipMember* pickle = pickle_member(members);
    if (pickle == nullptr) Source(name).refuse("a PyTorch checkpoint", "no data.pkl");
    const std::string top = pickle->name.substr(0, pickle->name.size() - kPickleName.size());
    const std::string data = top + "data/";
    for (const ZipMember& member : members) {
        if (member.name == top + "constants.pkl") refuse_torch_script(name);
        if (member.name == top + "byteorder") {
            const FileBytes order = unpack(member, name, stop, ZipChecksum::ignored);
            if (order.size() >= 3 && static_cast<char>(order.data()[0]) == 'b')
                Source(name).refuse(
                    "numbers in little-endian byte order",
                    "big-endian ones. Save the checkpoint again on a little-endian machine");
        }
        if (!member.name.starts_with(data)) continue;
        // torch.save may leave out checksums (torch.serialization.set_crc32_options).
        File bytes = member.packed;
        if (member.deflated)
            bytes = lazy_file(member.size, [member, name, stop] {
                return unpack(member, name, stop, ZipChecksum::ignored);
            });
        storages_.emplace(member.name.substr(data.size()), std::move(bytes));
    }
    if (pickle->size > Pickle::kMaxBytes)
        Source(name).refuse("a pickle of at most " + std::to_string(Pickle::kMaxBytes) + " bytes",
                            std::to_string(pickle->size));
    bytes_ = unpack(*pickle, name, stop, ZipChecksum::ignored);
    pickle_ = std::make_unique<const Pickle>(bytes_, name, stop);
}

bool TorchArchive::is_tensor(PickleId id) const {
    const PickleValue& value = pickle()[id];
    if (value.kind != PickleValue::Kind::object) return false;
    const PickleValue& callee = pickle()[value.callee];
    return callee.kind == PickleValue::Kind::global && callee.text.starts_with("_rebuild_") &&
           (callee.module == "torch._utils" || callee.module == "torch._tensor");
}

// Finds the call of _rebuild_tensor, _v2 or _v3 inside calls that turn a tensor into a parameter.
// Sets `problem` for any other call.
PickleId TorchArchive::call_of(PickleId id, const char*& problem) const {
    constexpr int kMostWrappers = 4;
    for (int i = 0; i < kMostWrappers && is_tensor(id); ++i) {
        const PickleValue& call = pickle()[id];
        const std::string_view function = pickle()[call.callee].text;
        const std::vector<PickleId>& arguments = pickle()[call.arguments].items;
        if (function == "_rebuild_tensor" || function == "_rebuild_tensor_v2" ||
            function == "_rebuild_tensor_v3")
            return id;
        const bool is_parameter =
            function == "_rebuild_parameter" || function == "_rebuild_parameter_with_state";
        if (!is_parameter || arguments.empty()) break;
        id = arguments[0];
    }
    problem = "another kind of tensor (sparse, quantized or of a custom class)";
    return 0;
}

std::optional<std::vector<std::int64_t>> TorchArchive::whole_numbers(PickleId id) const {
    const PickleValue* list = &pickle()[id];
    // torch.Size([3, 4])
    if (list->kind == PickleValue::Kind::object &&
        pickle().is_global(list->callee, "torch", "Size")) {
        const std::vector<PickleId>& arguments = pickle()[list->arguments].items;
        if (arguments.size() != 1) return {};
        list = &pickle()[arguments[0]];
    }
    if (list->kind != PickleValue::Kind::sequence || list->items.size() > kMaxRank) return {};
    std::vector<std::int64_t> numbers;
    for (const PickleId item : list->items) {
        const PickleValue& number = pickle()[item];
        if (number.kind != PickleValue::Kind::integer || number.integer < 0) return {};
        numbers.push_back(number.integer);
    }
    return numbers;
}

// ("storage", torch.FloatStorage, "0", "cpu", 12)
void TorchArchive::read_storage(PickleId id, View& view) const {
    const PickleValue& external = pickle()[id];
    const std::vector<PickleId>& fields = pickle()[external.arguments].items;
    view.problem = "a storage that Headlight cannot find";
    if (external.kind != PickleValue::Kind::external || fields.size() < 5) return;
    const PickleValue &word = pickle()[fields[0]], &kind = pickle()[fields[1]],
                      &key = pickle()[fields[2]], &numbers = pickle()[fields[4]];
    const bool fits = word.kind == PickleValue::Kind::text && word.text == "storage" &&
                      kind.kind == PickleValue::Kind::global &&
                      key.kind == PickleValue::Kind::text &&
                      numbers.kind == PickleValue::Kind::integer && numbers.integer >= 0;
    if (!fits) return;
    view.key = key.text;
    view.numbers = static_cast<std::uint64_t>(numbers.integer);
    view.counts_bytes = kind.text == "UntypedStorage";
    if (!view.counts_bytes) view.type = type_of(kind.text, &TorchType::storage);
    view.problem = view.counts_bytes || !view.type.empty()
                       ? ""
                       : "numbers of the type " + in_quotes(std::string(kind.text));
}

// Arguments: storage, offset, shape, strides, requires_grad, hooks; for v3 also the dtype.
TorchArchive::View TorchArchive::view_of(PickleId id) const {
    View view;
    const char* problem = "";
    const PickleValue& call = pickle()[call_of(id, problem)];
    view.problem = problem;
    if (!view.problem.empty()) return view;
    const std::vector<PickleId>& arguments = pickle()[call.arguments].items;
    view.problem = "a shape or strides that are not a list of whole numbers";
    if (arguments.size() < 4) return view;
    const PickleValue& offset = pickle()[arguments[1]];
    const auto shape = whole_numbers(arguments[2]), steps = whole_numbers(arguments[3]);
    if (!shape || !steps || shape->size() != steps->size() ||
        offset.kind != PickleValue::Kind::integer || offset.integer < 0)
        return view;
    view.strides = {static_cast<std::uint64_t>(offset.integer), *shape, *steps};
    read_storage(arguments[0], view);
    if (pickle()[call.callee].text == "_rebuild_tensor_v3" && arguments.size() > 6) {
        const PickleValue& type = pickle()[arguments[6]];
        view.type = type_of(type.text, &TorchType::dtype);
        if (view.type.empty())
            view.problem = "numbers of the type " + in_quotes(std::string(type.text));
    } else if (view.problem.empty() && view.type.empty()) {
        view.problem = "bytes without a type";
    }
    return view;
}

std::optional<std::vector<std::int64_t>> TorchArchive::shape(PickleId id) const {
    View view = view_of(id);
    // If the shape is missing, it is the problem; with any other problem the shape is still
    // readable.
    if (!view.problem.empty() && view.strides.shape.empty()) return {};
    return std::move(view.strides.shape);
}

File TorchArchive::storage(const View& view, const std::string& label) const {
    const Source source(name_);
    const auto found = storages_.find(view.key);
    if (found == storages_.end())
        source.refuse(label, "the storage " + in_quotes(std::string(view.key)), "none");
    const std::uint64_t each = view.counts_bytes ? 1 : bytes_per_number(view.type);
    if (view.numbers > found->second.size() / each)
        source.refuse(label, std::to_string(view.numbers) + " numbers in its storage",
                      std::to_string(found->second.size()) + " bytes");
    return found->second.part(0, view.numbers * each);
}

StoredTensor TorchArchive::tensor(PickleId id, const std::string& label) const {
    const View view = view_of(id);
    const Source source(name_);
    if (!view.problem.empty()) source.refuse(label, "a tensor that Headlight reads", view.problem);
    const File bytes = storage(view, label);
    const std::size_t each = bytes_per_number(view.type);
    const std::uint64_t there = bytes.size() / each;
    const auto wanted = byte_count(view.strides.shape, each);
    if (!wanted || *wanted / each > std::max(there, kMaxRepeated))
        source.refuse(label, "a shape for the numbers of its storage",
                      shape_text(view.strides.shape));
    if (*wanted > 0) {
        std::uint64_t last = view.strides.offset;
        for (std::size_t i = 0; i < view.strides.shape.size() && last < there; ++i) {
            const auto steps = static_cast<std::uint64_t>(view.strides.shape[i] - 1);
            const auto step = static_cast<std::uint64_t>(view.strides.steps[i]);
            last = step > 0 && steps > (there - last) / step ? there : last + steps * step;
        }
        if (last >= there)
            source.refuse(label, "numbers within the " + std::to_string(there) + " of its storage",
                          "some outside of it");
    }
    return {view.strides.shape, view.type, strided_file(bytes, view.strides, each)};
}

}  // namespace headlight
