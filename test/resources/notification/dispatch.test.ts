import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DAY, HOUR, MINUTE, SECOND } from '../../../src/platform/clock.js';
import type { ClaimedDelivery } from '../../../src/resources/notification/delivery.model.js';
import {
  claimDeliveries,
  claimForTerminal,
  confirmDeliveries,
  failDeliveries,
  giveBack,
  markSent,
  nextDueCompany,
} from '../../../src/resources/notification/dispatch.service.js';
import { deliveriesOf, inUnit, notify, reachable } from '../../support/deliveries.js';
import { startServer, type Member, type TestServer } from '../../support/server.js';

let server: TestServer;
let acme: Member;
beforeEach(async () => {
  server = await startServer();
  ({ acme } = server);
});
afterEach(async () => {
  await server.stop();
});

const unit = <T>(use: Parameters<typeof inUnit<T>>[2], member = acme): Promise<T> =>
  inUnit(server.app.units, member, use);
const claim = async (limit = 10, member = acme): Promise<readonly ClaimedDelivery[]> =>
  (await unit((work) => claimDeliveries(work, { limit }), member)).deliveries;
const poll = (logicalNumberId: number): Promise<readonly ClaimedDelivery[]> =>
  unit((work) => claimForTerminal(work, logicalNumberId));
const confirm = async (logicalNumber: string, ...ids: (number | string)[]) =>
  await unit((work) =>
    confirmDeliveries(
      work,
      ids.map((id) => ({ logicalNumber, event: String(id) })),
    ),
  );
const messages = (claimed: readonly ClaimedDelivery[]): string[] => claimed.map(({ message }) => message);
const states = async (): Promise<string[]> => (await deliveriesOf(server, acme)).map(({ state }) => state);
const send = (content: string, ...numbers: string[]): Promise<number> =>
  notify(server, acme, content, ...numbers);

describe('claims of a worker', () => {
  it('return one delivery of each logical number, the next one when it has ended', async () => {
    for (const number of ['100', '200']) await reachable(acme, number);
    await send('one', '100', '200');
    await send('two', '100');
    const first = await claim();
    expect(first.map(({ logicalNumber, message }) => [logicalNumber, message])).toEqual([
      ['100', '1|SHOW_MESSAGE|one'],
      ['200', '2|SHOW_MESSAGE|one'],
    ]);
    expect(await claim()).toEqual([]);
    expect(await states()).toEqual(['queued', 'queued', 'queued']);
    await unit((work) => markSent(work, first));
    expect(await states()).toEqual(['sent', 'sent', 'queued']);
    expect(await confirm('100', 1)).toEqual(['confirmed']);
    expect(messages(await claim())).toEqual(['3|SHOW_MESSAGE|two']);
    expect(await states()).toEqual(['delivered', 'sent', 'queued']);
  });

  it('return a delivery again when its lease has ended, after pauses that grow, with the same id', async () => {
    await reachable(acme, '100');
    await send('one', '100');
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      expect(messages(await claim())).toEqual(['1|SHOW_MESSAGE|one']);
      await unit(async (work) => markSent(work, [{ ...(await Promise.resolve(claimOf(1))) }]));
      let waited = 0;
      for (; (await unit((work) => nextDueCompany(work, 0))) === null; waited += 15) {
        server.clock.advance(15 * SECOND);
      }
      pauses.push(waited);
      expect(await states()).toEqual(['sent']);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_200, 7_200, 7_200]);
    expect(await deliveriesOf(server, acme)).toMatchObject([{ attempts: 11, state: 'sent', sent: true }]);
  });
});

const claimOf = (id: number): ClaimedDelivery => ({
  ...{ companyId: acme.caller.companyId, id, logicalNumberId: 1, logicalNumber: '', message: '' },
  ...{ queuedAt: new Date(0), leaseEndsAt: new Date(0) },
});

describe('ended', () => {
  it('placeholder', async () => {
    const id = await reachable(acme, '100');
    await send('one', '100');
    expect(messages(await poll(id))).toEqual(['1|SHOW_MESSAGE|one']);
    expect(await poll(id)).toEqual([]);
    server.clock.advance(31 * SECOND);
    const again = await poll(id);
    expect(messages(again)).toEqual(['1|SHOW_MESSAGE|one']);
    await unit((work) => giveBack(work, again));
    await unit((work) => failDeliveries(work, again, 'too long'));
    expect([DAY, HOUR, MINUTE].length).toBe(3);
    expect(await deliveriesOf(server, acme)).toMatchObject([
      { state: 'failed', reason: 'too long', attempts: 1 },
    ]);
  });
});
