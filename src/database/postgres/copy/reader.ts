import type { Client, CustomTypesConfig } from 'pg';

import type { CopyReader } from '../../copy/place.js';
import { COPIED_TABLES, demandKnownTables, type Column, type TableShape } from '../../copy/tables.js';
import { bytesOf, type CopyRow, type CopyValue } from '../../copy/values.js';
import { DatabaseRefused } from '../../refused.js';

const BATCH_BYTES = 1024 * 1024;
/** Maximum rows of a batch. Their size is known only after reading, so all may have the largest size. */
const BATCH_ROWS = 500;
const FIRST_ROWS = 8;

/** Returns values in the text form of PostgreSQL. */
const AS_TEXT = { getTypeParser: () => String } as unknown as CustomTypesConfig;

/** Reads the tables of a database through a connection with an open transaction. */
export class ServerReader implements CopyReader {
  constructor(
    readonly name: string,
    protected readonly client: Client,
  ) {}

  async demandKnownTables(): Promise<void> {
    const { rows } = await this.client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema()',
    );
    demandKnownTables(
      this.name,
      rows.map(({ name }) => name),
    );
  }

  async count(table: string): Promise<number> {
    return await this.#number(`select count(*) as number from ${table}`);
  }

  async bytes(table: string): Promise<number> {
    return await this.#number(`select pg_table_size('${table}') as number`);
  }

  async *rows(shape: TableShape): AsyncIterable<readonly CopyRow[]> {
    const columns = shape.columns.map(selected).join(', ');
    const order = shape.key.map((name) => `"${name}"`).join(', ');
    await this.client.query(
      `declare copied no scroll cursor for select ${columns} from ${shape.name} order by ${order}`,
    );
    const read = rowReader(shape);
    for (let wanted = FIRST_ROWS; ;) {
      const text = `fetch ${wanted} from copied`;
      const { rows } = await this.client.query<string[]>({ text, rowMode: 'array', types: AS_TEXT });
      if (rows.length === 0) break;
      const batch = rows.map(read);
      yield batch;
      const bytes = batch.reduce((sum, row) => sum + bytesOf(row), 1);
      const fitting = Math.floor((BATCH_BYTES * batch.length) / bytes);
      wanted = Math.max(1, Math.min(fitting, wanted * 4, BATCH_ROWS));
    }
    await this.client.query('close copied');
  }

  async lastNumbers(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.client.query<{ name: string; sequence: string }>(
      `select c.relname as name, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
        from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attidentity <> ''
        where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)`,
      [COPIED_TABLES],
    );
    const last = new Map<string, number>();
    for (const { name, sequence } of rows) {
      last.set(
        name,
        await this.#number(
          `select case when is_called then last_value else 0 end as number from ${sequence}`,
        ),
      );
    }
    return last;
  }

  async #number(query: string): Promise<number> {
    const { rows } = await this.client.query<{ number: number }>(query);
    return Number(rows[0]?.number);
  }
}

/** SQL of a column that gives the text of its `CopyValue`. */
function selected({ name, kind }: Column): string {
  if (kind === 'instant') return `trim_scale(extract(epoch from "${name}") * 1000)`;
  return kind === 'flag' ? `"${name}"::integer` : `"${name}"`;
}

function rowReader({ name: table, columns }: TableShape): (row: (string | null)[]) => CopyRow {
  const readers = columns.map(({ name, kind }): ((value: string) => CopyValue) | null => {
    if (kind === 'bytes') return (value) => Buffer.from(value.slice(2), 'hex');
    if (kind === 'jsonb') return (value) => JSON.stringify(JSON.parse(value));
    if (kind === 'instant') return (value) => wholeMilliseconds(`${table}.${name}`, value);
    return null;
  });
  return (row) => row.map((value, index) => (value === null ? null : (readers[index]?.(value) ?? value)));
}

/**
 * The milliseconds of an instant. Errors: `DatabaseRefused` for an instant with microseconds, or for
 * infinity.
 */
function wholeMilliseconds(column: string, value: string): string {
  if (/^-?[0-9]+$/.test(value)) return value;
  throw new DatabaseRefused(
    'unusable',
    `${column} has the time ${value} ms since 1970, which is not a whole number: correct it, then copy again.`,
  );
}
