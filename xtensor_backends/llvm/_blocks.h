/* Memory for NumPy's arrays that is reused: the functions of a handler as NEP 49 describes it.

   A block is a mapping of its own: a head of 64 bytes, then the array's elements. A block that an array gives back is kept
   and serves the next array of about its size. The least recently used blocks are unmapped where there are too many or
   they hold more than the limit. Smaller memory comes from the C library, which is fast there.

   No function waits but for the limit's sake: a thread that finds the blocks in use takes memory from the system and
   gives it back there.

   The file needs POSIX and C11, and nothing of Python: it is also compiled with sanitizers. */

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Number of blocks that are kept at most; a process has 65,530 mappings. */
#define MAX_BLOCKS 4096

/* Bytes before an array's elements, and their alignment. */
#define HEAD_SIZE 64

/* Number of bytes from which on memory is a block. */
#define MIN_BLOCK ((size_t)1 << 14)

/* Number of bytes from which on the system is asked for huge pages. */
#define MIN_HUGE ((size_t)1 << 22)

/* Number of bytes beyond which nothing is tried. */
#define MAX_BYTES ((size_t)1 << 60)

/* Number of different capacities of mappings: eight in each octave. */
#define MAX_CAPACITIES (8 * 64)

enum lists { OF_CAPACITY, OF_ALL, LISTS };

typedef struct block_head {
    size_t capacity; /* of the mapping; 0 for memory of the C library */
    size_t size;     /* bytes for the array */
    struct block_head *newer[LISTS], *older[LISTS]; /* its neighbours among the kept blocks */
} block_head;

_Static_assert(sizeof(block_head) <= HEAD_SIZE, "the fields have room in the head");

/* The kept blocks from the one that was given back first to the last. */
typedef struct {
    block_head *oldest, *newest;
} list;

static list of_capacity[MAX_CAPACITIES], of_all;
static int kept_blocks;

static atomic_flag in_use = ATOMIC_FLAG_INIT;
static atomic_size_t held_bytes, used_bytes, limit_bytes;

static bool try_lock(void)
{
    return !atomic_flag_test_and_set_explicit(&in_use, memory_order_acquire);
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&in_use, memory_order_release);
}

/* The size of a mapping for `size` bytes: one of eight in each octave, so that arrays of similar sizes share blocks. */
static size_t capacity_for(size_t size)
{
    size_t need = size + HEAD_SIZE, step = 4096;
    while (step * 16 <= need)
        step *= 2;
    return (need + step - 1) / step * step;
}

/* The list of the blocks of a capacity. */
static list *list_of(size_t capacity)
{
    size_t step = 4096, octave = 0;
    for (; step * 16 <= capacity; step *= 2)
        octave++;
    return &of_capacity[octave * 8 + capacity / step];
}

static void append(list *blocks, block_head *block, enum lists which)
{
    block->older[which] = blocks->newest;
    block->newer[which] = NULL;
    *(blocks->newest == NULL ? &blocks->oldest : &blocks->newest->newer[which]) = block;
    blocks->newest = block;
}

static void take_out(list *blocks, block_head *block, enum lists which)
{
    block_head *older = block->older[which], *newer = block->newer[which];
    *(older == NULL ? &blocks->oldest : &older->newer[which]) = newer;
    *(newer == NULL ? &blocks->newest : &newer->older[which]) = older;
}

/* Keep a block. Needs the lock. */
static void keep(block_head *block)
{
    append(list_of(block->capacity), block, OF_CAPACITY);
    append(&of_all, block, OF_ALL);
    kept_blocks++;
    atomic_fetch_add(&held_bytes, block->capacity);
}

/* Keep a block no longer; return it. Needs the lock. */
static block_head *withdraw(block_head *block)
{
    take_out(list_of(block->capacity), block, OF_CAPACITY);
    take_out(&of_all, block, OF_ALL);
    kept_blocks--;
    atomic_fetch_sub(&held_bytes, block->capacity);
    return block;
}

/* Unmap the least recently used blocks until `number` of them and `bound` bytes are kept at most. Needs the lock. */
static void evict(size_t bound, int number)
{
    while (of_all.oldest != NULL && (atomic_load(&held_bytes) > bound || kept_blocks > number)) {
        block_head *block = withdraw(of_all.oldest);
        munmap(block, block->capacity);
    }
}

/* Unmap the least recently used blocks until `bound` bytes are kept at most. */
static void trim(size_t bound)
{
    while (!try_lock())
        sched_yield();
    evict(bound, MAX_BLOCKS);
    unlock();
}

/* In a child process: forget the blocks if another thread of the parent was changing their lists. */
static void recover_blocks(void)
{
    if (!try_lock()) {
        memset(of_capacity, 0, sizeof of_capacity);
        of_all = (list){NULL, NULL};
        kept_blocks = 0;
        atomic_store(&held_bytes, 0);
    }
    unlock();
}

static block_head *map(size_t capacity)
{
    void *block = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (block == MAP_FAILED) {
        trim(0); /* what is kept may be what is missing */
        block = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    }
    if (block == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (capacity >= MIN_HUGE)
        madvise(block, capacity, MADV_HUGEPAGE); /* a refusal changes the speed only */
#endif
    return block;
}

static void *blocks_malloc(void *context, size_t size)
{
    (void)context;
    block_head *block = NULL;
    size_t capacity = 0;
    if (size > MAX_BYTES)
        return NULL;
    if (size < MIN_BLOCK) {
        void *memory;
        if (posix_memalign(&memory, HEAD_SIZE, size + HEAD_SIZE) != 0)
            return NULL;
        block = memory;
    }
    else {
        capacity = capacity_for(size);
        if (try_lock()) {
            block = list_of(capacity)->newest;
            block = block == NULL ? NULL : withdraw(block);
            unlock();
        }
        if (block == NULL && (block = map(capacity)) == NULL)
            return NULL;
        atomic_fetch_add_explicit(&used_bytes, capacity, memory_order_relaxed);
    }
    block->capacity = capacity;
    block->size = size;
    return (char *)block + HEAD_SIZE;
}

static void blocks_free(void *context, void *elements, size_t size)
{
    (void)context;
    (void)size;
    if (elements == NULL)
        return;
    block_head *block = (block_head *)((char *)elements - HEAD_SIZE);
    size_t limit = atomic_load_explicit(&limit_bytes, memory_order_relaxed);
    if (block->capacity == 0) {
        free(block);
        return;
    }
    atomic_fetch_sub_explicit(&used_bytes, block->capacity, memory_order_relaxed);
    if (block->capacity <= limit && try_lock()) {
        evict(limit - block->capacity, MAX_BLOCKS - 1);
        keep(block);
        unlock();
    }
    else {
        munmap(block, block->capacity);
    }
}

static void *blocks_calloc(void *context, size_t number, size_t size)
{
    if (size != 0 && number > MAX_BYTES / size)
        return NULL;
    void *elements = blocks_malloc(context, number * size);
    return elements == NULL ? NULL : memset(elements, 0, number * size);
}

static void *blocks_realloc(void *context, void *elements, size_t size)
{
    void *copy = blocks_malloc(context, size);
    if (copy != NULL && elements != NULL) {
        size_t before = ((block_head *)((char *)elements - HEAD_SIZE))->size;
        memcpy(copy, elements, before < size ? before : size);
        blocks_free(context, elements, before);
    }
    return copy;
}
