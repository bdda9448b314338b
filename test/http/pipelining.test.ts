import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';

import { REQUEST_LIMITS } from '../../src/http/server/admission.js';
import { fleet } from '../support/fleet.js';
import { openConnection, sendRaw } from '../support/raw-http.js';
import { SYSTEM, useServerPerTest } from '../support/server.js';

/** Requests that may wait on a connection. */
const AHEAD = 250;

const server = useServerPerTest();

interface Sent {
  readonly id: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly close?: boolean;
}

function bytesOf({ id, method = 'GET', path = '/v1/groups', body = '', close = false }: Sent): string {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: a', `X-Request-Id: ${id}`];
  head.push(`Authorization: Bearer ${server.acme.token}`);
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  if (close) head.push('Connection: close');
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

const creating = (name: string): Sent => ({ id: name, method: 'POST', body: JSON.stringify({ name }) });
const asking = (id: string, query: string, variables = {}): Sent => ({
  id,
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
});
const rangeOf = (length: number): number[] => Array.from({ length }, (_none, step) => step);
const manyOf = (count: number, make: (n: number) => Sent): string =>
  rangeOf(count).map(make).map(bytesOf).join('');
const idsIn = (text: string): string[] =>
  [...text.matchAll(/^x-request-id: (\S+)\r$/gim)].map(([, id = '']) => id);

/** Nothing can be written until it is called. */
async function holdWrites(): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let write: Promise<unknown> = Promise.resolve();
  await new Promise<void>((begun) => {
    const hold = async (): Promise<void> => {
      begun();
      await promise;
    };
    write = server.app.units.systemWrite(SYSTEM, hold, server.acme.caller.companyId);
  });
  return async () => {
    resolve(undefined);
    await write;
  };
}

async function groups(): Promise<string[]> {
  const rows = await server.app.database.reads.selectFrom('groups').select('name').orderBy('id').execute();
  return rows.map(({ name }) => name);
}

const openSocket = (): Promise<Socket> => openConnection(server.url);

/** Resolves when the server has read what was sent to it before. */
async function whatCameBefore(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await server.beta.client.get('groups');
}

/** No bytes wait, and as many requests as ever can be in progress. */
async function expectNothingLeft(): Promise<void> {
  await expect.poll(() => server.metric('http_connections_open')).toBeLessThan(20);
  await expect.poll(() => server.metric('http_waiting_bytes')).toBe(0);
  const before = (await groups()).length;
  const release = await holdWrites();
  const { ofNetwork } = REQUEST_LIMITS;
  const creations = rangeOf(ofNetwork).map((n) => server.acme.client.post('groups', { name: `room ${n}` }));
  await whatCameBefore();
  await release();
  const replies = await Promise.all(creations);
  const refused = replies.filter(({ status }) => status !== 201);
  // On a busy machine, some wait to write for too long: they were in progress all the same.
  for (const { text } of refused) expect(text).toContain('The database is busy');
  expect(await groups()).toHaveLength(before + ofNetwork - refused.length);
}

describe('requests that are sent ahead on one connection', () => {
  it('are answered in order, each after what the one before has changed', async () => {
    const serials = rangeOf(1_000).map((n) => `ahead ${n}`);
    const bulk = 'mutation ($s: [String!]!) { deviceBulkCreate(serialNumbers: $s) { count } }';
    const count = '{ devices(first: 1) { totalCount } groups(first: 1) { totalCount } }';
    const sent = [
      asking('bulk', bulk, { s: serials }),
      asking('after-bulk', count),
      ...rangeOf(10).flatMap((n) => [creating(`group-${n}`), asking(`count-${n}`, count)]),
      { id: 'last', close: true },
    ];
    const { text, statuses } = await sendRaw(server.url, sent.map(bytesOf).join(''));
    expect(idsIn(text)).toEqual(sent.map(({ id }) => id));
    expect(new Set(statuses)).toEqual(new Set([200, 201]));
    const devices = [...text.matchAll(/"devices":\{"totalCount":(\d+)\}/g)].map(([, total]) => Number(total));
    const counted = [...text.matchAll(/"groups":\{"totalCount":(\d+)\}/g)].map(([, total]) => Number(total));
    expect(devices).toEqual(Array(11).fill(1_000));
    expect(counted).toEqual(rangeOf(11));
  });

  it('begin once the client has taken the response before', async () => {
    const id = await fleet.file(server.acme.client, 'large', Buffer.alloc(12 * 1024 * 1024, 1));
    const socket = await openSocket();
    socket.write(bytesOf({ id: 'large', path: `/v1/files/${id}` }) + bytesOf(creating('later')));
    // The connection takes as much as it can.
    await once(socket, 'readable');
    await expect.poll(() => server.metric('http_waiting_bytes')).toBeGreaterThan(0);
    for (const name of ['a', 'b', 'c']) await server.acme.client.post('groups', { name });
    expect(await groups()).toEqual(['a', 'b', 'c']);
    let received = '';
    socket.on('data', (bytes: Buffer) => {
      received = (received + bytes.subarray(-2_000).toString('latin1')).slice(-4_000);
    });
    await expect.poll(() => received).toMatch(/HTTP\/1\.1 201 /);
    expect(await groups()).toEqual(['a', 'b', 'c', 'later']);
    socket.destroy();
  });

  it('are at most 250: the next one is refused, and nothing after it is begun', async () => {
    const release = await holdWrites();
    const sent = [
      creating('first'),
      ...rangeOf(AHEAD).map((n) => ({ id: `read-${n}` })),
      { ...creating('refused'), id: 'refused' },
    ];
    const socket = await openSocket();
    const closed = once(socket, 'close');
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      // The first response: there is room for others now.
      if (text === '') socket.write(manyOf(50, (n) => creating(`never-${n}`)));
      text += bytes.toString('latin1');
    });
    socket.write(sent.map(bytesOf).join('') + bytesOf(creating('never')));
    await whatCameBefore();
    await release();
    await closed;
    expect(idsIn(text)).toEqual(sent.map(({ id }) => id));
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([201, ...Array<number>(AHEAD).fill(200), 429]);
    const [head = '', body = ''] = text.slice(text.indexOf('HTTP/1.1 429')).split('\r\n\r\n');
    expect(head).toMatch(/^retry-after: 1\r$/im);
    expect(head).toMatch(/^connection: close\r$/im);
    expect(JSON.parse(body)).toMatchObject({
      code: 'rate_limited',
      message: 'Too many requests on one connection: at most 250 may wait for an earlier response.',
    });
    expect(await groups()).toEqual(['first']);
    await expectNothingLeft();
  });

  it('can come later, after as many responses', async () => {
    const socket = await openSocket();
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    for (const round of [1, 2]) {
      socket.write(manyOf(AHEAD, (n) => ({ id: `${round}-${n}` })));
      await expect.poll(() => idsIn(received).length).toBe(AHEAD * round);
    }
    expect(received.match(/HTTP\/1\.1 200 /g)).toHaveLength(2 * AHEAD);
    socket.destroy();
  });

  it.each([AHEAD, AHEAD + 40])('are not begun if the connection ends: %i of them', async (count) => {
    const release = await holdWrites();
    const socket = await openSocket();
    socket.write(bytesOf(creating('first')) + manyOf(count, (n) => creating(`next-${n}`)));
    await whatCameBefore();
    socket.resetAndDestroy();
    await whatCameBefore();
    await release();
    expect((await server.acme.client.post('groups', { name: 'after' })).status).toBe(201);
    // The first one had begun, if it was received before the end.
    expect([['after'], ['first', 'after']]).toContainEqual(await groups());
    await expectNothingLeft();
  });

  it('of many connections that end leave room for all the others', async () => {
    const sockets = await Promise.all(rangeOf(60).map(openSocket));
    for (const socket of sockets) socket.write(manyOf(20, (n) => ({ id: `${n}` })));
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.destroy();
    await expectNothingLeft();
  });
});
