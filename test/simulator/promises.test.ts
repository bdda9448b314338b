import { describe, expect, it } from 'vitest';

import { problemOfParams } from '../../src/simulator/downloads.js';
import { Inbox } from '../../src/simulator/inbox.js';
import { Stats, SentNotifications } from '../../src/simulator/stats.js';

/** Steps such as `9@0 9@2/1`: id, seconds, and the number of the connection to a broker, if there is one. */
function brokenAfter(steps: string, confirmedAt?: number): readonly string[] {
  const stats = new Stats();
  const inbox = new Inbox('SN-1', { stats });
  for (const step of steps.split(' ')) {
    const [id = '', at, connection] = step.split(/[@/]/);
    const arrival = {
      at: Number(at) * 1_000,
      connection: connection === undefined ? null : Number(connection),
    };
    inbox.receive({ id, message: `${id}|SHOW_MESSAGE|Hello` }, arrival);
    if (confirmedAt !== undefined) inbox.confirmed(id, confirmedAt * 1_000);
  }
  return stats.broken.map(({ promise }) => promise);
}

describe('an inbox', () => {
  it.each<[string, string, readonly string[], number?]>([
    ['takes a repetition after the lease', '9@0 10@1 10@31', []],
    ['takes one over another connection to a broker', '9@0/1 9@2/2', []],
    ['finds one within the lease, counted from the last time', '9@0 9@31 9@40', ['doubled_delivery']],
    ['finds one over the same connection', '9@0/1 9@2/1', ['doubled_delivery']],
    ['finds one after the confirmation was answered', '9@0 9@40', ['doubled_delivery'], 1],
    ['takes one about when it was answered', '9@0 9@40', [], 39],
    ['finds what comes after a later one', '10@0 9@1', ['wrong_order']],
  ])('%s', (_what, steps, broken, confirmedAt) => {
    expect(brokenAfter(steps, confirmedAt)).toEqual(broken);
  });
});

describe('notifications of a run', () => {
  it('are missed where they did not arrive, and found where they came under two ids', () => {
    const stats = new Stats();
    const sent = new SentNotifications('ab', stats);
    const text = `7|SHOW_MESSAGE|${sent.add(['SN-1', 'SN-2'])}`;
    const message = `${text}|03-01-2026 09:00`;
    // A terminal does not execute it with one parameter, or three.
    sent.received('SN-2', text);
    sent.received('SN-2', `${message}|more`);
    sent.received('SN-1', message);
    sent.received('SN-1', '8|SHOW_MESSAGE|Something else');
    sent.received('SN-1', message.replace('ab', 'cd'));
    sent.received('SN-3', message);
    expect([sent.outstanding, stats.broken]).toEqual([1, []]);
    sent.received('SN-1', message);
    sent.noteLost();
    expect(stats.broken).toEqual([
      { promise: 'doubled_delivery', count: 1, examples: ['terminal SN-1: message 1 came under two ids'] },
      { promise: 'lost_delivery', count: 1, examples: ['terminal SN-2: message 1 did not arrive'] },
    ]);
  });
});

describe('latencies', () => {
  it('have percentiles that are right to within 0.2 %', () => {
    const stats = new Stats();
    expect(stats.latencies).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 });
    for (let ms = 1; ms <= 1_000; ms += 1) stats.addLatency(ms);
    const { p50, p95, p99, max } = stats.latencies;
    for (const [found, ms] of [
      [p50, 500],
      [p95, 950],
      [p99, 990],
      [max, 1_000],
    ] as const) {
      expect(Math.abs(found / ms - 1)).toBeLessThan(0.002);
    }
  });
});

describe('a terminal reads params.dat', () => {
  const problemOf = (text: string) => problemOfParams(Buffer.from(text));

  it('with quotes around values, empty values and lists', () => {
    const apps = '1 - Sale,acme_sale.posxml,posxml,31C3;X,acme_k.rb,ruby,0000;';
    expect(problemOf(`host="gw=1"\nempty=\napps_list=${apps}\nfiles_list=acme_b.dat,FFFF;\n`)).toBeNull();
  });

  it.each([
    ['a line without =', 'a=1\nb\n'],
    ['an empty line', 'a=1\n\nb=2\n'],
    ['a line without a key', '=1\n'],
    ['CRLF', 'a=1\r\n'],
    ['a key twice', 'a=1\na=2\n'],
    ['an entry with a comma too many', 'files_list=a_b,c,FFFF;\n'],
    ['a CRC in lower case', 'files_list=a_b,ffff;\n'],
    ['a name without a company', 'files_list=b,FFFF;\n'],
    ['an unknown type', 'apps_list=X,a_b,java,FFFF;\n'],
    ['a list without its last ;', 'files_list=a_b,FFFF\n'],
  ])('refuses %s', (_what, text) => {
    expect(problemOf(text)).toMatch(/line|key|entry|CRC|company|type|end/);
  });

  it('refuses what is not UTF-8', () => {
    expect(problemOfParams(Buffer.from([0x61, 0x3d, 0xff]))).toContain('UTF-8');
  });
});
