import { describe, expect, it } from 'vitest';

import { createNamedToken } from '../../../../src/domain/people/access-token/access-token.service.js';
import type { Role, Scope } from '../../../../src/platform/caller.js';
import { HOUR } from '../../../../src/platform/clock.js';
import {
  answered,
  changed,
  nodeId,
  refused,
  type Page,
  type UserErrorShape,
} from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { createGraphql, type Graphql } from '../../../support/graphql.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { SYSTEM, useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();

const FIELDS = 'id databaseId kind name scopes lastFour expiresAt revokedAt user { databaseId }';
const ERRORS = 'userErrors { message path code }';
const RENEW = `mutation ($id: ID!) { apiTokenRenew(id: $id) { token apiToken { ${FIELDS} } ${ERRORS} } }`;
const REVOKE = `mutation ($id: ID!) { apiTokenRevoke(id: $id) { apiToken { ${FIELDS} } ${ERRORS} } }`;
const OWN = `{ viewer { apiTokens(first: 100) { totalCount nodes { ${FIELDS} } } } }`;

interface Token extends Fields {
  readonly id: string;
  readonly databaseId: number;
}

interface Renewed {
  readonly token: string | null;
  readonly apiToken: Token | null;
  readonly userErrors: readonly UserErrorShape[];
}

interface Caller {
  readonly graphql: Graphql;
}

const callerWith = (token: string): Caller => ({ graphql: createGraphql(server.url, token) });

async function statusOf(token: string): Promise<number> {
  return (await createGraphql(server.url, token)('{ viewer { role } }')).status;
}

async function ownTokens(caller: Caller): Promise<readonly Token[]> {
  const { viewer } = await answered<{ viewer: { apiTokens: Page<Token> } }>(caller, OWN);
  return viewer.apiTokens.nodes;
}

const renew = (caller: Caller, id: number): Promise<Renewed> =>
  changed<Renewed>(caller, RENEW, { id: nodeId('ApiToken', id) });

/** A further token of a member. */
async function tokenOf(
  { caller: { companyId, userId } }: Member,
  scopes: readonly Scope[],
  expiresAt: Date | null = null,
): Promise<{ readonly id: number; readonly secret: string }> {
  const { token, secret } = await server.app.units.systemWrite(SYSTEM, (work) =>
    createNamedToken(work, { companyId, userId }, { name: 'another', scopes, expiresAt }),
  );
  return { id: token.id, secret };
}

const inAnHour = (): Date => new Date(server.clock.now().getTime() + HOUR);

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
    const { token } = await changed<Renewed>(
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

  it('renews the token of the request itself', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const { token } = await renew(member, member.caller.tokenId ?? 0);
    expect([await statusOf(member.token), await statusOf(token ?? '')]).toEqual([401, 200]);
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

  it('takes no Idempotency-Key: its response shows a secret', async () => {
    const id = nodeId('ApiToken', server.acme.caller.tokenId ?? 0);
    const { body } = await server.acme.graphql(RENEW, { id }, { headers: { 'idempotency-key': 'k' } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(await statusOf(server.acme.token)).toBe(200);
  });
});
