#pragma once

#ifdef HEADLIGHT_ONEDNN

#include <omp.h>

#include <dnnl.hpp>
#include <unordered_map>

#include "kernels/matrix.h"
#include "kernels/parallel.h"

namespace headlight {

// oneDNN's own product in its usual form: one call for the whole, prepared once, split by its own
// OpenMP threads. The reference for ours.
class PlainProduct {
  public:
    struct Sizes {
        Index batch, rows, cols, depth;
    };

    // out [batch, rows, cols] = left [batch, rows, depth] · right, where right is [batch, cols,
    // depth]ᵀ or [batch, depth, cols]. All are dense and must outlive this.
    PlainProduct(const Sizes& s, const float* left, const float* right, bool transposed,
                 float* out) {
        omp_set_num_threads(threads());  // primitives are created for this number
        using Tag = dnnl::memory::format_tag;
        const auto describe = [&](Index rows, Index cols, Tag tag) {
            dnnl::memory::dims sizes{rows, cols};
            if (s.batch > 1) sizes.insert(sizes.begin(), s.batch);
            return dnnl::memory::desc(sizes, dnnl::memory::data_type::f32, tag);
        };
        const Tag straight = s.batch > 1 ? Tag::abc : Tag::ab;
        const Tag turned = s.batch > 1 ? Tag::acb : Tag::ba;
        const auto x = describe(s.rows, s.depth, straight);
        const auto weight = describe(s.depth, s.cols, transposed ? turned : straight);
        const auto result = describe(s.rows, s.cols, straight);
#if DNNL_VERSION_MAJOR >= 3
        product_ = dnnl::matmul({engine_, x, weight, result});
#else
        product_ = dnnl::matmul({dnnl::matmul::desc(x, weight, result), engine_});
#endif
        const auto memory = [&](const dnnl::memory::desc& desc, const float* data) {
            return dnnl::memory(desc, engine_, const_cast<float*>(data));
        };
        arguments_ = {{DNNL_ARG_SRC, memory(x, left)},
                      {DNNL_ARG_WEIGHTS, memory(weight, right)},
                      {DNNL_ARG_DST, memory(result, out)}};
    }

    void run() {
        omp_set_num_threads(threads());
        product_.execute(stream_, arguments_);
        stream_.wait();
        omp_set_num_threads(1);  // as in our own products
    }

  private:
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    dnnl::matmul product_;
    std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace headlight

#endif
