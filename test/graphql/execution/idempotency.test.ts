import { describe, expect, it } from 'vitest';

import { startServer, type Member } from '../../support/server.js';
import { useServer } from '../../support/use-server.js';

const server = useServer();

const CREATE = `mutation ($name: String!) {
  groupCreate(input: { name: $name }) { group { id name createdAt createdBy { name } } userErrors { code } } }`;

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

async function groupsOf(member: Member): Promise<number> {
  const { body } = await member.graphql<{ groups: { totalCount: number } }>('{ groups { totalCount } }');
  return body.data.groups.totalCount;
}

describe('a mutation with an Idempotency-Key', () => {
  it('CC-05 has one effect, and a repetition gets the same response', async () => {
    const member = await server.member('acme', 'operator');
    const before = await groupsOf(member);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => member.graphql(CREATE, { name: 'once' }, keyed('k-1'))),
    );
    expect(await groupsOf(member)).toBe(before + 1);
    const [first] = replies;
    for (const reply of replies) expect(reply.body).toEqual(first?.body);
    expect(first?.body.data).toMatchObject({ groupCreate: { group: { name: 'once' }, userErrors: [] } });
    const replayed = replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    expect(replayed).toHaveLength(19);
  });

  it('CC-05 refuses the key with other arguments, and accepts it again after a day', async () => {
    const own = await startServer();
    await own.acme.graphql(CREATE, { name: 'first' }, keyed('k-2'));
    const other = await own.acme.graphql(CREATE, { name: 'second' }, keyed('k-2'));
    expect(other.body.errors?.[0]).toMatchObject({
      message: 'This Idempotency-Key was used with another body.',
      extensions: { code: 'IDEMPOTENCY_MISMATCH' },
    });
    expect(await groupsOf(own.acme)).toBe(1);
    own.clock.advance(25 * 60 * 60 * 1000);
    await own.acme.graphql(CREATE, { name: 'second' }, keyed('k-2'));
    expect(await groupsOf(own.acme)).toBe(2);
    await own.stop();
  });

  it('CC-06 is scoped to the company, the user, the mutation and its alias', async () => {
    const [one, two] = [await server.member('acme', 'operator'), await server.member('acme', 'operator')];
    const replayed = async (member: Member, query: string, name: string): Promise<boolean> => {
      const reply = await member.graphql(query, { name }, keyed('k-3'));
      return reply.headers.get('idempotent-replayed') === 'true';
    };
    expect(await replayed(one, CREATE, 'scoped')).toBe(false);
    expect(await replayed(one, CREATE, 'scoped')).toBe(true);
    expect(await replayed(two, CREATE, 'scoped')).toBe(false);
    expect(await replayed(server.beta, CREATE, 'scoped')).toBe(false);
    const number = `mutation ($name: String!) {
      logicalNumberCreate(input: { number: $name }) { logicalNumber { number } userErrors { code } } }`;
    expect(await replayed(one, number, 'scoped')).toBe(false);
    const pair = `mutation ($name: String!) { a: groupCreate(input: { name: $name }) { group { name } }
      b: groupCreate(input: { name: "pair" }) { group { name } } }`;
    const first = await one.graphql(pair, { name: 'left' }, keyed('k-4'));
    expect(first.body.data).toMatchObject({ a: { group: { name: 'left' } }, b: { group: { name: 'pair' } } });
    const again = await one.graphql(pair, { name: 'left' }, keyed('k-4'));
    expect(again.body.data).toEqual(first.body.data);
  });

  it('stores nothing of a refused change', async () => {
    await server.acme.graphql(CREATE, { name: 'in the way' });
    const refused = await server.acme.graphql(CREATE, { name: 'in the way' }, keyed('k-5'));
    expect(refused.body.data).toMatchObject({ groupCreate: { userErrors: [{ code: 'TAKEN' }] } });
    await server.acme.graphql(
      'mutation ($name: String!) { groupUpdate(id: $name, input: {}) { userErrors { code } } }',
      { name: 'x' },
    );
    const { body } = await server.acme.graphql<{ group: { id: string } }>(
      '{ group(name: "in the way") { id } }',
    );
    await server.acme.graphql('mutation ($id: ID!) { groupDelete(id: $id) { deletedId } }', {
      id: body.data.group.id,
    });
    const made = await server.acme.graphql(CREATE, { name: 'in the way' }, keyed('k-5'));
    expect(made.body.data).toMatchObject({ groupCreate: { userErrors: [] } });
  });

  it('ignores the key for queries, and refuses a malformed key', async () => {
    const query = await server.acme.graphql('{ viewer { role } }', undefined, keyed('k-6'));
    expect(query.status).toBe(200);
    for (const key of ['', 'two words', 'é', 'x'.repeat(256)]) {
      const reply = await server.acme.graphql(CREATE, { name: 'bad key' }, keyed(encodeHeader(key)));
      expect([reply.status, reply.body.errors?.[0]?.extensions.code]).toEqual([400, 'MALFORMED']);
    }
  });

  it('is refused where the response shows a secret that is not stored', async () => {
    const { body } = await server.acme.graphql(
      'mutation { apiTokenCreate(input: { name: "t", scopes: [READ] }) { userErrors { code } } }',
      undefined,
      keyed('k-7'),
    );
    expect(body.errors?.[0]).toMatchObject({
      message: 'apiTokenCreate takes no Idempotency-Key: its response shows a secret that is not stored.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });
});

/** The UTF-8 bytes of a text as a header value. */
function encodeHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}
