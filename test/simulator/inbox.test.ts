import { describe, expect, it } from 'vitest';

import { BrokenPromises } from '../../src/simulator/broken-promises.js';
import { Figures, Latencies } from '../../src/simulator/figures.js';
import { Inbox } from '../../src/simulator/notifications/inbox.js';
import { SentNotifications } from '../../src/simulator/notifications/sent.js';

interface Step {
  readonly id: string;
  /** Seconds. */
  readonly at: number;
  readonly connection?: number;
}

function brokenAfter(steps: readonly Step[], confirmedAt?: number): readonly string[] {
  const broken = new BrokenPromises();
  const inbox = new Inbox('SN-1', { figures: new Figures(), broken });
  for (const { id, at, connection = null } of steps) {
    inbox.receive({ id, message: `${id}|SHOW_MESSAGE|Hello` }, { at: at * 1_000, connection });
    if (confirmedAt !== undefined) inbox.confirmed(id, confirmedAt * 1_000);
  }
  return broken.list().map(({ promise }) => promise);
}

describe('an inbox', () => {
  it('takes a repetition after the lease, and one over another connection to a broker', () => {
    expect(
      brokenAfter([
        { id: '9', at: 0 },
        { id: '10', at: 1 },
        { id: '10', at: 31 },
      ]),
    ).toEqual([]);
    expect(
      brokenAfter([
        { id: '9', at: 0, connection: 1 },
        { id: '9', at: 2, connection: 2 },
      ]),
    ).toEqual([]);
  });

  it('finds a repetition within the lease, counted from the last time', () => {
    const steps = [
      { id: '9', at: 0 },
      { id: '9', at: 31 },
      { id: '9', at: 40 },
    ];
    expect(brokenAfter(steps)).toEqual(['doubled_delivery']);
    expect(
      brokenAfter([
        { id: '9', at: 0, connection: 1 },
        { id: '9', at: 2, connection: 1 },
      ]),
    ).toEqual(['doubled_delivery']);
  });

  it('finds a repetition after the confirmation was answered', () => {
    expect(
      brokenAfter(
        [
          { id: '9', at: 0 },
          { id: '9', at: 40 },
        ],
        1,
      ),
    ).toEqual(['doubled_delivery']);
    expect(
      brokenAfter(
        [
          { id: '9', at: 0 },
          { id: '9', at: 40 },
        ],
        39,
      ),
    ).toEqual([]);
  });

  it('finds what comes after a later one', () => {
    expect(
      brokenAfter([
        { id: '10', at: 0 },
        { id: '9', at: 1 },
      ]),
    ).toEqual(['wrong_order']);
  });
});

describe('notifications of a run', () => {
  it('are missed where they did not arrive, and found where they came under two ids', () => {
    const broken = new BrokenPromises();
    const sent = new SentNotifications('ab', broken);
    const text = `7|SHOW_MESSAGE|${sent.add(['SN-1', 'SN-2'])}`;
    const message = `${text}|03-01-2026 09:00`;
    // A terminal does not execute it with one parameter, or three.
    sent.received('SN-2', text);
    sent.received('SN-2', `${message}|more`);
    sent.received('SN-1', message);
    sent.received('SN-1', '8|SHOW_MESSAGE|Something else');
    sent.received('SN-1', message.replace('ab', 'cd'));
    sent.received('SN-3', message);
    expect([sent.outstanding, broken.list()]).toEqual([1, []]);
    sent.received('SN-1', message);
    sent.noteLost();
    expect(broken.list()).toEqual([
      { promise: 'doubled_delivery', count: 1, examples: ['terminal SN-1: message 1 came under two ids'] },
      { promise: 'lost_delivery', count: 1, examples: ['terminal SN-2: message 1 did not arrive'] },
    ]);
  });
});

describe('latencies', () => {
  it('have percentiles that are right to within 5 %', () => {
    const latencies = new Latencies();
    expect(latencies.percentile(0.95)).toBe(0);
    for (let ms = 1; ms <= 1_000; ms += 1) latencies.add(ms);
    for (const share of [0.5, 0.95, 0.99]) {
      expect(latencies.percentile(share) / (1_000 * share)).toBeGreaterThanOrEqual(0.95);
      expect(latencies.percentile(share) / (1_000 * share)).toBeLessThanOrEqual(1.05);
    }
    expect([latencies.percentile(1), latencies.max]).toEqual([1_000, 1_000]);
  });
});
