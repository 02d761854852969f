#include "kernels/onednn.h"

#ifdef HEADLIGHT_ONEDNN

#include <omp.h>

#include <dnnl.hpp>
#include <unordered_map>

namespace headlight::onednn {

namespace {

constexpr auto kFloat = dnnl::memory::data_type::f32;

const dnnl::engine& processor() {
    // Never destroyed: the crew's threads may still compute while statics are.
    static const auto& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

// What a thread needs for its products, kept from one to the next.
class Workshop {
  public:
    Workshop() : stream_(processor()) {
        // Our crew splits the work; OpenMP's threads beside it would fight for the same cores.
        omp_set_num_threads(1);
    }

    void multiply(const MatrixView& left, const MatrixView& right, bool transposed,
                  const float* bias, const MatrixSpan& out) {
        const MatrixView a = dense(left, left_), b = dense(right, right_);
        const bool direct = out.stride == out.cols;
        if (!direct) out_.resize(out.rows, out.cols);
        multiply_dense(a, b, transposed, bias, direct ? out.data : out_.data(), out.cols);
        if (!direct) out.map() = out_;
    }

  private:
    // oneDNN has its fastest code for dense operands only, by a tenth or more, and copying takes
    // less: every element is used many times.
    static MatrixView dense(const MatrixView& matrix, Matrix& copy) {
        if (matrix.stride == matrix.cols) return matrix;
        copy = matrix.map();
        return copy;
    }

    void multiply_dense(const MatrixView& left, const MatrixView& right, bool transposed,
                        const float* bias, float* out, Index cols) {
        using Tag = dnnl::memory::format_tag;
        const dnnl::memory::desc left_desc({left.rows, left.cols}, kFloat, Tag::ab);
        const dnnl::memory::desc right_desc({left.cols, cols}, kFloat,
                                            transposed ? Tag::ba : Tag::ab);
        const dnnl::memory::desc out_desc({left.rows, cols}, kFloat, Tag::ab);
        const dnnl::memory::desc bias_desc =
            bias != nullptr ? dnnl::memory::desc({1, cols}, kFloat, Tag::ab) : dnnl::memory::desc();

        // Cheap from the second time on, for oneDNN keeps the code that it made for these sizes.
        const dnnl::matmul::primitive_desc recipe =
            describe(left_desc, right_desc, bias_desc, out_desc);
        const auto memory = [](const dnnl::memory::desc& desc, const float* data) {
            return dnnl::memory(desc, processor(), const_cast<float*>(data));
        };
        const auto scratch_floats =
            static_cast<Index>(recipe.scratchpad_desc().get_size() / sizeof(float)) + 1;
        if (scratch_.size() < scratch_floats) scratch_.resize(1, scratch_floats);
        std::unordered_map<int, dnnl::memory> arguments{
            {DNNL_ARG_SRC, memory(left_desc, left.data)},
            {DNNL_ARG_WEIGHTS, memory(right_desc, right.data)},
            {DNNL_ARG_DST, memory(out_desc, out)},
            {DNNL_ARG_SCRATCHPAD, memory(recipe.scratchpad_desc(), scratch_.data())}};
        if (bias != nullptr) arguments.emplace(DNNL_ARG_BIAS, memory(bias_desc, bias));
        dnnl::matmul(recipe).execute(stream_, arguments);
        stream_.wait();
    }

    static dnnl::matmul::primitive_desc describe(const dnnl::memory::desc& left,
                                                 const dnnl::memory::desc& right,
                                                 const dnnl::memory::desc& bias,
                                                 const dnnl::memory::desc& out) {
        dnnl::primitive_attr attributes;
        // Ours, so that threads may compute products of the same sizes at the same time.
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
        return {processor(), left, right, bias, out, attributes};
#else
        return {dnnl::matmul::desc(left, right, bias, out), attributes, processor()};
#endif
    }

    dnnl::stream stream_;
    Matrix left_, right_, out_, scratch_;
};

}  // namespace

bool built_in() { return true; }

bool usable() {
    static const bool fast = [] {
        constexpr auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx2);
        return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
    }();
    return fast;
}

void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out) {
    thread_local Workshop workshop;
    workshop.multiply(left, right, transposed, bias, out);
}

}  // namespace headlight::onednn

#else

namespace headlight::onednn {

bool built_in() { return false; }
bool usable() { return false; }
void multiply(const MatrixView& /*left*/, const MatrixView& /*right*/, bool /*transposed*/,
              const float* /*bias*/, const MatrixSpan& /*out*/) {}

}  // namespace headlight::onednn

#endif
