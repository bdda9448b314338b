import { describe, expect, it } from 'vitest';

import { disableUser } from '../../../../src/domain/people/user/user.service.js';
import { createClient, type Fields } from '../../../support/client.js';
import {
  answered,
  changed,
  nodeId,
  type Page,
  refused,
  type UserErrorShape,
} from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { createGraphql } from '../../../support/graphql.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { SYSTEM, useServer, type Member } from '../../../support/server.js';

const server = useServer();

const ERRORS = 'userErrors { message path code }';
const ADD = `mutation ($input: MemberAddInput!) { memberAdd(input: $input) {
  user { id databaseId name email timeZone signInCount lastSignInAt lastSignInIp } initialPassword ${ERRORS} } }`;
const SET_ROLE = `mutation ($id: ID!, $role: Role!) { memberSetRole(userId: $id, role: $role) {
  user { name } member { id databaseId role } ${ERRORS} } }`;
const REMOVE = `mutation ($id: ID!) { memberRemove(userId: $id) { removedId ${ERRORS} } }`;
const UPDATE = `mutation ($id: ID!, $input: UserUpdateInput!) {
  userUpdate(id: $id, input: $input) { user { name timeZone } ${ERRORS} } }`;
const change = (name: string) => `mutation ($id: ID!) { ${name}(id: $id) { user { id } ${ERRORS} } }`;
const MEMBERS = `query ($first: Int, $after: String) { viewer { company { members(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { user { id databaseId name email } role disabledAt lockedUntil lastSignInAt } } } } }`;

interface Added {
  readonly user: (Fields & { readonly id: string; readonly databaseId: number }) | null;
  readonly initialPassword: string | null;
  readonly userErrors: readonly UserErrorShape[];
}

interface MemberShape extends Fields {
  readonly user: Fields;
}

type Members = Page<MemberShape> & { readonly pageInfo: Fields };

let emails = 0;
const newEmail = (): string => `member${++emails}@acme.example`;

async function add(member: Member, more: Fields = {}): Promise<Added> {
  const input = { email: newEmail(), name: 'Bo Lima', role: 'OPERATOR', ...more };
  return await changed<Added>(member, ADD, { input });
}

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
    expect(added).toMatchObject({
      user: { name: 'Bo Lima', email, timeZone: 'America/Sao_Paulo', signInCount: 0, lastSignInAt: null },
      userErrors: [],
    });
    expect(added.initialPassword).toMatch(/^[\w-]{20}$/);
    const [entry] = tokensIn(await signIn(server, { email, password: added.initialPassword ?? '' }));
    const client = createClient(server.url, entry?.api_token ?? '');
    expect((await client.post('groups', { name: email })).status).toBe(201);
    expect((await client.get('users')).status).toBe(403);
    const entries = await ledgerOf(server, server.acme, 'membership', added.user?.databaseId ?? 0);
    expect(entries).toMatchObject([{ action: 'create', after: { role: 'operator' } }]);
    const ledger = await server.app.database.reads.selectFrom('ledger').select('after').execute();
    expect(JSON.stringify(ledger)).not.toContain(added.initialPassword);
  });

  it('adds a user of another company without showing what that company knows', async () => {
    const { email } = await addPerson(server, { beta: 'admin' });
    await signIn(server, { email, password: PASSWORD });
    const added = await add(server.acme, { email, name: 'Ana, as Acme calls her' });
    expect(added).toMatchObject({
      user: {
        name: 'Ana, as Acme calls her',
        email,
        timeZone: 'UTC',
        signInCount: 0,
        lastSignInAt: null,
        lastSignInIp: null,
      },
      initialPassword: null,
      userErrors: [],
    });
    const { client } = server.acme;
    const user = (await client.get(`users/${added.user?.databaseId ?? 0}`)).record('user');
    expect(user).toMatchObject({ name: 'Ana, as Acme calls her', sign_in_count: 0, last_sign_in_ip: null });
    const { nodes } = await membersOf(server.beta, { first: 100 });
    expect(nodes.find((member) => member.user.email === email)).toMatchObject({
      user: { name: 'Ana Souza' },
    });
    const entries = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(entries.map(({ company_name }) => company_name)).toEqual(['Acme Pagamentos', 'Beta Cards']);
  });

  it.each([
    ['a member', () => server.acme, { email: 'ADMIN1@acme.example' }, ['input', 'email'], 'TAKEN'],
    ['no address', () => server.acme, { email: 'x' }, ['input', 'email'], 'INVALID'],
    ['no name', () => server.acme, { name: ' ' }, ['input', 'name'], 'INVALID'],
    ['an unknown zone', () => server.acme, { timeZone: 'Mars/Base' }, ['input', 'timeZone'], 'INVALID'],
  ] as const)('refuses %s and adds nobody', async (_case, member, input, path, code) => {
    const before = await membersOf(member());
    expect(await add(member(), input)).toMatchObject({
      user: null,
      initialPassword: null,
      userErrors: [{ path, code }],
    });
    expect(await membersOf(member())).toEqual(before);
  });
});

describe('Company.members', () => {
  it('shows users with role, state and last sign-in, page by page', async () => {
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
    const read: MemberShape[] = [];
    for (let after: unknown = null; ;) {
      const page = await membersOf(server.acme, { first: 2, after });
      read.push(...page.nodes);
      after = page.pageInfo.endCursor;
      if (page.pageInfo.hasNextPage === false) break;
    }
    expect(read).toEqual(all.nodes);
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

  it('is null without the scope admin, and the rest of the answer stands', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { body } = await viewer.graphql('{ viewer { company { name members { totalCount } } } }');
    expect(body.data).toEqual({ viewer: { company: { name: 'Acme Pagamentos', members: null } } });
    expect(body.errors).toMatchObject([
      { path: ['viewer', 'company', 'members'], extensions: { code: 'FORBIDDEN' } },
    ]);
  });
});

describe('memberSetRole, userDisable, userEnable and memberRemove', () => {
  it('a new role takes effect at the next request', async () => {
    const member = await server.member('acme', 'viewer');
    const create = () => member.client.post('groups', { name: `by ${member.caller.userId}` });
    expect((await create()).status).toBe(403);
    const { userErrors } = await changed(server.acme, SET_ROLE, { id: idOf(member), role: 'OPERATOR' });
    expect(userErrors).toEqual([]);
    expect((await create()).status).toBe(201);
    expect(await memberOf(server.acme, member.caller.userId)).toMatchObject({ role: 'OPERATOR' });
    const entries = await ledgerOf(server, server.acme, 'membership', member.caller.userId);
    expect(entries.at(-1)).toMatchObject({
      action: 'set_role',
      before: { role: 'viewer' },
      after: { role: 'operator' },
    });
    const set = await changed(server.acme, SET_ROLE, { id: idOf(member), role: 'OPERATOR' });
    const databaseId = member.caller.userId;
    const id = nodeId('Member', databaseId);
    expect(set.member).toEqual({ id, databaseId, role: 'OPERATOR' });
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
    expect((await changed(server.beta, change('userDisable'), { id })).userErrors).toEqual([]);
    expect(await statuses()).toEqual([200, 401]);
    expect((await memberOf(server.beta, user.id))?.disabledAt).not.toBeNull();
    expect((await memberOf(server.acme, user.id))?.disabledAt).toBeNull();
    const entries = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(entries).toEqual([tokens[0]]);
    expect((await changed(server.beta, change('userEnable'), { id })).userErrors).toEqual([]);
    expect(await statuses()).toEqual([200, 200]);
  });

  it('AT-03 a user whom the operator has disabled stays disabled', async () => {
    const member = await server.member('acme', 'viewer');
    const { userId } = member.caller;
    await server.app.units.systemWrite(SYSTEM, (work) => disableUser(work, { id: userId }));
    expect((await memberOf(server.acme, userId))?.disabledAt).not.toBeNull();
    const { userErrors } = await changed(server.acme, change('userEnable'), { id: idOf(member) });
    expect(userErrors).toMatchObject([{ path: [], code: 'INVALID' }]);
    expect((await member.client.get('groups')).status).toBe(401);
  });

  it('AT-03 a removed user has no token for the company, and the account remains', async () => {
    const { email, user } = await addPerson(server, { acme: 'admin', beta: 'viewer' });
    const [acme, beta] = tokensIn(await signIn(server, { email, password: PASSWORD })).map((entry) =>
      createClient(server.url, entry.api_token),
    );
    const id = nodeId('User', user.id);
    expect(await changed(server.acme, REMOVE, { id })).toEqual({ removedId: id, userErrors: [] });
    const { ledger } = await answered(server.acme, '{ ledger(last: 2) { nodes { action entityType } } }');
    expect(ledger).toEqual({
      nodes: ['access_token', 'membership'].map((entityType) => ({ action: 'delete', entityType })),
    });
    expect([(await acme?.get('groups'))?.status, (await beta?.get('groups'))?.status]).toEqual([401, 200]);
    expect(await memberOf(server.acme, user.id)).toBeUndefined();
    expect(tokensIn(await signIn(server, { email, password: PASSWORD }))).toHaveLength(1);
    const again = await add(server.acme, { email });
    expect(again).toMatchObject({ initialPassword: null, userErrors: [] });
    expect((await acme?.get('groups'))?.status).toBe(401);
  });

  it.each([
    [SET_ROLE, { role: 'VIEWER' }, 'userId'],
    [REMOVE, {}, 'userId'],
    [UPDATE, { input: { name: 'New' } }, 'id'],
    [change('userDisable'), {}, 'id'],
    [change('userEnable'), {}, 'id'],
    [change('userUnlock'), {}, 'id'],
  ])('AT-10 %s refuses users of another company as unknown', async (mutation, more, argument) => {
    const before = await membersOf(server.acme, { first: 100 });
    const attempt = (userId: number) =>
      changed(server.beta, mutation, { id: nodeId('User', userId), ...more });
    const answer = await attempt(server.acme.caller.userId);
    expect(answer).toEqual(await attempt(9e6));
    expect(answer.userErrors).toEqual([{ message: 'No such user.', path: [argument], code: 'NOT_FOUND' }]);
    expect(await membersOf(server.acme, { first: 100 })).toEqual(before);
  });
});

describe('userUpdate', () => {
  it('changes the name and time zone in this company only', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const input = { name: 'Ana Lima', timeZone: 'Asia/Tokyo' };
    const id = nodeId('User', user.id);
    expect(await changed(server.acme, UPDATE, { id, input })).toEqual({ user: input, userErrors: [] });
    const [acme, beta] = await Promise.all(
      [server.acme, server.beta].map(async ({ client }) =>
        (await client.get(`users/${user.id}`)).record('user'),
      ),
    );
    expect(acme).toMatchObject({ email, name: 'Ana Lima', time_zone: 'Asia/Tokyo' });
    expect(beta).toMatchObject({ email, name: 'Ana Souza', time_zone: 'UTC' });
    expect(await changed(server.acme, UPDATE, { id, input: { name: '' } })).toMatchObject({
      user: null,
      userErrors: [{ path: ['input', 'name'], code: 'INVALID' }],
    });
  });

  it('lets users change themselves, with a token for changes', async () => {
    const viewer = await server.member('acme', 'viewer');
    const input = { name: 'Of my own' };
    expect(await changed(viewer, UPDATE, { id: idOf(viewer), input })).toMatchObject({
      user: { name: 'Of my own' },
    });
    const variables = { id: idOf(server.acme), input };
    expect((await refused(viewer, UPDATE, variables)).code).toBe('FORBIDDEN');
    const reader = await server.member('acme', 'admin', ['read']);
    expect((await refused(reader, UPDATE, { id: idOf(reader), input })).code).toBe('FORBIDDEN');
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
    const unlock = await changed(server.acme, change('userUnlock'), { id: nodeId('User', user.id) });
    expect(unlock.userErrors).toEqual([]);
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(200);
  });

  it('AT-06 does not unlock a user of several companies, whose passwords could be guessed then', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    await lock(email);
    const unlock = await changed(server.acme, change('userUnlock'), { id: nodeId('User', user.id) });
    expect(unlock.userErrors).toMatchObject([{ path: ['id'], code: 'INVALID' }]);
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(401);
  });
});

describe('companyRename', () => {
  const RENAME = `mutation ($name: String!) { companyRename(name: $name) { company { name } ${ERRORS} } }`;

  it('renames the company of the caller', async () => {
    const { company } = await changed<{ company: Fields }>(server.beta, RENAME, { name: 'Beta Cartões' });
    expect(company).toEqual({ name: 'Beta Cartões' });
    const email = newEmail();
    const { initialPassword } = await add(server.beta, { email });
    const [entry] = tokensIn(await signIn(server, { email, password: initialPassword ?? '' }));
    expect(entry?.company_name).toBe('Beta Cartões');
    await changed(server.beta, RENAME, { name: 'Beta Cards' });
    const graphql = createGraphql(server.url, entry?.api_token ?? '');
    const { viewer } = await answered<{ viewer: Fields }>({ graphql }, '{ viewer { company { name } } }');
    expect(viewer).toEqual({ company: { name: 'Beta Cards' } });
  });

  it.each([
    ['Acme Pagamentos', 'TAKEN'],
    ['', 'INVALID'],
  ])('refuses "%s"', async (name, code) => {
    expect(await changed(server.beta, RENAME, { name })).toMatchObject({
      company: null,
      userErrors: [{ path: ['name'], code }],
    });
  });
});
