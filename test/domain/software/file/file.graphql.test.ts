import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, listed, nodeId } from '../../../support/dashboard.js';
import { ledgerOf, softwareOf } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';
import { carrying, type SentFile } from '../../../support/uploading.js';

const server = useServer();

interface FileFields extends Fields {
  readonly id: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Sends bytes in a mutation of a file; resolves to the file. */
async function send(mutation: string, sent: SentFile, variables: Fields = {}): Promise<FileFields> {
  const caller = carrying(server, server.acme, sent, 'input.file');
  const fields = 'file { id name size crc sha256 content }';
  const given = { input: {}, ...variables };
  return (await mutated<{ file: FileFields }>(caller, mutation, given, fields)).file;
}

describe('a file in GraphQL', () => {
  it('has the base name of the upload and the checksum of its bytes, also after both are replaced', async () => {
    const file = await send('fileCreate', { name: 'C:\\logos\\logo.png', bytes: '123456789' });
    const sums = { size: 9, crc: '31C3', sha256: sha256('123456789') };
    expect(file).toMatchObject({ name: 'logo.png', content: base64('123456789'), ...sums });
    const replaced = await send('fileUpdate', { name: 'new.png', bytes: 'new' }, { id: file.id });
    const anew = { name: 'new.png', content: base64('new'), size: 3, sha256: sha256('new') };
    expect(replaced).toMatchObject(anew);
  });

  it.each<[string, string, Fields]>([
    ['no type', 'fileType', { fileType: null }],
    ['no bytes', 'file', { file: null }],
    ['a description that is too long', 'description', { description: 'x'.repeat(4_001) }],
    ['a description that ends a text', 'description', { description: 'a\u0000b' }],
  ])('is not changed to one with %s', async (_case, field, input) => {
    const { id } = await send('fileCreate', { name: `refused ${_case}`, bytes: 'x' });
    await expectRefused(server.acme, 'fileUpdate', { id, input }, `INVALID input.${field}`);
  });

  it('UP-08 may be empty', async () => {
    const file = await send('fileCreate', { name: 'empty.bin', bytes: '' });
    expect(file).toMatchObject({ size: 0, crc: '0000', content: '', sha256: sha256('') });
  });
});

describe('the list of files', () => {
  const names: Record<string, string> = {};
  const own = useServer();
  let changedFrom = '';
  beforeAll(async () => {
    for (const [name, fileType] of Object.entries({ b: 'ASSET', c: 'TORRENT', a: 'ASSET' })) {
      own.clock.advance(1_000);
      const caller = carrying(own, own.acme, { name, bytes: name }, 'input.file');
      const created = await mutated<{ file: FileFields }>(
        caller,
        'fileCreate',
        { input: { fileType } },
        'file { id }',
      );
      names[name] = created.file.id;
    }
    own.clock.advance(1_000);
    changedFrom = own.clock.now().toISOString();
    await mutated(own.acme, 'fileUpdate', { id: names.b, input: { description: 'changed last' } });
  });

  it.each<[Fields | (() => Fields), string[]]>([
    [{}, ['b', 'c', 'a']],
    [{ orderBy: { field: 'NAME' } }, ['a', 'b', 'c']],
    [{ orderBy: { field: 'ID', direction: 'DESC' } }, ['a', 'c', 'b']],
    [{ orderBy: { field: 'CREATED_AT', direction: 'DESC' } }, ['a', 'c', 'b']],
    [{ orderBy: { field: 'UPDATED_AT' } }, ['c', 'a', 'b']],
    [{ filter: { fileType: { eq: 'ASSET' } } }, ['b', 'a']],
    [{ filter: { not: { fileType: { in: ['ASSET'] } } } }, ['c']],
    [{ filter: { name: { startsWith: 'c' } } }, ['c']],
    [() => ({ filter: { id: { in: [names.a, names.b] } } }), ['b', 'a']],
    [() => ({ filter: { updatedAt: { gte: changedFrom } } }), ['b']],
    [() => ({ filter: { createdAt: { lt: changedFrom } } }), ['b', 'c', 'a']],
  ])('is ordered and narrowed: case %#', async (given, expected) => {
    expect(await listed(own.acme, 'File', 'name', given)).toEqual(expected);
  });
});

const fileIds = (...ids: number[]): string[] => ids.map((id) => nodeId('File', id));
const found = (...ids: number[]) => ({ nodes: ids.map((databaseId) => ({ databaseId })) });

async function versionIn({ client }: Member, fields: Fields = {}): Promise<number> {
  const software = softwareOf(client);
  return (await software.version(await software.app(), fields)).id as number;
}

describe('files of app versions', () => {
  it('are the same from both sides, on each page and in each order', async () => {
    const software = softwareOf(server.acme.client);
    const [one, two, three] = [await software.file(), await software.file(), await software.file()];
    const first = await versionIn(server.acme, { file_ids: [three, one] });
    const second = await versionIn(server.acme, { file_ids: [one, two, three] });
    const page = '(first: 2, orderBy: { field: ID, direction: DESC })';
    expect(
      await answered(
        server.acme,
        `query ($version: Int!, $file: Int!) {
          appVersion(databaseId: $version) { files${page} { totalCount nodes { databaseId } pageInfo { hasNextPage } } }
          file(databaseId: $file) { appVersions${page} { totalCount nodes { databaseId } pageInfo { hasNextPage } } } }`,
        { version: second, file: one },
      ),
    ).toEqual({
      appVersion: { files: { totalCount: 3, ...found(three, two), pageInfo: { hasNextPage: true } } },
      file: { appVersions: { totalCount: 2, ...found(second, first), pageInfo: { hasNextPage: false } } },
    });
  });

  it('are replaced, also in REST', async () => {
    const { acme } = server;
    const software = softwareOf(acme.client);
    const [one, two] = [await software.file(), await software.file()];
    const path = await software.app();
    const { id } = (await software.version(path, { file_ids: [one] })) as { id: number };
    const version = nodeId('AppVersion', id);
    for (const ids of [[two, one], [two], []]) {
      const after = [...ids].sort((a, b) => a - b);
      const given = { id: version, fileIds: fileIds(...ids) };
      const fields = 'appVersion { files(orderBy: { field: ID }) { nodes { databaseId } } }';
      const appVersion = { files: found(...after) };
      expect(await mutated(acme, 'appVersionSetFiles', given, fields)).toEqual({ appVersion });
      const shown = (await acme.client.get(`${path}/${id}`)).record('app_version');
      expect(shown.file_ids).toEqual(after);
    }
    const updates = (await ledgerOf(server, acme, 'app_version', id)).filter(
      ({ action }) => action === 'update',
    );
    expect(updates.map(({ after }) => after?.fileIds)).toEqual([[one, two], [two], []]);
  });
});
