/*
 * What the embedded engine needs of llama.cpp and its binding does not offer: threads that stay between two steps, the
 * vectors of all inputs of a batch, and sampling from the logits where they are. Built for Linux where there is a C
 * compiler; without it the engine runs as well, slower (docs/decisions/0022-own-engine-extension.md).
 *
 * It is loaded before the binding, with its symbols global. The binding calls `llama_n_threads` and `llama_free` in
 * another library, so its calls are bound to the ones here, which pass them on. The first tells which context a handle
 * of the binding stands for, without knowledge of the binding's objects; the second is where a context's threads are
 * returned. Everything else is found by name in the libraries that the binding has loaded, with the signatures of the
 * release that it is pinned to.
 *
 * Threads come in pools, of exactly as many as compute: a larger one would wake up all of its threads for each graph.
 * Pools belong to one context, or to several that never compute at the same time, until these are freed: ggml pauses the
 * one that a context used before, whoever else computes with it by then.
 *
 * Contexts are created and freed on libuv's threads, everything else happens on the main thread; one lock covers it all.
 */
#define _GNU_SOURCE
#include "engine-symbols.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Node-API, which is the same for all versions of Node. */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
enum { napi_ok = 0, napi_int32_array = 5, napi_float32_array = 7, napi_float64_array = 8 };

int napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
int napi_set_named_property(napi_env, napi_value, const char *, napi_value);
int napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
int napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
int napi_get_value_int32(napi_env, napi_value, int32_t *);
int napi_get_typedarray_info(napi_env, napi_value, int *, size_t *, void **, napi_value *, size_t *);
int napi_create_int32(napi_env, int32_t, napi_value *);
int napi_create_arraybuffer(napi_env, size_t, void **, napi_value *);
int napi_create_typedarray(napi_env, int, size_t, napi_value, size_t, napi_value *);
int napi_throw_error(napi_env, const char *, const char *);

/* llama.cpp, of the pinned release. */
struct llama_context;
struct ggml_threadpool;
struct ggml_threadpool_params {
    bool cpumask[512];
    int n_threads;
    int prio;
    uint32_t poll;
    bool strict_cpu;
    bool paused;
};
enum { cpu_device = 0, pooling_none = 0, pooling_rank = 4 };

static struct {
    int32_t (*n_threads)(const struct llama_context *);
    void (*set_n_threads)(struct llama_context *, int32_t, int32_t);
    void (*free_context)(struct llama_context *);
    void (*attach)(struct llama_context *, struct ggml_threadpool *, struct ggml_threadpool *);
    float *(*vector_of_sequence)(struct llama_context *, int32_t);
    float *(*vector_of_token)(struct llama_context *, int32_t);
    int (*pooling)(const struct llama_context *);
    const void *(*model)(const struct llama_context *);
    int32_t (*model_dimensions)(const void *);
    uint32_t (*model_classes)(const void *);
    const void *(*model_vocabulary)(const void *);
    int32_t (*vocabulary_size)(const void *);
    float *(*logits)(struct llama_context *, int32_t);
    void *(*device_by_type)(int);
    void *(*device_registry)(void *);
    void *(*proc_address)(void *, const char *);
    void (*pool_params)(struct ggml_threadpool_params *, int);
} llama;

static const struct {
    const char *name;
    void *target;
} symbols[] = {
    {"llama_n_threads", &llama.n_threads},
    {"llama_set_n_threads", &llama.set_n_threads},
    {"llama_free", &llama.free_context},
    {"llama_attach_threadpool", &llama.attach},
    {"llama_get_embeddings_seq", &llama.vector_of_sequence},
    {"llama_get_embeddings_ith", &llama.vector_of_token},
    {"llama_pooling_type", &llama.pooling},
    {"llama_get_model", &llama.model},
    {"llama_model_n_embd_out", &llama.model_dimensions},
    {"llama_model_n_cls_out", &llama.model_classes},
    {"llama_model_get_vocab", &llama.model_vocabulary},
    {"llama_vocab_n_tokens", &llama.vocabulary_size},
    {"llama_get_logits_ith", &llama.logits},
    {"ggml_backend_dev_by_type", &llama.device_by_type},
    {"ggml_backend_dev_backend_reg", &llama.device_registry},
    {"ggml_backend_reg_get_proc_address", &llama.proc_address},
    {"ggml_threadpool_params_init", &llama.pool_params},
};

struct pool {
    struct ggml_threadpool *threads;
    int count;
    struct pool *next;
};

struct pools {
    struct pool *first;
    int contexts;
};

struct context {
    int32_t id;
    struct llama_context *native;
    struct pools *pools;
    struct context *next;
};

enum {
    /* One is the thread that asks. */
    fewest_pooled = 2,
    /* Of all pools: there may be dozens of contexts. What has none computes with threads that ggml starts for each graph. */
    most_pooled = 512,
    /* How long they spin for the next graph before they sleep, for ggml: milliseconds, as there are between two steps. */
    poll_level = 1,
};

/* For the matrix products (kernels.h): not before it is certain that this is the native code that they are for. */
bool uses_own_products = false;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;
static int pooled;
static int32_t last_id;
/* The context that was last asked for its threads; only used on the main thread. */
static struct llama_context *asked;

/* The functions of the CPU's library: which one of several that is is decided when the binding starts. */
static void *cpu_function(const char *name) {
    void *device = llama.device_by_type(cpu_device);
    return device == NULL ? NULL : llama.proc_address(llama.device_registry(device), name);
}

static struct pool *new_pool(int count) {
    struct ggml_threadpool *(*create)(struct ggml_threadpool_params *) = cpu_function("ggml_threadpool_new");
    struct pool *pool = create == NULL || pooled + count > most_pooled ? NULL : malloc(sizeof *pool);
    if (pool == NULL) return NULL;
    struct ggml_threadpool_params params;
    llama.pool_params(&params, count);
    params.poll = poll_level;
    pool->threads = create(&params);
    pool->count = count;
    pool->next = NULL;
    pooled += count;
    return pool;
}

/* Null where it computes without one. */
static struct ggml_threadpool *pool_of(struct context *context, int count) {
    if (count < fewest_pooled) return NULL;
    struct pool **at = &context->pools->first;
    while (*at != NULL && (*at)->count != count) at = &(*at)->next;
    if (*at == NULL) *at = new_pool(count);
    return *at == NULL ? NULL : (*at)->threads;
}

static void free_context(struct context *context) {
    struct pools *pools = context->pools;
    free(context);
    if (--pools->contexts > 0) return;
    void (*destroy)(struct ggml_threadpool *) = cpu_function("ggml_threadpool_free");
    while (pools->first != NULL) {
        struct pool *pool = pools->first;
        pools->first = pool->next;
        pooled -= pool->count;
        destroy(pool->threads);
        free(pool);
    }
    free(pools);
}

/* Where `open` failed, calls are passed on all the same. */
EXPORTED int32_t llama_n_threads(struct llama_context *context) {
    if (llama.n_threads == NULL) llama.n_threads = in_library_of(__builtin_return_address(0), "llama_n_threads");
    asked = context;
    return llama.n_threads(context);
}

EXPORTED void llama_free(struct llama_context *native) {
    if (llama.free_context == NULL) llama.free_context = in_library_of(__builtin_return_address(0), "llama_free");
    llama.free_context(native);
    pthread_mutex_lock(&lock);
    for (struct context **at = &contexts; *at != NULL; at = &(*at)->next) {
        if ((*at)->native != native) continue;
        struct context *context = *at;
        *at = context->next;
        free_context(context);
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* Whether others that call a function of this name reach the one in this file. */
static bool is_reached(const char *name) {
    Dl_info found, own;
    void *function = dlsym(RTLD_DEFAULT, name);
    return function != NULL && dladdr(function, &found) != 0 && dladdr(&lock, &own) != 0 && found.dli_fbase == own.dli_fbase;
}

static napi_value fail(napi_env env, const char *message) {
    napi_throw_error(env, NULL, message);
    return NULL;
}

static bool arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
    size_t given = count;
    return napi_get_cb_info(env, info, &given, values, NULL, NULL) == napi_ok && given >= count;
}

static struct context *find(napi_env env, napi_value value) {
    int32_t id = 0;
    napi_get_value_int32(env, value, &id);
    struct context *context = contexts;
    while (context != NULL && context->id != id) context = context->next;
    return context;
}

/* open(path of the loaded binding): before any context is created. */
static napi_value open_binding(napi_env env, napi_callback_info info) {
    napi_value path_value;
    char path[4096];
    size_t length;
    if (!arguments(env, info, 1, &path_value) ||
        napi_get_value_string_utf8(env, path_value, path, sizeof path, &length) != napi_ok)
        return fail(env, "open takes the path of the binding");
    void *binding = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (binding == NULL) return fail(env, "the binding is not loaded");
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        /* In the binding and what it was linked with, so never the functions of the same name above. */
        void *found = dlsym(binding, symbols[i].name);
        if (found == NULL) missing = symbols[i].name;
        memcpy(symbols[i].target, &found, sizeof found);
    }
    if (missing != NULL) return fail(env, missing);
    if (!is_reached("llama_n_threads") || !is_reached("llama_free")) return fail(env, "the binding's calls are not seen");
    struct ggml_threadpool_params params;
    memset(&params, 0xff, sizeof params);
    llama.pool_params(&params, 7);
    if (params.n_threads != 7 || params.prio != 0 || params.poll > 100 || params.strict_cpu || params.paused)
        return fail(env, "threads are described in another way than this was built for");
    uses_own_products = true;
    return NULL;
}

/*
 * adopt(other): the context that was last asked for its threads, from now on known by the number that is returned. It
 * shares the threads of the other one, if that is not 0.
 */
static napi_value adopt(napi_env env, napi_callback_info info) {
    napi_value other;
    if (!arguments(env, info, 1, &other)) return fail(env, "adopt takes a context or 0");
    struct context *context = asked == NULL ? NULL : calloc(1, sizeof *context);
    if (context == NULL) return fail(env, "the binding's calls are not seen");
    pthread_mutex_lock(&lock);
    struct context *sharing = find(env, other);
    context->pools = sharing != NULL ? sharing->pools : calloc(1, sizeof *context->pools);
    if (context->pools == NULL) {
        pthread_mutex_unlock(&lock);
        free(context);
        return fail(env, "there is no memory for a context");
    }
    context->pools->contexts++;
    context->id = ++last_id;
    context->native = asked;
    context->next = contexts;
    contexts = context;
    pthread_mutex_unlock(&lock);
    asked = NULL;
    napi_value id = NULL;
    napi_create_int32(env, context->id, &id);
    return id;
}

/* setThreads(context, threads): not while it computes. */
static napi_value set_threads(napi_env env, napi_callback_info info) {
    napi_value values[2];
    int32_t threads;
    if (!arguments(env, info, 2, values) || napi_get_value_int32(env, values[1], &threads) != napi_ok || threads < 1)
        return fail(env, "setThreads takes a context and threads");
    pthread_mutex_lock(&lock);
    struct context *context = find(env, values[0]);
    if (context != NULL) {
        llama.attach(context->native, pool_of(context, threads), NULL);
        llama.set_n_threads(context->native, threads, threads);
    }
    pthread_mutex_unlock(&lock);
    return context == NULL ? fail(env, "there is no such context") : NULL;
}

static struct llama_context *native_of(napi_env env, napi_value id) {
    pthread_mutex_lock(&lock);
    struct context *context = find(env, id);
    pthread_mutex_unlock(&lock);
    return context == NULL ? NULL : context->native;
}

static bool typed_array(napi_env env, napi_value value, int wanted, size_t *length, void *data) {
    int type;
    return napi_get_typedarray_info(env, value, &type, length, data, NULL, NULL) == napi_ok && type == wanted;
}

/*
 * vectors(context, last): what the last batch was computed to, one vector after the other in a Float32Array. The inputs
 * are the sequences from 0 on; `last` has the place of the last token of each in the batch.
 */
static napi_value vectors(napi_env env, napi_callback_info info) {
    napi_value values[2];
    size_t inputs;
    const int32_t *last;
    if (!arguments(env, info, 2, values) || !typed_array(env, values[1], napi_int32_array, &inputs, &last))
        return fail(env, "vectors takes a context and an Int32Array");
    struct llama_context *native = native_of(env, values[0]);
    if (native == NULL) return fail(env, "there is no such context");
    const int pooling = llama.pooling(native);
    const void *model = llama.model(native);
    const size_t length = pooling == pooling_rank ? llama.model_classes(model) : (size_t)llama.model_dimensions(model);
    void *data = NULL;
    napi_value buffer, result = NULL;
    if (napi_create_arraybuffer(env, inputs * length * sizeof(float), &data, &buffer) != napi_ok) return NULL;
    for (size_t i = 0; i < inputs; i++) {
        const float *vector = pooling == pooling_none ? llama.vector_of_token(native, last[i])
                                                      : llama.vector_of_sequence(native, (int32_t)i);
        if (vector == NULL) return fail(env, "there is no vector");
        memcpy((float *)data + i * length, vector, length * sizeof(float));
    }
    napi_create_typedarray(env, napi_float32_array, inputs * length, buffer, 0, &result);
    return result;
}

/* How a token is chosen; the fields in the order in which JavaScript has them. */
struct sampling {
    double temperature;
    double min_p;
    double top_p;
    double repeat_penalty;
    double frequency_penalty;
    double presence_penalty;
    double seed;
    /* Tokens that were sampled with the seed before. */
    double drawn;
};

struct candidate {
    int32_t token;
    float weight;
};

struct change {
    int32_t token;
    float before;
};

/* For the largest vocabulary so far; only used on the main thread. */
static struct candidate *candidates;
static struct change *changes;
static size_t room;

static bool make_room(size_t tokens) {
    if (tokens <= room) return true;
    free(candidates);
    free(changes);
    candidates = malloc(tokens * sizeof *candidates);
    /* Each token may be biased, and penalised besides. */
    changes = malloc(2 * tokens * sizeof *changes);
    room = candidates == NULL || changes == NULL ? 0 : tokens;
    return room > 0;
}

/* Eight at a time, which compilers turn into vector instructions. */
static float largest(const float *logits, size_t size) {
    float largest_of[8];
    for (size_t lane = 0; lane < 8; lane++) largest_of[lane] = -INFINITY;
    size_t at = 0;
    for (; at + 8 <= size; at += 8)
        for (size_t lane = 0; lane < 8; lane++)
            largest_of[lane] = logits[at + lane] > largest_of[lane] ? logits[at + lane] : largest_of[lane];
    for (; at < size; at++) largest_of[0] = logits[at] > largest_of[0] ? logits[at] : largest_of[0];
    for (size_t lane = 1; lane < 8; lane++)
        largest_of[0] = largest_of[lane] > largest_of[0] ? largest_of[lane] : largest_of[0];
    return largest_of[0];
}

static int32_t first_with(float logit, const float *logits, size_t size) {
    for (size_t at = 0; at < size; at++)
        if (logits[at] == logit) return (int32_t)at;
    return -1;
}

/* In [0, 1), the same for the same numbers (SplitMix64). */
static double uniform(uint32_t seed, uint32_t drawn) {
    uint64_t bits = (((uint64_t)seed << 32) | drawn) + 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return (double)((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

static double weight_of(size_t from, size_t to) {
    double sum = 0;
    for (size_t at = from; at < to; at++) sum += candidates[at].weight;
    return sum;
}

static void swap(size_t one, size_t other) {
    const struct candidate held = candidates[one];
    candidates[one] = candidates[other];
    candidates[other] = held;
}

/*
 * Brings the smallest set of candidates that weighs so much to the front, and returns how many they are. As quickselect
 * does: only the part in which the set ends is looked at again.
 */
static size_t heaviest(size_t count, double wanted) {
    size_t from = 0, to = count;
    while (to - from > 1) {
        const float pivot = candidates[from + (to - from) / 2].weight;
        /* From `from`: what is heavier, what weighs the same, what is not looked at yet, what is lighter. */
        size_t same = from, next = from, lighter = to;
        double heavier_sum = 0;
        while (next < lighter) {
            const float weight = candidates[next].weight;
            if (weight > pivot) {
                heavier_sum += weight;
                swap(same++, next++);
            } else if (weight < pivot) {
                swap(next, --lighter);
            } else {
                next++;
            }
        }
        if (same > from && heavier_sum >= wanted) {
            to = same;
            continue;
        }
        wanted -= heavier_sum;
        for (from = same; from < lighter; from++) {
            wanted -= pivot;
            if (wanted <= 0) return from + 1;
        }
    }
    return to;
}

static int32_t draw(const float *logits, size_t size, const struct sampling *how) {
    const float top = largest(logits, size);
    if (how->temperature <= 0) return first_with(top, logits, size);
    const float least = how->min_p > 0 ? top + logf((float)how->min_p) : -INFINITY;
    const float scale = (float)(1 / how->temperature);
    size_t count = 0;
    for (size_t at = 0; at < size; at++) {
        if (!(logits[at] >= least)) continue;
        candidates[count++] = (struct candidate){(int32_t)at, expf((logits[at] - top) * scale)};
    }
    if (how->top_p < 1) count = heaviest(count, how->top_p * weight_of(0, count));
    double left = uniform((uint32_t)how->seed, (uint32_t)how->drawn) * weight_of(0, count);
    int32_t chosen = -1;
    for (size_t at = 0; at < count && left >= 0; at++) {
        if (candidates[at].weight <= 0) continue;
        chosen = candidates[at].token;
        left -= candidates[at].weight;
    }
    return chosen;
}

/*
 * sample(context, place, how, seen, biases): the token that follows the one at this place in the last batch; -1 when there
 * is nothing to choose from. `how` is a Float64Array, see above. `seen` has the tokens that are penalised, each with how
 * often it was sampled, in an Int32Array, `biases` those that are biased, each with its bias, in a Float64Array.
 *
 * The logits are changed where they are, and changed back: others may be sampled from the same.
 */
static napi_value sample(napi_env env, napi_callback_info info) {
    napi_value values[5], result = NULL;
    int32_t place;
    size_t fields, seen_length, biases_length;
    const struct sampling *how;
    const int32_t *seen;
    const double *biases;
    if (!arguments(env, info, 5, values) || napi_get_value_int32(env, values[1], &place) != napi_ok ||
        !typed_array(env, values[2], napi_float64_array, &fields, &how) || fields != sizeof *how / sizeof(double) ||
        !typed_array(env, values[3], napi_int32_array, &seen_length, &seen) ||
        !typed_array(env, values[4], napi_float64_array, &biases_length, &biases))
        return fail(env, "sample takes a context, a place, how to sample, tokens and biases");
    struct llama_context *native = native_of(env, values[0]);
    if (native == NULL) return fail(env, "there is no such context");
    const size_t size = (size_t)llama.vocabulary_size(llama.model_vocabulary(llama.model(native)));
    float *logits = llama.logits(native, place);
    if (logits == NULL) return fail(env, "there are no logits");
    if (seen_length / 2 > size || biases_length / 2 > size || !make_room(size)) return fail(env, "there is no room");
    size_t changed = 0;
    for (size_t at = 0; at + 1 < biases_length; at += 2) {
        const int32_t token = (int32_t)biases[at];
        if (token < 0 || (size_t)token >= size) continue;
        changes[changed++] = (struct change){token, logits[token]};
        logits[token] += (float)biases[at + 1];
    }
    const float repeat = (float)how->repeat_penalty, presence = (float)how->presence_penalty;
    for (size_t at = 0; at + 1 < seen_length; at += 2) {
        const int32_t token = seen[at];
        if (token < 0 || (size_t)token >= size) continue;
        changes[changed++] = (struct change){token, logits[token]};
        if (logits[token] <= 0) logits[token] *= repeat;
        else logits[token] /= repeat;
        logits[token] -= (float)seen[at + 1] * (float)how->frequency_penalty + presence;
    }
    const int32_t token = draw(logits, size, how);
    while (changed > 0) {
        changed--;
        logits[changes[changed].token] = changes[changed].before;
    }
    napi_create_int32(env, token, &result);
    return result;
}

EXPORTED napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    static const struct {
        const char *name;
        napi_callback function;
    } functions[] = {
        {"open", open_binding},
        {"adopt", adopt},
        {"setThreads", set_threads},
        {"vectors", vectors},
        {"sample", sample},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        napi_value function;
        napi_create_function(env, functions[i].name, (size_t)-1, functions[i].function, NULL, &function);
        napi_set_named_property(env, exports, functions[i].name, function);
    }
    return exports;
}
