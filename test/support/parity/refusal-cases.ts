import type { Fields, Reply, Member } from '../server.js';
import { create, mutate, remove, update, type Payload } from './operations.js';
import { ids, type RelatedRecords } from './related-records.js';
import { snakeCase } from './rest-spelling.js';

export type Code = 'INVALID' | 'TAKEN' | 'NOT_FOUND' | 'NOT_EMPTY';

/** One request in its GraphQL and its REST form. */
export interface Requests {
  readonly graphql: (member: Pick<Member, 'graphql'>) => Promise<Payload>;
  readonly rest: (member: Member) => Promise<Reply>;
}

/** A GraphQL input in REST's spelling: names in snake case, global ids as numbers. */
function restBody(input: Fields): Fields {
  const numberOf = (id: unknown): number =>
    Number(Buffer.from(String(id), 'base64url').toString('latin1').split(':')[1]);
  const entries = Object.entries(input).map(([name, value]) => {
    if (name.endsWith('Id') && value !== null) return [snakeCase(name), numberOf(value)];
    if (name.endsWith('Ids')) return [snakeCase(name), (value as unknown[]).map(numberOf)];
    return [snakeCase(name), value];
  });
  return Object.fromEntries(entries) as Fields;
}

type Body = Fields | FormData;

export const creating = (type: string, path: string, input: Fields, body?: Body): Requests => ({
  graphql: (member) => create(member, type, input),
  rest: ({ client }) => client.post(path, body ?? restBody(input)),
});

export const updating = (type: string, id: string, path: string, input: Fields, body?: Body): Requests => ({
  graphql: (member) => update(member, type, id, input),
  rest: ({ client }) => client.put(path, body ?? restBody(input)),
});

const deleting = (type: string, id: string, path: string): Requests => ({
  graphql: (member) => remove(member, type, id),
  rest: ({ client }) => client.delete(path),
});

/** An id that no record has. */
const UNKNOWN = 987_654;
export const long = (length: number): string => 'x'.repeat(length);

type Records = RelatedRecords & { readonly device: number };
type RefusalCase = readonly [
  what: string,
  /** Code of the user errors of GraphQL, and their paths joined by dots: `INVALID input.name input.description`. */
  refusal: string,
  requests: (records: Records) => Requests,
];

const group = (name: string): Requests => creating('Group', 'groups', { name });
const groupOf = ({ group: id, groupName }: Records): Requests =>
  deleting('Group', ids.group(id), `groups/${encodeURIComponent(groupName)}`);
const emptyGroup = (records: Records, name: string | null): Requests =>
  updating('Group', ids.group(records.emptyGroup), 'groups/empty%20group', { name });
const number = (input: Fields): Requests => creating('LogicalNumber', 'logical_numbers', input);
const changedNumber = ({ number: id, numberName }: Records, input: Fields): Requests =>
  updating('LogicalNumber', ids.number(id), `logical_numbers/${encodeURIComponent(numberName)}`, input);
const device = (input: Fields): Requests => creating('Device', 'devices', input);
const app = (input: Fields): Requests => creating('App', 'apps', input);
const changedApp = ({ app: id }: Records, input: Fields): Requests =>
  updating('App', ids.app(id), `apps/${id}`, input);
const version = ({ app: id }: Records, input: Fields): Requests =>
  creating('AppVersion', `apps/${id}/versions`, { appId: ids.app(id), ...input }, restBody(input));
/** A version with the number `new` and these links. */
const linked = (records: Records, links: Fields): Requests => version(records, { number: 'new', ...links });

type GroupOwner = Pick<RelatedRecords, 'group' | 'groupName'>;
/** A parameter or metacontent of a group, which GraphQL names by its id and REST by its name. */
const owned =
  (type: string, path: string) =>
  ({ group: id, groupName: name }: GroupOwner, fields: Fields): Requests =>
    creating(type, path, { owner: { groupId: ids.group(id) }, ...fields }, { name, ...fields });
const parameter = owned('Parameter', 'parameters');
const metacontent = owned('Metacontent', 'metacontents');

function notification(groupId: number, content: string, appId?: number): Requests {
  const app = appId === undefined ? {} : { appId: ids.app(appId) };
  const input = { content, ...app, target: { groupId: ids.group(groupId) } };
  return sending(input, { content, range: 'group', group_id: groupId, ...restBody(app) });
}

const sending = (input: Fields, body: Fields): Requests => ({
  graphql: (member) => mutate(member, 'notificationSend', { input }),
  rest: ({ client }) => client.post('notifications', body),
});

const toNumbers = (...logicalNumbers: string[]): Requests => {
  const body = { range: 'specific_logical_numbers', logical_numbers: logicalNumbers.join() };
  return sending({ content: 'x', target: { logicalNumbers } }, { content: 'x', ...body });
};

/** A number whose group does not have all of these versions. */
const numberWith = ({ emptyGroup: id, version: known }: Records): Requests =>
  number({ number: 'new', groupId: ids.group(id), appVersionIds: [known, UNKNOWN].map(ids.version) });

const OF_UNKNOWN = { serialNumber: 'new', logicalNumberId: ids.number(UNKNOWN) };
const TWO_FAULTS = { name: '', description: long(4_001) };
const NO_VERSION = { number: ' ', bytecode: '*' };
/** Values that are too long. */
const HUGE = long(262_144);
const LARGE = { value: long(65_537), description: long(4_097) };
const NOBODY: GroupOwner = { group: UNKNOWN, groupName: 'nobody' };

/** Requests that both surfaces refuse with the same messages. */
export const REFUSAL_CASES: readonly RefusalCase[] = [
  ['a group without a name', 'INVALID input.name', () => group('')],
  ['a group with a long name', 'INVALID input.name', () => group(long(256))],
  ['a group with an invisible name', 'INVALID input.name', () => group('a\u200bb')],
  ['a second group of a name', 'TAKEN input.name', () => group('other')],
  ['a group with the name of another', 'TAKEN input.name', (of) => emptyGroup(of, 'other')],
  ['a group with null for a name', 'INVALID input.name', (of) => emptyGroup(of, null)],
  ['the deletion of a group that is not empty', 'NOT_EMPTY', groupOf],
  ['a number with a comma', 'INVALID input.number', () => number({ number: '1,2' })],
  ['a number with nothing but a comma', 'INVALID input.number', () => number({ number: ',' })],
  ['a second number', 'TAKEN input.number', () => number({ number: 'taken' })],
  ['a number that becomes another one', 'TAKEN input.number', (of) => changedNumber(of, { number: 'taken' })],
  ['one of no group', 'INVALID input.groupId', () => number({ number: 'new', groupId: ids.group(UNKNOWN) })],
  ['a number with a version that its group does not have', 'INVALID input.appVersionIds', numberWith],
  ['a device without a serial number', 'INVALID input.serialNumber', () => device({ serialNumber: '' })],
  ['a second device', 'TAKEN input.serialNumber', () => device({ serialNumber: 'taken' })],
  ['a device of an unknown number', 'INVALID input.logicalNumberId', () => device(OF_UNKNOWN)],
  ['an app with two faults', 'INVALID input.name input.description', () => app(TWO_FAULTS)],
  ['a second app', 'TAKEN input.name', () => app({ name: 'taken.posxml', description: null })],
  ['an app with null for a language', 'INVALID input.language', (of) => changedApp(of, { language: null })],
  ['a version with two faults', 'INVALID input.number input.bytecode', (of) => version(of, NO_VERSION)],
  ['a second version', 'TAKEN input.number', (of) => version(of, { number: 'taken' })],
  [
    'a version of an unknown group',
    'INVALID input.groupIds',
    (of) => linked(of, { groupIds: [of.group, UNKNOWN].map(ids.group) }),
  ],
  [
    'a version whose module is not a module',
    'INVALID input.moduleIds',
    (of) => linked(of, { moduleIds: [ids.version(of.version)] }),
  ],
  ['one with an unknown file', 'INVALID input.fileIds', (of) => linked(of, { fileIds: [ids.file(UNKNOWN)] })],
  ['a parameter without a key', 'INVALID input.key', (of) => parameter(of, { key: '', value: 'x' })],
  ['a second parameter', 'TAKEN input.key', (of) => parameter(of, { key: 'taken', value: 'x' })],
  [
    'a parameter with a large value',
    'INVALID input.value input.description',
    (of) => parameter(of, { key: 'new', ...LARGE }),
  ],
  ['one of an unknown group', 'NOT_FOUND input.owner', () => parameter(NOBODY, { key: 'new', value: 'x' })],
  [
    'a metacontent of an unknown group',
    'NOT_FOUND input.owner',
    () => metacontent(NOBODY, { key: 'new', value: 1 }),
  ],
  ['a metacontent without a value', 'INVALID input.value', (of) => metacontent(of, { key: 'new' })],
  ['a second metacontent', 'TAKEN input.key', (of) => metacontent(of, { key: 'taken', value: {} })],
  ['one with a large value', 'INVALID input.value', (of) => metacontent(of, { key: 'new', value: [HUGE] })],
  ['a notification without text', 'INVALID input.content', (of) => notification(of.group, ' ')],
  ['a message to an unknown group', 'INVALID input.target.groupId', () => notification(UNKNOWN, 'Hello')],
  [
    'one for unknown numbers',
    'INVALID input.target.logicalNumbers',
    () => toNumbers('taken', 'nobody', 'no'),
  ],
  ['a text with the id of an app', 'INVALID input.appId', (of) => notification(of.group, 'Hello', of.app)],
];
