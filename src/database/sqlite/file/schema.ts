import { SQLITE_SCHEMA } from '../../../schema/sqlite.js';
import { fingerprintOf } from '../../migrations.js';

/** The statements that create all tables in a file without tables. */
export const SCHEMA: readonly string[] = [
  ...SQLITE_SCHEMA,
  `create table applied_migrations (name text primary key not null, applied_at integer not null, fingerprint text,
    place text, needs text)`,
];

export const FINGERPRINT = fingerprintOf(SCHEMA);
