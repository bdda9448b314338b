import { describe, expect, it } from 'vitest';

import { changed, nodeId, refused } from '../../../support/dashboard.js';
import { useServer } from '../../../support/server.js';
import { waitFor } from '../../../support/wait-for.js';
import { change, createGroups, createWebhook, tryToCreate, webhookOf } from './hooks.js';
import { useReceiver } from './receiver.js';

const METADATA = '169.254.169.254';
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'metadata.example': [METADATA],
  'mixed.example': ['93.184.215.14', METADATA],
  'mapped.example': [`::ffff:${METADATA}`],
  'hooks.internal': ['127.0.0.1'],
};
const server = useServer(
  { webhookNetworks: ['127.0.0.1'] },
  { resolveName: (name) => Promise.resolve(NAMES[name] ?? []), background: true },
);
const receiver = useReceiver();

const LOST = 'has an address that is not public, and not in WEBHOOK_NETWORKS';
const WRONG_PORT = 'has a port of another service: use 443, or one from 1024 on';
const NO_RESPONSE =
  'There was no response within 10 s: check its name, port and certificate, and whether its address is public or in WEBHOOK_NETWORKS.';
const NO_URL = 'must be an address such as https://example.com/hooks, without user, password and #';

describe('a webhook', () => {
  it.each([
    ['not an address', NO_URL],
    ['ftp://example.com/', NO_URL],
    ['https://user:password@example.com/', NO_URL],
    ['https://example.com/#part', NO_URL],
    [`https://example.com/${'x'.repeat(2_000)}`, 'must have at most 2000 characters'],
    [`https://${METADATA}/latest`, LOST],
    ['http://0xa9fea9fe/', LOST],
    [`https://[::ffff:${METADATA}]/`, LOST],
    ['https://[64:ff9b::a9fe:a9fe]/', LOST],
    ['http://93.184.215.14/', 'has a public address: use https'],
    ['https://hooks.example.com:25/', WRONG_PORT],
    ['http://127.0.0.1:6/', WRONG_PORT],
    ['https://93.184.215.14:80/', WRONG_PORT],
  ])('is refused at %s', async (url, message) => {
    expect(await tryToCreate(server.acme, { url, events: ['*'] })).toMatchObject({
      webhook: null,
      secret: null,
      userErrors: [{ path: ['input', 'url'], message, code: 'INVALID' }],
    });
  });

  it.each(['devices.update', 'device.updates', 'device', 'device.update.x', '*.update', ''])(
    'is refused with events of the type "%s"',
    async (type) => {
      const { userErrors } = await tryToCreate(server.acme, { url: receiver.url, events: ['*', type] });
      expect(userErrors).toMatchObject([{ path: ['input', 'events'], code: 'INVALID' }]);
    },
  );

  it.each(['metadata.example', 'mixed.example', 'mapped.example'])(
    'sends nothing to %s, whose address is not public',
    async (name) => {
      const { webhook } = await createWebhook(server.acme, { url: `https://${name}/` });
      await createGroups(server.acme, [name]);
      await waitFor(async () =>
        expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({
          state: 'FAILING',
          lastFailure: NO_RESPONSE,
        }),
      );
    },
  );

  it('follows no redirect', async () => {
    receiver.respond = (response) =>
      void response.writeHead(307, { Location: receiver.url.replace('hooks', 'other') }).end();
    const { port } = new URL(receiver.url);
    const { webhook } = await createWebhook(server.acme, { url: `http://hooks.internal:${port}/` });
    await createGroups(server.acme, ['redirected']);
    await waitFor(async () =>
      expect(await webhookOf(server.acme, webhook.databaseId)).toMatchObject({
        state: 'FAILING',
        lastFailure: 'The response was 307, a redirect, and none is followed.',
      }),
    );
    expect(receiver.received).toHaveLength(1);
  });

  it('is a node for administrators only', async () => {
    const { webhook } = await createWebhook(server.acme, { url: receiver.url });
    const operator = await server.member('acme', 'operator');
    const id = nodeId('Webhook', webhook.databaseId);
    expect((await refused(operator, `{ node(id: "${id}") { id } }`)).code).toBe('FORBIDDEN');
  });

  it('has a secret that is neither in the ledger nor in the database', async () => {
    const { secret, webhook } = await createWebhook(server.acme, { url: receiver.url });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = webhook.databaseId;
    const rows = await server.place.sql(`select * from webhooks where id = ${id}`);
    const entries = await server.place.sql(`select * from ledger where entity_type = 'webhook'`);
    const stored = JSON.stringify([rows, entries]);
    expect(stored).toContain('secret_nonce');
    for (const hidden of [secret, secret.slice('whsec_'.length)]) expect(stored).not.toContain(hidden);
    expect(JSON.stringify(entries)).not.toContain(String(rows[0]?.secret_nonce));
  });

  it('keeps what an update does not name, and is deleted', async () => {
    const { webhook } = await createWebhook(server.acme, { url: receiver.url });
    const id = webhook.databaseId;
    expect(
      await change(server.acme, 'webhookUpdate', id, 'input: { enabled: false }, ifMatch: 1'),
    ).toMatchObject({
      webhook: { url: receiver.url, state: 'DISABLED', revision: 2 },
    });
    expect(
      await change(server.acme, 'webhookUpdate', id, 'input: { enabled: true }, ifMatch: 1'),
    ).toMatchObject({
      userErrors: [{ code: 'STALE' }],
    });
    const deleted = await changed(
      server.acme,
      `mutation { webhookDelete(id: "${nodeId('Webhook', id)}") { deletedId userErrors { code } } }`,
    );
    expect(deleted).toEqual({ deletedId: nodeId('Webhook', id), userErrors: [] });
    expect(await webhookOf(server.acme, id)).toBeNull();
  });

  it('is one of at most 20', async () => {
    for (let count = 0; count < 20; count += 1) {
      await createWebhook(server.beta, { url: receiver.url, events: ['app.*'] });
    }
    const { userErrors } = await tryToCreate(server.beta, { url: receiver.url, events: ['*'] });
    expect(userErrors).toMatchObject([{ code: 'TOO_MANY_RECORDS' }]);
  });
});
