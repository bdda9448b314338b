import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { OutgoingRequests } from '../../src/http/outgoing.js';
import { addressProblemOf, portProblemOf } from '../../src/platform/outgoing.js';
import { scratchFolder, selfSigned } from '../support/scratch.js';

const LOCAL = ['127.0.0.1', '10.20.0.0/16', 'fd00::/8'];
const WRONG_PORT = 'has a port of another service: use 443, or one from 1024 on';
/** Failure of every request without a response. */
const noResponse = (seconds: number) =>
  `There was no response within ${seconds} s: check its name, port and certificate, and whether its address is public or in WEBHOOK_NETWORKS.`;
const METADATA = '169.254.169.254';

describe('an address that users have given', () => {
  const problemOf = addressProblemOf(LOCAL);

  const NOT_PUBLIC = `${METADATA} ::ffff:${METADATA} ::${METADATA} 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1
    ::ffff:0:a9fe:a9fe 127.0.0.2 10.21.0.1 192.168.0.1 172.16.0.1 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1
    240.0.0.1 198.18.0.1 192.0.0.8 :: ::1 fe80::1 fc00::1 fec0::1 ff02::1 2001::1 100::1 5f00::1 2001:db8::1`;

  it.each(NOT_PUBLIC.split(/\s+/))('%s is not public', (address) => {
    expect(problemOf(address, true, 443)?.message).toContain('not public');
  });

  it.each(['93.184.215.14', '::ffff:93.184.215.14', '2606:4700::1111'])(
    '%s is public, with TLS',
    (address) => {
      expect(problemOf(address, true, 443)).toBeNull();
      expect(problemOf(address, true, 8443)).toBeNull();
      expect(problemOf(address, true, 80)?.message).toBe(WRONG_PORT);
      expect(problemOf(address, false, 80)?.message).toBe('has a public address: use https');
    },
  );

  it.each(['127.0.0.1', '::ffff:127.0.0.1', '10.20.255.1', 'fd00:ec2::254'])(
    '%s is allowed by a setting, without TLS too',
    (address) => {
      expect(problemOf(address, false, 80)).toBeNull();
    },
  );

  it('may have the port 443, 80 or one from 1024 on', () => {
    const ports = Array.from({ length: 65_536 }, (_, port) => port);
    const refused = ports.filter((port) => portProblemOf(port)?.message === WRONG_PORT);
    expect(refused).toEqual(ports.filter((port) => port < 1024 && port !== 443 && port !== 80));
  });
});

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  }
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** The result of a request to a server that answers as given. */
async function outcomeOf(
  listener: RequestListener,
  host = '127.0.0.1',
  addresses = ['127.0.0.1'],
  ms = 10_000,
) {
  const port = await portOf(createServer(listener));
  const outgoing = new OutgoingRequests(LOCAL, () => Promise.resolve(addresses), ms);
  return await outgoing.post({ url: `http://${host}:${port}/`, headers: { a: 'b' }, body: 'ü' });
}

describe('a request to an address that users have given', () => {
  it('has the headers and the body', async () => {
    const received: unknown[] = [];
    const outcome = await outcomeOf((request, response) => {
      request.setEncoding('utf8').on('data', (text) => {
        received.push(request.method, request.headers.a, request.headers['content-length'], text);
        response.end('thanks');
      });
    }, 'hooks.internal');
    expect(outcome).toMatchObject({ status: 200, failure: null });
    expect(received).toEqual(['POST', 'b', '2', 'ü']);
  });

  it.each([301, 302, 303, 307, 308])('is not repeated elsewhere: %i', async (status) => {
    let requests = 0;
    const outcome = await outcomeOf((_request, response) => {
      requests += 1;
      response.writeHead(status, { Location: `http://${METADATA}/latest/meta-data` }).end();
    });
    expect(outcome).toMatchObject({
      status,
      failure: `The response was ${status}, a redirect, and none is followed.`,
    });
    expect(requests).toBe(1);
  });

  it('fails without a response in time', async () => {
    const outcome = await outcomeOf(() => undefined, '127.0.0.1', [], 200);
    expect(outcome).toMatchObject({ status: null, failure: noResponse(0.2) });
  });

  it('fails if the response does not end in time', async () => {
    const outcome = await outcomeOf((_request, response) => void response.write('x'), '127.0.0.1', [], 200);
    expect(outcome).toMatchObject({ status: null, failure: noResponse(0.2) });
  });

  it('reads only the beginning of a response without an end', async () => {
    let written = 0;
    let closed: Promise<unknown> | undefined;
    const outcome = await outcomeOf((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(4_096))) written += 4_096;
      };
      response.on('drain', write);
      closed = once(response, 'close');
      write();
    });
    expect(outcome).toMatchObject({ status: 200, failure: null });
    // The connection is closed, so the server cannot go on.
    await closed;
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    [[METADATA]],
    [['127.0.0.1', METADATA]],
    [['127.0.0.1', `::ffff:${METADATA}`]],
    [['93.184.215.14']],
    [[]],
  ])(
    'is not sent to a name with the addresses %j, and says no more than of one that nobody answers at',
    async (addresses) => {
      let requests = 0;
      const outcome = await outcomeOf(() => void (requests += 1), 'hooks.example', addresses);
      expect(outcome).toMatchObject({ status: null, failure: noResponse(10) });
      expect(requests).toBe(0);
    },
  );

  it.each(['127.0.0.2', '[::ffff:7f00:2]', '2130706434', '0x7f.2'])('is not sent to %s', async (host) => {
    let requests = 0;
    const outcome = await outcomeOf(() => void (requests += 1), host);
    expect(outcome).toMatchObject({ status: null, failure: noResponse(10) });
    expect(requests).toBe(0);
  });

  it('fails at a closed port, and at one of another service', async () => {
    const closed = createServer();
    const port = await portOf(closed);
    await new Promise((resolve) => void closed.close(resolve));
    for (const target of [port, 22]) {
      const url = `http://127.0.0.1:${target}/`;
      const outcome = await new OutgoingRequests(LOCAL).post({ url, headers: {}, body: '' });
      expect(outcome).toMatchObject({ status: null, failure: noResponse(10) });
    }
  });

  it('fails at a certificate that is not trusted', async () => {
    const port = await portOf(
      createTlsServer(selfSigned(scratchFolder()), (_request, response) => response.end()),
    );
    const outgoing = new OutgoingRequests(LOCAL);
    const outcome = await outgoing.post({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '' });
    expect(outcome.failure).toBe(noResponse(10));
  });

  it('ends when it is aborted', async () => {
    const stopping = new AbortController();
    const port = await portOf(createServer(() => stopping.abort()));
    const { signal } = stopping;
    const outgoing = new OutgoingRequests(LOCAL);
    const outcome = await outgoing.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '', signal });
    expect(outcome).toMatchObject({ status: null, failure: noResponse(10) });
  });
});
