import { sendHttp } from './client.js';

/** Values in the metrics of a server. */
export interface Gauges {
  /** Megabytes of resident memory. */
  readonly memory: number;
  /** Longest delay of its event loop since the metrics were read last, in milliseconds. */
  readonly loopDelay: number;
}

/** The server's own histogram counts its interval of 10 ms as delay. */
const RESOLUTION_MS = 10;

export async function readGauges(url: string): Promise<Gauges> {
  const metrics = await metricsOf(url);
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? 0);
  return {
    memory: Math.round(value('process_resident_memory_bytes') / 1e6),
    loopDelay: Math.max(0, Math.round(value('nodejs_eventloop_lag_max_seconds') * 1_000) - RESOLUTION_MS),
  };
}

/** One value of the metrics, by its name with its labels; NaN where there is none. */
export async function metricOf(url: string, name: string): Promise<number> {
  const line = (await metricsOf(url)).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? NaN);
}

/** On a connection of its own: one that was open may just be closed. */
const metricsOf = async (url: string): Promise<string> => (await sendHttp(`${url}/metrics`)).text;
