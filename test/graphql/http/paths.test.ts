import { expect, it } from 'vitest';

import { createClient } from '../../support/client.js';
import { useServer } from '../../support/use-server.js';

const server = useServer({ rateLimitPerHour: 10_000, allowedOrigins: ['https://shop.example'] });

const JSON_TYPE = { 'content-type': 'application/json' };
const QUERY = JSON.stringify({ query: '{ viewer { role } groups { totalCount } }' });
/** Some tell the time, and the connection is closed where part of the body had not arrived. */
const DIFFERENT = new Set([
  'date',
  'connection',
  'keep-alive',
  'x-rate-limit-remaining',
  'x-rate-limit-reset',
]);

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
])('answers %s the same, however the path ends', async (_what, headers, body) => {
  for (const token of [server.acme.token, 'nonsense', null]) {
    const client = createClient(server.url, null);
    const more = token === null ? {} : { authorization: `Bearer ${token}` };
    const replies = [];
    for (const path of ['/graphql', '/graphql/']) {
      const reply = await client.post(path, body, {
        headers: { ...headers, ...more, 'x-request-id': 'same' },
      });
      const shown = [...reply.headers].filter(([name]) => !DIFFERENT.has(name));
      replies.push({ status: reply.status, text: reply.text, headers: Object.fromEntries(shown) });
    }
    expect(replies[0]).toEqual(replies[1]);
  }
});
