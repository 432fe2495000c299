/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NumPy's .npy files: a magic string, a version, and a header that is a Python dictionary literal such as
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 * followed by the elements. Format: numpy.lib.format, NEP 1. */
#include "apps/files/npy.h"

#include "apps/files/output.h"
#include "apps/files/regular.h"
#include "base/real.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_LENGTH = 6, MAX_HEADER = 1 << 16 };

/* What an element is in the file. */
struct element_type {
    char name[4];                 /* without the byte order */
    starfish_precision precision; /* what it becomes */
    size_t size;
    int integer, is_signed;
};
static const struct element_type element_types[] = {
    {"f2", STARFISH_F32, 2, 0, 1}, {"f4", STARFISH_F32, 4, 0, 1}, {"f8", STARFISH_F64, 8, 0, 1},
    {"i1", STARFISH_F64, 1, 1, 1}, {"i2", STARFISH_F64, 2, 1, 1}, {"i4", STARFISH_F64, 4, 1, 1},
    {"i8", STARFISH_F64, 8, 1, 1}, {"u1", STARFISH_F64, 1, 1, 0}, {"u2", STARFISH_F64, 2, 1, 0},
    {"u4", STARFISH_F64, 4, 1, 0}, {"u8", STARFISH_F64, 8, 1, 0}, {"b1", STARFISH_F64, 1, 1, 0},
};

struct header {
    const struct element_type *type;
    int swap; /* the file's byte order is not ours */
    int fortran_order;
    size_t rank, shape[STARFISH_MAX_RANK];
};

/* ---- the header's dictionary ------------------------------------------------------------------------------------- */

struct parser {
    const char *path, *at;
    struct header *header;
};

static void skip_blanks(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        ++parser->at;
}

static int accept(struct parser *parser, char wanted)
{
    skip_blanks(parser);
    if (*parser->at != wanted)
        return 0;
    ++parser->at;
    return 1;
}

/* A quoted string without escapes into `text`. */
static int accept_string(struct parser *parser, char *text, size_t size)
{
    skip_blanks(parser);
    char quote = *parser->at;
    const char *end = quote == '\'' || quote == '"' ? strchr(parser->at + 1, quote) : NULL;
    if (!end || (size_t)(end - parser->at) > size)
        return 0;
    size_t length = (size_t)(end - parser->at) - 1;
    memcpy(text, parser->at + 1, length);
    text[length] = '\0';
    parser->at = end + 1;
    return 1;
}

static int accept_word(struct parser *parser, const char *word)
{
    skip_blanks(parser);
    if (strncmp(parser->at, word, strlen(word)) != 0)
        return 0;
    parser->at += strlen(word);
    return 1;
}

static starfish_status parse_descr(struct parser *parser)
{
    char text[32];
    const char ours = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    STARFISH_FAIL_IF(!accept_string(parser, text, sizeof text), STARFISH_ERROR_FILE,
                     "%s: not an array of plain numbers", parser->path);
    for (size_t i = 0; i < sizeof element_types / sizeof element_types[0]; ++i)
        if ((text[0] == '<' || text[0] == '>' || (text[0] == '|' && element_types[i].size == 1)) &&
            strcmp(text + 1, element_types[i].name) == 0)
            parser->header->type = &element_types[i];
    STARFISH_FAIL_IF(!parser->header->type, STARFISH_ERROR_FILE,
                     "%s: element type '%s' is not one of f2, f4, f8, i1 to i8, u1 to u8", parser->path, text);
    parser->header->swap = text[0] != ours && parser->header->type->size > 1;
    return STARFISH_SUCCESS;
}

static starfish_status parse_order(struct parser *parser)
{
    parser->header->fortran_order = accept_word(parser, "True");
    STARFISH_FAIL_IF(!parser->header->fortran_order && !accept_word(parser, "False"), STARFISH_ERROR_FILE,
                     "%s: bad .npy header: fortran_order is neither True nor False", parser->path);
    return STARFISH_SUCCESS;
}

static starfish_status parse_shape(struct parser *parser)
{
    struct header *header = parser->header;
    header->rank = 0;
    STARFISH_FAIL_IF(!accept(parser, '('), STARFISH_ERROR_FILE, "%s: bad .npy header: shape is not a tuple",
                     parser->path);
    while (!accept(parser, ')')) {
        char *end = NULL;
        skip_blanks(parser);
        errno = 0;
        unsigned long long extent = strtoull(parser->at, &end, 10);
        STARFISH_FAIL_IF(!isdigit((unsigned char)*parser->at) || errno != 0 || extent > SIZE_MAX, STARFISH_ERROR_FILE,
                         "%s: bad .npy header: an extent of the shape is not a size", parser->path);
        STARFISH_FAIL_IF(header->rank == STARFISH_MAX_RANK, STARFISH_ERROR_FILE, "%s: has more than 4 dimensions",
                         parser->path);
        header->shape[header->rank++] = (size_t)extent;
        parser->at = end;
        STARFISH_FAIL_IF(!accept(parser, ',') && *parser->at != ')', STARFISH_ERROR_FILE,
                         "%s: bad .npy header: shape is not a tuple", parser->path);
    }
    return STARFISH_SUCCESS;
}

/* `header` starts empty. */
static starfish_status parse_header(const char *path, const char *text, struct header *header)
{
    static const struct {
        const char *name;
        starfish_status (*parse)(struct parser *parser);
    } keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    struct parser parser = {path, text, header};
    unsigned seen = 0;
    STARFISH_FAIL_IF(!accept(&parser, '{'), STARFISH_ERROR_FILE, "%s: bad .npy header: not a dictionary", path);
    while (!accept(&parser, '}')) {
        char key[32];
        size_t k = 0;
        STARFISH_FAIL_IF(!accept_string(&parser, key, sizeof key) || !accept(&parser, ':'), STARFISH_ERROR_FILE,
                         "%s: bad .npy header: not a dictionary", path);
        while (k < KEYS && strcmp(key, keys[k].name) != 0)
            ++k;
        STARFISH_FAIL_IF(k == KEYS || (seen & 1u << k), STARFISH_ERROR_FILE,
                         "%s: bad .npy header: key '%s' is unknown or repeated", path, key);
        seen |= 1u << k;
        STARFISH_TRY(keys[k].parse(&parser));
        STARFISH_FAIL_IF(!accept(&parser, ',') && *parser.at != '}', STARFISH_ERROR_FILE,
                         "%s: bad .npy header: not a dictionary", path);
    }
    STARFISH_FAIL_IF(seen != (1u << KEYS) - 1, STARFISH_ERROR_FILE,
                     "%s: bad .npy header: descr, fortran_order or shape is missing", path);
    return STARFISH_SUCCESS;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The header's text, terminated, in `text`; the stream is left at the first element. */
static starfish_status read_header_text(FILE *stream, const char *path, char text[MAX_HEADER + 1])
{
    unsigned char start[MAGIC_LENGTH + 2], size_bytes[4] = {0};
    STARFISH_FAIL_IF(fread(start, 1, sizeof start, stream) != sizeof start || memcmp(start, magic, MAGIC_LENGTH) != 0,
                     STARFISH_ERROR_FILE, "%s: not a .npy file", path);
    unsigned version = start[MAGIC_LENGTH];
    STARFISH_FAIL_IF(version < 1 || version > 3, STARFISH_ERROR_FILE, "%s: .npy version %u is not 1, 2 or 3", path,
                     version);
    size_t width = version == 1 ? 2 : 4;
    STARFISH_FAIL_IF(fread(size_bytes, 1, width, stream) != width, STARFISH_ERROR_FILE, "%s: truncated in its header",
                     path);
    size_t size =
        size_bytes[0] | (size_t)size_bytes[1] << 8 | (size_t)size_bytes[2] << 16 | (size_t)size_bytes[3] << 24;
    STARFISH_FAIL_IF(size > MAX_HEADER, STARFISH_ERROR_FILE, "%s: bad .npy header: too long", path);
    STARFISH_FAIL_IF(fread(text, 1, size, stream) != size, STARFISH_ERROR_FILE, "%s: truncated in its header", path);
    text[size] = '\0';
    return STARFISH_SUCCESS;
}

/* Before memory is asked for: does the file hold what its header promises? */
static starfish_status check_size(FILE *stream, const char *path, const struct header *header)
{
    struct stat file;
    long long start = (long long)ftello(stream);
    size_t bytes;
    STARFISH_FAIL_IF(starfish_array_bytes(STARFISH_F64, header->rank, header->shape, &bytes) != STARFISH_SUCCESS,
                     STARFISH_ERROR_FILE, "%s: %s", path, starfish_error_message());
    bytes = bytes / sizeof(double) * header->type->size;
    STARFISH_FAIL_IF(fstat(fileno(stream), &file) != 0 || start < 0, STARFISH_ERROR_FILE, "%s: %s", path,
                     strerror(errno));
    long long there = (long long)file.st_size - start;
    STARFISH_FAIL_IF(there < (long long)bytes, STARFISH_ERROR_FILE,
                     "%s: truncated: %lld bytes of elements where the header promises %zu", path, there, bytes);
    STARFISH_FAIL_IF(there > (long long)bytes, STARFISH_ERROR_FILE, "%s: %lld bytes follow the last element", path,
                     there - (long long)bytes);
    return STARFISH_SUCCESS;
}

static void swap_bytes(void *data, size_t count, size_t size)
{
    if (size == 2) {
        uint16_t *words = data;
        for (size_t i = 0; i < count; ++i)
            words[i] = __builtin_bswap16(words[i]);
    } else if (size == 4) {
        uint32_t *words = data;
        for (size_t i = 0; i < count; ++i)
            words[i] = __builtin_bswap32(words[i]);
    } else {
        uint64_t *words = data;
        for (size_t i = 0; i < count; ++i)
            words[i] = __builtin_bswap64(words[i]);
    }
}

/* The integer of `size` bytes at `from`. */
static double integer_at(const char *from, size_t size, int is_signed)
{
    uint64_t word = 0;
    for (size_t byte = 0; byte < size; ++byte) {
        const size_t place = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? byte : size - 1 - byte;
        word |= (uint64_t)(unsigned char)from[place] << (8 * byte);
    }
    if (!is_signed || size == 0)
        return (double)word;
    const unsigned unused = 64 - 8 * (unsigned)size;
    return (double)((int64_t)(word << unused) >> unused);
}

/* IEEE half precision: a sign, 5 bits of exponent, 10 of fraction. */
static float half_at(const char *from)
{
    const int word = (int)integer_at(from, 2, 0), exponent = word >> 10 & 31, fraction = word & 1023;
    const float size = exponent == 31
                           ? (fraction ? NAN : INFINITY)
                           : ldexpf((float)(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
    return word >> 15 ? -size : size;
}

/* Integers to doubles, halves to floats, in place: they occupy the first part of the array, so go from the end. */
static void to_reals(void *data, size_t count, const struct element_type *type)
{
    for (size_t i = count; i-- > 0;) {
        const char *from = (const char *)data + i * type->size;
        if (type->integer) {
            const double value = integer_at(from, type->size, type->is_signed);
            memcpy((char *)data + i * sizeof value, &value, sizeof value);
        } else {
            const float value = half_at(from);
            memcpy((char *)data + i * sizeof value, &value, sizeof value);
        }
    }
}

/* Elements of the file to those of the array. */
static void convert(const struct header *header, void *data, size_t count)
{
    if (header->swap)
        swap_bytes(data, count, header->type->size);
    if (header->type->integer || header->type->size == 2)
        to_reals(data, count, header->type);
}

static starfish_status fail_short(const char *path)
{
    return starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be read to its end", path);
}

/* Elements `first`, `first` + 1, ... */
static starfish_status read_run(FILE *stream, const char *path, const struct header *header, size_t first,
                                struct starfish_array *array)
{
    const size_t count = starfish_array_count(array), size = header->type->size;
    if (fseeko(stream, (off_t)(first * size), SEEK_CUR) != 0 || fread(array->data, size, count, stream) != count)
        return fail_short(path);
    convert(header, array->data, count);
    return STARFISH_SUCCESS;
}

/* From first-fastest to last-fastest: each line of the file, along the first dimension, has one element, or those from
 * `first` on, of every plane. */
static starfish_status read_lines(FILE *stream, const char *path, const struct header *header, size_t first,
                                  struct starfish_array *array)
{
    const size_t length = header->shape[0], size = starfish_real_size(array->precision);
    size_t extent[STARFISH_MAX_RANK] = {1, 1, 1, 1}, plane = 1, at[STARFISH_MAX_RANK] = {0};
    for (size_t d = 1; d < header->rank; ++d)
        plane *= extent[d] = header->shape[d];
    const size_t most = sizeof(double); /* bytes of an element */
    char *line = malloc((length + 1) * most);
    STARFISH_FAIL_IF(!line, STARFISH_ERROR_MEMORY, "no memory for a line of %zu elements", length);
    size_t read = 0;
    for (; read < plane && fread(line, header->type->size, length, stream) == length; ++read) {
        convert(header, line, length);
        const size_t target = (at[1] * extent[2] + at[2]) * extent[3] + at[3];
        for (size_t k = 0; k < array->shape[0]; ++k)
            memcpy((char *)array->data + (k * plane + target) * size, line + (first + k) * size, size);
        for (size_t d = 1; d < STARFISH_MAX_RANK && ++at[d] == extent[d]; ++d)
            at[d] = 0;
    }
    free(line);
    return read == plane || length == 0 ? STARFISH_SUCCESS : fail_short(path);
}

static starfish_status read_elements(FILE *stream, const char *path, const struct header *header,
                                     const struct starfish_wanted *wanted, struct starfish_array *array)
{
    size_t shape[STARFISH_MAX_RANK], plane = 1;
    const size_t first = wanted && wanted->part ? wanted->first : 0;
    starfish_wanted_part(wanted, header->rank, header->shape, shape);
    STARFISH_TRY(starfish_array_create(array, header->type->precision, header->rank, shape));
    for (size_t d = 1; d < header->rank; ++d)
        plane *= header->shape[d];
    return header->fortran_order && header->rank > 1 ? read_lines(stream, path, header, first, array)
                                                     : read_run(stream, path, header, first * plane, array);
}

static starfish_status read_stream(FILE *stream, const char *path, const struct starfish_wanted *wanted,
                                   struct starfish_array *array)
{
    struct header header = {.type = NULL};
    char *text = malloc(MAX_HEADER + 1);
    STARFISH_FAIL_IF(!text, STARFISH_ERROR_MEMORY, "%s: no memory for its header", path);
    starfish_status status = read_header_text(stream, path, text);
    STARFISH_THEN(status, parse_header(path, text, &header));
    free(text);
    STARFISH_TRY(status);
    STARFISH_TRY(check_size(stream, path, &header));
    STARFISH_TRY(starfish_wanted_check(wanted, header.rank, header.shape));
    status = read_elements(stream, path, &header, wanted, array);
    if (status == STARFISH_ERROR_MEMORY)
        starfish_fail(status, "%s: %s", path, starfish_error_message());
    return status;
}

starfish_status starfish_npy_read(const char *path, const struct starfish_wanted *wanted, struct starfish_array *array)
{
    FILE *stream;
    *array = (struct starfish_array){.data = NULL};
    STARFISH_TRY(starfish_regular_open(path, &stream));
    starfish_status status = read_stream(stream, path, wanted, array);
    fclose(stream);
    if (status != STARFISH_SUCCESS)
        starfish_array_free(array);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void starfish_npy_write_header(FILE *stream, const struct starfish_array *array)
{
    enum { PREFIX = MAGIC_LENGTH + 4, ALIGNMENT = 64 };
    char text[256], shape[STARFISH_SHAPE_TEXT];
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    int length = snprintf(text, sizeof text, "{'descr': '%cf%zu', 'fortran_order': False, 'shape': %s, }", order,
                          starfish_real_size(array->precision), starfish_shape_text(array->rank, array->shape, shape));
    size_t size = ((size_t)(PREFIX + length + 1 + ALIGNMENT - 1) / ALIGNMENT) * ALIGNMENT - PREFIX;
    unsigned char prefix[PREFIX];
    memcpy(prefix, magic, MAGIC_LENGTH);
    prefix[MAGIC_LENGTH] = 1;
    prefix[MAGIC_LENGTH + 1] = 0;
    prefix[MAGIC_LENGTH + 2] = (unsigned char)(size & 0xff);
    prefix[MAGIC_LENGTH + 3] = (unsigned char)(size >> 8);
    fwrite(prefix, 1, PREFIX, stream);
    fprintf(stream, "%-*s\n", (int)size - 1, text);
}

starfish_status starfish_npy_write(const char *path, const struct starfish_array *array)
{
    struct starfish_output output;
    STARFISH_TRY(starfish_output_open(&output, path));
    starfish_npy_write_header(output.stream, array);
    fwrite(array->data, starfish_real_size(array->precision), starfish_array_count(array), output.stream);
    return starfish_output_finish(&output, STARFISH_SUCCESS);
}
