import { beforeAll, describe, expect, it } from 'vitest';

import { softwareOf, type Software } from '../../../support/fleet.js';
import { useServer, type Client } from '../../../support/server.js';

const server = useServer();
let client: Client;
let acme: Software;
let beta: Software;
beforeAll(() => {
  ({ client } = server.acme);
  acme = softwareOf(client);
  beta = softwareOf(server.beta.client);
});

const DIGITS = Buffer.from('123456789').toString('base64');

describe('/v1/apps/{app_id}/versions', () => {
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
