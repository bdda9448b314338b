import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';

import { changed, nodeId } from '../../../support/dashboard.js';
import { fileOf } from '../../../support/databases/sqlite-place.js';
import { planOf, programOf } from '../../../support/query-plan.js';
import { useServer, type Fields, type TestServer } from '../../../support/server.js';
import { BULK, paymentInput } from './records.js';
import { partOf, recordConnection, rows, FILTERS, listed, recordRows } from './rows.js';

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

describe('a list of GraphQL', () => {
  const server = useServer();
  beforeAll(async () => {
    await recordConnection(server);
  });

  const ALL = rows.slice(0, 100).map(({ id }) => nodeId('Transaction', id));
  const serial = { serialNumber: { eq: 'S-1' } };
  const logical = { logicalNumber: { eq: 'L-1' } };
  it.each<[string, Fields, string, string[]]>([
    ['nothing', {}, 'STARTED_AT', ['newest']],
    ['type', { transactionType: { eq: 'SWITCH' } }, 'STARTED_AT', ['newest']],
    ['status', { status: { eq: 'RUNNING' } }, 'STARTED_AT', ['status']],
    ['one of two', { status: { in: ['RUNNING', 'FAIL'] } }, 'STARTED_AT', ['newest']],
    ['app', { appName: { eq: 'a.rb' } }, 'STARTED_AT', ['app']],
    ['app and status', { appName: { eq: 'a.rb' }, status: { eq: 'FAIL' } }, 'STARTED_AT', ['app']],
    ['serial number', serial, 'STARTED_AT', ['serial']],
    ['serial numbers', { serialNumber: { in: ['S-1', 'S-2'] } }, 'STARTED_AT', ['serial']],
    ['logical number', logical, 'STARTED_AT', ['logical_number']],
    ['two kinds of numbers', { or: [serial, logical] }, 'STARTED_AT', ['serial', 'logical_number']],
    ['id', { id: { in: ALL } }, 'STARTED_AT', ['its key']],
    ['nothing', {}, 'ID', ['its key']],
    ['serial number', serial, 'ID', ['serial']],
    ['two kinds of numbers', { or: [serial, logical] }, 'ID', ['serial', 'logical_number']],
    ['status', { status: { eq: 'RUNNING' } }, 'ID', ['its key']],
  ])('LS-04 looks rows of one %s up in an index (%j, by %s)', async (_what, filter, field, indexes) => {
    const orderBy = { field, direction: 'DESC' };
    const first = await partOf(server.acme, { filter, orderBy, first: 1 });
    for (const after of [null, first.pageInfo.endCursor]) {
      const { statements } = await server.statements(() =>
        partOf(server.acme, { filter, orderBy, first: 1, after }),
      );
      inDatabase(server, (database) => {
        const [statement = ''] = statements.filter((sql) => sql.startsWith('select "t".'));
        const steps = planOf(database, statement).filter((step) => step.includes(' t '));
        const used = steps.map(
          (step) => /INDEX transactions_(\w+) \(company_id=\?/.exec(step)?.[1] ?? 'its key',
        );
        expect(used, steps.join('\n')).toEqual(indexes);
        expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
        // An index without the company would have the rows of all of them.
        const all = statements.flatMap((each) => planOf(database, each));
        expect(all.filter((step) => step.includes('ANY('))).toEqual([]);
      });
    }
  });

  it('bulk recording looks references up in their index', async () => {
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
