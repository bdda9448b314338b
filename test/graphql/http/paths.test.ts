import { expect, it } from 'vitest';

import { useServer } from '../../support/server.js';

const server = useServer({ rateLimitPerHour: 10_000, allowedOrigins: ['https://shop.example'] });

const JSON_TYPE = { 'content-type': 'application/json' };
const QUERY = JSON.stringify({ query: '{ viewer { role } groups { totalCount } }' });
/** Some tell the time, and the connection is closed where part of the body had not arrived. */
const DIFFERENT = /^(date|connection|keep-alive|x-rate-limit-remaining|x-rate-limit-reset)$/;

/** The router finds /graphql/ only: requests to /graphql do not pass it. */
it.each<[string, Record<string, string>, string]>([
  ['a query', JSON_TYPE, QUERY],
  ['a query of an allowed origin', { ...JSON_TYPE, origin: 'https://shop.example' }, QUERY],
  ['a query of another origin', { ...JSON_TYPE, origin: 'https://other.example' }, QUERY],
  ['a mutation', JSON_TYPE, JSON.stringify({ query: 'mutation { groupDelete(id: "x") { deletedId } }' })],
  ['an unknown field', JSON_TYPE, JSON.stringify({ query: '{ nothing }' })],
  ['no JSON', JSON_TYPE, '{'],
  ['a batch', JSON_TYPE, '[]'],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'query={viewer{role}}'],
  ['another type', { 'content-type': 'text/plain' }, QUERY],
  ['a type that is not offered', { ...JSON_TYPE, accept: 'text/html' }, QUERY],
  ['an invalid Idempotency-Key', { ...JSON_TYPE, 'idempotency-key': 'a b' }, QUERY],
  ['a reserved stream', { ...JSON_TYPE, 'x-graphql-event-stream-token': 'x' }, QUERY],
])('answers %s like the path without it', async (_what, headers, body) => {
  for (const token of [server.acme.token, 'nonsense', null]) {
    const access = token === null ? {} : { authorization: `Bearer ${token}` };
    const options = { headers: { ...headers, ...access, 'x-request-id': 'same' } };
    const shown = async (path: string) => {
      const { status, text, headers: got } = await server.anonymous.post(path, body, options);
      return { status, text, headers: [...got].filter(([name]) => !DIFFERENT.test(name)) };
    };
    expect(await shown('/graphql/')).toEqual(await shown('/graphql'));
  }
});
