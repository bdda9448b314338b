import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

describe('/v1/groups', () => {
  it('creates, reads, renames and deletes a group by its name', async () => {
    const { client, caller } = server.acme;
    const created = await client.post('groups', { name: 'AREA 51' });
    expect(created.status).toBe(201);
    expect(Object.keys(created.record('group'))).toEqual([
      'id',
      'name',
      'updated_at',
      'created_at',
      'created_by',
      'created_via',
    ]);
    expect(created.record('group')).toMatchObject({
      name: 'AREA 51',
      created_by: caller.userId,
      created_via: 'api',
    });

    const read = await client.get('groups/AREA%2051');
    expect(read.body).toEqual(created.body);

    const renamed = await client.put('groups/AREA%2051', { name: 'AREA/52 é' });
    expect(renamed.record('group').name).toBe('AREA/52 é');
    expect((await client.get('groups/AREA%2051')).status).toBe(404);

    const deleted = await client.delete(`groups/${encodeURIComponent('AREA/52 é')}`);
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    expect((await client.get(`groups/${encodeURIComponent('AREA/52 é')}`)).status).toBe(404);
  });

  it('lists in a constant number of statements', async () => {
    const { client } = await server.member('beta', 'operator');
    const count = async (): Promise<number> => {
      await client.get('groups');
      const { statements } = await server.statements(() => client.get('groups'));
      return statements.length;
    };
    await client.post('groups', { name: 'one' });
    const few = await count();
    for (let n = 0; n < 40; n += 1) await client.post('groups', { name: `group ${n}` });
    expect(await count()).toBe(few);
    expect(few).toBe(2);
    const list = await client.get('groups', undefined, { query: { per_page: 10, page: 5 } });
    expect(list.body.pagination).toEqual({ page: 5, total_pages: 5, entries: 1, total_entries: 41 });
    expect(list.list('groups')[0]).toMatchObject({ name: 'group 39' });
  });
});
