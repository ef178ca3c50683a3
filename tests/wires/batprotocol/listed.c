/* A decision component that follows the rules in its initialisation data, in JSON. Its twin in Python: listed.py,
 * which says what rules look like. */
#include "windtunnel_edc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = 4000, JOBS = 4000, EVENTS = 8000, BUFFER = 1 << 22 };
struct rule { char event[64], id[128], type[64]; long nth, seen; double delay; char *body; };
struct job { char id[128]; long res; };
struct decision { double when; char *text; };

static struct rule rules[RULES];
static struct job queue[JOBS];
static struct decision decisions[EVENTS];
static char reply[BUFFER];
static long rule_count, head, tail, hosts, decision_count;
static int running, takes_turns;
static double now;

static const char *value(const char *json, const char *name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = json ? strstr(json, key) : NULL;
  return at ? at + strlen(key) + strspn(at + strlen(key), " \"") : NULL;
}

static void decide(double when, const char *type, const char *body) {
  struct decision *made = &decisions[decision_count++];
  size_t size = strlen(type) + strlen(body) + 128;
  made->when = when, made->text = malloc(size);
  snprintf(made->text, size, "{\"timestamp\":%.17g,\"event_type\":\"%s\",\"event\":%s}", when, type, body);
}

/* The body of a rule with @id, @res and @last filled in. */
static void fill(char *out, const char *body, const char *id, long res) {
  while (*body) {
    if (!strncmp(body, "@id", 3)) out += sprintf(out, "%s", id), body += 3;
    else if (!strncmp(body, "@res", 4)) out += sprintf(out, "%ld", res), body += 4;
    else if (!strncmp(body, "@last", 5)) out += sprintf(out, "%ld", res - 1), body += 5;
    else *out++ = *body++;
  }
  *out = 0;
}

static void fire(const char *event, const char *id, long res) {
  static char body[1 << 16];
  for (struct rule *rule = rules; rule < rules + rule_count; rule++) {
    if (strcmp(rule->event, event) || (strcmp(rule->id, "*") && strcmp(rule->id, id))) continue;
    rule->seen++;
    if (rule->nth && rule->nth != rule->seen) continue;
    fill(body, rule->body, id, res);
    decide(now + rule->delay, rule->type, body);
  }
}

static uint8_t answer(const char *text, uint8_t **out, uint32_t *size) {
  *out = (uint8_t *)text, *size = strlen(text) + 1;
  return 0;
}

uint8_t batsim_edc_init(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **out, uint32_t *out_size) {
  char *text = calloc(1, size + 1), *line, *rest;
  memcpy(text, data, size);
  *flags = BATSIM_EDC_FORMAT_JSON;
  rule_count = head = tail = hosts = running = takes_turns = 0;
  char *features = strtok_r(text, "\n", &rest);
  if (!features || !strcmp(features, "silent")) return answer("{\"now\":0,\"events\":[]}", out, out_size);
  while ((line = strtok_r(NULL, "\n", &rest)) && rule_count < RULES) {
    struct rule *rule = &rules[rule_count++];
    char *word;
    rule->seen = 0;
    snprintf(rule->event, sizeof rule->event, "%s", strtok_r(line, "\t", &word));
    snprintf(rule->id, sizeof rule->id, "%s", strtok_r(NULL, "\t", &word));
    rule->nth = atol(strtok_r(NULL, "\t", &word));
    rule->delay = atof(strtok_r(NULL, "\t", &word));
    snprintf(rule->type, sizeof rule->type, "%s", strtok_r(NULL, "\t", &word));
    rule->body = strtok_r(NULL, "\t", &word);
    takes_turns |= !strcmp(rule->event, "Turn");
  }
  snprintf(reply, sizeof reply, "{\"now\":0,\"events\":[{\"timestamp\":0,\"event_type\":\"EDCHelloEvent\",\"event\":{"
           "\"batprotocol_version\":\"1.0.0\",\"decision_component_name\":\"listed\",\"decision_component_version\":\"1\","
           "\"decision_component_commit\":\"\",\"requested_simulation_features\":%s}}]}", features);
  return answer(reply, out, out_size);
}

uint8_t batsim_edc_deinit(void) { return 0; }

static const char *key_of(const char *event) {
  if (!strncmp(event, "JobsKilled", 10)) return NULL;
  if (!strncmp(event, "Job", 3)) return "job_id";
  if (!strncmp(event, "RequestedCall", 13)) return "call_me_later_id";
  if (!strncmp(event, "Hosts", 5)) return "host_ids";
  if (!strncmp(event, "ProbeData", 9)) return "probe_id";
  return strncmp(event, "ExternalEvent", 13) ? NULL : "id";
}

static void hear(const char *at) {
  char event[64], id[128] = "";
  snprintf(event, sizeof event, "%.*s", (int)strcspn(at, "\""), at);
  const char *key = key_of(event), *found = key ? value(at, key) : NULL;
  long res = 0;
  if (found) snprintf(id, sizeof id, "%.*s", (int)strcspn(found, "\""), found);
  if (!strcmp(event, "SimulationBeginsEvent")) hosts = atol(value(at, "computation_host_number"));
  else if (!strcmp(event, "JobCompletedEvent")) running = 0;
  else if (!strcmp(event, "JobSubmittedEvent")) {
    res = atol(value(at, "resource_request"));
    if (takes_turns && tail < JOBS) {
      snprintf(queue[tail].id, sizeof queue[tail].id, "%s", id);
      queue[tail++].res = res;
    }
  }
  event[strlen(event) - 5] = 0; /* without "Event" */
  fire(event, id, res);
}

uint8_t batsim_edc_take_decisions(const uint8_t *json, uint32_t size, uint8_t **out, uint32_t *out_size) {
  const char *at = (const char *)json;
  (void)size, now = atof(value(at, "now")), decision_count = 0;
  while ((at = value(at, "event_type"))) hear(at);
  while (takes_turns && !running && head < tail) {
    struct job *job = &queue[head++];
    char body[256];
    snprintf(body, sizeof body, "{\"job_id\":\"%s\"}", job->id);
    if ((running = job->res <= hosts)) fire("Turn", job->id, job->res);
    else decide(now, "RejectJobEvent", body);
  }
  for (long i = 1; i < decision_count; i++) /* in order of date, else as they were made */
    for (long j = i; j > 0 && decisions[j - 1].when > decisions[j].when; j--) {
      struct decision kept = decisions[j];
      decisions[j] = decisions[j - 1], decisions[j - 1] = kept;
    }
  double until = decision_count && decisions[decision_count - 1].when > now ? decisions[decision_count - 1].when : now;
  char *end = reply + sprintf(reply, "{\"now\":%.17g,\"events\":[", until);
  for (long i = 0; i < decision_count; i++) {
    end += sprintf(end, "%s%s", i ? "," : "", decisions[i].text);
    free(decisions[i].text);
  }
  strcpy(end, "]}");
  return answer(reply, out, out_size);
}
