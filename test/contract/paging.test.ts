import { beforeAll, describe, expect, it } from 'vitest';

import { useServer } from '../support/server.js';

const server = useServer();
beforeAll(async () => {
  for (let n = 1; n <= 65; n += 1) await server.acme.client.post('groups', { name: `group ${n}` });
});

describe('contract 13: lists', () => {
  it.each([
    ['', { page: 1, total_pages: 3, entries: 30, total_entries: 65 }],
    ['?page=3', { page: 3, total_pages: 3, entries: 5, total_entries: 65 }],
    ['?per_page=100', { page: 1, total_pages: 1, entries: 65, total_entries: 65 }],
    ['?per_page=1000', { page: 1, total_pages: 1, entries: 65, total_entries: 65 }],
    ['?page=4', { page: 4, total_pages: 3, entries: 0, total_entries: 65 }],
    ['?page=99999999999999999999&per_page=7', { total_pages: 10, entries: 0, total_entries: 65 }],
  ])('groups%s has the pagination %j', async (query, pagination) => {
    const reply = await server.acme.client.get(`groups${query}`);
    expect(reply.status).toBe(200);
    expect(reply.body.pagination).toMatchObject(pagination);
    expect(reply.list('groups')).toHaveLength(pagination.entries);
  });

  it('an empty list has no pages', async () => {
    const reply = await server.beta.client.get('groups');
    const pagination = { page: 1, total_pages: 0, entries: 0, total_entries: 0 };
    expect(reply.body).toEqual({ pagination, groups: [] });
  });

  it.each(['0', '-1', 'abc', '1.5', '1e3', '1e300', '%201', '01', '+1', '٣'])(
    'RI-18 page and per_page refuse "%s" with 400',
    async (value) => {
      for (const name of ['page', 'per_page']) {
        const reply = await server.acme.client.get(`/v1/groups?${name}=${value}`);
        expect([reply.status, reply.body.code]).toEqual([400, 'malformed']);
      }
    },
  );

  it('CC-07 stay consistent while records are created and deleted', async () => {
    const writer = { goes: true };
    const { client } = server.acme;
    const changes = (async () => {
      for (let n = 0; writer.goes; n += 1) {
        await client.post('groups', { name: `passing ${n}` });
        await client.delete(`groups/passing%20${n}`);
      }
      return 'done';
    })();
    for (let round = 0; round < 10; round += 1) {
      for (let page = 1; page <= 4; page += 1) {
        const reply = await client.get(`groups?per_page=20&page=${page}`);
        const pagination = reply.body.pagination as Record<string, number>;
        expect(reply.status).toBe(200);
        expect(pagination.entries).toBe(reply.list('groups').length);
        expect(pagination.total_pages).toBe(Math.ceil((pagination.total_entries ?? 0) / 20));
      }
    }
    writer.goes = false;
    expect(await changes).toBe('done');
  });
});
