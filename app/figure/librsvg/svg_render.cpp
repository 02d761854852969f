#include "figure/svg_render.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

namespace headlight::figure {

namespace {

#ifdef __APPLE__
constexpr const char *kCairo = "libcairo.2.dylib", *kRsvg = "librsvg-2.2.dylib",
                     *kObjects = "libgobject-2.0.0.dylib", *kPackages = "librsvg";
#else
constexpr const char *kCairo = "libcairo.so.2", *kRsvg = "librsvg-2.so.2",
                     *kObjects = "libgobject-2.0.so.0", *kPackages = "librsvg2-2 and libcairo2";
#endif

void* opened(const std::string& file) {
    void* const found = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
#ifdef __APPLE__
    // On Macs with Apple's processors the system does not look in Homebrew's folder.
    if (found == nullptr)
        return dlopen(("/opt/homebrew/lib/" + file).c_str(), RTLD_NOW | RTLD_LOCAL);
#endif
    return found;
}

// A shared library that is never unloaded.
class Library {
  public:
    explicit Library(const char* file) : handle_(opened(file)), file_(file) {
        if (handle_ == nullptr)
            throw std::runtime_error(std::string("The library ") + file + what_to_install());
    }
    template <class Function>
    Function* find(const char* name) const {
        void* found = dlsym(handle_, name);
        if (found == nullptr)
            throw std::runtime_error(std::string("A newer version of the library ") + file_ +
                                     what_to_install());
        return reinterpret_cast<Function*>(found);
    }

  private:
    static std::string what_to_install() {
        return std::string(" is missing, and drawing this figure needs it. Install ") + kPackages +
               ", or save an .svg.";
    }

    void* handle_;
    const char* file_;
};

// The declarations used from the libraries, as in their headers.
struct Context;
struct Surface;
struct Handle;
struct Error {
    std::uint32_t domain;
    int code;
    char* message;
};
struct Rectangle {
    double x, y, width, height;
};
using WriteBytes = int(void* closure, const unsigned char* data, unsigned length);

struct Cairo {
    Library library{kCairo};
    Surface* (*pdf)(WriteBytes*, void*, double, double) =
        library.find<Surface*(WriteBytes*, void*, double, double)>(
            "cairo_pdf_surface_create_for_stream");
    void (*describe)(Surface*, int, const char*) =
        library.find<void(Surface*, int, const char*)>("cairo_pdf_surface_set_metadata");
    Surface* (*image)(int, int,
                      int) = library.find<Surface*(int, int, int)>("cairo_image_surface_create");
    unsigned char* (*data)(Surface*) =
        library.find<unsigned char*(Surface*)>("cairo_image_surface_get_data");
    int (*stride)(Surface*) = library.find<int(Surface*)>("cairo_image_surface_get_stride");
    void (*finish)(Surface*) = library.find<void(Surface*)>("cairo_surface_finish");
    void (*flush)(Surface*) = library.find<void(Surface*)>("cairo_surface_flush");
    int (*status)(Surface*) = library.find<int(Surface*)>("cairo_surface_status");
    void (*destroy_surface)(Surface*) = library.find<void(Surface*)>("cairo_surface_destroy");
    Context* (*create)(Surface*) = library.find<Context*(Surface*)>("cairo_create");
    void (*destroy)(Context*) = library.find<void(Context*)>("cairo_destroy");
};

struct Rsvg {
    Library library{kRsvg}, objects{kObjects};
    Handle* (*open)(const unsigned char*, std::size_t, Error**) =
        library.find<Handle*(const unsigned char*, std::size_t, Error**)>(
            "rsvg_handle_new_from_data");
    int (*draw)(Handle*, Context*, const Rectangle*, Error**) =
        library.find<int(Handle*, Context*, const Rectangle*, Error**)>(
            "rsvg_handle_render_document");
    void (*set_dpi)(Handle*, double) = library.find<void(Handle*, double)>("rsvg_handle_set_dpi");
    int (*size)(Handle*, double*, double*) =
        library.find<int(Handle*, double*, double*)>("rsvg_handle_get_intrinsic_size_in_pixels");
    void (*close)(void*) = objects.find<void(void*)>("g_object_unref");
};

const Cairo& cairo() {
    static const Cairo found;
    return found;
}
const Rsvg& rsvg() {
    static const Rsvg found;
    return found;
}

[[noreturn]] void fail(const Error* error) {
    throw std::runtime_error(std::string("The figure could not be drawn") +
                             (error != nullptr && error->message != nullptr
                                  ? std::string(": ") + error->message
                                  : std::string()) +
                             ". Save an .svg instead.");
}

class Document {
  public:
    explicit Document(const std::string& svg) {
        Error* error = nullptr;
        handle_ =
            rsvg().open(reinterpret_cast<const unsigned char*>(svg.data()), svg.size(), &error);
        if (handle_ == nullptr) fail(error);
        rsvg().set_dpi(handle_, 96);
    }
    ~Document() { rsvg().close(handle_); }
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    // In pixels of 1/96 inch.
    [[nodiscard]] Rectangle size() const {
        Rectangle all{0, 0, 0, 0};
        if (rsvg().size(handle_, &all.width, &all.height) == 0) fail(nullptr);
        return all;
    }
    void draw(Surface* surface, const Rectangle& place) const {
        Context* context = cairo().create(surface);
        Error* error = nullptr;
        const bool drawn = rsvg().draw(handle_, context, &place, &error) != 0;
        cairo().destroy(context);
        if (!drawn) fail(error);
    }

  private:
    Handle* handle_;
};

using OwnSurface = std::unique_ptr<Surface, void (*)(Surface*)>;
OwnSurface owned(Surface* surface) { return {surface, cairo().destroy_surface}; }

int append(void* closure, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    return 0;
}

}  // namespace

std::string pdf_of_svg(const std::string& svg, const std::string& description) {
    constexpr double kPointsPerPixel = 0.75;  // 72 points and 96 pixels are an inch
    constexpr int kSubject = 2;               // CAIRO_PDF_METADATA_SUBJECT
    const Document document(svg);
    Rectangle page = document.size();
    page.width *= kPointsPerPixel;
    page.height *= kPointsPerPixel;
    std::string pdf;
    const OwnSurface surface = owned(cairo().pdf(append, &pdf, page.width, page.height));
    cairo().describe(surface.get(), kSubject, description.c_str());
    document.draw(surface.get(), page);
    cairo().finish(surface.get());
    if (cairo().status(surface.get()) != 0) fail(nullptr);
    return pdf;
}

RenderedSvg pixels_of_svg(const std::string& svg, int width, int height) {
    constexpr int kArgb32 = 0;  // CAIRO_FORMAT_ARGB32: native order, colors times alpha
    const Document document(svg);
    const OwnSurface surface = owned(cairo().image(kArgb32, width, height));
    if (cairo().status(surface.get()) != 0) fail(nullptr);
    document.draw(surface.get(), {0, 0, double(width), double(height)});
    cairo().flush(surface.get());
    const unsigned char* data = cairo().data(surface.get());
    RenderedSvg picture{width, height, {}};
    picture.rgba.reserve(static_cast<std::size_t>(width) * height * 4);
    for (int r = 0; r < height; ++r) {
        const auto* row = reinterpret_cast<const std::uint32_t*>(
            data + static_cast<std::ptrdiff_t>(r) * cairo().stride(surface.get()));
        for (int c = 0; c < width; ++c) {
            const std::uint32_t pixel = row[c], alpha = pixel >> 24;
            for (const int shift : {16, 8, 0}) {
                const std::uint32_t color = pixel >> shift & 0xFF;
                picture.rgba.push_back(static_cast<std::uint8_t>(
                    alpha == 0 ? 0 : std::min(255U, (color * 255 + alpha / 2) / alpha)));
            }
            picture.rgba.push_back(static_cast<std::uint8_t>(alpha));
        }
    }
    return picture;
}

}  // namespace headlight::figure
