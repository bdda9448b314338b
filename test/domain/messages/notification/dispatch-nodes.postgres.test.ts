import { describe, expect, it, onTestFinished } from 'vitest';

import { createServer, type Server } from '../../../../src/app/server.js';
import {
  claimDeliveries,
  confirmDeliveries,
  markSent,
} from '../../../../src/domain/messages/notification/dispatch.service.js';
import type { ClaimedDelivery } from '../../../../src/domain/messages/notification/notification.model.js';
import { SECOND } from '../../../../src/platform/clock.js';
import { createLogger } from '../../../../src/platform/logger.js';
import { testConfig } from '../../../support/config.js';
import { audited, insertMany } from '../../../support/databases/rows.js';
import { deliveriesOf, inUnit, notify } from '../../../support/deliveries.js';
import { metricOf } from '../../../support/gauges.js';
import { startServer, type Member, type TestServer } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';
import { httpTerminal, type HttpTerminal } from '../../../support/waiting-terminal.js';

const TERMINALS = 100;
const EACH = 5;

async function fill({ place, app }: TestServer, acme: Member): Promise<string[]> {
  const { companyId, userId } = acme.caller;
  const ids = await insertMany(place, ['logical_numbers', companyId, TERMINALS], (n) => ({
    number: `n${n}`,
    group_id: null,
    ...audited(userId),
  }));
  await insertMany(place, ['devices', companyId, TERMINALS], (n) => ({
    serial_number: `SN${n}`,
    enabled: true,
    meta: '{}',
    logical_number_id: ids[n - 1] ?? 0,
    ...audited(userId),
  }));
  const numbers = await app.database.reads.selectFrom('logical_numbers').select('number').execute();
  return numbers.map(({ number }) => number);
}

/** Claims and marks until nothing is due; a stalled worker drops what it has claimed. */
async function work(
  node: Pick<Server, 'units'>,
  acme: Member,
  received: ClaimedDelivery[],
  isStalled: () => boolean,
): Promise<void> {
  for (;;) {
    const deliveries = await inUnit(node.units, acme, (unit) => claimDeliveries(unit, 20));
    if (deliveries.length === 0) return;
    if (isStalled()) continue;
    received.push(...deliveries);
    await inUnit(node.units, acme, (unit) => markSent(unit, deliveries));
    const all = deliveries.map(({ logicalNumber, id }) => ({ logicalNumber, event: String(id) }));
    await inUnit(node.units, acme, (unit) => confirmDeliveries(unit, all));
  }
}

/** Two nodes on one database; `url` is that of the second. */
async function startTwo(): Promise<{ server: TestServer; other: Server; url: string }> {
  const server = await startServer();
  const logger = createLogger('silent', { write: () => undefined });
  const other = await createServer(testConfig(server.place.url), logger, { clock: server.clock });
  const url = await other.start();
  onTestFinished(async () => {
    await other.stop(1_000);
    await server.stop();
  });
  return { server, other, url };
}

describe('CC-09 workers of two nodes', () => {
  it('never hold the same delivery, and hand out what a stalled one has dropped, in order', async () => {
    const { server, other } = await startTwo();
    const { acme, clock } = server;
    const numbers = await fill(server, acme);
    for (let n = 0; n < EACH; n += 1) await notify(server, acme, `text ${n}`, ...numbers);
    const received: ClaimedDelivery[] = [];
    let stalls = 3;
    const stall = (): boolean => (stalls -= 1) >= 0;
    await Promise.all([work(server.app, acme, received, () => false), work(other, acme, received, stall)]);
    expect(received.length).toBeLessThan(TERMINALS * EACH);
    clock.advance(31 * SECOND);
    await Promise.all([
      work(server.app, acme, received, () => false),
      work(other, acme, received, () => false),
    ]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(TERMINALS * EACH);
    expect(received.length).toBe(TERMINALS * EACH);
    for (const own of Map.groupBy(received, ({ logicalNumber }) => logicalNumber).values()) {
      expect(own.map(({ message }) => message.split('|')[2])).toEqual(
        Array.from({ length: EACH }, (_, n) => `text ${n}`),
      );
    }
    expect((await deliveriesOf(server, acme)).every(({ state }) => state === 'delivered')).toBe(true);
  });
});

describe('a terminal that waits on one node', () => {
  it('gets what another node has sent, and what is free after a confirmation there', async () => {
    const { server, url } = await startTwo();
    const { acme } = server;
    const { token } = await newTerminal(acme, 'T-1');
    const [here, there] = [httpTerminal(server.url, token), httpTerminal(url, token)];
    const waits = async (): Promise<void> =>
      await expect.poll(() => metricOf(url, 'terminals_waiting')).toBe(1);
    const first = there.get('/notifications?wait=60');
    await waits();
    await notify(server, acme, 'one', 'number of T-1');
    expect((await first).messages).toEqual(['1|SHOW_MESSAGE|one']);
    await notify(server, acme, 'two', 'number of T-1');
    const second = there.get('/notifications?wait=60');
    await waits();
    expect((await here.confirm(1)).status).toBe(200);
    expect((await second).messages).toEqual(['2|SHOW_MESSAGE|two']);
    const third = there.get('/notifications?wait=60');
    await waits();
    await acme.client.put('devices/T-1', { enabled: false });
    expect((await third).body.code).toBe('terminal_disabled');
  });
});

describe('terminals with one logical number that wait on two nodes', () => {
  it('get each notification once', async () => {
    const { server, url } = await startTwo();
    const { acme } = server;
    const serialNumbers = Array.from({ length: 10 }, (_, n) => `T-${n}`);
    const pairs: HttpTerminal[][] = [];
    for (const serialNumber of serialNumbers) {
      const { token } = await newTerminal(acme, serialNumber);
      pairs.push([httpTerminal(server.url, token), httpTerminal(url, token)]);
    }
    // Later than this, a token is not looked up again.
    server.clock.advance(15 * SECOND);
    const replies = pairs.flat().map((terminal) => terminal.get('/notifications?wait=5'));
    for (const node of [server.url, url]) {
      await expect.poll(() => metricOf(node, 'terminals_waiting')).toBe(serialNumbers.length);
    }
    await notify(server, acme, 'one', ...serialNumbers.map((serialNumber) => `number of ${serialNumber}`));
    const got = (await Promise.all(replies)).flatMap(({ messages }) => messages);
    expect(new Set(got).size).toBe(serialNumbers.length);
    expect(got.length).toBe(serialNumbers.length);
    const confirmations = pairs.flatMap((nodes, n) => nodes.map((terminal) => terminal.confirm(n + 1)));
    expect((await Promise.all(confirmations)).every(({ status }) => status === 200)).toBe(true);
    expect((await deliveriesOf(server, acme)).every(({ state }) => state === 'delivered')).toBe(true);
  });
});
