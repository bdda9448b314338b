import { beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();
beforeAll(async () => {
  await fleet.logicalNumber(server.acme.client, '1');
});

describe('a parameter', () => {
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
