import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

import { Durations } from '../../src/http/monitoring/durations.js';

const description = { name: 'test_seconds', help: 'Test.', buckets: [0.001, 0.25, 1, 5] };

/** Each with its label and its values in seconds. */
const measured = fc.array(
  fc.tuple(
    fc.constantFrom('a', 'b "quoted"', 'c\\\n'),
    fc.array(fc.constantFrom(0, 0.001, 0.0011, 0.25, 1, 4.5, 5, 6)),
  ),
  { maxLength: 3 },
);

describe('durations', () => {
  it('are shown as those of a histogram of prom-client', async () => {
    await fc.assert(
      fc.asyncProperty(measured, async (all) => {
        const [own, theirs] = [new Registry(), new Registry()];
        const durations = new Durations<'kind'>(own, description);
        const histogram = new Histogram({ ...description, labelNames: ['kind'], registers: [theirs] });
        const byKind = Map.groupBy(all, ([kind]) => kind);
        for (const [kind, parts] of byKind) {
          const series = durations.series({ kind });
          for (const seconds of parts.flatMap(([, values]) => values)) {
            series.observe(seconds);
            histogram.observe({ kind }, seconds);
          }
        }
        expect(await own.metrics()).toBe(await theirs.metrics());
      }),
    );
  });
});
