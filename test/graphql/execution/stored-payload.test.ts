import { extendSchema, isObjectType, parse, type GraphQLSchema } from 'graphql';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext, NO_FACTS } from '../../../src/graphql/execution/context.js';
import { executeRepeatable } from '../../../src/graphql/execution/repeatable.js';
import { changed } from '../../support/dashboard.js';
import { rowsIn } from '../../support/fleet.js';
import { ask, openKnown } from '../../support/raw-socket.js';
import { ownServer, useServer, type Fields, type Member } from '../../support/server.js';
import { carrying } from '../../support/uploading.js';
import { parsed, schema, servicesOf } from '../ways.js';

const server = useServer();
let acme: Member;
beforeAll(() => {
  ({ acme } = server);
});

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

const NUMBER = `mutation ($number: String!, $groupId: ID) {
  logicalNumberCreate(input: { number: $number, groupId: $groupId }) {
    logicalNumber { id number createdAt group { name logicalNumbers(first: 5) { totalCount nodes { number } } } }
    userErrors { code } } }`;

const newGroup = async (name: string): Promise<{ id: string; databaseId: number }> =>
  (await payloadOf(acme, `mutation { groupCreate(input: { name: "${name}" }) { group { id databaseId } } }`))
    .group;

/** The payload of a mutation that creates an app, a version, a group or a file. */
const payloadOf = (member: Pick<Member, 'graphql'>, mutation: string, variables?: Fields) =>
  changed<Record<'app' | 'appVersion' | 'group' | 'file', { id: string; databaseId: number }>>(
    member,
    mutation,
    variables,
  );

const totalOf = (table: string): Promise<number> =>
  rowsIn(server, table, `company_id = ${acme.caller.companyId}`);

/** Executes a mutation with an Idempotency-Key in a schema. */
async function executed(
  schema: GraphQLSchema,
  query: string,
  key: string,
  { services = servicesOf(server), caller = acme.caller } = {},
) {
  const { document, operation } = parsed(query);
  const context = new GraphqlContext(caller, services, { ...NO_FACTS, idempotencyKey: key });
  const result = await executeRepeatable({
    schema,
    document,
    operation,
    variables: {},
    context,
    mask: (errors) => errors.map((error) => error.toJSON()),
  });
  context.finish();
  return { text: JSON.stringify(result), replayed: context.counters.replayed };
}

describe('a replay of a mutation', () => {
  it('CC-05 is the same text after its records have changed, or are gone', async () => {
    const group = await newGroup('before');
    const variables = { number: 'stored', groupId: group.id };
    const first = await acme.graphql<{ logicalNumberCreate: { logicalNumber: { id: string } } }>(
      NUMBER,
      variables,
      keyed('k-nested'),
    );
    const { id } = first.body.data.logicalNumberCreate.logicalNumber;
    expect(first.body.data).toMatchObject({
      logicalNumberCreate: {
        logicalNumber: { group: { name: 'before', logicalNumbers: { totalCount: 1, nodes: [{}] } } },
        userErrors: [],
      },
    });
    await acme.client.put(`groups/${group.databaseId}`, { name: 'after' });
    await acme.graphql(NUMBER, { number: 'another', groupId: group.id });
    expect((await acme.graphql(NUMBER, variables, keyed('k-nested'))).text).toBe(first.text);
    await acme.graphql('mutation ($id: ID!) { logicalNumberDelete(id: $id) { deletedId } }', { id });
    const again = await acme.graphql(NUMBER, variables, keyed('k-nested'));
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    const { body } = await acme.graphql('{ logicalNumber(number: "stored") { id } }');
    expect(body.data).toEqual({ logicalNumber: null });
  });

  it('does not depend on a later schema', async () => {
    const query = 'mutation { made: groupCreate(input: { name: "of a release" }) { group { id name } } }';
    const first = await executed(schema, query, 'k-release');
    expect(first).toMatchObject({ replayed: false });
    const added = parse(
      'extend type Group { added: String! } extend input GroupCreateInput { more: Int = 1 }',
    );
    const later = extendSchema(schema, added);
    const group = later.getType('Group');
    if (!isObjectType(group)) throw new Error('No type Group');
    for (const field of Object.values(group.getFields())) {
      field.resolve = () => {
        throw new Error('A resolver of the later release needs more than the record of the former one.');
      };
    }
    expect(await executed(later, query, 'k-release')).toEqual({ text: first.text, replayed: true });
  });

  it('of several fields replays each that was made, and executes those that were refused', async () => {
    await newGroup('taken');
    const query = `mutation ($second: String!) {
      a: groupCreate(input: { name: "first of two" }) { group { id name } userErrors { code } }
      b: groupCreate(input: { name: $second }) { userErrors { code } group { name } } }`;
    const first = await acme.graphql<Record<string, Fields>>(query, { second: 'taken' }, keyed('k-two'));
    expect(first.body.data).toMatchObject({ a: { userErrors: [] }, b: { userErrors: [{ code: 'TAKEN' }] } });
    const second = await acme.graphql<Record<string, Fields>>(query, { second: 'free' }, keyed('k-two'));
    expect(second.body.data).toEqual({
      a: first.body.data.a,
      b: { userErrors: [], group: { name: 'free' } },
    });
    expect((await acme.graphql(query, { second: 'free' }, keyed('k-two'))).text).toBe(second.text);
  });

  it('is refused for another selection, and for other variables in it', async () => {
    const create = (selection: string) => `mutation ($yes: Boolean = true) {
      groupCreate(input: { name: "selected" }) { ...Made } }
      fragment Made on GroupCreatePayload { group { ${selection} } }`;
    const query = create('id name @include(if: $yes)');
    const first = await acme.graphql(query, {}, keyed('k-selection'));
    expect(first.body.data).toMatchObject({ groupCreate: { group: { name: 'selected' } } });
    const reformatted = query.replaceAll('\n', '\n\n  # a comment\n');
    expect((await acme.graphql(reformatted, {}, keyed('k-selection'))).text).toBe(first.text);
    for (const [other, variables] of [
      [create('id name @skip(if: $yes)'), {}],
      [query, { yes: false }],
      [query.replace('$yes: Boolean = true', '$yes: Boolean = false'), {}],
    ] as const) {
      const { body } = await acme.graphql(other, variables, keyed('k-selection'));
      expect(body.errors).toMatchObject([
        { path: ['groupCreate'], extensions: { code: 'IDEMPOTENCY_MISMATCH' } },
      ]);
    }
    const { body } = await acme.graphql(query, { unused: 1 }, keyed('k-selection'));
    expect(body.errors ?? []).toEqual([]);
  });

  it('shows the errors of its selection again, with their places', async () => {
    const writer = await server.member('acme', 'operator', ['read', 'write']);
    const query =
      'mutation { groupCreate(input: { name: "partial" }) { group { name createdBy { apiTokens { totalCount } } } } }';
    const first = await writer.graphql(query, {}, keyed('k-errors'));
    const again = await writer.graphql(query, {}, keyed('k-errors'));
    expect(first.body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is refused to a caller who has lost the scope', async () => {
    const query = 'mutation { groupCreate(input: { name: "of a writer" }) { group { name } } }';
    const writer = await server.member('acme', 'operator');
    expect((await writer.graphql(query, {}, keyed('k-scope'))).body.errors).toBeUndefined();
    const reader = { ...writer.caller, scopes: ['read'] as const };
    const { text } = await executed(schema, query, 'k-scope', { caller: reader });
    expect(JSON.parse(text)).toMatchObject({ data: null, errors: [{ path: ['groupCreate'] }] });
    expect(text).toContain('needs the scope');
  });
});

describe('a crash', () => {
  it('CF-04 before the commit leaves neither the effect nor a payload; the retry makes both', async () => {
    const query = 'mutation { groupCreate(input: { name: "crashed" }) { group { name } } }';
    const services = servicesOf(server);
    const dies = {
      ...services,
      storedResponses: { ...services.storedResponses, store: () => Promise.reject(new Error('killed')) },
    };
    const before = await totalOf('groups');
    const first = await executed(schema, query, 'k-crash', { services: dies });
    expect(JSON.parse(first.text)).toMatchObject({ data: null, errors: [{ message: 'killed' }] });
    expect(await totalOf('groups')).toBe(before);
    const retry = await executed(schema, query, 'k-crash');
    expect(retry).toEqual({
      text: '{"data":{"groupCreate":{"group":{"name":"crashed"}}}}',
      replayed: false,
    });
    expect(await executed(schema, query, 'k-crash')).toEqual({ ...retry, replayed: true });
    expect(await totalOf('groups')).toBe(before + 1);
  });
});

describe('a payload that takes too long to read', () => {
  it('rolls its change back after 2 seconds, so that other writes go on', async () => {
    const query = 'mutation { groupCreate(input: { name: "slow" }) { group { name } } }';
    // A copy: the server keeps its own.
    const copy = extendSchema(schema, parse('extend type Group { added: String }'));
    const group = copy.getType('Group');
    const name = isObjectType(group) ? group.getFields().name : undefined;
    if (name === undefined) throw new Error('No field Group.name');
    name.resolve = async () => {
      await sleep(2_500);
      return 'late';
    };
    const before = await totalOf('groups');
    const slow = executed(copy, query, 'k-slow');
    await newGroup('meanwhile');
    expect(JSON.parse((await slow).text)).toMatchObject({
      data: null,
      errors: [{ message: expect.stringContaining('Nothing was changed') as string, path: ['groupCreate'] }],
    });
    expect(await totalOf('groups')).toBe(before + 1);
  });
});

describe('bytes in a stored payload', () => {
  const CREATE = `mutation ($file: Upload!) { fileCreate(input: { file: $file }) { file { id content } userErrors { code } } }`;
  it('stay as long as the payload, also those of several files, on every transport', async () => {
    const own = await ownServer();
    const upload = async (name: string): Promise<string> =>
      (await payloadOf(carrying(own, own.acme, { name, bytes: `bytes of ${name}` }), CREATE)).file.id;
    const files = [await upload('one'), await upload('two')];
    const { app } = await payloadOf(own.acme, 'mutation { appCreate(input: { name: "a" }) { app { id } } }');
    const createVersion = `mutation ($appId: ID!, $fileIds: [ID!]) {
      appVersionCreate(input: { appId: $appId, number: "1", fileIds: $fileIds }) { appVersion { id } } }`;
    const made = await payloadOf(own.acme, createVersion, { appId: app.id, fileIds: files });
    const { id: versionId } = made.appVersion;
    const update = `mutation ($id: ID!) { appVersionUpdate(id: $id, input: { number: "2" }) {
      appVersion { number files { nodes { name content } } } userErrors { message } } }`;
    const first = await own.acme.graphql(update, { id: versionId }, keyed('k-bytes'));
    expect(first.text).toContain(Buffer.from('bytes of one').toString('base64'));
    for (const id of files) {
      await own.acme.graphql('mutation ($id: ID!) { fileDelete(id: $id) { deletedId } }', { id });
    }
    own.clock.advance(60 * 60 * 1000);
    await own.app.housekeeping.run();
    expect((await own.acme.graphql(update, { id: versionId }, keyed('k-bytes'))).text).toBe(first.text);
    const socket = await openKnown(own, own.acme.token);
    const extensions = { idempotencyKey: 'k-bytes' };
    const { payload } = await ask(socket, update, { id: versionId }, { extensions });
    expect(payload).toMatchObject({ data: first.body.data, extensions: { idempotentReplayed: true } });
    own.clock.advance(24 * 60 * 60 * 1000);
    const anew = await own.acme.graphql(update, { id: versionId }, keyed('k-bytes'));
    expect(anew.body.data).toMatchObject({ appVersionUpdate: { appVersion: { files: { nodes: [] } } } });
    socket.socket.close();
  });

  it('are answered over a socket while their change is not committed yet', async () => {
    const socket = await openKnown(server, acme.token);
    const content = Buffer.from('by a socket').toString('base64');
    const { app } = await payloadOf(acme, 'mutation { appCreate(input: { name: "socket" }) { app { id } } }');
    const query = `mutation ($id: ID!, $content: Base64) {
      appVersionCreate(input: { appId: $id, number: "1", bytecode: $content }) {
      appVersion { bytecode } userErrors { message } } }`;
    const variables = { id: app.id, content };
    const extensions = { idempotencyKey: randomUUID() };
    const { payload } = await ask(socket, query, variables, { extensions });
    expect(payload.data).toEqual({
      appVersionCreate: { appVersion: { bytecode: content }, userErrors: [] },
    });
    expect((await ask(socket, query, variables, { extensions })).payload.data).toEqual(payload.data);
    socket.socket.close();
  });
});
