import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { CHUNK_BYTES } from '../../src/platform/encoding/content.js';
import { answered, nodeId, statementsFor } from '../support/dashboard.js';
import { fleet, softwareOf, unique } from '../support/fleet.js';
import { ownServer, useServer, type Fields } from '../support/server.js';
import { openSlowClient } from '../support/slow-client.js';
import { overSocket, responseIn } from '../support/transports.js';

const MEGABYTE = 1024 * 1024;
const MAX_FILE_BYTES = 4 * MEGABYTE;

const server = useServer({ maxFileBytes: MAX_FILE_BYTES });

const upload = (bytes: Uint8Array | string): Promise<number> =>
  fleet.file(server.acme.client, unique(), bytes);

const CONTENTS = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on File { size content } } }`;
const idsOf = (files: readonly number[]) => ({ ids: files.map((id) => nodeId('File', id)) });
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');

describe('bytes in a response', () => {
  it('are each in their place, however often they are selected', async () => {
    const { acme } = server;
    const large = randomBytes(3 * MEGABYTE + 7);
    const [first, second] = [await upload(large), await upload('small "quoted"\\')];
    const software = softwareOf(acme.client);
    const path = await software.app();
    const { id } = await software.version(path, { bytecode: base64('byte code'), number: '1' });
    const none = await software.version(path, { number: '2' });
    const data = await answered<Record<string, Fields>>(
      acme,
      `query ($first: Int!, $second: Int!, $version: Int!, $none: Int!) {
        a: file(databaseId: $second) { again: content name content }
        b: file(databaseId: $first) { name content size }
        c: appVersion(databaseId: $version) { number bytecode sha256 }
        d: appVersion(databaseId: $none) { number bytecode sha256 } }`,
      { first, second, version: id, none: none.id },
    );
    const small = base64('small "quoted"\\');
    expect(data.a).toMatchObject({ again: small, content: small });
    expect(data.b?.content === base64(large)).toBe(true);
    expect(data.c).toMatchObject({ number: '1', bytecode: base64('byte code') });
    expect(data.d).toEqual({ number: '2', bytecode: null, sha256: null });
  });

  it('are limited to the size of the largest file; fields beyond it have an error with the number', async () => {
    const half = MAX_FILE_BYTES / 2;
    const contents = [Buffer.alloc(half, 1), Buffer.alloc(half, 2), 'x'];
    const files: number[] = [];
    for (const content of contents) files.push(await upload(content));
    interface Data {
      readonly nodes: readonly (Fields | null)[];
    }
    const both = await answered<Data>(server.acme, CONTENTS, idsOf(files.slice(0, 2)));
    const lengths = both.nodes.map((node) => String(node?.content).length);
    expect(lengths).toEqual(Array(2).fill(Math.ceil(half / 3) * 4));
    const { status, body } = await server.acme.graphql<Data>(CONTENTS, idsOf(files));
    expect(status).toBe(200);
    expect(body.data.nodes.map((node) => node?.size ?? null)).toEqual([half, half, null]);
    expect(body.errors).toMatchObject([
      {
        message: `The contents of a response over this transport have at most ${MAX_FILE_BYTES} bytes together, not ${MAX_FILE_BYTES + 1}. REST streams each file.`,
        path: ['nodes', 2, 'content'],
        extensions: { code: 'BAD_USER_INPUT', limit: 'contentBytes', maximum: MAX_FILE_BYTES },
      },
    ]);
  });

  it('cost 100 records each', async () => {
    const list = (first: number): string => `{ files(first: ${first}) { nodes { content } } }`;
    const refused = await server.acme.graphql(list(100));
    expect([refused.status, refused.body.errors?.[0]?.message]).toEqual([
      400,
      'The operation could answer too many records: 10100, at most 10000.',
    ]);
    const versions = await server.acme.graphql('{ appVersions(first: 100) { nodes { bytecode } } }');
    expect(versions.status).toBe(400);
    const file = await upload('x');
    const one = await server.acme.graphql(`{ file(databaseId: ${file}) { name content } }`);
    expect(one.body.extensions).toEqual({ cost: { requested: 101, actual: 101 } });
  });

  it('are not read where they are not selected', async () => {
    await upload('x');
    const query = '{ files(first: 50) { totalCount nodes { name size crc sha256 } } }';
    const statements = await statementsFor(server, server.acme, query);
    expect(statements).toHaveLength(3);
    expect(statements.filter((statement) => statement.includes('content_chunks'))).toEqual([]);
  });

  it('LS-08 are read as fast as the client reads, and no further after it has left', async () => {
    const own = await ownServer();
    const id = await fleet.file(own.acme.client, 'largest.bin', Buffer.alloc(32 * MEGABYTE));
    const query = encodeURIComponent(`{ file(databaseId: ${id}) { content } }`);
    let read = 0;
    const unwatch = own.app.database.watchStatements(
      (sql) => (read += sql.includes('content_chunks') ? 1 : 0),
    );
    const client = await openSlowClient(own.url);
    client.socket.pause();
    const path = `/graphql?query=${query}&access_token=${own.acme.token}`;
    await client.send(`GET ${path} HTTP/1.1\r\nHost: gateway\r\nApollo-Require-Preflight: 1\r\n\r\n`);
    const settled = async (): Promise<boolean> => {
      const before = read;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return before > 0 && before === read;
    };
    await expect.poll(settled).toBe(true);
    const whole = Math.ceil((32 * MEGABYTE) / CHUNK_BYTES);
    expect(read).toBeLessThan(whole);
    client.socket.destroy();
    await client.closed();
    expect((await own.acme.client.get('groups')).status).toBe(200);
    expect(await settled()).toBe(true);
    expect(read).toBeLessThan(whole);
    expect(own.logs.filter((line) => line.includes('unexpected error'))).toEqual([]);
    unwatch();
  });

  it('that are missing break the response off instead of being left out', async () => {
    const file = await upload(randomBytes(MEGABYTE));
    await server.place.sql(
      `delete from content_chunks where sequence = 1 and content_id =
        (select content_id from files where id = $1)`,
      [file],
    );
    await expect(server.acme.graphql(CONTENTS, idsOf([file]))).rejects.toThrow();
    expect(server.logs.filter((line) => line.includes('has no bytes in its chunk'))).toHaveLength(1);
    expect((await server.acme.graphql('{ viewer { role } }')).status).toBe(200);
  });
});

describe('bytes where a response is one message', () => {
  it('are inlined, and refused beyond 256 KiB together', async () => {
    const bytes = randomBytes(200 * 1024);
    const [first, second] = [await upload(bytes), await upload(randomBytes(60 * 1024))];
    const ask = async (...files: number[]) =>
      responseIn(await overSocket(server, server.acme, CONTENTS, idsOf(files)));
    expect((await ask(first)).data).toEqual({ nodes: [{ size: bytes.length, content: base64(bytes) }] });
    expect((await ask(first, second)).errors).toMatchObject([
      { message: expect.stringContaining('at most 262144 bytes') as string, path: ['nodes', 1, 'content'] },
    ]);
  });
});
