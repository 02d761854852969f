#include "analysis/contours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace headlight {

namespace {

using Corner = ContourLine::Corner;

// The centers of the cells plus a frame of border points, which have the value of the nearest
// center.
class Nodes {
  public:
    explicit Nodes(const MatrixView& map) : map_(map) {}

    [[nodiscard]] Index rows() const { return map_.rows + 2; }
    [[nodiscard]] Index cols() const { return map_.cols + 2; }
    [[nodiscard]] float value(Index r, Index c) const {
        return map_(std::clamp(r - 1, Index{0}, map_.rows - 1),
                    std::clamp(c - 1, Index{0}, map_.cols - 1));
    }
    [[nodiscard]] Corner place(Index r, Index c) const {
        return {along(r, map_.rows), along(c, map_.cols)};
    }

  private:
    static float along(Index node, Index cells) {
        return std::clamp(static_cast<float>(node) - 0.5F, 0.0F, static_cast<float>(cells));
    }
    const MatrixView& map_;
};

// The four edges of a square between nodes. An edge has the same number in both of its squares.
struct Square {
    Index top, left, bottom, right;
};
Square edges_of(Index r, Index c, Index cols) {
    const Index across = (r * cols + c) * 2;
    return {across, across + 1, across + cols * 2, across + 3};
}

// Collects the crossings of one level by edge, then joins them to lines.
class Tracer {
  public:
    Tracer(const MatrixView& map, float level) : nodes_(map), level_(level) {}

    std::vector<ContourLine> lines() {
        for (Index r = 0; r + 1 < nodes_.rows(); ++r)
            for (Index c = 0; c + 1 < nodes_.cols(); ++c) cross(r, c);
        if (pieces_.empty()) return {};
        link();
        std::vector<ContourLine> all;
        for (const auto& piece : pieces_)  // open lines first, starting at an end
            for (const Index edge : piece)
                if (ends_at(edge)) all.push_back(line_from(edge, false));
        for (const auto& piece : pieces_)
            if (!used(piece[0])) all.push_back(line_from(piece[0], true));
        std::erase_if(all, [](const ContourLine& line) { return line.corners.empty(); });
        return all;
    }

  private:
    using Pair = std::array<Index, 2>;
    static constexpr Pair kAlone{-1, -1};

    // Adds the line segments in one square.
    void cross(Index r, Index c) {
        const float a = nodes_.value(r, c), b = nodes_.value(r, c + 1),
                    d = nodes_.value(r + 1, c + 1), e = nodes_.value(r + 1, c);
        const int above = (a >= level_ ? 1 : 0) | (b >= level_ ? 2 : 0) | (d >= level_ ? 4 : 0) |
                          (e >= level_ ? 8 : 0);
        if (above == 0 || above == 15) return;
        if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(d) || !std::isfinite(e))
            return;
        const auto [top, left, bottom, right] = edges_of(r, c, nodes_.cols());
        switch (above) {
            case 1:
            case 14:
                return add(left, top);
            case 2:
            case 13:
                return add(top, right);
            case 4:
            case 11:
                return add(right, bottom);
            case 8:
            case 7:
                return add(bottom, left);
            case 3:
            case 12:
                return add(left, right);
            case 6:
            case 9:
                return add(top, bottom);
            default:
                break;
        }
        // Two opposite corners are above the level: the saddle decides whether they are connected.
        const double saddle = (static_cast<double>(a) * d - static_cast<double>(b) * e) /
                              (static_cast<double>(a) + d - static_cast<double>(b) - e);
        const bool a_is_above = above == 5, meet = saddle >= level_;
        if (a_is_above == meet) {
            add(top, right);
            add(bottom, left);
        } else {
            add(left, top);
            add(right, bottom);
        }
    }
    void add(Index from, Index to) { pieces_.push_back({from, to}); }

    void link() {
        beside_.assign(static_cast<std::size_t>(nodes_.rows() * nodes_.cols() * 2), kAlone);
        for (const auto& [from, to] : pieces_) {
            neighbor(from, to);
            neighbor(to, from);
        }
        used_.assign(beside_.size(), false);
    }
    void neighbor(Index edge, Index other) {
        Pair& both = beside_[static_cast<std::size_t>(edge)];
        (both[0] < 0 ? both[0] : both[1]) = other;
    }
    [[nodiscard]] bool used(Index edge) const { return used_[static_cast<std::size_t>(edge)]; }
    [[nodiscard]] bool ends_at(Index edge) const {
        return !used(edge) && beside_[static_cast<std::size_t>(edge)][1] < 0;
    }

    ContourLine line_from(Index edge, bool closed) {
        ContourLine line{{}, closed};
        for (std::optional<Index> at = edge; at; at = next(*at)) {
            used_[static_cast<std::size_t>(*at)] = true;
            // If a node equals the level, several edges have their corner at that node.
            const Corner corner = corner_on(*at);
            if (line.corners.empty() || line.corners.back() != corner)
                line.corners.push_back(corner);
        }
        if (closed && line.corners.size() > 1 && line.corners.front() == line.corners.back())
            line.corners.pop_back();
        if (line.corners.size() < 2) line.corners.clear();  // a single point
        return line;
    }
    [[nodiscard]] std::optional<Index> next(Index edge) const {
        for (const Index other : beside_[static_cast<std::size_t>(edge)])
            if (other >= 0 && !used(other)) return other;
        return std::nullopt;
    }

    [[nodiscard]] Corner corner_on(Index edge) const {
        const Index r = edge / 2 / nodes_.cols(), c = edge / 2 % nodes_.cols();
        const bool down = edge % 2 == 1;  // else horizontal
        const Index r2 = down ? r + 1 : r, c2 = down ? c : c + 1;
        const double a = nodes_.value(r, c), b = nodes_.value(r2, c2);
        const auto part = static_cast<float>((level_ - a) / (b - a));
        const Corner from = nodes_.place(r, c), to = nodes_.place(r2, c2);
        return {from.row + (to.row - from.row) * part, from.col + (to.col - from.col) * part};
    }

    Nodes nodes_;
    float level_;
    std::vector<Pair> pieces_;  // pairs of edges
    std::vector<Pair> beside_;  // per edge
    std::vector<bool> used_;
};

}  // namespace

std::vector<ContourLine> contours_of(const MatrixView& map, float level) {
    if (map.rows < 1 || map.cols < 1 || !std::isfinite(level)) return {};
    return Tracer(map, level).lines();
}

}  // namespace headlight
