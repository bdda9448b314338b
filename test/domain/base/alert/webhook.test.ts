import { expect, it } from 'vitest';

import { HOUR } from '../../../../src/platform/clock.js';
import { useServerPerTest } from '../../../support/server.js';
import { waitFor } from '../../../support/wait-for.js';
import { createWebhook, webhookOf } from '../webhook/hooks.js';
import { signatureOf, useReceiver } from '../webhook/receiver.js';
import { acknowledge, addDevices, after, createRule, deleteRule, refuse, updateRule } from './alerts.js';

const server = useServerPerTest({ webhookNetworks: ['127.0.0.1'] }, { background: true });
const receiver = useReceiver();

const receivedCount = (count: number): Promise<void> =>
  waitFor(() => expect(receiver.received).toHaveLength(count));

it('an alert is sent to the webhook of its rule, signed, and to those whose types name alerts', async () => {
  const { webhook, secret } = await createWebhook(server.acme, { url: receiver.url });
  await createWebhook(server.acme, { url: `${receiver.url}/others` });
  const named = await createWebhook(server.acme, { url: `${receiver.url}/named`, events: ['alert.closed'] });
  server.clock.stop();
  await refuse(server, await addDevices(server.acme, ['a', 'b']));
  const on = { refused: { count: 1, within: '7d' } };
  const rule = await createRule(server.acme, { on, webhookId: webhook.id, repeatAfter: '1h' });
  const [alert] = await after(server, 0);
  await receivedCount(1);
  await after(server, HOUR);
  await receivedCount(2);
  await acknowledge(server.acme, alert?.databaseId ?? 0);
  await receivedCount(3);
  await deleteRule(server.acme, rule.id);
  await receivedCount(5);

  const [first] = receiver.received;
  expect(first?.headers['webhook-signature']).toBe(signatureOf(secret, first ?? { headers: {}, body: '' }));
  const data = JSON.parse(first?.body ?? '') as { data: { changes: { field: string; after: unknown }[] } };
  expect(data).toMatchObject({ type: 'alert.opened', data: { entityType: 'alert', actorId: null } });
  const values = Object.fromEntries(data.data.changes.map(({ field, after: value }) => [field, value]));
  expect(values).toMatchObject({ name: 'Rule', kind: 'refused', affected: 2, examples: ['a', 'b'] });
  expect(receiver.types().sort()).toEqual([
    'alert.acknowledged',
    'alert.closed',
    'alert.closed',
    'alert.opened',
    'alert.repeated',
  ]);
  await waitFor(async () =>
    expect(await webhookOf(server.acme, named.webhook.databaseId)).toMatchObject({ state: 'ACTIVE' }),
  );
});

it('the webhook that heard of an alert also hears that it is closed, after the rule has another one', async () => {
  const events = ['app.create'];
  const { webhook, secret } = await createWebhook(server.acme, { url: receiver.url, events });
  const other = await createWebhook(server.acme, { url: receiver.url, events });
  server.clock.stop();
  await refuse(server, await addDevices(server.acme, ['a']));
  const on = { refused: { count: 1, within: '7d' } };
  const rule = await createRule(server.acme, { on, webhookId: webhook.id });
  await after(server, 0);
  await receivedCount(1);
  await updateRule(server.acme, rule.id, { webhookId: other.webhook.id });
  await deleteRule(server.acme, rule.id);
  await receivedCount(3);
  const heard = receiver.received.map((request) => [
    request.headers['webhook-signature'] === signatureOf(secret, request) ? 'first' : 'second',
    request.type,
  ]);
  expect(heard.toSorted()).toEqual([
    ['first', 'alert.closed'],
    ['first', 'alert.opened'],
    ['second', 'alert.closed'],
  ]);
});

it('an alert waits for a webhook that fails, and a failing webhook opens one', async () => {
  receiver.respond = (response) => void response.writeHead(500).end();
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  server.clock.stop();
  await refuse(server, await addDevices(server.acme, ['a']));
  const within = '1h';
  await createRule(server.acme, { name: 'R', on: { refused: { count: 1, within } }, webhookId: webhook.id });
  await createRule(server.acme, { name: 'D', on: { deliveriesFailed: { count: 1, within } } });
  expect(await after(server, 0)).toMatchObject([{ name: 'R' }]);
  await waitFor(async () =>
    expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({ state: 'FAILING' }),
  );
  const [failing] = await after(server, 0);
  const examples = [`webhook ${webhook.databaseId}`];
  expect(failing).toMatchObject({ name: 'D', kind: 'deliveriesFailed', affected: 1, examples });
  receiver.respond = (response) => void response.writeHead(204).end();
  server.clock.advance(HOUR);
  await waitFor(async () =>
    expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({ state: 'ACTIVE' }),
  );
  expect(receiver.types()).toEqual(['alert.opened', 'alert.opened']);
});
