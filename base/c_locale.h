/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C locale for one thread: numbers have a decimal point, whatever locale the host program has chosen.
 *
 * setlocale would change the locale of all threads of the host program; uselocale changes that of the calling thread
 * alone. */
#ifndef STARFISH_BASE_C_LOCALE_H
#define STARFISH_BASE_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/* The calling thread has the C locale from here to starfish_c_locale_leave, which takes what this returns. Nests. Costs
 * some nanoseconds. Where memory is out, the locale stays as it is. */
locale_t starfish_c_locale_enter(void);
void starfish_c_locale_leave(locale_t before);

/* vsnprintf, snprintf and strtod in the C locale. */
int starfish_print_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int starfish_print(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
double starfish_read_real(const char *text, char **end);

#endif
