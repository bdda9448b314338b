import { beforeEach, describe, expect, it } from 'vitest';

import {
  claimDeliveries,
  claimForTerminals,
  confirmDeliveries,
  releaseDeliveries,
  markSent,
  nextDueCompany,
} from '../../../../src/domain/messages/notification/dispatch.service.js';
import type { ClaimedDelivery } from '../../../../src/domain/messages/notification/notification.model.js';
import { DAY, HOUR, SECOND } from '../../../../src/platform/clock.js';
import { deliveriesOf, failDeliveries, inUnit, notify, reachable } from '../../../support/deliveries.js';
import { fleet } from '../../../support/fleet.js';
import { useServerPerTest, type Member } from '../../../support/server.js';
import { withoutTime } from '../../../support/terminals.js';

const server = useServerPerTest();
let acme: Member;
beforeEach(() => {
  ({ acme } = server);
});

const unit = <T>(use: Parameters<typeof inUnit<T>>[2], member = acme): Promise<T> =>
  inUnit(server.app.units, member, use);
const claim = async (limit = 10, member = acme): Promise<readonly ClaimedDelivery[]> =>
  await unit((work) => claimDeliveries(work, limit), member);
const poll = (logicalNumberId: number): Promise<readonly ClaimedDelivery[]> =>
  unit(async (work) => {
    const terminal = { id: 1, logicalNumberId, serialNumber: 'SN-polling' };
    return (await claimForTerminals(work, [terminal])).get(1) ?? [];
  });
const confirm = async (logicalNumber: string, ...ids: (number | string)[]) => {
  const confirmations = ids.map((id) => ({ logicalNumber, event: String(id) }));
  return await unit((work) => confirmDeliveries(work, confirmations));
};
const dueCompany = (after = 0): Promise<number | null> =>
  server.app.units.systemRead((work) => nextDueCompany(work, after));
const setAttempts = async (id: number, attempts: number): Promise<void> => {
  const { writes } = server.app.database;
  await writes.updateTable('notification_deliveries').set({ attempts }).where('id', '=', id).execute();
};
const messages = (claimed: readonly ClaimedDelivery[]): string[] =>
  claimed.map(({ message }) => withoutTime(message));
const states = async (): Promise<string[]> => (await deliveriesOf(server, acme)).map(({ state }) => state);
const send = (content: string, ...numbers: string[]): Promise<number> =>
  notify(server, acme, content, ...numbers);

/** Queues these texts for the number 100, whose device may use the service; resolves to its id. */
async function queued(...texts: string[]): Promise<number> {
  const id = await reachable(acme, '100');
  for (const text of texts) await send(text, '100');
  return id;
}

describe('claims of a worker', () => {
  it('return one delivery of each logical number, the next one when it has ended', async () => {
    for (const number of ['100', '200']) await reachable(acme, number);
    await send('one', '100', '200');
    await send('two', '100');
    const first = await claim();
    expect(first.map(({ logicalNumber, message }) => [logicalNumber, withoutTime(message)])).toEqual([
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
    await queued('one');
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const claimed = await claim();
      expect(messages(claimed)).toEqual(['1|SHOW_MESSAGE|one']);
      await unit((work) => markSent(work, claimed));
      let waited = 0;
      for (; (await dueCompany()) === null; waited += 15) server.clock.advance(15 * SECOND);
      pauses.push(waited);
      expect(await states()).toEqual(['sent']);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_200, 7_200]);
    expect(await deliveriesOf(server, acme)).toMatchObject([{ attempts: 10, state: 'sent', sent: true }]);
  });

  it('return what was given back, and count no attempt', async () => {
    await queued('one');
    const first = await claim();
    await unit((work) => releaseDeliveries(work, first));
    const second = await claim();
    await unit((work) => releaseDeliveries(work, second));
    server.clock.advance(SECOND);
    const third = await claim();
    expect(messages(third)).toEqual(['1|SHOW_MESSAGE|one']);
    // A worker that was stalled gives back what another one holds by now.
    await unit((work) => releaseDeliveries(work, second));
    expect(await claim()).toEqual([]);
    expect(await deliveriesOf(server, acme)).toMatchObject([{ attempts: 1, state: 'queued', sent: false }]);
  });

  it('take at most as many as were asked for, those first that wait longest, and companies in turns', async () => {
    const { beta } = server;
    for (const number of ['100', '200', '300']) await reachable(acme, number);
    await reachable(beta, '900');
    await send('one', '300');
    server.clock.advance(SECOND);
    await send('two', '100', '200');
    await notify(server, beta, 'of beta', '900');
    const [ofAcme, ofBeta] = [acme.caller.companyId, beta.caller.companyId].sort((a, b) => a - b);
    expect(await dueCompany(0)).toBe(ofAcme);
    expect(await dueCompany(ofAcme)).toBe(ofBeta);
    expect(await dueCompany(ofBeta)).toBe(ofAcme);
    expect(messages(await claim(2))).toEqual(['1|SHOW_MESSAGE|one', '2|SHOW_MESSAGE|two']);
    expect(messages(await claim(2))).toEqual(['3|SHOW_MESSAGE|two']);
    expect(await claim(10, beta)).toMatchObject([{ logicalNumber: '900' }]);
    expect(await dueCompany()).toBeNull();
  });

  it('AT-33 leave out what is for a disabled device, or for no device, until one may use the service', async () => {
    await reachable(acme, '100');
    await fleet.logicalNumber(acme.client, '200');
    await acme.client.put('devices/SN-100', { enabled: false });
    await send('one', '100', '200');
    expect(await claim()).toEqual([]);
    expect(await dueCompany()).toBeNull();
    await acme.client.put('devices/SN-100', { enabled: true });
    expect(messages(await claim())).toEqual(['1|SHOW_MESSAGE|one']);
    const device = await fleet.device(acme.client, 'SN-new');
    expect(await claim()).toEqual([]);
    expect(device).toBeGreaterThan(0);
    const { id } = (await acme.client.get('logical_numbers/200')).record('logical_number');
    await acme.client.put('devices/SN-new', { logical_number_id: id });
    expect(messages(await claim())).toEqual(['2|SHOW_MESSAGE|one']);
  });

  it('AT-33 return nothing for a logical number or a device that was deleted', async () => {
    await reachable(acme, '100');
    await reachable(acme, '200');
    await send('one', '100', '200');
    await acme.client.delete('devices/SN-100');
    await acme.client.delete('devices/SN-200');
    await acme.client.delete('logical_numbers/200');
    expect(await claim()).toEqual([]);
    expect(await deliveriesOf(server, acme)).toMatchObject([{ id: 1, state: 'queued' }]);
  });

  it('fail after 100 attempts without a confirmation, and let the next delivery go', async () => {
    await queued('one', 'two');
    await setAttempts(1, 99);
    expect(messages(await claim())).toEqual(['1|SHOW_MESSAGE|one']);
    server.clock.advance(3 * HOUR);
    await claim();
    expect(messages(await claim())).toEqual(['2|SHOW_MESSAGE|two']);
    expect(await deliveriesOf(server, acme)).toMatchObject([
      { state: 'failed', reason: 'It was sent 100 times and never confirmed.', finished: true },
      { state: 'queued' },
    ]);
  });

  it('can end in failure for a reason of the transport', async () => {
    await queued('one', 'two');
    const claimed = await claim();
    await unit((work) => failDeliveries(work, claimed, 'too long'));
    await unit((work) => markSent(work, claimed));
    expect(await states()).toEqual(['failed', 'queued']);
    expect(messages(await claim())).toEqual(['2|SHOW_MESSAGE|two']);
  });

  it('cost the same statements for one delivery and for many', async () => {
    const numbers = Array.from({ length: 30 }, (_, n) => `n${n}`);
    for (const number of numbers) await reachable(acme, number);
    const statementsFor = async (...targets: string[]): Promise<number> => {
      await send('one', ...targets);
      const { statements } = await server.statements(async () => {
        const claimed = await claim(100);
        expect(claimed.length).toBe(targets.length);
        await unit((work) => markSent(work, claimed));
        const all = claimed.map(({ logicalNumber, id }) => ({ logicalNumber, event: String(id) }));
        await unit((work) => confirmDeliveries(work, all));
      });
      return statements.length;
    };
    expect(await statementsFor('n0')).toBe(await statementsFor(...numbers));
  });
});

describe('claims for a terminal', () => {
  it('return nothing while an earlier delivery is held, and the same again when its lease has ended', async () => {
    const id = await queued('one');
    expect(messages(await poll(id))).toEqual(['1|SHOW_MESSAGE|one']);
    await send('two', '100');
    expect(await poll(id)).toEqual([]);
    expect(await claim()).toEqual([]);
    server.clock.advance(31 * SECOND);
    expect(messages(await poll(id))).toEqual(['1|SHOW_MESSAGE|one', '2|SHOW_MESSAGE|two']);
    expect(await deliveriesOf(server, acme)).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
    expect(await states()).toEqual(['sent', 'sent']);
  });

  it('let a worker push what was handed to a terminal only when the lease of it has ended', async () => {
    const id = await queued('one', 'two');
    await poll(id);
    await confirm('100', 1);
    expect(await claim()).toEqual([]);
    server.clock.advance(30 * SECOND);
    expect(messages(await claim())).toEqual(['2|SHOW_MESSAGE|two']);
    expect(await poll(id)).toEqual([]);
  });

  it('fail and expire what has waited too long, and return the rest', async () => {
    const id = await queued('old');
    server.clock.advance(7 * DAY);
    await send('tired', '100');
    await send('new', '100');
    await setAttempts(2, 100);
    expect(messages(await poll(id))).toEqual(['3|SHOW_MESSAGE|new']);
    expect(await states()).toEqual(['expired', 'failed', 'sent']);
  });
});

describe('confirmations', () => {
  it('count once, in any order, also before the broker has said that it has the message', async () => {
    await queued('one', 'two');
    const first = await claim();
    expect(await confirm('100', 1, 1)).toEqual(['confirmed', 'repeated']);
    await unit((work) => markSent(work, first));
    await claim();
    expect(await confirm('100', 2, 1)).toEqual(['confirmed', 'repeated']);
    expect(await deliveriesOf(server, acme)).toMatchObject([
      { state: 'delivered', sent: true, finished: true, due: false },
      { state: 'delivered', sent: true, finished: true, due: false },
    ]);
  });

  it('change nothing for what the terminal was not given', async () => {
    for (const number of ['100', '200']) await reachable(acme, number);
    await send('one', '100');
    await send('two', '100');
    await claim();
    expect(await confirm('200', 1)).toEqual(['unknown']);
    // Never handed out, unknown, and no id at all.
    expect(await confirm('100', 2, 99, '1x', '', '01')).toEqual(Array(5).fill('unknown'));
    const results = await unit(
      (work) => confirmDeliveries(work, [{ logicalNumber: '100', event: '1' }]),
      server.beta,
    );
    expect(results).toEqual(['unknown']);
    expect(await states()).toEqual(['queued', 'queued']);
  });

  it('RU-53 count by the logical number of the topic, also after moves, while the terminal may use the service', async () => {
    await reachable(acme, '100');
    const other = await fleet.logicalNumber(acme.client, '300');
    for (const text of ['one', 'two']) await send(text, '100');
    await claim();
    await acme.client.put('devices/SN-100', { logical_number_id: other });
    expect(await confirm('300', 1)).toEqual(['unknown']);
    await acme.client.put('devices/SN-100', { enabled: false });
    expect(await confirm('100', 1)).toEqual(['unknown']);
    await acme.client.put('devices/SN-100', { enabled: true });
    expect(await confirm('100', 1)).toEqual(['confirmed']);
    expect(await states()).toEqual(['delivered', 'queued']);
  });

  it('come too late after the delivery has ended', async () => {
    await queued('one');
    const claimed = await claim();
    await unit((work) => failDeliveries(work, claimed, 'too long'));
    expect(await confirm('100', 1)).toEqual(['repeated']);
    expect(await states()).toEqual(['failed']);
  });
});
