import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId } from '../../support/dashboard.js';
import { insertLarge, LARGE } from '../../support/databases/rows.js';
import { fleet } from '../../support/fleet.js';
import { ask, openKnown } from '../../support/raw-socket.js';
import { useServer } from '../../support/server.js';
import { graphqlPost, openSlowClient, type SlowClient } from '../../support/slow-client.js';

const MANY = 70;

const server = useServer();
let group: string;
/** Logical numbers of the group. */
const numbers: number[] = [];
beforeAll(async () => {
  const { client } = server.acme;
  const groupId = await fleet.group(client, 'large');
  group = nodeId('Group', groupId);
  for (let made = 0; made < MANY; made += 1) {
    numbers.push(await fleet.logicalNumber(client, `number ${made}`, { group_id: groupId }));
  }
  await insertLarge(server.place, server.acme.caller, MANY, (n) => ({ group_id: groupId, key: `key ${n}` }));
});

const addToEachNumber = (count: number, key: string): Promise<void> =>
  insertLarge(server.place, server.acme.caller, count, (n) => ({
    logical_number_id: numbers[n - 1] ?? null,
    key,
  }));

interface Listed {
  readonly group: { readonly metacontents: { readonly nodes: readonly { readonly value: string }[] } };
}
const listed = (first: number): string =>
  `{ group(id: "${group}") { metacontents(first: ${first}) { nodes { value } } } }`;
/** Query that returns the same few records many times. */
const repeated = (first: number): string =>
  `{ group(id: "${group}") { logicalNumbers(first: ${MANY}) { nodes {
    group { metacontents(first: ${first}) { nodes { value } } } } } } }`;

const tooLarge = (limit: string, maximum: number): object => ({
  message: expect.stringContaining(`at most ${maximum}. Ask for fewer records.`) as string,
  extensions: { code: 'BAD_USER_INPUT', limit, maximum },
});
const MIB = 1024 * 1024;

describe('a response over the limit of bytes', () => {
  it('is refused, one below the limit is not', async () => {
    const data = await answered<Listed>(server.acme, listed(60));
    expect(data.group.metacontents.nodes.map(({ value }) => value.length)).toEqual(Array(60).fill(LARGE));
  });

  it('is refused with its size, also where it repeats the same records', async () => {
    const { status, body } = await server.acme.graphql(repeated(1));
    expect([status, body.data]).toEqual([200, null]);
    expect(body.errors).toMatchObject([tooLarge('answerBytes', 16 * MIB)]);
    expect(body.extensions).toMatchObject({ cost: { requested: 1 + MANY * 3 } });
  });

  it('is refused over a socket as well', async () => {
    const raw = await openKnown(server, server.acme.token);
    const { payload } = await ask(raw, repeated(1));
    expect(payload.errors).toMatchObject([tooLarge('answerBytes', 16 * MIB)]);
    expect((await ask(raw, '{ viewer { role } }')).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
    raw.socket.close();
  });
});

describe('responses that their clients do not read', () => {
  const ASKED = 9;
  const body = (): string => JSON.stringify({ query: listed(60) });

  async function askAndNotRead(): Promise<SlowClient> {
    const client = await openSlowClient(server.url);
    client.socket.pause();
    await client.send(graphqlPost(server.acme.token, body()));
    return client;
  }

  /** Sends the query again; its client leaves after the status. */
  async function statusOfAnother(): Promise<number> {
    const headers = { authorization: `Bearer ${server.acme.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body: body() });
    await response.body?.cancel();
    return response.status;
  }

  it('are limited per company; other companies are served', async () => {
    const slow = await Promise.all(Array.from({ length: ASKED }, askAndNotRead));
    // The operating system takes some megabytes of each response, which no longer wait in the server.
    const askedForMore = async (): Promise<number> => {
      slow.push(await askAndNotRead());
      return await statusOfAnother();
    };
    await expect.poll(askedForMore).toBe(503);
    // One more may fit in meanwhile, for the same reason.
    const refusal = async (): Promise<unknown> => {
      const { body: refused, headers } = await server.acme.graphql(listed(60));
      return [refused.errors?.[0]?.extensions.code, headers.get('retry-after')];
    };
    await expect.poll(refusal).toEqual(['UNAVAILABLE', '5']);
    expect(await answered(server.acme, '{ viewer { role } }')).toEqual({ viewer: { role: 'ADMIN' } });
    expect((await server.beta.graphql('{ groups { totalCount } }')).status).toBe(200);
    for (const { socket } of slow) socket.destroy();
    await expect.poll(statusOfAnother).toBe(200);
  });

  it('are not made for a socket before it has room', async () => {
    const raw = await openKnown(server, server.acme.token);
    raw.socket.pause();
    const count = 7;
    for (let id = 0; id < count; id += 1) {
      raw.say({ type: 'subscribe', id: String(id), payload: { query: listed(60) } });
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { text } = await server.anonymous.get('/metrics');
    const waiting = Number(/^http_waiting_bytes (\d+)$/m.exec(text)?.[1]);
    expect(waiting).toBeLessThan(5 * 60 * LARGE);
    raw.socket.resume();
    const ends = (): number =>
      raw.heard.filter(({ type }) => ['complete', 'error'].includes(type as string)).length;
    await expect.poll(ends).toBe(count);
    expect(raw.heard.some(({ type }) => type === 'next')).toBe(true);
    raw.socket.close();
  });
});

describe('large records', () => {
  it('stop an operation at the limit of bytes read', async () => {
    await addToEachNumber(MANY, 'own');
    const both = (field: string): string =>
      `{ metacontents(first: 100) { nodes { ${field} } } more: metacontents(last: 100) { nodes { ${field} } } }`;
    expect(JSON.stringify(await answered(server.acme, both('key')))).toContain('"more":{"nodes":[{"key":');
    const once = await server.acme.graphql(both('value'));
    expect(once.body.errors?.map(({ extensions }) => extensions)).toContainEqual(
      expect.objectContaining({ limit: 'readBytes', maximum: 32 * MIB }),
    );
    const nested = await server.acme.graphql(
      `{ group(id: "${group}") { name metacontents(first: 100) { nodes { value } }
         logicalNumbers(first: ${MANY}) { nodes { metacontents { nodes { value } } } } } }`,
    );
    expect(nested.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(nested.body.errors?.[0]?.message).toContain('at most');
    expect(await answered(server.acme, `{ group(id: "${group}") { name } }`)).toEqual({
      group: { name: 'large' },
    });
  });

  it('stop it within a single statement, too', async () => {
    await addToEachNumber(65, 'another');
    const { body } = await server.acme.graphql(
      `{ logicalNumbers(first: 100) { nodes { metacontents(first: 2) { nodes { value } } } } }`,
    );
    expect(body.errors?.[0]).toMatchObject({
      message: `The records have more than ${32 * MIB} bytes: request fewer at once.`,
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });
});
