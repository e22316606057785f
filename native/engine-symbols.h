/* How the engine's extension finds functions of llama.cpp's libraries that it takes the place of. */
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* The function of that name in the library that called, whatever name it was bound to. */
static inline void *in_library_of(const void *caller, const char *name) {
    Dl_info info;
    void *library = dladdr(caller, &info) == 0 ? NULL : dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return library == NULL ? NULL : dlsym(library, name);
}
