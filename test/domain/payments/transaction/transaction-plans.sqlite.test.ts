import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';

import { changed } from '../../../support/dashboard.js';
import { fileOf } from '../../../support/databases/sqlite-place.js';
import { planOf, programOf } from '../../../support/query-plan.js';
import { useServer, type TestServer } from '../../../support/server.js';
import { BULK, paymentInput } from './records.js';
import { FILTERS, listed, recordRows } from './rows.js';

/** Whether a row is read after OFFSET has been counted down, and so only if it is of the page. */
function skipsInIndex(database: Sqlite.Database, statement: string): boolean {
  const program = programOf(database, statement);
  const seek = program.find(({ opcode }) => opcode === 'DeferredSeek');
  const skip = program.findIndex(({ opcode, p1 }) => opcode === 'IfPos' && p1 > 0);
  const read = program.findIndex(({ opcode, p1 }) => opcode === 'Column' && p1 === seek?.p3);
  return skip > 0 && skip < read;
}

/** Runs `use` with a connection of its own to the database of the server. */
function inDatabase<T>(server: Pick<TestServer, 'place'>, use: (database: Sqlite.Database) => T): T {
  const database = new Sqlite(fileOf(server.place));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

describe('a list of /v1', () => {
  const server = useServer();
  beforeAll(async () => {
    await recordRows(server);
  });

  it.each([false, true])(
    'LS-04 reads through indexes only, never a whole table (analyzed: %s)',
    async (analyzed) => {
      const { statements } = await server.statements(async () => {
        for (const [, filter] of FILTERS) await listed(server, filter, 2, 2);
        await listed(server, {}, 400, 2);
      });
      inDatabase(server, (database) => {
        if (analyzed) database.exec('analyze');
        for (const statement of new Set(statements)) {
          const steps = planOf(database, statement);
          const scans = steps.filter((step) => /^SCAN (?!found$|CONSTANT ROW$)/.test(step));
          expect(scans, `${statement}\n${steps.join('\n')}`).toEqual([]);
          const searches = steps.filter((step) => step.startsWith('SEARCH'));
          // Counting uses covering indexes; so does skipping, since rows are read only once they are shown.
          const readsRows = searches.some((step) => step.includes(' USING INDEX transactions_'));
          if (readsRows) expect(skipsInIndex(database, statement), statement).toBe(true);
          for (const step of searches) {
            expect(step).toMatch(
              /^SEARCH t USING (COVERING )?INDEX transactions_(newest|serial|logical_number|status|failed|app) \(company_id=\? AND |^SEARCH counters USING INDEX \w+ \(company_id=\? AND name=\?\)|^SEARCH t USING (PRIMARY KEY|INDEX transaction_app_totals_by_app_name_span_start) \(company_id=\? AND (app_name=\? AND )?span=\? AND start>\? AND start<\?/,
            );
          }
          expect(searches.length).toBeGreaterThan(0);
        }
      });
    },
  );
});

describe('a list of failed transactions', () => {
  const server = useServer();
  beforeAll(async () => {
    await recordRows(server);
  });

  it.each([
    [{ status: 'fail' }, 1],
    [{ status: 'fail' }, 3],
    [{ status: 'fail', transactionType: 'company', since: '2026-01-03' }, 2],
  ] as const)('has its rows from one index: %j, page %i', async (filter, page) => {
    const { statements } = await server.statements(() => listed(server, filter, page, 5));
    inDatabase(server, (database) => {
      const plans = () => statements.flatMap((statement) => planOf(database, statement));
      const before = plans();
      database.exec('analyze');
      for (const steps of [before, plans()]) {
        const ofRows = steps.filter((step) => /transactions_|transactions /.test(step));
        expect(ofRows).toEqual([
          'SEARCH t USING COVERING INDEX transactions_failed (company_id=? AND started_at>? AND started_at<?)',
        ]);
      }
    });
  });
});

describe('bulk recording', () => {
  const server = useServer();

  it('looks references up in their index', async () => {
    const ingest = await server.member('acme', 'operator', ['ingest']);
    const { statements } = await server.statements(() =>
      changed(ingest, BULK, { inputs: [paymentInput({ reference: 'planned' })] }),
    );
    const lookUp = statements.find((sql) => sql.includes('json_each')) ?? '';
    expect(inDatabase(server, (database) => planOf(database, lookUp)).join()).toContain(
      'SEARCH t USING INDEX transactions_reference (company_id=? AND reference=? AND serial_number=?)',
    );
  });
});
