/* The part of the device cpu that is in C: calls of kernels with Python's objects, worker threads, and reused memory.

   Requirements: where the module was not built, `_runtime.py` computes the same on one thread. Windows has neither workers
   nor blocks of our own. Nothing here reads an object's fields but through the interfaces of Python and NumPy. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <stdint.h>
#include <string.h>

#ifdef _WIN32
typedef void (*job_function)(void *arguments, int64_t part, int64_t parts);

static void compute_parts(job_function job, void *arguments, int64_t parts, int64_t threads, int64_t nanoseconds)
{
    for (int64_t part = 0; part < parts; part++)
        job(arguments, part, parts);
}
#else
#include "_blocks.h"
#include "_team.h"
#endif
#include "_transposed.h"

/* The interface that `_runtime.py` is written for. */
#define INTERFACE 8

/* Bound of the number of arguments of a call: the kernel and 127 operands. */
#define MAX_OPERANDS 128

typedef int64_t (*kernel_function)(const int64_t *operands);

/* Write the operands' values. Return whether all have one; if not, an exception is set. */
static int convert(PyObject *const *arguments, Py_ssize_t count, int64_t *values)
{
    if (count < 1 || count > MAX_OPERANDS) {
        PyErr_SetString(PyExc_TypeError, "call() takes the address of a kernel and at most 127 operands");
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *x = arguments[i];
        if (PyArray_CheckExact(x)) {
            values[i] = (intptr_t)PyArray_DATA((PyArrayObject *)x);
        }
        else if (PyFloat_CheckExact(x)) {
            double number = PyFloat_AS_DOUBLE(x);
            memcpy(&values[i], &number, sizeof number);
        }
        else {
            values[i] = PyLong_AsLongLong(x);
            if (values[i] == -1 && PyErr_Occurred())
                return 0;
        }
    }
    return 1;
}

static PyObject *call(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    int64_t values[MAX_OPERANDS];
    if (!convert(arguments, count, values))
        return NULL;
    return PyLong_FromLongLong(((kernel_function)(intptr_t)values[0])(values + 1));
}

static PyObject *call_unlocked(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    int64_t values[MAX_OPERANDS], result;
    if (!convert(arguments, count, values))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = ((kernel_function)(intptr_t)values[0])(values + 1);
    Py_END_ALLOW_THREADS
    return PyLong_FromLongLong(result);
}

static PyObject *adjacent(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    int64_t size = count > 0 ? 1 : -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyArrayObject *first = (PyArrayObject *)arguments[0], *x = (PyArrayObject *)arguments[i];
        if (!PyArray_CheckExact(x) || !PyArray_CHKFLAGS(x, NPY_ARRAY_CARRAY) || PyArray_NDIM(x) != PyArray_NDIM(first)
            || !PyArray_CompareLists(PyArray_DIMS(x), PyArray_DIMS(first), PyArray_NDIM(x)))
            return PyLong_FromLong(-1);
        size = PyArray_SIZE(x);
    }
    return PyLong_FromLongLong(size);
}

static PyObject *parallel(PyObject *module, PyObject *arguments)
{
    long long job, operands, parts, threads, nanoseconds;
    if (!PyArg_ParseTuple(arguments, "LLLLL:parallel", &job, &operands, &parts, &threads, &nanoseconds))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    compute_parts((job_function)(intptr_t)job, (void *)(intptr_t)operands, parts, threads, nanoseconds);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

#ifndef _WIN32
/* Products of matrices by functions of OpenBLAS with integers of 64 bits, each of which computes a block of a result. */
typedef void (*sgemm_function)(int order, int transpose1, int transpose2, int64_t m, int64_t n, int64_t k, float alpha,
                               const void *x1, int64_t step1, const void *x2, int64_t step2, float beta, void *out,
                               int64_t step);
typedef void (*dgemm_function)(int order, int transpose1, int transpose2, int64_t m, int64_t n, int64_t k, double alpha,
                               const void *x1, int64_t step1, const void *x2, int64_t step2, double beta, void *out,
                               int64_t step);

#define ROW_MAJOR 101
#define AS_IT_IS 111
#define TRANSPOSED 112

/* Rows or columns of a result that are not divided: OpenBLAS computes with tiles of them. */
#define TILE 16

typedef struct {
    void *gemm;
    PyArrayObject *arrays[3]; /* the operands and the result, which has as many axes as one of them */
    int transposes[2];
    int64_t steps[3];
    int64_t blocks; /* of each matrix of the result: of its columns if it has more of them than rows */
} product;

/* Find how BLAS reads the matrices of an array: as they are or transposed, and by which step. Return whether it can. */
static int find_layout(PyArrayObject *x, int *transpose, int64_t *step)
{
    int last = PyArray_NDIM(x) - 1;
    int64_t size = PyArray_ITEMSIZE(x), length = PyArray_DIM(x, last), lines = PyArray_DIM(x, last - 1);
    int64_t adjacent_stride = PyArray_STRIDE(x, last), stride = PyArray_STRIDE(x, last - 1);
    *transpose = AS_IT_IS;
    if (length > 1 && adjacent_stride != size) {
        int64_t other_length = lines, other_stride = stride;
        *transpose = TRANSPOSED;
        lines = length, stride = adjacent_stride;
        length = other_length, adjacent_stride = other_stride;
    }
    *step = lines > 1 ? stride / size : length;
    return (length == 1 || adjacent_stride == size) && *step >= length && (lines == 1 || stride % size == 0);
}

/* The address of a matrix of a stack, whose missing axes and those of length 1 are broadcast. */
static char *matrix_of(PyArrayObject *x, PyArrayObject *out, int64_t number)
{
    char *address = PyArray_BYTES(x);
    int missing = PyArray_NDIM(out) - PyArray_NDIM(x);
    for (int axis = PyArray_NDIM(out) - 3; axis >= missing; axis--) {
        if (PyArray_DIM(x, axis - missing) > 1)
            address += number % PyArray_DIM(out, axis) * PyArray_STRIDE(x, axis - missing);
        number /= PyArray_DIM(out, axis);
    }
    return address;
}

static void multiply_block(void *arguments, int64_t part, int64_t parts)
{
    const product *p = arguments;
    PyArrayObject *x1 = p->arrays[0], *x2 = p->arrays[1], *out = p->arrays[2];
    int last = PyArray_NDIM(out) - 1;
    int64_t size = PyArray_ITEMSIZE(out), number = part / p->blocks, block = part % p->blocks;
    int64_t m = PyArray_DIM(out, last - 1), n = PyArray_DIM(out, last), k = PyArray_DIM(x1, PyArray_NDIM(x1) - 1);
    char *a = matrix_of(x1, out, number), *b = matrix_of(x2, out, number), *c = matrix_of(out, out, number);
    int64_t length = n > m ? n : m, tiles = (length + TILE - 1) / TILE;
    int64_t begin = block * tiles / p->blocks * TILE, end = (block + 1) * tiles / p->blocks * TILE;
    end = end < length ? end : length;
    if (n > m) {
        n = end - begin;
        b += begin * size * (p->transposes[1] == AS_IT_IS ? 1 : p->steps[1]);
        c += begin * size;
    }
    else {
        m = end - begin;
        a += begin * size * (p->transposes[0] == AS_IT_IS ? p->steps[0] : 1);
        c += begin * size * p->steps[2];
    }
    if (size == sizeof(float))
        ((sgemm_function)p->gemm)(ROW_MAJOR, p->transposes[0], p->transposes[1], m, n, k, 1, a, p->steps[0], b,
                                    p->steps[1], 0, c, p->steps[2]);
    else
        ((dgemm_function)p->gemm)(ROW_MAJOR, p->transposes[0], p->transposes[1], m, n, k, 1, a, p->steps[0], b,
                                    p->steps[1], 0, c, p->steps[2]);
}

/* Triangular systems of linear equations by functions of OpenBLAS, which solve for some columns in their place. The one
   for several columns, trsm, takes five times as long for one column as trsv: 345 and 65 microseconds for 1,000 rows. */
typedef void (*strsm_function)(int order, int side, int triangle, int transpose, int diagonal, int64_t m, int64_t n,
                               float alpha, const void *a, int64_t a_step, void *b, int64_t b_step);
typedef void (*dtrsm_function)(int order, int side, int triangle, int transpose, int diagonal, int64_t m, int64_t n,
                               double alpha, const void *a, int64_t a_step, void *b, int64_t b_step);
typedef void (*trsv_function)(int order, int triangle, int transpose, int diagonal, int64_t n, const void *a,
                              int64_t a_step, void *b, int64_t b_step);

#define LEFT 141
#define UPPER 121
#define LOWER 122
#define NON_UNIT 131
#define UNIT 132
#define FEW_COLUMNS 4

typedef struct {
    void *trsm, *trsv;
    char *a, *b;
    int64_t size, rows, columns, a_step;
    int triangle, transpose, diagonal;
} triangular_system;

static void solve_columns(void *arguments, int64_t part, int64_t parts)
{
    const triangular_system *s = arguments;
    int64_t tiles = (s->columns + TILE - 1) / TILE;
    int64_t begin = part * tiles / parts * TILE, end = (part + 1) * tiles / parts * TILE;
    char *b = s->b + begin * s->size;
    end = end < s->columns ? end : s->columns;
    if (s->columns <= FEW_COLUMNS)
        for (; begin < end; begin++, b += s->size)
            ((trsv_function)s->trsv)(ROW_MAJOR, s->triangle, s->transpose, s->diagonal, s->rows, s->a, s->a_step, b,
                                     s->columns);
    else if (s->size == sizeof(float))
        ((strsm_function)s->trsm)(ROW_MAJOR, LEFT, s->triangle, s->transpose, s->diagonal, s->rows, end - begin, 1, s->a,
                                  s->a_step, b, s->columns);
    else
        ((dtrsm_function)s->trsm)(ROW_MAJOR, LEFT, s->triangle, s->transpose, s->diagonal, s->rows, end - begin, 1, s->a,
                                  s->a_step, b, s->columns);
}

/* While threads of ours call OpenBLAS, the number of its own threads is 1, and this one is kept. */
static atomic_flag blas_is_taken = ATOMIC_FLAG_INIT;
static int blas_threads;
static void (*set_blas_threads)(int);

/* Let each call of OpenBLAS compute on the thread that calls it. Return whether no other thread does that at present. */
static int take_blas(long long get_threads, long long set_threads)
{
    if (atomic_flag_test_and_set(&blas_is_taken))
        return 0;
    blas_threads = ((int (*)(void))(intptr_t)get_threads)();
    set_blas_threads = (void (*)(int))(intptr_t)set_threads;
    set_blas_threads(1);
    return 1;
}

static void give_back_blas(void)
{
    set_blas_threads(blas_threads);
    atomic_flag_clear(&blas_is_taken);
}

/* Compute parts of a job that calls OpenBLAS; return whether no other thread does that at present. */
static int compute_by_blas(long long get_threads, long long set_threads, job_function job, void *arguments, int64_t parts,
                           int64_t threads, int64_t nanoseconds)
{
    int taken;
    Py_BEGIN_ALLOW_THREADS
    taken = take_blas(get_threads, set_threads);
    if (taken) {
        compute_parts(job, arguments, parts, threads, nanoseconds);
        give_back_blas();
    }
    Py_END_ALLOW_THREADS
    return taken;
}

static PyObject *with_one_thread(PyObject *module, PyObject *arguments)
{
    long long unused, get_threads, set_threads;
    PyObject *function, *x, *result;
    if (!PyArg_ParseTuple(arguments, "(LLL)OO:with_one_thread", &unused, &get_threads, &set_threads, &function, &x))
        return NULL;
    int taken = take_blas(get_threads, set_threads);
    result = PyObject_CallOneArg(function, x);
    if (taken)
        give_back_blas();
    return result;
}

static PyObject *multiply(PyObject *module, PyObject *arguments)
{
    product p;
    long long gemm, get_threads, set_threads, threads, nanoseconds;
    int unused, last;
    if (!PyArg_ParseTuple(arguments, "(LLL)O!O!O!LLL:multiply", &gemm, &get_threads, &set_threads, &PyArray_Type,
                          &p.arrays[0], &PyArray_Type, &p.arrays[1], &PyArray_Type, &p.arrays[2], &p.blocks, &threads,
                          &nanoseconds))
        return NULL;
    if (!find_layout(p.arrays[0], &p.transposes[0], &p.steps[0]) || !find_layout(p.arrays[1], &p.transposes[1], &p.steps[1])
        || !find_layout(p.arrays[2], &unused, &p.steps[2]))
        Py_RETURN_FALSE;
    p.gemm = (void *)(intptr_t)gemm;
    last = PyArray_NDIM(p.arrays[2]) - 1;
    int64_t matrices = PyArray_SIZE(p.arrays[2]) / (PyArray_DIM(p.arrays[2], last) * PyArray_DIM(p.arrays[2], last - 1));
    return PyBool_FromLong(
        compute_by_blas(get_threads, set_threads, multiply_block, &p, matrices * p.blocks, threads, nanoseconds));
}

static PyObject *solve(PyObject *module, PyObject *arguments)
{
    triangular_system s;
    PyArrayObject *a, *b;
    long long trsm, trsv, get_threads, set_threads, parts, threads, nanoseconds;
    int lower, unit;
    if (!PyArg_ParseTuple(arguments, "(LLL)LO!O!ppLLL:solve", &trsm, &get_threads, &set_threads, &trsv, &PyArray_Type,
                          &a, &PyArray_Type, &b, &lower, &unit, &parts, &threads, &nanoseconds))
        return NULL;
    if (!find_layout(a, &s.transpose, &s.a_step))
        Py_RETURN_FALSE;
    s.trsm = (void *)(intptr_t)trsm, s.trsv = (void *)(intptr_t)trsv;
    s.a = PyArray_BYTES(a), s.b = PyArray_BYTES(b);
    s.size = PyArray_ITEMSIZE(b), s.rows = PyArray_DIM(b, 0), s.columns = PyArray_DIM(b, 1);
    s.triangle = lower == (s.transpose == AS_IT_IS) ? LOWER : UPPER;
    s.diagonal = unit ? UNIT : NON_UNIT;
    return PyBool_FromLong(compute_by_blas(get_threads, set_threads, solve_columns, &s, parts, threads, nanoseconds));
}

static PyObject *start(PyObject *module, PyObject *number)
{
    long count = PyLong_AsLong(number);
    if (count == -1 && PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(start_workers(count < MAX_THREADS ? (int)count : MAX_THREADS));
}

static PyObject *stop(PyObject *module, PyObject *none)
{
    int stopped;
    Py_BEGIN_ALLOW_THREADS
    stopped = stop_workers();
    Py_END_ALLOW_THREADS
    return PyBool_FromLong(stopped);
}

static PyObject *recover(PyObject *module, PyObject *none)
{
    forget_workers();
    recover_blocks();
    if (atomic_flag_test_and_set(&blas_is_taken))
        set_blas_threads(blas_threads);
    atomic_flag_clear(&blas_is_taken);
    Py_RETURN_NONE;
}

static PyObject *held(PyObject *module, PyObject *none)
{
    return PyLong_FromSize_t(atomic_load(&held_bytes));
}

static PyObject *used(PyObject *module, PyObject *none)
{
    return PyLong_FromSize_t(atomic_load(&used_bytes));
}

static PyObject *limit(PyObject *module, PyObject *none)
{
    return PyLong_FromSize_t(atomic_load(&limit_bytes));
}

static PyObject *set_limit(PyObject *module, PyObject *size)
{
    size_t bound = PyLong_AsSize_t(size);
    if (bound == (size_t)-1 && PyErr_Occurred())
        return NULL;
    atomic_store(&limit_bytes, bound);
    trim(bound);
    Py_RETURN_NONE;
}

static PyObject *release(PyObject *module, PyObject *none)
{
    trim(0);
    Py_RETURN_NONE;
}

static PyDataMem_Handler handler = {
    "xtensor", 1, {NULL, blocks_malloc, blocks_calloc, blocks_realloc, blocks_free},
};
static PyObject *handler_capsule, *numpy_empty;

/* Call a function whose new arrays of NumPy have blocks as their memory. */
static PyObject *
with_blocks(PyObject *function, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    PyObject *before = PyDataMem_SetHandler(handler_capsule), *result, *type, *value, *traceback;
    if (before == NULL)
        return NULL;
    result = PyObject_Vectorcall(function, arguments, (size_t)count, keywords);
    PyErr_Fetch(&type, &value, &traceback);
    Py_XDECREF(PyDataMem_SetHandler(before));
    Py_DECREF(before);
    PyErr_Restore(type, value, traceback);
    return result;
}

static PyObject *empty(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    return with_blocks(numpy_empty, arguments, count, NULL);
}

static PyObject *reusing(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "reusing() takes a function and its arguments");
        return NULL;
    }
    return with_blocks(arguments[0], arguments + 1, count - 1, keywords);
}
#endif

/* Write the elements of an array into one of the same shape in row-major order; return whether it was done. */
static PyObject *transpose(PyObject *module, PyObject *arguments)
{
    PyArrayObject *source, *result;
    long long parts, threads, nanoseconds;
    if (!PyArg_ParseTuple(arguments, "O!O!LLL:transpose", &PyArray_Type, &source, &PyArray_Type, &result, &parts, &threads,
                          &nanoseconds))
        return NULL;
    int axes = PyArray_NDIM(source);
    int64_t item = PyArray_ITEMSIZE(source), lengths[MOST_AXES], steps[MOST_AXES];
    bool fits = axes <= MOST_AXES && axes == PyArray_NDIM(result) && item == PyArray_ITEMSIZE(result)
                && (item == 1 || item == 2 || item == 4 || item == 8 || item == 16) && PyArray_IS_C_CONTIGUOUS(result)
                && PyArray_ISWRITEABLE(result) && !PyDataType_REFCHK(PyArray_DESCR(source))
                && !PyDataType_REFCHK(PyArray_DESCR(result));
    for (int axis = 0; fits && axis < axes; axis++) {
        fits = PyArray_DIM(source, axis) == PyArray_DIM(result, axis);
        lengths[axis] = PyArray_DIM(source, axis);
        steps[axis] = PyArray_STRIDE(source, axis);
    }
    transposition copy = {.source = PyArray_BYTES(source), .result = PyArray_BYTES(result)};
    if (!fits || parts < 1 || !prepare_transposition(&copy, axes, lengths, steps, item))
        Py_RETURN_FALSE;
    Py_BEGIN_ALLOW_THREADS
    compute_parts(copy_tiles, &copy, parts < copy.tiles ? parts : copy.tiles, threads, nanoseconds);
    Py_END_ALLOW_THREADS
    Py_RETURN_TRUE;
}

static PyMethodDef methods[] = {
    {"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL,
     "Call the kernel at an address with addresses of arrays, floats and integers."},
    {"call_unlocked", (PyCFunction)(void (*)(void))call_unlocked, METH_FASTCALL,
     "Call the kernel at an address with addresses of arrays, floats and integers, while other threads of Python run."},
    {"adjacent", (PyCFunction)(void (*)(void))adjacent, METH_FASTCALL,
     "Return the size of arrays of one shape whose elements are adjacent, or -1."},
    {"parallel", parallel, METH_VARARGS, "Compute job(arguments, part, parts) for each part."},
    {"transpose", transpose, METH_VARARGS,
     "Write the elements of an array into one of the same shape in row-major order; return whether it was done."},
#ifndef _WIN32
    {"multiply", multiply, METH_VARARGS,
     "Write the products of matrices in blocks by functions of OpenBLAS; return whether it can read the operands."},
    {"with_one_thread", with_one_thread, METH_VARARGS,
     "Return function(x), which calls OpenBLAS, computed by one thread of it."},
    {"solve", solve, METH_VARARGS,
     "Solve a triangular system for columns in their place by functions of OpenBLAS; return whether it can read it."},
    {"start", start, METH_O, "Start workers until there are so many; return how many there are."},
    {"stop", stop, METH_NOARGS, "End the workers, unless a region runs; return whether none is left."},
    {"recover", recover, METH_NOARGS, "Forget what a forked process does not have."},
    {"held", held, METH_NOARGS, "Return the number of bytes that no array uses and that are not given back."},
    {"used", used, METH_NOARGS, "Return the number of bytes of the blocks that arrays use."},
    {"limit", limit, METH_NOARGS, "Return the bound of held()."},
    {"set_limit", set_limit, METH_O, "Set the bound of held()."},
    {"release", release, METH_NOARGS, "Give the memory that no array uses back to the system."},
    {"empty", (PyCFunction)(void (*)(void))empty, METH_FASTCALL, "Return a new array as numpy.empty does."},
    {"reusing", (PyCFunction)(void (*)(void))reusing, METH_FASTCALL | METH_KEYWORDS,
     "Return function(*args, **kwargs), whose new arrays have memory as those of empty()."},
#endif
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void)
{
    import_array();
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
    PyObject *address = PyLong_FromVoidPtr((void *)(intptr_t)compute_parts);
    int refused = PyModule_AddObjectRef(module, "PARALLEL", address); /* of NULL too */
    Py_XDECREF(address);
    if (refused || PyModule_AddIntMacro(module, INTERFACE) < 0)
        goto failed;
#ifndef _WIN32
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL)
        goto failed;
    numpy_empty = PyObject_GetAttrString(numpy, "empty");
    Py_DECREF(numpy);
    handler_capsule = PyCapsule_New(&handler, "mem_handler", NULL);
    if (numpy_empty == NULL || handler_capsule == NULL || PyModule_AddIntMacro(module, MIN_BLOCK) < 0
        || PyModule_AddIntMacro(module, MAX_BLOCKS) < 0 || PyModule_AddIntMacro(module, MAX_THREADS) < 0
        || PyModule_AddIntMacro(module, WAKE_TIME) < 0)
        goto failed;
#endif
    return module;
failed:
    Py_DECREF(module);
    return NULL;
}
