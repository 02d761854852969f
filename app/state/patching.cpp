#include "state/patching.h"

namespace headlight {

namespace {

bool begins_alike(const Trace& a, const Trace& b) {
    if (&a == &b) return true;
    if (a.model != b.model) return false;
    const auto first = static_cast<std::size_t>(a.model->token_transformers());
    return a.stream.size() > first && b.stream.size() > first && a.stream[first] &&
           b.stream[first] && a.stream[first]->version() == b.stream[first]->version();
}

}  // namespace

bool operator==(const StreamPatchQuestion& a, const StreamPatchQuestion& b) {
    return a.of.now.of_class == b.of.now.of_class && a.of.now.change == b.of.now.change &&
           a.of.from_change == b.of.from_change && begins_alike(*a.of.now.trace, *b.of.now.trace) &&
           begins_alike(*a.of.from, *b.of.from);
}

const TokenPatchFinder kTokenPatching{
    .compute =
        [](const StreamPatchQuestion& question, const TokenPatchFinder::Run& run) {
            const PatchQuestion& q = question.of;
            return patch_tokens({*q.now.trace, q.now.change}, {*q.from, q.from_change},
                                q.now.of_class, run.publish, run.watch(), run.stop);
        },
    .takes_long = true};

const LayerPatchFinder kLayerPatching{
    .compute =
        [](const StreamPatchQuestion& question, const LayerPatchFinder::Run& run) {
            const PatchQuestion& q = question.of;
            return patch_layers({*q.now.trace, q.now.change}, {*q.from, q.from_change},
                                q.now.of_class, run.watch(), run.stop);
        },
    .takes_long = true};

}  // namespace headlight
