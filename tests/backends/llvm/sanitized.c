/* Threads that use the team of workers and the blocks of memory at the same time, to be compiled with sanitizers.

   The program ends with 0 where each part of each region was computed once and no block was given out twice. */

#include "_blocks.h"
#include "_team.h"

#include <assert.h>
#include <stdio.h>

#define CALLERS 4
#define PARTS 300
#define ARRAYS 12

static void count(void *counts, int64_t part, int64_t parts)
{
    assert(part < parts);
    ((int64_t *)counts)[part]++; /* two threads that compute one part are a race */
}

static void *call_regions(void *argument)
{
    unsigned seed = (unsigned)(intptr_t)argument;
    int64_t counts[PARTS];
    for (int turn = 0; turn < ROUNDS; turn++) {
        int64_t parts = rand_r(&seed) % (PARTS + 1);
        memset(counts, 0, sizeof counts);
        compute_parts(count, counts, parts, 1 + rand_r(&seed) % 4, rand_r(&seed) % 100000);
        for (int64_t part = 0; part < PARTS; part++)
            assert(counts[part] == (part < parts));
        if (turn % 50 == 0) {
            struct timespec pause = {0, 2000000};
            nanosleep(&pause, NULL); /* the workers fall asleep */
        }
    }
    return NULL;
}

static void *use_memory(void *argument)
{
    unsigned seed = (unsigned)(intptr_t)argument;
    unsigned char *arrays[ARRAYS] = {NULL};
    size_t sizes[ARRAYS] = {0};
    for (int turn = 0; turn < ROUNDS; turn++) {
        int i = rand_r(&seed) % ARRAYS;
        size_t size = (size_t)rand_r(&seed) % 100000;
        for (size_t k = 0; arrays[i] != NULL && k < sizes[i]; k += 997)
            assert(arrays[i][k] == (unsigned char)((uintptr_t)arrays[i] >> 6));
        if (arrays[i] != NULL && rand_r(&seed) % 3 == 0) {
            arrays[i] = blocks_realloc(NULL, arrays[i], size);
        }
        else {
            blocks_free(NULL, arrays[i], sizes[i]);
            arrays[i] = rand_r(&seed) % 2 ? blocks_malloc(NULL, size) : blocks_calloc(NULL, size, 1);
        }
        assert(arrays[i] != NULL && (uintptr_t)arrays[i] % HEAD_SIZE == 0);
        memset(arrays[i], (unsigned char)((uintptr_t)arrays[i] >> 6), size);
        sizes[i] = size;
        if (turn % 100 == 0)
            atomic_store(&limit_bytes, (size_t)rand_r(&seed) % 4000000);
        if (turn % 300 == 0)
            trim(0);
    }
    for (int i = 0; i < ARRAYS; i++)
        blocks_free(NULL, arrays[i], sizes[i]);
    return NULL;
}

int main(void)
{
    pthread_t callers[CALLERS], users[CALLERS];
    assert(blocks_malloc(NULL, MAX_BYTES + 1) == NULL && blocks_calloc(NULL, MAX_BYTES, 16) == NULL);
    recover_blocks();
    for (int round = 0; round < 3; round++) {
        assert(start_workers(3) == 3);
        for (intptr_t i = 0; i < CALLERS; i++) {
            pthread_create(&callers[i], NULL, call_regions, (void *)(i + 1));
            pthread_create(&users[i], NULL, use_memory, (void *)(i + 100));
        }
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(callers[i], NULL);
            pthread_join(users[i], NULL);
        }
        assert(stop_workers() && atomic_load(&team.workers) == 0);
        trim(0);
        assert(atomic_load(&used_bytes) == 0 && atomic_load(&held_bytes) == 0);
    }
    puts("complete");
    return 0;
}
