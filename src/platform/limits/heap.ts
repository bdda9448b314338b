import { getHeapStatistics } from 'node:v8';

/** What V8 adds to `--max-old-space-size` for new objects, on 64-bit systems. */
const YOUNG_BYTES = 192 * 1024 * 1024;

/** Bytes of the heap for objects that live on: about `--max-old-space-size`, whose value V8 does not tell. */
export function heapBytes(limit = getHeapStatistics().heap_size_limit): number {
  return Math.max(limit - YOUNG_BYTES, Math.floor(limit / 3));
}
