import { counted } from '../../platform/errors.js';
import { DatabaseRefused } from '../refused.js';

/** Table that exists only in a database into which a copy began but did not end. */
export const UNFINISHED_TABLE = 'unfinished_copy';

/** Error of a server or another command. */
export function refuseUnfinished(name: string, source: string): DatabaseRefused {
  return new DatabaseRefused(
    'unusable',
    `${name} is an unfinished copy of ${source}. Nothing was changed. Copy again with terminal-gateway db copy, or use another database.`,
  );
}

/** Error of a copy into a database that has records. */
export function refuseRecords(name: string, records: number): DatabaseRefused {
  return new DatabaseRefused(
    'exists',
    `${name} has ${counted(records, 'row')}, and is not an unfinished copy. Nothing was changed: copy into a new or empty database.`,
  );
}

/** Error of a copy from a database that lacks tables of this version. */
export function refuseOlder(name: string, pending: readonly string[]): DatabaseRefused {
  return new DatabaseRefused(
    'unusable',
    `${name} has not the tables of this version (${pending.join(', ')}). Nothing was changed: apply them with terminal-gateway db migrate.`,
  );
}
