/* A scheduler in plain C, JSON format: jobs run one at a time, in order; those too large are rejected.
 * Build: cc -shared -fPIC -o libone_by_one.so one_by_one.c */
#include "windtunnel_edc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char reply[1 << 20], queue[100000][128]; /* waiting jobs: "hosts id" */
static int head, tail, running, hosts;
static double now;

/* The value of the next member of this name; its end is the next quote or comma. */
static const char *value(const char *json, const char *name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = json ? strstr(json, key) : NULL;
  return at ? at + strlen(key) + strspn(at + strlen(key), " \"") : NULL;
}

static void decide(const char *type, const char *job, const char *more) {
  char *end = reply + strlen(reply);
  snprintf(end, reply + sizeof reply - 8 - end, "%s{\"timestamp\":%.17g,\"event_type\":\"%s\",\"event\":{\"job_id\":\"%s\"%s}}",
           end[-1] == '[' ? "" : ",", now, type, job, more);
}

uint8_t batsim_edc_init(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **out, uint32_t *out_size) {
  (void)data, (void)size;
  *flags = BATSIM_EDC_FORMAT_JSON;
  strcpy(reply, "{\"now\":0,\"events\":[{\"timestamp\":0,\"event_type\":\"EDCHelloEvent\",\"event\":{"
                "\"batprotocol_version\":\"1.0.0\",\"decision_component_name\":\"one_by_one\",\"decision_component_version\":"
                "\"1.0\",\"decision_component_commit\":\"\",\"requested_simulation_features\":{}}}]}");
  *out = (uint8_t *)reply, *out_size = strlen(reply) + 1;
  return 0;
}

uint8_t batsim_edc_deinit(void) { return 0; }

uint8_t batsim_edc_take_decisions(const uint8_t *json, uint32_t size, uint8_t **out, uint32_t *out_size) {
  const char *at = (const char *)json, *text = value(at, "now");
  (void)size, now = text ? atof(text) : now;
  sprintf(reply, "{\"now\":%.17g,\"events\":[", now);
  while ((at = value(at, "event_type"))) {
    if (!strncmp(at, "SimulationBegins", 16)) hosts = atoi(value(at, "computation_host_number"));
    else if (!strncmp(at, "JobCompleted", 12)) running = 0;
    else if (!strncmp(at, "JobSubmitted", 12) && tail < 100000) {
      const char *job = value(at, "job_id");
      snprintf(queue[tail++], 128, "%d %.*s", atoi(value(at, "resource_request")), (int)strcspn(job, "\""), job);
    }
  }
  for (; !running && head < tail; head++) {
    char *job = strchr(queue[head], ' ') + 1, more[256];
    int wanted = atoi(queue[head]);
    snprintf(more, sizeof more, ",\"allocation\":{\"host_allocation\":\"0-%d\",\"executor_placement_type\":"
             "\"PredefinedExecutorPlacementStrategyWrapper\",\"executor_placement\":{}}", wanted - 1);
    if ((running = wanted <= hosts)) decide("ExecuteJobEvent", job, more);
    else decide("RejectJobEvent", job, "");
  }
  strcat(reply, "]}"), *out = (uint8_t *)reply, *out_size = strlen(reply) + 1;
  return 0;
}
