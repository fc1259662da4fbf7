/* Temporaries: results within an expression that only the interpreter's value stack still refers to. The next step of the
   expression may write its result into their memory, as NumPy does for its own arrays: that spares the allocation and
   half of the traffic to memory, and `x * 2 + 1` takes a third of the time for large arrays.

   Memory that anybody can still see is never written over. Of a temporary there is one reference, and none but it to its
   memory; and the frame of Python that executes has it on its value stack, as an operand of the operator or function that
   it calls. The count alone proves nothing, as C code that calls an operator keeps the array in variables of its own. The
   functions here have no frame, and take no references to their operands. */

/* Up to 3.13 the interpreter's own header tells where a frame has its value stack. From 3.14 on the stack borrows
   references, and a function tells the others. */
#ifdef Py_GIL_DISABLED
#define HAS_TEMPORARIES 0
#else
#define HAS_TEMPORARIES 1
#endif
#if PY_VERSION_HEX >= 0x030E0000
#include <opcode.h>
#else
#define Py_BUILD_CORE
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#endif

/* What is known of an instruction of a code object, of which a reference is kept. */
static struct site {
    PyObject *code;
    int instruction;
    int operands; /* their number; -1 for an instruction that is neither an operator nor a call */
    int is_call;
    int depth;    /* of the value stack */
} sites[512];

/* Tells the operands of the instruction at an offset of the code of a site; -1 with an exception. */
static int
look_at(struct site *site)
{
#if PY_VERSION_HEX >= 0x030E0000
    PyObject *bytes = PyCode_GetCode((PyCodeObject *)site->code);
    if (bytes == NULL) {
        return -1;
    }
    int opcode = (unsigned char)PyBytes_AS_STRING(bytes)[site->instruction];
    Py_DECREF(bytes);
    /* Which function a call calls, nothing tells: no operand of a call is known to be a temporary. */
    site->operands = opcode == BINARY_OP ? 2 : opcode == UNARY_NEGATIVE || opcode == UNARY_INVERT ? 1 : -1;
    return 0;
#else
    PyObject *operands = PyObject_CallFunction(find_operands, "Oi", site->code, site->instruction);
    if (operands == NULL) {
        return -1;
    }
    int done = operands == Py_None ||
               PyArg_ParseTuple(operands, "iip", &site->depth, &site->operands, &site->is_call);
    Py_DECREF(operands);
    return done ? 0 : -1;
#endif
}

/* Finds the site of the instruction that a frame executes: NULL where it calls nothing of interest. DECLINED means that
   the site was not known and is now: this executed Python, which may have changed the operands. NULL: an exception. */
static PyObject *
find_site(PyFrameObject *frame, struct site **site)
{
    PyObject *code = (PyObject *)PyFrame_GetCode(frame);
    int instruction = PyFrame_GetLasti(frame);
    *site = &sites[((uintptr_t)code / 16 + (uintptr_t)instruction) % (sizeof(sites) / sizeof(sites[0]))];
    if ((*site)->code == code && (*site)->instruction == instruction) {
        Py_DECREF(code);
        if ((*site)->operands < 0) {
            *site = NULL;
        }
        return Py_None;
    }
    struct site found = {code, instruction, -1, 0, 0};
    if (look_at(&found) < 0) {
        Py_DECREF(code);
        return NULL;
    }
    PyObject *old = (*site)->code;
    **site = found;
    Py_XDECREF(old);
    return DECLINED;
}

/* Whether the operands are those of the operator or function that a frame calls, where one of them has no other place. */
static int
are_operands(
    Function *self, PyFrameObject *frame, struct site *site, Py_ssize_t count, PyObject *const *xs, PyObject *candidate)
{
    if (site == NULL || site->operands != count) {
        return 0; /* also an operator of an extension type, whose code calls another one */
    }
#if PY_VERSION_HEX >= 0x030E0000
    return self->is_operator && PyUnstable_Object_IsUniqueReferencedTemporary(candidate);
#else
    struct _PyInterpreterFrame *inner = frame->f_frame;
    PyObject **first = inner->localsplus + ((PyCodeObject *)site->code)->co_nlocalsplus + site->depth - count;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (first[i] != xs[i]) {
            return 0;
        }
    }
    PyObject *callee = self->is_operator ? absolute : (PyObject *)self;
    return site->is_call ? first[-1] == callee || first[-2] == callee : self->is_operator;
#endif
}

static int
has_weak_references(PyObject *object)
{
    Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
    return offset != 0 && FIELD(object, offset) != NULL;
}

/* Whether a native array has memory of its own; another library's says so by its attribute `owns_memory`. */
static int
owns_memory(PyObject *native)
{
    if (PyArray_CheckExact(native)) {
        return PyArray_BASE((PyArrayObject *)native) == NULL;
    }
    PyObject *answer = PyObject_GetAttrString(native, "owns_memory");
    PyErr_Clear();
    Py_XDECREF(answer);
    return answer == Py_True;
}

/* Whether nothing but the operand refers to its memory, and nothing but one place to the operand. */
static int
is_alone(PyObject *x)
{
    if (Py_REFCNT(x) != 1 || !is_array(x)) {
        return 0;
    }
    PyObject *native = FIELD(x, array_native);
    return Py_REFCNT(native) == 1 && !has_weak_references(x) && !has_weak_references(native) && owns_memory(native);
}

/* Finds the operand that nobody can see any more once this function returns, borrowed; `*found` is NULL without one.
   Returns what find_site() returns. */
static PyObject *
find_temporary(Function *self, Py_ssize_t count, PyObject *const *xs, PyObject **found)
{
    *found = NULL;
    PyObject *candidate = !HAS_TEMPORARIES ? NULL : is_alone(xs[0]) ? xs[0] : count == 2 && is_alone(xs[1]) ? xs[1] : NULL;
    PyFrameObject *frame = candidate == NULL ? NULL : PyEval_GetFrame();
    if (frame == NULL) {
        return Py_None;
    }
    struct site *site;
    PyObject *state = find_site(frame, &site);
    if (state == Py_None && are_operands(self, frame, site, count, xs, candidate)) {
        *found = candidate;
    }
    return state;
}
