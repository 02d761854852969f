#include "files/stored_tensor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "kernels/parallel.h"

namespace headlight {

namespace {

// Files are little-endian, and numbers are copied without conversion.
static_assert(std::endian::native == std::endian::little);

constexpr Index kBlock = Index{1} << 16;  // numbers per task; they fit into the cache

// No branches, so that the compiler can vectorize it.
float widen_half(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t rest = (bits & 0x7FFFU) << 13U;
    const std::uint32_t exponent = bits & 0x7C00U;
    // Zero and subnormal: fraction · 2^-24, exact in float.
    const auto subnormal = static_cast<float>(static_cast<std::int32_t>(bits & 0x3FFU)) * 0x1p-24F;
    const std::uint32_t shift = exponent == 0x7C00U ? 224U : 112U;  // rebias the exponent from 15
                                                                    // to 127; infinity and NaN to
                                                                    // 255
    const std::uint32_t size =
        exponent == 0 ? std::bit_cast<std::uint32_t>(subnormal) : rest + (shift << 23U);
    return std::bit_cast<float>(sign | size);
}

float widen_bfloat(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

template <class Stored>
float plain(Stored value) {
    return static_cast<float>(value);
}

float truth(std::uint8_t value) { return value != 0 ? 1.0F : 0.0F; }

// Data in a file may be unaligned, so memcpy is used.
template <class Stored, float (*convert)(Stored)>
void convert_all(const std::byte* from, std::size_t count, float* to) {
    for (std::size_t i = 0; i < count; ++i) {
        Stored stored;
        std::memcpy(&stored, from + i * sizeof(Stored), sizeof(Stored));
        to[i] = convert(stored);
    }
}

struct NumberType {
    std::string_view name;
    std::size_t bytes;
    void (*convert)(const std::byte* from, std::size_t count, float* to);
};

template <class Stored, float (*convert)(Stored) = plain<Stored>>
constexpr NumberType number_type(std::string_view name) {
    return {name, sizeof(Stored), convert_all<Stored, convert>};
}

constexpr std::array kTypes{
    number_type<double>("F64"),
    number_type<float>("F32"),
    number_type<std::uint16_t, widen_half>("F16"),
    number_type<std::uint16_t, widen_bfloat>("BF16"),
    number_type<std::int64_t>("I64"),
    number_type<std::int32_t>("I32"),
    number_type<std::int16_t>("I16"),
    number_type<std::int8_t>("I8"),
    number_type<std::uint64_t>("U64"),
    number_type<std::uint32_t>("U32"),
    number_type<std::uint16_t>("U16"),
    number_type<std::uint8_t>("U8"),
    number_type<std::uint8_t, truth>("BOOL"),
};

const NumberType* find_type(const std::string& name) {
    const auto* found = std::ranges::find(kTypes, name, &NumberType::name);
    return found == kTypes.end() ? nullptr : found;
}

void convert(const StoredTensor& tensor, float* values, const StopFlag& stop) {
    const NumberType& type = *find_type(tensor.type);
    const std::byte* all = tensor.bytes.in_memory();
    parallel_rows(static_cast<Index>(tensor.count()), kBlock, [&](Index first, Index rows) {
        throw_if_stopped(stop);
        const auto begin = static_cast<std::size_t>(first) * type.bytes;
        const auto count = static_cast<std::size_t>(rows);
        if (all != nullptr) return type.convert(all + begin, count, values + first);
        if (tensor.type == "F32")  // no conversion: read directly into place
            return tensor.bytes.read(begin,
                                     std::as_writable_bytes(std::span(values + first, count)));
        Bytes block(count * type.bytes);
        tensor.bytes.read(begin, block);
        type.convert(block.data(), count, values + first);
    });
}

// Walks the tensor in row-major order and takes each number from its column-major position.
void reorder(const std::vector<std::int64_t>& shape, std::span<const float> from, float* to,
             const StopFlag& stop) {
    struct Counter {
        std::size_t extent, stride, at;
    };
    std::vector<Counter> counters;
    std::size_t next = 1;
    for (const std::int64_t extent : shape) {
        counters.push_back({static_cast<std::size_t>(extent), next, 0});
        next *= static_cast<std::size_t>(extent);
    }
    std::size_t source = 0;
    for (std::size_t target = 0; target < from.size(); ++target) {
        if (target % kBlock == 0) throw_if_stopped(stop);
        to[target] = from[source];
        for (auto counter = counters.rbegin(); counter != counters.rend(); ++counter) {
            source += counter->stride;
            if (++counter->at < counter->extent) break;
            source -= counter->at * counter->stride;
            counter->at = 0;
        }
    }
}

bool all_finite(const float* values, std::size_t count) {
    constexpr std::uint32_t kExponent = 0x7F800000U;
    std::uint32_t bad = 0;
    for (std::size_t i = 0; i < count; ++i)
        bad |= (std::bit_cast<std::uint32_t>(values[i]) & kExponent) == kExponent ? 1U : 0U;
    return bad == 0;
}

}  // namespace

std::size_t bytes_per_number(const std::string& type) {
    const NumberType* found = find_type(type);
    return found == nullptr ? 0 : found->bytes;
}

bool is_floating_point(const std::string& type) {
    return type == "F64" || type == "F32" || type == "F16" || type == "BF16";
}

std::optional<std::uint64_t> byte_count(const std::vector<std::int64_t>& shape, std::size_t each) {
    std::uint64_t bytes = each;
    for (const std::int64_t extent : shape) {
        const auto factor = static_cast<std::uint64_t>(extent);
        if (factor != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / factor) return {};
        bytes *= factor;
    }
    return bytes;
}

std::size_t StoredTensor::count() const {
    const std::size_t each = bytes_per_number(type);
    return each == 0 ? 0 : bytes.size() / each;
}

void to_floats(const StoredTensor& tensor, float* values, const StopFlag& stop) {
    if (!tensor.column_major || tensor.shape.size() < 2) return convert(tensor, values, stop);
    std::vector<float> columns(tensor.count());
    convert(tensor, columns.data(), stop);
    reorder(tensor.shape, columns, values, stop);
}

std::optional<std::size_t> find_not_finite(std::span<const float> values, const StopFlag& stop) {
    const auto size = static_cast<Index>(values.size());
    std::atomic<Index> first_block{size};
    parallel_rows(size, kBlock, [&](Index first, Index count) {
        throw_if_stopped(stop);
        if (all_finite(values.data() + first, static_cast<std::size_t>(count))) return;
        for (Index known = first_block; first < known;)
            if (first_block.compare_exchange_weak(known, first)) break;
    });
    if (first_block == size) return {};
    auto position = static_cast<std::size_t>(first_block);
    while (all_finite(&values[position], 1)) ++position;
    return position;
}

}  // namespace headlight
