/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C locale for one thread. The locale object is made once and kept to the end of the process. */
#include "base/c_locale.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;

static void make_once(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t starfish_c_locale_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_once);
    return uselocale(c_locale); /* 0 changes nothing */
}

void starfish_c_locale_leave(locale_t before)
{
    uselocale(before);
}

int starfish_print_list(char *text, size_t size, const char *format, va_list arguments)
{
    const locale_t before = starfish_c_locale_enter();
    const int length = vsnprintf(text, size, format, arguments);
    starfish_c_locale_leave(before);
    return length;
}

int starfish_print(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = starfish_print_list(text, size, format, arguments);
    va_end(arguments);
    return length;
}

double starfish_read_real(const char *text, char **end)
{
    const locale_t before = starfish_c_locale_enter();
    const double value = strtod(text, end);
    starfish_c_locale_leave(before);
    return value;
}
