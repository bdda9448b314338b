import { describe, expect, it } from 'vitest';

import { HOUR } from '../../src/platform/clock.js';
import { useServer } from '../support/use-server.js';

const server = useServer();

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

async function countGroups(company: 'acme' | 'beta'): Promise<number> {
  const { body } = await server[company].client.get('groups');
  return (body.pagination as { total_entries: number }).total_entries;
}

describe('Idempotency-Key', () => {
  it('CC-05 gives twenty parallel requests with one key one effect and one response', async () => {
    await server.acme.client.post('logical_numbers', { number: '500' });
    const sent = { content: 'Hello', range: 'specific_logical_numbers', logical_numbers: '500' };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => server.acme.client.post('notifications', sent, withKey('one'))),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    const replayed = replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true');
    expect(replayed).toHaveLength(19);
    const list = await server.acme.client.get('notifications');
    expect(list.list('notifications')).toHaveLength(1);
  });

  it('CC-05 replays the response for 24 hours and refuses another body with 422', async () => {
    const { client } = server.acme;
    const first = await client.post('groups', { name: 'kept' }, withKey('day'));
    server.clock.advance(23 * HOUR);
    const again = await client.post('groups', { name: 'kept' }, withKey('day'));
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([
      201,
      first.text,
      first.headers.get('etag'),
    ]);
    const other = await client.post('groups', { name: 'another' }, withKey('day'));
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    server.clock.advance(2 * HOUR);
    const anew = await client.post('groups', { name: 'another' }, withKey('day'));
    expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('CC-05 replays the bytes of a file too', async () => {
    const form = (): FormData => {
      const parts = new FormData();
      parts.set('asset', new File(['123456789'], 'kept.bin'));
      return parts;
    };
    const first = await server.acme.client.post('files', form(), withKey('file'));
    const again = await server.acme.client.post('files', form(), withKey('file'));
    expect(first.record('file')).toMatchObject({ content: 'MTIzNDU2Nzg5', crc: '31C3' });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it('CC-05 distinguishes requests by the owner in the query, not by the token', async () => {
    const { client } = server.acme;
    for (const number of ['601', '602']) await client.post('logical_numbers', { number });
    const create = async (number: string, bearer = false) =>
      await (bearer ? server.anonymous : client).post(
        'parameters',
        { key: 'k', value: 'v' },
        {
          query: { number },
          headers: {
            'idempotency-key': 'owned',
            ...(bearer ? { authorization: `Bearer ${server.acme.token}` } : {}),
          },
        },
      );
    const first = await create('601');
    const again = await create('601', true);
    const other = await create('602');
    expect([first.status, again.text, other.status]).toEqual([201, first.text, 422]);
  });

  it('stores no error response', async () => {
    const { client } = server.beta;
    expect((await client.post('groups', { name: '' }, withKey('refused'))).status).toBe(422);
    expect((await client.post('groups', { name: 'good' }, withKey('refused'))).status).toBe(201);
  });

  it('CC-06 is separate for each company, user and path', async () => {
    const colleague = await server.member('acme', 'operator');
    const before = { acme: await countGroups('acme'), beta: await countGroups('beta') };
    const calls = [
      await server.acme.client.post('groups', { name: 'scoped' }, withKey('shared')),
      await server.beta.client.post('groups', { name: 'scoped' }, withKey('shared')),
      await colleague.client.post('groups', { name: 'scoped too' }, withKey('shared')),
      await server.acme.client.post('logical_numbers', { number: 'scoped' }, withKey('shared')),
    ];
    expect(calls.map((call) => [call.status, call.headers.get('idempotent-replayed')])).toEqual(
      calls.map(() => [201, null]),
    );
    expect([await countGroups('acme'), await countGroups('beta')]).toEqual([
      before.acme + 2,
      before.beta + 1,
    ]);
  });

  it.each([
    ['256 characters', 'k'.repeat(256)],
    ['a space', 'a key'],
    ['a letter beyond ASCII', '\u00e9'],
    ['nothing', ''],
  ])('CC-06 refuses a key of %s with 400', async (_what, key) => {
    const { status } = await server.acme.client.post('groups', { name: 'never' }, withKey(key));
    expect(status).toBe(400);
    expect((await server.acme.client.get('groups/never')).status).toBe(404);
  });
});
