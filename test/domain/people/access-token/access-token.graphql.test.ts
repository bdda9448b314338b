import { describe, expect, it } from 'vitest';

import { answered, changed, nodeId, refused, type Page } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { createGraphql } from '../../../support/graphql.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

interface Token extends Fields {
  readonly id: string;
  readonly databaseId: number;
  readonly lastFour: string;
}

const FIELDS =
  'id databaseId kind name scopes lastFour createdAt lastUsedAt expiresAt revokedAt user { databaseId }';
const CREATE = `mutation ($input: ApiTokenCreateInput!) {
  apiTokenCreate(input: $input) { apiToken { ${FIELDS} } token userErrors { message path code } } }`;
const REVOKE = `mutation ($id: ID!) {
  apiTokenRevoke(id: $id) { apiToken { ${FIELDS} } userErrors { message path code } } }`;
const create = async (input: Fields) =>
  await changed<{ apiToken: Token; token: string; userErrors: Fields[] }>(server.acme, CREATE, { input });

describe('an API token in GraphQL', () => {
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

  it('AT-10 of another company is reported as not found and is not changed', async () => {
    const { apiToken, token } = await create({ name: 'foreign', scopes: ['READ'] });
    const foreign = await changed(server.beta, REVOKE, { id: apiToken.id });
    expect(foreign).toEqual(await changed(server.beta, REVOKE, { id: nodeId('ApiToken', 9e6) }));
    expect(foreign.userErrors).toMatchObject([{ path: ['id'], code: 'NOT_FOUND' }]);
    const look = 'query ($id: ID!) { apiToken(id: $id) { name } node(id: $id) { id } }';
    expect(await answered(server.beta, look, { id: apiToken.id })).toEqual({ apiToken: null, node: null });
    expect((await createGraphql(server.url, token)('{ groups { totalCount } }')).status).toBe(200);
  });
});
