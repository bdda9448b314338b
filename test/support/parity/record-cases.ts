import { isDeepStrictEqual } from 'node:util';

import { fileForm, type Fields } from '../client.js';
import type { SentFile } from '../uploading.js';
import { ids, type RelatedRecords } from './related-records.js';
import { zonedMilliseconds, zonedSeconds, type TimeFormat } from './rest-spelling.js';

/** One change of a record through one surface, and the fields that REST then shows with other values. */
export type Change = { readonly what: string; readonly shows: Fields } & (
  | { readonly put: Fields | FormData }
  | { readonly input: Fields; readonly file?: SentFile }
);

/** How one kind of record is created, changed, read and deleted through both surfaces. */
export interface RecordCase {
  /** In GraphQL. */
  readonly type: string;
  /** REST's key of one record, and the path of all. */
  readonly key: string;
  readonly collection: string;
  /** Where REST changes and deletes it, and where it reads it if that differs. */
  readonly path: (record: Fields) => string;
  readonly readPath?: (record: Fields) => string;
  /** The owner, for REST routes that need one. */
  readonly query?: Readonly<Record<string, string>>;
  /** How REST writes its instants; in UTC and whole seconds if absent. */
  readonly time?: TimeFormat;
  /** Input of the GraphQL mutation that creates it, the file that goes with it, and some fields that REST then shows. */
  readonly input: Fields;
  readonly file?: SentFile;
  readonly created: Fields;
  readonly changes: readonly Change[];
  /** Body of the REST request that creates one, and some fields that GraphQL then shows, in REST's spelling. */
  readonly post: Fields | FormData;
  readonly posted?: Fields;
}

/** A change through REST; if `shows` is absent, REST shows what was sent. */
const puts = (what: string, put: Fields, shows = put): Change => ({ what: `REST ${what}`, put, shows });
const putsForm = (what: string, put: FormData, shows: Fields): Change => ({
  what: `REST ${what}`,
  put,
  shows,
});
/** A change through GraphQL; if `shows` is absent, no field changes. */
const change = (what: string, input: Fields, shows = {}): Change => ({
  what: `GraphQL ${what}`,
  input,
  shows,
});
const encoded = (value: unknown): string => encodeURIComponent(String(value));

function group(): RecordCase {
  return {
    type: 'Group',
    key: 'group',
    collection: 'groups',
    path: (record) => `groups/${encoded(record.name)}`,
    input: { name: 'grüppe of GraphQL' },
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

function logicalNumber({ group: groupId, version }: RelatedRecords): RecordCase {
  const linked = { group_id: groupId, app_version_ids: [version] };
  const alone = { group_id: null, app_version_ids: [] };
  const links = { groupId: ids.group(groupId), appVersionIds: [ids.version(version)] };
  const number = 'L of GraphQL';
  return {
    type: 'LogicalNumber',
    key: 'logical_number',
    collection: 'logical_numbers',
    path: (record) => `logical_numbers/${encoded(record.number)}`,
    input: { number, ...links },
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

function device({ number }: RelatedRecords): RecordCase {
  const created = { enabled: false, logical_number_id: number, meta: {}, framework_version: null };
  const input = { serialNumber: 'S of GraphQL', enabled: false, logicalNumberId: ids.number(number) };
  return {
    type: 'Device',
    key: 'device',
    collection: 'devices',
    path: (record) => `devices/${encoded(record.serial_number)}`,
    readPath: ({ id }) => `devices/${String(id)}`,
    input,
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

function ownedBy({ group: groupId, groupName, number, numberName }: RelatedRecords, kind: OwnerKind) {
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

function parameter(records: RelatedRecords, kind: OwnerKind): RecordCase {
  const { owner, query, shows } = ownedBy(records, kind);
  const given = { key: 'key of GraphQL', value: ' a\nvalue ', description: 'what for' };
  return {
    type: 'Parameter',
    key: `${kind}_parameter`,
    collection: 'parameters',
    query,
    path: ({ id }) => `parameters/${String(id)}`,
    input: { owner, ...given },
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

/** JSON of every kind, texts that look like another kind among them. */
const VALUES: readonly unknown[] = [
  'text',
  '',
  'null',
  '1',
  'ü\u{1f600}"\\\n',
  0,
  -7,
  1.5e-7,
  9007199254740991,
  1.5e-300,
  true,
  false,
  null,
  [],
  {},
  [1, 'two', null, [false]],
  { a: { b: [null, { c: 'd' }] }, camelCase: 1, snake_case: [] },
];

function metacontent(records: RelatedRecords, kind: OwnerKind): RecordCase {
  const { owner, query, shows } = ownedBy(records, kind);
  const given = { key: 'key of GraphQL', value: null };
  return {
    type: 'Metacontent',
    key: `${kind}_metacontent`,
    collection: 'metacontents',
    query,
    path: ({ id }) => `metacontents/${String(id)}`,
    input: { owner, ...given },
    created: { ...given, ...shows },
    changes: [
      // Each value through both, and never the same twice in a row.
      ...VALUES.flatMap((value, n) => {
        const other = VALUES[(n + 2) % VALUES.length];
        return [
          change(`gives it ${JSON.stringify(value)}`, { value }, { value }),
          puts(`gives it ${JSON.stringify(other)}`, { value: other }),
        ];
      }),
      change('keeps what is absent', { key: 'another key' }, { key: 'another key' }),
      puts('keeps what is absent', { key: 'a third key' }),
    ],
    post: { key: 'key of REST', value: null },
    posted: shows,
  };
}

function app(): RecordCase {
  const given = { name: 'app of GraphQL', description: 'what for' };
  const enumerations = { kind: 'MODULE', language: 'RUBY', communicationFormat: 'ISO20022' } as const;
  return {
    type: 'App',
    key: 'app',
    collection: 'apps',
    time: zonedSeconds,
    path: ({ id }) => `apps/${String(id)}`,
    input: { ...given, ...enumerations },
    created: { ...given, kind: 'module', language: 'ruby', communication_format: 'iso20022' },
    changes: [
      puts('changes how it speaks', { communication_format: 'iso8583' }),
      change('clears its description', { description: null }, { description: null }),
      puts('changes its name', { name: 'renamed.posxml' }, { name: 'renamed.posxml', language: 'posxml' }),
      change('keeps what is absent', {}),
      change('changes its kind', { kind: 'STANDARD' }, { kind: 'standard' }),
      change('changes how it speaks', { communicationFormat: 'HTTP' }, { communication_format: 'http' }),
      puts('describes it', { description: 'STANDARD' }),
      change('changes its language', { language: 'RUBY' }, { language: 'ruby', name: 'renamed' }),
      puts('clears its description', { description: null }),
    ],
    post: { name: 'app of REST.rb', kind: 'Module', communication_format: 'ISO8583' },
    posted: { language: 'ruby', kind: 'module', communication_format: 'iso8583', created_via: 'api' },
  };
}

/** CRC-16/XMODEM of these nine bytes is 31C3, the check value of the algorithm. */
const NINE = '123456789';
const NINE_BASE64 = 'MTIzNDU2Nzg5';
const ofNine = { size: 9, crc: '31C3' };
const ofNothing = { size: 0, crc: '0000' };

function appVersion({
  app: appId,
  group: groupId,
  emptyGroup,
  module,
  file: fileId,
}: RelatedRecords): RecordCase {
  const links = {
    groupIds: [ids.group(emptyGroup), ids.group(groupId)],
    moduleIds: [ids.version(module)],
    fileIds: [ids.file(fileId)],
  };
  const linked = { group_ids: [groupId, emptyGroup], module_ids: [module], file_ids: [fileId] };
  const unlinked = { group_ids: [], module_ids: [], file_ids: [] };
  const texts = { authorizer_url: 'https://authorizer.example', pos_display_label: 'label' };
  const given = { authorizerUrl: texts.authorizer_url, posDisplayLabel: 'label', bytecode: NINE_BASE64 };
  const input = { appId: ids.app(appId), number: '1.0', displayable: true, ...given, ...links };
  const withoutTexts = { authorizer_url: null, pos_display_label: null };
  return {
    type: 'AppVersion',
    key: 'app_version',
    time: zonedMilliseconds,
    collection: `apps/${appId}/versions`,
    path: ({ id }) => `apps/${appId}/versions/${String(id)}`,
    input,
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

function file(): RecordCase {
  const given = { fileType: 'TORRENT', description: 'what for' } as const;
  const nine = { content: NINE_BASE64, ...ofNine };
  const said = { file_type: 'asset', description: 'null' };
  return {
    type: 'File',
    key: 'file',
    collection: 'files',
    path: ({ id }) => `files/${String(id)}`,
    input: given,
    file: { bytes: NINE, name: 'nine.bin' },
    created: { name: 'nine.bin', file_type: 'torrent', description: 'what for', ...nine },
    changes: [
      putsForm('empties it', fileForm('none.bin', ''), { name: 'none.bin', content: '', ...ofNothing }),
      change('clears its description', { description: null }, { description: null }),
      change('keeps what is absent', {}),
      {
        what: 'GraphQL gives it bytes',
        input: {},
        file: { bytes: NINE, name: 'anew.bin' },
        shows: { name: 'anew.bin', ...nine },
      },
      putsForm('changes what is said of it', fileForm('', null, said), said),
      change('changes its type', { fileType: 'TORRENT' }, { file_type: 'torrent' }),
    ],
    post: fileForm('of REST.bin', NINE, { description: 'ü' }),
    posted: { name: 'of REST.bin', description: 'ü', file_type: 'asset', ...nine },
  };
}

/** Every kind of record that both surfaces create, change and delete. */
export const RECORD_CASES: Readonly<Record<string, (records: RelatedRecords) => RecordCase>> = {
  'a group': group,
  'a logical number': logicalNumber,
  'a device': device,
  'an app': app,
  'an app version': appVersion,
  'a file': file,
  'a parameter of a group': (records) => parameter(records, 'group'),
  'a parameter of a logical number': (records) => parameter(records, 'logical_number'),
  'a metacontent of a group': (records) => metacontent(records, 'group'),
  'a metacontent of a logical number': (records) => metacontent(records, 'logical_number'),
};

/** A change through GraphQL, without a file, of the record that was just created. */
export function firstChange({ changes, created, key }: RecordCase): Change & { readonly input: Fields } {
  const differs = ([field, value]: readonly [string, unknown]) => !isDeepStrictEqual(value, created[field]);
  for (const each of changes) {
    if (!('input' in each) || each.file !== undefined) continue;
    if (Object.entries(each.shows).some(differs)) return each;
  }
  throw new Error(`No change differs from the new ${key}`);
}
