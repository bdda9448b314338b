import { expect, it } from 'vitest';

import { jobFailureIn } from '../../../../src/console/text/stopped.js';
import { nextTime } from '../../../../src/domain/base/export-schedule/export-schedule.service.js';
import { DAY, HOUR } from '../../../../src/platform/clock.js';
import { changed } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { openOtherNode, useServerPerTest } from '../../../support/server.js';
import { waitFor } from '../../../support/wait-for.js';
import { createWebhook } from '../webhook/hooks.js';
import { signatureOf, useReceiver } from '../webhook/receiver.js';
import { aDayLater, createSchedule, EXPORT, schedulesOf } from './schedules.js';

const SETTINGS = {
  webhookNetworks: ['127.0.0.1'],
  tokenSecret: 'what the nodes of this test share: 0123456789',
};
const server = useServerPerTest(SETTINGS, { background: true });
const receiver = useReceiver();

const receivedCount = (count: number): Promise<void> =>
  waitFor(() => expect(receiver.received).toHaveLength(count));

const QUIET = { events: ['app.create'] };

async function linesOf(body: string | undefined): Promise<readonly string[]> {
  const { link } = JSON.parse(body ?? '') as { link: { url: string } };
  const reply = await server.anonymous.get(link.url);
  expect(reply.status).toBe(200);
  return reply.text.split('\r\n').slice(1, -1);
}

it('a scheduled export is made once at its time, and its webhook gets a link that works, signed', async () => {
  const { webhook, secret } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  const { exportSchedule } = await createSchedule(server.acme, { webhookId: webhook.id });
  expect(exportSchedule).toMatchObject({
    kind: 'DEVICES',
    weekday: null,
    madeAt: null,
    deliveredAt: null,
    failure: null,
    webhook: { url: receiver.url },
  });
  await server.app.exportSchedules.run();
  await fleet.device(server.acme.client, '00123');
  await aDayLater(server);
  await receivedCount(1);
  const [first] = receiver.received;
  expect(first?.type).toBe('export_schedule.end');
  expect(first?.headers['webhook-signature']).toBe(signatureOf(secret, first ?? { headers: {}, body: '' }));
  expect(await linesOf(first?.body)).toEqual(['"=""00123""",yes']);
  await waitFor(async () => {
    const [made] = await schedulesOf(server.acme);
    expect(Date.parse(made?.deliveredAt ?? '')).toBeGreaterThanOrEqual(Date.parse(made?.madeAt ?? ''));
  });
  const [made] = await schedulesOf(server.acme);
  expect(Date.parse(made?.nextAt ?? '') - Date.parse(exportSchedule?.nextAt ?? '')).toBe(DAY);
  // Neither the ledger nor other receivers get the key of the link.
  expect(JSON.stringify(await ledgerOf(server, server.acme, 'export_schedule', 1))).not.toContain('key=');
  await server.app.exportSchedules.run();
  expect(await ledgerOf(server, server.acme, 'export_schedule', 1)).toHaveLength(2);
});

it('an export that the webhook does not take is not said to be delivered', async () => {
  receiver.respond = (response) => void response.writeHead(500).end();
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  await createSchedule(server.acme, { webhookId: webhook.id });
  await aDayLater(server);
  await receivedCount(1);
  expect(await schedulesOf(server.acme)).toMatchObject([{ deliveredAt: null, failure: null }]);
});

it('nodes that look at the same time, and days without a server, make one export', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  await createSchedule(server.acme, { webhookId: webhook.id, weekday: 'MONDAY' });
  const other = await openOtherNode(server, SETTINGS);
  server.clock.advance(30 * DAY);
  const nodes = [server.app, other ?? server.app, server.app];
  await Promise.all(nodes.map(({ exportSchedules }) => exportSchedules.run()));
  await other?.stop();
  await receivedCount(1);
  const [made] = await schedulesOf(server.acme);
  expect(new Date(made?.nextAt ?? '').getUTCDay()).toBe(1);
  expect(await ledgerOf(server, server.acme, 'export_schedule', 1)).toHaveLength(2);
});

it('onlyNew begins after the records of the export before', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  await fleet.device(server.acme.client, 'before');
  await createSchedule(server.acme, { webhookId: webhook.id, onlyNew: true });
  for (const [index, serial] of ['one', 'two'].entries()) {
    await fleet.device(server.acme.client, serial);
    await aDayLater(server);
    await receivedCount(index + 1);
    expect(await linesOf(receiver.received[index]?.body)).toEqual([`${serial},yes`]);
  }
});

it('nothing is made for a person without the right, and the reason is said', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  const maker = await server.member('acme', 'admin');
  await createSchedule(maker, { webhookId: webhook.id });
  await server.revoke(maker);
  await aDayLater(server);
  const [made] = await schedulesOf(server.acme);
  expect(made?.failure).toContain('make it anew');
  expect(jobFailureIn('pt', made?.failure ?? '')).toContain('crie de novo');
  expect(made?.madeAt).toBeNull();
  expect(receiver.received).toEqual([]);
});

it('an export that no longer fits its list says what does not', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  await createSchedule(server.acme, { webhookId: webhook.id });
  // A later version of the server may lack a field.
  const query = { columns: 'serial_number', filter: '{"colour":{"eq":"red"}}' };
  const input = JSON.stringify({ query, scopes: ['read'] });
  await server.app.database.writes.updateTable('export_schedules').set({ input }).execute();
  await aDayLater(server);
  const [made] = await schedulesOf(server.acme);
  expect(made?.failure).toMatch(/^filter does not fit the list: .*colour/);
  expect(jobFailureIn('pt', made?.failure ?? '')).toMatch(
    /^O filtro não serve mais para esta lista: .*colour/,
  );
  expect(made?.madeAt).toBeNull();
});

it('schedules are of one company, of administrators, and end with their webhook', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, ...QUIET });
  const foreign = await createSchedule(server.beta, { webhookId: webhook.id });
  expect(foreign.userErrors).toMatchObject([{ path: ['input', 'webhookId'], code: 'INVALID' }]);
  const { exportSchedule } = await createSchedule(server.acme, { webhookId: webhook.id });
  const again = await createSchedule(server.acme, { webhookId: webhook.id });
  expect(again.userErrors).toMatchObject([{ path: ['input', 'name'] }]);
  const wrong = await createSchedule(server.acme, {
    name: 'Other',
    webhookId: webhook.id,
    hour: 24,
    timeZone: 'Mars/Olympus',
  });
  expect(wrong.userErrors.map(({ path }) => path)).toEqual([
    ['input', 'hour'],
    ['input', 'timeZone'],
  ]);
  const unfit = await createSchedule(server.acme, {
    webhookId: webhook.id,
    export: { ...EXPORT, columns: ['colour'] },
  });
  expect(unfit.userErrors).toMatchObject([{ path: ['input', 'export', 'columns'], code: 'INVALID' }]);
  expect(await schedulesOf(server.beta)).toEqual([]);
  const operator = await server.member('acme', 'operator');
  const refused = await operator.graphql('{ exportSchedules { id } }');
  expect(JSON.stringify(refused.body.errors)).toContain('FORBIDDEN');
  const DELETE = 'mutation ($id: ID!) { exportScheduleDelete(id: $id) { deletedId userErrors { code } } }';
  const id = exportSchedule?.id;
  expect(await changed(server.beta, DELETE, { id })).toMatchObject({ userErrors: [{ code: 'NOT_FOUND' }] });
  expect(await changed(server.acme, DELETE, { id })).toMatchObject({ deletedId: id });
  await createSchedule(server.acme, { webhookId: webhook.id });
  await changed(server.acme, 'mutation ($id: ID!) { webhookDelete(id: $id) { userErrors { code } } }', {
    id: webhook.id,
  });
  expect(await schedulesOf(server.acme)).toEqual([]);
});

it.each([
  ['UTC', null, '2026-01-05T07:59:59Z', '2026-01-05T08:00:00Z'],
  ['UTC', null, '2026-01-05T08:00:00Z', '2026-01-06T08:00:00Z'],
  ['America/Sao_Paulo', null, '2026-01-05T10:30:00Z', '2026-01-05T11:00:00Z'],
  ['America/Sao_Paulo', 'monday', '2026-01-05T11:00:00Z', '2026-01-12T11:00:00Z'],
  ['America/Sao_Paulo', 'sunday', '2026-01-05T11:00:00Z', '2026-01-11T11:00:00Z'],
  // Clocks go forward on 29 March, and back on 25 October.
  ['Europe/Lisbon', null, '2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z'],
  ['Europe/Lisbon', null, '2026-10-24T07:00:00Z', '2026-10-25T08:00:00Z'],
] as const)('in %s, on %s, the time after %s is %s', (timeZone, weekday, now, next) => {
  expect(nextTime({ hour: 8, weekday, timeZone }, new Date(now))).toEqual(new Date(next));
});

it('an hour that clocks skip is left out for a day', () => {
  const schedule = { hour: 1, weekday: null, timeZone: 'Europe/Lisbon' } as const;
  const before = new Date('2026-03-28T01:00:00Z');
  expect(nextTime(schedule, before).getTime() - before.getTime()).toBeGreaterThanOrEqual(23 * HOUR);
});
