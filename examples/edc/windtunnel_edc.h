/* The C interface of decision components loaded as shared libraries (the one of Batsim 5: a library
 * built against either runs with both).
 *
 * Every function returns 0, or another number to end the simulation with an error.
 * Buffers handed to a function belong to the simulator and may be read during that call only.
 * Buffers handed back belong to the library and must stay as they are until its next call.
 */
#ifndef WINDTUNNEL_EDC_H
#define WINDTUNNEL_EDC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BATSIM_EDC_FORMAT_BINARY 0x1 /* flatbuffers, schema batprotocol.fbs */
#define BATSIM_EDC_FORMAT_JSON 0x2   /* the same as JSON text; sizes count the final NUL */

/* Called once, first. init_data is what the user gave for this component (not NUL-terminated).
 * Sets *flags to one of the formats, and the reply to a message of one EDCHelloEvent, in that format. */
uint8_t batsim_edc_init(const uint8_t *init_data, uint32_t init_size, uint32_t *flags,
                        uint8_t **reply_data, uint32_t *reply_size);

/* Called once, last (not after an error). */
uint8_t batsim_edc_deinit(void);

/* Called whenever something has happened; sets the reply to a message with decisions, maybe none. */
uint8_t batsim_edc_take_decisions(const uint8_t *what_happened, uint32_t what_happened_size,
                                  uint8_t **decisions, uint32_t *decisions_size);

#ifdef __cplusplus
}
#endif

#endif
