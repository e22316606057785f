/*
 * Matrix products for x64 processors with AVX-512, in place of ggml's own: of weights in Q4_0, which the starter for chat
 * has, and of weights in F16, which the starter for embeddings has. Part of the engine's extension; why it is here and
 * what it saves: docs/decisions/0024-own-matrix-products.md.
 *
 * ggml calls the three functions at the end through its linkage table, so its calls are bound to the ones here, as the
 * binding's are (engine-extension.c). What they don't compute, or not faster, they pass on. Signatures and layouts are those of
 * the pinned release; `native-kernels.test.ts` compares the results with ggml's.
 *
 * A result does not depend on how many rows are computed at once.
 */
#if defined(__x86_64__)
#define _GNU_SOURCE
#include "engine-symbols.h"
#include <immintrin.h>
#include <stddef.h>

#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c,fma")))
#define WITH_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,f16c,fma")))
#define INLINE static inline __attribute__((always_inline))

static bool has_avx512, has_vnni;

__attribute__((constructor)) static void detect_processor(void) {
    __builtin_cpu_init();
    has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
    has_vnni = has_avx512 && __builtin_cpu_supports("avx512vnni");
}

/* Weights in Q4_0: blocks of 32 in a row, of eight rows in turn. */
enum { block_length = 32, weight_rows = 8 };
/* Weights are computed with as numbers from 0 to 15. */
enum { weight_offset = 8 };

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
enum { value_rows = 4 };
struct value_blocks {
    uint16_t scales[value_rows];
    int8_t bytes[value_rows * block_length];
};

enum {
    /* What is computed per block of values before any weights: on the stack, so longer rows are ggml's. */
    most_blocks = 512,
    most_rows = 16,
};

/* 32 weights each of 8 rows, with the offset. A row has a pair of lanes of 32 bits. */
struct weights {
    __m512i eighths[4];
    __m512 scales;
};

INLINE WITH_VNNI struct weights load_weights(const struct weight_blocks *blocks) {
    const __m512i half = _mm512_set1_epi8(0x0f), sign = _mm512_set1_epi8(weight_offset);
    const __m512i pairs = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    enum { masked_then_flipped = 0x6a };
    const __m512i first = _mm512_loadu_si512(blocks->bytes), second = _mm512_loadu_si512(blocks->bytes + 64);
    const __m256 scales = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)blocks->scales));
    return (struct weights){
        .eighths = {_mm512_ternarylogic_epi32(first, half, sign, masked_then_flipped),
                    _mm512_ternarylogic_epi32(second, half, sign, masked_then_flipped),
                    _mm512_ternarylogic_epi32(_mm512_srli_epi32(first, 4), half, sign, masked_then_flipped),
                    _mm512_ternarylogic_epi32(_mm512_srli_epi32(second, 4), half, sign, masked_then_flipped)},
        .scales = _mm512_permutexvar_ps(pairs, _mm512_castps256_ps512(scales)),
    };
}

INLINE WITH_VNNI __m512 add_block(__m512 sum, const struct weights *weights, const int8_t *values, size_t stride, float scale,
                                  int32_t correction) {
    __m512i products = _mm512_set1_epi32(correction);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        int64_t eight;
        memcpy(&eight, values + i * stride, sizeof eight);
        products = _mm512_dpbusd_epi32(products, weights->eighths[i], _mm512_set1_epi64(eight));
    }
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(products), _mm512_mul_ps(weights->scales, _mm512_set1_ps(scale)), sum);
}

INLINE WITH_VNNI void store_rows(float *to, __m512 sum) {
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512 both = _mm512_add_ps(sum, _mm512_permute_ps(sum, 0xb1));
    _mm256_storeu_ps(to, _mm512_castps512_ps256(_mm512_permutexvar_ps(even, both)));
}

/* What each lane of a pair starts from because of the offset, by the sum of a block's values. */
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

static WITH_VNNI void multiply_16(int blocks, float *to, size_t stride, const struct weight_blocks *weights,
                                  const struct value_blocks *values, int groups) {
    multiply_rows(16, blocks, to, stride, weights, values, groups);
}

static WITH_VNNI void multiply_8(int blocks, float *to, size_t stride, const struct weight_blocks *weights,
                                  const struct value_blocks *values, int groups) {
    multiply_rows(8, blocks, to, stride, weights, values, groups);
}

static WITH_VNNI void multiply_4(int blocks, float *to, size_t stride, const struct weight_blocks *weights,
                                  const struct value_blocks *values, int groups) {
    multiply_rows(4, blocks, to, stride, weights, values, groups);
}

/* Weights in F16, values in F32. */
enum {
    /* How much of the weights is converted at once: with what is multiplied by it, it fits into the first cache. */
    panel_length = 384,
    panel_rows = 16,
    lanes = 16,
    most_columns = 6,
};

struct compute_params {
    int thread, threads;
    size_t work_size;
    void *work;
    void *pool;
    bool reference;
};
enum { type_f32 = 0, type_f16 = 1 };

INLINE WITH_AVX512 __m256 halves(__m512 lanes_of_16) {
    return _mm256_add_ps(_mm512_castps512_ps256(lanes_of_16), _mm512_extractf32x8_ps(lanes_of_16, 1));
}

INLINE WITH_AVX512 __m128 sums_of(const __m512 *four) {
    const __m256 eighths = _mm256_hadd_ps(_mm256_hadd_ps(halves(four[0]), halves(four[1])),
                                          _mm256_hadd_ps(halves(four[2]), halves(four[3])));
    return _mm_add_ps(_mm256_castps256_ps128(eighths), _mm256_extractf128_ps(eighths, 1));
}

/* Four rows of a panel by `columns` rows of values; `columns` is a constant where this is called. */
INLINE WITH_AVX512 void multiply_panel(int columns, int length, const float *panel, const float *values, int64_t value_stride,
                                       float *to, int64_t stride, bool adds) {
    __m512 sums[most_columns][4];
#pragma GCC unroll 6
    for (int column = 0; column < columns; column++)
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++) sums[column][row] = _mm512_setzero_ps();
    for (int at = 0; at < length; at += lanes) {
        __m512 weights[4];
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++) weights[row] = _mm512_loadu_ps(panel + row * panel_length + at);
#pragma GCC unroll 6
        for (int column = 0; column < columns; column++) {
            const __m512 value = _mm512_loadu_ps(values + column * value_stride + at);
#pragma GCC unroll 4
            for (int row = 0; row < 4; row++) sums[column][row] = _mm512_fmadd_ps(weights[row], value, sums[column][row]);
        }
    }
#pragma GCC unroll 6
    for (int column = 0; column < columns; column++) {
        __m128 four = sums_of(sums[column]);
        if (adds) four = _mm_add_ps(four, _mm_loadu_ps(to + column * stride));
        _mm_storeu_ps(to + column * stride, four);
    }
}

static WITH_AVX512 void multiply_columns(int64_t columns, int length, const float *panel, const float *values,
                                         int64_t value_stride, float *to, int64_t stride, bool adds) {
    switch (columns) {
    case 6: return multiply_panel(6, length, panel, values, value_stride, to, stride, adds);
    case 5: return multiply_panel(5, length, panel, values, value_stride, to, stride, adds);
    case 4: return multiply_panel(4, length, panel, values, value_stride, to, stride, adds);
    case 3: return multiply_panel(3, length, panel, values, value_stride, to, stride, adds);
    case 2: return multiply_panel(2, length, panel, values, value_stride, to, stride, adds);
    default: return multiply_panel(1, length, panel, values, value_stride, to, stride, adds);
    }
}

/* `rows` rows of weights, which are a multiple of four. */
static WITH_AVX512 void multiply_halves(int rows, int64_t columns, int64_t length, const uint16_t *weights, int64_t weight_stride,
                                        const float *values, int64_t value_stride, float *to, int64_t stride) {
    float panel[panel_rows * panel_length] __attribute__((aligned(64)));
    const int64_t tiles = (columns + most_columns - 1) / most_columns;
    for (int64_t from = 0; from < length; from += panel_length) {
        const int part = length - from < panel_length ? (int)(length - from) : panel_length;
        for (int row = 0; row < rows; row++)
            for (int at = 0; at < part; at += lanes) {
                const uint16_t *sixteen = weights + row * weight_stride + from + at;
                _mm512_store_ps(panel + row * panel_length + at, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)sixteen)));
            }
        for (int64_t tile = 0; tile < tiles; tile++) {
            const int64_t first = columns * tile / tiles, end = columns * (tile + 1) / tiles;
            for (int row = 0; row < rows; row += 4)
                multiply_columns(end - first, part, panel + row * panel_length, values + first * value_stride + from, value_stride,
                                 to + first * stride + row, stride, from > 0);
        }
    }
}

typedef void (*product)(int, float *, size_t, const void *, const void *, int, int);

/* to = weights * values, for one row of values; `rows` of weights. */
EXPORTED void ggml_gemv_q4_0_8x8_q8_0(int length, float *to, size_t stride, const void *weights, const void *values,
                                      int value_count, int rows) {
    static _Atomic(product) theirs;
    const int blocks = length / block_length;
    if (has_vnni && value_count == 1 && blocks <= most_blocks)
        return multiply_row(blocks, to, weights, values, rows / weight_rows);
    if (theirs == NULL) theirs = (product)in_library_of(__builtin_return_address(0), "ggml_gemv_q4_0_8x8_q8_0");
    theirs(length, to, stride, weights, values, value_count, rows);
}

/* The same for a multiple of four rows of values. */
EXPORTED void ggml_gemm_q4_0_8x8_q8_0(int length, float *to, size_t stride, const void *weights, const void *values,
                                      int value_count, int rows) {
    static _Atomic(product) theirs;
    const int blocks = length / block_length, groups = rows / weight_rows;
    if (!has_vnni || blocks > most_blocks) {
        if (theirs == NULL) theirs = (product)in_library_of(__builtin_return_address(0), "ggml_gemm_q4_0_8x8_q8_0");
        return theirs(length, to, stride, weights, values, value_count, rows);
    }
    const struct value_blocks *four = values;
    for (int row = 0; row < value_count;) {
        const int left = value_count - row, step = left >= 16 ? 16 : left >= 8 ? 8 : 4;
        (step == 16 ? multiply_16 : step == 8 ? multiply_8 : multiply_4)(blocks, to + row * stride, stride, weights, four, groups);
        four += (size_t)(step / value_rows) * blocks;
        row += step;
    }
}

typedef bool (*typed_product)(const struct compute_params *, int64_t, int64_t, int64_t, const void *, int64_t, const void *,
                              int64_t, void *, int64_t, int, int, int);

/* Each column of `to` is weights * a column of values. Called on all threads of a pool; false where ggml is to do it otherwise. */
EXPORTED bool llamafile_sgemm(const struct compute_params *params, int64_t rows, int64_t columns, int64_t length,
                              const void *weights, int64_t weight_stride, const void *values, int64_t value_stride, void *to,
                              int64_t stride, int weight_type, int value_type, int type) {
    static _Atomic(typed_product) theirs;
    static void (*_Atomic set_next)(void *, int);
    static int (*_Atomic take_next)(void *, int);
    static void (*_Atomic wait_for_all)(void *);
    const void *caller = __builtin_return_address(0);
    if (theirs == NULL) {
        set_next = (void (*)(void *, int))in_library_of(caller, "ggml_threadpool_chunk_set");
        take_next = (int (*)(void *, int))in_library_of(caller, "ggml_threadpool_chunk_add");
        wait_for_all = (void (*)(void *))in_library_of(caller, "ggml_barrier");
        theirs = (typed_product)in_library_of(caller, "llamafile_sgemm");
    }
    /* With few columns converting takes longer than it saves, and 16 rows at once leave threads without work. */
    enum { fewest_columns = 4, many_columns = 32 };
    const int at_once = columns < many_columns ? panel_rows / 2 : panel_rows;
    if (!has_avx512 || weight_type != type_f16 || value_type != type_f32 || type != type_f32 || columns < fewest_columns ||
        rows % at_once != 0 || length % lanes != 0)
        return theirs(params, rows, columns, length, weights, weight_stride, values, value_stride, to, stride, weight_type,
                      value_type, type);
    if (params->thread == 0) set_next(params->pool, params->threads);
    wait_for_all(params->pool);
    for (int64_t part = params->thread; part < rows / at_once; part = take_next(params->pool, 1)) {
        const int64_t row = part * at_once;
        multiply_halves(at_once, columns, length, (const uint16_t *)weights + row * weight_stride, weight_stride, values,
                        value_stride, (float *)to + row, stride);
    }
    wait_for_all(params->pool);
    return true;
}
#endif
