/* Types shared by every part of the interface. */
#ifndef STARFISH_TYPES_H
#define STARFISH_TYPES_H

/* Precision of a field and of the arithmetic done on it. */
typedef enum starfish_precision { STARFISH_F32 = 0, STARFISH_F64 = 1 } starfish_precision;

#endif
