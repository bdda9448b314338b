import { describe, expect, it } from 'vitest';

import { disableUser } from '../../../../src/domain/people/user/user.service.js';
import { createClient, type Fields } from '../../../support/client.js';
import { signedIn } from '../../../support/console.js';
import { answered, type Connection, nodeId, refused } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { createGraphql } from '../../../support/graphql.js';
import { expectRefused, mutated, mutationOf } from '../../../support/mutations.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { SYSTEM, useServer, type Member } from '../../../support/server.js';

const server = useServer();

const MEMBERS = `query ($first: Int, $after: String) { viewer { company { members(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { user { id databaseId name email } role disabledAt lockedUntil lastSignInAt } } } } }`;

interface Added {
  readonly user: Fields & { readonly databaseId: number };
  readonly initialPassword: string | null;
}

interface MemberShape extends Fields {
  readonly user: Fields;
}

type Members = Connection<MemberShape>;

let emails = 0;
const newEmail = (): string => `member${++emails}@acme.example`;

const inputOf = (more: Fields = {}): Fields => ({
  input: { email: newEmail(), name: 'Bo Lima', role: 'OPERATOR', ...more },
});
const add = (member: Member, more: Fields = {}): Promise<Added> =>
  mutated<Added>(
    member,
    'memberAdd',
    inputOf(more),
    'user { databaseId name email timeZone signInCount lastSignInAt lastSignInIp } initialPassword',
  );

async function membersOf(member: Member, variables: Fields = {}): Promise<Members> {
  const data = await answered<{ viewer: { company: { members: Members } } }>(member, MEMBERS, variables);
  return data.viewer.company.members;
}

async function memberOf(admin: Member, userId: number): Promise<MemberShape | undefined> {
  const { nodes } = await membersOf(admin, { first: 100 });
  return nodes.find(({ user }) => user.databaseId === userId);
}

const idOf = (member: Member): string => nodeId('User', member.caller.userId);

describe('memberAdd', () => {
  it('creates an account whose password is shown once, and the new user signs in with it', async () => {
    const email = newEmail();
    const added = await add(server.acme, { email: email.toUpperCase(), timeZone: 'America/Sao_Paulo' });
    const shown = {
      name: 'Bo Lima',
      email,
      timeZone: 'America/Sao_Paulo',
      signInCount: 0,
      lastSignInAt: null,
    };
    expect(added.user).toMatchObject(shown);
    expect(added.initialPassword).toMatch(/^[\w-]{20}$/);
    const [entry] = tokensIn(await signIn(server, { email, password: added.initialPassword ?? '' }));
    const client = createClient(server.url, entry?.api_token ?? '');
    expect((await client.post('groups', { name: email })).status).toBe(201);
    expect((await client.get('users')).status).toBe(403);
    const entries = await ledgerOf(server, server.acme, 'membership', added.user.databaseId);
    expect(entries).toMatchObject([{ action: 'create', after: { role: 'operator' } }]);
    const ledger = await server.app.database.reads.selectFrom('ledger').select('after').execute();
    expect(JSON.stringify(ledger)).not.toContain(added.initialPassword);
  });

  it('adds a user of another company, who accepts, without showing what that company knows', async () => {
    const { email, user: account } = await addPerson(server, { beta: 'admin' });
    await signIn(server, { email, password: PASSWORD });
    const added = await add(server.acme, { email, name: 'Ana, as Acme calls her' });
    expect(added).toMatchObject({ user: null, initialPassword: null });
    const id = nodeId('Company', server.acme.caller.companyId);
    await mutated(await signedIn(server.url, email), 'invitationAccept', { id });
    const name = 'Ana, as Acme calls her';
    const user = (await server.acme.client.get(`users/${account.id}`)).record('user');
    expect(user).toMatchObject({ name, sign_in_count: 0, last_sign_in_ip: null });
    const { nodes } = await membersOf(server.beta, { first: 100 });
    expect(nodes.find((member) => member.user.email === email)).toMatchObject({
      user: { name: 'Ana Souza' },
    });
    const entries = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(entries.map(({ company_name }) => company_name)).toEqual(['Beta Cards', 'Acme Pagamentos']);
  });

  it.each([
    ['a member', { email: 'ADMIN1@acme.example' }, 'TAKEN input.email'],
    ['no address', { email: 'x' }, 'INVALID input.email'],
    ['no name', { name: ' ' }, 'INVALID input.name'],
    ['an unknown zone', { timeZone: 'Mars/Base' }, 'INVALID input.timeZone'],
  ] as const)('refuses %s and adds nobody', async (_case, input, refusal) => {
    const before = await membersOf(server.acme);
    await expectRefused(server.acme, 'memberAdd', inputOf(input), refusal);
    expect(await membersOf(server.acme)).toEqual(before);
  });
});

describe('Company.members', () => {
  it('shows users with role, state and last sign-in', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    await signIn(server, { email, password: PASSWORD });
    const all = await membersOf(server.acme, { first: 100 });
    expect(all.nodes).toHaveLength(all.totalCount);
    expect(all.nodes.find((member) => member.user.databaseId === user.id)).toMatchObject({
      role: 'VIEWER',
      disabledAt: null,
      lockedUntil: null,
      lastSignInAt: expect.any(String) as string,
    });
  });

  it.each(['ASC', 'DESC'])('are found and ordered by name, %s', async (direction) => {
    for (const name of ['Ordered B', 'Ordered C', 'Ordered A']) await add(server.beta, { name });
    const query = `query ($after: String) { viewer { company { members(first: 2, after: $after,
      orderBy: { field: NAME, direction: ${direction} }, filter: { name: { startsWith: "Ordered" } }) {
        nodes { user { name } } pageInfo { hasNextPage endCursor } } } } }`;
    const names: unknown[] = [];
    for (let after: unknown = null, more: unknown = true; more === true;) {
      const { viewer } = await answered<{ viewer: { company: { members: Members } } }>(server.beta, query, {
        after,
      });
      names.push(...viewer.company.members.nodes.map(({ user }) => user.name));
      ({ endCursor: after, hasNextPage: more } = viewer.company.members.pageInfo);
    }
    const all = [...names].map(String).sort();
    expect(names).toEqual(direction === 'ASC' ? all : all.reverse());
    expect(new Set(names)).toEqual(new Set(['Ordered A', 'Ordered B', 'Ordered C']));
  });
});

describe('memberSetRole, userDisable, userEnable and memberRemove', () => {
  it('a new role takes effect at the next request', async () => {
    const member = await server.member('acme', 'viewer');
    const create = () => member.client.post('groups', { name: `by ${member.caller.userId}` });
    expect((await create()).status).toBe(403);
    const setRole = (fields = 'role') =>
      mutated(
        server.acme,
        'memberSetRole',
        { userId: idOf(member), role: 'OPERATOR' },
        `member { ${fields} }`,
      );
    await setRole();
    expect((await create()).status).toBe(201);
    expect(await memberOf(server.acme, member.caller.userId)).toMatchObject({ role: 'OPERATOR' });
    const entries = await ledgerOf(server, server.acme, 'membership', member.caller.userId);
    expect(entries.at(-1)).toMatchObject({
      action: 'set_role',
      before: { role: 'viewer' },
      after: { role: 'operator' },
    });
    const databaseId = member.caller.userId;
    const id = nodeId('Member', databaseId);
    expect(await setRole('id databaseId role')).toEqual({ member: { id, databaseId, role: 'OPERATOR' } });
    const node = `{ node(id: "${id}") { ... on Member { role user { databaseId } } } }`;
    expect(await answered(server.acme, node)).toEqual({ node: { role: 'OPERATOR', user: { databaseId } } });
    expect(await answered(server.beta, node)).toEqual({ node: null });
    expect((await refused(member, node)).code).toBe('FORBIDDEN');
    expect(await ledgerOf(server, server.acme, 'membership', member.caller.userId)).toHaveLength(
      entries.length,
    );
  });

  it('AT-03 a user who is disabled in one company has no access there, and access to the other', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const tokens = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const statuses = () =>
      Promise.all(
        tokens.map(async (entry) => (await createClient(server.url, entry.api_token).get('groups')).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    const id = nodeId('User', user.id);
    await mutated(server.beta, 'userDisable', { id });
    expect(await statuses()).toEqual([200, 401]);
    expect((await memberOf(server.beta, user.id))?.disabledAt).not.toBeNull();
    expect((await memberOf(server.acme, user.id))?.disabledAt).toBeNull();
    const entries = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(entries).toEqual([tokens[0]]);
    await mutated(server.beta, 'userEnable', { id });
    expect(await statuses()).toEqual([200, 200]);
  });

  it('AT-03 a user whom the operator has disabled stays disabled', async () => {
    const member = await server.member('acme', 'viewer');
    const { userId } = member.caller;
    await server.app.units.systemWrite(SYSTEM, (work) => disableUser(work, { id: userId }));
    expect((await memberOf(server.acme, userId))?.disabledAt).not.toBeNull();
    await expectRefused(server.acme, 'userEnable', { id: idOf(member) }, 'INVALID');
    expect((await member.client.get('groups')).status).toBe(401);
  });

  it('AT-03 a removed user has no token for the company, and the account remains', async () => {
    const { email, user } = await addPerson(server, { acme: 'admin', beta: 'viewer' });
    const [acme, beta] = tokensIn(await signIn(server, { email, password: PASSWORD })).map((entry) =>
      createClient(server.url, entry.api_token),
    );
    const id = nodeId('User', user.id);
    const removed = await mutated(server.acme, 'memberRemove', { userId: id }, 'removedId');
    expect(removed).toEqual({ removedId: id });
    const { ledger } = await answered(server.acme, '{ ledger(last: 2) { nodes { action entityType } } }');
    expect(ledger).toEqual({
      nodes: ['access_token', 'membership'].map((entityType) => ({ action: 'delete', entityType })),
    });
    expect([(await acme?.get('groups'))?.status, (await beta?.get('groups'))?.status]).toEqual([401, 200]);
    expect(await memberOf(server.acme, user.id)).toBeUndefined();
    expect(tokensIn(await signIn(server, { email, password: PASSWORD }))).toHaveLength(1);
    const again = await add(server.acme, { email });
    expect(again).toMatchObject({ initialPassword: null });
    expect((await acme?.get('groups'))?.status).toBe(401);
  });

  it.each([
    ['memberSetRole', 'userId', { role: 'VIEWER' }],
    ['memberRemove', 'userId', {}],
    ['userUpdate', 'id', { input: { name: 'New' } }],
    ['userDisable', 'id', {}],
    ['userEnable', 'id', {}],
    ['userUnlock', 'id', {}],
  ])('AT-10 %s refuses users of another company as unknown', async (mutation, argument, more) => {
    const before = await membersOf(server.acme, { first: 100 });
    for (const userId of [server.acme.caller.userId, 9e6]) {
      const variables = { [argument]: nodeId('User', userId), ...more };
      await expectRefused(server.beta, mutation, variables, `NOT_FOUND ${argument}`, 'No such user.');
    }
    expect(await membersOf(server.acme, { first: 100 })).toEqual(before);
  });
});

describe('userUpdate', () => {
  it('changes the name and time zone in this company only', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const input = { name: 'Ana Lima', timeZone: 'Asia/Tokyo' };
    const id = nodeId('User', user.id);
    const shown = await mutated(server.acme, 'userUpdate', { id, input }, 'user { name timeZone }');
    expect(shown).toEqual({ user: input });
    const [acme, beta] = await Promise.all(
      [server.acme, server.beta].map(async ({ client }) =>
        (await client.get(`users/${user.id}`)).record('user'),
      ),
    );
    expect(acme).toMatchObject({ email, name: 'Ana Lima', time_zone: 'Asia/Tokyo' });
    expect(beta).toMatchObject({ email, name: 'Ana Souza', time_zone: 'UTC' });
    const nameless = { id, input: { name: '' } };
    await expectRefused(server.acme, 'userUpdate', nameless, 'INVALID input.name');
  });

  it('lets users change themselves, with a token for changes', async () => {
    const viewer = await server.member('acme', 'viewer');
    const input = { name: 'Of my own' };
    const own = { id: idOf(viewer), input };
    expect(await mutated(viewer, 'userUpdate', own, 'user { name }')).toEqual({ user: input });
    const reader = await server.member('acme', 'admin', ['read']);
    for (const [member, of] of [
      [viewer, server.acme],
      [reader, reader],
    ] as const) {
      const variables = { id: idOf(of), input };
      expect((await refused(member, mutationOf('userUpdate'), variables)).code).toBe('FORBIDDEN');
    }
  });
});

describe('userUnlock', () => {
  const lock = async (email: string): Promise<void> => {
    for (let n = 0; n < 10; n += 1) await signIn(server, { email, password: 'wrong' });
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(401);
  };

  it('AT-06 lets a locked user sign in again, who is of this company alone', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    await lock(email);
    expect((await memberOf(server.acme, user.id))?.lockedUntil).not.toBeNull();
    await mutated(server.acme, 'userUnlock', { id: nodeId('User', user.id) });
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(200);
  });

  it('AT-06 does not unlock a user of several companies, whose passwords could be guessed then', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    await lock(email);
    await expectRefused(server.acme, 'userUnlock', { id: nodeId('User', user.id) }, 'INVALID id');
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(401);
  });
});

describe('companyRename', () => {
  const rename = (name: string) => mutated(server.beta, 'companyRename', { name }, 'company { name }');

  it('renames the company of the caller', async () => {
    expect(await rename('Beta Cartões')).toEqual({ company: { name: 'Beta Cartões' } });
    const email = newEmail();
    const { initialPassword } = await add(server.beta, { email });
    const [entry] = tokensIn(await signIn(server, { email, password: initialPassword ?? '' }));
    expect(entry?.company_name).toBe('Beta Cartões');
    await rename('Beta Cards');
    const graphql = createGraphql(server.url, entry?.api_token ?? '');
    const { viewer } = await answered<{ viewer: Fields }>({ graphql }, '{ viewer { company { name } } }');
    expect(viewer).toEqual({ company: { name: 'Beta Cards' } });
  });

  it.each([
    ['Acme Pagamentos', 'TAKEN'],
    ['', 'INVALID'],
  ])('refuses "%s"', async (name, code) => {
    await expectRefused(server.beta, 'companyRename', { name }, `${code} name`);
  });
});
