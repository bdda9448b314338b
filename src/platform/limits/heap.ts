import { getHeapStatistics } from 'node:v8';

/** Bytes that V8 adds to `--max-old-space-size` for new objects, on 64-bit systems. */
const YOUNG_BYTES = 192 * 1024 * 1024;

/** Heap bytes for long-lived objects: about `--max-old-space-size`, which V8 does not report. */
export function heapBytes(limit = getHeapStatistics().heap_size_limit): number {
  return Math.max(limit - YOUNG_BYTES, Math.floor(limit / 3));
}
