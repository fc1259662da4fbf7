/* Memory for NumPy's arrays that is reused: the functions of a handler as NEP 49 describes it.

   A block is a mapping of its own: a head of 64 bytes, then the array's elements. A block that an array gives back is kept
   in a table of few entries and serves the next array of about its size. The table's least recently used blocks are
   unmapped where it is full or holds more than the limit. Smaller memory comes from the C library, which is fast there.

   No function waits but for the limit's sake: a thread that finds the table in use takes memory from the system and gives
   it back there.

   The file needs POSIX and C11, and nothing of Python: it is also compiled with sanitizers. */

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Number of blocks that the table holds at most. */
#define MAX_BLOCKS 64

/* Bytes before an array's elements, and their alignment. */
#define HEAD_SIZE 64

/* Number of bytes from which on memory is a block. */
#define MIN_BLOCK ((size_t)1 << 14)

/* Number of bytes from which on the system is asked for huge pages. */
#define MIN_HUGE ((size_t)1 << 22)

/* Number of bytes beyond which nothing is tried. */
#define MAX_BYTES ((size_t)1 << 60)

typedef struct {
    size_t capacity; /* of the mapping; 0 for memory of the C library */
    size_t size;     /* bytes for the array */
} block_head;

static struct {
    block_head *block;
    uint64_t last_use;
} table[MAX_BLOCKS];

static uint64_t uses;
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

/* Take the most recently used block of a capacity out of the table, or the least recently used one where the capacity is
   0. Return NULL if there is none. Needs the lock. */
static block_head *withdraw(size_t capacity)
{
    int best = -1;
    for (int index = 0; index < MAX_BLOCKS; index++) {
        if (table[index].block == NULL || (capacity && table[index].block->capacity != capacity))
            continue;
        if (best < 0 || (table[index].last_use > table[best].last_use) == (capacity != 0))
            best = index;
    }
    if (best < 0)
        return NULL;
    block_head *block = table[best].block;
    table[best].block = NULL;
    atomic_fetch_sub(&held_bytes, block->capacity);
    return block;
}

/* Unmap the least recently used blocks until the table holds at most `bound` bytes. Needs the lock. */
static void evict(size_t bound)
{
    block_head *block;
    while (atomic_load(&held_bytes) > bound && (block = withdraw(0)) != NULL)
        munmap(block, block->capacity);
}

/* Put a block into the table, whose limit is `limit` bytes. Needs the lock. */
static void deposit(block_head *block, size_t limit)
{
    int index = 0;
    evict(limit - block->capacity);
    while (index < MAX_BLOCKS && table[index].block != NULL)
        index++;
    if (index == MAX_BLOCKS) {
        block_head *oldest = withdraw(0);
        munmap(oldest, oldest->capacity);
        for (index = 0; table[index].block != NULL;)
            index++;
    }
    table[index].block = block;
    table[index].last_use = ++uses;
    atomic_fetch_add(&held_bytes, block->capacity);
}

/* Unmap the least recently used blocks until the table holds at most `bound` bytes. */
static void trim(size_t bound)
{
    while (!try_lock())
        sched_yield();
    evict(bound);
    unlock();
}

/* In a child process: forget the table if another thread of the parent was changing it. */
static void recover_table(void)
{
    if (!try_lock()) {
        memset(table, 0, sizeof table);
        atomic_store(&held_bytes, 0);
    }
    unlock();
}

static block_head *map(size_t capacity)
{
    void *block = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (block == MAP_FAILED) {
        trim(0); /* what the table holds may be what is missing */
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
            block = withdraw(capacity);
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
        deposit(block, limit);
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
