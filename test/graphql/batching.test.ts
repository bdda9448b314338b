import { getNamedType, isInterfaceType, isLeafType, isObjectType, type GraphQLField } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { signedIn } from '../support/console.js';
import { answered, measured, statementsFor } from '../support/dashboard.js';
import { addPasskey } from '../support/passkeys.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { useServer, type Member } from '../support/server.js';
import { askable, findWays, nodeOf, schema, type Way } from './ways.js';

interface Case {
  readonly name: string;
  readonly type: string;
  readonly way: Way;
  /** The selection of the field. */
  readonly asked: string;
  readonly field: string;
  /** Statements: one for records, one for their count, one for the counters of the company if it is a search. */
  readonly statements: number;
  readonly isRelation: boolean;
  /** Whether it is a list with pages. */
  readonly isList: boolean;
  /** Arguments for an empty page from each end that it has. */
  readonly sizes: readonly string[];
  /** Whether only a session of the console has a value. */
  readonly ofSession: boolean;
}

const POPULATED = 3;

/** Number of statements for fields that read several tables. */
const OF_SEVERAL_TABLES: Readonly<Record<string, number>> = {
  'Device.manifest': 9,
  'Device.files': 10,
  'Device.paramsDat': 10,
  'DeviceLog.lines': 2,
  'TerminalSoftware.runs': 2,
};

/** Lists whose records are linked: a statement reads the ids of their pages, and another one the records. */
const LINKED = new Set([
  'AppVersion.files',
  'AppVersion.groups',
  'AppVersion.logicalNumbers',
  'AppVersion.modules',
  'File.appVersions',
  'Group.appVersions',
  'Group.defaultAppVersions',
  'LogicalNumber.appVersions',
]);

/** Statements of a list: its page, its total and the counters. */
const ofList = (name: string): number => (LINKED.has(name) ? 4 : 3);

/** A field that reads bytes, a relation or a list. */
function caseOf(type: string, way: Way, field: GraphQLField<unknown, unknown>): Case {
  const named = getNamedType(field.type);
  const searches = field.extensions.searches !== undefined;
  const isList = nodeOf(named) !== undefined;
  const ofSession = ['Passkey', 'Session'].includes(named.name) || field.name === 'invitations';
  const sizes = ['first: 0', ...(field.args.some(({ name }) => name === 'last') ? ['last: 0'] : [])];
  const base = { name: `${type}.${field.name}`, type, way, field: field.name, isList, sizes, ofSession };
  // Bytes are read in pieces while they are sent; their cost covers it. Modules have some too.
  if (isBytes(field)) return { ...base, asked: field.name, statements: POPULATED * 2 * 3, isRelation: false };
  const asked = isList
    ? `${field.name}(first: 2) { totalCount edges { cursor } nodes { __typename } pageInfo { hasNextPage } }`
    : `${field.name} { __typename }`;
  // One statement for each type that the records behind an interface can have; before those of a list without pages,
  // one for the counters and one that counts its entries.
  const types = isInterfaceType(named) ? schema.getPossibleTypes(named).length : 1;
  const tables = OF_SEVERAL_TABLES[base.name] ?? types + (searches ? 2 : 0);
  return { ...base, asked, statements: isList ? ofList(base.name) : tables, isRelation: true };
}

const isBytes = (field: GraphQLField<unknown, unknown>): boolean =>
  getNamedType(field.type).name === 'Base64';

/** All other leaves of a type, which together may take one statement more, as each of them may. */
function plainOf(type: string, way: Way, fields: readonly GraphQLField<unknown, unknown>[]): readonly Case[] {
  if (fields.length === 0) return [];
  const asked = fields.map(({ name }) => name).join(' ');
  const none = { isRelation: false, isList: false, ofSession: false, sizes: [] };
  // A search takes one for the counters, too.
  const statements = fields.some(({ extensions }) => extensions.searches !== undefined) ? 2 : 1;
  return [{ name: `the plain fields of ${type}`, type, way, asked, field: '', statements, ...none }];
}

const CASES: readonly Case[] = [...findWays()].flatMap(([type, way]) => {
  const isPlain = (field: GraphQLField<unknown, unknown>): boolean =>
    isLeafType(getNamedType(field.type)) && !isBytes(field);
  const fields = askable(type);
  const others = fields.filter((field) => !isPlain(field));
  return [
    ...plainOf(type.name, way, fields.filter(isPlain)),
    ...others.map((field) => caseOf(type.name, way, field)),
  ];
});

const server = useServer();
let session: Pick<Member, 'graphql'>;
beforeAll(async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const browser = await signedIn(server.url, email);
  await addPasskey(browser, server.url);
  session = browser;
  const asking =
    'mutation ($email: String!) { memberAdd(input: { email: $email, name: "Ana", role: VIEWER }) { askedEmail } }';
  expect(await answered(await server.member('beta', 'admin'), asking, { email })).toMatchObject({
    memberAdd: { askedEmail: email },
  });
  await populate(server, server.acme, POPULATED);
  await server.place.sql("update terminal_versions set state = 'installed'");
  await server.place.sql(
    "insert into terminal_files (company_id, device_id, name, crc, since) select company_id, id, 'params.dat', '31C3', created_at from devices",
  );
  for (let n = 0; n < POPULATED; n += 1) {
    // Cannot stand in the settings file of a terminal.
    const parameter = { number: `populated ${n}`, key: 'a=b', value: 'value' };
    await server.acme.client.post('parameters', parameter);
  }
});

const counts = new Map<string, Promise<number>>();

/** Statements for the records at the end of a way, without any of their fields; counted once for each way. */
function statementsAround(member: Pick<Member, 'graphql'>, way: Way): Promise<number> {
  const query = way('__typename', 50);
  const known = counts.get(query) ?? statementsFor(server, member, query).then(({ length }) => length);
  counts.set(query, known);
  return known;
}

/** Every value of the field in a response. */
function valuesOf(data: unknown, field: string): unknown[] {
  if (Array.isArray(data)) return (data as unknown[]).flatMap((each) => valuesOf(each, field));
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data as Record<string, unknown>).flatMap(([name, value]) =>
    name === field ? [value] : valuesOf(value, field),
  );
}

/** Whether a value is not null, not an empty list and not a connection without records. */
const isThere = (value: unknown): boolean => !/^(null|\[\]|\{"totalCount":0,.*)$/.test(JSON.stringify(value));

describe('the number of SQL statements', () => {
  it('is tested for every type of the schema', () => {
    const read = new Set(CASES.map(({ type }) => type));
    const changing = [schema.getMutationType(), schema.getSubscriptionType()]
      .flatMap((type) => Object.values(type?.getFields() ?? {}))
      .map((field) => getNamedType(field.type).name);
    const missing = Object.values(schema.getTypeMap()).filter(
      (type) =>
        isObjectType(type) &&
        !isInterfaceType(type) &&
        !/^__|(Connection|Edge|PageInfo|Payload|Result|InputError)$/.test(type.name) &&
        !changing.includes(type.name) &&
        !read.has(type.name),
    );
    // A plan needs a document; test/domain/software/plan counts its statements. The preview of an import, and the draft of a
    // rollout, are in payloads; names of records are asked for by ids, see test/domain/base/ledger.
    const others = [
      'FleetImportRow',
      'FleetPlan',
      'FleetPlanChange',
      'Mutation',
      'Query',
      'RecordName',
      'RolloutDraftObstacle',
      'RolloutDraftWave',
      'Subscription',
    ];
    expect(missing.map((type) => type.name).sort()).toEqual(others);
  });

  it.each(CASES.map((each) => [each.name, each] as const))(
    'of %s does not depend on how many records are asked for it',
    async (_name, { way, asked, field, statements, isRelation, ofSession }) => {
      const member = ofSession ? session : server.acme;
      const around = await statementsAround(member, way);
      const many = await measured(server, member, way(asked, 50));
      expect(many.statements.length, many.statements.join('\n')).toBeLessThanOrEqual(around + statements);
      if (!isRelation) return;
      const values = valuesOf(many.result, field);
      expect(values.filter(isThere).length, 'records with something behind the field').toBeGreaterThan(0);
      if (values.length > 1) expect(values.filter(isThere).length).toBeGreaterThan(1);
    },
  );

  it.each(CASES.filter(({ isList }) => isList).map((each) => [each.name, each] as const))(
    'of a page of size 0 of %s is one, for its total, and one for the counters',
    async (_name, { way, field, sizes }) => {
      const { acme } = server;
      const around = await statementsAround(acme, way);
      const [{ totalCount = 0 } = {}] = valuesOf(
        await answered(acme, way(`sized: ${field} { totalCount }`, 1)),
        'sized',
      ) as { totalCount?: number }[];
      for (const size of sizes) {
        const rows = `sized: ${field}(${size}) { edges { cursor } nodes { __typename } }`;
        expect(await statementsFor(server, acme, way(rows, 50))).toHaveLength(around);
        const whole = way(rows.replace('edges', 'totalCount edges'), 50);
        const { result, statements } = await measured(server, acme, whole);
        expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(around + 2);
        const pages = valuesOf(result, 'sized');
        expect(pages.length).toBeGreaterThan(0);
        expect(pages[0]).toEqual({ totalCount, edges: [], nodes: [] });
        for (const page of pages) expect(page).toMatchObject({ edges: [], nodes: [] });
      }
    },
  );
});
