import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { createSchema } from '../../../src/app/graphql/schema.js';
import { createRandom } from '../../../src/platform/random.js';
import { useScratchFolder } from '../machine.js';
import { runCampaign } from './campaign.js';
import { leaks, problemsOf, type Problem } from './checks.js';
import type { Sender } from './companies.js';
import type { Known } from './records.js';
import { bytesOf, repeatCommand, type Attempt } from './requests/attempt.js';
import { GraphqlRequests } from './requests/graphql-requests.js';
import { withOddHttp } from './requests/http-oddities.js';
import { RestRequests } from './requests/rest-requests.js';
import { OddValues } from './requests/values.js';
import type { Answer } from './wire.js';

const SEED = 1;
/** `npm run campaign` goes on for minutes. */
const BURSTS = 6;

let folder: string;
useScratchFolder((scratch) => ({ folder } = scratch));

describe('CF-60 mutated requests over every route, document and transport', () => {
  it('have no finding, and of each surface some succeed', async () => {
    const file = join(folder, 'gateway.db');
    const { findings, responses } = await runCampaign({ file, seed: SEED, bursts: BURSTS });
    const shown = findings.map(({ attempt, kind, detail }) => [
      kind,
      detail,
      attempt === null ? '' : repeatCommand(attempt),
    ]);
    expect(shown).toEqual([]);
    for (const [surface, counts] of Object.entries(responses)) {
      expect([surface, (counts['2xx'] ?? 0) > 0]).toEqual([surface, true]);
    }
  });
});

const TYPES =
  'Group File App AppVersion LogicalNumber Device Parameter Metacontent Notification Transaction User Company ApiToken LedgerEntry';
const KNOWN: Known = {
  ids: Object.fromEntries(TYPES.split(' ').map((type, index) => [type, [index + 1]])),
  names: { group_name: ['g'], logical_number: ['n'], serial_number: ['s'], app_name: ['a'] },
};
const ACME: Sender = { label: 'acme admin', company: 0, token: 'a'.repeat(40) };

it('the requests of a campaign reach every route and every root field, over every transport', async () => {
  const schema = await createSchema();
  const random = createRandom(SEED);
  const odd = new OddValues(random, () => [1, 2, 3]);
  const rest = new RestRequests(random, odd, () => KNOWN);
  const graphql = new GraphqlRequests(schema, random, odd, () => KNOWN);
  const attempts = Array.from({ length: 4_000 }, (_, n) =>
    withOddHttp(random, (n % 2 === 0 ? rest : graphql).next(ACME)),
  );
  const sent = attempts.map((attempt) => bytesOf(attempt).toString());
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  const missing = fields.filter((name) => !sent.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  expect(missing).toEqual([]);
  const { ROUTES } = await import('../../support/openapi-check.js');
  const unsent = ROUTES.filter(({ method, path }) => {
    const pattern = new RegExp(`^/v1${path.replace(/\{[^}]+\}/g, '[^/]*')}$`);
    return !attempts.some((attempt) => attempt.method === method && pattern.test(attempt.path));
  });
  expect(unsent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  const types = ['multipart/form-data', 'x-www-form-urlencoded', 'text/event-stream'];
  const missed = [...types, 'persistedQuery', '[{"query"'].filter(
    (part) => !sent.some((text) => text.includes(part)),
  );
  expect(missed).toEqual([]);
  const deliveries = new Set(attempts.map(({ delivery }) => delivery));
  expect(deliveries).toEqual(new Set(['whole', 'slow', 'cut', 'reset', 'twice']));
});

const ATTEMPT: Attempt = {
  surface: 'REST',
  sender: ACME,
  method: 'GET',
  path: '/v1/groups',
  query: [],
  headers: [],
  body: null,
  delivery: 'whole',
};
const OPERATION: Attempt = { ...ATTEMPT, surface: 'GraphQL', method: 'POST', path: '/graphql' };
const SECRET = 'c'.repeat(40);
const CARD = '4111111111111111';
const EMPTY = '"pagination":{"page":1,"total_pages":1,"entries":0,"total_entries":0}';

describe('what a campaign finds', () => {
  const answer = (status: number, body: string, type = 'application/json'): Answer => ({
    status,
    body: Buffer.from(body),
    headers: new Map([['content-type', type]]),
  });
  const kindsOf = (attempt: Attempt, ...answers: Answer[]): string[] => {
    const secrets = { tokens: () => [SECRET], cards: new Set([CARD]) };
    const received = { answers, milliseconds: 1, gaveUp: answers.length === 0 };
    const problems: Problem[] = problemsOf(attempt, received, secrets);
    return problems.map(({ kind }) => kind);
  };

  const error = (message: string, code = 'not_found'): string =>
    JSON.stringify({ message, code, request_id: '1' });
  const internal = '{"errors":[{"message":"x","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}';
  const SHAPE = 'not the shape of a GraphQL response';
  it.each<[kind: string, Attempt, number, body: string]>([
    ['status 500', ATTEMPT, 500, error('x', 'internal')],
    ['status 503', ATTEMPT, 503, error('x', 'unknown')],
    ['an internal error', OPERATION, 200, internal],
    ['HTML', ATTEMPT, 404, '<!doctype html><p>Not found'],
    ['malformed JSON', ATTEMPT, 200, `{"groups":[],${EMPTY}`],
    ['not as documented', ATTEMPT, 200, `{"groups":[{"group":{"id":"1"}}],${EMPTY}}`],
    [SHAPE, OPERATION, 200, '{"data":{},"more":1}'],
    [SHAPE, OPERATION, 200, '{"errors":[{"message":"x"}]}'],
    ['data of another company', ATTEMPT, 404, error('zqbeta-17')],
    ['a token', ATTEMPT, 404, error(SECRET)],
    ['a card number', ATTEMPT, 404, error('4111 1111 1111 1111')],
    ['a stack trace', ATTEMPT, 404, error('at f (file:///x.js:1:2)')],
    ['a path of a file', ATTEMPT, 404, error('/tmp/x/gateway.db')],
    ['a statement of SQL', ATTEMPT, 404, error('select 1 from devices')],
    ['an error of SQLite', ATTEMPT, 404, error('SQLITE_BUSY')],
    ['an error of the program', ATTEMPT, 404, error('x is not a function')],
  ])('includes %s', (kind, attempt, status, body) => {
    const type = body.startsWith('<') ? 'text/html' : 'application/json';
    expect(kindsOf(attempt, answer(status, body, type))).toContain(kind);
  });

  const QUOTED = '"errors":[{"message":"card 4111111111111111."}]';
  const RECORD = '"data":{"sent":"card 4111111111111111."}';
  it.each([
    ['an error that quotes it', `{${QUOTED}}`, []],
    ['an error of a stream', `event: next\ndata: {${QUOTED}}\n\n`, []],
    ['a record', `{${RECORD}}`, ['a card number']],
    ['a record of a socket', `{"id":"0","type":"next","payload":{${RECORD}}}`, ['a card number']],
  ])('knows a card number that was sent, in %s', (_name, text, kinds) => {
    const secrets = { tokens: () => [], cards: new Set([CARD]) };
    const sent = '{"sent":"card 4111 1111 1111 1111."}';
    expect(leaks(ATTEMPT, text, sent, secrets).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('is nothing for good answers', () => {
    expect(kindsOf(ATTEMPT, answer(200, `{"groups":[],${EMPTY}}`))).toEqual([]);
    expect(kindsOf(OPERATION, answer(200, '{"data":{"viewer":{"role":"ADMIN"}}}'))).toEqual([]);
    expect(kindsOf(ATTEMPT, answer(503, error('x', 'busy')))).toEqual([]);
  });
});
