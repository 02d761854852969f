#include "heads/listed_images.h"

#include <memory>
#include <vector>

#include "state/image_folder.h"

namespace headlight::screens {

bool ListedImages::read(Frame& frame, const std::filesystem::path& folder) {
    reader.go(folder);
    reader.update();
    if (reader.reading()) frame.ui.ask_for_frame();
    const Directory& directory = reader.directory();
    const bool ready = stale && !reader.reading();
    if (images && !ready && listed == directory.path && written == directory.written) return false;
    if (ready) stale = false;
    listed = directory.path;
    written = directory.written;
    images = std::make_shared<const std::vector<DirectoryEntry>>(images_of(directory));
    return true;
}

}  // namespace headlight::screens
