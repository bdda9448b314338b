import { describe, expect, it } from 'vitest';

import { createNamedToken } from '../../../../src/domain/people/access-token/access-token.service.js';
import { HOUR } from '../../../../src/platform/clock.js';
import type { Role, Scope } from '../../../../src/platform/requests.js';
import { answered, changed, nodeId, type Page, refused } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { createGraphql } from '../../../support/graphql.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { type Fields, SYSTEM, useServer } from '../../../support/server.js';
import { type RenewedToken, type Token, type TokenCaller, tokenTools } from '../../../support/tokens.js';

const server = useServer();

const FIELDS =
  'id databaseId kind name scopes lastFour createdAt lastUsedAt expiresAt revokedAt user { databaseId }';
const { callerWith, statusOf, ownTokens, tokenOf, inAnHour } = tokenTools(server, FIELDS);
const ERRORS = 'userErrors { message path code }';
const CREATE = `mutation ($input: ApiTokenCreateInput!) {
  apiTokenCreate(input: $input) { apiToken { ${FIELDS} } token ${ERRORS} } }`;
const REVOKE = `mutation ($id: ID!) { apiTokenRevoke(id: $id) { apiToken { ${FIELDS} } ${ERRORS} } }`;
const create = async (input: Fields) =>
  await changed<{ apiToken: Token; token: string; userErrors: Fields[] }>(server.acme, CREATE, { input });

describe('an API token in GraphQL', () => {
  it('is found by its state, exactly at its end as well', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + HOUR);
    const states = async (id: string): Promise<string[]> => {
      const query =
        'query ($in: [ApiTokenState!]) { apiTokens(first: 100, filter: { state: { in: $in } }) { nodes { id } } }';
      const all = ['VALID', 'EXPIRED', 'REVOKED'];
      const found = await Promise.all(
        all.map(
          async (state) =>
            await answered<{ apiTokens: { nodes: { id: string }[] } }>(server.acme, query, { in: [state] }),
        ),
      );
      return all.filter((_state, index) => found[index]?.apiTokens.nodes.some((token) => token.id === id));
    };
    const { id } = (await create({ name: 'ends', scopes: ['READ'], expiresAt })).apiToken;
    expect(await states(id)).toEqual(['VALID']);
    server.clock.advance(HOUR);
    expect(await states(id)).toEqual(['EXPIRED']);
    await changed(server.acme, REVOKE, { id });
    expect(await states(id)).toEqual(['REVOKED']);
  });

  it('is shown once, works with its scopes, and stops working when it is revoked', async () => {
    const { apiToken, token } = await create({ name: 'dashboard', scopes: ['READ'] });
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    expect(apiToken).toMatchObject({
      kind: 'NAMED',
      name: 'dashboard',
      scopes: ['READ'],
      lastFour: token.slice(-4),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      user: { databaseId: server.acme.caller.userId },
    });
    const graphql = createGraphql(server.url, token);
    expect(await answered({ graphql }, '{ groups { totalCount } }')).toEqual({ groups: { totalCount: 0 } });
    const write = 'mutation { groupCreate(input: { name: "x" }) { group { id } } }';
    expect((await refused({ graphql }, write)).code).toBe('FORBIDDEN');

    const revoked = await changed<{ apiToken: Token }>(server.acme, REVOKE, { id: apiToken.id });
    expect(revoked.apiToken.revokedAt).not.toBeNull();
    expect((await graphql('{ groups { totalCount } }')).status).toBe(401);
    const again = await changed<{ apiToken: Token }>(server.acme, REVOKE, { id: apiToken.id });
    expect(again.apiToken.revokedAt).toBe(revoked.apiToken.revokedAt);
    const entries = await ledgerOf(server, server.acme, 'access_token', apiToken.databaseId);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'revoke']);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it.each([
    ['no name', { name: '', scopes: ['READ'] }, 'name'],
    ['no rights', { name: 'n', scopes: [] }, 'scopes'],
    ['an end in the past', { name: 'n', scopes: ['READ'], expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
  ])('is refused with %s', async (_case, input, field) => {
    expect(await create(input)).toMatchObject({
      apiToken: null,
      token: null,
      userErrors: [{ path: ['input', field], code: 'INVALID' }],
    });
  });

  it('cannot have a scope that the caller does not have', async () => {
    const partial = await server.member('acme', 'admin', ['admin', 'read']);
    const input = { name: 'wider', scopes: ['READ', 'WRITE', 'INGEST'] };
    expect(await changed(partial, CREATE, { input })).toMatchObject({
      apiToken: null,
      userErrors: [
        {
          message: 'must be scopes that you have: not write, ingest',
          path: ['input', 'scopes'],
          code: 'INVALID',
        },
      ],
    });
    expect(await changed(partial, CREATE, { input: { ...input, scopes: ['READ'] } })).toMatchObject({
      userErrors: [],
    });
  });

  it('is listed for administrators without its text', async () => {
    const { token } = await create({ name: 'listed', scopes: ['READ'] });
    const { apiTokens } = await answered<{ apiTokens: Page<Token> }>(
      server.acme,
      `{ apiTokens(orderBy: { field: CREATED_AT, direction: DESC }) { totalCount nodes { ${FIELDS} } } }`,
    );
    expect(apiTokens.totalCount).toBe(apiTokens.nodes.length);
    expect(apiTokens.nodes[0]).toMatchObject({ name: 'listed' });
    expect(JSON.stringify(apiTokens)).not.toContain(token);
    const userId = nodeId('User', server.acme.caller.userId);
    const own = await answered<{ apiTokens: Page<Token> }>(
      server.acme,
      'query ($userId: ID!) { apiTokens(filter: { userId: { eq: $userId } }) { totalCount } }',
      { userId },
    );
    expect(own.apiTokens.totalCount).toBeLessThan(apiTokens.totalCount);
    const operator = await server.member('acme', 'operator');
    const look = 'query ($id: ID!) { node(id: $id) { id } }';
    expect((await refused(operator, look, { id: apiTokens.nodes[0]?.id })).code).toBe('FORBIDDEN');
  });
});

const RENEW = `mutation ($id: ID!) { apiTokenRenew(id: $id) { token apiToken { ${FIELDS} } ${ERRORS} } }`;

const renew = (caller: TokenCaller, id: number): Promise<RenewedToken> =>
  changed<RenewedToken>(caller, RENEW, { id: nodeId('ApiToken', id) });

describe('viewer.apiTokens', () => {
  it.each<[Role, readonly Scope[]]>([
    ['viewer', ['read']],
    ['operator', ['read', 'write']],
    ['admin', ['read']],
  ])('shows a %s with %j their own tokens and nobody else’s, without texts', async (role, scopes) => {
    const member = await server.member('acme', role, scopes);
    const more = await tokenOf(member, ['ingest'], inAnHour());
    const tokens = await ownTokens(member);
    expect(tokens.map(({ databaseId }) => databaseId)).toEqual([member.caller.tokenId, more.id]);
    expect(tokens.every(({ user }) => (user as Fields).databaseId === member.caller.userId)).toBe(true);
    expect(JSON.stringify(tokens)).not.toContain(more.secret);
    const page = '{ viewer { apiTokens(first: 1) { totalCount nodes { id } pageInfo { hasNextPage } } } }';
    expect(await answered(member, page)).toMatchObject({
      viewer: { apiTokens: { totalCount: 2, pageInfo: { hasNextPage: true } } },
    });
  });

  it('is there for a token that can read nothing else, which can renew itself', async () => {
    const member = await server.member('acme', 'operator', ['ingest']);
    const own = '{ viewer { apiTokens { nodes { databaseId scopes } } } }';
    expect(await answered(member, own)).toEqual({
      viewer: { apiTokens: { nodes: [{ databaseId: member.caller.tokenId, scopes: ['INGEST'] }] } },
    });
    const { token } = await changed<RenewedToken>(
      member,
      `mutation ($id: ID!) { apiTokenRenew(id: $id) { token ${ERRORS} } }`,
      { id: nodeId('ApiToken', member.caller.tokenId ?? 0) },
    );
    expect([await statusOf(member.token), await statusOf(token ?? '')]).toEqual([401, 200]);
  });
});

describe('apiTokenRenew', () => {
  it('replaces a named token: same name, scopes and expiry; the old one ends at once', async () => {
    const member = await server.member('acme', 'operator', ['read', 'write']);
    const old = await tokenOf(member, ['read'], inAnHour());
    const { token, apiToken, userErrors } = await renew(member, old.id);
    expect(userErrors).toEqual([]);
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    expect(apiToken).toMatchObject({
      kind: 'NAMED',
      name: 'another',
      scopes: ['READ'],
      lastFour: token?.slice(-4),
      revokedAt: null,
      expiresAt: expect.any(String) as string,
    });
    expect(apiToken?.databaseId).not.toBe(old.id);
    expect([await statusOf(old.secret), await statusOf(token ?? '')]).toEqual([401, 200]);
    const entries = [
      ...(await ledgerOf(server, server.acme, 'access_token', old.id)),
      ...(await ledgerOf(server, server.acme, 'access_token', apiToken?.databaseId ?? 0)),
    ];
    expect(entries.map(({ action }) => action)).toEqual(['create', 'revoke', 'create']);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it('contract 25: draws the token of the token endpoint anew, which then returns the new one', async () => {
    const { email } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const before = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const [acme, beta] = before.map((entry) => entry.api_token) as [string, string];
    const [own] = await ownTokens(callerWith(acme));
    const { token, apiToken } = await renew(callerWith(acme), own?.databaseId ?? 0);
    expect(apiToken).toMatchObject({ kind: 'DERIVED', name: null });
    expect([await statusOf(acme), await statusOf(token ?? ''), await statusOf(beta)]).toEqual([
      401, 200, 200,
    ]);
    const after = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(after.map((entry) => entry.api_token)).toEqual([token, beta]);
  });

  it('AT-37 gives no scope that the token of the request does not have', async () => {
    const member = await server.member('acme', 'admin', ['read', 'write', 'admin']);
    const reader = await tokenOf(member, ['read']);
    const wider = await tokenOf(member, ['read', 'ingest']);
    const all = member.caller.tokenId ?? 0;
    for (const [caller, id] of [
      [callerWith(reader.secret), all],
      [callerWith(reader.secret), wider.id],
      [member, wider.id],
    ] as const) {
      const { code, message } = await refused(caller, RENEW, { id: nodeId('ApiToken', id) });
      expect([code, message]).toEqual([
        'FORBIDDEN',
        expect.stringContaining('scopes that yours does not have'),
      ]);
    }
    const revoke = await refused(callerWith(reader.secret), REVOKE, { id: nodeId('ApiToken', all) });
    expect(revoke.code).toBe('FORBIDDEN');
    for (const secret of [member.token, reader.secret, wider.secret])
      expect(await statusOf(secret)).toBe(200);
  });

  it('AT-37 counts the scopes of the token, not of the role: a later promotion gives nothing', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const derived = callerWith(entry?.api_token ?? '');
    const [own] = await ownTokens(derived);
    const { companyId } = server.acme.caller;
    const userId = Number((own?.user as Fields).databaseId);
    const { secret } = await server.app.units.systemWrite(SYSTEM, (work) =>
      createNamedToken(work, { companyId, userId }, { name: 'reader', scopes: ['read'] }),
    );
    const { code } = await refused(callerWith(secret), RENEW, { id: own?.id });
    expect(code).toBe('FORBIDDEN');
  });

  it('AT-37 gives no token that outlives the token of the request', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const short = await tokenOf(member, ['read'], inAnHour());
    const { code } = await refused(callerWith(short.secret), RENEW, {
      id: nodeId('ApiToken', member.caller.tokenId ?? 0),
    });
    expect(code).toBe('FORBIDDEN');
    expect((await renew(callerWith(short.secret), short.id)).userErrors).toEqual([]);
  });

  it('lets administrators renew and revoke the tokens of others, and nobody else', async () => {
    const owner = await server.member('acme', 'viewer', ['read']);
    const id = owner.caller.tokenId ?? 0;
    const operator = await server.member('acme', 'operator');
    for (const mutation of [RENEW, REVOKE]) {
      const payload = await changed(operator, mutation, { id: nodeId('ApiToken', id) });
      expect(payload.userErrors).toEqual([
        { message: 'No such access token.', path: ['id'], code: 'NOT_FOUND' },
      ]);
    }
    const { token, apiToken } = await renew(server.acme, id);
    expect(apiToken?.user).toEqual({ databaseId: owner.caller.userId });
    expect([await statusOf(owner.token), await statusOf(token ?? '')]).toEqual([401, 200]);
    await changed(server.acme, REVOKE, { id: apiToken?.id });
    expect(await statusOf(token ?? '')).toBe(401);
  });

  it('lets users revoke their own tokens', async () => {
    const owner = await server.member('acme', 'viewer', ['read']);
    const other = await tokenOf(owner, ['read']);
    const { userErrors } = await changed(owner, REVOKE, { id: nodeId('ApiToken', other.id) });
    expect([userErrors, await statusOf(other.secret), await statusOf(owner.token)]).toEqual([[], 401, 200]);
  });

  it('refuses a token that is revoked, has expired or is of another company', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const revoked = await tokenOf(member, ['read']);
    await changed(member, REVOKE, { id: nodeId('ApiToken', revoked.id) });
    const expired = await tokenOf(member, ['read'], inAnHour());
    server.clock.advance(2 * HOUR);
    for (const { id } of [revoked, expired]) {
      expect(await renew(member, id)).toMatchObject({
        token: null,
        apiToken: null,
        userErrors: [{ path: ['id'], code: 'INVALID' }],
      });
    }
    const foreign = await renew(server.beta, member.caller.tokenId ?? 0);
    expect(foreign).toEqual(await renew(server.beta, 9e6));
    expect(foreign.userErrors).toMatchObject([{ path: ['id'], code: 'NOT_FOUND' }]);
    expect(await statusOf(member.token)).toBe(200);
  });
});
