// The waiting times of a user who walks through a model, and the memory of the walk.
//
//     walk_bench MODEL PICTURE [SIZE]
//
// Loads the model and runs the picture, with the numbers of every head as the window requests them.
// Then selects two other layers and changes the temperature; each result is kept until the next one
// is
// finished. SIZE: side of the picture in pixels instead of the model's own.
#include <chrono>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>

#include "analysis/head_numbers.h"
#include "disk/read_file.h"
#include "encoder/runner.h"
#include "families/load.h"
#include "kernels/parallel.h"

namespace headlight {
namespace {

// Resident bytes of this process: VmRSS is the current value, VmHWM the peak; RssAnon excludes
// files.
double resident(const std::string& field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) * 1024;
    return 0;
}

template <class Work>
void report(const std::string& what, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::cout << std::left << std::setw(22) << what << std::right << std::fixed
              << std::setprecision(3) << std::setw(9) << spent.count() << std::setprecision(0)
              << std::setw(9) << resident("VmRSS") * 1e-6 << std::setw(9)
              << resident("RssAnon") * 1e-6 << std::setw(9) << resident("VmHWM") * 1e-6
              << std::endl;
}

void walk(const std::string& model, const std::string& picture, int size) {
    std::cout << "                              s  resident      own     peak  MB\n";
    report("load alone", [&] { load_model(model, read_file); });

    std::vector<HeadNumbers> numbers;
    Runner runner(read_file, [&](const Trace& layer) {
        numbers = head_numbers(layer.all(Tensor::attention), layer.shape.heads, layer.layout,
                               layer.grid, {});
    });
    std::shared_ptr<const Trace> shown;
    Recipe recipe;
    recipe.image = picture;
    recipe.weights = model;
    if (size > 0) recipe.image_height = recipe.image_width = size;
    report("load and run", [&] { shown = runner.run(recipe); });
    for (const int layer : {5, 11, 3}) {
        recipe.layer = layer;
        report("layer " + std::to_string(layer + 1), [&] { shown = runner.run(recipe); });
    }
    recipe.temperature = 2;
    report("temperature", [&] { shown = runner.run(recipe); });
    recipe.temperature = 1;
    report("temperature back", [&] { shown = runner.run(recipe); });
}

}  // namespace
}  // namespace headlight

int main(int count, char** arguments) {
    if (count != 3 && count != 4) {
        std::cerr << "walk_bench MODEL PICTURE [SIZE]\n";
        return 1;
    }
    headlight::ThreadPool pool;
    headlight::use_pool(&pool);
    try {
        headlight::walk(arguments[1], arguments[2], count == 4 ? std::stoi(arguments[3]) : 0);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
