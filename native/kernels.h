/*
 * What the engine's own matrix products have in common. They are for x64 processors with AVX-512, part of the engine's
 * extension, and take the place of ggml's: why, and what they save, is in docs/decisions/0024-own-matrix-products.md.
 *
 * ggml calls its functions through its linkage table, so its calls are bound to the ones of the same names here, as the binding's
 * are (engine-extension.c). What they don't compute, or not faster, they pass on. Signatures and layouts are those of the
 * pinned release; `native-kernels.test.ts` compares the results with ggml's.
 *
 * The result of a row of quantized weights is the same to the last bit however many rows of values are computed at once.
 */
#pragma once
#define _GNU_SOURCE
#include "engine-symbols.h"
#include <immintrin.h>
#include <stddef.h>

#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,f16c,fma"
#define WITH_AVX512 __attribute__((target(AVX512)))
#define WITH_VNNI __attribute__((target(AVX512 ",avx512vnni")))
#define INLINE static inline __attribute__((always_inline))

/* Whether the extension is used. */
extern bool uses_own_products;

INLINE bool has_avx512(void) {
    return uses_own_products && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

INLINE bool has_vnni(void) { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }

/*
 * Products of quantized weights: ggml has repacked them so that blocks of eight rows take turns, 8 bytes of each. Values are
 * either one row, or four rows that take turns in the same way.
 */
enum { weight_rows = 8, value_rows = 4, most_rows = 16 };

/* ggml's: length, to, stride between rows of `to`, weights, values, rows of values, rows of weights. */
typedef void (*product)(int, float *, size_t, const void *, const void *, int, int);
/* For that many rows of values, and groups of eight rows of weights. */
struct rows_product {
    int rows;
    void (*multiply)(int blocks, float *to, size_t stride, const void *weights, const void *values, int groups);
};

/* For a multiple of four rows of values; `size` is that of a block of four. */
static inline void multiply_all(const struct rows_product *products, size_t size, int blocks, float *to, size_t stride,
                                const void *weights, const char *values, int value_count, int groups) {
    for (int row = 0; row < value_count; row += products->rows) {
        while (products->rows > value_count - row) products++;
        products->multiply(blocks, to + row * stride, stride, weights, values, groups);
        values += size * blocks * (products->rows / value_rows);
    }
}

/* Calls the function of that name where the call came from: what is called there without this extension. */
#define PASS_ON(name, ...)                                                                                                     \
    do {                                                                                                                       \
        static _Atomic(product) theirs;                                                                                        \
        if (theirs == NULL) theirs = (product)in_library_of(__builtin_return_address(0), name);                                \
        theirs(__VA_ARGS__);                                                                                                   \
    } while (0)

/* `multiply_rows` for one number of rows, with sums in registers. */
#define DEFINE_ROWS_PRODUCT(count)                                                                                             \
    static WITH_VNNI void multiply_##count(int blocks, float *to, size_t stride, const void *weights, const void *values,      \
                                           int groups) {                                                                       \
        multiply_rows(count, blocks, to, stride, weights, values, groups);                                                     \
    }

/*
 * ggml's two functions for one layout, `ggml_gemv_<layout>` and `ggml_gemm_<layout>`: to = weights * values, for one row of values
 * and for a multiple of four, by `multiply_row` and `multiply_rows` of the file.
 */
#define DEFINE_QUANTIZED_PRODUCTS(layout)                                                                                      \
    DEFINE_ROWS_PRODUCT(4)                                                                                                     \
    DEFINE_ROWS_PRODUCT(8)                                                                                                     \
    DEFINE_ROWS_PRODUCT(16)                                                                                                    \
                                                                                                                               \
    EXPORTED void ggml_gemv_##layout(int length, float *to, size_t stride, const void *weights, const void *values,            \
                                     int value_count, int rows) {                                                              \
        const int blocks = length / block_length;                                                                              \
        if (has_vnni() && value_count == 1 && blocks <= most_blocks)                                                           \
            multiply_row(blocks, to, weights, values, rows / weight_rows);                                                     \
        else                                                                                                                   \
            PASS_ON("ggml_gemv_" #layout, length, to, stride, weights, values, value_count, rows);                             \
    }                                                                                                                          \
                                                                                                                               \
    EXPORTED void ggml_gemm_##layout(int length, float *to, size_t stride, const void *weights, const void *values,            \
                                     int value_count, int rows) {                                                              \
        static const struct rows_product products[] = {{16, multiply_16}, {8, multiply_8}, {4, multiply_4}};                   \
        const int blocks = length / block_length;                                                                              \
        if (has_vnni() && blocks <= most_blocks)                                                                               \
            multiply_all(products, sizeof(struct value_blocks), blocks, to, stride, weights, values, value_count,              \
                         rows / weight_rows);                                                                                  \
        else                                                                                                                   \
            PASS_ON("ggml_gemm_" #layout, length, to, stride, weights, values, value_count, rows);                             \
    }

/* A row of weights has two lanes, one beside the other. */
INLINE WITH_AVX512 __m512 for_both_lanes(const uint16_t *halves) {
    const __m512i pairs = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    const __m256 rows = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)halves));
    return _mm512_permutexvar_ps(pairs, _mm512_castps256_ps512(rows));
}

INLINE WITH_AVX512 void store_rows(float *to, __m512 lanes) {
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512 both = _mm512_add_ps(lanes, _mm512_permute_ps(lanes, 0xb1));
    _mm256_storeu_ps(to, _mm512_castps512_ps256(_mm512_permutexvar_ps(even, both)));
}

/* Four times 8 weights of each row, as numbers without a sign, by four times 8 values, which are `stride` bytes apart. */
INLINE WITH_VNNI __m512i add_products(__m512i lanes, const __m512i *weights, const int8_t *values, size_t stride) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        int64_t eight;
        memcpy(&eight, values + i * stride, sizeof eight);
        lanes = _mm512_dpbusd_epi32(lanes, weights[i], _mm512_set1_epi64(eight));
    }
    return lanes;
}
