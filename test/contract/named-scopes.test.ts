import { beforeAll, describe, expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { changed, refused } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { createGraphql } from '../support/graphql.js';
import { OTHERS } from '../support/openapi-check.js';
import { addPerson, signIn, tokensIn } from '../support/people.js';
import { useServer } from '../support/server.js';

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
const CREATE = `mutation ($input: ApiTokenCreateInput!) {
  apiTokenCreate(input: $input) { token userErrors { message code } } }`;

const server = useServer();
let token: string;
beforeAll(async () => {
  const number = await fleet.logicalNumber(server.acme.client, '100');
  await fleet.device(server.acme.client, 'T-1', { logical_number_id: number });
  const { email } = await addPerson(server, { acme: 'admin' });
  const password = 'correct horse battery staple';
  token = tokensIn(await signIn(server, { email, password }))[0]?.api_token ?? '';
});

/** Status and code of a call below /terminal/v1 for the terminal T-1. */
async function callAs(secret: string, call: string): Promise<string> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { 'X-Serial-Number': 'T-1', Authorization: `Bearer ${secret}` };
  const url = path.replace(/\{[^}]+\}/, 'acme_sale.posxml');
  const reply = await server.anonymous.request(method, url, undefined, { headers });
  return `${reply.status} ${String(reply.body.code)}`;
}

const member = () => ({ client: createClient(server.url, token), graphql: createGraphql(server.url, token) });

describe('RU-52 the token of an administrator who has signed in', () => {
  it.each(CALLS)('does not open %s', async (call) => {
    expect(await callAs(token, call)).toBe('403 forbidden');
  });

  it('does not open /ingest/v1', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const { client } = member();
    const reply = await client.request('POST', '/ingest/v1/transactions', '{}\n', { headers });
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
  });

  it.each(MUTATIONS)('does not allow the mutation %s', async (mutation) => {
    const { code } = await refused(member(), `mutation { ${mutation} }`, {});
    expect(code).toBe('FORBIDDEN');
  });

  it('does not show these scopes, and can make tokens that name them', async () => {
    const { body } = await member().graphql('{ viewer { scopes } }');
    expect(body.data).toEqual({ viewer: { scopes: ['READ', 'WRITE', 'ADMIN'] } });
    for (const scope of ['INGEST', 'TERMINALS']) {
      const input = { name: scope, scopes: [scope] };
      const made = await changed<{ token: string; userErrors: unknown[] }>(member(), CREATE, { input });
      expect(made.userErrors).toEqual([]);
      const answer = await callAs(made.token, 'GET /terminal/v1/manifest');
      expect(answer).toBe(scope === 'TERMINALS' ? '200 undefined' : '403 forbidden');
    }
  });
});
