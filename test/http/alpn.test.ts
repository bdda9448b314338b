import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, expect, it } from 'vitest';

import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { useServer } from '../support/server.js';

const folder = scratchFolder();
const server = useServer({ tls: selfSigned(folder) });
afterAll(() => removeFolder(folder));

const connectWith = (ALPNProtocols?: string[]) =>
  connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }),
  });

it.each<[string[] | undefined, string, string | false]>([
  [['http/1.0'], '1.0', 'http/1.0'],
  [['http/1.1'], '1.1', 'http/1.1'],
  [['http/1.0', 'http/1.1'], '1.1', 'http/1.1'],
  [['h2', 'http/1.1'], '1.1', 'http/1.1'],
  [undefined, '1.0', false],
])('a TLS client that offers the protocols %s is served', async (offered, version, chosen) => {
  const socket = connectWith(offered);
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe(chosen);
  const path = `/v1/groups?access_token=${server.acme.token}`;
  socket.write(`GET ${path} HTTP/${version}\r\nHost: gateway\r\nConnection: close\r\n\r\n`);
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(response).toContain('"total_entries":0');
});

it('a TLS client that offers only h2 is refused in the handshake', async () => {
  const [error] = (await once(connectWith(['h2']), 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
});
