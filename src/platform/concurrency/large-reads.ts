import { DomainError } from '../errors.js';
import { heapBytes } from '../limits/heap.js';
import { Semaphore } from './semaphore.js';

/** Heap bytes of one operation on large records: the records, and its response as an object and as text. */
const HEAP_PER_OPERATION = 96 * 1024 * 1024;
const MAX_AT_ONCE = 16;
const MAX_WAITING = 1_000;

/** Limits the number of concurrent reads of large records, so that together they fit into the heap. */
export function createLargeReads(): Semaphore {
  const fitting = Math.floor(heapBytes() / HEAP_PER_OPERATION);
  const concurrency = Math.min(Math.max(fitting, 1), MAX_AT_ONCE);
  return new Semaphore({ concurrency, maxWaiting: MAX_WAITING, busy });
}

function busy(): DomainError {
  const message = 'Too many operations on large records at the same time; try again in a second.';
  return new DomainError('busy', message, { retryAfter: 1 });
}
