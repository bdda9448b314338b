/** Every place for an id in the arguments and inputs of all mutations, with ids that name no record of the company. */
import { getNamedType, isInputObjectType, isListType, isNonNullType, isRequiredInputField } from 'graphql';
import type { GraphQLArgument, GraphQLInputField, GraphQLInputType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { addUnknownTerminals } from '../../src/domain/terminals/terminal/terminal.repository.js';
import { SCOPES } from '../../src/platform/requests.js';
import { nodeId, type UserErrorShape } from '../support/dashboard.js';
import { rowsIn } from '../support/fleet.js';
import { expectRefused, mutationOf } from '../support/mutations.js';
import { schema } from '../support/parity/rest-spelling.js';
import { createSampleRecords, type SampleType } from '../support/sample-records.js';
import { useServer, type Fields, type Member } from '../support/server.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let member: Member;
let own: Readonly<Record<string, number>>;
let foreign: Readonly<Record<string, number>>;
let before: unknown;

beforeAll(async () => {
  member = await server.member('beta', 'admin', SCOPES);
  ({ ids: foreign } = await createSampleRecords(server, server.acme));
  ({ ids: own } = await createSampleRecords(server, member, 'own'));
  await server.app.steps.idle();
  before = await recordsOfAcme();
  await server.app.units.write(member.caller, (work) =>
    addUnknownTerminals(work, [
      { serialNumber: 'nobody', firstSeenAt: work.now, lastSeenAt: work.now, count: 1 },
    ]),
  );
});

/** The type of the record that a field names, where its name does not say so. */
const TYPES: Readonly<Record<string, string>> = {
  recipient: 'User',
  baseVersion: 'AppVersion',
  module: 'AppVersion',
};

const TYPE_NAMES = Object.values(schema.getTypeMap())
  .map(({ name }) => name)
  .sort((one, other) => other.length - one.length);

/** The type of the records whose ids an argument or a field takes, for example `Group` for `groupIds`. */
function typeOf(name: string, mutation: string): string {
  if (name === 'id' || name === 'ids') {
    const typeName = TYPE_NAMES.find((type) =>
      mutation.startsWith(type.charAt(0).toLowerCase() + type.slice(1)),
    );
    return typeName ?? 'Node';
  }
  const field = name.replace(/Ids?$/, '');
  return TYPES[field] ?? field.charAt(0).toUpperCase() + field.slice(1);
}

type Part = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type'>;

const isId = (type: GraphQLInputType): boolean => getNamedType(type).name === 'ID';
const isMany = (type: GraphQLInputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);

/** Values of what mutations need beside the id, by the name of an argument, a field or a type. */
const VALUES: Readonly<Record<string, unknown>> = {
  waves: [{}],
  DeviceBulkChangeInput: { enabled: true },
  LogicalNumberBulkChangeInput: { parameter: { key: 'new key', value: 'x' } },
  NotificationTargetInput: { logicalNumbers: ['own number'] },
  AppVersionGrantTargetInput: { all: true },
  TransactionResult: 'SUCCESS',
  ExportKind: 'DEVICES',
  timeZone: 'UTC',
  serialNumber: 'nobody',
  key: 'new key',
  number: '7',
  on: { refused: { count: 1, within: '1h' } },
  action: 'REBOOT',
  content: 'Hello',
  role: 'VIEWER',
};

const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Boolean: true,
  JSON: {},
  DateTime: '2026-01-01T00:00:00Z',
};

/** A value for a required argument or field. */
function valueOf({ name, type }: Part, mutation: string): unknown {
  const named = getNamedType(type);
  if (name in VALUES || named.name in VALUES) return VALUES[name] ?? VALUES[named.name];
  const listed = (value: unknown): unknown => (isMany(type) ? [value] : value);
  if (named.name === 'ID') return listed(nodeId(typeOf(name, mutation), own[typeOf(name, mutation)] ?? 1));
  if (!isInputObjectType(named)) return listed(SCALARS[named.name] ?? 'x');
  const fields = Object.values(named.getFields());
  const given = named.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
  return listed(Object.fromEntries(given.map((field) => [field.name, valueOf(field, mutation)])));
}

interface Place {
  readonly path: readonly string[];
  readonly typeName: string;
  /** The arguments with an id at the place, and all else that they need. */
  readonly withId: (id: string) => Fields;
}

/** All places for ids in arguments, or in fields of an input. Filters select records: an id of none selects none. */
function placesIn(
  parts: readonly Part[],
  mutation: string,
  isOneOf: boolean,
  isNeeded: (part: Part) => boolean,
): Place[] {
  return parts.flatMap((part): Place[] => {
    const named = getNamedType(part.type);
    const others = isOneOf ? [] : parts.filter((other) => other !== part && isNeeded(other));
    const beside = (): Fields =>
      Object.fromEntries(others.map((other) => [other.name, valueOf(other, mutation)]));
    const many = isMany(part.type);
    if (isId(part.type)) {
      const typeName = typeOf(part.name, mutation);
      const given = (id: string): unknown => (many ? [nodeId(typeName, own[typeName] ?? 1), id] : id);
      return [{ path: [part.name], typeName, withId: (id) => ({ ...beside(), [part.name]: given(id) }) }];
    }
    if (!isInputObjectType(named) || named.name.endsWith('Filter')) return [];
    const fields = Object.values(named.getFields());
    const isRequired = (field: Part): boolean => isRequiredInputField(field as GraphQLInputField);
    return placesIn(fields, mutation, named.isOneOf, isRequired).map(({ path, typeName, withId }) => ({
      path: [part.name, ...(many ? ['0'] : []), ...path],
      typeName,
      withId: (id) => ({ ...beside(), [part.name]: many ? [withId(id)] : withId(id) }),
    }));
  });
}

const MUTATIONS = Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args }) => {
  const isNeeded = (part: Part): boolean =>
    isNonNullType(part.type) && (part as GraphQLArgument).defaultValue === undefined;
  const places = placesIn(args, name, false, isNeeded);
  return places.map((place) => [`${name} ${place.path.join('.')}`, name, place] as const);
});

/** Mutations for sessions of the console, which refuse a token before they look for a record. */
const OF_SESSIONS = ['companySwitch', 'sessionEnd', 'passkeyRename', 'passkeyRemove'];

interface Payload {
  readonly userErrors: readonly UserErrorShape[];
  readonly results?: readonly { readonly index: number; readonly userErrors: readonly UserErrorShape[] }[];
}

/** Codes and paths of the errors of a payload, and of its rows, as in `NOT_FOUND input.groupId`. */
const errorsIn = ({ userErrors, results = [] }: Payload): readonly string[] =>
  [...userErrors, ...results.flatMap((row) => row.userErrors)].map(
    ({ code, path }) => `${code} ${path.join('.')}`,
  );

/** The record of a mutation is not found; an input with an id of no record is invalid, but for owners. */
function codesAt(at: string, typeName: string, mutation: string): readonly string[] {
  const isOfMutation = mutation.toLowerCase().startsWith(typeName.toLowerCase());
  if (at === 'id' || (isOfMutation && /^\w+Id$/.test(at))) return [`NOT_FOUND ${at}`];
  return [`INVALID ${at}`, ...(/^input\.(?!owner)|Ids$/.test(at) ? [] : [`NOT_FOUND ${at}`])];
}

const changes = (): Promise<number> => rowsIn(server, 'ledger', 'company_id > 0');

const TABLES = ['groups', 'logical_numbers', 'devices', 'parameters', 'metacontents', 'apps', 'app_versions'];
/** Records of the other company as they are stored. */
const recordsOfAcme = (): Promise<unknown[]> =>
  Promise.all(
    TABLES.map((table) =>
      server.place.sql(
        `select * from ${table} where company_id = ${server.acme.caller.companyId} order by id`,
      ),
    ),
  );

describe('RU-77 AT-10 AT-11 an id in the input of a mutation', () => {
  it.each(MUTATIONS)(
    '%s: is refused at its path if it names no record of the company',
    async (_, name, place) => {
      const { path, typeName, withId } = place;
      const other: SampleType = typeName === 'Group' ? 'Device' : 'Group';
      const ids = {
        unknown: nodeId(typeName, 987_654_321),
        foreign: nodeId(typeName, foreign[typeName] ?? 987_654_322),
        'of another type': nodeId(other, own[other] ?? 0),
        malformed: 'x',
      };
      const before = await changes();
      const texts: Record<string, string> = {};
      const refusals = new Set<string>();
      const errors = 'userErrors { code path message }';
      const selection = name === 'parameterBulkSet' ? `${errors} results { ${errors} }` : errors;
      // An owner is named by one id: its errors are at `owner`.
      const at = path.join('.').replace(/(owner)\..*$/, '$1');
      for (const [kind, id] of Object.entries(ids)) {
        const { body, text } = await member.graphql<Record<string, Payload>>(
          mutationOf(name, selection),
          withId(id),
        );
        const said = `${kind}: ${JSON.stringify(withId(id))} ${text}`;
        texts[kind] = text.replaceAll(/not [\d, ]+|"requestId":"[^"]*"/g, '');
        if (OF_SESSIONS.includes(name) && body.errors?.[0]?.extensions.code === 'FORBIDDEN') continue;
        const found = errorsIn(body.data[name] ?? { userErrors: [] });
        refusals.add(found.find((each) => each.endsWith(` ${at}`)) ?? said);
      }
      // Nothing shows that another company has the record.
      expect(texts.foreign).toBe(texts.unknown);
      for (const refusal of refusals) expect(codesAt(at, typeName, name)).toContain(refusal);
      expect(refusals.size).toBeLessThanOrEqual(1);
      const text = OF_SESSIONS.includes(name) ? texts.malformed : texts.foreign;
      if (refusals.has(`NOT_FOUND ${at}`)) expect(text).toMatch(/"message":"No such [a-z ]+\."/);
      expect(await changes(), name).toBe(before);
    },
  );

  it.each([
    ['deviceBulkChange', 'Device', (target: Fields) => ({ target, change: { enabled: false } })],
    [
      'logicalNumberBulkChange',
      'LogicalNumber',
      (target: Fields) => ({ target, change: VALUES.LogicalNumberBulkChangeInput }),
    ],
    [
      'appVersionGrant',
      'LogicalNumber',
      (target: Fields) => ({ target, appVersionIds: [nodeId('AppVersion', own.AppVersion ?? 0)] }),
    ],
  ] as const)(
    '%s: is refused in the filter of its target, where `not` would select everything',
    async (name, typeName, given) => {
      const before = await changes();
      const ids = [
        nodeId(typeName, 987_654_321),
        nodeId(typeName, foreign[typeName] ?? 0),
        nodeId('Group', own.Group ?? 0),
        'x',
      ];
      for (const id of ids) {
        for (const filter of [
          { not: { id: { eq: id } } },
          { or: [{ id: { in: [id] } }, { not: { id: { isNull: true } } }] },
        ])
          await expectRefused(member, name, given({ filter }), 'INVALID target.filter');
      }
      expect(await changes()).toBe(before);
    },
  );

  it.each([
    ['savedFilterCreate', 'input.filter', (filter: Fields) => ({ kind: 'DEVICE', name: 'kept', filter })],
    [
      'alertRuleCreate',
      'input.on.silent.filter',
      (filter: Fields) => ({ name: 'kept', on: { silent: { percent: 10, silentFor: '1h', filter } } }),
    ],
  ] as const)('%s: is refused in a filter that is kept', async (name, path, given) => {
    const before = await changes();
    for (const id of [nodeId('Group', 987_654_321), nodeId('Group', foreign.Group ?? 0)]) {
      const input = given({ not: { groupId: { eq: id } } });
      await expectRefused(member, name, { input }, `INVALID ${path}`);
    }
    expect(await changes()).toBe(before);
  });

  it('changes no record of the other company', async () => {
    expect(await recordsOfAcme()).toEqual(before);
  });
});
