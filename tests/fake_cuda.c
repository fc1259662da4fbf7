/* A stand-in for NVIDIA's driver library libcuda, as far as Triton's driver calls it: it checks handles and contexts, and
 * writes loads, unloads and launches to the file that FAKE_CUDA_LOG names. The first FAKE_CUDA_EXHAUSTED loads fail. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUCCESS 0
#define OUT_OF_MEMORY 2
#define INVALID_CONTEXT 201
#define INVALID_HANDLE 400
#define DEVICES 2
#define MODULES 1000

typedef struct { int device; } context_t;
typedef struct { context_t *context; int loaded; char name[200]; } module_t;

static context_t contexts[DEVICES] = {{0}, {1}};
static module_t modules[MODULES];
static int count, exhausted = -1;
static __thread context_t *current;

static void note(const char *what, const char *name) {
    FILE *file = fopen(getenv("FAKE_CUDA_LOG"), "a");
    fprintf(file, "%s %s\n", what, name);
    fclose(file);
}

int cuGetErrorString(int code, const char **text) {
    *text = code == OUT_OF_MEMORY ? "out of memory" : code == INVALID_HANDLE ? "invalid resource handle" : "an error";
    return SUCCESS;
}
int cuInit(unsigned flags) { return SUCCESS; }
int cuDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
int cuDeviceGetCount(int *number) { *number = DEVICES; return SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return SUCCESS; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = 227 * 1024; return SUCCESS; }
int cuCtxGetCurrent(void **context) { *context = current; return SUCCESS; }
int cuCtxSetCurrent(void *context) { current = context; return SUCCESS; }
int cuCtxGetDevice(int *device) { *device = current ? current->device : 0; return current ? SUCCESS : INVALID_CONTEXT; }
int cuCtxGetLimit(size_t *value, int limit) { *value = 0; return SUCCESS; }
int cuCtxSetLimit(int limit, size_t value) { return SUCCESS; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &contexts[device]; return SUCCESS; }
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) { *(uint64_t *)value = pointer; return SUCCESS; }
int cuStreamIsCapturing(void *stream, int *status) { *status = 0; return SUCCESS; }

int cuModuleLoadData(module_t **module, const void *image) {
    if (exhausted < 0) exhausted = getenv("FAKE_CUDA_EXHAUSTED") ? atoi(getenv("FAKE_CUDA_EXHAUSTED")) : 0;
    if (exhausted-- > 0) return OUT_OF_MEMORY;
    exhausted = 0;
    if (!current) return INVALID_CONTEXT;
    *module = &modules[count++];
    (*module)->context = current;
    (*module)->loaded = 1;
    return SUCCESS;
}
int cuModuleUnload(module_t *module) {
    if (!module->loaded) return INVALID_HANDLE;
    module->loaded = 0;
    note("unload", module->name);
    return SUCCESS;
}
int cuModuleGetFunction(module_t **function, module_t *module, const char *name) {
    strncpy(module->name, name, sizeof module->name - 1);
    note("load", name);
    *function = module;
    return SUCCESS;
}
int cuFuncGetAttribute(int *value, int attribute, module_t *function) { *value = attribute == 0 ? 1024 : 0; return SUCCESS; }
int cuFuncSetAttribute(module_t *function, int attribute, int value) { return SUCCESS; }
int cuFuncSetCacheConfig(module_t *function, int config) { return SUCCESS; }
int cuOccupancyMaxActiveClusters(int *number, module_t *function, const void *config) { *number = 1; return SUCCESS; }

typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream, *attributes;
    unsigned number;
} config_t;

/* The kernels of the test take three addresses and a number of elements. */
int cuLaunchKernelEx(const config_t *config, module_t *function, void **parameters, void **extra) {
    char text[300];
    if (!function->loaded || !current || function->context != current) return INVALID_HANDLE;
    snprintf(text, sizeof text, "%s device=%d stream=%llu grid=%u,%u,%u threads=%u out=%llu x=%llu y=%llu size=%d",
             function->name, current->device, (unsigned long long)(uintptr_t)config->stream, config->grid[0],
             config->grid[1], config->grid[2], config->block[0], *(unsigned long long *)parameters[0],
             *(unsigned long long *)parameters[1], *(unsigned long long *)parameters[2], *(int *)parameters[3]);
    note("launch", text);
    return SUCCESS;
}
