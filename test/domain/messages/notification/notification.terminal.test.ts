import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';

import { SECOND } from '../../../../src/platform/clock.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { deliveriesOf, notify } from '../../../support/deliveries.js';
import { fleet } from '../../../support/fleet.js';
import { metricOf } from '../../../support/gauges.js';
import { mutated } from '../../../support/mutations.js';
import { useServerPerTest, type Member } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';
import { httpTerminal, type HttpTerminal } from '../../../support/waiting-terminal.js';

const server = useServerPerTest();
let acme: Member;
/** A terminal with the device of this id and serial number. */
let terminal: HttpTerminal;
let device: number;
beforeEach(async () => {
  ({ acme } = server);
  [device, terminal] = await terminalOf('T-1');
});

async function terminalOf(serialNumber: string, member = acme): Promise<[number, HttpTerminal]> {
  const { id, token } = await newTerminal(member, serialNumber);
  return [id, httpTerminal(server.url, token)];
}

/** The logical number of the first terminal. */
const numberId = async (): Promise<number> =>
  Number((await acme.client.get(`devices/${device}`)).record('device').logical_number_id);
async function move(serialNumber: string, logicalNumberId: number): Promise<void> {
  const reply = await acme.client.put(`devices/${serialNumber}`, { logical_number_id: logicalNumberId });
  expect(reply.status).toBe(200);
}

const INSTANT: unknown = expect.stringMatching(/^20.+Z$/);

const send = (content: string, ...serialNumbers: string[]): Promise<number> =>
  notify(server, acme, content, ...serialNumbers.map((serialNumber) => `number of ${serialNumber}`));
const states = async (): Promise<string[]> => (await deliveriesOf(server, acme)).map(({ state }) => state);
/** Resolves once as many requests of terminals wait. */
const waiting = async (count: number): Promise<void> =>
  await expect.poll(() => metricOf(server.url, 'terminals_waiting')).toBe(count);
const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }): string =>
  `${status} ${String(body.code)}`;

describe('notifications of a terminal', () => {
  it('are what is queued, oldest first, in the documented form', async () => {
    expect((await terminal.get('/notifications')).text).toBe('{"notifications":[]}');
    await send('Closed on Sunday', 'T-1');
    await send('RELOAD|apps|now', 'T-1');
    const reply = await terminal.get('/notifications');
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const shown = expect.stringMatching(/^1\|SHOW_MESSAGE\|Closed on Sunday\|/) as string;
    const notifications = [
      { id: '1', message: shown, queued_at: INSTANT },
      { id: '2', message: '2|RELOAD|apps|now', queued_at: INSTANT },
    ];
    expect(reply.body).toEqual({ notifications });
    expect(await states()).toEqual(['sent', 'sent']);
    expect((await terminal.get('/notifications')).messages).toEqual([]);
  });

  it('are delivered by its confirmation, which may come late, out of order and again', async () => {
    for (const text of ['one', 'two']) await send(text, 'T-1');
    await terminal.get('/notifications');
    for (const event of ['2', '2', 1, '1']) expect((await terminal.confirm(event)).text).toBe('{}');
    expect(await states()).toEqual(['delivered', 'delivered']);
  });

  it('RU-53 are confirmed by the terminal that was given them, also after moves, and not by its successor', async () => {
    const [, successor] = await terminalOf('T-4');
    await send('one', 'T-1');
    expect((await terminal.get('/notifications')).messages).toHaveLength(1);
    const first = await numberId();
    await move('T-1', await fleet.logicalNumber(acme.client, 'LN3'));
    await move('T-4', first);
    expect((await successor.confirm('1')).status).toBe(404);
    expect(await states()).toEqual(['sent']);
    expect((await terminal.confirm('1')).status).toBe(200);
    expect(await states()).toEqual(['delivered']);
    expect((await successor.confirm('1')).status).toBe(404);
    expect((await terminal.confirm('1')).status).toBe(200);
  });

  it('RU-53 are confirmed by the terminal that was given them last, after the lease of the one before', async () => {
    const [, second] = await terminalOf('T-2');
    await send('one', 'T-1');
    await terminal.get('/notifications');
    await move('T-2', await numberId());
    server.clock.advance(31 * SECOND);
    expect((await second.get('/notifications')).messages).toHaveLength(1);
    expect((await terminal.confirm('1')).status).toBe(404);
    expect((await second.confirm('1')).status).toBe(200);
    expect(await states()).toEqual(['delivered']);
  });

  it('are shown of the terminal that was given them and of the logical number, with late confirmations beside a cancel', async () => {
    await terminalOf('T-2');
    for (const text of ['one', 'two']) await send(text, 'T-1', 'T-2');
    await terminal.get('/notifications');
    const first = await numberId();
    await move('T-1', await fleet.logicalNumber(acme.client, 'LN3'));
    await mutated(acme, 'notificationCancel', { id: nodeId('Notification', 1) });
    for (const event of ['1', '3', '1']) expect((await terminal.confirm(event)).status).toBe(200);
    const OF = `query ($device: ID!, $number: ID!) {
      device(id: $device) { deliveries(first: 9) { totalCount nodes { ...F } } }
      logicalNumber(id: $number) { deliveries(first: 9, filter: { state: { in: [DELIVERED] } }) { nodes { ...F } } } }
      fragment F on NotificationDelivery { databaseId state confirmedAt finishedAt notification { databaseId } }`;
    const ids = { device: nodeId('Device', device), number: nodeId('LogicalNumber', first) };
    const times = { confirmedAt: INSTANT, finishedAt: INSTANT };
    const one = { databaseId: 1, state: 'CANCELLED', notification: { databaseId: 1 }, ...times };
    const two = { ...one, databaseId: 3, state: 'DELIVERED', notification: { databaseId: 2 } };
    expect(await answered(acme, OF, ids)).toEqual({
      device: { deliveries: { totalCount: 2, nodes: [one, two] } },
      logicalNumber: { deliveries: { nodes: [two] } },
    });
  });

  it('are not confirmed by others, nor by what is no confirmation', async () => {
    const [, other] = await terminalOf('T-2');
    const [, foreign] = await terminalOf('T-3', server.beta);
    await send('one', 'T-1');
    await terminal.get('/notifications');
    const missing = await terminal.confirm('99');
    expect(codeOf(missing)).toBe('404 not_found');
    for (const reply of [await other.confirm('1'), await foreign.confirm('1'), await terminal.confirm('x')]) {
      expect({ ...reply.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    }
    expect(codeOf(await terminal.confirm('1', { type: 'other' }))).toBe('422 invalid');
    expect(codeOf(await terminal.confirm('1', { event: true }))).toBe('422 invalid');
    expect(await states()).toEqual(['sent']);
  });

  it('take a wait of 0 to 60 seconds', async () => {
    for (const wait of ['61', '-1', '1.5', 'x', '', '1000']) {
      expect(codeOf(await terminal.get(`/notifications?wait=${wait}`)), wait).toBe('400 malformed');
    }
    expect((await terminal.get('/notifications?wait=0')).text).toBe('{"notifications":[]}');
    expect((await terminal.get('/notifications?wait=1')).text).toBe('{"notifications":[]}');
    await send('one', 'T-1');
    expect((await terminal.get('/notifications?wait=60', 'HEAD')).status).toBe(200);
    expect((await terminal.get('/notifications?wait=60')).messages).toEqual(['1|SHOW_MESSAGE|one']);
  });
});

describe('a terminal that waits', () => {
  it('gets what is sent to it, and others go on waiting', async () => {
    const [, other] = await terminalOf('T-2');
    const replies = [terminal.get('/notifications?wait=60'), other.get('/notifications?wait=60')];
    await waiting(2);
    await send('one', 'T-1');
    expect((await replies[0])?.messages).toEqual(['1|SHOW_MESSAGE|one']);
    await waiting(1);
    await send('two', 'T-2');
    expect((await replies[1])?.messages).toEqual(['2|SHOW_MESSAGE|two']);
    await waiting(0);
  });

  it('gets again what it has not confirmed when the lease has ended', async () => {
    await send('one', 'T-1');
    await terminal.get('/notifications');
    const reply = terminal.get('/notifications?wait=60');
    await waiting(1);
    server.clock.advance(31 * SECOND);
    expect((await reply).messages).toEqual(['1|SHOW_MESSAGE|one']);
  });

  it('gets what comes next once all before it is confirmed', async () => {
    for (let n = 1; n <= 21; n += 1) await send(String(n), 'T-1');
    expect((await terminal.get('/notifications')).messages.length).toBe(20);
    const reply = terminal.get('/notifications?wait=60');
    await waiting(1);
    for (let n = 1; n <= 20; n += 1) await terminal.confirm(n);
    expect((await reply).messages).toEqual(['21|SHOW_MESSAGE|21']);
  });

  it('AT-33 is refused when its device is disabled, without its number, or deleted', async () => {
    const terminals = [terminal, (await terminalOf('T-2'))[1], (await terminalOf('T-3'))[1]];
    const replies = terminals.map((each) => each.get('/notifications?wait=60'));
    await waiting(3);
    await acme.client.put('devices/T-1', { enabled: false });
    await acme.client.put('devices/T-2', { logical_number_id: null });
    await acme.client.delete('devices/T-3');
    const [disabled, unassigned, deleted] = (await Promise.all(replies)).map(codeOf);
    expect([disabled, unassigned]).toEqual(['403 terminal_disabled', '403 terminal_unassigned']);
    expect(deleted).toMatch(/^40[13] /);
    await send('one', 'T-1');
    expect(codeOf(await terminal.get('/notifications'))).toBe('403 terminal_disabled');
    expect(await states()).toEqual(['queued']);
  });

  it('is refused when its token is revoked or replaced, or that of its gateway', async () => {
    const [replaced, other] = await terminalOf('T-2');
    for (const serialNumber of ['T-3', 'T-4']) await terminalOf(serialNumber);
    const gateway = await server.member('acme', 'operator', ['terminals']);
    const named = ['T-3', 'T-4'].map((name) => httpTerminal(server.url, gateway.token, name));
    const replies = [terminal, other, ...named].map((each) => each.get('/notifications?wait=60'));
    await waiting(4);
    await mutated(acme, 'deviceTokenRevoke', { deviceId: nodeId('Device', device) });
    await mutated(acme, 'deviceTokenIssue', { deviceId: nodeId('Device', replaced) });
    await server.app.database.writes
      .updateTable('access_tokens')
      .set({ revoked_at: new Date() })
      .where('user_id', '=', gateway.caller.userId)
      .execute();
    expect((await Promise.all(replies)).map(codeOf)).toEqual(Array(4).fill('401 unauthenticated'));
  });

  it('costs no statement of its own while nothing happens', async () => {
    const terminals = [terminal];
    for (let n = 2; n <= 25; n += 1) terminals.push((await terminalOf(`T-${n}`))[1]);
    // Right after a token was issued, a terminal looks again.
    server.clock.advance(15 * SECOND);
    const replies = terminals.map((each) => each.get('/notifications?wait=60'));
    await waiting(25);
    const { statements } = await server.statements(() => sleep(2 * SECOND));
    expect(statements.length).toBeLessThan(10);
    await send('one', ...terminals.map((_, n) => `T-${n + 1}`));
    expect((await Promise.all(replies)).every(({ messages }) => messages.length === 1)).toBe(true);
  });

  it('does not look again when it confirms what it has, unless more is there for it', async () => {
    // Later than this, a token is not looked up again.
    server.clock.advance(15 * SECOND);
    for (const text of ['one', 'two']) await send(text, 'T-1');
    expect((await terminal.get('/notifications')).messages).toHaveLength(2);
    const reply = terminal.get('/notifications?wait=60');
    await waiting(1);
    const looksAfter = async (use: () => Promise<unknown>): Promise<number> => {
      const { statements } = await server.statements(async () => {
        await use();
        await sleep(SECOND / 2);
      });
      // Each look reads what waits for the terminal.
      return statements.filter((text) => text.includes('1 as "isReachable"')).length;
    };
    await looksAfter(() => terminal.confirm('1'));
    expect(await looksAfter(() => terminal.confirm('2'))).toBe(0);
    // Nor when the lease of what it has confirmed has ended.
    server.clock.advance(31 * SECOND);
    expect(await looksAfter(() => Promise.resolve())).toBe(0);
    expect(await looksAfter(() => send('three', 'T-1'))).toBeGreaterThan(0);
    expect((await reply).messages).toEqual(['3|SHOW_MESSAGE|three']);
  });

  it('waits twice at most', async () => {
    const replies = [terminal.get('/notifications?wait=60'), terminal.get('/notifications?wait=60')];
    await waiting(2);
    const third = await terminal.get('/notifications?wait=60');
    expect(codeOf(third)).toBe('429 rate_limited');
    expect(third.headers['retry-after']).toBe('5');
    expect((await terminal.get('/notifications')).status).toBe(200);
    await send('one', 'T-1');
    const messages = (await Promise.race(replies)).messages;
    expect(messages).toEqual(['1|SHOW_MESSAGE|one']);
  });

  it('gets an empty answer when the server stops', async () => {
    const reply = terminal.get('/notifications?wait=60');
    const stream = await terminal.stream();
    await waiting(2);
    const stopped = server.app.stop();
    expect((await reply).text).toBe('{"notifications":[]}');
    await stream.ended;
    await stopped;
  });
});

describe('a stream of notifications', () => {
  it('has an event for each, in order, with its id', async () => {
    await send('one', 'T-1');
    const stream = await terminal.stream();
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await expect.poll(() => stream.ids()).toEqual(['1']);
    await terminal.confirm(1);
    await send('two', 'T-1');
    await expect.poll(() => stream.ids()).toEqual(['1', '2']);
    const [, second = ''] = stream.text().split('id: 2\n');
    expect(JSON.parse(second.replace(/^data: /, ''))).toEqual({
      id: '2',
      message: expect.stringMatching(/^2\|SHOW_MESSAGE\|two\|/) as string,
      queued_at: INSTANT,
    });
    server.clock.advance(31 * SECOND);
    await expect.poll(() => stream.ids()).toEqual(['1', '2', '2']);
    stream.close();
    await waiting(0);
  });

  it('ends when the device is disabled, and is refused from then on', async () => {
    const stream = await terminal.stream();
    await waiting(1);
    await acme.client.put('devices/T-1', { enabled: false });
    await stream.ended;
    expect((await terminal.stream()).status).toBe(403);
    await waiting(0);
  });
});
