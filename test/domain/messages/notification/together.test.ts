import { beforeEach, describe, expect, it } from 'vitest';

import { SECOND } from '../../../../src/platform/clock.js';
import { deliveriesOf, notify } from '../../../support/deliveries.js';
import { metricOf } from '../../../support/gauges.js';
import { useServerPerTest, type Member } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';
import { httpTerminal, type HttpTerminal } from '../../../support/waiting-terminal.js';

const TERMINALS = 20;

const server = useServerPerTest();
let acme: Member;
let terminals: HttpTerminal[];
beforeEach(async () => {
  ({ acme } = server);
  terminals = [];
  for (let n = 1; n <= TERMINALS; n += 1) terminals.push(await terminalOf(`T-${n}`));
  // Later than this, a token is not looked up again.
  server.clock.advance(15 * SECOND);
});

const terminalOf = async (serialNumber: string, member = acme): Promise<HttpTerminal> =>
  httpTerminal(server.url, (await newTerminal(member, serialNumber)).token);
const numbers = Array.from({ length: TERMINALS }, (_, n) => `number of T-${n + 1}`);
const waiting = async (count: number): Promise<void> =>
  await expect.poll(() => metricOf(server.url, 'terminals_waiting')).toBe(count);
const states = async (): Promise<string[]> => (await deliveriesOf(server, acme)).map(({ state }) => state);
const idOf = (message = ''): string => message.split('|')[0] ?? '';

/** How many of the statements change deliveries. */
async function changesOf(use: () => Promise<unknown>): Promise<number> {
  const { statements } = await server.statements(use);
  return statements.filter((text) => /^\s*update notification_deliveries/.test(text)).length;
}

describe('terminals that are woken together', () => {
  it('get their notifications, and confirm them, with fewer changes than there are terminals', async () => {
    const replies = terminals.map((terminal) => terminal.get('/notifications?wait=60'));
    await waiting(TERMINALS);
    const taking = await changesOf(async () => {
      await notify(server, acme, 'one', ...numbers);
      await Promise.all(replies);
    });
    expect(taking).toBeLessThan(TERMINALS);
    const events = (await Promise.all(replies)).map(({ messages }) => messages.map(idOf));
    expect(new Set(events.flat()).size).toBe(TERMINALS);
    expect(events.every(({ length }) => length === 1)).toBe(true);
    const confirming = await changesOf(async () => {
      const confirmed = await Promise.all(terminals.map((each, n) => each.confirm(events[n]?.[0] ?? '')));
      expect(confirmed.map(({ text }) => text)).toEqual(terminals.map(() => '{}'));
    });
    // Each unit has one that finishes deliveries and one that makes the next ones due.
    expect(confirming).toBeLessThan(2 * TERMINALS);
    expect(await states()).toEqual(terminals.map(() => 'delivered'));
  });

  it('are refused each for itself', async () => {
    const replies = terminals.map((terminal) => terminal.get('/notifications?wait=60'));
    await waiting(TERMINALS);
    await acme.client.put('devices/T-3', { enabled: false });
    await notify(server, acme, 'one', ...numbers);
    const got = await Promise.all(replies);
    expect(got.map(({ status }) => status)).toEqual(terminals.map((_, n) => (n === 2 ? 403 : 200)));
    await acme.client.put('devices/T-4', { enabled: false });
    const events = got.map(({ messages }) => idOf(messages[0]));
    const asked = terminals.map((each, n) =>
      each.confirm(n === 5 ? 'x' : (events[n] ?? ''), n === 6 ? { type: 'y' } : {}),
    );
    const codes = (await Promise.all(asked)).map(({ body: { code } }) => code);
    const expected = new Map([
      [2, 'terminal_disabled'],
      [3, 'terminal_disabled'],
      [5, 'not_found'],
      [6, 'invalid'],
    ]);
    expect(codes).toEqual(terminals.map((_, n) => expected.get(n)));
    const all = await states();
    expect(all.map((state, n) => (state === 'delivered' ? '' : n)).filter((n) => n !== '')).toEqual([
      2, 3, 5, 6,
    ]);
  });

  it('get nothing of another company, whose ids are the same', async () => {
    const foreign = await terminalOf('T-1', server.beta);
    const reply = foreign.get('/notifications?wait=3');
    const own = terminals.map((terminal) => terminal.get('/notifications?wait=60'));
    await waiting(TERMINALS + 1);
    await notify(server, acme, 'one', ...numbers);
    await Promise.all(own);
    const confirmed = await Promise.all([
      foreign.confirm(1),
      ...terminals.map((each, n) => each.confirm(n + 1)),
    ]);
    expect(confirmed.filter(({ status }) => status !== 200).map(({ body: { code } }) => code)).toEqual([
      'not_found',
    ]);
    expect((await reply).messages).toEqual([]);
    expect(await states()).toEqual(terminals.map(() => 'delivered'));
  });
});
