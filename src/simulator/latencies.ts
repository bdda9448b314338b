/** Each bucket is 5 % wider than the one before; the first begins at 0.1 ms, the last at more than 3 hours. */
const GROWTH = Math.log(1.05);
const FIRST_MS = 0.1;
const BUCKETS = 384;

/** A histogram of durations, of the same size for any number of them; percentiles are right to within 5 %. */
export class Latencies {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #max = 0;

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / GROWTH);
    const index = Math.min(bucket, BUCKETS - 1);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count += 1;
    this.#max = Math.max(this.#max, ms);
  }

  get max(): number {
    return this.#max;
  }

  /** In milliseconds; 0 if there is none. `share` is from 0 to 1, for example 0.95. */
  percentile(share: number): number {
    const rank = Math.ceil(this.#count * share);
    if (rank === 0) return 0;
    let passed = 0;
    const bucket = this.#counts.findIndex((count) => (passed += count) >= rank);
    return Math.min(FIRST_MS * Math.exp(bucket * GROWTH), this.#max);
  }
}
