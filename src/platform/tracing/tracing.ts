import type { Tracing, TracingOptions } from './types.js';

/**
 * Traces: what requests do, sent to a collector by OTLP over HTTP. The packages that make and send spans are loaded here
 * only: a server without traces never loads them.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracing } = await import('./spans.js');
  return createTracing(options);
}
