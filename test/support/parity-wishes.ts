import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

import type { Fields, Reply } from './client.js';
import * as fleetDocuments from './parity-fleet-documents.js';
import { ids, type Setting } from './parity-setting.js';
import * as softwareDocuments from './parity-software-documents.js';
import { snakeCase, type Done } from './parity.js';
import type { Member } from './server.js';
import { asked } from './typed.js';

export const documents = { ...fleetDocuments, ...softwareDocuments };

export type Code = 'INVALID' | 'TAKEN' | 'NOT_FOUND' | 'NOT_EMPTY';
export interface Calls {
  readonly graphql: (member: Member) => Promise<Done>;
  readonly rest: (member: Member) => Promise<Reply>;
}
type Document<Variables> = TypedDocumentNode<Done, Variables>;

/** The same wish through both surfaces. */
export function both<Variables extends Fields>(
  document: Document<Variables>,
  variables: Variables,
  [method, path, body]: readonly ['POST' | 'PUT' | 'DELETE', string, (Fields | FormData)?],
): Calls {
  return {
    graphql: (member) => asked(member, document, variables),
    rest: ({ client }) => client.request(method, path, body),
  };
}

export const UNKNOWN = 987_654;
export const long = (length: number): string => 'x'.repeat(length);

type Wish = readonly [
  what: string,
  code: Code,
  paths: readonly string[],
  make: (setting: Setting & { readonly device: number }) => Calls,
];

/** What neither surface grants, and of which both must say the same. */
export const WISHES: readonly Wish[] = [
  ['a group without a name', 'INVALID', ['input.name'], () => group('')],
  ['a group with a long name', 'INVALID', ['input.name'], () => group(long(256))],
  ['a group with an invisible name', 'INVALID', ['input.name'], () => group('a\u200bb')],
  ['a second group of a name', 'TAKEN', ['input.name'], () => group('other')],
  [
    'a group with the name of another',
    'TAKEN',
    ['input.name'],
    ({ emptyGroup }) =>
      both(documents.GroupUpdate, { id: ids.group(emptyGroup), input: { name: 'other' } }, [
        ...(['PUT', 'groups/group%20of%20nothing', { name: 'other' }] as const),
      ]),
  ],
  [
    'a group with null for a name',
    'INVALID',
    ['input.name'],
    ({ emptyGroup }) =>
      both(documents.GroupUpdate, { id: ids.group(emptyGroup), input: { name: null } }, [
        ...(['PUT', 'groups/group%20of%20nothing', { name: null }] as const),
      ]),
  ],
  [
    'a group that is not empty to go',
    'NOT_EMPTY',
    [''],
    ({ group: id, groupName }) =>
      both(documents.GroupDelete, { id: ids.group(id) }, [
        'DELETE',
        `groups/${encodeURIComponent(groupName)}`,
      ]),
  ],
  ['a number with a comma', 'INVALID', ['input.number'], () => number({ number: '1,2' })],
  ['a second number', 'TAKEN', ['input.number'], () => number({ number: 'taken' })],
  [
    'a number in a group of nobody',
    'INVALID',
    ['input.groupId'],
    () => number({ number: 'new', groupId: UNKNOWN }),
  ],
  [
    'a number with a version that its group has not',
    'INVALID',
    ['input.appVersionIds'],
    ({ emptyGroup, version }) =>
      number({ number: 'new', groupId: emptyGroup, appVersionIds: [version, UNKNOWN] }),
  ],
  ['a device without a serial number', 'INVALID', ['input.serialNumber'], () => device({ serialNumber: '' })],
  ['a second device', 'TAKEN', ['input.serialNumber'], () => device({ serialNumber: 'taken' })],
  [
    'a device of no logical number',
    'INVALID',
    ['input.logicalNumberId'],
    () => device({ serialNumber: 'new', logicalNumberId: UNKNOWN }),
  ],
  [
    'a device that is neither enabled nor disabled',
    'INVALID',
    ['input.enabled'],
    ({ device: id }) =>
      both(documents.DeviceUpdate, { id: ids.device(id), input: { enabled: null } }, [
        ...(['PUT', 'devices/taken', { enabled: null }] as const),
      ]),
  ],
  [
    'an app with two faults',
    'INVALID',
    ['input.name', 'input.description'],
    () => app({ name: '', description: long(4_001) }),
  ],
  ['a second app', 'TAKEN', ['input.name'], () => app({ name: 'taken.posxml', description: null })],
  [
    'an app of no language',
    'INVALID',
    ['input.language'],
    ({ app: id }) =>
      both(documents.AppUpdate, { id: ids.app(id), input: { language: null } }, [
        ...(['PUT', `apps/${id}`, { language: null }] as const),
      ]),
  ],
  [
    'a version with bytecode that is no base64',
    'INVALID',
    ['input.number', 'input.bytecode'],
    ({ app: id }) => version(id, { number: ' ', bytecode: '*' }),
  ],
  ['a second version', 'TAKEN', ['input.number'], ({ app: id }) => version(id, { number: 'taken' })],
  [
    'a version of groups of nobody',
    'INVALID',
    ['input.groupIds'],
    ({ app: id, group: known }) => version(id, { number: 'new', groupIds: [known, UNKNOWN] }),
  ],
  [
    'a version whose module is none',
    'INVALID',
    ['input.moduleIds'],
    ({ app: id, version: standard }) => version(id, { number: 'new', moduleIds: [standard] }),
  ],
  [
    'a version with files of nobody',
    'INVALID',
    ['input.fileIds'],
    ({ app: id }) => version(id, { number: 'new', fileIds: [UNKNOWN] }),
  ],
  ['a parameter without a key', 'INVALID', ['input.key'], (s) => parameter(s, { key: '', value: 'x' })],
  ['a second parameter', 'TAKEN', ['input.key'], (s) => parameter(s, { key: 'taken', value: 'x' })],
  [
    'a parameter with a large value',
    'INVALID',
    ['input.value', 'input.description'],
    (s) => parameter(s, { key: 'new', value: long(65_537), description: long(4_097) }),
  ],
  [
    'a parameter of a group of nobody',
    'NOT_FOUND',
    ['input.owner'],
    () => parameter({ group: UNKNOWN, groupName: 'nobody' }, { key: 'new', value: 'x' }),
  ],
  ['a metacontent without a value', 'INVALID', ['input.value'], (s) => metacontent(s, { key: 'new' })],
  ['a second metacontent', 'TAKEN', ['input.key'], (s) => metacontent(s, { key: 'taken', value: {} })],
  [
    'a metacontent with a large value',
    'INVALID',
    ['input.value'],
    (s) => metacontent(s, { key: 'new', value: [long(262_144)] }),
  ],
  ['a notification without words', 'INVALID', ['input.content'], ({ group: id }) => notification(id, ' ')],
  ['a notification for nobody', 'INVALID', ['input.target.groupId'], () => notification(UNKNOWN, 'Hello')],
  [
    'a notification for unknown numbers',
    'INVALID',
    ['input.target.logicalNumbers'],
    () =>
      both(
        documents.NotificationSend,
        { input: { content: 'x', target: { logicalNumbers: ['taken', 'nobody', 'none'] } } },
        [
          ...(['POST', 'notifications'] as const),
          { content: 'x', range: 'specific_logical_numbers', logical_numbers: 'taken,nobody,none' },
        ],
      ),
  ],
  [
    'a notification to show that an app handles',
    'INVALID',
    ['input.appId'],
    ({ group: id, app: appId }) => notification(id, 'Hello', appId),
  ],
];

function group(name: string): Calls {
  return both(documents.GroupCreate, { input: { name } }, ['POST', 'groups', { name }]);
}

function number(wish: { number: string; groupId?: number; appVersionIds?: readonly number[] }): Calls {
  const { number: text, groupId, appVersionIds } = wish;
  const input = {
    number: text,
    ...(groupId === undefined ? {} : { groupId: ids.group(groupId) }),
    ...(appVersionIds === undefined ? {} : { appVersionIds: appVersionIds.map(ids.version) }),
  };
  return both(documents.LogicalNumberCreate, { input }, ['POST', 'logical_numbers', inRest(wish)]);
}

function device(wish: { serialNumber: string; logicalNumberId?: number }): Calls {
  const { serialNumber, logicalNumberId } = wish;
  const logical = logicalNumberId === undefined ? {} : { logicalNumberId: ids.number(logicalNumberId) };
  return both(documents.DeviceCreate, { input: { serialNumber, ...logical } }, [
    'POST',
    'devices',
    inRest(wish),
  ]);
}

function app(input: { name: string; description: string | null }): Calls {
  return both(documents.AppCreate, { input }, ['POST', 'apps', input]);
}

interface VersionWish {
  readonly number: string;
  readonly bytecode?: string;
  readonly groupIds?: readonly number[];
  readonly moduleIds?: readonly number[];
  readonly fileIds?: readonly number[];
}
function version(appId: number, wish: VersionWish): Calls {
  const { number: text, bytecode, groupIds = [], moduleIds = [], fileIds = [] } = wish;
  const links = {
    ...{ groupIds: groupIds.map(ids.group), moduleIds: moduleIds.map(ids.version) },
    fileIds: fileIds.map(ids.file),
  };
  const code = bytecode === undefined ? {} : { bytecode };
  const input = { appId: ids.app(appId), number: text, ...code, ...links };
  return both(documents.AppVersionCreate, { input }, ['POST', `apps/${appId}/versions`, inRest(wish)]);
}

type GroupOwner = Pick<Setting, 'group' | 'groupName'>;
type ParameterWish = Readonly<{ key: string; value: string; description?: string }>;
function parameter({ group: id, groupName: name }: GroupOwner, wish: ParameterWish): Calls {
  const owner = { groupId: ids.group(id) };
  return both(documents.ParameterCreate, { input: { owner, ...wish } }, [
    'POST',
    'parameters',
    { name, ...wish },
  ]);
}

function metacontent(
  { group: id, groupName: name }: GroupOwner,
  wish: { key: string; value?: unknown },
): Calls {
  const input = { owner: { groupId: ids.group(id) }, ...wish };
  return both(documents.MetacontentCreate, { input }, ['POST', 'metacontents', { name, ...wish }]);
}

function notification(groupId: number, content: string, appId?: number): Calls {
  const input = { content, target: { groupId: ids.group(groupId) } };
  return both(
    documents.NotificationSend,
    { input: appId === undefined ? input : { ...input, appId: ids.app(appId) } },
    ['POST', 'notifications', inRest({ content, range: 'group', groupId, ...(appId && { appId }) })],
  );
}

const inRest = (fields: object): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value as unknown]));
