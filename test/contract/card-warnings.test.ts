import { getNamedType, isInputObjectType, type GraphQLInputType } from 'graphql';
import { beforeAll, expect, it } from 'vitest';

import { changed, nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { mutationOf } from '../support/mutations.js';
import { schema } from '../support/parity/rest-spelling.js';
import { useServer, type Fields } from '../support/server.js';

const server = useServer();

const CARD = '4111 1111 1111 1111';
const FILTER = { serialNumber: { startsWith: CARD } };
const WITHIN = { count: 1, within: '1h' };
const silent = { percent: 10, silentFor: '1h', filter: FILTER };

let group = 0;
let number = 0;
let device = 0;
let app = 0;
let version = 0;
beforeAll(async () => {
  const { client } = server.acme;
  group = await fleet.group(client, 'ordinary');
  number = await fleet.logicalNumber(client, 'ordinary', { group_id: group });
  device = await fleet.device(client, 'ordinary', { logical_number_id: number });
  version = (await fleet.appVersions(client, 1, [group]))[0] ?? 0;
  const [row] = await server.place.sql<{ app_id: number }>(
    `select app_id from app_versions where id = ${version}`,
  );
  app = Number(row?.app_id);
});

const idOfNew = async (name: string, field: string, input: Fields): Promise<string> => {
  const payload = await changed<Readonly<Record<string, { readonly id: string } | null>>>(
    server.acme,
    mutationOf(name, `${field} { id }`),
    { input },
  );
  return payload[field]?.id ?? '';
};

/**
 * Each mutation with texts that people type, with a card number in all of them, and the fields that have a warning; names
 * that identify are refused instead.
 */
const TYPED: Readonly<
  Record<string, readonly [() => Fields | Promise<Fields>, readonly string[] | 'refused']>
> = {
  alertRuleCreate: [() => ({ input: { name: CARD, on: { silent } } }), ['name', 'condition']],
  alertRuleUpdate: [
    async () => ({
      id: await idOfNew('alertRuleCreate', 'alertRule', { name: 'r', on: { refused: WITHIN } }),
      input: { name: `${CARD} b`, on: { silent } },
    }),
    ['name', 'condition'],
  ],
  apiTokenCreate: [() => ({ input: { name: CARD, scopes: ['READ'] } }), ['name']],
  apiTokenUpdate: [
    async () => ({
      id: await idOfNew('apiTokenCreate', 'apiToken', { name: 't', scopes: ['READ'] }),
      input: { name: CARD },
    }),
    ['name'],
  ],
  appCreate: [() => ({ input: { name: CARD, description: CARD } }), 'refused'],
  appUpdate: [() => ({ id: nodeId('App', app), input: { description: CARD } }), ['description']],
  appVersionCreate: [
    () => ({
      input: {
        appId: nodeId('App', app),
        number: CARD,
        authorizerUrl: `https://a.example/${CARD}`,
        posDisplayLabel: CARD,
      },
    }),
    ['number', 'authorizerUrl', 'posDisplayLabel'],
  ],
  appVersionUpdate: [
    () => ({ id: nodeId('AppVersion', version), input: { posDisplayLabel: CARD } }),
    ['posDisplayLabel'],
  ],
  companyRename: [() => ({ name: `Acme ${CARD}` }), ['name']],
  deviceBulkChange: [
    () => ({
      target: { ids: [nodeId('Device', device)] },
      change: { parameter: { key: CARD, value: CARD, description: CARD } },
    }),
    ['change.parameter.key', 'change.parameter.value', 'change.parameter.description'],
  ],
  exportScheduleCreate: [
    async () => ({
      input: {
        name: CARD,
        hour: 8,
        timeZone: 'UTC',
        webhookId: await idOfNew('webhookCreate', 'webhook', { url: 'https://e.example/', events: ['*'] }),
        export: { kind: 'DEVICES', filter: FILTER },
      },
    }),
    ['name', 'query'],
  ],
  exportStart: [() => ({ input: { kind: 'DEVICES', format: 'CSV', filter: FILTER } }), ['input']],
  groupCreate: [() => ({ input: { name: CARD } }), ['name']],
  groupUpdate: [() => ({ id: nodeId('Group', group), input: { name: `${CARD} b` } }), ['name']],
  logicalNumberBulkChange: [
    () => ({
      target: { ids: [nodeId('LogicalNumber', number)] },
      change: { parameter: { key: CARD, value: CARD, description: CARD } },
    }),
    ['change.parameter.key', 'change.parameter.value', 'change.parameter.description'],
  ],
  logicalNumberCreate: [() => ({ input: { number: CARD } }), 'refused'],
  logicalNumberUpdate: [() => ({ id: nodeId('LogicalNumber', number), input: { number: CARD } }), 'refused'],
  memberAdd: [() => ({ input: { email: 'one@new.example', name: CARD, role: 'VIEWER' } }), ['name']],
  memberInvite: [() => ({ input: { email: 'two@new.example', name: CARD, role: 'VIEWER' } }), ['name']],
  metacontentCreate: [
    () => ({ input: { owner: { groupId: nodeId('Group', group) }, key: CARD, value: CARD } }),
    ['key', 'value'],
  ],
  metacontentUpdate: [
    async () => {
      const owner = { groupId: nodeId('Group', group) };
      const id = await idOfNew('metacontentCreate', 'metacontent', { owner, key: 'm', value: 1 });
      return { id, input: { key: `${CARD} b`, value: CARD } };
    },
    ['key', 'value'],
  ],
  parameterBulkSet: [
    () => ({
      rows: [
        { owner: { groupId: nodeId('Group', group) }, key: `${CARD} c`, value: CARD, description: CARD },
      ],
    }),
    ['key', 'description', 'rows.0.value'],
  ],
  parameterCreate: [
    () => ({
      input: { owner: { groupId: nodeId('Group', group) }, key: CARD, value: CARD, description: CARD },
    }),
    ['key', 'value', 'description'],
  ],
  parameterUpdate: [
    async () => {
      const owner = { groupId: nodeId('Group', group) };
      const id = await idOfNew('parameterCreate', 'parameter', { owner, key: 'p', value: '1' });
      return { id, input: { key: `${CARD} b`, value: CARD, description: CARD } };
    },
    ['key', 'value', 'description'],
  ],
  rolloutCreate: [
    () => ({
      input: {
        name: CARD,
        appVersionIds: [nodeId('AppVersion', version)],
        waves: [{}],
        startAt: new Date(Date.now() + 86_400_000).toISOString(),
      },
      target: { all: true },
    }),
    ['name'],
  ],
  savedFilterCreate: [() => ({ input: { name: CARD, kind: 'DEVICE', filter: FILTER } }), ['name', 'filter']],
  savedFilterUpdate: [
    async () => ({
      id: await idOfNew('savedFilterCreate', 'savedFilter', {
        name: 'f',
        kind: 'DEVICE',
        filter: { enabled: { eq: true } },
      }),
      input: { name: `${CARD} b`, filter: FILTER },
    }),
    ['name', 'filter'],
  ],
  userUpdate: [() => ({ id: nodeId('User', server.acme.caller.userId), input: { name: CARD } }), ['name']],
  webhookCreate: [
    () => ({ input: { url: 'https://h.example/?card=4111111111111111', events: ['*'] } }),
    ['url'],
  ],
  webhookUpdate: [
    async () => ({
      id: await idOfNew('webhookCreate', 'webhook', { url: 'https://h.example/', events: ['*'] }),
      input: { url: 'https://h.example/?card=4111111111111111' },
    }),
    ['url'],
  ],
};

/** Texts of terminals are masked, files come as uploads, and the names of passkeys are seen by their owner alone. */
const OTHERS = /^(transaction|file|passkey|fleetApply)/;

it('every name, filter and address that people type gets a warning for a card number, or is refused', async () => {
  const typed = /^(name|description|filter|url|authorizerUrl|posDisplayLabel|key|number)$/;
  const hasText = (type: GraphQLInputType, seen: readonly string[] = []): boolean => {
    const named = getNamedType(type);
    if (!isInputObjectType(named) || seen.includes(named.name) || named.name.endsWith('Filter')) return false;
    const fields = Object.values(named.getFields());
    return fields.some(
      (field) =>
        (typed.test(field.name) && !isInputObjectType(getNamedType(field.type))) ||
        hasText(field.type, [...seen, named.name]),
    );
  };
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const asking = mutations.filter(({ args }) =>
    args.some((each) => typed.test(each.name) || hasText(each.type)),
  );
  const names = asking.map(({ name }) => name).filter((name) => !OTHERS.test(name));
  expect(names.toSorted()).toEqual(Object.keys(TYPED).toSorted());

  const found: Record<string, unknown> = {};
  for (const [name, [variables]] of Object.entries(TYPED)) {
    const given = await variables();
    const { warnings, userErrors } = await changed<{
      readonly warnings: readonly string[];
      readonly userErrors: readonly { readonly rule: string; readonly path: readonly string[] }[];
    }>(server.acme, mutationOf(name, 'warnings userErrors { rule path message }'), given);
    const refusal = userErrors[0]?.rule === 'card_number' ? 'refused' : JSON.stringify(userErrors);
    found[name] =
      userErrors.length > 0
        ? refusal
        : warnings.flatMap((text) => /^(.*): It looks like a card number/.exec(text)?.[1] ?? []).toSorted();
  }
  const expected = Object.entries(TYPED).map(([name, [, fields]]) => [
    name,
    typeof fields === 'string' ? fields : fields.toSorted(),
  ]);
  expect(found).toEqual(Object.fromEntries(expected));
});

it('a name with a card number gets a warning in /v1, until it no longer changes', async () => {
  const { client } = server.acme;
  const created = await client.post('groups', { name: `${CARD} v1` });
  expect(created.status).toBe(201);
  expect(created.headers.get('x-warning')).toMatch(/^name: It looks like a card number/);
  const same = await client.put(`groups/${encodeURIComponent(`${CARD} v1`)}`, { name: `${CARD} v1` });
  expect(same.headers.get('x-warning')).toBeNull();
});
