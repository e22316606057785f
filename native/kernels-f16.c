/* Weights in F16, such as the starter's for embeddings, by values in F32. */
#if defined(__x86_64__)
#include "kernels.h"

enum {
    /* How much of the weights is converted at once: it fits into the first cache. */
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
    /*
     * 16 rows at once are faster, but with few columns converting them takes longer than it saves, and every thread needs some
     * of them.
     */
    enum { fewest_columns = 4, many_columns = 32, few_rows = panel_rows / 2 };
    const bool has_many = columns >= many_columns && rows % panel_rows == 0 && rows / panel_rows >= 2 * params->threads;
    const int at_once = has_many ? panel_rows : few_rows;
    if (!has_avx512() || weight_type != type_f16 || value_type != type_f32 || type != type_f32 || columns < fewest_columns ||
        rows % few_rows != 0 || rows / few_rows < params->threads || length % lanes != 0)
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
