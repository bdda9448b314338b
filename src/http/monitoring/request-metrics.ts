import { Counter, type Registry } from 'prom-client';

import { SECOND } from '../../platform/clock.js';
import { Durations, type Series } from './durations.js';

/** `path` is the documented one, for example `/v1/apps/{app_id}`. */
export interface MeasuredRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

interface Counted extends MeasuredRequest {
  readonly durations: Series;
  total: number;
}

/** Counts requests with a response, and measures them from their headers to the end of the response, in milliseconds. */
export function requestMetrics(
  register: Registry,
  buckets: readonly number[],
): (request: MeasuredRequest, milliseconds: number) => void {
  const all = new Map<string, Counted>();
  const durations = new Durations<'method' | 'path'>(register, {
    ...{ name: 'http_request_duration_seconds', buckets },
    help: 'From the headers of a request to the end of its response.',
  });
  const seriesOf = bySeries(({ method, path }: MeasuredRequest) => durations.series({ method, path }));
  new Counter({
    ...{ name: 'http_requests_total', help: 'Requests with a response.' },
    ...{ labelNames: ['method', 'path', 'status'], registers: [register] },
    collect() {
      this.reset();
      for (const { method, path, status, total } of all.values()) this.inc({ method, path, status }, total);
    },
  });
  return (request, milliseconds) => {
    const { method, path, status } = request;
    const key = `${method} ${status} ${path}`;
    let counted = all.get(key);
    if (counted === undefined) {
      counted = { method, path, status, durations: seriesOf(request), total: 0 };
      all.set(key, counted);
    }
    counted.total += 1;
    counted.durations.observe(milliseconds / SECOND);
  };
}

/** One series for all statuses of a method and path. */
function bySeries(make: (request: MeasuredRequest) => Series): (request: MeasuredRequest) => Series {
  const made = new Map<string, Series>();
  return (request) => {
    const key = `${request.method} ${request.path}`;
    const known = made.get(key) ?? make(request);
    made.set(key, known);
    return known;
  };
}
