import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { extname } from 'node:path';

import {
  EXPORT_COLUMNS,
  REQUIRED_ROW_FIELDS,
  ROW_FIELDS,
  checkRows,
  rowOfExport,
  storeRows,
} from '../../domain/payments/transaction/recording/transaction-rows.service.js';
import { SECOND, systemClock } from '../../platform/clock.js';
import * as ndjson from '../../platform/encoding/json.js';
import { counted } from '../../platform/errors.js';
import { addCompanyCommand, callerIn, withDatabase, type ChangeOptions } from '../command-context.js';
import { CommandError, EXIT } from '../command-error.js';
import type { AddCommand, CommandIo, Result } from '../command-io.js';
import { csvFile, ndjsonFile } from '../row-files.js';

const NOTES = `
A row has the fields of a transaction in /v1, and "reference": its name at the source. Required:
  ${REQUIRED_ROW_FIELDS.join(', ')}
Optional:
  ${ROW_FIELDS.filter((name) => !REQUIRED_ROW_FIELDS.includes(name)).join(', ')}
In CSV the first line names the columns, an empty cell is no value, and "parsed" is JSON.

Rows are stored 500 at a time. The same command can be run again, also after it was stopped: rows that are stored
already are recognized by their reference, or by all their values if they have none.`;

export function addCommands(add: AddCommand): void {
  addCompanyCommand(add, 'import', 'store transactions from a file; safe to repeat', importRows)
    .argument('<file>', 'NDJSON (.ndjson, .jsonl) or CSV (.csv), UTF-8, of any length')
    .option(
      '--rejected <file>',
      'write the rejected rows to this file, replacing it: one JSON object per row',
    )
    .addHelpText('after', NOTES);
}

const BATCH = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

async function importRows(
  options: ChangeOptions & { readonly rejected?: string },
  file: string,
  io: CommandIo,
): Promise<Result> {
  const source = open(file, io);
  const { size } = statSync(file);
  refuseSameFile(file, options.rejected);
  let totals = ndjson.NO_ROWS;
  let warned = 0;
  await withDatabase(io, async ({ units }) => {
    const caller = await callerIn(units, options);
    const report = options.rejected === undefined ? shownReport(io) : fileReport(options.rejected);
    let shownAt = systemClock.elapsed();
    try {
      for await (const batch of ndjson.batchesOf(source.rows, BATCH)) {
        const checked = await checkRows(batch);
        const results = await units.write(caller, (work) => storeRows(work, checked));
        totals = ndjson.addRows(totals, results);
        for (const row of results) {
          if (row.result === 'rejected') report.add(row);
          else if (row.warnings !== undefined) warned += 1;
        }
        if (systemClock.elapsed() - shownAt < PROGRESS_MS) continue;
        shownAt = systemClock.elapsed();
        const percent = size === 0 ? 100 : Math.floor((source.bytesRead() * 100) / size);
        io.notice(`${percent} %, ${sentence(totals)}`);
      }
    } finally {
      report.end();
    }
  });
  if (warned > 0) io.notice(`${counted(warned, 'stored row')} with a finished_at before started_at`);
  const { rejected } = totals;
  const message = `Rejected rows: ${rejected}. The others are stored.`;
  const failure = rejected === 0 ? undefined : new CommandError(message, EXIT.rejected);
  return { value: totals, lines: [sentence(totals)], failure };
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 2 * SECOND;

const sentence = ({ total, created, repeated, rejected }: ndjson.RowTotals): string =>
  `${counted(total, 'row')}: ${created} created, ${repeated} repeated, ${rejected} rejected`;

function open(file: string, io: CommandIo) {
  const extension = extname(file).toLowerCase();
  if (['.ndjson', '.jsonl'].includes(extension)) return fromExport(ndjsonFile(file));
  if (extension !== '.csv') throw new CommandError(`${file}: the name must end in .ndjson, .jsonl or .csv`);
  const known = [...ROW_FIELDS, ...EXPORT_COLUMNS];
  const columns = { known, required: REQUIRED_ROW_FIELDS, json: ['parsed', 'parsed.metadata'] };
  return fromExport(csvFile(file, columns, io.notice));
}

/** Rows that may be those of an export, without its last line. */
function fromExport({ rows, bytesRead }: ReturnType<typeof ndjsonFile>) {
  async function* own() {
    for await (const row of rows) {
      if (!('value' in row && 'totals' in row.value)) yield rowOfExport(row);
    }
  }
  return { rows: own(), bytesRead };
}

function refuseSameFile(file: string, report: string | undefined): void {
  if (report === undefined) return;
  const [one, other] = [statSync(file), statSync(report, { throwIfNoEntry: false })];
  if (one.dev !== other?.dev || one.ino !== other.ino) return;
  throw new CommandError(`--rejected: ${report} is the file to import, and would be overwritten`);
}

interface Report {
  add(row: ndjson.RejectedRow): void;
  end(): void;
}

/** The file can be read by its owner only and holds no values of the rows. */
function fileReport(path: string): Report {
  const file = openSync(path, 'w', 0o600);
  return {
    add: (row) => writeSync(file, ndjson.ndjsonLine(row)),
    end: () => closeSync(file),
  };
}

const SHOWN_ROWS = 10;

function shownReport(io: CommandIo): Report {
  let count = 0;
  return {
    add: ({ line, errors }) => {
      count += 1;
      if (count > SHOWN_ROWS) return;
      for (const [field, messages] of Object.entries(errors)) {
        io.notice(`line ${line}: ${field} ${messages.join(', ')}`);
      }
    },
    end: () => {
      const more = count - SHOWN_ROWS;
      if (more <= 0) return;
      io.notice(`and ${counted(more, 'more rejected row')}: --rejected FILE writes all of them`);
    },
  };
}
