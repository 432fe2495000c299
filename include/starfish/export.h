/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linkage of the public functions. The library hides all symbols but those that are declared STARFISH_API. */
#ifndef STARFISH_EXPORT_H
#define STARFISH_EXPORT_H

#if defined(__GNUC__)
#define STARFISH_API __attribute__((visibility("default")))
#else
#define STARFISH_API
#endif

#endif
