/** Conversion of PostgreSQL's values to those of the program, see the column types in `storage.ts`. */
import pg, { type CustomTypesConfig } from 'pg';

type Parse = (text: string) => unknown;

/** `2026-11-22 23:14:13.123+00` in milliseconds; connections have the time zone UTC. */
function parseInstant(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`);
}

const { INT8, NUMERIC, TIMESTAMPTZ, JSON, JSONB } = pg.types.builtins;

const PARSERS: Readonly<Record<number, Parse>> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [TIMESTAMPTZ]: parseInstant,
  [JSON]: String,
  [JSONB]: String,
};

export const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary' = 'text') =>
    (format === 'text' ? PARSERS[oid] : undefined) ??
    (pg.types.getTypeParser(oid, format) as Parse)) as CustomTypesConfig['getTypeParser'],
};
