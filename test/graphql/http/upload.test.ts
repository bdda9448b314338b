import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { answered, changed, nodeId } from '../../support/dashboard.js';
import { useServer, type Fields, type Reply, type Member } from '../../support/server.js';
import { graphqlPost, MULTIPART, openSlowClient } from '../../support/slow-client.js';
import { carrying } from '../../support/uploading.js';

const MAX_FILE_BYTES = 1_000_000;

const server = useServer({ maxFileBytes: MAX_FILE_BYTES });

const PREFLIGHT = { 'apollo-require-preflight': '1' };
const CREATE = `mutation ($file: Upload!) { fileCreate(input: { file: $file, description: "of a test" }) {
  file { id databaseId name size crc } userErrors { message path code } } }`;

const CREATE_VERSION =
  'mutation ($input: AppVersionCreateInput!) { appVersionCreate(input: $input) { appVersion { id } } }';

interface Form {
  readonly operations?: unknown;
  readonly map?: unknown;
  readonly files?: readonly [part: string, bytes: Uint8Array, name: string][];
}

function formOf({ operations, map, files = [['0', Buffer.from('x'), 'x.bin']] }: Form): FormData {
  const form = new FormData();
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  if (operations !== undefined) form.set('operations', text(operations));
  if (map !== undefined) form.set('map', text(map));
  for (const [part, bytes, name] of files) form.append(part, new Blob([new Uint8Array(bytes)]), name);
  return form;
}

async function send(
  member: Member | null,
  form: FormData | string,
  headers: Fields = PREFLIGHT,
): Promise<Reply> {
  const authorization = member === null ? {} : { authorization: `Bearer ${member.token}` };
  return await server.anonymous.post('/graphql', form, {
    headers: { ...authorization, ...(headers as Record<string, string>) },
  });
}

const operations = { query: CREATE, variables: { file: null } };
const map = { 0: ['variables.file'] };

describe('a file in a mutation', () => {
  it('needs a token and the scope write before it is received', async () => {
    const form = (): FormData => formOf({ operations, map });
    expect((await send(null, form())).status).toBe(401);
    const viewer = await server.member('acme', 'viewer');
    const refused = await send(viewer, form());
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('FORBIDDEN')]);
  });

  it('UP-12 of a viewer is refused while the client waits for 100 Continue', async () => {
    const { token } = await server.member('acme', 'viewer');
    const client = await openSlowClient(server.url);
    const headers = [...MULTIPART, 'Expect: 100-continue'];
    await client.send(graphqlPost(token, '', { headers, missing: 900_000 }));
    const { status, body } = await client.answer();
    expect([status, body]).toEqual([403, expect.stringContaining('FORBIDDEN')]);
    await client.closed();
  });

  it('UP-14 is stored byte for byte, and returned so by GraphQL and by REST', async () => {
    const frame = Buffer.from('\r\n--boundary--\r\n\0\u00ff');
    const bytes = Buffer.concat([randomBytes(MAX_FILE_BYTES - 2 * frame.length - 1), frame, frame]);
    const sent = carrying(server, server.acme, { name: 'all.bin', bytes });
    const { file } = await changed<{ file: Fields }>(
      sent,
      'mutation ($file: Upload!) { fileCreate(input: { file: $file }) { file { databaseId size sha256 content } } }',
    );
    const content = bytes.toString('base64');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(file).toMatchObject({ size: bytes.length, sha256 });
    expect(file.content === content).toBe(true);
    const shown = await server.acme.client.get(`files/${String(file.databaseId)}`);
    expect(shown.record('file').content === content).toBe(true);
  });

  it('may be a field of an input variable', async () => {
    const query = `mutation ($input: FileCreateInput!) { fileCreate(input: $input) { file { name description } } }`;
    const variables = { input: { description: 'of a variable', file: null } };
    const form = formOf({
      operations: { query, variables },
      map: { 0: ['variables.input.file'] },
      files: [['0', Buffer.from('x'), 'variable.bin']],
    });
    const { text } = await send(server.acme, form);
    expect(JSON.parse(text)).toMatchObject({
      data: { fileCreate: { file: { name: 'variable.bin', description: 'of a variable' } } },
    });
  });

  it('UP-04 UP-21 over the limit is 413, as bytecode too, and stores nothing', async () => {
    const kept = async (): Promise<unknown> => [
      await answered(server.acme, '{ files { totalCount } appVersions { totalCount } }'),
      await server.app.database.reads.selectFrom('contents').select('id').execute(),
    ];
    const { id } = (await server.acme.client.post('apps', { name: 'large' })).record('app');
    const input = { appId: nodeId('App', Number(id)), number: '1' };
    const before = await kept();
    for (const size of [MAX_FILE_BYTES + 1, 3 * MAX_FILE_BYTES]) {
      const large = { name: 'large.bin', bytes: Buffer.alloc(size) };
      const replies = [
        await carrying(server, server.acme, large).graphql(CREATE),
        await carrying(server, server.acme, large, 'input.bytecodeFile').graphql(CREATE_VERSION, { input }),
      ];
      for (const { status, body } of replies) {
        const message = `The file is larger than ${MAX_FILE_BYTES} bytes.`;
        expect([status, body.errors]).toMatchObject([413, [{ message, extensions: { code: 'TOO_LARGE' } }]]);
      }
    }
    expect(await kept()).toEqual(before);
  });

  it('CC-05 has one effect with an Idempotency-Key, which is refused for other bytes or another name', async () => {
    const options = { headers: { 'idempotency-key': 'one-file' } };
    const send = (name: string, bytes: string) =>
      carrying(server, server.acme, { name, bytes }).graphql(CREATE, {}, options);
    const first = await send('once.bin', 'once');
    expect(first.body.data).toMatchObject({ fileCreate: { file: { name: 'once.bin' }, userErrors: [] } });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const again = await send('once.bin', 'once');
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const other of [await send('once.bin', 'other'), await send('other.bin', 'once')]) {
      expect(other.body.errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_MISMATCH');
    }
  });

  it.each<[string, unknown]>([
    ['a text', 'a text'],
    ['a number', 7],
    ['an object', {}],
    ['what an upload is made of', { promise: {}, file: { filename: 'x' } }],
    ['a list', [null]],
    ['nothing', null],
  ])('GQ-14 is not %s', async (_what, file) => {
    const { status, body } = await server.acme.graphql(CREATE, { file });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    const expected = file === null ? 'must not be null' : 'comes as a part of a multipart request';
    expect(body.errors?.[0]?.message).toContain(expected);
  });

  it.each(['"a text"', '7', '{}', 'null', '[]'])('GQ-14 is not the literal %s', async (literal) => {
    const { status, body } = await server.acme.graphql(
      CREATE.replace('($file: Upload!)', '').replace('$file', literal),
    );
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  });
});

const LOOK_UP = 'query ($file: ID!) { group(id: $file) { id } }';

describe('hostile multipart requests', () => {
  const places = `__proto__.x constructor.prototype.x hasOwnProperty.call toString.call operationName query
    variables variables. variables.__proto__ variables.__proto__.x variables.constructor
    variables.constructor.prototype.x variables.hasOwnProperty.call variables.toString variables.a.4294967294
    variables.other variables.file.name variables.list.length variables.list.1 variables.taken`;
  const paths: readonly unknown[] = [
    ...places.split(/\s+/).map((path) => [path]),
    ['variables.file', 'variables.list.0'],
    Array.from({ length: 10_000 }, () => 'variables.file'),
    [],
    [7],
    [null],
    'variables.file',
    null,
    {},
  ];
  const withMore = { query: CREATE, variables: { file: null, list: [null], taken: 'text', a: [] } };

  it.each(paths.map((value) => [JSON.stringify(value).slice(0, 60), value]))(
    'GQ-14 the path %s is refused, and others are served as before',
    async (_text, value) => {
      expect((await send(null, formOf({ operations: withMore, map: { 0: value } }))).status).toBe(401);
      const reply = await send(server.acme, formOf({ operations: withMore, map: { 0: value } }));
      expect([400, 413], reply.text).toContain(reply.status);
      const graphql = await server.beta.graphql('query ($n: String) { group(name: $n) { id } }', { n: 'a' });
      expect(graphql.body).toMatchObject({ data: { group: null } });
      expect((await server.beta.client.get('groups')).status).toBe(200);
    },
  );

  it.each<[string, Form]>([
    ['no map', { operations }],
    ['no operations', { map }],
    ['nothing but a file', {}],
    ['no file', { operations, map, files: [] }],
    ['two files', { operations, map, files: ['0', '1'].map((part) => [part, Buffer.from('a'), part]) }],
    ['two entries in the map', { operations, map: { 0: ['variables.file'], 1: ['variables.x'] } }],
    ['a map that is no object', { operations, map: [['variables.file']] }],
    ['a map that is no JSON', { operations, map: '{' }],
    ['operations that are a list', { operations: [operations], map: { 0: ['0.variables.file'] } }],
    ['operations that are no JSON', { operations: '{', map }],
    ['operations without variables', { operations: { query: CREATE }, map }],
    ['a map of five megabytes', { operations, map: `{"0":["${'v'.repeat(5_000_000)}"]}` }],
    ['a file for what is none', { operations: { ...operations, query: LOOK_UP }, map }],
  ])('GQ-14 %s is refused', async (_what, form) => {
    const reply = await send(server.acme, formOf(form));
    expect([400, 413], reply.text).toContain(reply.status);
    expect(JSON.parse(reply.text)).toHaveProperty('errors.0.extensions.code');
  });

  it.each(['operations', 'map', 'operations[]', 'map[0]'])(
    'GQ-14 UP-11 a second %s is refused, none is picked silently',
    async (name) => {
      const form = formOf({ operations, map });
      form.append(name, JSON.stringify(name.startsWith('map') ? map : operations));
      const reply = await send(server.acme, form);
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('must be given once')]);
    },
  );
});
