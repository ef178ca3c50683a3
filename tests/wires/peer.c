/* Decision components that misbehave in every way: the first byte of init_data says how. */
#include "windtunnel_edc.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *HELLO =
    "{\"now\":0,\"events\":[{\"timestamp\":0,\"event_type\":\"EDCHelloEvent\",\"event\":{\"batprotocol_version\":\"1.0.0\","
    "\"decision_component_name\":\"peer\",\"decision_component_version\":\"2\",\"requested_simulation_features\":{}}}]}";
static char mode;
static uint8_t buffer[100000];
static uint32_t calls;

static uint8_t give(const char *text, uint8_t **out, uint32_t *size) {
  strcpy((char *)buffer, text);
  *out = buffer, *size = strlen(text) + 1;
  return 0;
}

uint8_t batsim_edc_init(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **out, uint32_t *out_size) {
  mode = size ? (char)data[0] : 'o';
  *flags = BATSIM_EDC_FORMAT_JSON;
  switch (mode) {
  case 'I': return 3;
  case 'H': *out = buffer, *out_size = 0; return 0;
  case 'T': return give("{\"now\":0,\"events\":[]}", out, out_size);
  case 'i': raise(SIGSEGV); break;
  case 'l': for (;;) pause();
  case 'R': /* flags, then the hello, as given */
    *flags = data[1];
    memcpy(buffer, data + 2, size - 2);
    *out = buffer, *out_size = size - 2;
    return 0;
  }
  return give(HELLO, out, out_size);
}

uint8_t batsim_edc_deinit(void) {
  if (mode == 'D') { /* leave a trace */
    FILE *file = fopen(getenv("PEER_TRACE"), "w");
    if (file) fputs("deinit", file), fclose(file);
  }
  return mode == 'd' ? 9 : 0; /* to be ignored */
}

uint8_t batsim_edc_take_decisions(const uint8_t *json, uint32_t size, uint8_t **out, uint32_t *out_size) {
  calls++;
  switch (mode) {
  case 'N': *out = NULL, *out_size = 10; return 0;
  case 'E': return 7;
  case 'C': raise(SIGSEGV); break;
  case 'L': for (;;) pause();
  case 'X': _exit(9);
  case 'x': exit(0);
  case 'Q': raise(SIGRTMIN + 3); break;
  case 'G': return give("not JSON", out, out_size);
  case 'B': return give("{\"now\":0,\"events\":[{\"timestamp\":1e9,\"event_type\":\"FinishRegistrationEvent\",\"event\":{}}]}", out, out_size);
  case 'R': /* say it again */
    memcpy(buffer, json, size);
    *out = buffer, *out_size = size;
    return 0;
  case 'K': snprintf((char *)buffer, 100, "%u", calls); *out = buffer, *out_size = strlen((char *)buffer); return 0;
  }
  return give("{\"now\":0,\"events\":[]}", out, out_size);
}
