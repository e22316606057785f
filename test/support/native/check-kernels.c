/*
 * Compares the matrix products of native/kernels-*.c, which this is linked with, with other ones: check-kernels <one of
 * ggml's libraries for the CPU>. That library does the rest, and calls those functions as it does in the engine.
 *
 * Prints what was compared; ends with 1 at the first difference and with 2 if the processor can't run the library.
 */
#include "kernels.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool uses_own_products = true;

static void *library;

static void end(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    exit(1);
}

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) end("the library has no %s", name);
    return found;
}

enum { type_f32 = 0, type_f16 = 1, type_q4_0 = 2, type_q4_k = 12 };
static const char *const type_names[] = {[type_f16] = "F16", [type_q4_0] = "Q4_0", [type_q4_k] = "Q4_K"};

struct memory_options {
    size_t bytes;
    void *at;
    bool no_data;
};

static struct {
    void *(*init)(struct memory_options);
    void (*free)(void *);
    void *(*matrices)(void *, int, int64_t, int64_t, int64_t);
    void *(*data)(const void *);
    void *(*multiply)(void *, void *, void *);
    void *(*new_graph)(void *);
    void (*expand)(void *, void *);
    int (*compute)(void *, void *, int);
    size_t (*convert)(int, const float *, void *, int64_t, int64_t, int64_t, const float *);
    void *(*repacking)(void);
    void *(*allocate)(void *, void *);
    void (*free_buffer)(void *);
    void (*set)(void *, const void *, size_t, size_t);
} ggml;

static const struct {
    const char *name;
    void *target;
} functions[] = {
    {"ggml_init", &ggml.init},
    {"ggml_free", &ggml.free},
    {"ggml_new_tensor_3d", &ggml.matrices},
    {"ggml_get_data", &ggml.data},
    {"ggml_mul_mat", &ggml.multiply},
    {"ggml_new_graph", &ggml.new_graph},
    {"ggml_build_forward_expand", &ggml.expand},
    {"ggml_graph_compute_with_ctx", &ggml.compute},
    {"ggml_quantize_chunk", &ggml.convert},
    {"_Z35ggml_backend_cpu_repack_buffer_typev", &ggml.repacking},
    {"ggml_backend_alloc_ctx_tensors_from_buft", &ggml.allocate},
    {"ggml_backend_buffer_free", &ggml.free_buffer},
    {"ggml_backend_tensor_set", &ggml.set},
};

/* From -1 to 1. */
static float random_number(void) {
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (int32_t)state / 2147483648.0f;
}

static float *random_numbers(size_t count) {
    float *numbers = malloc(count * sizeof *numbers);
    for (size_t i = 0; i < count; i++) numbers[i] = random_number();
    return numbers;
}

/* Some matrices of weights, each of which is multiplied by columns of its own. */
struct shape {
    int length, rows, columns, threads, matrices;
};

/* The products of one column after the other: computed by ggml, which may repack the weights before. */
static float *product_of(struct shape shape, int type, const void *weights, size_t bytes, const float *values, bool repacks) {
    void *const data = ggml.init((struct memory_options){.bytes = 16 << 20});
    void *const descriptions = ggml.init((struct memory_options){.bytes = 1 << 20, .no_data = true});
    void *const matrix = ggml.matrices(repacks ? descriptions : data, type, shape.length, shape.rows, shape.matrices);
    void *const buffer = repacks ? ggml.allocate(descriptions, ggml.repacking()) : NULL;
    if (repacks)
        ggml.set(matrix, weights, 0, bytes);
    else
        memcpy(ggml.data(matrix), weights, bytes);
    void *const columns = ggml.matrices(data, type_f32, shape.length, shape.columns, shape.matrices);
    memcpy(ggml.data(columns), values, sizeof *values * shape.length * shape.columns * shape.matrices);
    void *const products = ggml.multiply(data, matrix, columns), *const graph = ggml.new_graph(data);
    ggml.expand(graph, products);
    if (ggml.compute(data, graph, shape.threads) != 0) end("a product was not computed");
    const size_t size = sizeof(float) * shape.rows * shape.columns * shape.matrices;
    float *found = memcpy(malloc(size), ggml.data(products), size);
    if (repacks) ggml.free_buffer(buffer);
    ggml.free(descriptions);
    ggml.free(data);
    return found;
}

static void expect_near(const float *found, const float *expected, struct shape shape, int type, double tolerance) {
    const size_t count = (size_t)shape.rows * shape.columns * shape.matrices;
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(expected[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(found[i] - expected[i]) <= most * tolerance))
            end("%s, %d x %d numbers in each of %d rows by %d columns: %g instead of %g at %zu", type_names[type], shape.matrices,
                shape.length, shape.rows, shape.columns, found[i], expected[i], i);
    printf("%s, %d x %d numbers in each of %d rows by %d columns, %d threads\n", type_names[type], shape.matrices, shape.length,
           shape.rows, shape.columns, shape.threads);
}

/*
 * Compares with ggml's product of weights that were not repacked, which is computed in other functions; and, where it is computed
 * here, each column with the same column alone, bit for bit: of weights in Q4_K, ggml's differ.
 */
static void check_quantized(int type, struct shape shape, const void *weights, size_t bytes, const float *values, bool is_own) {
    float *const found = product_of(shape, type, weights, bytes, values, true);
    float *const expected = product_of(shape, type, weights, bytes, values, false);
    expect_near(found, expected, shape, type, 1e-5);
    for (int column = 0; is_own && column < shape.columns; column++) {
        const struct shape one = {shape.length, shape.rows, .columns = 1, .threads = 1, .matrices = 1};
        float *const alone = product_of(one, type, weights, bytes, values + (size_t)column * shape.length, true);
        if (memcmp(alone, found + (size_t)column * shape.rows, sizeof *alone * shape.rows) != 0)
            end("column %d of %d differs when it is computed alone", column, shape.columns);
        free(alone);
    }
    free(found), free(expected);
}

/* Weights in F16, beside a product in double precision. ggml converts values to F16, which is less precise. */
static void check_halves(struct shape shape, bool is_own) {
    const size_t count = (size_t)shape.length * shape.rows * shape.matrices;
    float *const numbers = random_numbers(count), *const values = random_numbers((size_t)shape.length * shape.columns * shape.matrices);
    uint16_t *const weights = malloc(count * sizeof *weights);
    /* Multiples of 1/1024, which F16 has as they are. */
    for (size_t i = 0; i < count; i++) numbers[i] = roundf(numbers[i] * 1024) / 1024;
    ggml.convert(type_f16, numbers, weights, 0, (int64_t)shape.rows * shape.matrices, shape.length, NULL);
    float *const found = product_of(shape, type_f16, weights, count * sizeof *weights, values, false);
    float *const expected = malloc(sizeof *expected * shape.rows * shape.columns * shape.matrices);
    for (int column = 0; column < shape.columns * shape.matrices; column++)
        for (int row = 0; row < shape.rows; row++) {
            const size_t of_matrix = (size_t)(column / shape.columns) * shape.rows;
            double sum = 0;
            for (int at = 0; at < shape.length; at++)
                sum += (double)numbers[(of_matrix + row) * shape.length + at] * values[(size_t)column * shape.length + at];
            expected[(size_t)column * shape.rows + row] = sum;
        }
    expect_near(found, expected, shape, type_f16, is_own ? 1e-6 : 1e-3);
    free(numbers), free(values), free(weights), free(found), free(expected);
}

static void ignore(int level, const char *text, void *data) { (void)level, (void)text, (void)data; }

int main(int count, char **given) {
    library = count < 2 ? NULL : dlopen(given[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) end("check-kernels <library>: %s", count < 2 ? "none given" : dlerror());
    int (*score)(void) = dlsym(library, "ggml_backend_score");
    if (score != NULL && score() == 0) return 2;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = function(functions[i].name);
        memcpy(functions[i].target, &found, sizeof found);
    }
    void (*init)(void) = function("ggml_cpu_init");
    void (*set_log)(void (*)(int, const char *, void *), void *) = function("ggml_log_set");
    int (*has_avx2)(void) = function("ggml_cpu_has_avx2");
    init();
    set_log(ignore, NULL);
    static const int columns[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 101};
    /* What is longer than 16,384 is left to ggml, which repacks for AVX2 and later only. */
    static const int quantized[][3] = {{type_q4_0, 32, 8},   {type_q4_0, 64, 40},    {type_q4_0, 576, 192},
                                       {type_q4_0, 2048, 104}, {type_q4_0, 16384, 16}, {type_q4_0, 16416, 16},
                                       {type_q4_k, 256, 8},  {type_q4_k, 512, 40},   {type_q4_k, 2048, 104},
                                       {type_q4_k, 16384, 16}, {type_q4_k, 16640, 16}};
    for (size_t i = 0; has_avx2() && i < sizeof quantized / sizeof *quantized; i++) {
        const int type = quantized[i][0], length = quantized[i][1], rows = quantized[i][2];
        /* Half a byte for each, and scales: 2 of 32, or 16 of 256. */
        const size_t count = (size_t)length * rows, bytes = count / 2 + count / 16;
        float *const numbers = random_numbers(count), *const values = random_numbers((size_t)length * 128);
        /* What has the largest products and sums, with both signs, and what has none: some rows and columns. */
        for (int at = 0; at < 2 * length; at++) {
            values[at] = at < length ? 1 : -1;
            numbers[at] = at % 32 == 0 ? 0 : at < length ? 1 : -1;
            numbers[2 * length + at] = 0;
        }
        void *const weights = malloc(bytes);
        if (ggml.convert(type, numbers, weights, 0, rows, length, NULL) != bytes) end("%s has another size", type_names[type]);
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++) {
            const struct shape shape = {length, rows, columns[j], 1 + (i + j) % 3, .matrices = 1};
            check_quantized(type, shape, weights, bytes, values, has_vnni() && length <= 16384);
        }
        free(numbers), free(values), free(weights);
    }
    /*
     * Left to ggml: lengths that are no multiple of 16, few columns, rows that do not come in eights, and fewer of those than
     * threads.
     */
    static const int halves[][3] = {{384, 192, 1}, {1536, 48, 1}, {32, 384, 1}, {16, 8, 1}, {48, 20, 1},
                                    {400, 24, 1},  {100, 32, 1},  {130, 7, 1},  {64, 72, 5}};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++) {
            const struct shape shape = {halves[i][0], halves[i][1], columns[j], 1 + (i + j) % 8, halves[i][2]};
            const bool has_parts = shape.rows % 8 == 0 && shape.rows / 8 >= shape.threads;
            check_halves(shape, has_avx512() && shape.columns >= 4 && has_parts && shape.length % 16 == 0);
        }
    return 0;
}
