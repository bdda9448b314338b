import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { answered, changed, nodeId, refused, type Page } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { startServer, type Member, type TestServer } from '../../../support/server.js';
import { carrying } from '../../../support/uploading.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const ERRORS = 'userErrors { message path code }';
const FIELDS = 'id databaseId name fileType description size crc sha256 content';
const CREATE = `mutation ($file: Upload!, $description: String, $fileType: FileType) {
  fileCreate(input: { file: $file, description: $description, fileType: $fileType }) {
    file { ${FIELDS} createdVia createdAt updatedAt createdBy { databaseId } } ${ERRORS} } }`;
const PLAIN = `mutation ($file: Upload!) { fileCreate(input: { file: $file }) { file { ${FIELDS} } ${ERRORS} } }`;
const UPDATE = `mutation ($id: ID!, $input: FileUpdateInput!) {
  fileUpdate(id: $id, input: $input) { file { ${FIELDS} } ${ERRORS} } }`;
const REPLACE = `mutation ($id: ID!, $file: Upload!) {
  fileUpdate(id: $id, input: { file: $file }) { file { ${FIELDS} } ${ERRORS} } }`;
const DELETE = `mutation ($id: ID!) { fileDelete(id: $id) { deletedId ${ERRORS} } }`;

interface FileFields extends Fields {
  readonly id: string;
  readonly databaseId: number;
}
interface FilePayload {
  readonly file: FileFields;
  readonly userErrors: readonly Fields[];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function upload(name: string, bytes: string, member: Member = server.acme): Promise<FileFields> {
  const { file, userErrors } = await changed<FilePayload>(carrying(server, member, { name, bytes }), PLAIN);
  expect(userErrors).toEqual([]);
  return file;
}

describe('a file in GraphQL', () => {
  it('is uploaded, read, changed and deleted, with the same content as in REST', async () => {
    const { acme } = server;
    const sent = carrying(server, acme, { name: 'C:\\logos\\logo.png', bytes: '123456789' });
    const { file, userErrors } = await changed<FilePayload>(sent, CREATE, {
      description: 'Our logo',
      fileType: 'TORRENT',
    });
    expect(userErrors).toEqual([]);
    const fields = {
      ...{ id: nodeId('File', file.databaseId), databaseId: file.databaseId, name: 'logo.png' },
      ...{ fileType: 'TORRENT', description: 'Our logo', size: 9, crc: '31C3' },
      ...{ sha256: sha256('123456789'), content: base64('123456789') },
    };
    expect(file).toMatchObject({
      ...fields,
      createdVia: 'API',
      createdBy: { databaseId: acme.caller.userId },
    });
    const path = `files/${file.databaseId}`;
    expect((await acme.client.get(path)).record('file')).toMatchObject({
      ...{ name: 'logo.png', file_type: 'torrent', description: 'Our logo', size: 9, crc: '31C3' },
      content: fields.content,
    });
    const lookUps = `query ($id: ID!, $databaseId: Int!) { a: file(id: $id) { ${FIELDS} }
      b: file(databaseId: $databaseId) { ${FIELDS} } node(id: $id) { ... on File { ${FIELDS} } } }`;
    const { id, databaseId } = file;
    expect(await answered(acme, lookUps, { id, databaseId })).toEqual({ a: fields, b: fields, node: fields });

    const replaced = await changed<FilePayload>(
      carrying(server, acme, { name: 'new.png', bytes: 'new' }),
      REPLACE,
      {
        id,
      },
    );
    expect(replaced.file).toEqual({
      ...fields,
      ...{ name: 'new.png', size: 3, sha256: sha256('new'), content: base64('new') },
      crc: replaced.file.crc,
    });
    expect((await acme.client.get(path)).record('file')).toMatchObject({
      content: base64('new'),
      crc: replaced.file.crc,
    });

    expect(await changed(acme, DELETE, { id })).toEqual({ deletedId: id, userErrors: [] });
    expect(await answered(acme, lookUps, { id, databaseId })).toEqual({ a: null, b: null, node: null });
    expect((await acme.client.get(path)).status).toBe(404);
    const entries = await ledgerOf(server, acme, 'file', databaseId);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  it('keeps absent fields of an update and clears fields that are null', async () => {
    const described = carrying(server, server.acme, { name: 'kept.png', bytes: 'kept' });
    const { file } = await changed<FilePayload>(described, CREATE, { description: 'to go' });
    const update = async (input: Fields): Promise<FilePayload> =>
      changed<FilePayload>(server.acme, UPDATE, { id: file.id, input });
    const fields = { name: 'kept.png', size: 4, content: base64('kept') };
    expect((await update({ fileType: 'TORRENT' })).file).toMatchObject({
      ...fields,
      ...{ description: 'to go', fileType: 'TORRENT' },
    });
    expect((await update({ description: null })).file).toMatchObject({
      ...fields,
      ...{ description: null, fileType: 'TORRENT' },
    });
  });

  it.each<[string, string, Fields]>([
    ['no type', 'fileType', { fileType: null }],
    ['no bytes', 'file', { file: null }],
    ['a description that is too long', 'description', { description: 'x'.repeat(4_001) }],
    ['a description that ends a text', 'description', { description: 'a\u0000b' }],
  ])('is not changed to one with %s', async (_case, field, input) => {
    const { id } = await upload(`refused ${_case}`, 'x');
    const { file, userErrors } = await changed<FilePayload>(server.acme, UPDATE, { id, input });
    expect([file, userErrors]).toMatchObject([null, [{ path: ['input', field], code: 'INVALID' }]]);
  });

  it.each<[string, string, string]>([
    ['a name that exists', 'known.png', 'TAKEN'],
    ['the name of a folder', '..', 'INVALID'],
    ['a name that reads like an option', '-rf', 'INVALID'],
  ])('is refused in userErrors with %s, at the file that brought it', async (_case, name, code) => {
    await server.acme.client.post('files', formOf('known.png'));
    const before = await answered(server.acme, '{ files { totalCount } }');
    const sent = carrying(server, server.acme, { name, bytes: 'x' });
    const { file, userErrors } = await changed<FilePayload>(sent, PLAIN);
    expect([file, userErrors]).toMatchObject([null, [{ path: ['input', 'file'], code }]]);
    expect(await answered(server.acme, '{ files { totalCount } }')).toEqual(before);
  });

  it('UP-08 may be empty', async () => {
    const file = await upload('empty.bin', '');
    expect(file).toMatchObject({ size: 0, crc: '0000', content: '', sha256: sha256('') });
  });

  it('can be read but not changed by viewers', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { id } = await upload('seen.png', 'x');
    expect(await answered(viewer, 'query ($id: ID!) { file(id: $id) { content } }', { id })).toEqual({
      file: { content: base64('x') },
    });
    expect((await refused(viewer, UPDATE, { id, input: {} })).code).toBe('FORBIDDEN');
    expect((await refused(viewer, DELETE, { id })).code).toBe('FORBIDDEN');
    const sent = carrying(server, viewer, { name: 'theirs.png', bytes: 'x' });
    expect((await sent.graphql(PLAIN)).body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('AT-10 of another company can be neither read nor changed', async () => {
    const { id, databaseId } = await upload('ours.png', 'ours');
    const nobodys = nodeId('File', 9e6);
    const read = 'query ($id: ID!) { file(id: $id) { content } node(id: $id) { id } }';
    expect(await answered(server.beta, read, { id })).toEqual({ file: null, node: null });
    const replacement = carrying(server, server.beta, { name: 'theirs.png', bytes: 'theirs' });
    for (const attempt of [
      (which: string) => changed(server.beta, UPDATE, { id: which, input: { description: 'theirs' } }),
      (which: string) => changed(server.beta, DELETE, { id: which }),
      (which: string) => changed(replacement, REPLACE, { id: which }),
    ]) {
      const answer = await attempt(id);
      expect(answer.userErrors).toMatchObject([{ path: ['id'], code: 'NOT_FOUND' }]);
      expect(answer).toEqual(await attempt(nobodys));
    }
    const twin = await upload('ours.png', 'of beta', server.beta);
    expect(twin.databaseId).not.toBe(databaseId);
    expect((await server.acme.client.get(`files/${databaseId}`)).record('file')).toMatchObject({
      ...{ name: 'ours.png', description: null, content: base64('ours') },
    });
  });
});

describe('the list of files', () => {
  const LIST = `query ($filter: FileFilter, $orderBy: FileOrder) {
    files(filter: $filter, orderBy: $orderBy) { totalCount nodes { name } } }`;
  const names: Record<string, string> = {};
  let own: TestServer;
  let changedFrom = '';
  beforeAll(async () => {
    own = await startServer();
    for (const [name, fileType] of Object.entries({ b: 'ASSET', c: 'TORRENT', a: 'ASSET' })) {
      own.clock.advance(1_000);
      const sent = carrying(own, own.acme, { name, bytes: name });
      const { file } = await changed<FilePayload>(sent, CREATE, { fileType });
      names[name] = file.id;
    }
    own.clock.advance(1_000);
    changedFrom = own.clock.now().toISOString();
    await changed(own.acme, UPDATE, { id: names.b, input: { description: 'changed last' } });
  });
  afterAll(async () => {
    await own.stop();
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
    const variables = typeof given === 'function' ? given() : given;
    const { files } = await answered<{ files: Page<{ name: string }> }>(own.acme, LIST, variables);
    expect(files.nodes.map(({ name }) => name)).toEqual(expected);
    expect(files.totalCount).toBe(expected.length);
  });
});

function formOf(name: string): FormData {
  const form = new FormData();
  form.set('file', new Blob(['x']), name);
  return form;
}
