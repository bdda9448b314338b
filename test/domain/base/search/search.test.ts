import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, refused, statementsFor } from '../../../support/dashboard.js';
import { useServer, type Member } from '../../../support/server.js';

const server = useServer();

const SEARCH = `query ($text: String!, $first: Int) {
  search(text: $text, first: $first) { nodes { name record { __typename } } } }`;

interface Found {
  readonly name: string;
  readonly record: { readonly __typename: string } | null;
}

async function found(member: Member, text: string, first = 20): Promise<string[]> {
  const { search } = await answered<{ search: { nodes: readonly Found[] } }>(member, SEARCH, { text, first });
  return search.nodes.map(({ name, record }) => `${record?.__typename ?? 'nothing'} ${name}`);
}

const CREATE: Readonly<Record<string, string>> = {
  group:
    'mutation ($name: String!) { groupCreate(input: { name: $name }) { group { id } userErrors { message } } }',
  number:
    'mutation ($name: String!) { logicalNumberCreate(input: { number: $name }) { logicalNumber { id } userErrors { message } } }',
  device:
    'mutation ($name: String!) { deviceCreate(input: { serialNumber: $name }) { device { id } userErrors { message } } }',
};

async function create(member: Member, kind: string, ...names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const payload = await changed<Readonly<Record<string, { readonly id: string }>>>(
      member,
      CREATE[kind] ?? '',
      {
        name,
      },
    );
    ids.push(Object.values(payload)[0]?.id ?? '');
  }
  return ids;
}

describe('the search', () => {
  beforeAll(async () => {
    await create(server.acme, 'group', 'São Paulo', 'sao paulo norte', 'Rio', 'Loja de São Paulo');
    await create(server.acme, 'device', 'SN-000123', 'SN-000124', 'PAX-9000123', 'ab%c_d"e');
    await create(server.acme, 'number', '000123', '123');
    await create(server.beta, 'group', 'São Bento');
    await create(server.beta, 'device', 'SN-000123');
  });

  it('RU-10 finds names that contain a text, whatever their case, accents and Unicode form', async () => {
    const all = ['Group São Paulo', 'Group sao paulo norte', 'Group Loja de São Paulo'];
    for (const text of ['são paulo', 'SAO PAULO', 'Sao Paulo', 'Sa\u0303o Paulo']) {
      expect(await found(server.acme, text)).toEqual(all);
    }
    expect(await found(server.acme, 'sn-0001')).toEqual(['Device SN-000123', 'Device SN-000124']);
  });

  it('begins with equal names, then those that begin with the text, of each type in turn', async () => {
    expect(await found(server.acme, '123')).toEqual([
      'LogicalNumber 123',
      expect.stringMatching(/^(?:Device|LogicalNumber) /),
      expect.stringMatching(/^(?:Device|LogicalNumber) /),
      expect.stringMatching(/^Device /),
    ]);
    expect(await found(server.acme, '000123')).toEqual([
      'LogicalNumber 000123',
      'Device SN-000123',
      'Device PAX-9000123',
    ]);
    expect(await found(server.acme, '000123', 1)).toEqual(['LogicalNumber 000123']);
  });

  it('finds names that begin with one or two characters', async () => {
    expect(await found(server.acme, 'r')).toEqual(['Group Rio']);
    expect(await found(server.acme, 'P')).toEqual(['Device PAX-9000123', 'Member admin of Acme Pagamentos']);
    expect(await found(server.acme, 'AX')).toEqual([]);
  });

  it('takes no character of a text for a sign of a pattern', async () => {
    for (const text of ['b%c', '%c_d', 'd"e', '"e', 'ab%c_d"e']) {
      expect(await found(server.acme, text), text).toEqual(text === '"e' ? [] : ['Device ab%c_d"e']);
    }
    for (const text of ['%%%', '___', '*', 'sn* OR', 'NEAR(a b)', 'a%d', '\\\\\\', "' or 1=1 --", '[a-z]']) {
      expect(await found(server.acme, text), text).toEqual([]);
    }
  });

  it('follows changes of names and deletions', async () => {
    const [id = ''] = await create(server.acme, 'group', 'Curitiba');
    const RENAME =
      'mutation ($id: ID!, $name: String!) { groupUpdate(id: $id, input: { name: $name }) { group { id } } }';
    await changed(server.acme, RENAME, { id, name: 'Florianópolis' });
    expect(await found(server.acme, 'uritib')).toEqual([]);
    expect(await found(server.acme, 'anopolis')).toEqual(['Group Florianópolis']);
    await changed(server.acme, 'mutation ($id: ID!) { groupDelete(id: $id) { deletedId } }', { id });
    expect(await found(server.acme, 'anopolis')).toEqual([]);
  });

  it('finds each name once when changes that succeed and fail are stored together', async () => {
    const names = ['together-1', 'together-2', 'together-1', 'together-3', 'together-2', 'together-4'];
    const payloads = await Promise.all(
      names.map(async (name) =>
        answered<{ groupCreate: { userErrors: readonly unknown[] } }>(server.acme, CREATE.group ?? '', {
          name,
        }),
      ),
    );
    expect(payloads.filter(({ groupCreate }) => groupCreate.userErrors.length > 0)).toHaveLength(2);
    expect((await found(server.acme, 'gether')).sort()).toEqual(
      [1, 2, 3, 4].map((index) => `Group together-${index}`),
    );
  });

  it('shows each key once, and members to administrators alone', async () => {
    const SET = `mutation ($input: ParameterCreateInput!) { parameterCreate(input: $input) { parameter { id } userErrors { message } } }`;
    const [one, two] = await create(server.acme, 'group', 'Keys 1', 'Keys 2');
    for (const groupId of [one, two]) {
      await changed(server.acme, SET, { input: { owner: { groupId }, key: 'printer.contrast', value: '5' } });
    }
    expect(await found(server.acme, 'CONTRAST')).toEqual(['Parameter printer.contrast']);
    const admin = await server.member('acme', 'admin');
    const viewer = await server.member('acme', 'viewer');
    const { viewer: me } = await answered<{ viewer: { user: { name: string; email: string } } }>(
      admin,
      '{ viewer { user { name email } } }',
    );
    expect(await found(admin, me.user.email.toUpperCase())).toEqual([`Member ${me.user.name}`]);
    expect(await found(viewer, me.user.email)).toEqual([]);
  });

  it('finds logical numbers by their merchant, and each tag once with a record that has it', async () => {
    const number = { number: '555', merchantName: 'Padaria São João', tags: ['joinville'] };
    await changed(
      server.acme,
      'mutation ($input: LogicalNumberCreateInput!) { logicalNumberCreate(input: $input) { userErrors { message } } }',
      { input: number },
    );
    const DEVICE =
      'mutation ($input: DeviceCreateInput!) { deviceCreate(input: $input) { userErrors { message } } }';
    for (const serialNumber of ['TAG-1', 'TAG-2'])
      await changed(server.acme, DEVICE, { input: { serialNumber, tags: ['joias', 'blue'] } });
    await changed(server.beta, DEVICE, { input: { serialNumber: 'TAG-1', tags: ['joker'] } });
    expect(await found(server.acme, 'sao joao')).toEqual(['LogicalNumber Padaria São João']);
    expect(await found(server.acme, 'JOI')).toEqual(['Device joias', 'LogicalNumber joinville']);
    const { search } = await answered<{ search: { nodes: unknown } }>(
      server.acme,
      '{ search(text: "joias") { nodes { isTag name record { ... on Device { serialNumber } } } } }',
    );
    expect(search.nodes).toEqual([{ isTag: true, name: 'joias', record: { serialNumber: 'TAG-1' } }]);
    const tags = 'query ($text: String, $first: Int) { tags(text: $text, first: $first) }';
    expect(await answered(server.acme, tags)).toEqual({ tags: ['blue', 'joias', 'joinville'] });
    expect(await answered(server.acme, tags, { text: 'OI' })).toEqual({ tags: ['joias', 'joinville'] });
    expect(await answered(server.acme, tags, { first: 1 })).toEqual({ tags: ['blue'] });
    expect((await refused(server.acme, tags, { first: 51 })).message).toMatch(/from 1 to 50/);
  });

  it('sees only the own company', async () => {
    expect(await found(server.beta, 'SÃO')).toEqual(['Group São Bento']);
    expect(await found(server.beta, '000123')).toEqual(['Device SN-000123']);
  });

  it.each([
    ['', 'must not be empty'],
    [' a', 'must not begin or end with a space'],
    ['a'.repeat(101), 'must have at most 100 characters'],
    ['a\0b', 'must not contain control or invisible characters'],
  ])('refuses the text %j', async (text, message) => {
    // The second query asks for nothing of what is found.
    for (const query of [SEARCH, 'query ($text: String!) { search(text: $text) { __typename } }']) {
      const { body } = await server.acme.graphql(query, { text });
      expect(body.errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', fields: { text: [message] } } },
      ]);
    }
  });

  it.each([0, 51, -1])('refuses to find %i records', async (first) => {
    expect(await refused(server.acme, SEARCH, { text: 'abc', first })).toEqual({
      message: `search finds from 1 to 50 records, not ${first}.`,
      code: 'BAD_USER_INPUT',
    });
  });

  it('takes a constant number of statements', async () => {
    const query = (text: string): string => `{ search(text: "${text}") { nodes { name } } }`;
    const few = await statementsFor(server, server.acme, query('curitiba'));
    expect(await statementsFor(server, server.acme, query('000123'))).toHaveLength(few.length);
  });
});
