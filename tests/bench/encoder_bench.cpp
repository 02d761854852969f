// The forward pass of a whole model, for encoder_bench.py, which alternates it with PyTorch.
//
//     encoder_bench MODEL PIXELS
//
// PIXELS: safetensors with `pixels` [1, 3, H, W], normalized. Reads commands, one per line, and
// answers
// each with a line:
//     threads N    ok
//     ours         wall-clock and processor seconds of one forward pass, every layer computed as by
//                  the runner for an observer of all heads' attention
//     plain        the same for oneDNN's plain products of the same shapes and nothing else
//     logits       of the last forward pass
// "none" if there is no oneDNN, or no such command.
#include <chrono>
#include <ctime>
#include <exception>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "disk/read_file.h"
#include "encoder/layers.h"
#include "families/load.h"
#include "files/tensor_file.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "plain_product.h"

namespace headlight {
namespace {

// The picture as patches, the start of every forward pass.
Trace front_of(const std::string& model, const std::string& pixels) {
    Trace front;
    front.model = load_model(model, read_file);
    const TensorFile file = open_tensor_file(pixels, read_file);
    const auto& shape = file.tensors().at("pixels").shape;
    const int size = front.model->patch_size;
    front.grid = make_patch_grid(static_cast<int>(shape.at(2)), static_cast<int>(shape.at(3)),
                                 {size, size, Ragged::crop});
    front.set(Tensor::patches,
              make_result(extract_patches(file.values("pixels"), 1, 3, front.grid)));
    return front;
}

// The observer looks at each layer's attention, which is released afterwards.
Trace forward(Trace trace) {
    const KeepForNext memory;
    compute_all(token_nodes(*trace.model, {}), trace, {});
    for (int b = 0; b < static_cast<int>(trace.model->layers.size()); ++b) {
        begin_layer(trace, b);
        const Trace layer = compute_layer(trace, b, {}, {});
        end_layer(trace, b, layer.result(Tensor::output));
    }
    compute_all(end_nodes(*trace.model), trace, {});
    return trace;
}

// All products of a forward pass. The weights are the model's, so they come from the same memory as
// in the forward pass; the other operands share one buffer.
#ifdef HEADLIGHT_ONEDNN
class PlainForward {
  public:
    explicit PlainForward(const Trace& done) {
        const Model& model = *done.model;
        const MatrixView encoded = done.all(Tensor::encoded);
        const Index tokens = encoded.rows, dim = encoded.cols, most = 4 * dim;
        const Index heads = model.layers.front().attention.heads;
        square_ = Matrix::Constant(heads * tokens, tokens, 1e-3F);
        input_ = Matrix::Random(tokens, most);
        output_ = Matrix::Zero(tokens, most);
        add_linear(done.all(Tensor::patches).rows, model.embedding);
        for (const Layer& layer : model.layers) {
            const Index width = dim / heads;
            add_linear(tokens, layer.qkv);
            products_.emplace_back(Sizes{heads, tokens, tokens, width}, input_.data(),
                                   output_.data(), true, square_.data());
            products_.emplace_back(Sizes{heads, tokens, width, tokens}, square_.data(),
                                   input_.data(), false, output_.data());
            add_linear(tokens, layer.projection);
            add_linear(tokens, layer.mlp_in);
            add_linear(tokens, layer.mlp_out);
        }
        add_linear(1, model.classifier);
    }

    void run() {
        for (PlainProduct& product : products_) product.run();
    }

  private:
    using Sizes = PlainProduct::Sizes;

    void add_linear(Index rows, const Linear& layer) {
        const MatrixView weight = layer.weight->view();
        products_.emplace_back(Sizes{1, rows, weight.rows, weight.cols}, input_.data(), weight.data,
                               true, output_.data());
    }

    Matrix square_, input_, output_;
    std::vector<PlainProduct> products_;
};
#endif

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Time of `work`: "wall processor".
template <class Work>
std::string seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    const double spent = processor_seconds();
    work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    return std::to_string(wall.count()) + ' ' + std::to_string(processor_seconds() - spent);
}

class Session {
  public:
    Session(const std::string& model, const std::string& pixels)
        : front_(front_of(model, pixels)), last_(forward(front_)) {}

    std::string answer(const std::string& command) {
        if (command == "ours") return seconds_of([&] { last_ = forward(front_); });
        if (command == "logits") return logits();
        if (command.starts_with("threads ")) {
            set_threads(std::stoi(command.substr(8)));
#ifdef HEADLIGHT_ONEDNN
            plain_ = std::make_unique<PlainForward>(last_);  // made for a number of threads
            plain_->run();
#endif
            return "ok";
        }
#ifdef HEADLIGHT_ONEDNN
        if (command == "plain") return seconds_of([&] { plain_->run(); });
#endif
        return "none";
    }

  private:
    std::string logits() {
        std::ostringstream text;
        text << std::setprecision(9) << last_.all(Tensor::logits).eigen();
        return text.str();
    }

    Trace front_, last_;
#ifdef HEADLIGHT_ONEDNN
    std::unique_ptr<PlainForward> plain_ = std::make_unique<PlainForward>(last_);
#endif
};

}  // namespace
}  // namespace headlight

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "encoder_bench MODEL PIXELS\n";
        return 1;
    }
    headlight::ThreadPool pool;
    headlight::use_pool(&pool);
    try {
        headlight::Session session(arguments[1], arguments[2]);
        for (std::string command; std::getline(std::cin, command);)
            std::cout << session.answer(command) << std::endl;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
