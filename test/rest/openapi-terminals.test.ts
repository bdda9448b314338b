import { beforeAll, describe, expect, it } from 'vitest';

import { sendCommand } from '../../src/domain/messages/command/command.service.js';
import { createClient, type Fields } from '../support/client.js';
import { changed } from '../support/dashboard.js';
import { notify } from '../support/deliveries.js';
import { fleet } from '../support/fleet.js';
import { expectDocumented, OTHERS } from '../support/openapi-check.js';
import { useServer } from '../support/server.js';
import { stockedTerminal, type StockedTerminal } from '../support/stocked-terminal.js';
import { getAsTerminal } from '../support/terminals.js';
import { httpTerminal } from '../support/waiting-terminal.js';

const server = useServer();
let terminal: StockedTerminal;
let asset: string;
let event: string;
let command: string;
let log: string;
let job: string;
/** Path of an export by a link. */
let link: string;
beforeAll(async () => {
  terminal = await stockedTerminal(server.acme, 'sale');
  const { body } = await getAsTerminal(server, terminal.token, 'manifest');
  asset = (body.files as { name: string }[])[0]?.name ?? '';
  await notify(server, server.acme, 'Closed on Sunday', terminal.logicalNumber);
  const given = await httpTerminal(server.url, terminal.token).get('/notifications');
  event = (given.body.notifications as { id: string }[])[0]?.id ?? '';
  const { caller } = server.acme;
  await server.app.units.write(caller, (work) =>
    sendCommand(work, { action: 'REBOOT' }, [terminal.deviceId]),
  );
  const commands = await httpTerminal(server.url, terminal.token).get('/notifications');
  command = (commands.body.notifications as { id: string }[])[0]?.id ?? '';
  log = String((await sendLog()).body.id);
  await fleet.device(server.acme.client, 'NEW-TOKEN');
  const started = await changed<{ readonly job: { readonly databaseId: number } }>(
    server.acme,
    `mutation { deviceBulkChange(target: { filter: { serialNumber: { eq: "NEW-TOKEN" } } },
      change: { token: { keepOldFor: "0s" } }) { job { databaseId } userErrors { message } } }`,
  );
  job = String(started.job.databaseId);
  await server.app.steps.idle();
  const exported = await changed<{ readonly job: { readonly result: { readonly url: string } } }>(
    server.acme,
    'mutation { exportStart(input: { kind: DEVICES }) { job { result { url } } userErrors { message } } }',
  );
  link = exported.job.result.url;
});

/** Sends a text as a log of the terminal. */
const sendLog = async (token = terminal.token, more: Readonly<Record<string, string>> = {}) =>
  await createClient(server.url, null).request('POST', '/terminal/v1/logs?name=main.log', 'a line', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain', ...more },
  });

const STREAM = 'streamTerminalNotifications';
const named = OTHERS.map((route) => [route.operationId, route] as const);
const answered = named.filter(([id]) => id !== STREAM);

/** The example of the document, with a notification and an asset that the terminal has. */
async function call(
  { method, path, scope, body, bodyTypes, example }: (typeof OTHERS)[number],
  token = scope === 'terminals' ? terminal.token : server.acme.token,
  more: Readonly<Record<string, string>> = {},
) {
  if (path.endsWith('/logs')) return await sendLog(token, more);
  const own = path.endsWith('/confirm') ? { event } : path.endsWith('/installs') ? { name: asset } : {};
  const sent: Fields = { ...example, ...own };
  const row = body?.shape.serialNumber === undefined ? {} : { serial_number: terminal.serialNumber };
  const type = bodyTypes === undefined ? {} : { 'content-type': bodyTypes[0] ?? '' };
  return await createClient(server.url, null).request(
    method,
    scope === null
      ? link
      : path
          .replace('{name}', asset)
          .replace('{log}', log)
          .replace('{id}', command)
          .replace('{list}', 'devices')
          .replace('{job}', job),
    body && JSON.stringify({ ...sent, ...row }),
    { headers: { authorization: `Bearer ${token}`, ...type, ...more } },
  );
}

// The test client compares each answer with the document.
describe('an answer to a terminal, to who brings transactions in, and to an export is as documented:', () => {
  it.each(answered)('%s', async (_id, route) => {
    const reply = await call(route);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.text).not.toBe('');
    const tag = reply.headers.get('etag');
    if (tag === null) return;
    expect(route.headers).toHaveProperty('ETag');
    expect((await call(route, undefined, { 'if-none-match': tag })).status).toBe(304);
  });

  it(STREAM, async () => {
    await notify(server, server.acme, 'Open again', terminal.logicalNumber);
    const stream = await httpTerminal(server.url, terminal.token).stream();
    await expect.poll(() => stream.ids()).toHaveLength(1);
    const contentType = stream.headers['content-type'] ?? '';
    const url = new URL('/terminal/v1/notifications/stream', server.url);
    const { status } = stream;
    expectDocumented({ method: 'GET', url, status, contentType, body: {}, text: stream.text() });
    stream.close();
  });

  it('the rest of an asset, and a range that it does not have', async () => {
    const bytes = async (range: string): Promise<number> =>
      (await getAsTerminal(server, terminal.token, `assets/${asset}`, { range })).status;
    expect([await bytes('bytes=1-'), await bytes('bytes=1000000-')]).toEqual([206, 416]);
    expect((await getAsTerminal(server, terminal.token, 'assets/none')).status).toBe(404);
  });

  it.each(named.filter(([, { scope }]) => scope !== null))(
    '%s without a token, and with a token for something else',
    async (_id, route) => {
      const unknown = await call(route, '0'.repeat(40));
      expect(unknown.status).toBe(401);
      const other = await call(route, route.scope === 'terminals' ? server.acme.token : terminal.token);
      expect([other.status, other.body.code]).toEqual([403, 'forbidden']);
    },
  );

  it.each(named.filter(([, { scope }]) => scope === 'terminals'))(
    '%s of a terminal that is disabled',
    async (_id, route) => {
      const { client } = server.acme;
      expect((await client.put(`devices/${terminal.serialNumber}`, { enabled: false })).status).toBe(200);
      const reply = await call(route);
      expect([reply.status, reply.body.code]).toEqual([403, 'terminal_disabled']);
      await client.put(`devices/${terminal.serialNumber}`, { enabled: true });
    },
  );
});
