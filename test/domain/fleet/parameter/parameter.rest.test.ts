import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await fleet.logicalNumber(server.acme.client, '1');
});
afterAll(async () => {
  await server.stop();
});

describe('a parameter', () => {
  it('contract 16: an update changes the given fields; null clears the description', async () => {
    const { client } = server.acme;
    const sent = { number: '1', key: 'host', value: '10.0.0.1', description: 'where to call' };
    const created = (await client.post('parameters', sent)).record('logical_number_parameter');
    expect(created).toMatchObject({ key: 'host', value: '10.0.0.1', description: 'where to call' });
    const change = async (fields: object) =>
      (await client.put(`parameters/${String(created.id)}`, { number: '1', ...fields })).record(
        'logical_number_parameter',
      );
    expect(await change({ value: '' })).toMatchObject({ value: '', description: 'where to call' });
    expect(await change({ description: null })).toMatchObject({ key: 'host', value: '', description: null });
    expect(await change({ id: 9, created_by: 9, group_id: 9 })).toMatchObject({
      id: created.id,
      created_by: created.created_by,
      group_id: null,
    });
  });

  it('has no description by default', async () => {
    const created = await server.acme.client.post('parameters', { number: '1', key: 'plain', value: 'v' });
    expect(created.record('logical_number_parameter').description).toBeNull();
  });

  it.each([
    ['64 KiB', 'x'.repeat(65_536), 201],
    ['lines and quotes', 'a\r\n"b"\t\u001b[2J', 201],
    ['one byte more than 64 KiB', 'x'.repeat(65_537), 422],
    ['64 Ki characters of two bytes', 'é'.repeat(65_536), 422],
    ['a boolean', true, 422],
    ['an object', { a: 1 }, 422],
    ['null', null, 422],
    ['NUL', 'a\0b', 422],
  ])('contract 16: a value of %s has the documented status', async (_case, value, status) => {
    const { client } = server.acme;
    const reply = await client.post('parameters', { number: '1', key: `of ${_case}`, value });
    expect(reply.status).toBe(status);
    if (status === 201) expect(reply.record('logical_number_parameter').value).toBe(value);
  });
});
