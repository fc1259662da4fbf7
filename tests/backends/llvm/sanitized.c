/* Threads that use the team of workers and the blocks of memory at the same time, to be compiled with sanitizers.

   The program ends with 0 where each part of each region was computed once, no block was given out twice, and each
   element of a transposed copy is at its place. */

#include "_blocks.h"
#include "_team.h"
#include "_transposed.h"

#include <assert.h>
#include <stdio.h>

#define CALLERS 4
#define PARTS 300
#define ARRAYS 12
#define AXES 4

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

/* Copy an array of random lengths, whose axes lie in memory in a random order, into row-major order. */
static void *transpose(void *argument)
{
    unsigned seed = (unsigned)(intptr_t)argument;
    for (int turn = 0; turn < ROUNDS / 4; turn++) {
        int64_t lengths[AXES], steps[AXES], size = 1, item = 1 << rand_r(&seed) % 5;
        int order[AXES];
        for (int axis = 0; axis < AXES; axis++) {
            int other = rand_r(&seed) % (axis + 1);
            order[axis] = order[other];
            order[other] = axis;
            lengths[axis] = 1 + rand_r(&seed) % (rand_r(&seed) % 3 ? 9 : 40);
            size *= lengths[axis];
        }
        for (int64_t axis = AXES - 1, step = item; axis >= 0; axis--) {
            steps[order[axis]] = step;
            step *= lengths[order[axis]];
        }
        unsigned char *source = malloc((size_t)(size * item)), *result = malloc((size_t)(size * item));
        int64_t given[AXES], moved[AXES];
        for (int64_t k = 0; k < size * item; k++)
            source[k] = (unsigned char)rand_r(&seed);
        memcpy(given, lengths, sizeof given);
        memcpy(moved, steps, sizeof moved);
        transposition copy = {.source = (char *)source, .result = (char *)result};
        if (prepare_transposition(&copy, AXES, given, moved, item)) {
            compute_parts(copy_tiles, &copy, 1 + rand_r(&seed) % 9, 1 + rand_r(&seed) % 4, 100000);
            for (int64_t k = 0; k < size; k++) {
                int64_t rest = k, place = 0;
                for (int axis = AXES - 1; axis >= 0; axis--) {
                    place += rest % lengths[axis] * steps[axis];
                    rest /= lengths[axis];
                }
                assert(memcmp(result + k * item, source + place, (size_t)item) == 0);
            }
        }
        free(source);
        free(result);
    }
    return NULL;
}

int main(void)
{
    pthread_t callers[CALLERS], users[CALLERS], copiers[CALLERS];
    assert(blocks_malloc(NULL, MAX_BYTES + 1) == NULL && blocks_calloc(NULL, MAX_BYTES, 16) == NULL);
    recover_blocks();
    for (int round = 0; round < 3; round++) {
        assert(start_workers(3) == 3);
        for (intptr_t i = 0; i < CALLERS; i++) {
            pthread_create(&callers[i], NULL, call_regions, (void *)(i + 1));
            pthread_create(&users[i], NULL, use_memory, (void *)(i + 100));
            pthread_create(&copiers[i], NULL, transpose, (void *)(i + 200));
        }
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(callers[i], NULL);
            pthread_join(users[i], NULL);
            pthread_join(copiers[i], NULL);
        }
        assert(stop_workers() && atomic_load(&team.workers) == 0);
        trim(0);
        assert(atomic_load(&used_bytes) == 0 && atomic_load(&held_bytes) == 0);
    }
    puts("complete");
    return 0;
}
