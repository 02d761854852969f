#include "kernels/onednn.h"

#ifdef HEADLIGHT_ONEDNN

#include <omp.h>

#include <dnnl.hpp>
#include <map>
#include <new>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "kernels/recycle.h"

namespace headlight::onednn {

namespace {

const dnnl::engine& processor() {
    // Never destroyed: a thread may still compute while statics are destroyed.
    static const auto& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

struct Sizes {
    Index rows, cols, depth;
    bool transposed, biased, packed = false;

    friend bool operator<(const Sizes& a, const Sizes& b) {
        return std::tie(a.rows, a.cols, a.depth, a.transposed, a.biased, a.packed) <
               std::tie(b.rows, b.cols, b.depth, b.transposed, b.biased, b.packed);
    }
};

// The implementation that a recipe uses. Only the implementation that copies its right operand
// gives the same speed and the same bits with an operand that was packed before.
bool is_copying(const dnnl::matmul::primitive_desc& recipe) {
    return std::string_view(recipe.impl_info_str()).starts_with("brg:");
}

// A product of dense operands of fixed sizes, ready for any values. Preparing one takes longer than
// a small product, even though oneDNN caches the code that it generates.
class Prepared {
  public:
    explicit Prepared(const Sizes& s) {
        const auto left = describe(s.rows, s.depth), out = describe(s.rows, s.cols);
        const auto right = describe(s.depth, s.cols,
                                    s.packed       ? Tag::any
                                    : s.transposed ? Tag::ba
                                                   : Tag::ab);
        const auto bias = s.biased ? describe(1, s.cols) : dnnl::memory::desc();
        dnnl::primitive_attr attributes;
        // Headlight provides the scratchpad, so that no two products share one.
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
        const dnnl::matmul::primitive_desc recipe(processor(), left, right, bias, out, attributes);
#else
        const dnnl::matmul::primitive_desc recipe(dnnl::matmul::desc(left, right, bias, out),
                                                  attributes, processor());
#endif
        copies_right_ = is_copying(recipe);
        right_ = recipe.weights_desc();
        product_ = dnnl::matmul(recipe);
        scratch_bytes_ = recipe.scratchpad_desc().get_size();
        add(DNNL_ARG_SRC, left);
        add(DNNL_ARG_WEIGHTS, right_);
        add(DNNL_ARG_DST, out);
        add(DNNL_ARG_SCRATCHPAD, recipe.scratchpad_desc());
        if (s.biased) add(DNNL_ARG_BIAS, bias);
    }

    [[nodiscard]] std::size_t scratch_bytes() const { return scratch_bytes_; }
    [[nodiscard]] bool copies_right() const { return copies_right_; }
    [[nodiscard]] const dnnl::memory::desc& right() const { return right_; }
    void set(int argument, const float* data) {
        arguments_.at(argument).set_data_handle(const_cast<float*>(data));
    }
    void run(dnnl::stream& stream) const {
        product_.execute(stream, arguments_);
        stream.wait();
    }

  private:
    using Tag = dnnl::memory::format_tag;

    static dnnl::memory::desc describe(Index rows, Index cols, Tag tag = Tag::ab) {
        return {{rows, cols}, dnnl::memory::data_type::f32, tag};
    }
    void add(int argument, const dnnl::memory::desc& desc) {
        arguments_.emplace(argument, dnnl::memory(desc, processor(), nullptr));
    }

    dnnl::matmul product_;
    std::unordered_map<int, dnnl::memory> arguments_;
    dnnl::memory::desc right_;
    std::size_t scratch_bytes_ = 0;
    bool copies_right_ = false;
};

struct PackedRight {
    dnnl::memory::desc order;
    Matrix numbers;
};

// What a thread needs for its products, kept from one product to the next.
class ThreadState {
  public:
    ThreadState() : stream_(processor()) {
        // The pool already splits the work; OpenMP's threads would compete for the same cores.
        omp_set_num_threads(1);
    }

    void multiply(const MatrixView& left, const MatrixView& right, bool transposed,
                  const float* bias, const MatrixSpan& out) {
        Prepared& product = prepare({out.rows, out.cols, left.cols, transposed, bias != nullptr});
        const bool direct = out.stride == out.cols;
        if (!direct) out_.resize(out.rows, out.cols);
        product.set(DNNL_ARG_SRC, dense(left, left_));
        product.set(DNNL_ARG_WEIGHTS, dense(right, right_));
        product.set(DNNL_ARG_DST, direct ? out.data : out_.data());
        product.set(DNNL_ARG_SCRATCHPAD, scratch(product.scratch_bytes()));
        if (bias != nullptr) product.set(DNNL_ARG_BIAS, bias);
        product.run(stream_);
        if (!direct) out.eigen() = out_;
    }

    std::shared_ptr<const PackedRight> pack(const MatrixView& right) {
        constexpr Index kRows = 197;  // tokens of ViT at 224 pixels; the layout hardly depends on
                                      // the number
        Prepared& product = prepare({kRows, right.rows, right.cols, true, false, true});
        if (!product.copies_right()) return nullptr;
        auto packed = std::make_shared<PackedRight>();
        packed->order = product.right();
        packed->numbers = new_matrix(
            1, static_cast<Index>((packed->order.get_size() + sizeof(float) - 1) / sizeof(float)));
        const dnnl::memory::desc plain({right.cols, right.rows}, dnnl::memory::data_type::f32,
                                       dnnl::memory::dims{1, right.stride});
        dnnl::memory from(plain, processor(), const_cast<float*>(right.data)),
            to(packed->order, processor(), packed->numbers.data());
        dnnl::reorder(from, to).execute(stream_, from, to);
        stream_.wait();
        return packed;
    }

    bool multiply_packed(const MatrixView& left, const PackedRight& right, const float* bias,
                         const MatrixSpan& out) {
        Prepared& product = prepare({out.rows, out.cols, left.cols, true, bias != nullptr, true});
        if (!product.copies_right() || product.right() != right.order || out.stride != out.cols)
            return false;
        product.set(DNNL_ARG_SRC, dense(left, left_));
        product.set(DNNL_ARG_WEIGHTS, right.numbers.data());
        product.set(DNNL_ARG_DST, out.data);
        product.set(DNNL_ARG_SCRATCHPAD, scratch(product.scratch_bytes()));
        if (bias != nullptr) product.set(DNNL_ARG_BIAS, bias);
        product.run(stream_);
        return true;
    }

  private:
    Prepared& prepare(const Sizes& sizes) {
        constexpr std::size_t kMost = 64;  // a model has about ten
        if (prepared_.size() == kMost && !prepared_.contains(sizes)) prepared_.clear();
        return prepared_.try_emplace(sizes, sizes).first->second;
    }

    // oneDNN is fastest with dense operands, by a tenth or more. Copying costs less than that,
    // because every element is used many times.
    static const float* dense(const MatrixView& matrix, Matrix& copy) {
        if (matrix.stride == matrix.cols) return matrix.data;
        copy = matrix.eigen();
        return copy.data();
    }

    const float* scratch(std::size_t bytes) {
        const auto floats = static_cast<Index>(bytes / sizeof(float)) + 1;
        if (scratch_.size() < floats) scratch_.resize(1, floats);
        return scratch_.data();
    }

    dnnl::stream stream_;
    std::map<Sizes, Prepared> prepared_;
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

namespace {

template <class Work>
auto with_thread_state(const Work& work) {
    try {
        thread_local ThreadState state;
        return work(state);
    } catch (const dnnl::error& error) {
        if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
        throw;
    }
}

}  // namespace

void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out) {
    with_thread_state([&](ThreadState& own) { own.multiply(left, right, transposed, bias, out); });
}

std::shared_ptr<const void> pack(const MatrixView& right) {
    return with_thread_state([&](ThreadState& own) { return own.pack(right); });
}

bool multiply_packed(const MatrixView& left, const void* right, const float* bias,
                     const MatrixSpan& out) {
    return with_thread_state([&](ThreadState& own) {
        return own.multiply_packed(left, *static_cast<const PackedRight*>(right), bias, out);
    });
}

}  // namespace headlight::onednn

#else

namespace headlight::onednn {

bool built_in() { return false; }
bool usable() { return false; }
void multiply(const MatrixView& /*left*/, const MatrixView& /*right*/, bool /*transposed*/,
              const float* /*bias*/, const MatrixSpan& /*out*/) {}
std::shared_ptr<const void> pack(const MatrixView& /*right*/) { return nullptr; }
bool multiply_packed(const MatrixView& /*left*/, const void* /*right*/, const float* /*bias*/,
                     const MatrixSpan& /*out*/) {
    return false;
}

}  // namespace headlight::onednn

#endif
