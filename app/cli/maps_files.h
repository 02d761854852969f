#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/images.h"
#include "cli/maps.h"
#include "encoder/token_maps.h"
#include "files/new_file.h"

// The files that `headlight maps` writes without --method. With a second result, they hold the
// differences; every function throws AnalysisError if there are none.
namespace headlight::cli {

bool is_npz(const std::string& out);

// A NumPy file, float32 [layers, heads, rows, columns] of the chosen layers and heads; for several
// queries [queries, layers, ...].
void write_maps(const MapsOfBoth& maps, const std::string& out);

// A safetensors file with one tensor, "maps", of the same shape. Its metadata have: made by, model,
// image, layers, query, reading, and if given heads, attention, config, part; for differences also
// those of the second result.
void write_maps_with_facts(const MapsOfBoth& maps, const MapsOptions& options,
                           const std::string& out);

// A NumPy archive: maps, of the same shape; image, the file's name [1]; and provenance, the same
// facts as a JSON text.
void write_maps_archive(const MapsOfBoth& maps, const MapsOptions& options, const std::string& out);

// Throws UsageError if the layers, heads and queries are not one each.
void expect_one_map(const MapsOptions& options);
// Their map as text: one line for each row of the grid, one number for each column. The same text
// as the window's export of a map.
void write_map_table(const MapsOfBoth& maps, const std::string& out);

// The maps of several images as one file: float32 [images, layers, heads, rows, columns], for
// several queries [images, queries, layers, ...]. A NumPy file is written image by image, and
// `out`.txt lists its images, one per line; an archive is collected in memory.
class ImagesOfMaps {
  public:
    // images: how many there are at most
    ImagesOfMaps(const MapsOptions& options, std::string out, std::size_t images);

    // Throws WorkError if the maps have another size than those of the first image.
    void add(const std::string& image, const std::vector<TokenMaps>& maps);
    // Writes the file; at least one image was added.
    void finish(const UnreadImages& unread);

  private:
    [[nodiscard]] std::vector<std::int64_t> shape(std::size_t images) const;

    const MapsOptions& options_;
    std::string out_;
    std::size_t most_;
    std::vector<std::string> images_;
    std::vector<TokenMaps> first_;  // without numbers
    std::vector<float> numbers_;    // of an archive
    std::unique_ptr<NewFile> file_;
    std::size_t header_ = 0;  // bytes
};

}  // namespace headlight::cli
