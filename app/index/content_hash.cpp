#include "index/content_hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace headlight {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                        kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                        kPrime5 = 0x27D4EB2F165667C5;
constexpr std::size_t kLanes = 4;
constexpr std::size_t kStripe = kLanes * sizeof(std::uint64_t);

template <class T>
std::uint64_t number_at(const std::byte* at) {
    T number{};
    std::memcpy(&number, at, sizeof number);
    return number;
}

std::uint64_t mixed(std::uint64_t lane, std::uint64_t input) {
    return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

// Hashes whole stripes with four accumulators.
std::uint64_t hash_of_stripes(const std::byte* at, std::size_t stripes) {
    std::array<std::uint64_t, kLanes> lanes{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    for (std::size_t i = 0; i < stripes; ++i)
        for (std::uint64_t& lane : lanes) {
            lane = mixed(lane, number_at<std::uint64_t>(at));
            at += sizeof(std::uint64_t);
        }
    std::uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                         std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = (hash ^ mixed(0, lane)) * kPrime1 + kPrime4;
    return hash;
}

}  // namespace

std::uint64_t content_hash(std::span<const std::byte> bytes) {
    const std::size_t stripes = bytes.size() / kStripe;
    std::uint64_t hash = stripes > 0 ? hash_of_stripes(bytes.data(), stripes) : kPrime5;
    hash += bytes.size();
    std::span<const std::byte> rest = bytes.subspan(stripes * kStripe);
    for (; rest.size() >= 8; rest = rest.subspan(8))
        hash = std::rotl(hash ^ mixed(0, number_at<std::uint64_t>(rest.data())), 27) * kPrime1 +
               kPrime4;
    for (; rest.size() >= 4; rest = rest.subspan(4))
        hash = std::rotl(hash ^ number_at<std::uint32_t>(rest.data()) * kPrime1, 23) * kPrime2 +
               kPrime3;
    for (const std::byte one : rest)
        hash = std::rotl(hash ^ std::to_integer<std::uint64_t>(one) * kPrime5, 11) * kPrime1;
    hash = (hash ^ hash >> 33) * kPrime2;
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
}

}  // namespace headlight
