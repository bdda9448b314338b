import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Client } from '../../../support/client.js';
import { startServer, type TestServer } from '../../../support/server.js';
import { type Software, softwareOf } from '../../../support/software.js';

let server: TestServer;
let client: Client;
let acme: Software;
let beta: Software;
beforeAll(async () => {
  server = await startServer();
  ({ client } = server.acme);
  acme = softwareOf(client);
  beta = softwareOf(server.beta.client);
});
afterAll(async () => {
  await server.stop();
});

const LISTED = [
  'id',
  'app_id',
  'number',
  'crc',
  'size',
  'created_by',
  'displayable',
  'authorizer_url',
  'pos_display_label',
  'created_at',
  'updated_at',
  'uuid',
];
const DIGITS = Buffer.from('123456789').toString('base64');

describe('/v1/apps/{app_id}/versions', () => {
  it('creates, reads, changes and deletes a version', async () => {
    const path = await acme.app();
    const created = await client.post(path, {
      number: '1.0.0',
      displayable: 'true',
      authorizer_url: '10.0.0.1:3000',
      pos_display_label: 'Sale',
      bytecode: DIGITS,
    });
    expect(created.status).toBe(201);
    expect(Object.keys(created.record('app_version'))).toEqual([...LISTED, 'bytecode']);
    expect(created.record('app_version')).toMatchObject({
      number: '1.0.0',
      crc: '31C3',
      size: 9,
      created_by: server.acme.caller.userId,
      displayable: true,
      authorizer_url: '10.0.0.1:3000',
      pos_display_label: 'Sale',
      uuid: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ) as string,
      bytecode: DIGITS,
    });

    const one = `${path}/${String(created.record('app_version').id)}`;
    const read = (await client.get(one)).record('app_version');
    expect(Object.keys(read)).toEqual([...LISTED, 'bytecode', 'group_ids', 'module_ids', 'file_ids']);
    expect(read).toEqual({ ...created.record('app_version'), group_ids: [], module_ids: [], file_ids: [] });

    const changed = await client.put(one, { authorizer_url: 'https://auth.example' });
    expect(Object.keys(changed.record('app_version'))).toEqual([...LISTED, 'bytecode']);
    expect(changed.record('app_version')).toMatchObject({
      number: '1.0.0',
      authorizer_url: 'https://auth.example',
      bytecode: DIGITS,
      uuid: read.uuid,
    });

    const list = (await client.get(path)).list('appversions');
    expect(list.map((entry) => Object.keys(entry))).toEqual([LISTED]);

    expect((await client.delete(one)).body).toEqual({});
    for (const reply of [await client.get(one), await client.put(one, {}), await client.delete(one)]) {
      expect(reply.status).toBe(404);
    }
  });

  it('contract 21, contract 11: displayable is false and absent fields are null by default', async () => {
    const path = await acme.app();
    const bare = await acme.version(path, { number: '1' });
    expect(bare).toMatchObject({
      displayable: false,
      authorizer_url: null,
      pos_display_label: null,
      bytecode: null,
      size: 0,
      crc: '0000',
    });
  });

  it('contract 21: number is required and unique in its application', async () => {
    const [one, other] = [await acme.app(), await acme.app()];
    await acme.version(one, { number: '1.0' });
    const again = await client.post(one, { number: '1.0' });
    expect([again.status, again.body.code]).toEqual([409, 'taken']);
    await acme.version(other, { number: '1.0' });
    const second = await acme.version(one, { number: '1.1' });
    expect((await client.put(`${one}/${String(second.id)}`, { number: '1.0' })).status).toBe(409);
    expect((await client.put(`${one}/${String(second.id)}`, { number: '1.1' })).status).toBe(200);
    const missing = await client.post(one, { displayable: true });
    expect([missing.status, missing.body.errors]).toEqual([422, { number: ['is required'] }]);
  });

  it.each([
    ['no base64 at all', '!!!!'],
    ['no padding', 'QQ'],
    ['the alphabet of URLs', '-_-_'],
    ['a space, which a form makes of +', 'QU JD'],
    ['bits left over', 'QR=='],
    ['something after the padding', 'QQ==QQ=='],
    ['a number', 7],
  ])('contract 21: bytecode with %s is 422', async (_what, bytecode) => {
    const refused = await client.post(await acme.app(), { number: '1', bytecode });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['bytecode']]);
  });

  it('contract 21: base64 may have line breaks; size and crc are those of the bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, n) => n % 256));
    const lines = bytes.toString('base64').replace(/.{60}/g, '$&\n');
    const path = await acme.app();
    const made = await acme.version(path, { bytecode: lines, size: 1, crc: 'FFFF', uuid: 'mine' });
    expect(made).toMatchObject({ bytecode: bytes.toString('base64'), size: 1_000 });
    expect(made.crc).not.toBe('FFFF');
    const one = `${path}/${String(made.id)}`;
    expect((await client.put(one, { bytecode: DIGITS })).record('app_version')).toMatchObject({
      bytecode: DIGITS,
      size: 9,
      crc: '31C3',
      uuid: made.uuid,
    });
    expect((await client.put(one, { bytecode: '' })).record('app_version')).toMatchObject({
      bytecode: '',
      size: 0,
      crc: '0000',
    });
    expect((await client.put(one, { bytecode: null })).record('app_version')).toMatchObject({
      bytecode: null,
      size: 0,
      crc: '0000',
    });
  });

  it('contract 12: timestamps have milliseconds and a numeric offset', async () => {
    const { created_at, updated_at } = await acme.version(await acme.app());
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d{3}[+]00:00$/);
    expect(updated_at).toBe(created_at);
  });

  it('lists in a constant number of statements, and reads no bytes', async () => {
    const path = await acme.app();
    await acme.version(path, { bytecode: DIGITS });
    const { statements: few } = await server.statements(() => client.get(path));
    for (let n = 0; n < 34; n += 1) await acme.version(path);
    const { result, statements: many } = await server.statements(() => client.get(path));
    expect(many.length).toBe(few.length);
    expect(many.join('\n')).not.toContain('content_chunks');
    expect(result.body.pagination).toMatchObject({ total_entries: 35, entries: 30 });
  });
});

describe('versions of other applications and companies', () => {
  it('a version of another application is not found', async () => {
    const [one, other] = [await acme.app(), await acme.app()];
    const made = await acme.version(one);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const reply = await client.request(method, `${other}/${String(made.id)}`, {});
      expect([reply.status, reply.body.message]).toEqual([404, 'No such app version.']);
    }
    expect((await client.get(`${one}/${String(made.id)}`)).status).toBe(200);
  });

  it('AT-10 another company finds neither the application nor the version', async () => {
    const path = await acme.app();
    const made = await acme.version(path, { bytecode: DIGITS });
    const { client: other } = server.beta;
    for (const [method, target] of [
      ['GET', path],
      ['POST', path],
      ['GET', `${path}/${String(made.id)}`],
      ['PUT', `${path}/${String(made.id)}`],
      ['DELETE', `${path}/${String(made.id)}`],
    ] as const) {
      const foreign = await other.request(method, target, { number: 'x' });
      const unknown = await other.request(method, target.replace(/apps\/\d+/, 'apps/999999999'), {
        number: 'x',
      });
      expect([foreign.status, foreign.body.message]).toEqual([404, unknown.body.message]);
    }
  });

  it('AT-12 two companies may have the same names and numbers', async () => {
    const make = async (of: Software): Promise<string> => {
      const path = await of.app({ name: 'the same' });
      return `${path}/${String((await of.version(path, { number: '1.0' })).id)}`;
    };
    const [ours, theirs] = [await make(acme), await make(beta)];
    expect((await client.put(ours, { authorizer_url: 'ours' })).status).toBe(200);
    const read = await server.beta.client.get(theirs);
    expect(read.record('app_version').authorizer_url).toBeNull();
  });
});
