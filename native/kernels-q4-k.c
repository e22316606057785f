/* Weights in Q4_K, as most of those in files named Q4_K_M, by values in Q8_K. */
#if defined(__x86_64__)
#include "kernels.h"

enum {
    block_length = 256,
    /* Of 32 weights each, with a scale and a minimum of their own. */
    parts = 8,
    /* Scales and sums of the values are kept on the stack, so longer rows go to ggml. */
    most_blocks = 64,
};

/*
 * A weight is its scale * a number from 0 to 15 - its minimum. Scales and minimums are 6 bits, times those of the block. 12 bytes
 * have one part's of all rows: the lower 6 bits of 8 bytes are the scales and then the minimums of rows 0 to 3; the lower half of
 * the other 4 and what was left of those have the scales of rows 4 to 7, the upper half the minimums. Of the numbers, 32
 * bytes of a row have one part in the lower and the next in the upper half of each byte.
 */
struct weight_blocks {
    uint16_t scales[weight_rows], minimum_scales[weight_rows];
    uint8_t part_scales[parts * 12];
    uint8_t bytes[weight_rows * block_length / 2];
};

/* What is multiplied by them: one row, or four in turn. Sums are of 16 each; of four rows, four of each row in turn. */
struct value_block {
    float scale;
    int8_t bytes[block_length];
    int16_t sums[2 * parts];
};
struct value_blocks {
    float scales[value_rows];
    int8_t bytes[value_rows * block_length];
    int16_t sums[value_rows * 2 * parts];
};

struct scales {
    __m512 scale, minimum_scale;
    /* Parts 0 to 3 and 4 to 7, as 16-bit integers: two in each of a row's lanes. */
    __m512i minimums[2];
    /* A byte for each row. */
    uint64_t parts[parts] __attribute__((aligned(64)));
};

/* Bytes of four rows, part by part, to bytes of all rows, part by part. */
INLINE WITH_VNNI __m512i all_rows(__m256i first, __m256i last) {
    const __m512i in_turn = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutex2var_epi32(_mm512_castsi256_si512(first), in_turn, _mm512_castsi256_si512(last));
}

/* Four parts' bytes of all rows, to four integers of each row. */
INLINE WITH_VNNI __m512i of_each_row(const uint64_t *part) {
    const __m128i first = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)part), _mm_loadl_epi64((const __m128i *)(part + 1)));
    const __m128i last = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(part + 2)), _mm_loadl_epi64((const __m128i *)(part + 3)));
    return _mm512_cvtepu8_epi16(_mm256_set_m128i(_mm_unpackhi_epi16(first, last), _mm_unpacklo_epi16(first, last)));
}

INLINE WITH_VNNI void load_scales(struct scales *to, const struct weight_blocks *blocks) {
    const __m512i front = _mm512_loadu_si512(blocks->part_scales);
    const __m512i back = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(blocks->part_scales + 64)));
    const __m512i every_third = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 21, 18, 15, 12, 9, 6, 3, 0), one = _mm512_set1_epi32(1);
    const __m512i second_third = _mm512_add_epi32(every_third, one), last_third = _mm512_add_epi32(second_third, one);
    const __m256i scales = _mm512_castsi512_si256(_mm512_permutex2var_epi32(front, every_third, back));
    const __m256i minimums = _mm512_castsi512_si256(_mm512_permutex2var_epi32(front, second_third, back));
    const __m256i others = _mm512_castsi512_si256(_mm512_permutex2var_epi32(front, last_third, back));
    const __m256i six = _mm256_set1_epi8(0x3f), upper_two = _mm256_set1_epi8(0x30), half = _mm256_set1_epi8(0x0f);
    const __m256i last_scales =
        _mm256_or_si256(_mm256_and_si256(others, half), _mm256_and_si256(_mm256_srli_epi32(scales, 2), upper_two));
    const __m256i last_minimums = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(others, 4), half),
                                                  _mm256_and_si256(_mm256_srli_epi32(minimums, 2), upper_two));
    uint64_t minimum_parts[parts] __attribute__((aligned(64)));
    _mm512_store_si512(to->parts, all_rows(_mm256_and_si256(scales, six), last_scales));
    _mm512_store_si512(minimum_parts, all_rows(_mm256_and_si256(minimums, six), last_minimums));
    to->minimums[0] = of_each_row(minimum_parts);
    to->minimums[1] = of_each_row(minimum_parts + 4);
    to->scale = for_both_lanes(blocks->scales);
    to->minimum_scale = for_both_lanes(blocks->minimum_scales);
}

/* In the lower half of both of a row's lanes. */
INLINE WITH_VNNI __m512i scales_of_part(const struct scales *scales, int part) {
    const __m512i first_lanes = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(scales->parts + part)));
    return _mm512_shuffle_epi32(first_lanes, 0xa0);
}

/* A lane's sum of 16 products fits into 16 bits, so one instruction multiplies it by the scale and adds it. */
INLINE WITH_VNNI __m512i add_part(__m512i lanes, const __m512i *weights, __m512i scales, const int8_t *values, size_t stride) {
    return _mm512_dpwssd_epi32(lanes, add_products(_mm512_setzero_si512(), weights, values, stride), scales);
}

INLINE WITH_VNNI __m512 add_block(__m512 sum, const struct scales *scales, __m512i products, const int16_t *sums, float scale) {
    int64_t first, last;
    memcpy(&first, sums, sizeof first);
    memcpy(&last, sums + 4, sizeof last);
    __m512i minimums = _mm512_dpwssd_epi32(_mm512_setzero_si512(), scales->minimums[0], _mm512_set1_epi64(first));
    minimums = _mm512_dpwssd_epi32(minimums, scales->minimums[1], _mm512_set1_epi64(last));
    const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(products), scales->scale);
    const __m512 difference = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(minimums), scales->minimum_scale, scaled);
    return _mm512_fmadd_ps(difference, _mm512_set1_ps(scale), sum);
}

/* Of 32 values each, instead of 16. */
INLINE WITH_VNNI __m128i sums_of_parts(const int16_t *sixteen) {
    const __m256i pairs = _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)sixteen), _mm256_set1_epi16(1));
    return _mm256_cvtepi32_epi16(pairs);
}

/* Of four rows, two parts in each of which are in one of four vectors, to one vector for each row. */
INLINE WITH_VNNI void sums_of_rows(int16_t (*to)[parts], const int16_t *sums) {
    const __m128i a = sums_of_parts(sums), b = sums_of_parts(sums + 16);
    const __m128i c = sums_of_parts(sums + 32), d = sums_of_parts(sums + 48);
    const __m128i low = _mm_unpacklo_epi32(a, b), high = _mm_unpackhi_epi32(a, b);
    const __m128i other_low = _mm_unpacklo_epi32(c, d), other_high = _mm_unpackhi_epi32(c, d);
    _mm_storeu_si128((__m128i *)to[0], _mm_unpacklo_epi64(low, other_low));
    _mm_storeu_si128((__m128i *)to[1], _mm_unpackhi_epi64(low, other_low));
    _mm_storeu_si128((__m128i *)to[2], _mm_unpacklo_epi64(high, other_high));
    _mm_storeu_si128((__m128i *)to[3], _mm_unpackhi_epi64(high, other_high));
}

/* 64 weights of each row: a part in the lower halves of bytes, and one in the upper. */
struct two_parts {
    __m512i lower[4], upper[4];
};

INLINE WITH_VNNI struct two_parts load_weights(const uint8_t *bytes) {
    const __m512i half = _mm512_set1_epi8(0x0f);
    struct two_parts two;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const __m512i both = _mm512_loadu_si512(bytes + i * 64);
        two.lower[i] = _mm512_and_si512(both, half);
        two.upper[i] = _mm512_and_si512(_mm512_srli_epi32(both, 4), half);
    }
    return two;
}

static WITH_VNNI void multiply_row(int blocks, float *to, const struct weight_blocks *weights, const struct value_block *values,
                                   int groups) {
    int16_t sums[most_blocks][parts];
    for (int i = 0; i < blocks; i++) _mm_storeu_si128((__m128i *)sums[i], sums_of_parts(values[i].sums));
    for (int group = 0; group < groups; group++, weights += blocks) {
        __m512 sum = _mm512_setzero_ps();
        for (int i = 0; i < blocks; i++) {
            struct scales scales;
            load_scales(&scales, weights + i);
            __m512i lower = _mm512_setzero_si512(), upper = _mm512_setzero_si512();
#pragma GCC unroll 4
            for (int part = 0; part < parts; part += 2) {
                const struct two_parts two = load_weights(weights[i].bytes + part * 128);
                const int8_t *bytes = values[i].bytes + part * 32;
                lower = add_part(lower, two.lower, scales_of_part(&scales, part), bytes, 8);
                upper = add_part(upper, two.upper, scales_of_part(&scales, part + 1), bytes + 32, 8);
            }
            sum = add_block(sum, &scales, _mm512_add_epi32(lower, upper), sums[i], values[i].scale);
        }
        store_rows(to + group * weight_rows, sum);
    }
}

/* `count`, a multiple of four, is a constant where this is called: products are in registers. */
INLINE WITH_VNNI void multiply_rows(int count, int blocks, float *to, size_t stride, const struct weight_blocks *weights,
                                    const struct value_blocks *values, int groups) {
    int16_t value_sums[most_blocks * most_rows][parts];
    for (int i = 0; i < blocks; i++)
        for (int row = 0; row < count; row += value_rows)
            sums_of_rows(value_sums + i * count + row, values[(size_t)(row / value_rows) * blocks + i].sums);
    for (int group = 0; group < groups; group++, weights += blocks) {
        __m512 sums[most_rows];
#pragma GCC unroll 16
        for (int row = 0; row < count; row++) sums[row] = _mm512_setzero_ps();
        for (int i = 0; i < blocks; i++) {
            struct scales scales;
            load_scales(&scales, weights + i);
            __m512i products[most_rows];
#pragma GCC unroll 16
            for (int row = 0; row < count; row++) products[row] = _mm512_setzero_si512();
            for (int part = 0; part < parts; part += 2) {
                const struct two_parts two = load_weights(weights[i].bytes + part * 128);
                const __m512i lower = scales_of_part(&scales, part), upper = scales_of_part(&scales, part + 1);
#pragma GCC unroll 16
                for (int row = 0; row < count; row++) {
                    const int8_t *four = values[(size_t)(row / value_rows) * blocks + i].bytes;
                    const int8_t *bytes = four + part * 32 * value_rows + row % value_rows * 8;
                    products[row] = add_part(products[row], two.lower, lower, bytes, value_rows * 8);
                    products[row] = add_part(products[row], two.upper, upper, bytes + 32 * value_rows, value_rows * 8);
                }
            }
#pragma GCC unroll 16
            for (int row = 0; row < count; row++) {
                const float scale = values[(size_t)(row / value_rows) * blocks + i].scales[row % value_rows];
                sums[row] = add_block(sums[row], &scales, products[row], value_sums[i * count + row], scale);
            }
        }
#pragma GCC unroll 16
        for (int row = 0; row < count; row++) store_rows(to + row * stride + group * weight_rows, sums[row]);
    }
}

DEFINE_QUANTIZED_PRODUCTS(q4_K_8x8_q8_K)
#endif
