#include "files/state_dicts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "files/error.h"
#include "files/recognize.h"
#include "kernels/ascii.h"

namespace headlight {

namespace {

using DictShape = std::optional<std::vector<std::int64_t>>;  // nothing: not a tensor that Headlight
                                                             // reads

struct DictTensor {
    std::string name;
    PickleId id;
    DictShape shape;
};

// A dictionary of tensors, and the keys that lead to it.
struct DictPart {
    std::vector<std::string> path;
    std::vector<DictTensor> tensors;  // in file order
    std::set<std::string, std::less<>> names{};
    bool nameless = false;   // a list
    bool is_module = false;  // parameters of a pickled module, which Headlight does not open
};

std::string dotted(const std::vector<std::string>& path) {
    std::string text;
    for (const std::string& key : path) text += (text.empty() ? "" : ".") + key;
    return path.empty() ? "." : text;
}

// Searches a pickle for dictionaries of tensors.
class DictSearch {
  public:
    DictSearch(const TorchArchive& archive, const std::string& name, const StopFlag& stop)
        : archive_(archive), pickle_(archive.pickle()), source_(name), stop_(stop) {}

    std::vector<DictPart> parts() {
        look(pickle_.root(), {});
        return std::move(parts_);
    }

    // The keys of a dictionary or the attributes of an object, each once with its last value.
    struct Entry {
        std::string key;
        PickleId value;
        bool is_zero;  // the key is the number 0, as in a list
    };
    std::vector<Entry> entries(PickleId id) {
        std::vector<Entry> all;
        std::map<std::string, std::size_t, std::less<>> places;
        const PickleValue& value = pickle_[id];
        if (value.kind == Kind::sequence)
            for (std::size_t i = 0; i < value.items.size(); ++i) {
                count();
                all.push_back({std::to_string(i), value.items[i], i == 0});
            }
        if (value.kind != Kind::mapping && value.kind != Kind::object) return all;
        const PickleValue& state = pickle_[value.state];
        for (const PickleValue* dict : {&value, &state}) {
            if (dict == &state && state.kind != Kind::mapping) continue;
            for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
                count();
                const PickleValue& key = pickle_[dict->items[i]];
                const bool is_number = key.kind == Kind::integer;
                if (!is_number && key.kind != Kind::text) continue;
                std::string text = is_number ? std::to_string(key.integer) : std::string(key.text);
                const auto [place, is_new] = places.emplace(text, all.size());
                if (!is_new)
                    all[place->second].value = dict->items[i + 1];
                else
                    all.push_back(
                        {std::move(text), dict->items[i + 1], is_number && key.integer == 0});
            }
        }
        return all;
    }

  private:
    using Kind = PickleValue::Kind;
    static constexpr std::size_t kDeepest = 6;         // keys on the way to a dictionary
    static constexpr std::size_t kDeepestModule = 40;  // nested modules
    static constexpr std::size_t kMostParts = 1000;

    // Limits the search in values that contain themselves, or the same value many times.
    void count() {
        if (++looked_at_ > Pickle::kMaxValues)
            source_.refuse(
                "a checkpoint of at most " + std::to_string(Pickle::kMaxValues) + " values",
                "more");
        if (looked_at_ % (1U << 16U) == 0) throw_if_stopped(stop_);
    }

    [[nodiscard]] static const Entry* find(const std::vector<Entry>& all, std::string_view key) {
        const auto found = std::ranges::find(all, key, &Entry::key);
        return found == all.end() ? nullptr : &*found;
    }

    void look(PickleId id, const std::vector<std::string>& path) {
        if (path.size() > kDeepest || archive_.is_tensor(id)) return;
        const std::vector<Entry> all = entries(id);
        if (all.empty() || find(all, "param_groups") != nullptr) return;  // an optimizer
        if (find(all, "_modules") != nullptr) {
            DictPart part{path, {}};
            part.is_module = true;
            add_module(all, "", 0, part);
            return add(std::move(part));
        }
        DictPart part{path, {}};
        add_tensors(all, "", part);
        const bool has_weights = std::ranges::any_of(part.tensors, [](const DictTensor& tensor) {
            return !tensor.shape || tensor.shape->size() > 1;
        });
        part.nameless = std::ranges::any_of(all, [&](const Entry& entry) {
            return entry.is_zero && archive_.is_tensor(entry.value);
        });
        if (has_weights) add(std::move(part));
        for (const Entry& entry : all) {
            const Kind kind = pickle_[entry.value].kind;
            const bool may_hold =
                kind == Kind::sequence || kind == Kind::mapping || kind == Kind::object;
            if (!may_hold || in_lower_case(entry.key).find("optim") != std::string::npos) continue;
            std::vector<std::string> deeper = path;
            deeper.push_back(entry.key);
            look(entry.value, deeper);
        }
    }

    void add(DictPart part) {
        if (part.tensors.empty()) return;
        if (parts_.size() >= kMostParts)
            source_.refuse("at most " + std::to_string(kMostParts) + " dictionaries of tensors",
                           "more");
        parts_.push_back(std::move(part));
    }

    void add_tensors(const std::vector<Entry>& all, const std::string& prefix, DictPart& part) {
        for (const Entry& entry : all) {
            if (!archive_.is_tensor(entry.value)) continue;
            std::string name = prefix + entry.key;
            if (part.names.insert(name).second)
                part.tensors.push_back({std::move(name), entry.value, archive_.shape(entry.value)});
        }
    }

    void add_module(const std::vector<Entry>& all, const std::string& prefix, std::size_t depth,
                    DictPart& part) {
        for (const char* own : {"_parameters", "_buffers"})
            if (const Entry* entry = find(all, own))
                add_tensors(entries(entry->value), prefix, part);
        const Entry* modules = find(all, "_modules");
        if (modules == nullptr || depth > kDeepestModule) return;
        for (const Entry& module : entries(modules->value))
            add_module(entries(module.value), prefix + module.key + ".", depth + 1, part);
    }

    const TorchArchive& archive_;
    const Pickle& pickle_;
    Source source_;
    const StopFlag& stop_;
    std::size_t looked_at_ = 0;
    std::vector<DictPart> parts_;
};

// Keys in order of preference. Those before kTraining name what the authors evaluate, an average or
// a teacher.
constexpr std::array<std::string_view, 19> kPreferred{
    "ema",        "shadow", "shadow_params", "teacher",   "target_encoder", "best_state_dict",
    "best_model", "online", "student",       "encoder_q", "state_dict",     "model_state_dict",
    "model",      "net",    "network",       "module",    "params",         "encoder",
    "backbone"};
constexpr std::size_t kUsualKeys = kPreferred.size(), kTraining = 5, kWorst = 99;

bool is_of_average(const std::string& key) {
    for (std::size_t begin = 0; begin <= key.size();) {
        const std::size_t end = std::min(key.find('_', begin), key.size());
        const std::string_view word = std::string_view(key).substr(begin, end - begin);
        if (word == "ema" || word == "swa" || word == "average" || word == "averaged") return true;
        begin = end + 1;
    }
    return false;
}

// Smaller is better. mmengine swaps the average and the model when it saves, so its names do not
// count.
std::size_t rank_of(const std::vector<std::string>& path, bool names_averages) {
    std::size_t rank = kUsualKeys;
    bool is_bad = false;
    for (const std::string& own : path) {
        const std::string key = in_lower_case(own);
        const std::string_view word =
            names_averages && is_of_average(key) ? "ema" : std::string_view(key);

        rank =
            std::min<std::size_t>(rank, std::ranges::find(kPreferred, word) - kPreferred.begin());
        for (const char* bad : {"optim", "discrim", "predictor", "decoder", "loss", "collected"})
            is_bad = is_bad || key.find(bad) != std::string::npos;
    }
    return rank + (is_bad ? kWorst : 0);
}

class DictChoice {
  public:
    DictChoice(const TorchArchive& archive, std::vector<DictPart> parts, bool names_averages,
               const std::string& name)
        : archive_(archive), parts_(std::move(parts)), source_(name) {
        for (const DictPart& part : parts_) ranks_.push_back(rank_of(part.path, names_averages));
        const std::vector<DictPart> own = parts_;
        for (std::size_t i = 0; i < parts_.size(); ++i) complete(i, own);
        for (const DictPart& part : parts_) most_ = std::max(most_, part.tensors.size());
    }

    StateDict choose(const std::optional<std::string>& asked) {
        StateDict dict;
        std::size_t chosen = best();
        if (chosen == parts_.size()) refuse_empty();
        const bool is_asked = asked && find_asked(*asked, chosen, dict.inside);
        if (asked && !is_asked) dict.inside = asked;
        if (parts_[chosen].is_module) refuse_module(chosen);
        const std::vector<std::size_t> heads = heads_of(chosen);
        list(chosen, heads, dict.parts);
        dict.parts.reason = is_asked ? "your choice" : reason_for(chosen, dict.parts);
        dict.parts.is_arbitrary = dict.parts.is_arbitrary && !is_asked;
        add(chosen, !heads.empty(), dict.tensors);
        for (const std::size_t head : heads) add(head, true, dict.tensors);
        if (asked && !is_asked) expect_inside(*asked, dict);
        return dict;
    }

  private:
    using Tensors = std::vector<DictTensor>;

    static bool is_statistic(const std::string& name) {
        return name.ends_with("running_mean") || name.ends_with("running_var") ||
               name.ends_with("num_batches_tracked");
    }

    // Limits the comparisons for malicious files.
    void count(std::size_t more) {
        constexpr std::size_t kMost = 100'000'000;
        compared_ += more;
        if (compared_ > kMost) source_.refuse("fewer dictionaries of tensors", "too many of them");
    }

    bool have_shapes(const Tensors& all, const Tensors& list, bool with_statistics) {
        std::size_t next = 0;
        for (const DictTensor& tensor : all) {
            if (!with_statistics && is_statistic(tensor.name)) continue;
            count(1);
            if (next == list.size() || !tensor.shape || tensor.shape != list[next].shape)
                return false;
            ++next;
        }
        return next == list.size();
    }

    // Names a list of tensors, and completes a partial average.
    void complete(std::size_t i, const std::vector<DictPart>& own) {
        if (own[i].nameless)
            name_list(parts_[i], own);
        else if (ranks_[i] < kTraining)
            fill(parts_[i], own);
    }

    void name_list(DictPart& part, const std::vector<DictPart>& own) {
        const Tensors list = std::exchange(part.tensors, {});
        part.names.clear();
        for (const DictPart& other : own)
            for (const bool with_statistics : {true, false}) {
                if (other.nameless || !have_shapes(other.tensors, list, with_statistics)) continue;
                part.tensors = other.tensors;
                part.names = other.names;
                std::size_t next = 0;
                for (DictTensor& tensor : part.tensors)
                    if (with_statistics || !is_statistic(tensor.name)) tensor.id = list[next++].id;
                return;
            }
    }

    void fill(DictPart& part, const std::vector<DictPart>& own) {
        for (std::size_t i = 0; i < own.size(); ++i) {
            const DictPart& other = own[i];
            if (ranks_[i] < kTraining || ranks_[i] > kUsualKeys ||
                other.tensors.size() <= part.tensors.size())
                continue;
            const auto has = [&](const std::string& name) {
                count(1);
                return other.names.contains(name);
            };
            if (!std::ranges::all_of(part.tensors, has, &DictTensor::name)) continue;
            std::map<std::string_view, const DictTensor*> averaged;
            for (const DictTensor& tensor : part.tensors) averaged[tensor.name] = &tensor;
            Tensors all = other.tensors;
            for (DictTensor& tensor : all)
                if (const auto found = averaged.find(tensor.name); found != averaged.end())
                    tensor = *found->second;
            part.tensors = std::move(all);
            part.names = other.names;
            return;
        }
    }

    [[nodiscard]] bool is_large(std::size_t i) const {
        const std::size_t size = parts_[i].tensors.size();
        return size > 0 && 4 * size >= most_;
    }

    [[nodiscard]] bool is_before(std::size_t a, std::size_t b) const {
        return std::pair(ranks_[a], parts_[b].tensors.size()) <
               std::pair(ranks_[b], parts_[a].tensors.size());
    }

    [[nodiscard]] std::size_t best() const {
        std::size_t best = parts_.size();
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (is_large(i) && (best == parts_.size() || is_before(i, best))) best = i;
        return best;
    }

    // Chooses the part that `asked` names, or that its beginning names; returns false if there is
    // none.
    bool find_asked(const std::string& asked, std::size_t& chosen,
                    std::optional<std::string>& inside) const {
        std::vector<std::size_t> ending;
        std::size_t longest = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::string name = dotted(parts_[i].path);
            if (parts_[i].tensors.empty()) continue;
            if (name == asked) {
                chosen = i;
                inside.reset();
                return true;
            }
            if (name.ends_with("." + asked)) ending.push_back(i);
            if (asked.starts_with(name + ".") && name.size() > longest) {
                longest = name.size();
                chosen = i;
                inside = asked.substr(name.size() + 1);
            }
        }
        if (longest == 0 && ending.size() == 1) chosen = ending.front();
        return longest > 0 || ending.size() == 1;
    }

    // The name may still be that of an encoder within the chosen part.
    void expect_inside(const std::string& asked, const StateDict& dict) const {
        for (const auto& [name, tensor] : dict.tensors)
            if (name.starts_with(asked) || name.find("." + asked) != std::string::npos) return;
        std::string names;
        for (const FileParts::Part& part : dict.parts.all)
            names += (names.empty() ? "" : ", ") + in_quotes(part.name);
        if (dict.parts.all.size() > 1)
            source_.refuse("one of its parts, " + names, in_quotes(asked));
    }

    [[nodiscard]] static bool is_head_name(const std::string& key) {
        const std::string lower = in_lower_case(key);
        return std::ranges::any_of(
            std::array{"head", "classif", "cls_head", "fc", "linear", "mlp_head"},
            [&](const char* start) { return lower.starts_with(start); });
    }

    // Heads stored next to the encoder or inside its part.
    [[nodiscard]] std::vector<std::size_t> heads_of(std::size_t chosen) const {
        const std::vector<std::string>& path = parts_[chosen].path;
        const std::vector<std::string> beside(path.begin(), path.end() - (path.empty() ? 0 : 1));
        std::vector<std::size_t> heads;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::vector<std::string>& other = parts_[i].path;
            if (i == chosen || other.empty() || parts_[i].is_module || !is_head_name(other.back()))
                continue;
            const std::vector<std::string> above(other.begin(), other.end() - 1);
            if (above == beside || above == path) heads.push_back(i);
        }
        return heads;
    }

    void list(std::size_t chosen, const std::vector<std::size_t>& heads, FileParts& parts) const {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const DictPart& part = parts_[i];
            const bool fits = is_large(i) && ranks_[i] < kWorst && !part.is_module &&
                              std::ranges::find(heads, i) == heads.end();
            if (!fits && i != chosen) continue;
            if (i == chosen) parts.chosen = parts.all.size();
            const DictTensor& first = part.tensors.front();
            parts.all.push_back(
                {dotted(part.path), std::to_string(part.tensors.size()) +
                                        " tensors, the first is " + in_quotes(first.name) +
                                        (first.shape ? " " + shape_text(*first.shape) : "")});
        }
    }

    [[nodiscard]] std::string reason_for(std::size_t chosen, FileParts& parts) const {
        const auto equals = [&](std::size_t i) {
            return i != chosen && is_large(i) && !is_before(chosen, i) && !is_before(i, chosen);
        };
        for (std::size_t i = 0; i < parts_.size(); ++i)
            parts.is_arbitrary = parts.is_arbitrary || equals(i);
        if (parts.is_arbitrary) return "the first of several, because no rule singles one out";
        if (ranks_[chosen] < kTraining)
            return "authors usually evaluate the average or the teacher";
        if (ranks_[chosen] < kUsualKeys) return "the usual name of a model's weights";
        return "the one with the most tensors";
    }

    void add(std::size_t i, bool with_key, StoredTensors& tensors) const {
        const DictPart& part = parts_[i];
        const std::string prefix = with_key && !part.path.empty() ? part.path.back() + "." : "";
        if (part.tensors.size() > kMaxTensors - std::min(kMaxTensors, tensors.size()))
            source_.refuse("at most " + std::to_string(kMaxTensors) + " tensors",
                           std::to_string(part.tensors.size()));
        for (const DictTensor& tensor : part.tensors)
            tensors.emplace(prefix + tensor.name, archive_.tensor(tensor.id, prefix + tensor.name));
    }

    [[noreturn]] void refuse_module(std::size_t i) const {
        const auto other = std::ranges::find_if(
            parts_, [](const DictPart& part) { return !part.is_module && !part.tensors.empty(); });
        const std::string key =
            parts_[i].path.empty() ? "" : " as " + in_quotes(dotted(parts_[i].path));
        const std::string way = other == parts_.end() ? ""
                                                      : " (--part " + dotted(other->path) +
                                                            " opens other weights in the file)";
        refuse_pickle(source_.name(), "a whole pickled module" + key +
                                          ", which needs the classes of the program that saved it" +
                                          way);
    }

    [[noreturn]] void refuse_empty() const {
        const bool has_list = std::ranges::any_of(parts_, &DictPart::nameless);
        source_.refuse("a PyTorch checkpoint with weights",
                       has_list ? "only tensors without names" : "no dictionary of tensors in it");
    }

    const TorchArchive& archive_;
    std::vector<DictPart> parts_;
    std::vector<std::size_t> ranks_;
    Source source_;
    std::size_t most_ = 0, compared_ = 0;
};

}  // namespace

StateDict read_state_dict(const TorchArchive& archive, const std::string& name,
                          const std::optional<std::string>& asked, const StopFlag& stop) {
    DictSearch search(archive, name, stop);
    const auto keys = search.entries(archive.pickle().root());
    const bool is_mmengine =
        std::ranges::any_of(keys, [](const auto& entry) { return entry.key == "message_hub"; });
    return DictChoice(archive, search.parts(), !is_mmengine, name).choose(asked);
}

}  // namespace headlight
