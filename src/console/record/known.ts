import type { EnumValue, FieldName } from '../gql/schema';
import type { Reference } from '../ui/reference-input';
import {
  findApps,
  findAppVersions,
  findGroups,
  findLogicalNumbers,
  findMembers,
  findSavedFilters,
} from './find';

/** How people see and enter a field, by its name: in lists, records, filters and forms. The schema does not say it. */
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
    | 'percent'
    | 'state'
    | 'tags'
    | 'time'
    | 'word';
  /** Pixels of a column at least; wider columns get more of what is left. */
  readonly width?: number;
  /** Finds records by their names, at most some ten, for a field that is a record. */
  readonly find?: (text: string) => Promise<readonly Reference[]>;
  /** Values to choose from, whose words are those of the page. */
  readonly values?: readonly Choice[];
  /** How a filter compares a text: `contains` where nothing is said. */
  readonly comparator?: 'startsWith' | 'eq';
  /** Kind of the input in a form: `date`, `password`, `file`. */
  readonly type?: string;
  readonly autoComplete?: string;
  /** Lines of a text area. */
  readonly rows?: number;
  /** True if the text is a list: `device.*, group.update`. */
  readonly isList?: boolean;
  /** True if it may stay empty: an empty text, or no record, is sent as null, and no file is sent. */
  readonly isOptional?: boolean;
}

/** A value of an enumeration, a number or a duration. */
export type Choice = EnumValue | `${number}${'' | 's' | 'h' | 'd'}`;

const KNOWN: readonly (readonly [Known, ...(FieldName | 'new' | 'progress')[]])[] = [
  [{ kind: 'ago' }, 'failingSince', 'oldSecretUntil'],
  [{ kind: 'ago', type: 'date', isOptional: true }, 'expiresAt'],
  [{ kind: 'ago', width: 140 }, 'since'],
  [{ kind: 'amount', width: 110 }, 'amount'],
  [{ kind: 'bytes', width: 100 }, 'size'],
  [{ kind: 'code' }, 'crc', 'sha256'],
  [{ kind: 'code', width: 120, comparator: 'startsWith' }, 'number'],
  [{ kind: 'code', width: 140 }, 'serialNumber'],
  [{ kind: 'code', width: 200 }, 'key'],
  [{ kind: 'count', width: 115 }, 'appVersions', 'parameters'],
  [{ kind: 'count', width: 115, rows: 4, isList: true }, 'logicalNumbers'],
  [{ kind: 'flag', width: 115 }, 'displayable', 'enabled', 'refused'],
  [{ kind: 'flag' }, 'hasDevice', 'hasLogicalNumber', 'hasReported', 'routine'],
  [{ kind: 'number', width: 70 }, 'wave'],
  [{ kind: 'number', width: 100 }, 'attempts'],
  [{ kind: 'number', width: 110 }, 'count', 'deliveredSequence', 'rejected'],
  [{ kind: 'percent', width: 90 }, 'batteryLevel', 'signal'],
  [{ kind: 'state', width: 115 }, 'state'],
  [{ kind: 'state', width: 115, values: ['ONLINE', 'STALE', 'OFFLINE', 'NEVER_SEEN'] }, 'presence'],
  [{ kind: 'tags', width: 180, isList: true }, 'addTags', 'removeTags', 'tags'],
  [{ kind: 'time', width: 215 }, 'at', 'startedAt'],
  [{ kind: 'word', width: 110 }, 'kind', 'transactionType'],
  [{ kind: 'word', width: 110, values: ['ASSET', 'TORRENT'] }, 'fileType'],
  [{ kind: 'word', width: 120, values: ['VIEWER', 'OPERATOR', 'ADMIN'] }, 'role'],
  [{ kind: 'word', width: 190, values: ['DISABLED', 'SILENT', 'NOT_ATTACHED', 'MOVED'] }, 'obstacle'],
  [{ width: 90 }, 'model'],
  [{ kind: 'code', width: 190, comparator: 'startsWith' }, 'simCardId'],
  [{ width: 100, values: ['RUBY', 'POSXML'] }, 'language'],
  [
    { width: 110, comparator: 'eq' },
    'acquirer',
    'appName',
    'authorizationCode',
    'brand',
    'lastDigits',
    'nsu',
  ],
  [{ width: 110, comparator: 'eq' }, 'paymentMethod', 'reference', 'statusReason'],
  [{ width: 115 }, 'logicalNumber'],
  [{ width: 120, values: ['HTTP', 'ISO8583', 'ISO20022'] }, 'communicationFormat'],
  [{ width: 130, find: findGroups }, 'group'],
  [{ width: 140, comparator: 'startsWith' }, 'frameworkVersion'],
  [{ width: 160, isList: true }, 'events'],
  [{ width: 170 }, 'progress'],
  [{ width: 180 }, 'app'],
  [{ width: 190 }, 'device'],
  [{ width: 200 }, 'name'],
  [{ width: 200, type: 'email' }, 'email'],
  [{ width: 220 }, 'devices', 'value'],
  [{ width: 180, isOptional: true }, 'merchantName'],
  [{ width: 220, rows: 2, isOptional: true }, 'description', 'merchantAddress', 'notes'],
  [{ width: 260 }, 'url'],
  [{ width: 300 }, 'content'],
  [{ find: findApps }, 'appId'],
  [{ find: findAppVersions, comparator: 'eq' }, 'version'],
  [{ find: findGroups }, 'groupId'],
  [{ find: findLogicalNumbers }, 'logicalNumberId'],
  [{ find: findMembers }, 'actorId'],
  [{ find: findSavedFilters }, 'savedFilterId'],
  [{ type: 'file' }, 'file'],
  [{ type: 'file', isOptional: true }, 'bytecodeFile'],
  [{ type: 'password', autoComplete: 'current-password' }, 'current', 'password'],
  [{ type: 'password', autoComplete: 'new-password' }, 'new'],
  [{ values: ['0s', '1h', '24h', '7d', '30d'] }, 'keepOldFor'],
  [{ isOptional: true }, 'posDisplayLabel'],
];

const BY_NAME: ReadonlyMap<string, Known> = new Map(
  KNOWN.flatMap(([known, ...names]) => names.map((name) => [name, known])),
);

/** Knowledge of a field; of a part such as `owner.groupId` by its last name. */
export function knownOf(name: string): Known {
  const last = name.replace(/^.*\./, '');
  return BY_NAME.get(last) ?? (last.endsWith('At') ? { kind: 'ago', width: 140 } : {});
}
