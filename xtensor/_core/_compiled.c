/* The short way of calls, in machine code.

   A call of an elementwise function, an operator or an index takes 200 to 250 nanoseconds in Python, and 40 to 70 here.
   This module knows the ordinary case alone: Arrays of NumPy arrays on one device, Python scalars, keys of integers,
   slices and one Array; reductions of all elements of an Array; functions of a library whose arrays are wrapped; and of
   other functions, whose arguments Python has checked, the call of the device's function.
   It calls the same function of the device's table that the Python code calls. All else goes to the Python function that
   each Function has, which computes every case: xtensor does without this module where it is missing.

   Conventions: a function that returns PyObject * returns a new reference, or NULL with an exception set. Arguments are
   borrowed, except those named `stolen`. DECLINED means that it is not
   the ordinary case and that nothing was changed, so that the Python function computes the call from its beginning. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <float.h>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

/* Raised with each change of what Python passes to this module or expects of it. */
#define INTERFACE 10

static PyObject declined;
#define DECLINED (&declined)

/* A field of an object whose class has __slots__, by its offset. */
#define FIELD(object, offset) (*(PyObject **)((char *)(object) + (offset)))

/* What bind() is told. */
static PyTypeObject *array_type;         /* the class Array */
static Py_ssize_t array_native;          /* offsets of its fields */
static Py_ssize_t array_device;
static PyTypeObject *device_type;        /* the class of the Devices that are open */
static Py_ssize_t device_table;          /* offsets of the fields of a Device */
static Py_ssize_t device_native_type;
static Py_ssize_t device_getitem;
static Py_ssize_t device_setitem;
static Py_ssize_t device_widens_float16;
static PyTypeObject *implementation_type; /* the class Implementation: what computes an operation on a device */
static Py_ssize_t implementation_function; /* offsets of its fields */
static Py_ssize_t implementation_inplace;
static Py_ssize_t implementation_kernel;
static Py_ssize_t implementation_min_size;
static Py_ssize_t implementation_min_size_without_reuse;
static Py_ssize_t implementation_inplace_kernel;
static Py_ssize_t implementation_inplace_min_size;
static PyTypeObject *operation_type;     /* the class Operation */
static Py_ssize_t operation_index;       /* offset of a field of it */
static Py_ssize_t selected;              /* indices in a device's table: elements selected by an array */
static Py_ssize_t assigned_where;        /* and a value assigned where a mask is true */
static PyObject *recover;                /* recover(error, operation, device, args, kwargs): the result after an error */
static PyObject *recover_large;          /* the same for operands of many elements */
static PyObject *recover_inplace;        /* recover_inplace(error, operation, device, array, native) */
static PyObject *adopt;                  /* adopt(native, operation, device): an Array of another kind of result */
static PyObject *find_operands;          /* find_operands(code, instruction): where an instruction has its operands */
static PyObject *leaving;                /* leaving(error): shorten the traceback of an error of a public function */
static PyObject *absolute;               /* the function abs */
static objobjargproc assign_in_python;   /* assigns to any key */
static getiterfunc iterate_in_python;    /* iterates over any Array */
static inquiry bool_in_python;           /* converts any Array */

/* -- Arrays ------------------------------------------------------------------------------------------------------ */

/* Arrays that were freed, for reuse. */
static PyObject *spare_arrays[32];
static int spare_count;

/* Frees an Array as Python's general function does, which looks for what this class does not have. */
static void
array_dealloc(PyObject *array)
{
    PyTypeObject *type = Py_TYPE(array);
    PyObject *native = FIELD(array, array_native);
    int has_weak_references = FIELD(array, type->tp_weaklistoffset) != NULL;
    if (native != NULL && PyArray_CheckExact(native) && !has_weak_references && !PyObject_GC_IsTracked(array)) {
        Py_CLEAR(FIELD(array, array_device));
        Py_CLEAR(FIELD(array, array_native)); /* which may free other Arrays, and fill the list */
        if (type == array_type && spare_count < (int)(sizeof(spare_arrays) / sizeof(spare_arrays[0]))) {
            spare_arrays[spare_count++] = array;
            return;
        }
        PyObject_GC_Del(array);
        Py_DECREF(type);
        return;
    }
    PyObject_GC_UnTrack(array);
    /* Native arrays may have other Arrays: those of derivatives, in chains of any length. */
    Py_TRASHCAN_BEGIN(array, array_dealloc);
    if (has_weak_references) {
        PyObject_ClearWeakRefs(array);
    }
    Py_CLEAR(FIELD(array, array_native));
    Py_CLEAR(FIELD(array, array_device));
    PyObject_GC_Del(array);
    Py_DECREF(type);
    Py_TRASHCAN_END;
}

/* An Array of a native array, which is stolen. */
static PyObject *
wrap(PyObject *stolen, PyObject *device)
{
    PyObject *result;
    if (PyArray_CheckExact(stolen)) {
        /* NumPy's arrays are not known to the garbage collector, so no cycle that it could free goes through them. */
        if (spare_count > 0) {
            result = spare_arrays[--spare_count];
            _Py_NewReference(result);
        }
        else {
            result = (PyObject *)PyObject_GC_New(PyObject, array_type);
            if (result != NULL) {
                memset((char *)result + sizeof(PyObject), 0, array_type->tp_basicsize - sizeof(PyObject));
            }
        }
    }
    else {
        result = array_type->tp_alloc(array_type, 0);
    }
    if (result == NULL) {
        Py_DECREF(stolen);
        return NULL;
    }
    FIELD(result, array_native) = stolen;
    FIELD(result, array_device) = Py_NewRef(device);
    return result;
}

static inline int
is_array(PyObject *value)
{
    return Py_TYPE(value) == array_type && FIELD(value, array_native) != NULL && FIELD(value, array_device) != NULL;
}

static inline int
is_number(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyComplex_Type;
}

/* Whether all fields of a device are set: one that is not open, or that a fork made unusable, has another class. */
static inline int
is_open(PyObject *device)
{
    return Py_TYPE(device) == device_type;
}

/* What computes an operation on an open device, borrowed; NULL without an exception where the device does not know the
   operation. A device keeps its implementations for as long as the process lives. */
static inline PyObject *
implementation_of(PyObject *device, Py_ssize_t index)
{
    PyObject *table = FIELD(device, device_table);
    if (table == NULL || !PyList_CheckExact(table) || index >= PyList_GET_SIZE(table)) {
        return NULL;
    }
    PyObject *item = PyList_GET_ITEM(table, index);
    return Py_TYPE(item) == implementation_type && FIELD(item, implementation_function) != NULL ? item : NULL;
}

/* Whether a number of elements is less than a field of an implementation says; true where the field is no size. */
static inline int
is_less(npy_intp size, PyObject *implementation, Py_ssize_t offset)
{
    PyObject *item = FIELD(implementation, offset);
    Py_ssize_t least = item == NULL ? -1 : PyNumber_AsSsize_t(item, NULL);
    if (least < 0) { /* what is no integer is no size */
        PyErr_Clear();
        return 1;
    }
    return size < least;
}

static inline int
is_smaller(PyObject *native, PyObject *implementation, Py_ssize_t offset)
{
    return is_less(PyArray_SIZE((PyArrayObject *)native), implementation, offset);
}

/* Whether no array has as many elements as an implementation's kernel takes. */
static inline int
is_unbounded(PyObject *implementation)
{
    PyObject *item = FIELD(implementation, implementation_min_size);
    return item != NULL && PyLong_CheckExact(item) && PyLong_AsSsize_t(item) == PY_SSIZE_T_MAX;
}

/* Whether a device is open and its native arrays are NumPy's, as this one is. */
static inline int
is_numpys(PyObject *native, PyObject *device)
{
    return PyArray_CheckExact(native) && is_open(device) &&
           FIELD(device, device_native_type) == (PyObject *)&PyArray_Type;
}

/* A 0-d array of a number of NumPy, which is stolen; DECLINED, and nothing stolen, for any other value. */
static PyObject *
array_of_scalar(PyObject *stolen)
{
    if (!PyArray_IsScalar(stolen, Number) && !PyArray_IsScalar(stolen, Bool)) {
        return DECLINED;
    }
    PyObject *result = PyArray_FromScalar(stolen, NULL);
    Py_DECREF(stolen);
    return result;
}

/* -- Functions --------------------------------------------------------------------------------------------------- */

enum kind {
    UNARY, BINARY, REFLECTED, INPLACE, GETITEM, BOUNDARY, REDUCTION, POWER, APPLY, APPLY_TO, ARGUMENT, WRAPPED, KINDS
};

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *attributes;  /* __name__, __doc__ and the others of a function */
    PyObject *weak_references;
    PyObject *python;      /* the same function in Python */
    PyObject *operation;   /* its row of the table; the settings of a REDUCTION or a WRAPPED function */
    Py_ssize_t index;      /* the operation's index in a device's table; the offset of a wrapper's field */
    enum kind kind;
    int is_operator;       /* whether Python's operators call it */
    PyObject *builtin;     /* of an in-place operator: its function of the module operator, or NULL */
    PyObject *ufunc;       /* and what it calls, at length, for NumPy's arrays */
} Function;

static PyTypeObject function_type;

/* The names of attributes that are looked up. */
enum attribute { DTYPE, NDIM, SHAPE, SIZE, DEVICE, ATTRIBUTES };
static const char *attribute_names[] = {"dtype", "ndim", "shape", "size", "device"};
static PyObject *attribute_strings[ATTRIBUTES];

/* The offset of a slot of a class; -1 with an exception where the class has no such slot. */
static Py_ssize_t
offset_of(PyObject *class, const char *name)
{
    PyObject *descriptor = PyObject_GetAttrString(class, name);
    if (descriptor == NULL) {
        return -1;
    }
    Py_ssize_t offset = -1;
    if (Py_TYPE(descriptor) == &PyMemberDescr_Type) {
        offset = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    }
    else {
        PyErr_Format(PyExc_TypeError, "%R has no slot %s", class, name);
    }
    Py_DECREF(descriptor);
    return offset;
}

/* The exception that is set, without it; an exception is set. */
static PyObject *
take_exception(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(value, traceback);
    }
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
#endif
}

#include "_temporaries.h"

/* Keep what is computed from: a callback or another thread may put another array into an operand. */
static void
keep(PyObject *const kept[3], int is_kept)
{
    for (int i = 0; i < 3; i++) {
        is_kept ? Py_XINCREF(kept[i]) : Py_XDECREF(kept[i]);
    }
}

/* -- Powers of NumPy's arrays ------------------------------------------------------------------------------------ */

/* For three exponents NumPy's operator calls these functions. */
static PyObject *numpy_square, *numpy_sqrt, *numpy_reciprocal, *numpy_power;

static PyObject *
numpy_function(PyObject *exponent)
{
    if (PyFloat_CheckExact(exponent)) {
        return PyFloat_AS_DOUBLE(exponent) == 0.5 ? numpy_sqrt : NULL;
    }
    int overflow;
    long number = PyLong_AsLongAndOverflow(exponent, &overflow);
    return number == 2 ? numpy_square : number == -1 && !overflow ? numpy_reciprocal : NULL;
}

/* Whether the exponent is 3 or 4. */
static int
is_product(PyObject *exponent)
{
    if (PyFloat_CheckExact(exponent)) {
        double number = PyFloat_AS_DOUBLE(exponent);
        return number == 3 || number == 4;
    }
    int overflow;
    long number = PyLong_AsLongAndOverflow(exponent, &overflow);
    return number == 3 || number == 4;
}

/* Whether each base has an exponent in memory of its own. Of other arrays NumPy may take square roots, which Python
   corrects. */
static int
has_own_exponents(PyArrayObject *native, PyArrayObject *exponents)
{
    int axes = PyArray_NDIM(exponents);
    if (PyArray_NDIM(native) != axes || PyArray_SIZE(exponents) < 2) {
        return 0;
    }
    for (int i = 0; i < axes; i++) {
        if (PyArray_DIM(native, i) != PyArray_DIM(exponents, i) || PyArray_STRIDE(exponents, i) == 0) {
            return 0;
        }
    }
    return 1;
}

/* Powers of booleans and float16, and those that are products, are Python's. */
static PyObject *
call_power(PyObject *native, PyObject *exponent)
{
    if (!PyArray_CheckExact(native)) {
        return DECLINED;
    }
    if (PyArray_CheckExact(exponent) && has_own_exponents((PyArrayObject *)native, (PyArrayObject *)exponent)) {
        PyObject *operands[] = {native, exponent};
        return PyObject_Vectorcall(numpy_power, operands, 2, NULL);
    }
    if (!PyLong_CheckExact(exponent) && !PyFloat_CheckExact(exponent)) {
        return DECLINED;
    }
    int type = PyArray_TYPE((PyArrayObject *)native);
    if (type == NPY_DOUBLE || type == NPY_FLOAT || type == NPY_CDOUBLE || type == NPY_CFLOAT) {
        PyObject *function = numpy_function(exponent);
        if (function != NULL) {
            return PyObject_CallOneArg(function, native);
        }
        if (is_product(exponent) && (type == NPY_DOUBLE || type == NPY_FLOAT)) {
            return DECLINED;
        }
    }
    else if (!PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type) || type == NPY_HALF) {
        return DECLINED;
    }
    return PyArray_Type.tp_as_number->nb_power(native, exponent, Py_None);
}

/* -- Computation ------------------------------------------------------------------------------------------------- */

/* What a function of Python gives after an error: the result, computed again without a warning, for example. The names
   of keyword arguments, whose values follow those of the others, are a tuple or NULL. */
static PyObject *
after_error(
    PyObject *handler, PyObject *operation, PyObject *device, PyObject *const *values, Py_ssize_t count,
    PyObject *keywords)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception)) {
        return NULL; /* KeyboardInterrupt, SystemExit */
    }
    PyObject *error = take_exception();
    PyObject *positional = PyTuple_New(count), *named = PyDict_New(), *result = NULL;
    int failed = positional == NULL || named == NULL;
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        PyTuple_SET_ITEM(positional, i, Py_NewRef(values[i]));
    }
    for (Py_ssize_t i = 0; keywords != NULL && i < PyTuple_GET_SIZE(keywords) && !failed; i++) {
        failed = PyDict_SetItem(named, PyTuple_GET_ITEM(keywords, i), values[count + i]) < 0;
    }
    if (!failed) {
        PyObject *options = keywords == NULL ? NULL : named; /* the handlers of operators take none */
        result = PyObject_CallFunctionObjArgs(handler, error, operation, device, positional, options, NULL);
    }
    Py_XDECREF(positional);
    Py_XDECREF(named);
    Py_DECREF(error);
    return result;
}

/* An Array of what a device's function gave, which is stolen. What is neither a native array nor a scalar of NumPy is left
   to Python: a scalar of another library, or an answer that the function takes no such operands. */
static PyObject *
wrap_result(PyObject *stolen, PyObject *operation, PyObject *device)
{
    PyObject *native_type = FIELD(device, device_native_type);
    if ((PyObject *)Py_TYPE(stolen) == native_type) {
        return wrap(stolen, device);
    }
    PyObject *array = native_type == (PyObject *)&PyArray_Type ? array_of_scalar(stolen) : DECLINED;
    if (array != DECLINED) {
        return array == NULL ? NULL : wrap(array, device);
    }
    PyObject *result = PyObject_CallFunctionObjArgs(adopt, stolen, operation, device, NULL);
    Py_DECREF(stolen);
    return result;
}

/* An Array of what a device's function gives for one or two operands, natives[1] and natives[2]. */
static PyObject *
compute(Function *self, PyObject *device, PyObject *implementation, Py_ssize_t count, PyObject **natives)
{
    PyObject *function = FIELD(implementation, implementation_function);
    PyObject *native = DECLINED;
    if (Py_TYPE(function) == &function_type && ((Function *)function)->kind == POWER && count == 2) {
        native = call_power(natives[1], natives[2]);
    }
    if (native == DECLINED) {
        Py_INCREF(function); /* a first call replaces it */
        native = PyObject_Vectorcall(function, natives + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        Py_DECREF(function);
    }
    if (native == NULL && (native = after_error(recover, self->operation, device, natives + 1, count, NULL)) == NULL) {
        return NULL;
    }
    return wrap_result(native, self->operation, device);
}

/* The same for operands of many elements; the result may be the owner, a temporary that is written over. DECLINED where
   it is to be computed as for few elements. */
static PyObject *
compute_large(
    Function *self, PyObject *device, PyObject *implementation, Py_ssize_t count, PyObject **natives, PyObject *owner)
{
    PyObject *spare = owner == NULL ? Py_None : FIELD(owner, array_native);
    natives[count + 1] = spare;
    PyObject *function = Py_NewRef(FIELD(implementation, implementation_kernel));
    PyObject *native = PyObject_Vectorcall(function, natives + 1, (count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(function);
    if (native == NULL) {
        native = after_error(recover_large, self->operation, device, natives + 1, count, NULL);
    }
    if (native == NULL) {
        return NULL;
    }
    if (native == spare) {
        Py_DECREF(native);
        return Py_NewRef(owner);
    }
    if (native == Py_NotImplemented) {
        Py_DECREF(native);
        return DECLINED;
    }
    return wrap_result(native, self->operation, device);
}

static PyObject *call_unary(Function *self, PyObject *x);
static PyObject *call_binary(Function *self, PyObject *x1, PyObject *x2);

/* Chooses between the two, for a device whose arrays are natives[1] and natives[2]; one of them may be a number. The
   operand `sized` is an array; the temporary is looked for among `xs`. */
static PyObject *
compute_any(
    Function *self, PyObject *device, Py_ssize_t count, PyObject **natives, PyObject *sized, PyObject *const *xs)
{
    if (!is_open(device) || (PyObject *)Py_TYPE(sized) != FIELD(device, device_native_type)) {
        return DECLINED;
    }
    PyObject *owner = NULL;
    PyObject *implementation = implementation_of(device, self->index);
    if (implementation == NULL) {
        return DECLINED;
    }
    int is_numpy = PyArray_CheckExact(sized);
    int has_kernel = FIELD(implementation, implementation_kernel) != NULL;
    int is_large = is_numpy ? has_kernel && !is_smaller(sized, implementation, implementation_min_size)
                            : !is_unbounded(implementation);
    if (is_large) {
        PyObject *state = has_kernel ? find_temporary(self, count, xs, &owner) : Py_None;
        if (state == DECLINED) {
            return count == 1 ? call_unary(self, xs[0]) : call_binary(self, xs[0], xs[1]); /* the site is known now */
        }
        if (state == NULL) {
            return NULL;
        }
        if (owner == NULL && !is_numpy) {
            return DECLINED; /* how many elements another library's array has, Python knows */
        }
        is_large = owner != NULL || !is_smaller(sized, implementation, implementation_min_size_without_reuse);
    }
    PyObject *kept[] = {device, natives[1], count == 2 ? natives[2] : NULL};
    keep(kept, 1);
    PyObject *result = is_large ? compute_large(self, device, implementation, count, natives, owner) : DECLINED;
    if (result == DECLINED) {
        result = compute(self, device, implementation, count, natives);
    }
    keep(kept, 0);
    return result;
}

static PyObject *
call_unary(Function *self, PyObject *x)
{
    if (!is_array(x)) {
        return DECLINED;
    }
    PyObject *natives[3] = {NULL, FIELD(x, array_native), NULL};
    return compute_any(self, FIELD(x, array_device), 1, natives, natives[1], &x);
}

/* What an operand next to an Array's native array is: a number of Python, or, on the host, an array or a scalar of NumPy
   of the same dtype. A scalar is Python's number, which promotes as it does. A new reference; DECLINED for others. */
static PyObject *
operand_beside(PyObject *native, PyObject *value)
{
    if (is_number(value)) {
        return Py_NewRef(value);
    }
    if (!PyArray_CheckExact(native)) {
        return DECLINED;
    }
    PyArray_Descr *dtype = PyArray_DESCR((PyArrayObject *)native);
    if (PyArray_CheckExact(value)) {
        return PyArray_EquivTypes(PyArray_DESCR((PyArrayObject *)value), dtype) ? Py_NewRef(value) : DECLINED;
    }
    if (!PyArray_IsScalar(value, Generic)) {
        return DECLINED;
    }
    PyArray_Descr *own = PyArray_DescrFromScalar(value);
    if (own == NULL) {
        return NULL;
    }
    int is_same = PyArray_EquivTypes(own, dtype);
    Py_DECREF(own);
    return is_same ? PyObject_CallMethod(value, "item", NULL) : DECLINED;
}

static PyObject *
call_binary(Function *self, PyObject *x1, PyObject *x2)
{
    PyObject *xs[2] = {x1, x2};
    PyObject *natives[4] = {NULL, NULL, NULL, NULL};
    int first = is_array(x1);
    if (!first && !is_array(x2)) {
        return DECLINED;
    }
    PyObject *array = first ? x1 : x2, *other = first ? x2 : x1;
    PyObject *device = FIELD(array, array_device), *sized = FIELD(array, array_native);
    PyObject *beside, *owned = NULL; /* a further reference to a native array would hide a temporary */
    if (is_array(other)) {
        beside = FIELD(other, array_native);
        if (FIELD(other, array_device) != device || Py_TYPE(beside) != Py_TYPE(sized)) {
            return DECLINED;
        }
    }
    else if ((beside = owned = operand_beside(sized, other)) == DECLINED || owned == NULL) {
        return owned;
    }
    natives[first ? 1 : 2] = sized;
    natives[first ? 2 : 1] = beside;
    PyObject *result = compute_any(self, device, 2, natives, sized, xs);
    Py_XDECREF(owned);
    return result;
}

/* What a function of an implementation gives for an in-place operation. */
static PyObject *
call_field(PyObject *implementation, Py_ssize_t offset, PyObject **natives)
{
    PyObject *function = Py_NewRef(FIELD(implementation, offset)); /* a first call replaces it */
    PyObject *result = PyObject_Vectorcall(function, natives + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(function);
    return result;
}

/* Completes an in-place operation after an error; returns -1 with an exception where it fails. */
static int
after_inplace_error(Function *self, PyObject *device, PyObject *x, PyObject *other)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception)) {
        return -1;
    }
    PyObject *error = take_exception();
    PyObject *done = PyObject_CallFunctionObjArgs(recover_inplace, error, self->operation, device, x, other, NULL);
    Py_DECREF(error);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* Computes in place; returns -1 with an exception. */
static int
write_inplace(Function *self, PyObject *device, PyObject *x, PyObject **natives)
{
    PyObject *implementation = implementation_of(device, self->index);
    if (!is_smaller(natives[1], implementation, implementation_inplace_min_size)) {
        PyObject *done = call_field(implementation, implementation_inplace_kernel, natives);
        if (done != NULL && done != Py_NotImplemented) {
            Py_DECREF(done);
            return 0;
        }
        if (done == NULL) {
            return after_inplace_error(self, device, x, natives[2]);
        }
        Py_DECREF(done);
    }
    PyObject *native;
    if (self->builtin != NULL && FIELD(implementation, implementation_inplace) == self->builtin) {
        PyObject *arguments[] = {NULL, natives[1], natives[2], natives[1]};
        native = PyObject_Vectorcall(self->ufunc, arguments + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    }
    else {
        native = call_field(implementation, implementation_inplace, natives);
    }
    if (native == NULL) {
        return after_inplace_error(self, device, x, natives[2]);
    }
    if (!PyArray_CheckExact(native) && !PyObject_GC_IsTracked(x)) {
        PyObject_GC_Track(x);
    }
    PyObject *old = FIELD(x, array_native);
    FIELD(x, array_native) = native;
    Py_XDECREF(old);
    return 0;
}

static PyObject *
call_inplace(Function *self, PyObject *x, PyObject *other)
{
    if (!is_array(x)) {
        return DECLINED;
    }
    PyObject *device = FIELD(x, array_device);
    PyObject *natives[3] = {NULL, FIELD(x, array_native), other};
    if (is_array(other) && FIELD(other, array_device) == device) {
        natives[2] = FIELD(other, array_native);
    }
    else if (!is_number(other)) {
        return DECLINED;
    }
    if (!is_numpys(natives[1], device) || implementation_of(device, self->index) == NULL) {
        return DECLINED; /* Python writes to an array of a transform, which may have views */
    }
    PyObject *kept[] = {device, natives[1], natives[2]};
    keep(kept, 1);
    int done = write_inplace(self, device, x, natives);
    keep(kept, 0);
    return done < 0 ? NULL : Py_NewRef(x);
}

/* -- Functions of the table -------------------------------------------------------------------------------------- */

/* apply(operation, device, *args, **kwargs) and apply_reduction(...), which asks the device's function for many elements first.
   What NumPy's functions do not give is left to Python. */
static PyObject *
call_table(enum kind kind, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    if (count < 3) {
        return DECLINED;
    }
    PyObject *operation = arguments[0], *device = arguments[1], *const *values = arguments + 2;
    if (Py_TYPE(operation) != operation_type || !is_open(device)) {
        return DECLINED;
    }
    count -= 2;
    PyObject *position = FIELD(operation, operation_index);
    Py_ssize_t index = position != NULL && PyLong_CheckExact(position) ? PyLong_AsSsize_t(position) : -1;
    if (index < 0) {
        PyErr_Clear();
        return DECLINED;
    }
    PyObject *implementation = implementation_of(device, index), *native = NULL;
    if (implementation == NULL) {
        return DECLINED;
    }
    int has_size = kind == APPLY_TO && PyArray_CheckExact(values[0]);
    if (kind == APPLY_TO && !has_size && !is_unbounded(implementation)) {
        return DECLINED;
    }
    PyObject *kernel = has_size ? FIELD(implementation, implementation_kernel) : NULL;
    if (kernel != NULL && !is_smaller(values[0], implementation, implementation_min_size)) {
        Py_INCREF(kernel); /* a first call replaces it */
        native = PyObject_Vectorcall(kernel, values, count, keywords);
        Py_DECREF(kernel);
        if (native == Py_NotImplemented) {
            Py_CLEAR(native);
        }
        else if (native == NULL && (native = after_error(recover, operation, device, values, count, keywords)) == NULL) {
            return NULL;
        }
    }
    if (native == NULL) {
        PyObject *function = Py_NewRef(FIELD(implementation, implementation_function)); /* a first call replaces it */
        native = PyObject_Vectorcall(function, values, count, keywords);
        Py_DECREF(function);
        if (native == NULL && (native = after_error(recover, operation, device, values, count, keywords)) == NULL) {
            return NULL;
        }
    }
    return wrap_result(native, operation, device);
}

/* The most options of the functions of kind REDUCTION. */
#define OPTIONS 4

/* Calls a public reduction with an Array alone. The settings are its operation, the names and the values of the options that
   the device's function gets, and whether sums of float16 are those of float32, which Python computes. */
static PyObject *
call_reduction(Function *self, PyObject *x)
{
    if (!is_array(x)) {
        return DECLINED;
    }
    PyObject *settings = self->operation, *native = FIELD(x, array_native), *device = FIELD(x, array_device);
    if (!is_open(device) || (PyObject *)Py_TYPE(native) != FIELD(device, device_native_type)) {
        return DECLINED;
    }
    if (PyTuple_GET_ITEM(settings, 3) == Py_True &&
        (PyArray_CheckExact(native) ? PyArray_TYPE((PyArrayObject *)native) == NPY_HALF
                                    : FIELD(device, device_widens_float16) != Py_False)) {
        return DECLINED;
    }
    PyObject *arguments[3 + OPTIONS] = {PyTuple_GET_ITEM(settings, 0), device, native}, *values = PyTuple_GET_ITEM(settings, 2);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); i++) {
        arguments[3 + i] = PyTuple_GET_ITEM(values, i);
    }
    PyObject *kept[] = {device, native, NULL};
    keep(kept, 1);
    PyObject *result = call_table(APPLY_TO, arguments, 3, PyTuple_GET_ITEM(settings, 1));
    keep(kept, 0);
    return result;
}

/* -- Functions of wrapped arrays --------------------------------------------------------------------------------- */

/* Whether all arrays of a library have one dtype, which is in a set; -1 with an exception. */
static int
have_dtype_of(PyObject *const *arrays, Py_ssize_t count, PyObject *dtypes)
{
    PyObject *dtype = PyObject_GetAttr(arrays[0], attribute_strings[DTYPE]);
    int result = dtype == NULL ? -1 : PySet_Contains(dtypes, dtype);
    for (Py_ssize_t i = 1; i < count && result > 0; i++) {
        PyObject *other = PyObject_GetAttr(arrays[i], attribute_strings[DTYPE]);
        result = other == NULL ? -1 : other == dtype;
        Py_XDECREF(other);
    }
    Py_XDECREF(dtype);
    return result;
}

/* Calls a library's function on the arrays in wrappers, and wraps its result. The settings are the class of the wrappers,
   that of the library's arrays, the function; and another function for arrays of one dtype, without options that are not
   None or False, with the set of these dtypes, or None twice. Arguments that Python converts, such as dtypes and tuples, are
   left to it. */
static PyObject *
call_wrapped(Function *self, PyObject *const *arguments, size_t flags, PyObject *keywords)
{
    PyObject *values[7] = {NULL}, *settings = self->operation;
    PyTypeObject *wrapper = (PyTypeObject *)PyTuple_GET_ITEM(settings, 0);
    PyObject *library_type = PyTuple_GET_ITEM(settings, 1), *function = PyTuple_GET_ITEM(settings, 2);
    PyObject *direct = PyTuple_GET_ITEM(settings, 3), *dtypes = PyTuple_GET_ITEM(settings, 4);
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    Py_ssize_t total = count + (keywords == NULL ? 0 : PyTuple_GET_SIZE(keywords));
    if (total >= (Py_ssize_t)(sizeof(values) / sizeof(values[0]))) {
        return DECLINED;
    }
    int may_be_direct = direct != Py_None && count > 0;
    for (Py_ssize_t i = 0; i < total; i++) {
        PyObject *value = arguments[i];
        if (Py_TYPE(value) == wrapper) {
            value = FIELD(value, self->index);
            may_be_direct = may_be_direct && i < count;
        }
        else if (value != Py_None && !is_number(value) && !PyUnicode_CheckExact(value)) {
            return DECLINED;
        }
        else {
            may_be_direct = may_be_direct && i >= count && (value == Py_None || value == Py_False);
        }
        if (value == NULL) {
            return DECLINED;
        }
        values[i + 1] = value;
    }
    PyObject *result = NULL;
    for (Py_ssize_t i = 1; i <= total; i++) {
        Py_INCREF(values[i]);
    }
    int is_direct = may_be_direct ? have_dtype_of(values + 1, count, dtypes) : 0;
    if (is_direct >= 0) {
        result = PyObject_Vectorcall(
            is_direct ? direct : function, values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET,
            is_direct ? NULL : keywords);
    }
    for (Py_ssize_t i = 1; i <= total; i++) {
        Py_DECREF(values[i]);
    }
    if (result == NULL || result == Py_NotImplemented) {
        return result;
    }
    PyObject *wrapped;
    if ((PyObject *)Py_TYPE(result) == library_type) {
        wrapped = wrapper->tp_alloc(wrapper, 0);
        if (wrapped != NULL) {
            FIELD(wrapped, self->index) = Py_NewRef(result);
        }
    }
    else {
        wrapped = PyObject_CallMethod((PyObject *)wrapper, "wrap", "(O)", result); /* of several results, a tuple */
    }
    Py_DECREF(result);
    return wrapped;
}

/* -- Indices ----------------------------------------------------------------------------------------------------- */

static inline int
is_bound(PyObject *value)
{
    return value == Py_None || PyLong_CheckExact(value);
}

/* Whether reading a key executes no Python. */
static int
is_plain_key(PyObject *key)
{
    if (PySlice_Check(key)) {
        PySliceObject *slice = (PySliceObject *)key;
        return is_bound(slice->start) && is_bound(slice->stop) && is_bound(slice->step);
    }
    return PyLong_CheckExact(key) || key == Py_None || key == Py_Ellipsis;
}

static int
is_plain_key_or_tuple(PyObject *key)
{
    if (!PyTuple_CheckExact(key)) {
        return is_plain_key(key);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); i++) {
        if (!is_plain_key(PyTuple_GET_ITEM(key, i))) {
            return 0;
        }
    }
    return 1;
}

/* The native array of a key that is an Array on the device, borrowed; NULL without an exception for any other key, and
   where it has so many elements, or selects so many rows, that a kernel may be faster. */
static PyObject *
native_key(PyObject *key, PyArrayObject *native, PyObject *device, Py_ssize_t index)
{
    if (!is_array(key) || FIELD(key, array_device) != device || !PyArray_CheckExact(FIELD(key, array_native))) {
        return NULL;
    }
    PyArrayObject *indices = (PyArrayObject *)FIELD(key, array_native);
    int type = PyArray_TYPE(indices), axes = PyArray_NDIM(native);
    if (!PyTypeNum_ISBOOL(type) && !PyTypeNum_ISSIGNED(type)) {
        return NULL; /* unsigned integers may be larger than any signed one */
    }
    PyObject *implementation = implementation_of(device, index);
    if (implementation == NULL) {
        return NULL;
    }
    npy_intp row = index == selected && axes > 1 ? PyArray_DIM(native, axes - 1) : 1;
    npy_intp size = PyArray_SIZE(indices) * (row > 1 ? row : 1);
    return is_less(size, implementation, implementation_min_size) ? (PyObject *)indices : NULL;
}

/* A copy of an element of a vector. */
static PyObject *
element(PyArrayObject *vector, npy_intp index)
{
    PyArray_Descr *dtype = PyArray_DESCR(vector);
    Py_INCREF(dtype);
    PyObject *result = PyArray_NewFromDescr(&PyArray_Type, dtype, 0, NULL, NULL, NULL, 0, NULL);
    if (result != NULL) {
        memcpy(
            PyArray_DATA((PyArrayObject *)result), PyArray_BYTES(vector) + index * PyArray_STRIDE(vector, 0),
            PyArray_ITEMSIZE(vector));
    }
    return result;
}

/* Whether this is a vector whose elements are numbers or booleans. */
static int
is_vector(PyArrayObject *native)
{
    int type = PyArray_TYPE(native);
    return PyArray_NDIM(native) == 1 && (PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type));
}

static PyObject *
call_getitem(PyObject *x, PyObject *key)
{
    if (!is_array(x)) {
        return DECLINED;
    }
    PyObject *native = FIELD(x, array_native), *device = FIELD(x, array_device);
    if (!is_numpys(native, device) || FIELD(device, device_getitem) != Py_None) {
        return DECLINED;
    }
    if (PyLong_CheckExact(key) && is_vector((PyArrayObject *)native)) {
        npy_intp length = PyArray_DIM((PyArrayObject *)native, 0);
        Py_ssize_t index = PyLong_AsSsize_t(key);
        if (index == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return DECLINED;
        }
        index += index < 0 ? length : 0;
        if (index < 0 || index >= length) {
            return DECLINED;
        }
        PyObject *copy = element((PyArrayObject *)native, index);
        return copy == NULL ? NULL : wrap(copy, device);
    }
    PyObject *indices = is_plain_key_or_tuple(key) ? key : native_key(key, (PyArrayObject *)native, device, selected);
    if (indices == NULL) {
        return DECLINED;
    }
    PyObject *result = PyObject_GetItem(native, indices);
    if (result == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) {
            return NULL;
        }
        PyErr_Clear(); /* the Python function raises it with an explanation */
        return DECLINED;
    }
    if (PyArray_CheckExact(result)) {
        if (PyArray_NDIM((PyArrayObject *)result) == 0 && !PySlice_Check(key)) {
            Py_DECREF(result); /* a view or an element, which the Python function tells from the key */
            return DECLINED;
        }
        return wrap(result, device);
    }
    PyObject *array = array_of_scalar(result);
    if (array == DECLINED) {
        Py_DECREF(result);
    }
    return array == DECLINED || array == NULL ? array : wrap(array, device);
}

/* The value of an assignment as NumPy takes it, borrowed; NULL without an exception where Python converts or refuses it. */
static PyObject *
native_value(PyObject *value, PyArrayObject *native, PyObject *device)
{
    if (is_number(value)) {
        return PyComplex_CheckExact(value) && !PyArray_ISCOMPLEX(native) ? NULL : value;
    }
    if (!is_array(value) || FIELD(value, array_device) != device || !PyArray_CheckExact(FIELD(value, array_native))) {
        return NULL;
    }
    PyArrayObject *result = (PyArrayObject *)FIELD(value, array_native);
    return PyArray_EquivTypes(PyArray_DESCR(result), PyArray_DESCR(native)) ? (PyObject *)result : NULL;
}

/* x[key] = value, and del x[key]. NumPy checks all that may fail before it writes. */
static int
assign(PyObject *x, PyObject *key, PyObject *value)
{
    PyObject *native, *device;
    if (value == NULL || !is_array(x) || !is_numpys(native = FIELD(x, array_native), device = FIELD(x, array_device)) ||
        FIELD(device, device_setitem) != Py_None) {
        return assign_in_python(x, key, value);
    }
    PyArrayObject *target = (PyArrayObject *)native;
    PyObject *indices = is_plain_key_or_tuple(key) ? key : native_key(key, target, device, assigned_where);
    PyObject *assigned = native_value(value, target, device);
    if (indices == NULL || assigned == NULL) {
        return assign_in_python(x, key, value);
    }
    PyObject *kept[] = {native, indices, assigned}; /* a warning executes Python, which may change the Arrays */
    keep(kept, 1);
    int failed = PyObject_SetItem(native, indices, assigned) < 0;
    keep(kept, 0);
    if (failed && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear(); /* the Python function raises it with an explanation */
        return assign_in_python(x, key, value);
    }
    return failed ? -1 : 0;
}

/* The elements of an Array along its first axis. */
typedef struct {
    PyObject_HEAD
    PyObject *native;
    PyObject *device;
    npy_intp index;
} Elements;

static PyTypeObject elements_type;

static PyObject *
elements_next(Elements *self)
{
    if (self->native == NULL) {
        return NULL;
    }
    PyArrayObject *native = (PyArrayObject *)self->native;
    if (PyArray_NDIM(native) == 0 || self->index >= PyArray_DIM(native, 0)) {
        Py_CLEAR(self->native);
        return NULL;
    }
    npy_intp index = self->index++;
    PyObject *item = is_vector(native) ? element(native, index) : PySequence_GetItem(self->native, index);
    return item == NULL ? NULL : wrap(item, self->device);
}

static void
elements_dealloc(Elements *self)
{
    Py_XDECREF(self->native);
    Py_XDECREF(self->device);
    PyObject_Free(self);
}

static PyTypeObject elements_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "xtensor._core._compiled.Elements",
    .tp_basicsize = sizeof(Elements),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)elements_dealloc,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)elements_next,
};

static PyObject *
elements(PyObject *module, PyObject *x)
{
    if (!is_array(x) || !PyArray_CheckExact(FIELD(x, array_native)) ||
        PyArray_NDIM((PyArrayObject *)FIELD(x, array_native)) == 0) {
        PyErr_SetString(PyExc_TypeError, "elements() takes an Array of a NumPy array with axes");
        return NULL;
    }
    Elements *self = PyObject_New(Elements, &elements_type);
    if (self != NULL) {
        self->native = Py_NewRef(FIELD(x, array_native));
        self->device = Py_NewRef(FIELD(x, array_device));
        self->index = 0;
    }
    return (PyObject *)self;
}

static PyObject *
iterate(PyObject *x)
{
    PyArrayObject *native = is_array(x) ? (PyArrayObject *)FIELD(x, array_native) : NULL;
    int has_axes = native != NULL && PyArray_CheckExact(native) && PyArray_NDIM(native) > 0;
    return has_axes && !PyArray_ISUSERDEF(native) ? elements(NULL, x) : iterate_in_python(x);
}

/* -- Values ------------------------------------------------------------------------------------------------------ */

static int
number_bool(PyObject *x)
{
    PyArrayObject *native = is_array(x) ? (PyArrayObject *)FIELD(x, array_native) : NULL;
    int is_number = native != NULL && is_numpys((PyObject *)native, FIELD(x, array_device)) && PyArray_NDIM(native) == 0;
    return is_number && !PyArray_ISUSERDEF(native) ? PyObject_IsTrue((PyObject *)native) : bool_in_python(x);
}

/* Whether all components of a few floating-point numbers are finite and between two numbers; None for other arrays. */
static PyObject *
is_within(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3 || !PyFloat_Check(arguments[1]) || !PyFloat_Check(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "is_within() takes an array and two floating-point numbers");
        return NULL;
    }
    PyArrayObject *native = (PyArrayObject *)arguments[0];
    double low = PyFloat_AS_DOUBLE(arguments[1]), high = PyFloat_AS_DOUBLE(arguments[2]);
    int type = PyArray_CheckExact(native) ? PyArray_TYPE(native) : NPY_VOID;
    int is_double = type == NPY_DOUBLE || type == NPY_CDOUBLE;
    if (!(is_double || type == NPY_FLOAT || type == NPY_CFLOAT) || PyArray_SIZE(native) > 1000 ||
        !PyArray_ISONESEGMENT(native) || !PyArray_ISBEHAVED_RO(native)) {
        Py_RETURN_NONE;
    }
    low = low > -DBL_MAX ? low : -DBL_MAX;
    high = high < DBL_MAX ? high : DBL_MAX;
    npy_intp components = PyArray_SIZE(native) * (PyTypeNum_ISCOMPLEX(type) ? 2 : 1);
    const void *data = PyArray_DATA(native);
    int outside = 0; /* no early end: the loops are vectorised */
    for (npy_intp i = 0; i < components; i++) {
        double value = is_double ? ((const double *)data)[i] : ((const float *)data)[i];
        outside |= !(value >= low && value <= high);
    }
    return PyBool_FromLong(!outside);
}

static PyObject *
track(PyObject *module, PyObject *x)
{
    if (Py_TYPE(x) == array_type && !PyObject_GC_IsTracked(x)) {
        PyObject_GC_Track(x);
    }
    Py_RETURN_NONE;
}

/* -- The class of functions -------------------------------------------------------------------------------------- */

static inline PyObject *
call_short(Function *self, PyObject *const *arguments)
{
    switch (self->kind) {
    case UNARY: return call_unary(self, arguments[0]);
    case BINARY: return call_binary(self, arguments[0], arguments[1]);
    case REFLECTED: return call_binary(self, arguments[1], arguments[0]);
    case INPLACE: return call_inplace(self, arguments[0], arguments[1]);
    case GETITEM: return call_getitem(arguments[0], arguments[1]);
    case POWER: return call_power(arguments[0], arguments[1]);
    case REDUCTION: return call_reduction(self, arguments[0]);
    default: return DECLINED;
    }
}

/* Pass the error of a public function, which leaves the namespace, to the function in Python that shortens it. */
static PyObject *
leave_namespace(void)
{
    PyObject *error = take_exception();
    if (PyErr_GivenExceptionMatches(error, PyExc_Exception)) {
        PyObject *done = PyObject_CallOneArg(leaving, error);
        if (done == NULL) {
            PyErr_Clear();
        }
        Py_XDECREF(done);
    }
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(error);
#else
    PyErr_Restore(Py_NewRef(Py_TYPE(error)), error, PyException_GetTraceback(error));
#endif
    return NULL;
}

/* The number of operands of a function that has a short way, without options. */
static Py_ssize_t
operands_of(enum kind kind)
{
    return kind == UNARY || kind == REDUCTION ? 1 : 2;
}

static PyObject *
call_function(Function *self, PyObject *const *arguments, size_t flags, PyObject *keywords)
{
    PyObject *result = DECLINED;
    if (self->kind == APPLY || self->kind == APPLY_TO) {
        result = call_table(self->kind, arguments, PyVectorcall_NARGS(flags), keywords);
    }
    else if (self->kind == WRAPPED) {
        result = call_wrapped(self, arguments, flags, keywords);
    }
    else if (self->kind == ARGUMENT) {
        result = PyVectorcall_NARGS(flags) > 0 && is_array(arguments[0]) ? Py_NewRef(arguments[0]) : DECLINED;
    }
    else if (self->kind != BOUNDARY && keywords == NULL && PyVectorcall_NARGS(flags) == operands_of(self->kind)) {
        result = call_short(self, arguments);
    }
    if (result != DECLINED) {
        return result;
    }
    if (self->python == NULL) {
        PyErr_SetString(PyExc_TypeError, "the attribute `python` of a compiled function was deleted");
        return NULL;
    }
    return PyObject_Vectorcall(self->python, arguments, flags, keywords);
}

static PyObject *
function_call(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *keywords)
{
    Function *self = (Function *)callable;
    PyObject *result = call_function(self, arguments, flags, keywords);
    /* The kinds from POWER on are not public. */
    return result != NULL || self->kind >= POWER || leaving == NULL ? result : leave_namespace();
}

static int
are_settings_of_wrapped(PyObject *settings)
{
    return PyTuple_CheckExact(settings) && PyTuple_GET_SIZE(settings) == 5 && PyType_Check(PyTuple_GET_ITEM(settings, 0));
}

static int
are_settings_of_reduction(PyObject *settings)
{
    if (!PyTuple_CheckExact(settings) || PyTuple_GET_SIZE(settings) != 4) {
        return 0;
    }
    PyObject *names = PyTuple_GET_ITEM(settings, 1), *values = PyTuple_GET_ITEM(settings, 2);
    return PyTuple_CheckExact(names) && PyTuple_CheckExact(values) && PyTuple_GET_SIZE(values) <= OPTIONS &&
           PyTuple_GET_SIZE(names) == PyTuple_GET_SIZE(values);
}

static PyObject *
function_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind", "operation", "index", "is_operator", NULL};
    int kind, is_operator;
    PyObject *operation;
    Py_ssize_t index;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "iOnp", names, &kind, &operation, &index, &is_operator)) {
        return NULL;
    }
    if (kind < 0 || kind >= KINDS || index < 0) {
        PyErr_Format(PyExc_ValueError, "there is no kind of function %d, or no operation %zd", kind, index);
        return NULL;
    }
    if ((kind == WRAPPED && !are_settings_of_wrapped(operation)) ||
        (kind == REDUCTION && !are_settings_of_reduction(operation))) {
        PyErr_SetString(PyExc_TypeError, "a function of this kind has other settings");
        return NULL;
    }
    if (kind == WRAPPED && (index = offset_of(PyTuple_GET_ITEM(operation, 0), "array")) < 0) {
        return NULL;
    }
    Function *self = (Function *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->vectorcall = function_call;
        self->python = Py_NewRef(Py_None); /* until it is set */
        self->operation = Py_NewRef(operation);
        self->index = index;
        self->kind = kind;
        self->is_operator = is_operator;
        self->builtin = NULL;
        self->ufunc = NULL;
    }
    return (PyObject *)self;
}

static int
function_traverse(Function *self, visitproc visit, void *arg)
{
    Py_VISIT(self->attributes);
    Py_VISIT(self->python);
    Py_VISIT(self->operation);
    return 0;
}

static int
function_clear(Function *self)
{
    Py_CLEAR(self->attributes);
    Py_CLEAR(self->python);
    Py_CLEAR(self->operation);
    return 0;
}

static void
function_dealloc(Function *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    function_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
function_get(PyObject *self, PyObject *object, PyObject *type)
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

static PyObject *
function_repr(PyObject *self)
{
    PyObject *name = PyObject_GetAttrString(self, "__qualname__");
    if (name == NULL) {
        return NULL;
    }
    PyObject *result = PyUnicode_FromFormat("<function %S>", name);
    Py_DECREF(name);
    return result;
}

/* Functions are pickled by their names, as those of Python. */
static PyObject *
function_reduce(PyObject *self, PyObject *ignored)
{
    return PyObject_GetAttrString(self, "__qualname__");
}

static PyMethodDef function_methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef function_members[] = {
    {"python", T_OBJECT, offsetof(Function, python), 0, "The same function in Python, which computes all other cases."},
    {"operation", T_OBJECT, offsetof(Function, operation), READONLY, "The row of the table of operations, or None."},
    {NULL},
};

static PyGetSetDef function_properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

static PyTypeObject function_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "xtensor._core._compiled.Function",
    .tp_doc = "Function(kind, operation, index, is_operator)\n--\n\nA function or method of Arrays, with a short way.",
    .tp_basicsize = sizeof(Function),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(Function, vectorcall),
    .tp_dictoffset = offsetof(Function, attributes),
    .tp_weaklistoffset = offsetof(Function, weak_references),
    .tp_call = PyVectorcall_Call,
    .tp_new = function_new,
    .tp_traverse = (traverseproc)function_traverse,
    .tp_clear = (inquiry)function_clear,
    .tp_dealloc = (destructor)function_dealloc,
    .tp_descr_get = function_get,
    .tp_repr = function_repr,
    .tp_methods = function_methods,
    .tp_members = function_members,
    .tp_getset = function_properties,
};

/* -- Attributes -------------------------------------------------------------------------------------------------- */

/* A property of the class Array that is an attribute of the native array, or the device. */
typedef struct {
    PyObject_HEAD
    PyObject *python; /* the property in Python */
    enum attribute attribute;
} Attribute;

static PyObject *
attribute_get(PyObject *object, PyObject *array, PyObject *type)
{
    Attribute *self = (Attribute *)object;
    if (array == NULL || !is_array(array)) {
        return Py_TYPE(self->python)->tp_descr_get(self->python, array, type);
    }
    PyObject *native = FIELD(array, array_native);
    if (self->attribute == DEVICE) {
        return Py_NewRef(FIELD(array, array_device));
    }
    if (PyArray_CheckExact(native)) {
        switch (self->attribute) {
        case DTYPE: return Py_NewRef((PyObject *)PyArray_DESCR((PyArrayObject *)native));
        case NDIM: return PyLong_FromLong(PyArray_NDIM((PyArrayObject *)native));
        case SIZE: return PyLong_FromSsize_t(PyArray_SIZE((PyArrayObject *)native));
        default: break;
        }
    }
    Py_INCREF(native);
    PyObject *result = PyObject_GetAttr(native, attribute_strings[self->attribute]);
    Py_DECREF(native);
    return result;
}

static int
attribute_set(PyObject *self, PyObject *array, PyObject *value)
{
    PyObject *property = ((Attribute *)self)->python;
    return Py_TYPE(property)->tp_descr_set(property, array, value); /* raises AttributeError */
}

static void
attribute_dealloc(Attribute *self)
{
    Py_XDECREF(self->python);
    PyObject_Free(self);
}

static PyObject *
attribute_doc(Attribute *self, void *ignored)
{
    return PyObject_GetAttrString(self->python, "__doc__");
}

static PyGetSetDef attribute_properties[] = {
    {"__doc__", (getter)attribute_doc, NULL, NULL, NULL},
    {NULL},
};

static PyMemberDef attribute_members[] = {
    {"python", T_OBJECT, offsetof(Attribute, python), READONLY, "The same property in Python."},
    {NULL},
};

static PyTypeObject attribute_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "xtensor._core._compiled.Attribute",
    .tp_basicsize = sizeof(Attribute),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)attribute_dealloc,
    .tp_descr_get = attribute_get,
    .tp_descr_set = attribute_set,
    .tp_members = attribute_members,
    .tp_getset = attribute_properties,
};

/* Puts attributes in the place of the class's properties. */
static int
bind_attributes(void)
{
    for (int i = 0; i < ATTRIBUTES; i++) {
        PyObject *property = PyObject_GetAttrString((PyObject *)array_type, attribute_names[i]);
        if (property == NULL) {
            return -1;
        }
        Attribute *attribute = PyObject_New(Attribute, &attribute_type);
        if (attribute == NULL) {
            Py_DECREF(property);
            return -1;
        }
        attribute->python = property;
        attribute->attribute = i;
        int failed = Py_TYPE(property) != &PyProperty_Type;
        if (failed) {
            PyErr_Format(PyExc_TypeError, "Array.%s is no property", attribute_names[i]);
        }
        else {
            failed = PyObject_SetAttrString((PyObject *)array_type, attribute_names[i], (PyObject *)attribute) < 0;
        }
        Py_DECREF(attribute);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

/* -- Operators --------------------------------------------------------------------------------------------------- */

/* Python looks an operator up in the class and calls it by way of a general function, which takes some 20 nanoseconds.
   These functions are called directly. An operator that is assigned to the class later is called in Python's way again,
   as Python then writes the class's entry anew. */

static PyObject *
call_operator(Function *function, PyObject *x1, PyObject *x2)
{
    PyObject *arguments[] = {x1, x2};
    return function_call((PyObject *)function, arguments, 2, NULL);
}

#define UNARY_OPERATOR(name)                                                                                           \
    static Function *operator_##name;                                                                                  \
    static PyObject *number_##name(PyObject *x)                                                                        \
    {                                                                                                                  \
        return function_call((PyObject *)operator_##name, &x, 1, NULL);                                                \
    }

#define BINARY_OPERATOR(name)                                                                                          \
    static Function *operator_##name, *operator_r##name, *operator_i##name;                                            \
    static PyObject *number_##name(PyObject *x1, PyObject *x2)                                                         \
    {                                                                                                                  \
        return Py_TYPE(x1) == array_type ? call_operator(operator_##name, x1, x2)                                      \
                                         : call_operator(operator_r##name, x2, x1);                                    \
    }                                                                                                                  \
    static PyObject *number_i##name(PyObject *x1, PyObject *x2) { return call_operator(operator_i##name, x1, x2); }

#define ALL_UNARY(X) X(abs) X(neg) X(pos) X(invert)
#define ALL_BINARY(X)                                                                                                  \
    X(add) X(sub) X(mul) X(truediv) X(floordiv) X(mod) X(pow) X(matmul) X(and) X(or) X(xor) X(lshift) X(rshift)

ALL_UNARY(UNARY_OPERATOR)
ALL_BINARY(BINARY_OPERATOR)

static Function *operator_getitem, *operator_comparison[Py_GE + 1];

static PyObject *
number_power(PyObject *x1, PyObject *x2, PyObject *modulus)
{
    if (modulus == Py_None) {
        return number_pow(x1, x2);
    }
    return Py_NewRef(Py_NotImplemented);
}

static PyObject *
number_ipower(PyObject *x1, PyObject *x2, PyObject *modulus)
{
    return number_ipow(x1, x2);
}

static PyObject *
compare(PyObject *x1, PyObject *x2, int comparison)
{
    return call_operator(operator_comparison[comparison], x1, x2);
}

static PyObject *
subscript(PyObject *x, PyObject *key)
{
    return call_operator(operator_getitem, x, key);
}

/* The Function of a method of the class Array, for good; NULL with an exception where there is none. */
static Function *
method(const char *name)
{
    PyObject *found = PyObject_GetAttrString((PyObject *)array_type, name);
    if (found != NULL && Py_TYPE(found) != &function_type) {
        PyErr_Format(PyExc_TypeError, "Array.%s is no compiled function", name);
        Py_CLEAR(found);
    }
    return (Function *)found;
}

/* Tells the in-place operators their functions. The others, `**=` and `@=`, are no plain calls of a ufunc. */
static int
bind_ufuncs(void)
{
    const struct {
        Function *function;
        const char *name, *ufunc;
    } rows[] = {
        {operator_iadd, "iadd", "add"},
        {operator_isub, "isub", "subtract"},
        {operator_imul, "imul", "multiply"},
        {operator_itruediv, "itruediv", "true_divide"},
        {operator_ifloordiv, "ifloordiv", "floor_divide"},
        {operator_imod, "imod", "remainder"},
        {operator_iand, "iand", "bitwise_and"},
        {operator_ior, "ior", "bitwise_or"},
        {operator_ixor, "ixor", "bitwise_xor"},
        {operator_ilshift, "ilshift", "left_shift"},
        {operator_irshift, "irshift", "right_shift"},
    };
    PyObject *operators = PyImport_ImportModule("operator"), *numpy = PyImport_ImportModule("numpy");
    int failed = operators == NULL || numpy == NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !failed; i++) {
        Function *function = rows[i].function;
        function->builtin = PyObject_GetAttrString(operators, rows[i].name);
        function->ufunc = PyObject_GetAttrString(numpy, rows[i].ufunc);
        failed = function->builtin == NULL || function->ufunc == NULL;
    }
    failed = failed || (numpy_square = PyObject_GetAttrString(numpy, "square")) == NULL ||
             (numpy_sqrt = PyObject_GetAttrString(numpy, "sqrt")) == NULL ||
             (numpy_power = PyObject_GetAttrString(numpy, "power")) == NULL ||
             (numpy_reciprocal = PyObject_GetAttrString(numpy, "reciprocal")) == NULL;
    Py_XDECREF(operators);
    Py_XDECREF(numpy);
    return failed ? -1 : 0;
}

static int
bind_operators(void)
{
    static const char *comparisons[] = {
        [Py_LT] = "__lt__", [Py_LE] = "__le__", [Py_EQ] = "__eq__",
        [Py_NE] = "__ne__", [Py_GT] = "__gt__", [Py_GE] = "__ge__",
    };
#define FIND(name, text)                                                                                               \
    if ((operator_##name = method("__" text "__")) == NULL) {                                                          \
        return -1;                                                                                                     \
    }
#define FIND_UNARY(name) FIND(name, #name)
#define FIND_BINARY(name) FIND(name, #name) FIND(r##name, "r" #name) FIND(i##name, "i" #name)
    ALL_UNARY(FIND_UNARY)
    ALL_BINARY(FIND_BINARY)
    FIND(getitem, "getitem")
    for (int comparison = Py_LT; comparison <= Py_GE; comparison++) {
        if ((operator_comparison[comparison] = method(comparisons[comparison])) == NULL) {
            return -1;
        }
    }
    if (bind_ufuncs() < 0) {
        return -1;
    }
    array_type->tp_dealloc = array_dealloc;
    PyNumberMethods *number = array_type->tp_as_number;
#define SET(field, name)                                                                                               \
    number->nb_##field = number_##name;                                                                                \
    number->nb_inplace_##field = number_i##name;
    SET(add, add) SET(subtract, sub) SET(multiply, mul) SET(true_divide, truediv) SET(floor_divide, floordiv)
    SET(remainder, mod) SET(power, power) SET(matrix_multiply, matmul) SET(and, and) SET(or, or) SET(xor, xor)
    SET(lshift, lshift) SET(rshift, rshift)
    number->nb_absolute = number_abs;
    number->nb_negative = number_neg;
    number->nb_positive = number_pos;
    number->nb_invert = number_invert;
    array_type->tp_richcompare = compare;
#define REPLACE(slot, own, python)                                                                                     \
    if (slot != own) {                                                                                                 \
        python = slot;                                                                                                 \
        slot = own;                                                                                                    \
    }
    REPLACE(array_type->tp_iter, iterate, iterate_in_python)
    REPLACE(number->nb_bool, number_bool, bool_in_python)
    PyMappingMethods *mapping = array_type->tp_as_mapping;
    mapping->mp_subscript = subscript;
    REPLACE(mapping->mp_ass_subscript, assign, assign_in_python)
    return 0;
}

/* -- The module -------------------------------------------------------------------------------------------------- */

static PyObject *
bind(PyObject *module, PyObject *arguments)
{
    PyObject *array, *device, *implementation, *operation, *callbacks[6];
    if (!PyArg_ParseTuple(
            arguments, "O!OOOOOOOOOnn:bind", &PyType_Type, &array, &device, &implementation, &operation, &callbacks[0],
            &callbacks[1], &callbacks[2], &callbacks[3], &callbacks[4], &callbacks[5], &selected,
            &assigned_where)) {
        return NULL;
    }
    if (array_type != NULL && array != (PyObject *)array_type) {
        Py_RETURN_NONE; /* a second copy of the package, whose class the module does not know: Python computes */
    }
    const struct {
        Py_ssize_t *offset;
        PyObject *class;
        const char *name;
    } slots[] = {
        {&array_native, array, "_native"},
        {&array_device, array, "_device"},
        {&device_table, device, "table"},
        {&device_native_type, device, "native_type"},
        {&device_getitem, device, "getitem"},
        {&device_setitem, device, "setitem"},
        {&device_widens_float16, device, "widens_float16"},
        {&implementation_function, implementation, "function"},
        {&implementation_inplace, implementation, "inplace"},
        {&implementation_kernel, implementation, "kernel"},
        {&implementation_min_size, implementation, "min_size"},
        {&implementation_min_size_without_reuse, implementation, "min_size_without_reuse"},
        {&implementation_inplace_kernel, implementation, "inplace_kernel"},
        {&implementation_inplace_min_size, implementation, "inplace_min_size"},
        {&operation_index, operation, "index"},
    };
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        if ((*slots[i].offset = offset_of(slots[i].class, slots[i].name)) < 0) {
            return NULL;
        }
    }
    PyObject **targets[] = {&recover, &recover_large, &recover_inplace, &adopt, &find_operands, &leaving};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        Py_XSETREF(*targets[i], Py_NewRef(callbacks[i]));
    }
    Py_XSETREF(absolute, PyMapping_GetItemString(PyEval_GetBuiltins(), "abs"));
    if (absolute == NULL) {
        return NULL;
    }
    Py_XSETREF(array_type, (PyTypeObject *)Py_NewRef(array));
    Py_XSETREF(device_type, (PyTypeObject *)Py_NewRef(device));
    Py_XSETREF(implementation_type, (PyTypeObject *)Py_NewRef(implementation));
    Py_XSETREF(operation_type, (PyTypeObject *)Py_NewRef(operation));
    if (bind_attributes() < 0 || bind_operators() < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* -- the calls of a function that is recorded ----------------------------------------------------------------------- */

/* Report a call: report_to(frame, None) for a Python function whose code is new, report_to(frame, function) for a function
   in C that is among some. A recording makes hundreds of thousands of calls, of which few are of new code. */
static int
report_call(PyObject *settings, PyFrameObject *frame, int event, PyObject *argument)
{
    PyObject *codes = PyTuple_GET_ITEM(settings, 0), *functions = PyTuple_GET_ITEM(settings, 1);
    PyObject *function = NULL;
    if (event == PyTrace_CALL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyObject *identity = PyLong_FromVoidPtr(code);
        Py_DECREF(code);
        int known = identity == NULL ? -1 : PyDict_Contains(codes, identity);
        Py_XDECREF(identity);
        if (known != 0) {
            return known < 0 ? -1 : 0;
        }
        function = Py_None;
    }
    else if (event == PyTrace_C_CALL) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); i++) {
            PyObject *item = PyTuple_GET_ITEM(functions, i);
            /* Each look at a class method in C, such as datetime.now, makes a new object. */
            if (item == argument || (PyCFunction_Check(item) && PyCFunction_Check(argument)
                                     && PyCFunction_GET_FUNCTION(item) == PyCFunction_GET_FUNCTION(argument))) {
                function = argument;
            }
        }
    }
    if (function == NULL) {
        return 0;
    }
    PyObject *result = PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(settings, 2), frame, function, NULL);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static PyObject *
report_calls(PyObject *Py_UNUSED(module), PyObject *settings)
{
    PyObject *codes, *functions, *report_to;
    if (!PyArg_ParseTuple(settings, "O!O!O", &PyDict_Type, &codes, &PyTuple_Type, &functions, &report_to)) {
        return NULL;
    }
    PyEval_SetProfile(report_call, settings);
    Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
    {"bind", bind, METH_VARARGS,
     "bind(array, device, implementation, operation, recover, recover_large, recover_inplace, adopt, find_operands, "
     "leaving, selected, assigned_where)\n--\n\n"
     "Tell the classes Array, Device, Implementation and Operation, what follows errors, where frames have their operands,\n"
     "and the indices of two operations in the tables of devices."},
    {"is_within", (PyCFunction)(void (*)(void))is_within, METH_FASTCALL,
     "is_within(native, low, high)\n--\n\nWhether all components of a few floating-point numbers are finite and between "
     "two numbers; None for other arrays."},
    {"elements", elements, METH_O, "elements(x)\n--\n\nIterate over the elements of an Array along its first axis."},
    {"report_calls", report_calls, METH_VARARGS,
     "report_calls(codes, functions, report_to)\n--\n\n"
     "Call report_to(frame, None) before Python functions whose code's identity is no key of codes, and\n"
     "report_to(frame, function) before some functions in C, until sys.setprofile is called."},
    {"track", track, METH_O, "track(x)\n--\n\nMake an Array known to the garbage collector."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "xtensor._core._compiled",
    .m_doc = "The short way of calls of operators, indices and the functions of devices.",
    .m_size = -1,
    .m_methods = module_methods,
};

PyMODINIT_FUNC
PyInit__compiled(void)
{
    import_array();
    if (PyType_Ready(&elements_type) < 0 || PyType_Ready(&attribute_type) < 0) {
        return NULL;
    }
    for (int i = 0; i < ATTRIBUTES; i++) {
        if ((attribute_strings[i] = PyUnicode_InternFromString(attribute_names[i])) == NULL) {
            return NULL;
        }
    }
    PyObject *result = PyModule_Create(&module);
    if (result == NULL) {
        return NULL;
    }
    static const char *kinds[] = {"UNARY",     "BINARY", "REFLECTED", "INPLACE",  "GETITEM",  "BOUNDARY",
                                  "REDUCTION", "POWER",  "APPLY",     "APPLY_TO", "ARGUMENT", "WRAPPED"};
    for (int kind = 0; kind < KINDS; kind++) {
        if (PyModule_AddIntConstant(result, kinds[kind], kind) < 0) {
            Py_DECREF(result);
            return NULL;
        }
    }
    if (PyModule_AddIntConstant(result, "INTERFACE", INTERFACE) < 0 ||
        PyModule_AddIntConstant(result, "HAS_TEMPORARIES", HAS_TEMPORARIES) < 0 || PyModule_AddType(result, &function_type) < 0 ||
        PyModule_AddType(result, &attribute_type) < 0) {
        Py_DECREF(result);
        return NULL;
    }
    return result;
}
