/* Weights in Q4_0, such as the starter's for chat, by values in Q8_0. */
#if defined(__x86_64__)
#include "kernels.h"

enum {
    block_length = 32,
    /* Weights are computed with as numbers from 0 to 15. */
    weight_offset = 8,
    /* Scales and sums of the values are kept on the stack, so longer rows go to ggml. */
    most_blocks = 512,
};

/*
 * Scales as 16-bit floats; then 8 bytes of each row, twice. A byte has two weights from -8 to 7, 16 places apart: the lower half
 * is that of the first 8 (then 8 to 15).
 */
struct weight_blocks {
    uint16_t scales[weight_rows];
    uint8_t bytes[128];
};

/* What is multiplied by them, in Q8_0: one row, or 8 bytes each of four rows in turn. */
struct value_block {
    uint16_t scale;
    int8_t bytes[block_length];
};
struct value_blocks {
    uint16_t scales[value_rows];
    int8_t bytes[value_rows * block_length];
};

struct weights {
    __m512i numbers[4];
    __m512 scales;
};

INLINE WITH_VNNI struct weights load_weights(const struct weight_blocks *blocks) {
    const __m512i half = _mm512_set1_epi8(0x0f), sign = _mm512_set1_epi8(weight_offset);
    enum { masked_then_flipped = 0x6a };
    const __m512i first = _mm512_loadu_si512(blocks->bytes), second = _mm512_loadu_si512(blocks->bytes + 64);
    return (struct weights){
        .numbers = {_mm512_ternarylogic_epi32(first, half, sign, masked_then_flipped),
                    _mm512_ternarylogic_epi32(second, half, sign, masked_then_flipped),
                    _mm512_ternarylogic_epi32(_mm512_srli_epi32(first, 4), half, sign, masked_then_flipped),
                    _mm512_ternarylogic_epi32(_mm512_srli_epi32(second, 4), half, sign, masked_then_flipped)},
        .scales = for_both_lanes(blocks->scales),
    };
}

INLINE WITH_VNNI __m512 add_block(__m512 sum, const struct weights *weights, const int8_t *values, size_t stride, float scale,
                                  int32_t correction) {
    const __m512i products = add_products(_mm512_set1_epi32(correction), weights->numbers, values, stride);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(products), _mm512_mul_ps(weights->scales, _mm512_set1_ps(scale)), sum);
}

/* What each of a row's two lanes starts from because of the offset, by the sum of a block's values. */
INLINE WITH_VNNI __m128i corrections_of(__m128i sums) { return _mm_mullo_epi32(sums, _mm_set1_epi32(-weight_offset / 2)); }

INLINE WITH_VNNI __m256i sum_bytes(__m256i sums, const int8_t *bytes) {
    return _mm256_dpbusd_epi32(sums, _mm256_set1_epi8(1), _mm256_loadu_si256((const __m256i *)bytes));
}

static WITH_VNNI void multiply_row(int blocks, float *to, const struct weight_blocks *weights, const struct value_block *values,
                                   int groups) {
    float scales[most_blocks];
    int32_t corrections[most_blocks];
    for (int i = 0; i < blocks; i++) {
        const __m256i eighths = sum_bytes(_mm256_setzero_si256(), values[i].bytes);
        __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(eighths), _mm256_extracti128_si256(eighths, 1));
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
        corrections[i] = _mm_cvtsi128_si32(corrections_of(sum));
        scales[i] = _cvtsh_ss(values[i].scale);
    }
    for (int group = 0; group < groups; group++, weights += blocks) {
        __m512 sum = _mm512_setzero_ps();
        for (int i = 0; i < blocks; i++) {
            const struct weights these = load_weights(weights + i);
            sum = add_block(sum, &these, values[i].bytes, 8, scales[i], corrections[i]);
        }
        store_rows(to + group * weight_rows, sum);
    }
}

/* `count`, a multiple of four, is a constant where this is called: sums are in registers. */
INLINE WITH_VNNI void multiply_rows(int count, int blocks, float *to, size_t stride, const struct weight_blocks *weights,
                                    const struct value_blocks *values, int groups) {
    float scales[most_blocks * most_rows];
    int32_t corrections[most_blocks * most_rows];
    for (int i = 0; i < blocks; i++)
        for (int row = 0; row < count; row += value_rows) {
            const struct value_blocks *four = values + (size_t)(row / value_rows) * blocks + i;
            __m256i sums = _mm256_setzero_si256();
            for (int eight = 0; eight < 4; eight++) sums = sum_bytes(sums, four->bytes + eight * value_rows * 8);
            sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0xb1));
            sums = _mm256_permutevar8x32_epi32(sums, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
            _mm_storeu_si128((__m128i *)(corrections + i * count + row), corrections_of(_mm256_castsi256_si128(sums)));
            _mm_storeu_ps(scales + i * count + row, _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)four->scales)));
        }
    for (int group = 0; group < groups; group++, weights += blocks) {
        __m512 sums[most_rows];
#pragma GCC unroll 16
        for (int row = 0; row < count; row++) sums[row] = _mm512_setzero_ps();
        for (int i = 0; i < blocks; i++) {
            const struct weights these = load_weights(weights + i);
#pragma GCC unroll 16
            for (int row = 0; row < count; row++) {
                const int8_t *bytes = values[(size_t)(row / value_rows) * blocks + i].bytes + row % value_rows * 8;
                const int at = i * count + row;
                sums[row] = add_block(sums[row], &these, bytes, value_rows * 8, scales[at], corrections[at]);
            }
        }
#pragma GCC unroll 16
        for (int row = 0; row < count; row++) store_rows(to + row * stride + group * weight_rows, sums[row]);
    }
}

DEFINE_QUANTIZED_PRODUCTS(q4_0_8x8_q8_0)
#endif
