#pragma once

#include <limits>
#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"
#include "patches/patches.h"
#include "patches/token_layout.h"

// What one number says about an attention map: how widely, how far and what a head reads.
namespace headlight {

// Means over queries. A number is NaN where a query that it is taken from has NaN.
struct HeadNumbers {
    // Shannon entropy, −Σ a log2 a over the keys, in bits, over all queries: 0 where each reads one
    // token, log2(N) where each reads all alike. A blocked row, all zeros, counts 0.
    double entropy = 0;

    // Attention distance in pixels, over the patch queries: how far away a patch reads,
    //   Σ_j a_ij · |centre_i − centre_j| / Σ_j a_ij,  j over the patch keys (i itself too).
    // Dosovitskiy et al., "An Image is Worth 16x16 Words", arXiv 2010.11929, figure 7 and appendix
    // D.7, which average the distance to all other pixels by the attention weights and do not say
    // what becomes of the class token. Here the tokens before the patches are left out, as queries
    // and as keys, and what remains is divided by its own sum. NaN where no query has a distance.
    double distance = std::numeric_limits<double>::quiet_NaN();
    // Patch queries left out of the distance, as they read no patch: blocked rows, or rows that
    // read nothing but the tokens before the patches.
    Index without_distance = 0;

    // The share of attention that goes to the class token, the distillation token, all registers
    // together and the query itself (the diagonal), over all queries. 0 where there is no such
    // token.
    double class_mass = 0, distillation_mass = 0, register_mass = 0, self_mass = 0;
    // The share of a patch's attention that goes to the patches around it, eight of them or, at the
    // picture's edge, fewer; over the patch queries. NaN where no patch has a place.
    double neighbour_mass = std::numeric_limits<double>::quiet_NaN();
};

// For each head of one sample's self-attention [H·N, N], N = layout.count(). The patches lie where
// `grid` says; of a grid without patches nothing is known, and the distances are NaN.
//
// Reads the memory once, in parallel; equal calls give equal bits, whatever the number of threads.
// Throws AnalysisError where attention, layout and grid do not fit together, Stopped when told to
// stop.
std::vector<HeadNumbers> head_numbers(const MatrixView& attention, Index heads,
                                      const TokenLayout& layout, const PatchGrid& grid,
                                      const StopFlag& stop = {});

}  // namespace headlight
