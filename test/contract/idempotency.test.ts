import { describe, expect, it } from 'vitest';

import { HOUR } from '../../src/platform/clock.js';
import { totalIn } from '../support/fleet.js';
import { fileForm, useServer, type Member, type Reply } from '../support/server.js';

const server = useServer();

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

const CREATE = `mutation ($name: String!) {
  groupCreate(input: { name: $name }) { group { id name createdAt createdBy { name } } userErrors { code } } }`;

interface Outcome {
  /** The response and its ETag, which a repetition gets again. */
  readonly response: readonly (string | null)[];
  readonly isReplayed: boolean;
  /** Code of the refusal, in lower case. */
  readonly code: string | undefined;
}

const outcomeOf = ({ text, headers }: Pick<Reply, 'text' | 'headers'>, code: unknown): Outcome => ({
  response: [text, headers.get('etag')],
  isReplayed: headers.get('idempotent-replayed') === 'true',
  code: typeof code === 'string' ? code.toLowerCase() : undefined,
});

/** Creates a group through each API. */
const SURFACES: Readonly<Record<string, (member: Member, name: string, key: string) => Promise<Outcome>>> = {
  REST: async ({ client }, name, key) => {
    const reply = await client.post('groups', { name }, withKey(key));
    return outcomeOf(reply, reply.body.code);
  },
  GraphQL: async ({ graphql }, name, key) => {
    const reply = await graphql<{ groupCreate: { userErrors: { code: string }[] } } | null>(
      CREATE,
      { name },
      withKey(key),
    );
    const { data, errors } = reply.body;
    return outcomeOf(reply, errors?.[0]?.extensions.code ?? data?.groupCreate.userErrors[0]?.code);
  },
};

const groupsOf = ({ client }: Member): Promise<number> => totalIn(client, 'groups');

describe.each(Object.entries(SURFACES))('an Idempotency-Key in %s', (surface, create) => {
  it('CC-05 gives twenty parallel requests with one key one effect and one response', async () => {
    const member = await server.member('acme', 'operator');
    const before = await groupsOf(member);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => create(member, `one of ${surface}`, 'one')),
    );
    expect(await groupsOf(member)).toBe(before + 1);
    for (const { response, code } of outcomes) {
      expect([response, code]).toEqual([outcomes[0]?.response, undefined]);
    }
    expect(outcomes.filter(({ isReplayed }) => isReplayed)).toHaveLength(19);
  });

  it('CC-05 replays the response for 24 hours and refuses another body', async () => {
    const member = await server.member('acme', 'operator');
    const first = await create(member, `kept by ${surface}`, 'day');
    server.clock.advance(23 * HOUR);
    expect(await create(member, `kept by ${surface}`, 'day')).toEqual({ ...first, isReplayed: true });
    expect((await create(member, `another of ${surface}`, 'day')).code).toBe('idempotency_mismatch');
    server.clock.advance(2 * HOUR);
    const anew = await create(member, `another of ${surface}`, 'day');
    expect([anew.isReplayed, anew.code]).toEqual([false, undefined]);
  });

  it('stores nothing of a refused change', async () => {
    expect((await create(server.beta, '', 'refused')).code).toBe('invalid');
    const made = await create(server.beta, `good of ${surface}`, 'refused');
    expect([made.isReplayed, made.code]).toEqual([false, undefined]);
  });

  it('CC-06 is separate for each company and user', async () => {
    const name = `scoped by ${surface}`;
    const [one, two] = [await server.member('acme', 'operator'), await server.member('acme', 'operator')];
    expect(await create(one, name, 'shared')).toMatchObject({ isReplayed: false, code: undefined });
    expect(await create(one, name, 'shared')).toMatchObject({ isReplayed: true });
    expect(await create(two, name, 'shared')).toMatchObject({ isReplayed: false, code: 'taken' });
    expect(await create(server.beta, name, 'shared')).toMatchObject({ isReplayed: false, code: undefined });
  });

  it.each([
    ['256 characters', 'k'.repeat(256)],
    ['a space', 'a key'],
    ['a letter beyond ASCII', '\u00e9'],
    ['nothing', ''],
  ])('CC-06 refuses a key of %s', async (_what, key) => {
    const before = await groupsOf(server.acme);
    expect((await create(server.acme, 'never', key)).code).toBe('malformed');
    expect(await groupsOf(server.acme)).toBe(before);
  });
});

describe('an Idempotency-Key in REST', () => {
  it('CC-05 replays the bytes of a file too', async () => {
    const form = (bytes = '123456789'): FormData => fileForm('kept.bin', bytes);
    const first = await server.acme.client.post('files', form(), withKey('file'));
    const again = await server.acme.client.post('files', form(), withKey('file'));
    expect(first.record('file')).toMatchObject({ content: 'MTIzNDU2Nzg5', crc: '31C3' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    const other = await server.acme.client.post('files', form('other'), withKey('file'));
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  it('CC-05 distinguishes requests by the owner in the query, not by the token', async () => {
    const { client, token } = server.acme;
    for (const number of ['601', '602']) await client.post('logical_numbers', { number });
    const create = async (number: string, more: Readonly<Record<string, string>> = {}) => {
      const options = { query: { number }, headers: { 'idempotency-key': 'owned', ...more } };
      const sender = more.authorization === undefined ? client : server.anonymous;
      return await sender.post('parameters', { key: 'k', value: 'v' }, options);
    };
    const first = await create('601');
    const again = await create('601', { authorization: `Bearer ${token}` });
    const other = await create('602');
    expect([first.status, again.text, other.status]).toEqual([201, first.text, 422]);
  });

  it('CC-06 is separate for each path', async () => {
    const { client } = server.acme;
    for (const [path, body] of [
      ['groups', { name: 'of a path' }],
      ['logical_numbers', { number: 'of a path' }],
    ] as const) {
      const { status, headers } = await client.post(path, body, withKey('path'));
      expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
    }
  });
});

describe('an Idempotency-Key in GraphQL', () => {
  it('CC-06 is separate for each mutation and its alias', async () => {
    const { acme } = server;
    await acme.graphql(CREATE, { name: 'of a mutation' }, withKey('mutation'));
    const number = `mutation { logicalNumberCreate(input: { number: "of a mutation" }) { userErrors { code } } }`;
    const { headers } = await acme.graphql(number, {}, withKey('mutation'));
    expect(headers.get('idempotent-replayed')).toBeNull();
    const pair = `mutation { a: groupCreate(input: { name: "left" }) { group { name } }
      b: groupCreate(input: { name: "right" }) { group { name } } }`;
    const data = { a: { group: { name: 'left' } }, b: { group: { name: 'right' } } };
    for (let n = 0; n < 2; n += 1) {
      expect((await acme.graphql(pair, {}, withKey('pair'))).body.data).toEqual(data);
    }
  });

  it('is ignored for queries', async () => {
    expect((await server.acme.graphql('{ viewer { role } }', {}, withKey('query'))).status).toBe(200);
  });

  it.each(['apiTokenCreate(input: { name: "t", scopes: [READ] })', 'deviceTokenIssue(deviceId: "x")'])(
    'is refused where the response shows a secret that is not stored: %s',
    async (call) => {
      const query = `mutation { ${call} { userErrors { code } } }`;
      const { body } = await server.acme.graphql(query, {}, withKey('secret'));
      expect(body.errors?.[0]).toMatchObject({
        message: expect.stringContaining('takes no Idempotency-Key: its response shows a secret') as string,
        extensions: { code: 'BAD_USER_INPUT' },
      });
    },
  );
});
