import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createNamedToken } from '../../../../src/domain/people/access-token/access-token.service.js';
import { getCompanyByName } from '../../../../src/domain/people/company/company.service.js';
import { addUser } from '../../../../src/domain/people/user/user.service.js';
import { createClient, type Client } from '../../../support/client.js';
import { COMPANIES, startServer, SYSTEM, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const FIELDS = [
  'id',
  'name',
  'description',
  'communication_format',
  'updated_at',
  'created_via',
  'kind',
  'language',
];

async function clientIn(timeZone: string): Promise<Client> {
  return await server.app.units.systemWrite(SYSTEM, async (work) => {
    const company = await getCompanyByName(work, COMPANIES.acme);
    const email = `${timeZone.replace(/\W/g, '.').toLowerCase()}@acme.example`;
    const user = await addUser(work, company, { email, name: 'Ana', role: 'admin', timeZone }, 'no password');
    const member = { companyId: company.id, userId: user.id };
    const { secret } = await createNamedToken(work, member, { name: 'test', scopes: ['read', 'write'] });
    return createClient(server.url, secret);
  });
}

describe('/v1/apps', () => {
  it('creates, reads, changes and deletes an application by its id', async () => {
    const { client } = server.acme;
    const created = await client.post('apps', {
      name: 'sale',
      description: 'Sells',
      kind: 'standard',
      communication_format: 'iso8583',
    });
    expect(created.status).toBe(201);
    expect(Object.keys(created.record('app'))).toEqual(FIELDS);
    expect(created.record('app')).toMatchObject({
      name: 'sale.posxml',
      description: 'Sells',
      communication_format: 'iso8583',
      created_via: 'api',
      kind: 'standard',
      language: 'posxml',
    });
    const path = `apps/${String(created.record('app').id)}`;
    expect((await client.get(path)).body).toEqual(created.body);

    const changed = await client.put(path, { description: 'Sells more' });
    expect(changed.record('app')).toMatchObject({
      name: 'sale.posxml',
      description: 'Sells more',
      communication_format: 'iso8583',
    });
    expect((await client.put(path, { description: null })).record('app').description).toBeNull();

    const deleted = await client.delete(path);
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    for (const reply of [await client.get(path), await client.put(path, {}), await client.delete(path)]) {
      expect(reply.status).toBe(404);
    }
  });

  it.each([
    [{ name: 'a' }, { name: 'a.posxml', language: 'posxml', kind: 'standard', communication_format: 'http' }],
    [{ name: 'b.rb' }, { name: 'b.rb', language: 'ruby' }],
    [{ name: 'c.posxml' }, { name: 'c.posxml', language: 'posxml' }],
    [
      { name: 'd', language: 'ruby' },
      { name: 'd', language: 'ruby' },
    ],
    [
      { name: 'e.rb', language: 'posxml' },
      { name: 'e.rb.posxml', language: 'posxml' },
    ],
    [
      { name: 'f', kind: 'module' },
      { name: 'f.posxml', kind: 'module' },
    ],
  ])('contract 20: %j becomes %j', async (sent, expected) => {
    const created = await server.acme.client.post('apps', sent);
    expect(created.status).toBe(201);
    expect(created.record('app')).toMatchObject(expected);
  });

  it('contract 20: a new name or language sets the suffix', async () => {
    const { client } = server.acme;
    const { id } = (await client.post('apps', { name: 'change' })).record('app');
    const names: unknown[] = [];
    for (const sent of [
      { language: 'ruby' },
      { name: 'other' },
      { name: 'x.posxml' },
      { language: 'RUBY' },
    ]) {
      const { name, language } = (await client.put(`apps/${String(id)}`, sent)).record('app');
      names.push([name, language]);
    }
    expect(names).toEqual([
      ['change', 'ruby'],
      ['other', 'ruby'],
      ['x.posxml', 'posxml'],
      ['x', 'ruby'],
    ]);
  });

  it('contract 20: names, suffix included, are unique in the company', async () => {
    const { client } = server.acme;
    await client.post('apps', { name: 'twin' });
    for (const name of ['twin', 'twin.posxml', 'twin.POSXML']) {
      const again = await client.post('apps', { name });
      expect([again.status, again.body.code]).toEqual([409, 'taken']);
    }
    const ruby = await client.post('apps', { name: 'twin.rb' });
    expect(ruby.status).toBe(201);
    const moved = await client.put(`apps/${String(ruby.record('app').id)}`, { language: 'posxml' });
    expect(moved.status).toBe(409);
    expect((await server.beta.client.post('apps', { name: 'twin' })).status).toBe(201);
  });

  it('contract 7: enumerations are accepted in any letter case and returned in lower case', async () => {
    const created = await server.acme.client.post('apps', {
      name: 'loud',
      kind: 'Module',
      communication_format: 'ISO20022',
      language: 'Ruby',
    });
    expect(created.record('app')).toMatchObject({
      kind: 'module',
      communication_format: 'iso20022',
      language: 'ruby',
    });
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(250) }, 'name'],
    [{ name: 'k', kind: 'other' }, 'kind'],
    [{ name: 'k', communication_format: 'soap' }, 'communication_format'],
    [{ name: 'k', language: 'cobol' }, 'language'],
    [{ name: 'k', description: [7] }, 'description'],
  ])('refuses invalid fields (case %#)', async (sent, field) => {
    const refused = await server.acme.client.post('apps', sent);
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, [field]]);
  });

  it("contract 12: updated_at is in the time zone of the token's user, with a numeric offset", async () => {
    const { client } = server.acme;
    const { id, updated_at } = (await client.post('apps', { name: 'clock' })).record('app');
    expect(updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]00:00$/);
    for (const [zone, offset] of [
      ['America/Sao_Paulo', '-03:00'],
      ['Asia/Kolkata', '+05:30'],
    ] as const) {
      const shown = (await (await clientIn(zone)).get(`apps/${String(id)}`)).record('app').updated_at;
      expect(String(shown).slice(-6)).toBe(offset);
      expect(Date.parse(String(shown))).toBe(Date.parse(String(updated_at)));
    }
  });

  it('contract 20: deleting an application deletes its versions, in a constant number of statements', async () => {
    const { client } = server.acme;
    const { id: groupId } = (await client.post('groups', { name: 'holds' })).record('group');
    const removal = async (name: string, versions: number): Promise<number> => {
      const { id } = (await client.post('apps', { name, kind: 'module' })).record('app');
      const path = `apps/${String(id)}`;
      const other = (await client.post('apps', { name: `uses ${name}` })).record('app');
      const ids: unknown[] = [];
      for (let n = 0; n < versions; n += 1) {
        const sent = { number: `1.${n}`, bytecode: 'AAAA', group_ids: [groupId] };
        ids.push((await client.post(`${path}/versions`, sent)).record('app_version').id);
      }
      const number = { number: name, group_id: groupId, app_version_ids: ids };
      expect((await client.post('logical_numbers', number)).status).toBe(201);
      const user = { number: '1', module_ids: ids };
      const { id: userId } = (await client.post(`apps/${String(other.id)}/versions`, user)).record(
        'app_version',
      );

      const { result, statements } = await server.statements(() => client.delete(path));
      expect(result.status).toBe(200);
      expect((await client.get(`${path}/versions`)).status).toBe(404);
      const holder = await client.get(`logical_numbers/${name}`);
      expect(holder.record('logical_number').app_version_ids).toEqual([]);
      const using = await client.get(`apps/${String(other.id)}/versions/${String(userId)}`);
      expect(using.record('app_version').module_ids).toEqual([]);
      expect(await ledgerOf('app_version', ids)).toEqual(
        ids.flatMap((id) => [`create ${String(id)}`, `delete ${String(id)}`]),
      );
      return statements.length;
    };
    expect(await removal('many', 25)).toBe(await removal('few', 2));
    expect(await contentsHeld()).toBe(0);
  });

  it('refuses to change the kind of a module that versions use', async () => {
    const { client } = server.acme;
    const module = (await client.post('apps', { name: 'part', kind: 'module' })).record('app');
    const whole = (await client.post('apps', { name: 'whole' })).record('app');
    const part = await client.post(`apps/${String(module.id)}/versions`, { number: '1' });
    const sent = { number: '1', module_ids: [part.record('app_version').id] };
    expect((await client.post(`apps/${String(whole.id)}/versions`, sent)).status).toBe(201);
    const refused = await client.put(`apps/${String(module.id)}`, { kind: 'standard' });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['kind']]);
    await client.delete(`apps/${String(whole.id)}`);
    expect((await client.put(`apps/${String(module.id)}`, { kind: 'standard' })).status).toBe(200);
  });

  it('refuses an update with a stale ETag', async () => {
    const { client } = server.acme;
    const created = await client.post('apps', { name: 'guarded' });
    const path = `apps/${String(created.record('app').id)}`;
    const headers = { 'if-match': created.headers.get('etag') ?? '' };
    expect((await client.put(path, { description: 'first' }, { headers })).status).toBe(200);
    expect((await client.put(path, { description: 'second' }, { headers })).status).toBe(412);
    expect((await client.delete(path, undefined, { headers })).status).toBe(412);
  });

  it('lists in a constant number of statements', async () => {
    const { client } = await server.member('beta', 'operator');
    await client.get('apps');
    const { statements: few } = await server.statements(() => client.get('apps'));
    for (let n = 0; n < 35; n += 1) await client.post('apps', { name: `app ${n}` });
    const { result, statements: many } = await server.statements(() => client.get('apps'));
    expect(many.length).toBe(few.length);
    expect(Object.keys(result.list('apps')[0] ?? {})).toEqual(FIELDS);
    expect(result.list('apps')).toHaveLength(30);
  });

  it('AT-10 another company gets the error of an application that does not exist', async () => {
    const { id } = (await server.acme.client.post('apps', { name: 'secret' })).record('app');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const foreign = await server.beta.client.request(method, `apps/${String(id)}`, { name: 'mine' });
      const unknown = await server.beta.client.request(method, 'apps/999999999', { name: 'mine' });
      expect([foreign.status, foreign.body.message]).toEqual([404, unknown.body.message]);
    }
    expect((await server.acme.client.get(`apps/${String(id)}`)).record('app').name).toBe('secret.posxml');
  });
});

async function ledgerOf(entityType: string, ids: readonly unknown[]): Promise<string[]> {
  const rows = await server.app.database.reads
    .selectFrom('ledger')
    .select(['action', 'entity_id'])
    .where('entity_type', '=', entityType)
    .where('entity_id', 'in', ids as number[])
    .orderBy('entity_id')
    .orderBy('position')
    .execute();
  return rows.map((row) => `${row.action} ${String(row.entity_id)}`);
}

async function contentsHeld(): Promise<number> {
  const rows = await server.app.database.reads
    .selectFrom('contents')
    .select('id')
    .where('released_at', 'is', null)
    .execute();
  return rows.length;
}
