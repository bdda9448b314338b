import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

import type { Fields } from './client.js';
import { zonedMilliseconds, zonedSeconds, type Change, type Done, type Life } from './parity.js';
import * as fleet from './parity-fleet-documents.js';
import { formWith, ids, type Setting } from './parity-setting.js';
import * as software from './parity-software-documents.js';
import type { Member, TestServer } from './server.js';
import { asked } from './typed.js';
import { carrying } from './uploading.js';

const read: Life['read'] = (member, id) => asked(member, software.NodeRead, { id });

/** What all lives do alike, and changes through GraphQL. */
function through<Input extends object>(
  update: TypedDocumentNode<Done, { id: string; input: Input }>,
  remove: TypedDocumentNode<Done, { id: string }>,
) {
  const by = (member: Member, id: string, input: Input) => asked(member, update, { id, input });
  const common: Pick<Life, 'read' | 'touch' | 'remove'> = {
    read,
    touch: (member, id) => by(member, id, {} as Input),
    remove: (member, id) => asked(member, remove, { id }),
  };
  const change = (what: string, input: Input, shows: Fields = {}): Change => ({
    what: `GraphQL ${what}`,
    by: (member, id) => by(member, id, input),
    shows,
  });
  return { common, change };
}

/** Changes through REST, which shows what was sent unless told. */
const puts = (what: string, put: Fields, shows: Fields = put): Change => ({
  what: `REST ${what}`,
  by: { put },
  shows,
});
const name = (value: unknown): string => encodeURIComponent(String(value));

function group(): Life {
  const { common, change } = through(fleet.GroupUpdate, fleet.GroupDelete);
  return {
    ...common,
    ...{ type: 'Group', key: 'group', collection: 'groups' },
    path: (record) => `groups/${name(record.name)}`,
    create: (member) => asked(member, fleet.GroupCreate, { input: { name: 'grüppe of GraphQL' } }),
    created: { name: 'grüppe of GraphQL', created_via: 'api' },
    changes: [
      puts('renames it', { name: 'renamed by REST' }),
      change('renames it', { name: 'renamed by GraphQL' }, { name: 'renamed by GraphQL' }),
      change('keeps what is absent', {}),
      puts('keeps what is absent', {}),
    ],
    post: { name: 'group of REST' },
  };
}

function logicalNumber({ group: groupId, version }: Setting): Life {
  const { common, change } = through(fleet.LogicalNumberUpdate, fleet.LogicalNumberDelete);
  const linked = { group_id: groupId, app_version_ids: [version] };
  const alone = { group_id: null, app_version_ids: [] };
  const links = { groupId: ids.group(groupId), appVersionIds: [ids.version(version)] };
  const number = 'L of GraphQL';
  return {
    ...common,
    ...{ type: 'LogicalNumber', key: 'logical_number', collection: 'logical_numbers' },
    path: (record) => `logical_numbers/${name(record.number)}`,
    create: (member) => asked(member, fleet.LogicalNumberCreate, { input: { number, ...links } }),
    created: { number, ...linked },
    changes: [
      puts('renumbers it', { number: 'L renumbered' }),
      puts('takes its versions', { app_version_ids: [] }),
      change('gives it versions', { appVersionIds: links.appVersionIds }, linked),
      change('keeps what is absent', {}),
      change('takes it out of its group', { groupId: null }, alone),
      puts('puts it into a group', linked),
      puts('takes it out of its group', { group_id: null }, alone),
      change('puts it into a group', { ...links, number: 'L anew' }, { ...linked, number: 'L anew' }),
    ],
    post: { number: 'L of REST', ...linked },
  };
}

function device({ number }: Setting): Life {
  const { common, change } = through(fleet.DeviceUpdate, fleet.DeviceDelete);
  const created = { enabled: false, logical_number_id: number, meta: {}, framework_version: null };
  const input = { serialNumber: 'S of GraphQL', enabled: false, logicalNumberId: ids.number(number) };
  return {
    ...common,
    ...{ type: 'Device', key: 'device', collection: 'devices' },
    path: (record) => `devices/${name(record.serial_number)}`,
    readPath: ({ id }) => `devices/${String(id)}`,
    create: (member) => asked(member, fleet.DeviceCreate, { input }),
    created: { ...created, serial_number: 'S of GraphQL' },
    changes: [
      puts('enables it', { enabled: true }),
      change('takes its logical number', { logicalNumberId: null }, { logical_number_id: null }),
      puts('gives it a logical number', { logical_number_id: number }),
      change('disables it', { enabled: false }, { enabled: false }),
      change('keeps what is absent', {}),
      puts('takes its logical number', { logical_number_id: null }),
    ],
    post: { serial_number: 'S of REST', logical_number_id: number },
  };
}

type OwnerKind = 'group' | 'logical_number';

function ownedBy({ group: groupId, groupName, number, numberName }: Setting, kind: OwnerKind) {
  return kind === 'group'
    ? {
        owner: { groupId: ids.group(groupId) },
        query: { name: groupName },
        shows: { group_id: groupId, logical_number_id: null },
      }
    : {
        owner: { logicalNumberId: ids.number(number) },
        query: { number: numberName },
        shows: { group_id: null, logical_number_id: number },
      };
}

function parameter(setting: Setting, kind: OwnerKind): Life {
  const { owner, query, shows } = ownedBy(setting, kind);
  const { common, change } = through(fleet.ParameterUpdate, fleet.ParameterDelete);
  const given = { key: 'key of GraphQL', value: ' a\nvalue ', description: 'what for' };
  return {
    ...common,
    ...{ type: 'Parameter', key: `${kind}_parameter`, collection: 'parameters', query },
    path: ({ id }) => `parameters/${String(id)}`,
    create: (member) => asked(member, fleet.ParameterCreate, { input: { owner, ...given } }),
    created: { ...given, ...shows },
    changes: [
      puts('changes its value', { value: '' }),
      change('clears its description', { description: null }, { description: null }),
      puts('describes it', { description: 'null', key: 'another key' }),
      change('keeps what is absent', {}),
      change('gives it the text null', { value: 'null' }, { value: 'null' }),
      puts('clears its description', { description: null }),
    ],
    post: { key: 'key of REST', value: 'value' },
    posted: { ...shows, description: null },
  };
}

/** JSON of every kind; a text that reads like another value is none. */
const VALUES: readonly unknown[] = [
  ...['text', '', 'null', '1', 'ü\u{1f600}"\\\n', 0, -7, 1.5e-7, 9007199254740991, 1e300, true, false, null],
  ...[[], {}, [1, 'two', null, [false]], { a: { b: [null, { c: 'd' }] }, camelCase: 1, snake_case: [] }],
];

function metacontent(setting: Setting, kind: OwnerKind): Life {
  const { owner, query, shows } = ownedBy(setting, kind);
  const { common, change } = through(fleet.MetacontentUpdate, fleet.MetacontentDelete);
  const given = { key: 'key of GraphQL', value: null };
  return {
    ...common,
    ...{ type: 'Metacontent', key: `${kind}_metacontent`, collection: 'metacontents', query },
    path: ({ id }) => `metacontents/${String(id)}`,
    create: (member) => asked(member, fleet.MetacontentCreate, { input: { owner, ...given } }),
    created: { ...given, ...shows },
    changes: [
      ...VALUES.flatMap((value) => [
        change(`gives it ${JSON.stringify(value)}`, { value }, { value }),
        puts('gives it a list', { value: [value] }),
        puts(`gives it ${JSON.stringify(value)}`, { value }),
      ]),
      change('keeps what is absent', { key: 'another key' }, { key: 'another key' }),
      puts('keeps what is absent', { key: 'a third key' }),
    ],
    read: (member, id) => asked(member, fleet.MetacontentRead, { id }),
    post: { key: 'key of REST', value: null },
    posted: shows,
  };
}

function app(): Life {
  const { common, change } = through(software.AppUpdate, software.AppDelete);
  const given = { name: 'app of GraphQL', description: 'what for' };
  const enumerations = { kind: 'MODULE', language: 'RUBY', communicationFormat: 'ISO20022' } as const;
  return {
    ...common,
    ...{ type: 'App', key: 'app', collection: 'apps', time: zonedSeconds },
    path: ({ id }) => `apps/${String(id)}`,
    create: (member) => asked(member, software.AppCreate, { input: { ...given, ...enumerations } }),
    created: {
      ...{ name: 'app of GraphQL.rb', description: 'what for' },
      ...{ kind: 'module', language: 'ruby', communication_format: 'iso20022' },
    },
    changes: [
      puts('changes how it speaks', { communication_format: 'iso8583' }),
      change('clears its description', { description: null }, { description: null }),
      puts('changes its name', { name: 'renamed.posxml' }, { name: 'renamed.posxml', language: 'posxml' }),
      change('keeps what is absent', {}),
      change('changes its kind', { kind: 'STANDARD' }, { kind: 'standard' }),
      change('changes how it speaks', { communicationFormat: 'HTTP' }, { communication_format: 'http' }),
      puts('describes it', { description: 'STANDARD' }),
      change('changes its language', { language: 'RUBY' }, { language: 'ruby', name: 'renamed.rb' }),
      puts('clears its description', { description: null }),
    ],
    post: { name: 'app of REST.rb', kind: 'module', communication_format: 'iso8583' },
    posted: { language: 'ruby', created_via: 'api' },
  };
}

/** The check value of CRC-16/XMODEM is that of these bytes. */
const NINE = '123456789';
const NINE_BASE64 = 'MTIzNDU2Nzg5';
const ofNine = { size: 9, crc: '31C3' };
const ofNothing = { size: 0, crc: '0000' };

function appVersion({ app: appId, group: groupId, emptyGroup, module, file: fileId }: Setting): Life {
  const { common, change } = through(software.AppVersionUpdate, software.AppVersionDelete);
  const links = {
    groupIds: [ids.group(emptyGroup), ids.group(groupId)],
    ...{ moduleIds: [ids.version(module)], fileIds: [ids.file(fileId)] },
  };
  const linked = { group_ids: [groupId, emptyGroup], module_ids: [module], file_ids: [fileId] };
  const unlinked = { group_ids: [], module_ids: [], file_ids: [] };
  const texts = { authorizer_url: 'https://authorizer.example', pos_display_label: 'label' };
  const given = { authorizerUrl: texts.authorizer_url, posDisplayLabel: 'label', bytecode: NINE_BASE64 };
  const input = { appId: ids.app(appId), number: '1.0', displayable: true, ...given, ...links };
  const withoutTexts = { authorizer_url: null, pos_display_label: null };
  return {
    ...common,
    ...{ type: 'AppVersion', key: 'app_version', time: zonedMilliseconds },
    collection: `apps/${appId}/versions`,
    path: ({ id }) => `apps/${appId}/versions/${String(id)}`,
    create: (member) => asked(member, software.AppVersionCreate, { input }),
    created: { ...texts, ...linked, ...ofNine, displayable: true, app_id: appId, bytecode: NINE_BASE64 },
    changes: [
      puts('changes its links', { group_ids: [emptyGroup], module_ids: [], file_ids: [] }),
      change('clears its texts', { authorizerUrl: null, posDisplayLabel: null }, withoutTexts),
      change('keeps what is absent', {}),
      puts('takes its bytecode', { bytecode: null }, { bytecode: null, ...ofNothing }),
      change('gives it bytecode', { bytecode: NINE_BASE64 }, { bytecode: NINE_BASE64, ...ofNine }),
      puts('describes it', { ...texts, displayable: false, number: '1.1' }),
      change('changes its links', links, linked),
      change('takes its bytecode', { bytecode: null }, { bytecode: null, ...ofNothing }),
      puts('gives it empty bytecode', { bytecode: '' }),
      change('takes its links', { groupIds: [], moduleIds: [], fileIds: [] }, unlinked),
      puts('clears its texts', withoutTexts),
    ],
    post: { number: '2.0', ...texts, ...linked, bytecode: NINE_BASE64 },
    posted: ofNine,
  };
}

function file(server: TestServer): Life {
  const { common, change } = through(software.FileUpdate, software.FileDelete);
  const sending = (member: Member, bytes: string, fileName: string) =>
    carrying(server, member, { bytes, name: fileName });
  const given = { fileType: 'TORRENT', description: 'what for' } as const;
  const nine = { content: NINE_BASE64, ...ofNine };
  return {
    ...common,
    ...{ type: 'File', key: 'file', collection: 'files' },
    path: ({ id }) => `files/${String(id)}`,
    create: (member) =>
      asked(sending(member, NINE, 'nine.bin'), software.FileCreate, { file: null, ...given }),
    created: { name: 'nine.bin', file_type: 'torrent', description: 'what for', ...nine },
    changes: [
      {
        what: 'REST empties it',
        by: { put: formWith('', 'none.bin') },
        shows: { name: 'none.bin', content: '', ...ofNothing },
      },
      change('clears its description', { description: null }, { description: null }),
      change('keeps what is absent', {}),
      {
        what: 'GraphQL gives it bytes',
        by: (member, id) =>
          asked(sending(member, NINE, 'anew.bin'), software.FileReplace, { id, file: null }),
        shows: { name: 'anew.bin', ...nine },
      },
      {
        what: 'REST changes what is said of it',
        by: { put: formWith(null, '', { file_type: 'asset', description: 'null' }) },
        shows: { file_type: 'asset', description: 'null' },
      },
      change('changes its type', { fileType: 'TORRENT' }, { file_type: 'torrent' }),
    ],
    post: formWith(NINE, 'of REST.bin', { description: 'ü' }),
    posted: { name: 'of REST.bin', description: 'ü', file_type: 'asset', ...nine },
  };
}

/** By what it is a life of; of all that both surfaces create, change and delete. */
export const LIVES: Readonly<Record<string, (setting: Setting, server: TestServer) => Life>> = {
  'a group': group,
  'a logical number': logicalNumber,
  'a device': device,
  'an app': app,
  'an app version': appVersion,
  'a file': (_, server) => file(server),
  'a parameter of a group': (setting) => parameter(setting, 'group'),
  'a parameter of a logical number': (setting) => parameter(setting, 'logical_number'),
  'a metacontent of a group': (setting) => metacontent(setting, 'group'),
  'a metacontent of a logical number': (setting) => metacontent(setting, 'logical_number'),
};
