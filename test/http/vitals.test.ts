import { describe, expect, it } from 'vitest';

import { createVitals } from '../../src/app/monitoring.js';
import { SECOND } from '../../src/platform/clock.js';
import { useServerPerTest } from '../support/server.js';

const INTERVAL_MS = 5 * SECOND;
const server = useServerPerTest();

const vitalsIn = (text: string): string[] =>
  Array.from(
    text.matchAll(/^database_(?:disk_free_bytes|server_connections\{state="used"\}) \S+/gm),
    ([found]) => found,
  );

describe('what endangers the database', () => {
  it('is in the metrics, and each help says of which nodes the number is', async () => {
    await expect
      .poll(async () => vitalsIn((await server.anonymous.get('/metrics')).text))
      .toEqual([expect.stringMatching(/ [1-9][\d.e+]*$/)]);
    const { text } = await server.anonymous.get('/metrics');
    expect(text).toMatch(/^# HELP database_unfrozen_ids_ratio .*Each node gives the same number/m);
    expect(text).not.toMatch(/^# HELP database_clock_ahead_seconds .*Each node gives the same number/m);
  });

  it('is read at most every five seconds, however many metrics and requests ask for it', async () => {
    let [reads, now] = [0, 0];
    const vitals = createVitals(
      { vitals: () => Promise.resolve({ diskFreeBytes: (reads += 1) }) },
      { elapsed: () => now },
    );
    expect(await Promise.all([vitals(), vitals(), vitals()])).toEqual(Array(3).fill({ diskFreeBytes: 1 }));
    now = INTERVAL_MS - 1;
    expect(await vitals()).toEqual({ diskFreeBytes: 1 });
    now = INTERVAL_MS;
    expect(await vitals()).toEqual({ diskFreeBytes: 2 });
  });

  it('is left out where it cannot be read; the other metrics are there', async () => {
    await expect.poll(async () => vitalsIn((await server.anonymous.get('/metrics')).text)).toHaveLength(1);
    server.app.database.vitals = () => Promise.reject(new Error('broken'));
    server.clock.advance(INTERVAL_MS);
    const { status, text } = await server.anonymous.get('/metrics');
    expect(status).toBe(200);
    expect(vitalsIn(text)).toEqual([]);
    expect(text).toMatch(/^# TYPE database_disk_free_bytes gauge$/m);
    expect(text).toMatch(/^http_connections_open \d+$/m);
  });

  it('holds up no request while it takes long: it gets the numbers before', async () => {
    const held = Promise.withResolvers<object>();
    const reads = [Promise.resolve({ diskFreeBytes: 1 }), held.promise];
    let now = 0;
    const source = { vitals: () => reads.shift() ?? held.promise };
    const vitals = createVitals(source, { elapsed: () => now });
    expect(await vitals()).toEqual({ diskFreeBytes: 1 });
    now = INTERVAL_MS;
    expect(await vitals()).toEqual({ diskFreeBytes: 1 });
    held.resolve({ diskFreeBytes: 2 });
    await expect.poll(vitals).toEqual({ diskFreeBytes: 2 });
  });
});
