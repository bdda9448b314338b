import { beforeAll, describe, expect, it } from 'vitest';

import { ROLES, SCOPES, type Role, type Scope } from '../../src/platform/requests.js';
import { createClient } from '../support/client.js';
import { signedIn } from '../support/console.js';
import { changed, refused } from '../support/dashboard.js';
import { createGraphql } from '../support/graphql.js';
import { OTHERS, ROUTES } from '../support/openapi-check.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../support/people.js';
import { useServer, type Reply, type Member } from '../support/server.js';
import { newTerminal } from '../support/terminals.js';

/** Scopes of routes, written a second time, but for `read` of GET and `write` of other methods. */
const OTHER_SCOPES: Readonly<Record<string, Scope>> = {
  'GET /users': 'admin',
  'GET /users/{user_id}': 'admin',
};
const scopeOf = (method: string, path: string): Scope =>
  OTHER_SCOPES[`${method} ${path}`] ?? (method === 'GET' ? 'read' : 'write');
const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  operator: ['read', 'write', 'ingest', 'terminals'],
  admin: ['read', 'write', 'ingest', 'admin', 'terminals'],
};
const OPEN = ['POST /users/token'];

const server = useServer();

/** A request for records that do not exist with an empty body: it has no effect, even if it is allowed. */
async function attempt(member: Pick<Member, 'client'>, method: string, path: string): Promise<Reply> {
  return await member.client.request(method, path.slice(1).replace(/\{[^}]+\}/g, '987654321'), {});
}

const guarded = ROUTES.filter((route) => !OPEN.includes(`${route.method} ${route.path}`));
const scopeSets: readonly (readonly Scope[])[] = [...SCOPES.map((scope) => [scope]), SCOPES];
const tokens = ROLES.flatMap((role) => scopeSets.map((scopes) => ({ role, scopes })));

describe('AT-15 roles and scopes', () => {
  it.each(tokens)(
    'a $role with the scopes $scopes may do what role and scopes both allow',
    async ({ role, scopes }) => {
      const member = await server.member('acme', role, scopes);
      for (const { method, path } of guarded) {
        const needed = scopeOf(method, path);
        const allowed = ROLE_SCOPES[role].includes(needed) && scopes.includes(needed);
        const reply = await attempt(member, method, path);
        const what = `${method} ${path}: ${reply.text}`;
        if (allowed) expect([401, 403], what).not.toContain(reply.status);
        else expect([reply.status, reply.body.code], what).toEqual([403, 'forbidden']);
      }
    },
  );

  it('every other route needs a token', async () => {
    for (const { method, path } of guarded) {
      const reply = await attempt({ client: server.anonymous }, method, path);
      expect(
        [reply.status, reply.body.code, reply.headers.get('www-authenticate')],
        `${method} ${path}`,
      ).toEqual([401, 'unauthenticated', 'Bearer']);
    }
  });
});

const CALLS = OTHERS.filter(({ scope }) => scope === 'terminals').map(
  ({ method, path }) => `${method} ${path}`,
);
const MUTATIONS = [
  'deviceReport(serialNumber: "T-1", input: {}) { userErrors { code } }',
  'transactionBulkRecord(inputs: []) { count }',
  'transactionFinish(id: "x", input: { status: SUCCESS }) { userErrors { code } }',
  `transactionRecord(input: { transactionType: SWITCH, serialNumber: "T-1", logicalNumber: "100", appName: "a",
    status: SUCCESS, startedAt: "2026-01-05T12:00:00Z" }) { repeated }`,
];
const CREATE = 'mutation ($input: ApiTokenCreateInput!) { apiTokenCreate(input: $input) { token } }';

describe('RU-52 the token of an administrator who has signed in', () => {
  let token: string;
  let member: Pick<Member, 'client' | 'graphql'>;
  beforeAll(async () => {
    await newTerminal(server.acme, 'T-1');
    const { email } = await addPerson(server, { acme: 'admin' });
    token = tokensIn(await signIn(server, { email, password: PASSWORD }))[0]?.api_token ?? '';
    member = { client: createClient(server.url, token), graphql: createGraphql(server.url, token) };
  });

  /** Status and code of a call below /terminal/v1 for the terminal T-1. */
  async function callAs(secret: string, call: string): Promise<string> {
    const [method = '', path = ''] = call.split(' ');
    const headers = { 'X-Serial-Number': 'T-1', Authorization: `Bearer ${secret}` };
    const url = path.replace(/\{[^}]+\}/, 'acme_sale.posxml');
    const reply = await server.anonymous.request(method, url, undefined, { headers });
    return `${reply.status} ${String(reply.body.code)}`;
  }

  it.each(CALLS)('does not open %s', async (call) => {
    expect(await callAs(token, call)).toBe('403 forbidden');
  });

  it('does not open /ingest/v1', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const reply = await member.client.post('/ingest/v1/transactions', '{}\n', { headers });
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
  });

  it.each(MUTATIONS)('does not allow the mutation %s', async (mutation) => {
    expect((await refused(member, `mutation { ${mutation} }`)).code).toBe('FORBIDDEN');
  });

  it('does not show these scopes, and can make tokens that name them', async () => {
    const { body } = await member.graphql('{ viewer { scopes } }');
    expect(body.data).toEqual({ viewer: { scopes: ['READ', 'WRITE', 'ADMIN'] } });
    for (const [scope, answer] of [
      ['INGEST', '403 forbidden'],
      ['TERMINALS', '200 undefined'],
    ] as const) {
      const made = await changed<{ token: string }>(member, CREATE, {
        input: { name: scope, scopes: [scope] },
      });
      expect(await callAs(made.token, 'GET /terminal/v1/manifest')).toBe(answer);
    }
  });
});

describe('API tokens of a session', () => {
  const CREATE = `mutation ($scopes: [Scope!]!) { apiTokenCreate(input: { name: "back office", scopes: $scopes }) {
    token userErrors { code path } } }`;

  it('are made by every role, with its own scopes only; a token makes none without ADMIN', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const browser = await signedIn(server.url, email);
    const refused = await browser.graphql(CREATE, { scopes: ['READ', 'WRITE'] });
    expect(refused.body.data).toMatchObject({
      apiTokenCreate: { token: null, userErrors: [{ code: 'INVALID', path: ['input', 'scopes'] }] },
    });
    const made = await browser.graphql(CREATE, { scopes: ['READ'] });
    const { token } = made.body.data.apiTokenCreate as { token: string };
    const withToken = createGraphql(server.url, token);
    expect((await withToken('{ viewer { role } }')).body.data).toEqual({ viewer: { role: 'VIEWER' } });
    const { errors } = (await withToken(CREATE, { scopes: ['READ'] })).body;
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  });
});
