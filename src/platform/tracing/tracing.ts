import type { Tracing, TracingOptions } from './types.js';

/**
 * Traces of requests, sent to a collector by OTLP over HTTP. The packages for spans are imported only here: a
 * server without traces never loads them.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracing } = await import('./spans.js');
  return createTracing(options);
}
