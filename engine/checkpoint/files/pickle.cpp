#include "files/pickle.h"

#include <cstring>
#include <unordered_map>
#include <utility>

#include "files/error.h"

namespace headlight {

namespace {

// Named as in Lib/pickletools.py.
enum class PickleOpcode : std::uint8_t {
    kProto = 0x80,
    kFrame = 0x95,
    kStop = '.',
    kMark = '(',
    kPop = '0',
    kPopMark = '1',
    kDup = '2',
    kNone = 'N',
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kLong1 = 0x8A,
    kLong4 = 0x8B,
    kBinFloat = 'G',
    kShortBinString = 'U',
    kBinString = 'T',
    kShortBinUnicode = 0x8C,
    kBinUnicode = 'X',
    kBinUnicode8 = 0x8D,
    kShortBinBytes = 'C',
    kBinBytes = 'B',
    kBinBytes8 = 0x8E,
    kByteArray8 = 0x96,
    kEmptyTuple = ')',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kTuple = 't',
    kEmptyList = ']',
    kAppend = 'a',
    kAppends = 'e',
    kEmptySet = 0x8F,
    kAddItems = 0x90,
    kFrozenSet = 0x91,
    kEmptyDict = '}',
    kSetItem = 's',
    kSetItems = 'u',
    kGlobal = 'c',
    kStackGlobal = 0x93,
    kReduce = 'R',
    kNewObj = 0x81,
    kNewObjEx = 0x92,
    kBuild = 'b',
    kBinPersId = 'Q',
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
    kMemoize = 0x94,
};

}  // namespace

// Executes the opcodes. Values are stored in one list and refer to each other by index. So a value
// may contain itself, and repeated values take no memory.
class PickleMachine {
    using Kind = PickleValue::Kind;
    using enum PickleOpcode;

  public:
    PickleMachine(std::span<const std::byte> bytes, const std::string& name, Pickle& pickle)
        : bytes_(bytes), source_(name), values_(pickle.values_) {
        values_.emplace_back();
    }

    PickleId run(const StopFlag& stop) {
        constexpr std::size_t kBlock = 1U << 16U;  // opcodes between two stop checks
        for (std::size_t i = 1;; ++i) {
            if (i % kBlock == 0) throw_if_stopped(stop);
            opcode_at_ = at_;
            const auto opcode = static_cast<PickleOpcode>(little(1));
            if (opcode == kStop) return pop();
            step(opcode);
        }
    }

  private:
    void step(PickleOpcode opcode) {
        if (step_scalar(opcode) || step_stack(opcode) || step_container(opcode) ||
            step_object(opcode))
            return;
        refuse("an opcode that torch.save writes",
               "the byte " + std::to_string(static_cast<int>(opcode)));
    }

    bool step_scalar(PickleOpcode opcode) {
        switch (opcode) {
            case kNone:
                push_id(0);
                return true;
            case kNewTrue:
            case kNewFalse:
                push_integer(opcode == kNewTrue ? 1 : 0);
                return true;
            case kBinInt:
                push_integer(static_cast<std::int32_t>(little(4)));
                return true;
            case kBinInt1:
                push_integer(static_cast<std::int64_t>(little(1)));
                return true;
            case kBinInt2:
                push_integer(static_cast<std::int64_t>(little(2)));
                return true;
            case kLong1:
                push_long(little(1));
                return true;
            case kLong4:
                push_long(little(4));
                return true;
            case kBinFloat:
                take(8);
                push({.kind = Kind::other});
                return true;
            case kShortBinString:
            case kShortBinUnicode:
                push({.kind = Kind::text, .text = take(little(1))});
                return true;
            case kBinString:
            case kBinUnicode:
                push({.kind = Kind::text, .text = take(little(4))});
                return true;
            case kBinUnicode8:
                push({.kind = Kind::text, .text = take(little(8))});
                return true;
            case kShortBinBytes:
            case kBinBytes:
            case kBinBytes8:
            case kByteArray8:
                take(little(opcode == kShortBinBytes ? 1 : opcode == kBinBytes ? 4 : 8));
                push({.kind = Kind::other});
                return true;
            default:
                return false;
        }
    }

    bool step_stack(PickleOpcode opcode) {
        switch (opcode) {
            case kProto:
                if (const std::uint64_t protocol = little(1); protocol < 2 || protocol > 5)
                    refuse("protocol 2 to 5", std::to_string(protocol));
                return true;
            case kFrame:
                take(8);
                return true;
            case kMark:
                if (marks_.size() >= Pickle::kMaxValues)
                    refuse("at most " + std::to_string(Pickle::kMaxValues) + " marks", "more");
                marks_.push_back(stack_.size());
                return true;
            case kPop:
                if (!marks_.empty() && marks_.back() == stack_.size())
                    marks_.pop_back();
                else
                    pop();
                return true;
            case kPopMark:
                (void)pop_marked();
                return true;
            case kDup:
                push_id(top());
                return true;
            case kBinGet:
                get(little(1));
                return true;
            case kLongBinGet:
                get(little(4));
                return true;
            case kBinPut:
                put(little(1));
                return true;
            case kLongBinPut:
                put(little(4));
                return true;
            case kMemoize:
                put(memo_.size());
                return true;
            default:
                return false;
        }
    }

    bool step_container(PickleOpcode opcode) {
        switch (opcode) {
            case kEmptyTuple:
            case kEmptyList:
            case kEmptySet:
                push({.kind = Kind::sequence});
                return true;
            case kTuple1:
                push({.kind = Kind::sequence, .items = pop_many(1)});
                return true;
            case kTuple2:
                push({.kind = Kind::sequence, .items = pop_many(2)});
                return true;
            case kTuple3:
                push({.kind = Kind::sequence, .items = pop_many(3)});
                return true;
            case kTuple:
            case kFrozenSet:
                push({.kind = Kind::sequence, .items = pop_marked()});
                return true;
            case kAppend:
                append(pop_many(1));
                return true;
            case kAppends:
            case kAddItems:
                append(pop_marked());
                return true;
            case kEmptyDict:
                push({.kind = Kind::mapping});
                return true;
            case kSetItem:
                set_items(pop_many(2));
                return true;
            case kSetItems:
                set_items(pop_marked());
                return true;
            default:
                return false;
        }
    }

    bool step_object(PickleOpcode opcode) {
        switch (opcode) {
            case kGlobal: {
                const std::string_view module = line();
                push({.kind = Kind::global, .text = line(), .module = module});
                return true;
            }
            case kStackGlobal: {
                const std::vector<PickleId> names = pop_many(2);
                const PickleValue &module = values_[names[0]], &name = values_[names[1]];
                if (module.kind != Kind::text || name.kind != Kind::text)
                    refuse("the name of a class", "another value");
                push({.kind = Kind::global, .text = name.text, .module = module.text});
                return true;
            }
            case kReduce:
            case kNewObj: {
                const std::vector<PickleId> call = pop_many(2);
                push_object(call[0], call[1]);
                return true;
            }
            case kNewObjEx: {
                const std::vector<PickleId> call = pop_many(3);
                push_object(call[0], call[1]);
                return true;
            }
            case kBuild: {
                const PickleId state = pop();
                values_[top()].state = state;
                return true;
            }
            case kBinPersId:
                push({.kind = Kind::external, .arguments = pop()});
                return true;
            default:
                return false;
        }
    }

    // ---- the bytes

    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size() - at_)
            refuse(std::to_string(count) + " bytes more",
                   std::to_string(bytes_.size() - at_) + ": it was cut off");
        const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
        at_ += count;
        return taken;
    }

    std::uint64_t little(std::size_t width) {
        std::uint64_t value = 0;
        std::memcpy(&value, take(width).data(), width);
        return value;
    }

    std::string_view line() {
        const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                                    bytes_.size() - at_);
        const std::size_t end = rest.find('\n');
        if (end == rest.npos) refuse("the name of a class", "no end of it");
        at_ += end + 1;
        return rest.substr(0, end);
    }

    // ---- the stack

    [[nodiscard]] std::size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }

    PickleId top() {
        if (stack_.size() <= bottom()) refuse("a value on the stack", "none");
        return stack_.back();
    }

    PickleId pop() {
        const PickleId id = top();
        stack_.pop_back();
        return id;
    }

    std::vector<PickleId> pop_many(std::size_t count) {
        if (stack_.size() - bottom() < count)
            refuse(std::to_string(count) + " values on the stack",
                   std::to_string(stack_.size() - bottom()));
        std::vector<PickleId> popped(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                     stack_.end());
        stack_.resize(stack_.size() - count);
        return popped;
    }

    std::vector<PickleId> pop_marked() {
        if (marks_.empty()) refuse("a mark on the stack", "none");
        std::vector<PickleId> popped = pop_many(stack_.size() - marks_.back());
        marks_.pop_back();
        return popped;
    }

    void push_id(PickleId id) {
        if (stack_.size() >= Pickle::kMaxValues)
            refuse("a stack of at most " + std::to_string(Pickle::kMaxValues), "more");
        stack_.push_back(id);
    }

    void push(PickleValue value) {
        if (values_.size() >= Pickle::kMaxValues)
            refuse("at most " + std::to_string(Pickle::kMaxValues) + " values", "more");
        push_id(static_cast<PickleId>(values_.size()));
        values_.push_back(std::move(value));
    }

    void push_integer(std::int64_t integer) { push({.kind = Kind::integer, .integer = integer}); }

    // Two's complement, of any length.
    void push_long(std::uint64_t width) {
        const std::string_view digits = take(width);
        if (digits.size() > 8) return push({.kind = Kind::other});
        std::int64_t integer = !digits.empty() && (digits.back() & 0x80) != 0 ? -1 : 0;
        std::memcpy(&integer, digits.data(), digits.size());
        push_integer(integer);
    }

    void push_object(PickleId callee, PickleId arguments) {
        const PickleValue& function = values_[callee];
        const bool is_dict = function.kind == Kind::global && function.text == "OrderedDict" &&
                             function.module == "collections";
        if (is_dict) return push({.kind = Kind::mapping, .items = pairs_in(arguments)});
        push({.kind = Kind::object, .callee = callee, .arguments = arguments});
    }

    // Python 2 passes an OrderedDict its items as a list of pairs; Python 3 passes nothing.
    [[nodiscard]] std::vector<PickleId> pairs_in(PickleId arguments) const {
        std::vector<PickleId> items;
        const PickleValue& all = values_[arguments];
        if (all.kind != Kind::sequence || all.items.empty()) return items;
        for (const PickleId pair : values_[all.items[0]].items)
            if (values_[pair].kind == Kind::sequence && values_[pair].items.size() == 2)
                items.insert(items.end(), values_[pair].items.begin(), values_[pair].items.end());
        return items;
    }

    void append(const std::vector<PickleId>& items) {
        PickleValue& list = values_[top()];
        if (list.kind == Kind::object) return;  // its class may do anything with the items
        if (list.kind != Kind::sequence) refuse("a list", "another value");
        list.items.insert(list.items.end(), items.begin(), items.end());
    }

    void set_items(const std::vector<PickleId>& items) {
        PickleValue& dict = values_[top()];
        if (dict.kind != Kind::mapping && dict.kind != Kind::object)
            refuse("a dictionary", "another value");
        if (items.size() % 2 != 0) refuse("a value for every key", "a key without a value");
        dict.items.insert(dict.items.end(), items.begin(), items.end());
    }

    // ---- the memo

    void put(std::uint64_t place) {
        if (memo_.size() >= Pickle::kMaxValues)
            refuse("at most " + std::to_string(Pickle::kMaxValues) + " remembered values", "more");
        memo_[place] = top();
    }

    void get(std::uint64_t place) {
        const auto found = memo_.find(place);
        if (found == memo_.end()) refuse("a value remembered as " + std::to_string(place), "none");
        push_id(found->second);
    }

    [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
        source_.refuse("a pickle with " + expected + " at byte " + std::to_string(opcode_at_),
                       found);
    }

    std::span<const std::byte> bytes_;
    Source source_;
    std::vector<PickleValue>& values_;
    std::size_t at_ = 0, opcode_at_ = 0;
    std::vector<PickleId> stack_;
    std::vector<std::size_t> marks_;  // stack heights
    std::unordered_map<std::uint64_t, PickleId> memo_;
};

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& name, const StopFlag& stop) {
    if (bytes.size() > kMaxBytes)
        Source(name).refuse("a pickle of at most " + std::to_string(kMaxBytes) + " bytes",
                            std::to_string(bytes.size()));
    root_ = PickleMachine(bytes, name, *this).run(stop);
}

}  // namespace headlight
