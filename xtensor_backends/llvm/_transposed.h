/* Copies of arrays whose elements lie in memory in another order than in the result: transposed matrices, moved axes.

   NumPy goes over one of the two arrays with steps of a row, so that it reads, or writes, a line of the caches for each
   element. Here tiles of a few lines of both are copied, through a buffer where there are many rows and columns. The file
   needs C11, and nothing of Python. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Most axes of an array, NumPy's. */
#define MOST_AXES 64

/* Bytes of a row and of a column of a tile. */
#define TILE_LINE 128

/* Rows or columns up to which they are few: a tile has all of them, and fits into the first cache. */
#define FEW 16
#define FIRST_CACHE 16384

/* One copy. The last axis is the one along which the elements of the result are adjacent, the near one that along which
   those of the source are nearest to each other. Steps are in bytes. */
typedef struct {
    const char *source;
    char *result;
    int64_t item;                                  /* bytes of an element */
    int64_t columns, columns_step;                 /* length of the last axis, and its step in the source */
    int64_t rows, rows_step, rows_step_of_result;  /* the same of the near axis */
    int axes;                                      /* number of the other axes */
    int64_t lengths[MOST_AXES], steps[MOST_AXES], steps_of_result[MOST_AXES];
    int64_t tile_rows, tile_columns;               /* most of a tile */
    int64_t down, across;                          /* tiles along the near and the last axis */
    int64_t tiles;                                 /* number of all tiles */
} transposition;

/* Prepare a copy into row-major order. Return false where the elements lie in such an order that a plain copy is as good.
   The lengths and steps are changed. */
static bool prepare_transposition(transposition *copy, int axes, int64_t *lengths, int64_t *steps, int64_t item)
{
    int count = 0, near = -1;
    int64_t adjacent = item;
    copy->item = item;
    copy->tiles = 1;
    for (int axis = 0; axis < axes; axis++) { /* adjacent axes of one step are one */
        if (lengths[axis] == 0)
            return false;
        if (lengths[axis] == 1)
            continue;
        if (count > 0 && steps[count - 1] == steps[axis] * lengths[axis]) {
            lengths[count - 1] *= lengths[axis];
            steps[count - 1] = steps[axis];
        }
        else {
            lengths[count] = lengths[axis];
            steps[count++] = steps[axis];
        }
    }
    for (int axis = 0; axis < count - 1; axis++)
        if (steps[axis] != 0 && (near < 0 || llabs(steps[axis]) < llabs(steps[near])))
            near = axis;
    if (near < 0 || llabs(steps[near]) >= llabs(steps[count - 1]))
        return false;
    copy->axes = 0;
    for (int axis = count - 1; axis >= 0; axis--) {
        if (axis == count - 1) {
            copy->columns = lengths[axis];
            copy->columns_step = steps[axis];
        }
        else if (axis == near) {
            copy->rows = lengths[axis];
            copy->rows_step = steps[axis];
            copy->rows_step_of_result = adjacent;
        }
        else {
            copy->lengths[copy->axes] = lengths[axis];
            copy->steps[copy->axes] = steps[axis];
            copy->steps_of_result[copy->axes++] = adjacent;
            copy->tiles *= lengths[axis];
        }
        adjacent *= lengths[axis];
    }
    copy->tile_rows = copy->tile_columns = TILE_LINE / item;
    if (copy->columns <= FEW || copy->rows <= FEW) {
        int64_t few = copy->columns < copy->rows ? copy->columns : copy->rows, many = FIRST_CACHE / (few * item);
        copy->tile_columns = copy->columns < copy->rows ? few : many;
        copy->tile_rows = copy->columns < copy->rows ? many : few;
    }
    copy->down = (copy->rows + copy->tile_rows - 1) / copy->tile_rows;
    copy->across = (copy->columns + copy->tile_columns - 1) / copy->tile_columns;
    copy->tiles *= copy->down * copy->across;
    return true;
}

/* Copy the rows and columns of one tile. */
#define COPY_TILE(type, name)                                                                                          \
    static void copy_tile_##name(                                                                                      \
        const transposition *copy, const char *source, char *result, int64_t rows, int64_t columns)                    \
    {                                                                                                                  \
        int64_t columns_step = copy->columns_step, rows_step = copy->rows_step, wide = copy->rows_step_of_result;      \
        if (copy->rows <= FEW) {                                                                                       \
            for (int64_t row = 0; row < rows; row++, source += rows_step, result += wide)                              \
                for (int64_t column = 0; column < columns; column++)                                                   \
                    memcpy(result + column * (int64_t)sizeof(type), source + column * columns_step, sizeof(type));     \
            return;                                                                                                    \
        }                                                                                                              \
        if (copy->columns <= FEW) {                                                                                    \
            for (int64_t column = 0; column < columns; column++, source += columns_step, result += sizeof(type))       \
                for (int64_t row = 0; row < rows; row++)                                                               \
                    memcpy(result + row * wide, source + row * rows_step, sizeof(type));                               \
            return;                                                                                                    \
        }                                                                                                              \
        type tile[TILE_LINE / sizeof(type)][TILE_LINE / sizeof(type)];                                                 \
        for (int64_t column = 0; column < columns; column++)                                                           \
            for (int64_t row = 0; row < rows; row++)                                                                   \
                memcpy(&tile[row][column], source + column * columns_step + row * rows_step, sizeof(type));            \
        for (int64_t row = 0; row < rows; row++)                                                                       \
            memcpy(result + row * wide, tile[row], (size_t)columns * sizeof(type));                                    \
    }

typedef struct {
    uint64_t parts[2];
} uint128;

COPY_TILE(uint8_t, 1)
COPY_TILE(uint16_t, 2)
COPY_TILE(uint32_t, 4)
COPY_TILE(uint64_t, 8)
COPY_TILE(uint128, 16)

/* A job: the tiles of a part. */
static void copy_tiles(void *arguments, int64_t part, int64_t parts)
{
    const transposition *copy = arguments;
    int64_t last = copy->tiles / parts * (part + 1) + (part + 1 == parts ? copy->tiles % parts : 0);
    for (int64_t tile = copy->tiles / parts * part; tile < last; tile++) {
        int64_t column = tile % copy->across * copy->tile_columns, rest = tile / copy->across;
        int64_t row = rest % copy->down * copy->tile_rows;
        const char *source = copy->source + column * copy->columns_step + row * copy->rows_step;
        char *result = copy->result + column * copy->item + row * copy->rows_step_of_result;
        rest /= copy->down;
        for (int axis = 0; axis < copy->axes; axis++) {
            source += rest % copy->lengths[axis] * copy->steps[axis];
            result += rest % copy->lengths[axis] * copy->steps_of_result[axis];
            rest /= copy->lengths[axis];
        }
        int64_t rows = copy->rows - row < copy->tile_rows ? copy->rows - row : copy->tile_rows;
        int64_t columns = copy->columns - column < copy->tile_columns ? copy->columns - column : copy->tile_columns;
        switch (copy->item) {
        case 1: copy_tile_1(copy, source, result, rows, columns); break;
        case 2: copy_tile_2(copy, source, result, rows, columns); break;
        case 4: copy_tile_4(copy, source, result, rows, columns); break;
        case 8: copy_tile_8(copy, source, result, rows, columns); break;
        default: copy_tile_16(copy, source, result, rows, columns); break;
        }
    }
}
