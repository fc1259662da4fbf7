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

/* The interface that `_runtime.py` is written for. */
#define INTERFACE 1

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
    recover_table();
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

static PyObject *empty(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *before = PyDataMem_SetHandler(handler_capsule), *array, *type, *value, *traceback;
    if (before == NULL)
        return NULL;
    array = PyObject_Vectorcall(numpy_empty, arguments, (size_t)count, NULL);
    PyErr_Fetch(&type, &value, &traceback);
    Py_XDECREF(PyDataMem_SetHandler(before));
    Py_DECREF(before);
    PyErr_Restore(type, value, traceback);
    return array;
}
#endif

static PyMethodDef methods[] = {
    {"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL,
     "Call the kernel at an address with addresses of arrays, floats and integers."},
    {"call_unlocked", (PyCFunction)(void (*)(void))call_unlocked, METH_FASTCALL,
     "Call the kernel at an address with addresses of arrays, floats and integers, while other threads of Python run."},
    {"adjacent", (PyCFunction)(void (*)(void))adjacent, METH_FASTCALL,
     "Return the size of arrays of one shape whose elements are adjacent, or -1."},
    {"parallel", parallel, METH_VARARGS, "Compute job(arguments, part, parts) for each part."},
#ifndef _WIN32
    {"start", start, METH_O, "Start workers until there are so many; return how many there are."},
    {"stop", stop, METH_NOARGS, "End the workers, unless a region runs; return whether none is left."},
    {"recover", recover, METH_NOARGS, "Forget what a forked process does not have."},
    {"held", held, METH_NOARGS, "Return the number of bytes that no array uses and that are not given back."},
    {"used", used, METH_NOARGS, "Return the number of bytes of the blocks that arrays use."},
    {"limit", limit, METH_NOARGS, "Return the bound of held()."},
    {"set_limit", set_limit, METH_O, "Set the bound of held()."},
    {"release", release, METH_NOARGS, "Give the memory that no array uses back to the system."},
    {"empty", (PyCFunction)(void (*)(void))empty, METH_FASTCALL, "Return a new array as numpy.empty does."},
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
        || PyModule_AddIntMacro(module, MAX_BLOCKS) < 0 || PyModule_AddIntMacro(module, MAX_THREADS) < 0)
        goto failed;
#endif
    return module;
failed:
    Py_DECREF(module);
    return NULL;
}
