import { expect, it, vi } from 'vitest';

import { sendNext } from '../../../../src/domain/base/webhook/delivery.service.js';
import { claim, findDue } from '../../../../src/domain/base/webhook/webhook.repository.js';
import { answered } from '../../../support/dashboard.js';
import { openOtherNode, openServer, useServerPerTest } from '../../../support/server.js';
import { waitFor } from '../../../support/wait-for.js';
import { change, createGroups, createWebhook, webhookOf } from './hooks.js';
import { signatureOf, useReceiver } from './receiver.js';

const SETTINGS = {
  webhookNetworks: ['127.0.0.1'],
  tokenSecret: 'what the nodes of this test share: 0123456789',
};
const server = useServerPerTest(SETTINGS, { background: true });
const receiver = useReceiver();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const receivedCount = (count: number): Promise<void> =>
  waitFor(() => expect(receiver.received).toHaveLength(count));

/** Whether the server would send to a webhook now. */
const isAnyDue = async (): Promise<boolean> =>
  (await server.app.units.systemRead((work) => findDue(work, { perCompany: 9, limit: 9 }))).length > 0;

it('sends the changes of its types in the order of the ledger, signed', async () => {
  const { secret, webhook } = await createWebhook(server.acme, { url: receiver.url });
  await createGroups(server.acme, ['North', 'South']);
  await server.acme.client.post('parameters', { name: 'North', key: 'k', value: 'v' });
  await server.acme.client.put('groups/North', { name: 'West' });
  await receivedCount(3);

  expect(receiver.types()).toEqual(['group.create', 'group.create', 'group.update']);
  expect(receiver.sequences()).toEqual(receiver.sequences().toSorted((a, b) => a - b));
  const [first, , last] = receiver.received;
  expect(JSON.parse(last?.body ?? '')).toMatchObject({
    type: 'group.update',
    data: {
      entityType: 'group',
      entityId: 1,
      action: 'update',
      channel: 'api',
      actorId: server.acme.caller.userId,
      changes: [{ field: 'name', before: 'North', after: 'West' }],
    },
  });
  for (const request of receiver.received) {
    expect(request.headers['webhook-signature']).toBe(signatureOf(secret, request));
    expect(request.headers['webhook-id']).toBe(`evt_${server.acme.caller.companyId}_${request.sequence}`);
  }
  expect(first?.headers).toMatchObject({ 'content-type': 'application/json' });
  await waitFor(async () =>
    expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({
      state: 'ACTIVE',
      deliveredSequence: last?.sequence,
      lastFailure: null,
    }),
  );
});

it('begins with the entry of fromSequence, and sends again from one on', async () => {
  await createGroups(server.acme, ['A', 'B', 'C']);
  const entries = await answered<{ ledger: { nodes: { sequence: number; entityType: string }[] } }>(
    server.acme,
    '{ ledger { nodes { sequence entityType } } }',
  );
  const [a = 0, b = 0, c = 0] = entries.ledger.nodes
    .filter(({ entityType }) => entityType === 'group')
    .map(({ sequence }) => sequence);
  const { webhook } = await createWebhook(server.acme, { url: receiver.url, fromSequence: b });
  await receivedCount(2);
  const { userErrors } = await change(server.acme, 'webhookReplay', webhook.databaseId, `fromSequence: ${a}`);
  expect(userErrors).toEqual([]);
  await receivedCount(5);
  expect(receiver.sequences()).toEqual([b, c, a, b, c]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(await change(server.acme, 'webhookReplay', webhook.databaseId, 'fromSequence: 9999')).toMatchObject({
    userErrors: [{ path: ['fromSequence'], code: 'INVALID' }],
  });
});

it('tries again after growing pauses, and disables the webhook after 3 days', async () => {
  receiver.respond = (response) => void response.writeHead(500).end();
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  server.clock.stop();
  const begin = server.clock.now().getTime();
  await createGroups(server.acme, ['A', 'B']);
  const shown = () => webhookOf(server.acme, webhook.databaseId);
  const failed = (count: number) =>
    waitFor(async () => {
      const now = await shown();
      expect(now.failedAttempts).toBe(count);
      return now;
    });
  const pauses = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR];
  for (const [index, pause] of [...pauses, ...Array<number>(6).fill(10 * HOUR)].entries()) {
    const { state, nextAttemptAt, lastFailureAt, lastFailure } = await failed(index + 1);
    expect({ state, lastFailure }).toEqual({ state: 'FAILING', lastFailure: 'The response was 500.' });
    expect(Date.parse(nextAttemptAt ?? '') - Date.parse(lastFailureAt ?? '')).toBe(pause);
    server.clock.advance(pause - 1);
    expect(await isAnyDue()).toBe(false);
    server.clock.advance(1);
  }
  // The last attempt is made at the end of the 3 days.
  await failed(13);
  server.clock.set(new Date(begin + 72 * HOUR));
  const { state, lastFailure, failingSince } = await failed(14);
  expect({ state, lastFailure }).toEqual({ state: 'DISABLED', lastFailure: 'The response was 500.' });
  expect(Date.parse(failingSince ?? '')).toBe(begin);
  expect(await isAnyDue()).toBe(false);
  expect(new Set(receiver.sequences()).size).toBe(1);
  const { ledger } = await answered<{ ledger: object }>(
    server.acme,
    '{ ledger(last: 1) { nodes { action entityType actor { id } } } }',
  );
  expect(ledger).toEqual({ nodes: [{ action: 'disable', entityType: 'webhook', actor: null }] });

  receiver.respond = (response) => void response.writeHead(200).end('thanks');
  await change(server.acme, 'webhookUpdate', webhook.databaseId, 'input: { enabled: true }');
  await receivedCount(16);
  expect(receiver.types()).toEqual(Array<string>(16).fill('group.create'));
  expect(new Set(receiver.sequences().slice(0, 15)).size).toBe(1);
  await waitFor(async () => expect(await shown()).toMatchObject({ state: 'ACTIVE', failedAttempts: 0 }));
});

it('disables a webhook whose receiver is gone', async () => {
  receiver.respond = (response) => void response.writeHead(410).end();
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  await createGroups(server.acme, ['A']);
  await waitFor(async () =>
    expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({
      state: 'DISABLED',
      lastFailure: 'The response was 410.',
    }),
  );
});

it('goes on after a restart with the first event that was not taken', async () => {
  await createWebhook(server.acme, { url: receiver.url });
  receiver.respond = (response, { sequence }) => {
    // The second event gets no response.
    if (sequence === receiver.received[0]?.sequence) response.writeHead(204).end();
  };
  await createGroups(server.acme, ['A', 'B', 'C']);
  await receivedCount(2);
  await server.app.stop(1_000);
  receiver.respond = (response) => void response.writeHead(204).end();

  const next = await openServer(server.place.url, undefined, SETTINGS);
  await next.start();
  await receivedCount(4);
  await next.stop(1_000);
  const [a, b, , c] = receiver.sequences();
  expect(receiver.sequences()).toEqual([a, b, b, c]);
});

it('signs with the old secret too while it is kept, and with the new one alone afterwards', async () => {
  const { secret, webhook } = await createWebhook(server.acme, { url: receiver.url });
  server.clock.stop();
  const rotated = await change(
    server.acme,
    'webhookSecretRotate',
    webhook.databaseId,
    'keepOldFor: "1h"',
    'secret',
  );
  expect(rotated.userErrors).toEqual([]);
  expect(rotated.secret).not.toBe(secret);
  await createGroups(server.acme, ['A']);
  await receivedCount(1);
  server.clock.advance(HOUR);
  await createGroups(server.acme, ['B']);
  await receivedCount(2);
  const [during, after] = receiver.received.map((request) => ({
    given: request.headers['webhook-signature'],
    both: [signatureOf(rotated.secret, request), signatureOf(secret, request)],
  }));
  expect(during?.given).toBe(during?.both.join(' '));
  expect(after?.given).toBe(after?.both[0]);

  const id = webhook.databaseId;
  expect(await change(server.acme, 'webhookSecretRotate', id, 'keepOldFor: "31d"')).toMatchObject({
    userErrors: [{ path: ['keepOldFor'], message: 'must be at most 30 days' }],
  });
  const { ledger } = await answered<{ ledger: object }>(
    server.acme,
    '{ ledger(last: 3) { nodes { action entityType changes { field } } } }',
  );
  expect(ledger).toMatchObject({
    nodes: [{ action: 'issue', entityType: 'webhook', changes: [{ field: 'oldSecretUntil' }] }, {}, {}],
  });
});

it('says that a secret was made with another TOKEN_SECRET, and goes on after a rotation', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  await server.place.sql(`update webhooks set secret_nonce = 'of another key:1'`);
  await createGroups(server.acme, ['A']);
  const id = webhook.databaseId;
  await waitFor(async () =>
    expect((await webhookOf(server.acme, id)).lastFailure).toContain('rotate the secret'),
  );
  expect(receiver.received).toHaveLength(0);
  const { secret } = await change(server.acme, 'webhookSecretRotate', id, 'keepOldFor: "1h"', 'secret');
  await receivedCount(1);
  const [request] = receiver.received;
  // The old secret is lost.
  expect(request?.headers['webhook-signature']).toBe(request && signatureOf(secret, request));
});

it('sends a test, also to a disabled webhook, which stays as it is', async () => {
  const { secret, webhook } = await createWebhook(server.acme, { url: receiver.url });
  const id = webhook.databaseId;
  await change(server.acme, 'webhookUpdate', id, 'input: { enabled: false }');
  const before = await webhookOf(server.acme, id);
  const query = `mutation { webhookTest(id: "${webhook.id}") { status failure userErrors { code } } }`;
  expect(await answered(server.acme, query)).toEqual({
    webhookTest: { status: 204, failure: null, userErrors: [] },
  });
  expect(receiver.types()).toEqual(['webhook.test']);
  const [request] = receiver.received;
  expect(request?.headers['webhook-signature']).toBe(request && signatureOf(secret, request));
  receiver.respond = (response) => void response.writeHead(500).end();
  expect(await answered(server.acme, query)).toMatchObject({
    webhookTest: { status: 500, failure: 'The response was 500.' },
  });
  expect(await webhookOf(server.acme, id)).toEqual(before);
  expect(await answered(server.beta, query)).toMatchObject({
    webhookTest: { status: null, userErrors: [{ code: 'NOT_FOUND' }] },
  });
  expect(receiver.received).toHaveLength(2);
});

it('leaves a webhook alone that a killed node had claimed, until its lease ends', async () => {
  server.clock.stop();
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  await server.app.units.write(server.acme.caller, async (work) => {
    expect(await claim(work, webhook.databaseId, new Date(work.now.getTime() + MINUTE))).toBeDefined();
    expect(await claim(work, webhook.databaseId, new Date(work.now.getTime() + MINUTE))).toBeUndefined();
  });
  await createGroups(server.acme, ['A']);
  expect(await isAnyDue()).toBe(false);
  server.clock.advance(MINUTE);
  await receivedCount(1);
});

it('ignores the result of a node whose lease has ended, once another one has claimed the webhook', async () => {
  receiver.respond = (response) => void response.writeHead(500).end();
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  await createGroups(server.acme, ['A']);
  const attempts = async () =>
    (await server.place.sql('select failed_attempts from webhooks'))[0]?.failed_attempts;
  await waitFor(async () => expect(await attempts()).toBe(1));
  await server.app.stop(1_000);
  // A node that sends only when it is called.
  const node = await openServer(server.place.url, undefined, SETTINGS);
  const { companyId } = server.acme.caller;
  const failed = async (meanwhile: string) => {
    await server.place.sql('update webhooks set due_at = created_at, lease_ends_at = null');
    const post = vi.fn(async () => {
      await server.place.sql(meanwhile);
      return { status: 500, failure: 'failed', milliseconds: 0 };
    });
    const { signal } = new AbortController();
    const tools = { units: node.units, outgoing: { post }, tokenSecret: SETTINGS.tokenSecret, signal };
    await sendNext(tools, { companyId, id: webhook.databaseId });
    expect(post).toHaveBeenCalledTimes(1);
    return await attempts();
  };
  expect(await failed('update webhooks set lease_ends_at = created_at')).toBe(1);
  expect(await failed('select 1')).toBe(2);
  await node.stop(1_000);
});

it('sends from one node at a time, each event once', async () => {
  const other = await openOtherNode(server, SETTINGS);
  await other?.start();
  await createWebhook(server.acme, { url: receiver.url });
  const names = Array.from({ length: 45 }, (_, n) => `group ${n}`);
  await createGroups(server.acme, names);
  await receivedCount(names.length);
  await other?.stop(1_000);
  expect(receiver.mostOpen).toBe(1);
  expect(receiver.sequences()).toEqual([...new Set(receiver.sequences())].toSorted((a, b) => a - b));
});

it('drops the result of events that were sent while the webhook was changed', async () => {
  const { webhook } = await createWebhook(server.acme, { url: receiver.url });
  let release = (): void => undefined;
  receiver.respond = (response) => void (release = () => void response.writeHead(500).end());
  await createGroups(server.acme, ['A']);
  await receivedCount(1);
  await change(server.acme, 'webhookUpdate', webhook.databaseId, 'input: { events: ["group.create"] }');
  receiver.respond = (response) => void response.writeHead(204).end();
  release();
  await receivedCount(2);
  await waitFor(async () =>
    expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({
      state: 'ACTIVE',
      lastFailure: null,
    }),
  );
});

it('lets no slow receiver delay the events of another company', async () => {
  receiver.respond = (response, { type }) => {
    if (type === 'group.create') response.writeHead(204).end();
  };
  for (let count = 0; count < 4; count += 1) {
    await createWebhook(server.acme, { url: receiver.url, events: ['app.*'] });
  }
  await createWebhook(server.beta, { url: receiver.url });
  await server.acme.client.post('apps', { name: 'slow' });
  await waitFor(() => expect(receiver.types()).toEqual(['app.create', 'app.create']));
  await createGroups(server.beta, ['A']);
  await waitFor(() => expect(receiver.types()).toContain('group.create'));
  // At most two webhooks of a company are sent to at the same time.
  expect(receiver.types().filter((type) => type === 'app.create')).toHaveLength(2);
});
