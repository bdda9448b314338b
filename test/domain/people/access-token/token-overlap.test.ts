import { describe, expect, it } from 'vitest';

import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { changed, nodeId, refused } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { useServer } from '../../../support/server.js';
import { type RenewedToken, type TokenCaller, tokenTools } from '../../../support/tokens.js';

const server = useServer();

const FIELDS = 'id databaseId kind name scopes lastFour expiresAt revokedAt replacedBy { id }';
const { callerWith, statusOf, ownTokens, tokenOf, inAnHour } = tokenTools(server, FIELDS);
const ERRORS = 'userErrors { message path code }';
const REVOKE = `mutation ($id: ID!) { apiTokenRevoke(id: $id) { apiToken { id } ${ERRORS} } }`;

const KEEP = `mutation ($id: ID!, $keepOldFor: Duration) {
  apiTokenRenew(id: $id, keepOldFor: $keepOldFor) { token apiToken { ${FIELDS} } ${ERRORS} } }`;

const renewKeeping = (caller: TokenCaller, id: number, keepOldFor: string): Promise<RenewedToken> =>
  changed<RenewedToken>(caller, KEEP, { id: nodeId('ApiToken', id), keepOldFor });

const statusesOf = (...tokens: (string | null)[]): Promise<number[]> =>
  Promise.all(tokens.map((token) => statusOf(token ?? '')));

describe('apiTokenRenew with keepOldFor', () => {
  it('lets the old token work beside the new one, and ends it exactly at the time', async () => {
    const member = await server.member('acme', 'operator', ['read', 'write']);
    const old = await tokenOf(member, ['read']);
    const from = server.clock.now().getTime() + DAY;
    const { token, apiToken } = await renewKeeping(member, old.id, '24h');
    const to = server.clock.now().getTime() + DAY;
    expect(apiToken).toMatchObject({ name: 'another', expiresAt: null, replacedBy: null });
    const kept = (await ownTokens(member)).find(({ databaseId }) => databaseId === old.id);
    expect(kept).toMatchObject({ revokedAt: null, replacedBy: { id: apiToken?.id } });
    const end = Date.parse(String(kept?.expiresAt));
    expect(end >= from && end <= to).toBe(true);
    server.clock.advance(DAY - MINUTE);
    expect(await statusesOf(old.secret, token)).toEqual([200, 200]);
    server.clock.advance(end - server.clock.now().getTime());
    expect(await statusesOf(old.secret, token)).toEqual([401, 200]);
    const entries = await ledgerOf(server, server.acme, 'access_token', old.id);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update']);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${old.secret}|${token}`));
  });

  it('does not let the old token outlive its expiry, which the new one keeps', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const expiresAt = inAnHour();
    const old = await tokenOf(member, ['read'], expiresAt);
    const { token, apiToken } = await renewKeeping(member, old.id, '30d');
    expect(apiToken?.expiresAt).toBe(expiresAt.toISOString());
    server.clock.advance(HOUR);
    expect(await statusesOf(old.secret, token)).toEqual([401, 401]);
  });

  it('has one old and one new token at a time, and ends the old one with the new one', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const first = await tokenOf(member, ['read']);
    const second = await renewKeeping(member, first.id, '7d');
    expect((await renewKeeping(member, first.id, '7d')).userErrors).toEqual([
      { message: 'was renewed already: renew the new token, or revoke it', path: ['id'], code: 'INVALID' },
    ]);
    const third = await renewKeeping(member, second.apiToken?.databaseId ?? 0, '7d');
    expect(await statusesOf(first.secret, second.token, third.token)).toEqual([401, 200, 200]);
    await changed(member, REVOKE, { id: third.apiToken?.id });
    expect(await statusesOf(second.token, third.token)).toEqual([401, 401]);
  });

  it('ends the old token at once where the new one is renewed without it', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const first = await tokenOf(member, ['read']);
    const second = await renewKeeping(member, first.id, '1h');
    const third = await renewKeeping(member, second.apiToken?.databaseId ?? 0, '0s');
    expect(await statusesOf(first.secret, second.token, third.token)).toEqual([401, 401, 200]);
  });

  it('makes one new token of two requests at the same time', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const old = await tokenOf(member, ['read']);
    const both = await Promise.all([1, 2].map(() => renewKeeping(member, old.id, '1h')));
    expect(both.map(({ token }) => token === null).toSorted()).toEqual([false, true]);
    expect(await ownTokens(member)).toHaveLength(3);
  });

  it('keeps the token of the token endpoint, which then returns the new one', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const read = async () => tokensIn(await signIn(server, { email, password: PASSWORD }))[0]?.api_token;
    const before = (await read()) ?? '';
    const [own] = await ownTokens(callerWith(before));
    const { token } = await renewKeeping(callerWith(before), own?.databaseId ?? 0, '15m');
    expect(await read()).toBe(token);
    expect(await statusesOf(before, token)).toEqual([200, 200]);
    server.clock.advance(15 * MINUTE);
    expect(await statusesOf(before, token)).toEqual([401, 200]);
    expect(await read()).toBe(token);
  });

  it.each(['31d', '721h', '999999d'])('refuses %s, and changes nothing', async (keepOldFor) => {
    const member = await server.member('acme', 'viewer', ['read']);
    const { token, userErrors } = await renewKeeping(member, member.caller.tokenId ?? 0, keepOldFor);
    expect(token).toBeNull();
    expect(userErrors).toMatchObject([{ message: 'must be at most 30 days', path: ['keepOldFor'] }]);
    expect(await ownTokens(member)).toHaveLength(1);
  });

  it.each(['1', '1w', '-1h', '1.5h', '', '10000000s'])(
    'refuses %j as no length of time',
    async (keepOldFor) => {
      const { status, body } = await server.acme.graphql(KEEP, { id: nodeId('ApiToken', 1), keepOldFor });
      expect([status, body.errors?.[0]?.message]).toEqual([
        400,
        expect.stringContaining('Duration must be a length of time such as 30s, 15m, 24h or 7d.'),
      ]);
    },
  );
});

const RENAME = `mutation ($id: ID!, $name: String!) {
  apiTokenUpdate(id: $id, input: { name: $name }) { apiToken { ${FIELDS} } ${ERRORS} } }`;

describe('apiTokenUpdate', () => {
  const rename = (caller: TokenCaller, id: number, name: string): Promise<RenewedToken> =>
    changed<RenewedToken>(caller, RENAME, { id: nodeId('ApiToken', id), name });

  it('gives a token another name, for its user and for administrators, and leaves its text', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const { id, secret } = await tokenOf(member, ['read']);
    expect((await rename(member, id, 'first')).apiToken).toMatchObject({ name: 'first' });
    expect((await rename(server.acme, id, 'second')).apiToken).toMatchObject({ name: 'second' });
    await rename(server.acme, id, 'second');
    expect(await statusOf(secret)).toBe(200);
    const entries = await ledgerOf(server, server.acme, 'access_token', id);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'update']);
  });

  it('refuses others, wider tokens, bad names and tokens without a name', async () => {
    const member = await server.member('acme', 'viewer', ['read']);
    const other = await server.member('acme', 'operator');
    const narrow = await server.member('acme', 'viewer', ['ingest']);
    const own = member.caller.tokenId ?? 0;
    for (const caller of [other, server.beta]) {
      expect((await rename(caller, own, 'mine')).userErrors).toEqual([
        { message: 'No such access token.', path: ['id'], code: 'NOT_FOUND' },
      ]);
    }
    const { id } = await tokenOf(narrow, ['read']);
    expect((await refused(narrow, RENAME, { id: nodeId('ApiToken', id), name: 'x' })).code).toBe('FORBIDDEN');
    expect((await rename(member, own, '')).userErrors).toMatchObject([{ path: ['input', 'name'] }]);
    const { email } = await addPerson(server, { acme: 'viewer' });
    const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const derived = callerWith(entry?.api_token ?? '');
    const [token] = await ownTokens(derived);
    expect((await rename(derived, token?.databaseId ?? 0, 'named')).userErrors).toEqual([
      { message: 'has no name: it was created by signing in', path: ['id'], code: 'INVALID' },
    ]);
  });
});
