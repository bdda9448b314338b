import type { Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpaces from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import memory from 'prom-client/lib/metrics/osMemoryHeap.js';
import cpu from 'prom-client/lib/metrics/processCpuTotal.js';
import handles from 'prom-client/lib/metrics/processHandles.js';
import maxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import openFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import requests from 'prom-client/lib/metrics/processRequests.js';
import resources from 'prom-client/lib/metrics/processResources.js';
import startTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';

const METRICS = [
  cpu,
  startTime,
  memory,
  openFileDescriptors,
  maxFileDescriptors,
  eventLoopLag,
  resources,
  handles,
  requests,
  heapSizeAndUsed,
  heapSpaces,
  version,
];

/** Interval at which the event loop delay is sampled. */
const PRECISION_MS = 10;

/**
 * Adds the metrics of `collectDefaultMetrics` except garbage collection durations. Observing those allocates
 * objects at each of about 100 collections a second; they made up 40 % of the objects that survive until a
 * full collection.
 */
export function addProcessMetrics(register: Registry): void {
  for (const add of METRICS) add(register, { eventLoopMonitoringPrecision: PRECISION_MS });
}
