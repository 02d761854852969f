#include <gtest/gtest.h>

#include <cmath>

#include "analysis/pointing.h"
#include "encoder/run_scene.h"
#include "encoder/runner.h"
#include "families/load.h"
#include "golden.h"
#include "model_files.h"
#include "ops/arithmetic.h"
#include "tests/source_path.h"

// Compares assets/models/photos with PyTorch: positions computed for any grid, and its own heads.
namespace headlight {
namespace {

const std::string kFile = source_path("assets/models/photos/model.safetensors");

// As tests/golden/make_photos.py has it.
std::string picture_of(int rows, int cols) {
    const int height = rows * 8, width = cols * 8;
    std::string ppm = "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c)
                ppm += static_cast<char>((x * x * (c + 1) / 16 + y * y / 9 + x * y / 7) % 256);
    return ppm;
}

class PhotoModel : public ::testing::Test {
  protected:
    struct Run {
        std::shared_ptr<const Trace> trace;
        std::vector<Trace> layers;
    };
    static Run on_picture(int rows, int cols) {
        Run run;
        const std::string ppm = picture_of(rows, cols);
        const FileReader read = [ppm](const std::string& name) -> File {
            if (name != "picture.ppm") return read_disk(name);
            return bytes_of(ppm);
        };
        Runner runner(read, [&](const Trace& layer) { run.layers.push_back(layer); });
        Recipe recipe;
        recipe.weights = kFile;
        recipe.image = "picture.ppm";
        recipe.image_height = rows * 8;
        recipe.image_width = cols * 8;
        run.trace = runner.run(recipe);
        return run;
    }
    // Largest difference relative to the largest number, over every `stride`-th row.
    static void expect_near(const Trace& trace, Tensor tensor, const std::string& name,
                            Index stride = 1) {
        static const TensorMap golden =
            read_safetensors(read_disk(source_path("tests/golden/photos.safetensors")).bytes(), "");
        const NamedTensor& expected = golden.at(name);
        const MatrixView found = trace.all(tensor);
        const Index rows = (found.rows + stride - 1) / stride;
        ASSERT_EQ(static_cast<std::size_t>(rows * found.cols), expected.values.size()) << name;
        double off = 0, size = 0;
        for (Index r = 0; r < rows; ++r)
            for (Index c = 0; c < found.cols; ++c) {
                const double e = expected.values[static_cast<std::size_t>(r * found.cols + c)];
                off = std::max(off, std::abs(found(r * stride, c) - e));
                size = std::max(size, std::abs(e));
            }
        EXPECT_LE(off / size, 1e-5) << name;
    }
};

TEST_F(PhotoModel, equals_pytorch_on_a_picture_that_is_no_square) {
    const Run run = on_picture(7, 9);
    ASSERT_EQ(run.layers.size(), 6U);
    for (const Trace& layer : run.layers) {
        const std::string name = "small.layer." + std::to_string(layer.layer);
        expect_near(layer, Tensor::attention, name + ".attention");
        expect_near(layer, Tensor::output, name + ".output");
    }
    expect_near(*run.trace, Tensor::logits, "small.logits");
    expect_near(*run.trace, Tensor::objects, "small.objects");
    expect_near(*run.trace, Tensor::pointing, "small.pointing");
    EXPECT_EQ(pointed_cells(*run.trace), (PointedCells{7, 9}));
}

TEST_F(PhotoModel, equals_pytorch_on_twenty_by_twenty_patches) {
    const Run run = on_picture(20, 20);
    expect_near(*run.trace, Tensor::logits, "large.logits");
    expect_near(*run.trace, Tensor::objects, "large.objects");
    expect_near(*run.trace, Tensor::pointing, "large.pointing", 40);
}

TEST_F(PhotoModel, every_cell_of_its_own_heads_is_explained) {
    const Run run = on_picture(7, 9);
    for (const Node& node : run.trace->nodes) {
        if (node.id < Step::objects) continue;
        const MatrixView result = run.trace->view(node.result());
        for (Index row = 0; row < result.rows; row += 5)
            for (Index col = 0; col < result.cols; col += 3) {
                const Arithmetic a = explain_cell(*run.trace, node, 0, row, col);
                EXPECT_FALSE(a.terms.empty()) << node.name();
                EXPECT_TRUE(a.agrees) << node.name() << ' ' << row << ' ' << col;
            }
    }
}

TEST_F(PhotoModel, is_small_and_says_what_it_is) {
    EXPECT_LT(read_disk(kFile).size(), 12'000'000U);
    const auto model = load_model(kFile, read_disk);
    EXPECT_TRUE(model->unused_tensors.empty());
    EXPECT_EQ(model->class_names, (std::vector<std::string>{"a pair", "no pair"}));
    EXPECT_EQ(model->positions.formula, PositionKind::sincos_2d);
    EXPECT_FALSE(answers_scenes(*model));
    ASSERT_TRUE(model->preprocessing.limit);
    // A picture keeps its aspect ratio, in whole patches.
    const Preprocessing wide = framed_for(300, 450, model->preprocessing);
    EXPECT_EQ(wide.width % 8, 0);
    EXPECT_GT(wide.width, wide.height);
    EXPECT_LE(wide.width / 8 * wide.height / 8, model->preprocessing.limit->most);
}

}  // namespace
}  // namespace headlight
