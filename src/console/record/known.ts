import type { Reference } from '../ui/reference-input';
import {
  findApps,
  findAppVersions,
  findGroups,
  findLogicalNumbers,
  findMembers,
  findSavedFilters,
} from './find';

/** Knowledge of a field by its name, wherever it stands: in lists, records, filters and forms. */
export interface Known {
  /**
   * How a value is shown: `count` is the number of records of a list, `state` a word with a colour, `word` one without.
   * Times in lists are shown as `ago`, how long they are past, and in records as they are.
   */
  readonly kind?:
    | 'ago'
    | 'amount'
    | 'bytes'
    | 'code'
    | 'count'
    | 'flag'
    | 'number'
    | 'state'
    | 'time'
    | 'word';
  /** Pixels of a column at least; wider columns get more of what is left. */
  readonly width?: number;
  /** Page of the record: the field is that record, or the name of the record that has the field. */
  readonly page?: string;
  /** Finds records by their names, at most some ten, for a field that is a record. */
  readonly find?: (text: string) => Promise<readonly Reference[]>;
  /** Values to choose from, whose words are those of the page. */
  readonly values?: readonly string[];
  /** How a filter compares a text: `contains` where nothing is said. */
  readonly comparator?: 'startsWith' | 'eq';
  /** Kind of a text in a form: `date`, `password`. */
  readonly type?: string;
  readonly autoComplete?: string;
  /** Lines of a text area. */
  readonly rows?: number;
  readonly isFlag?: boolean;
  readonly isFile?: boolean;
  /** Whether the text is a list: `device.*, group.update`. */
  readonly isList?: boolean;
  /** Whether it may stay empty: an empty text, or no record, is sent as null, and no file is sent. */
  readonly isOptional?: boolean;
}

const NUMBER: Known = { kind: 'number', width: 110 };
const COUNT: Known = { kind: 'count', width: 115 };
const LONG: Known = { width: 220 };
const STATE: Known = { kind: 'state', width: 115 };
const WORD: Known = { kind: 'word', width: 110 };
const FLAG: Known = { kind: 'flag', width: 115, isFlag: true };
const EXACT: Known = { width: 110, comparator: 'eq' };
const PASSWORD: Known = { type: 'password', autoComplete: 'current-password' };
const NEW_PASSWORD: Known = { type: 'password', autoComplete: 'new-password' };

const KNOWN: Readonly<Record<string, Known>> = {
  acquirer: EXACT,
  actorId: { find: findMembers },
  amount: { kind: 'amount', width: 110 },
  app: { page: '/apps', width: 180 },
  appId: { find: findApps },
  appName: EXACT,
  appVersions: { ...COUNT, page: '/app-versions' },
  at: { kind: 'time', width: 190 },
  attempts: { kind: 'number', width: 100 },
  authorizationCode: EXACT,
  brand: EXACT,
  bytecodeFile: { isFile: true, isOptional: true },
  communicationFormat: { width: 120, values: ['HTTP', 'ISO8583', 'ISO20022'] },
  content: { width: 300 },
  count: NUMBER,
  crc: { kind: 'code' },
  current: PASSWORD,
  deliveredSequence: NUMBER,
  description: { ...LONG, rows: 2, isOptional: true },
  device: { page: '/devices' },
  devices: { ...LONG, page: '/devices' },
  displayable: FLAG,
  email: { width: 200, type: 'email' },
  enabled: FLAG,
  events: { width: 160, isList: true },
  expiresAt: { kind: 'ago', type: 'date', isOptional: true },
  failingSince: { kind: 'ago' },
  file: { isFile: true },
  fileType: { ...WORD, values: ['ASSET', 'TORRENT'] },
  frameworkVersion: { width: 140, comparator: 'startsWith' },
  group: { page: '/groups', width: 130, find: findGroups },
  groupId: { find: findGroups },
  hasDevice: FLAG,
  hasLogicalNumber: FLAG,
  hasReported: FLAG,
  keepOldFor: { values: ['0s', '1h', '24h', '7d', '30d'] },
  key: { kind: 'code', width: 200 },
  kind: WORD,
  language: { width: 100, values: ['RUBY', 'POSXML'] },
  logicalNumber: { page: '/logical-numbers', width: 115 },
  logicalNumberId: { find: findLogicalNumbers },
  logicalNumbers: { ...COUNT, rows: 4, isList: true },
  model: { width: 90 },
  name: { width: 200 },
  new: NEW_PASSWORD,
  newPassword: NEW_PASSWORD,
  nsu: EXACT,
  number: { kind: 'code', width: 120, comparator: 'startsWith' },
  obstacle: { ...WORD, width: 190, values: ['DISABLED', 'SILENT', 'NOT_ATTACHED', 'MOVED'] },
  oldSecretUntil: { kind: 'ago' },
  parameters: COUNT,
  password: PASSWORD,
  paymentMethod: EXACT,
  posDisplayLabel: { isOptional: true },
  presence: { ...STATE, values: ['ONLINE', 'STALE', 'OFFLINE', 'NEVER_SEEN'] },
  progress: { width: 170 },
  reference: EXACT,
  refused: FLAG,
  rejected: NUMBER,
  role: { width: 120, kind: 'word', values: ['VIEWER', 'OPERATOR', 'ADMIN'] },
  savedFilterId: { find: findSavedFilters },
  serialNumber: { kind: 'code', width: 140 },
  sha256: { kind: 'code' },
  since: { kind: 'ago', width: 140 },
  size: { kind: 'bytes', width: 100 },
  startedAt: { kind: 'time', width: 190 },
  state: STATE,
  transactionType: WORD,
  url: { width: 260 },
  value: LONG,
  wave: { kind: 'number', width: 70 },
  version: { comparator: 'eq', find: findAppVersions },
};

/** Knowledge of a field; of a part such as `owner.groupId` by its last name. */
export function knownOf(name: string): Known {
  const last = name.replace(/^.*\./, '');
  return KNOWN[last] ?? (last.endsWith('At') ? { kind: 'ago', width: 140 } : {});
}
