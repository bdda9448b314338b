import { z } from 'zod';

import { isTurnOver, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import {
  booleanOf,
  csvRecords,
  CsvProblem,
  type CsvRecord,
  headingsOf,
} from '../../../platform/encoding/csv.js';
import { MAX_ROW_BYTES, ndjsonRows, type Row } from '../../../platform/encoding/json.js';
import { DomainError, invalid, requireAtMost } from '../../../platform/errors.js';
import * as validate from '../../../platform/validate.js';
import { MAX_JOB_ROWS } from '../../base/job/job.model.js';
import { SerialNumber } from '../device/device.model.js';
import { GroupCreate } from '../group/group.model.js';
import { LogicalNumberCreate } from '../logical-number/logical-number.model.js';
import { ParameterCreate } from '../setting/setting.model.js';
import { Described } from '../tag/tag.model.js';

/** A row of a file. Names of columns are those of REST, in snake case. */
const ImportFields = z.object({
  serialNumber: SerialNumber,
  logicalNumber: LogicalNumberCreate.shape.number.optional(),
  group: GroupCreate.shape.name.optional(),
  enabled: z.boolean().optional(),
  /** Values by key, of the logical number. */
  parameters: z.record(ParameterCreate.shape.key, ParameterCreate.shape.value).optional(),
  ...Described.partial().shape,
  numberTags: Described.shape.tags.optional(),
  numberNotes: Described.shape.notes.optional(),
  merchantName: LogicalNumberCreate.shape.merchantName,
  merchantAddress: LogicalNumberCreate.shape.merchantAddress,
});

/** Absent fields keep their values. */
export type ImportRow = Readonly<z.output<typeof ImportFields>>;

const COLUMNS = validate.fieldsBySnakeCase(ImportFields);

/** A cell with this alone clears the value, in columns of texts and tags. Exports write no cell like that. */
const CLEARED = '-';
const CLEARED_VALUES: Readonly<Record<string, null | readonly string[]>> = {
  tags: [],
  notes: null,
  number_tags: [],
  number_notes: null,
  merchant_name: null,
  merchant_address: null,
};

const LEFT_OUT = '';
/** Columns of an export of devices with other names than those of an import, or that it leaves out. */
const NAMES_IN_EXPORTS: Readonly<Record<string, string>> = {
  'logical_number.group': 'group',
  'logical_number.group.name': 'group',
  'logical_number.merchant_name': 'merchant_name',
  'logical_number.merchant_address': 'merchant_address',
  'logical_number.tags': 'number_tags',
  'logical_number.notes': 'number_notes',
  ...Object.fromEntries(
    ['database_id', 'revision', 'created_at', 'updated_at', 'created_via', 'created_by', 'meta']
      .concat('framework_version', 'last_seen_at', 'presence')
      .concat('model', 'battery_level', 'signal', 'sim_card_id')
      .map((name) => [name, LEFT_OUT]),
  ),
};
const KNOWN = [...COLUMNS.keys(), ...Object.keys(NAMES_IN_EXPORTS)];

export interface CheckedRow {
  readonly line: number;
  /** The serial number as the file has it; null if the row has none. */
  readonly serialNumber: string | null;
  readonly row: ImportRow | DomainError;
}

/**
 * The rows of a file: NDJSON if it begins with a brace; otherwise CSV whose first line names the columns, or a list of
 * serial numbers, one a line. Errors: `invalid` at `file` for a file that is none of these, or too long.
 */
export async function rowsIn(pieces: AsyncIterable<Uint8Array>): Promise<readonly CheckedRow[]> {
  const rows: CheckedRow[] = [];
  const seen = new Set<string>();
  try {
    for await (const read of readRows(pieces)) {
      requireAtMost('file', rows.length + 1, MAX_JOB_ROWS);
      const row = validate.orProblem(() => checkedRow(read));
      const { serial_number: given } = 'value' in read ? read.value : {};
      rows.push({
        line: read.line,
        serialNumber: typeof given === 'string' ? given : null,
        row: row instanceof DomainError ? row : repeated(seen, row),
      });
      if (isTurnOver()) await yieldToEventLoop();
    }
  } catch (error) {
    throw error instanceof CsvProblem
      ? invalid('file', 'cannot be read as a table: {reason}', { reason: error.message })
      : error;
  }
  if (rows.length === 0) throw invalid('file', 'must not be empty');
  return rows;
}

/** Errors: `invalid`. */
function checkedRow(row: Row): ImportRow {
  if ('problem' in row) throw row.problem;
  const named = Object.entries(row.value).map(([name, value]) => [COLUMNS.get(name) ?? name, value] as const);
  return validate.parse(ImportFields, Object.fromEntries(named));
}

function repeated(seen: Set<string>, row: ImportRow): ImportRow | DomainError {
  const name = validate.normalized(row.serialNumber);
  if (seen.has(name)) return invalid('serialNumber', 'is given twice');
  seen.add(name);
  return row;
}

async function* readRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const [first, all] = await peeked(pieces);
  if (first === '{') yield* ndjsonRows(all, MAX_ROW_BYTES);
  else yield* csv(all);
}

/** The first character but spaces and a byte order mark, and all pieces. */
async function peeked(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]();
  const next = await iterator.next();
  const first: Uint8Array = next.done === true ? new Uint8Array() : next.value;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return [Buffer.from(first.subarray(0, 64)).toString().trimStart().charAt(0), all()] as const;
}

async function* csv(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  let header: readonly string[] | undefined;
  for await (const record of csvRecords(pieces)) {
    if (header !== undefined) {
      yield rowOf(record, header);
      continue;
    }
    const names = headingsOf(record.cells, KNOWN).map((name) => NAMES_IN_EXPORTS[name] ?? name);
    const isHeader = names.length > 1 || names.includes('serial_number');
    header = isHeader ? checkedHeader(names, record) : ['serial_number'];
    if (!isHeader) yield rowOf(record, header);
  }
}

function checkedHeader(names: readonly string[], { line, cells }: CsvRecord): readonly string[] {
  const unknown = names.flatMap((name, index) =>
    COLUMNS.has(name) || name === LEFT_OUT ? [] : (cells[index] ?? []),
  );
  if (unknown.length > 0) {
    const columns = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(COLUMNS.keys());
    const fields = unknown.join(', ');
    throw invalid('file', 'Line {line} has unknown headings: {fields}. Expected {columns}.', {
      line,
      fields,
      columns,
    });
  }
  if (!names.includes('serial_number'))
    throw invalid('file', 'Line {line} lacks the heading {fields}.', { line, fields: 'serial_number' });
  const twice = names.find((name, index) => name !== LEFT_OUT && names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalid('file', 'must be sent once: {advice}', { advice: `the column ${twice}` });
  return names;
}

/** Empty cells are absent values. */
function rowOf({ line, cells, written }: CsvRecord, header: readonly string[]): Row {
  const maximum = header.length;
  if (cells.slice(maximum).some((cell) => cell !== ''))
    return { line, problem: tooManyCells(cells.length, maximum) };
  const given = header.flatMap((name, index) => {
    const cell = cells[index]?.trim() ?? '';
    const cleared = written[index]?.trim() === CLEARED ? CLEARED_VALUES[name] : undefined;
    if (cleared !== undefined) return [[name, cleared] as const];
    return cell === '' || name === LEFT_OUT ? [] : [[name, valueOf(name, cell)] as const];
  });
  return { line, value: Object.fromEntries(given), bytes: 0 };
}

const tooManyCells = (count: number, maximum: number): DomainError =>
  invalid('row', 'The line has {count} values, but there are {maximum} headings.', { count, maximum });

function valueOf(column: string, cell: string): unknown {
  if (column === 'enabled') return booleanOf(cell) ?? cell;
  const value = validate.parsedJson(cell);
  if (column === 'tags' || column === 'number_tags')
    return Array.isArray(value) ? value : cell.split(/[\s,;]+/);
  return column === 'parameters' && validate.isObject(value) ? value : cell;
}
