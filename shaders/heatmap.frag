// One pixel of a heatmap: the cell farthest from the anchor among the texels under the pixel,
// through
// the color map. NaN wins over infinity, infinity over numbers. In smooth mode, the value
// interpolated
// between the surrounding cells.
// app/gl/curve.cpp repeats the formula of place() for the numbers beside the colors.
// There is one program for each curve and each kind of pixel, because shaders on a CPU compute both
// sides of a branch.

#ifndef CURVE
#define CURVE 0  // gl::Curve
#endif
#ifndef SHOWS
#define SHOWS 0  // 0: the texels under it; of u_cells that hold cells 1: one, 2: what lies between
#endif

uniform sampler2D u_cells;   // R32F cells, or RG32F (smallest, largest); (NaN, NaN) where a NaN is among them
uniform bool u_reduced;      // u_cells holds pairs
uniform isampler2D u_spans;  // row 0: the columns [x, y) of u_cells under each pixel column; row 1: rows
uniform sampler2D u_colors;  // one color map per row
uniform int u_map;
uniform float u_low, u_high, u_anchor;
uniform bool u_cut;   // above u_high: u_clipped
uniform vec2 u_first, u_each;  // column and row of the top left, and how many of them a pixel has
uniform vec3 u_nan, u_infinite_high, u_infinite_low, u_clipped;

out vec4 o_color;

const float kLargestFloat = 3.402823466e38;

// Comparing bits, because a compiler may assume that isnan() and isinf() are false.
const uint kInfinity = 0x7f800000u;
uint magnitude(float value) { return floatBitsToUint(value) & 0x7fffffffu; }

float place(float value) {
#if CURVE == 1
    return (sqrt(max(value, 0.0)) - sqrt(u_low)) / (sqrt(u_high) - sqrt(u_low));
#elif CURVE == 2
    return log2(max(value, u_low) / u_low) / log2(u_high / u_low);
#else
    return (value - u_low) / (u_high - u_low);
#endif
}

vec3 map_color(float value) {
    if (u_cut && value > u_high) return u_clipped;
    float t = clamp(place(value), 0.0, 1.0);
    return texelFetch(u_colors, ivec2(int(t * 255.0 + 0.5), u_map), 0).rgb;
}

// Bilinear, of the four cells around; those that are no finite numbers do not count. Its formula
// stands also in app/gl/smooth.cpp.
float between_middles(vec2 place) {
    ivec2 last = textureSize(u_cells, 0) - 1;
    vec2 from_first = place - 0.5, below = floor(from_first), part = from_first - below;
    float sum = 0.0, weights = 0.0;
    for (int i = 0; i < 4; ++i) {
        ivec2 next = ivec2(i & 1, i >> 1);
        float value = texelFetch(u_cells, clamp(ivec2(below) + next, ivec2(0), last), 0).r;
        if (magnitude(value) >= kInfinity) continue;
        float weight = (next.x == 1 ? part.x : 1.0 - part.x) * (next.y == 1 ? part.y : 1.0 - part.y);
        sum += weight * value;
        weights += weight;
    }
    return sum / weights;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 cols = texelFetch(u_spans, ivec2(pixel.x, 0), 0).xy;
    ivec2 rows = texelFetch(u_spans, ivec2(pixel.y, 1), 0).xy;
    if (cols.x >= cols.y || rows.x >= rows.y) {  // beside the matrix
        o_color = vec4(0.0);
        return;
    }

#if SHOWS == 0
    float smallest = kLargestFloat;
    float largest = -kLargestFloat;
    uint worst = 0u;
    for (int row = rows.x; row < rows.y; ++row) {
        for (int col = cols.x; col < cols.y; ++col) {
            vec2 texel = texelFetch(u_cells, ivec2(col, row), 0).rg;
            smallest = min(smallest, texel.r);
            largest = max(largest, u_reduced ? texel.g : texel.r);
            worst = max(worst, magnitude(texel.r));
        }
    }
#else
    float largest = texelFetch(u_cells, ivec2(cols.x, rows.x), 0).r;
    float smallest = largest;
    uint worst = magnitude(largest);
#endif

    vec3 color;
    if (worst > kInfinity) {
        color = u_nan;
    } else if (magnitude(largest) == kInfinity && largest > 0.0) {
        color = u_infinite_high;
    } else if (magnitude(smallest) == kInfinity && smallest < 0.0) {
        color = u_infinite_low;
    } else {
#if SHOWS == 2
        color = map_color(between_middles(u_first + (vec2(pixel) + 0.5) * u_each));
#elif SHOWS == 1
        color = map_color(largest);
#else
#if CURVE == 0
        // Halves, so that the differences of the largest floats do not overflow.
        float above = 0.5 * largest - 0.5 * u_anchor;
        float below = 0.5 * u_anchor - 0.5 * smallest;
#else
        float above = place(largest) - place(u_anchor);
        float below = place(u_anchor) - place(smallest);
#endif
        color = map_color(above >= below ? largest : smallest);
#endif
    }
    o_color = vec4(color, 1.0);
}
