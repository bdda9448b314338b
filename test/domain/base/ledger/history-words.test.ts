import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { LEDGER_ACTIONS } from '../../../../src/database/work.js';
import { alertKinds } from '../../../../src/domain/base/alert/alert.service.js';
import { jobKinds } from '../../../../src/domain/base/job/job.service.js';
import { changesOf } from '../../../../src/domain/base/ledger/ledger.service.js';
import { DeviceBulkChange } from '../../../../src/domain/fleet/bulk/bulk-change.model.js';
import { TABLES } from '../../../../src/schema/schema.js';
import { populate } from '../../../support/populated.js';
import { sell, SALES } from '../../../support/sales.js';
import { useServer } from '../../../support/server.js';

const server = useServer({ rateLimitPerHour: 100_000 });

type Texts = Readonly<Record<'en' | 'pt', object>>;

/** Types of the console are not those of the server, so its modules are imported by their paths. */
const consoleModule = async <Module>(name: string): Promise<Module> =>
  (await import(
    fileURLToPath(new URL(`../../../../src/console/record/${name}.ts`, import.meta.url))
  )) as Module;

const { HIDDEN, ledgerWords } = await consoleModule<{
  readonly HIDDEN: readonly string[];
  readonly ledgerWords: Texts;
}>('ledger-words');
const { kindNames } = await consoleModule<{ readonly kindNames: Texts }>('history-values');

/** True if the console has a word for a field, as `useLabel` finds it, in both languages. */
function hasWord(field: string): boolean {
  const last = field.replace(/^.*\./, '');
  if (HIDDEN.includes(last)) return true;
  return [ledgerWords.en, ledgerWords.pt].every((words) =>
    [field, last, last.replace(/Id(s?)$/, '$1')].some((name) => name in words),
  );
}

interface Row {
  readonly entity_type: string;
  readonly before: string | null;
  readonly after: string | null;
}

const parsed = (text: string | null) => (text === null ? null : (JSON.parse(text) as object));

const camelCase = (column: string): string =>
  column.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** Fields of the ledger by the types of its records: those found, and all columns of records that it has as a whole. */
function fieldsOf(rows: readonly Row[]): readonly string[] {
  const found = rows.flatMap(({ entity_type: type, ...texts }) => {
    const entry = { before: parsed(texts.before), after: parsed(texts.after) };
    const own = changesOf(entry).map(({ field }) => `${type} ${field}`);
    const table = TABLES.find(({ name }) => name === `${type}s`);
    if (table === undefined || !('createdVia' in (entry.after ?? {}))) return own;
    const columns = Object.keys(table.columns).map(camelCase);
    const whole = Object.fromEntries(columns.map((name) => [name, 1]));
    return [...own, ...changesOf({ before: null, after: whole }).map(({ field }) => `${type} ${field}`)];
  });
  return [...new Set(found)].toSorted();
}

it('every field of the ledger has a word in both languages', async () => {
  const { acme } = server;
  await populate(server, acme, 1);
  const at = server.clock.now().getTime();
  await sell(
    server,
    acme,
    SALES.map((sale) => ({ serialNumber: 'populated 0', sale, at })),
  );
  const rows = await server.place.sql<Row>('select entity_type, before, after from ledger order by position');
  const fields = fieldsOf(rows);
  // Fields of an object that people or terminals name are not the console's.
  const ofJobs = Object.keys(DeviceBulkChange.shape).map((name) => `job input.${name}`);
  const known = [...fields, ...ofJobs].filter((name) => !/ (?:meta|value|filter)\./.test(name));
  expect(known.length).toBeGreaterThan(60);
  expect(known.filter((name) => !hasWord(name.replace(/^\w+ /, '')))).toEqual([]);
});

it('every kind of jobs and of alerts has a name in both languages', () => {
  const kinds = [...jobKinds.keys(), ...alertKinds.keys()];
  expect(kinds.length).toBeGreaterThan(12);
  expect(kinds.filter((kind) => !(kind in kindNames.en && kind in kindNames.pt))).toEqual([]);
});

it('every action of the ledger has a word in both languages', () => {
  const known = [ledgerWords.en, ledgerWords.pt];
  expect(LEDGER_ACTIONS.filter((action) => known.some((words) => !(action.toUpperCase() in words)))).toEqual(
    [],
  );
});
