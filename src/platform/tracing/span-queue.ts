import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE, SECOND, systemClock } from '../clock.js';
import type { Logger } from '../logger.js';

/** Maximum ended spans in memory, including those being sent; at most 3 KB each. */
const MAX_SPANS = 4_096;
const BATCH = 256;
const BATCH_MS = SECOND;
/** Timeout of one batch, including its retries. */
const EXPORT_MS = 5 * SECOND;
/** Time after which a batch that the collector accepts too slowly counts as failed. */
const LATE_MS = 2 * EXPORT_MS;
const MAX_EXPORTS = 4;
const STOP_MS = 2 * SECOND;

/**
 * Sends ended spans in batches. Spans that find the queue full, or the collector unavailable, are dropped and
 * counted.
 */
export class SpanQueue implements SpanProcessor {
  dropped = 0;
  #held = 0;
  #warnedAt = -Infinity;
  #unwarned = 0;
  readonly #batches: BatchSpanProcessor;

  constructor(
    url: string,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS, concurrencyLimit: MAX_EXPORTS });
    this.#batches = new BatchSpanProcessor({
      exporter: this.#counting(exporter),
      maxQueueSize: MAX_SPANS,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: BATCH_MS,
      exportTimeoutMillis: 2 * LATE_MS,
    });
  }

  onStart(): void {
    // Spans are counted when they end.
  }

  onEnd(span: ReadableSpan): void {
    if (this.#held >= MAX_SPANS) {
      this.#drop(1, 'too many spans wait to be sent');
      return;
    }
    this.#held += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }

  async stop(): Promise<void> {
    const late = new AbortController();
    const timeout = sleep(STOP_MS, undefined, { signal: late.signal });
    await Promise.race([this.shutdown(), timeout]).catch(() => undefined);
    late.abort();
    await timeout.catch(() => undefined);
  }

  #counting(exporter: OTLPTraceExporter): SpanExporter {
    return {
      export: (spans, onResult) => {
        let isSettled = false;
        const settle = (result: ExportResult): void => {
          if (isSettled) return;
          isSettled = true;
          clearTimeout(timer);
          this.#held -= spans.length;
          if (result.code !== ExportResultCode.SUCCESS) this.#drop(spans.length, reasonOf(result));
          onResult(result);
        };
        const late = { code: ExportResultCode.FAILED, error: new Error('the collector takes too long') };
        const timer = setTimeout(settle, LATE_MS, late).unref();
        exporter.export(spans, settle);
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    };
  }

  #drop(spans: number, reason: string): void {
    this.dropped += spans;
    this.#unwarned += spans;
    const now = systemClock.elapsed();
    if (now - this.#warnedAt < MINUTE) return;
    this.logger.warn({ dropped: this.#unwarned, reason }, 'traces were dropped');
    this.#warnedAt = now;
    this.#unwarned = 0;
  }
}

/** The code, or the first 200 characters of the message, which the collector may have made long. */
function reasonOf({ error }: ExportResult): string {
  if (error === undefined) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 200);
}
