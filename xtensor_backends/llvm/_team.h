/* A team of worker threads that compute the parts of a job together with the thread that calls.

   The parts are spread over slots. A thread takes a slot by setting its flag from 1 to 0 in one atomic exchange, so that
   each slot is taken once, whoever comes and however late. A thread that has taken a slot keeps the region alive until it
   adds the slot to `finished`: only then does the caller return and may the next region begin. A worker that comes too
   late, or never, finds no flag set; the caller computes what nobody has taken. One region runs at a time: a caller that
   finds another one running computes alone.

   Workers wait for `generation`, which each region increments: first in a loop that keeps their core, then in one that
   yields it, then asleep. A worker counts itself in `sleepers` before it reads `generation` a last time, and a caller
   increments `generation` before it reads `sleepers`, so that one of them sees the other.

   A worker begins at a slot of its own, so that in consecutive regions over the same operands each thread finds its share
   in its own cache. It takes over the caller's rounding mode and treatment of subnormal numbers with each slot, so that
   equal operands give equal results wherever they lie.

   Linux may wake a worker on the processor of the caller, which computes and so keeps the worker from running for
   milliseconds: an exponential of 1e6 numbers after a pause of 4 ms took 0.87 ms on two cores, and takes 0.51 ms where a
   caller that wakes a few workers takes its own processor from their sets of processors first. Each takes it back
   when it has computed.

   The file needs POSIX threads, C11 and, on Linux, _GNU_SOURCE, and nothing of Python: it is also compiled with
   sanitizers. */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* Bound of the number of slots, and so of threads. */
#define MAX_THREADS 256

/* Nanoseconds for which a worker waits for the next region in a loop that keeps its core, and afterwards in one that
   yields it. A program calls kernels in series with pauses of less than a millisecond: without the second time,
   operations of 400 KB to 2 MB took 1.1 to 2 times NumPy's time where calls of other libraries lay between them, and 0.4
   to 0.9 with it. A worker that kept its core for all of it slowed these libraries' threads down by a factor of 3. */
#define SPIN_TIME 50000
#define YIELD_TIME 1000000

/* Nanoseconds of work for which sleeping workers are woken, of one region or of a series of regions with pauses of at
   most MAX_PAUSE. Waking costs the caller 20 to 60 microseconds. */
#define WAKE_TIME 50000
#define MAX_PAUSE 100000

/* Number of workers up to which they are kept from the caller's processor, at a microsecond for each: a system with more
   processors finds one that is idle. */
#define MAX_KEPT_OFF 7

/* Turns of a waiting loop between two readings of the clock. */
#define TURNS 32

typedef void (*job_function)(void *arguments, int64_t part, int64_t parts);

/* Fields that different threads write stand in different cache lines. */
static struct {
    _Alignas(128) atomic_int owned; /* 1 while a region runs, or the workers are stopped */
    atomic_int workers;
    _Alignas(128) _Atomic(int64_t) slots, threads; /* of the region; a late worker reads them */
    job_function job;
    void *arguments;
    int64_t parts;
    uint64_t control; /* the caller's floating-point control register */
    _Atomic(int64_t) alone, ended; /* work of the last regions without the sleeping workers, and when they ended */
    _Alignas(128) _Atomic(uint32_t) generation;
    atomic_int stopping;
    _Alignas(128) atomic_int sleepers;
    _Alignas(128) _Atomic(int64_t) finished;
    _Alignas(128) atomic_int flags[MAX_THREADS];
} team = {.threads = 1};

/* How workers sleep: each until its own `asleep` is false, which `mutex` guards. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[MAX_THREADS];
static bool asleep[MAX_THREADS];
static pthread_t handles[MAX_THREADS];

#ifdef __linux__
static pthread_t sleeping[MAX_THREADS];   /* guarded by `mutex` */
static cpu_set_t processors[MAX_THREADS]; /* of workers that were kept off one */
static bool kept_off[MAX_THREADS];
#endif

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void pause_core(void)
{
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline uint64_t floating_point_control(void)
{
    uint64_t control = 0;
#if defined(__x86_64__)
    control = _mm_getcsr();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
#endif
    return control;
}

static inline void set_floating_point_control(uint64_t control)
{
#if defined(__x86_64__)
    _mm_setcsr((unsigned)control);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#else
    (void)control;
#endif
}

/* Take slots and compute their parts until no flag is set. Return the number of slots taken. */
static int64_t take_slots(int64_t index)
{
    int64_t slots = atomic_load_explicit(&team.slots, memory_order_relaxed);
    int64_t threads = atomic_load_explicit(&team.threads, memory_order_relaxed);
    int64_t begin = index * slots / threads, taken = 0;
    for (int64_t offset = 0; offset < slots; offset++) {
        int64_t slot = (begin + offset) % slots;
        if (!atomic_load_explicit(&team.flags[slot], memory_order_relaxed)
            || !atomic_exchange_explicit(&team.flags[slot], 0, memory_order_acquire))
            continue;
        /* The slot belongs to the current region, which may be a later one than that of `slots`. */
        int64_t parts = team.parts, divisor = atomic_load_explicit(&team.slots, memory_order_relaxed);
        set_floating_point_control(team.control);
        for (int64_t part = slot * parts / divisor; part < (slot + 1) * parts / divisor; part++)
            team.job(team.arguments, part, parts);
        taken++;
    }
    return taken;
}

/* Wait until `generation` is not `seen`, for a time. Return whether it has changed. */
static bool wait_awake(uint32_t seen)
{
    int64_t start = now(), passed = 0;
    while (passed < SPIN_TIME + YIELD_TIME) {
        for (int turn = 0; turn < (passed < SPIN_TIME ? TURNS : 1); turn++) {
            if (atomic_load_explicit(&team.generation, memory_order_acquire) != seen)
                return true;
            pause_core();
        }
        if (passed >= SPIN_TIME)
            sched_yield();
        passed = now() - start;
    }
    return false;
}

/* Keep a worker that is woken off the caller's processor. Needs the mutex. */
static void keep_off(int64_t index)
{
#ifdef __linux__
    cpu_set_t others;
    int processor = sched_getcpu();
    if (processor < 0 || processor >= CPU_SETSIZE
        || pthread_getaffinity_np(sleeping[index], sizeof others, &processors[index]) != 0)
        return;
    others = processors[index];
    CPU_CLR(processor, &others);
    kept_off[index] = pthread_setaffinity_np(sleeping[index], sizeof others, &others) == 0; /* an empty set is refused */
#else
    (void)index;
#endif
}

static void take_processors_back(int64_t index)
{
#ifdef __linux__
    if (kept_off[index])
        pthread_setaffinity_np(pthread_self(), sizeof processors[index], &processors[index]);
    kept_off[index] = false;
#else
    (void)index;
#endif
}

static void wait_asleep(int64_t index, uint32_t seen)
{
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&team.sleepers, 1);
    if (atomic_load(&team.generation) != seen) {
        atomic_fetch_sub(&team.sleepers, 1);
    }
    else {
#ifdef __linux__
        sleeping[index] = pthread_self();
#endif
        asleep[index] = true;
        while (asleep[index])
            pthread_cond_wait(&conditions[index], &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

/* Begin a generation, for which at most `count` of the sleeping workers are woken. */
static void announce(int64_t count)
{
    int64_t woken[MAX_THREADS], number = 0;
    atomic_fetch_add(&team.generation, 1);
    if (atomic_load(&team.sleepers) == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (int64_t index = 1; index < MAX_THREADS && number < count; index++)
        if (asleep[index]) {
            asleep[index] = false;
            if (atomic_load_explicit(&team.workers, memory_order_relaxed) <= MAX_KEPT_OFF)
                keep_off(index);
            woken[number++] = index;
        }
    /* Until they run, which may take longer than several regions, no other caller pays for waking them again. */
    atomic_fetch_sub(&team.sleepers, (int)number);
    pthread_mutex_unlock(&mutex);
    while (number > 0)
        pthread_cond_signal(&conditions[woken[--number]]);
}

static void *work(void *argument)
{
    int64_t index = (intptr_t)argument;
    for (;;) {
        uint32_t seen = atomic_load_explicit(&team.generation, memory_order_acquire);
        if (atomic_load_explicit(&team.stopping, memory_order_acquire))
            return NULL;
        int64_t taken = take_slots(index);
        if (taken > 0)
            atomic_fetch_add_explicit(&team.finished, taken, memory_order_release);
        take_processors_back(index);
        if (!wait_awake(seen))
            wait_asleep(index, seen);
    }
}

static void compute_alone(job_function job, void *arguments, int64_t parts)
{
    for (int64_t part = 0; part < parts; part++)
        job(arguments, part, parts);
}

/* Whether workers that sleep are left to sleep, for a region whose work one thread does in some nanoseconds. */
static bool is_too_short(int64_t nanoseconds)
{
    if (nanoseconds >= WAKE_TIME || atomic_load_explicit(&team.sleepers, memory_order_relaxed) == 0)
        return false;
    int64_t pause = now() - atomic_load_explicit(&team.ended, memory_order_relaxed);
    int64_t before = pause < MAX_PAUSE ? atomic_load_explicit(&team.alone, memory_order_relaxed) : 0;
    bool too_short = before + nanoseconds < WAKE_TIME;
    atomic_store_explicit(&team.alone, too_short ? before + nanoseconds : 0, memory_order_relaxed);
    return too_short;
}

/* Compute job(arguments, part, parts) for each part on at most `threads` threads. One thread takes `nanoseconds`, about. */
static void compute_parts(job_function job, void *arguments, int64_t parts, int64_t threads, int64_t nanoseconds)
{
    int expected = 0;
    int64_t all = atomic_load_explicit(&team.workers, memory_order_relaxed) + 1;
    int64_t most = all < threads ? all : threads, computing = most < parts ? most : parts;
    if (is_too_short(nanoseconds)) {
        compute_alone(job, arguments, parts);
        atomic_store_explicit(&team.ended, now(), memory_order_relaxed);
        return;
    }
    if (computing < 2
        || !atomic_compare_exchange_strong_explicit(
            &team.owned, &expected, 1, memory_order_acquire, memory_order_relaxed)) {
        compute_alone(job, arguments, parts);
        return;
    }
    /* With a limit below the number of threads there are as many slots as threads may run, so that no more do. */
    int64_t wanted = threads < all ? computing : parts, slots = wanted < MAX_THREADS ? wanted : MAX_THREADS;
    team.job = job;
    team.arguments = arguments;
    team.parts = parts;
    team.control = floating_point_control();
    atomic_store_explicit(&team.slots, slots, memory_order_relaxed);
    atomic_store_explicit(&team.threads, most, memory_order_relaxed);
    atomic_store_explicit(&team.finished, 0, memory_order_relaxed);
    for (int64_t slot = 0; slot < slots; slot++)
        atomic_store_explicit(&team.flags[slot], 1, memory_order_release);
    announce(computing - 1);
    int64_t others = slots - take_slots(0), start = now();
    for (int64_t turn = 1; atomic_load_explicit(&team.finished, memory_order_acquire) != others; turn++) {
        pause_core();
        if (turn % TURNS == 0 && now() - start > SPIN_TIME)
            sched_yield(); /* a worker that was taken from its core with a slot in hand needs one to go on */
    }
    atomic_store_explicit(&team.owned, 0, memory_order_release);
}

/* Start workers until there are `number`. Return how many there are: the system may refuse one. */
static int start_workers(int number)
{
    sigset_t signals, before;
    int count = atomic_load(&team.workers);
    /* A worker must not take a signal for which another thread waits; a new thread inherits the mask. */
    sigfillset(&signals);
    sigdelset(&signals, SIGSEGV);
    sigdelset(&signals, SIGBUS);
    sigdelset(&signals, SIGFPE);
    sigdelset(&signals, SIGILL);
    pthread_sigmask(SIG_SETMASK, &signals, &before);
    for (; count < number && count < MAX_THREADS - 1; count++) {
        pthread_cond_init(&conditions[count + 1], NULL);
        if (pthread_create(&handles[count + 1], NULL, work, (void *)(intptr_t)(count + 1)) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atomic_store(&team.workers, count);
    return count;
}

/* Forget all workers: after they have ended, or in a child process, which has none. */
static void forget_workers(void)
{
    pthread_mutex_init(&mutex, NULL);
    for (int64_t index = 0; index < MAX_THREADS; index++) {
        asleep[index] = false;
#ifdef __linux__
        kept_off[index] = false;
#endif
        atomic_store(&team.flags[index], 0);
    }
    atomic_store(&team.workers, 0);
    atomic_store(&team.stopping, 0);
    atomic_store(&team.sleepers, 0);
    atomic_store(&team.owned, 0);
}

/* End the workers, unless a region runs. Return whether none is left. */
static bool stop_workers(void)
{
    int expected = 0, count = atomic_load(&team.workers);
    if (!atomic_compare_exchange_strong(&team.owned, &expected, 1))
        return false;
    atomic_store_explicit(&team.stopping, 1, memory_order_release);
    announce(MAX_THREADS);
    for (int index = 1; index <= count; index++)
        pthread_join(handles[index], NULL);
    forget_workers();
    return true;
}
