// First come, first served, in C++ with flatbuffers (Debian: libflatbuffers-dev, flatbuffers-compiler).
// Build: flatc --cpp batprotocol.fbs && c++ -shared -fPIC -o libfcfs.so fcfs.cpp
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batprotocol_generated.h"
#include "windtunnel_edc.h"

using namespace batprotocol::fb;

struct Waiting {
  std::string id;
  uint32_t hosts;
};
static flatbuffers::FlatBufferBuilder builder;
static std::vector<flatbuffers::Offset<EventAndTimestamp>> events;
static std::deque<Waiting> waiting;
static std::set<uint32_t> available;
static std::map<std::string, std::vector<uint32_t>> running;
static uint32_t site = 0;

static void finish(double now, uint8_t **data, uint32_t *size) {
  builder.Finish(CreateMessageDirect(builder, now, &events));
  *data = builder.GetBufferPointer(), *size = builder.GetSize();
}

static void execute(const Waiting &job, double now) {
  std::vector<uint32_t> &hosts = running[job.id];
  std::string text;
  while (hosts.size() < job.hosts) {
    hosts.push_back(*available.begin());
    text += (text.empty() ? "" : " ") + std::to_string(hosts.back());
    available.erase(available.begin());
  }
  auto placement = CreatePredefinedExecutorPlacementStrategyWrapper(builder).Union();
  auto allocation = CreateAllocationPlacementDirect(
      builder, text.c_str(), ExecutorPlacement_PredefinedExecutorPlacementStrategyWrapper, placement);
  auto event = CreateExecuteJobEventDirect(builder, job.id.c_str(), allocation).Union();
  events.push_back(CreateEventAndTimestamp(builder, now, Event_ExecuteJobEvent, event));
}

extern "C" uint8_t batsim_edc_init(const uint8_t *, uint32_t, uint32_t *flags, uint8_t **data, uint32_t *size) {
  *flags = BATSIM_EDC_FORMAT_BINARY;
  auto features = CreateEDCRequestedSimulationFeatures(builder);
  auto hello = CreateEDCHelloEventDirect(builder, "1.0.0", "", "fcfs-cpp", "1.0", "", features).Union();
  events.assign(1, CreateEventAndTimestamp(builder, 0, Event_EDCHelloEvent, hello));
  finish(0, data, size);
  return 0;
}

extern "C" uint8_t batsim_edc_deinit() { return 0; }

extern "C" uint8_t batsim_edc_take_decisions(const uint8_t *happened, uint32_t, uint8_t **data, uint32_t *size) {
  const Message *message = GetMessage(happened);
  builder.Clear(), events.clear();
  for (const EventAndTimestamp *stamped : *message->events()) {
    if (auto begins = stamped->event_as_SimulationBeginsEvent()) {
      for (site = 0; site < begins->computation_host_number(); site++) available.insert(site);
    } else if (auto submitted = stamped->event_as_JobSubmittedEvent()) {
      waiting.push_back({submitted->job_id()->str(), submitted->job()->resource_request()});
    } else if (auto completed = stamped->event_as_JobCompletedEvent()) {
      auto ended = running.find(completed->job_id()->str());
      available.insert(ended->second.begin(), ended->second.end());
      running.erase(ended);
    }
  }
  for (; !waiting.empty() && (waiting.front().hosts > site || waiting.front().hosts <= available.size()); waiting.pop_front()) {
    if (waiting.front().hosts <= site) {
      execute(waiting.front(), message->now());
    } else {
      auto rejected = CreateRejectJobEventDirect(builder, waiting.front().id.c_str()).Union();
      events.push_back(CreateEventAndTimestamp(builder, message->now(), Event_RejectJobEvent, rejected));
    }
  }
  finish(message->now(), data, size);
  return 0;
}
