import { buildSchema, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createRoutes } from '../../src/app/routes.js';
import { fleet, recordAll } from '../support/fleet.js';
import { addPerson, fromElsewhere, PASSWORD, signIn } from '../support/people.js';
import { ask, placeholdersOf } from '../support/route-requests.js';
import { createSampleRecords, type SampleRecords } from '../support/sample-records.js';
import { fileForm, startServer, type Reply, type Member, type TestServer } from '../support/server.js';
import { subscribe } from '../support/subscribe.js';

/**
 * Ids of users and companies are drawn at random. Here they count, apart for what the first company does and for what
 * the other does, so that the answers of two runs can be compared.
 */
const drawn = { next: { ours: 1_000, theirs: 500_000 }, turn: 'ours' as 'ours' | 'theirs' };
const { randomInt } = crypto;
const countIds = ((least: number, limit: number): number =>
  limit === 2 ** 31 ? (drawn.next[drawn.turn] += 1) : randomInt(least, limit)) as typeof randomInt;

/** Also where modules have imported the function by its name. */
function drawWith(draw: typeof randomInt): void {
  crypto.randomInt = draw;
  syncBuiltinESMExports();
}

beforeEach(() => {
  drawWith(countIds);
});

let running: TestServer | null = null;
afterEach(async () => {
  drawWith(randomInt);
  await running?.stop();
  running = null;
});

/** Everything that the other company does in a busy minute: records, transactions, tokens, files, sign-ins. */
async function beBusy(server: TestServer, round: number): Promise<void> {
  drawn.turn = 'theirs';
  const { client, caller, graphql } = server.beta;
  if (round === 0) await createSampleRecords(server, server.beta);
  const name = `theirs ${round}`;
  const elsewhere = fromElsewhere();
  const group = await fleet.group(client, name);
  await client.post('devices', { serial_number: name }, elsewhere);
  await client.post('apps', { name }, elsewhere);
  await client.post('parameters', { name, key: 'k', value: 'v' }, elsewhere);
  await client.post('metacontents', { name, key: 'k', value: 'v' }, elsewhere);
  await client.post('files', fileForm(name, name), elsewhere);
  await client.post('notifications', { content: 'x', range: 'group', group_id: group }, elsewhere);
  await client.put(`groups/${encodeURIComponent(name)}`, { name: `${name}!` }, elsewhere);
  await server.app.units.write(caller, (work) => recordAll(work, [transaction(name), transaction(name)]));
  await graphql('mutation { apiTokenCreate(input: { name: "t", scopes: [READ] }) { token } }');
  const { email } = await addPerson(server, { beta: 'viewer' });
  await signIn(server, { email, password: PASSWORD }, elsewhere);
  await signIn(server, { email, password: 'a wrong password' }, elsewhere);
  await signIn(server, { email: 'nobody@beta.example', password: PASSWORD }, elsewhere);
  drawn.turn = 'ours';
}

const transaction = (serialNumber: string) => ({
  transactionType: 'switch',
  serialNumber,
  logicalNumber: 'L',
  appName: 'a.rb',
  status: 'success',
  startedAt: new Date('2026-01-01'),
  finishedAt: new Date('2026-01-02'),
});

/** Lists of GraphQL with every field of their records that is a value, of the records beside them too. */
function listQueries(): string[] {
  const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
  const selectionOf = (typeName: string, depth: number): string => {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) return '__typename';
    const fields = Object.values(type.getFields()).filter(
      ({ name, args }) => !args.some(isRequiredArgument) && !['content', 'bytecode'].includes(name),
    );
    return (
      fields
        .flatMap(({ name, type: of }) => {
          const named = getNamedType(of);
          if (isLeafType(named)) return [name];
          return depth > 0 && isObjectType(named) && !named.name.endsWith('Connection')
            ? [`${name} { ${selectionOf(named.name, depth - 1)} }`]
            : [];
        })
        .join(' ') || '__typename'
    );
  };
  return Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, type }) => {
    const named = getNamedType(type);
    if (!isObjectType(named) || !named.name.endsWith('Connection')) return [];
    if (name === 'search')
      return ['1', 'a', 'SN-', 'admin'].map(
        (text) => `{ search(text: "${text}") { nodes { name record { id } } } }`,
      );
    const record = named.name.replace(/Connection$/, '');
    return [
      `{ ${name}(first: 50) { totalCount pageInfo { startCursor endCursor hasNextPage }
        edges { cursor node { ${selectionOf(record, 1)} } } } }`,
    ];
  });
}

/** Responses to the first company, without times and random values. */
class Answers {
  readonly texts: string[] = [];

  add(name: string, reply: Pick<Reply, 'status' | 'headers' | 'text'>): void {
    const headers = [...reply.headers].filter(([key]) => !['date', 'x-request-id'].includes(key));
    this.texts.push(this.#plain(`${name} ${reply.status} ${JSON.stringify(headers)} ${decoded(reply.text)}`));
  }

  addEvents(name: string, events: unknown): void {
    this.texts.push(this.#plain(`${name} ${decoded(JSON.stringify(events))}`));
  }

  #plain(text: string): string {
    return text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME')
      .replaceAll(/\b1[78]\d{8}(\d{3})?\b/g, 'TIME')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replaceAll(/\b[0-9a-f]{40}\b/g, 'TOKEN')
      .replaceAll(/("last_?[fF]our" ?: ?)"[0-9a-f]{4}"/g, '$1"FOUR"')
      .replaceAll(/"[0-9a-f]{4}"(,"before":null,"field":"lastFour")/g, '"FOUR"$1')
      .replaceAll(/("initialPassword" ?: ?)"[^"]+"/g, '$1"PASSWORD"');
  }
}

/** Cursors and global ids in plain text. */
function decoded(text: string): string {
  return text.replaceAll(/"([A-Za-z0-9_-]{8,})"/g, (whole, part: string) => {
    const plain = Buffer.from(part, 'base64url').toString('utf8');
    return /^(\[".*\]|[A-Za-z]+:\d+)$/.test(plain) ? JSON.stringify(plain) : whole;
  });
}

async function look(server: TestServer, member: Member, answers: Answers, values: Values): Promise<void> {
  for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
    const ours = { headers: OUR_ADDRESS };
    const reply = await ask(member.client, route, (name) => values[name] ?? '', undefined, ours);
    answers.add(`${route.path} ${placeholdersOf(route).join()}`, reply);
  }
  for (const query of listQueries()) {
    const reply = await member.client.post('/graphql', JSON.stringify({ query }), JSON_TYPE);
    expect(reply.text, query).not.toContain('"errors"');
    answers.add(query, reply);
  }
  const { body } = await member.graphql<Record<string, { readonly totalCount: number }>>(
    '{ ledgerAppended: ledger { totalCount } transactionRecorded: transactions { totalCount } }',
  );
  for (const [field, { totalCount }] of Object.entries(body.data)) {
    const ahead = subscribe(server, member, `subscription { ${field}(after: 400000) { sequence } }`);
    answers.addEvents(`${field} ahead`, await ahead.ended);
    const all = subscribe(server, member, `subscription { ${field}(after: 0) { sequence } }`);
    await all.until(totalCount);
    await new Promise((resolve) => setTimeout(resolve, 200));
    all.stop();
    answers.addEvents(field, all.events);
  }
}

const ROUTES = createRoutes(() => Promise.resolve([]));
/** The rate limit counts by address: this one is of the first company alone. */
const OUR_ADDRESS = { 'x-forwarded-for': '198.51.100.1' };
const JSON_TYPE = { headers: { ...OUR_ADDRESS, 'content-type': 'application/json' } };
type Values = SampleRecords['values'];

/** Runs the requests of the first company. Between them, the other company is idle, or busy if `isBusy`. */
async function run(isBusy: boolean): Promise<readonly string[]> {
  drawn.next = { ours: 1_000, theirs: 500_000 };
  const server = (running = await startServer({ trustProxy: ['127.0.0.1'] }));
  const answers = new Answers();
  const pause = async (round: number): Promise<void> => {
    if (isBusy) await beBusy(server, round);
  };
  const { acme } = server;
  await pause(0);
  const { values } = await createSampleRecords(server, acme);
  await look(server, acme, answers, values);
  await pause(1);
  for (const [path, body] of [
    ['groups', { name: 'another' }],
    ['logical_numbers', { number: 'another' }],
    ['devices', { serial_number: 'another' }],
    ['apps', { name: 'another' }],
    ['files', fileForm('another file', 'another')],
    ['parameters', { name: 'another', key: 'k', value: 'v' }],
    ['metacontents', { name: 'another', key: 'k', value: 'v' }],
    ['notifications', { content: 'x', range: 'specific_logical_numbers', logical_numbers: 'another' }],
  ] as const) {
    answers.add(path, await acme.client.post(path, body, { headers: OUR_ADDRESS }));
    if (path === 'devices') await pause(2);
  }
  for (const mutation of [
    'memberAdd(input: { email: "new@acme.example", name: "N", role: VIEWER }) { user { id databaseId } initialPassword }',
    'apiTokenCreate(input: { name: "t", scopes: [READ] }) { apiToken { id databaseId lastFour } token }',
  ]) {
    await pause(3);
    const body = JSON.stringify({ query: `mutation { ${mutation} }` });
    answers.add(mutation, await acme.client.post('/graphql', body, JSON_TYPE));
  }
  const recorded = await server.app.units.write(acme.caller, (work) =>
    recordAll(work, [transaction('ours')]),
  );
  answers.addEvents('recorded', recorded);
  await server.app.steps.idle();
  await look(server, acme, answers, values);
  await server.stop();
  running = null;
  return answers.texts;
}

describe('AT-41 what a company sees', () => {
  it('is the same to the byte, whether another company is busy or silent', async () => {
    const silent = await run(false);
    expect(silent.length).toBeGreaterThan(70);
    expect(silent.join('\n')).toContain('EVENTS_AHEAD');
    const busy = await run(true);
    expect(busy).toHaveLength(silent.length);
    for (const [index, text] of silent.entries()) expect(busy[index]).toBe(text);
  });
});
