import Sqlite from 'better-sqlite3';

import { checkFile } from '../../src/database/sqlite/check.js';

const RECORDED: Readonly<Record<string, string>> = {
  groups: 'group',
  logical_numbers: 'logical_number',
  devices: 'device',
  apps: 'app',
  app_versions: 'app_version',
  files: 'file',
  parameters: 'parameter',
  metacontents: 'metacontent',
  notifications: 'notification',
};

/** Queries that find something where a change was kept in part. */
function questions(): Readonly<Record<string, string>> {
  const unrecorded = Object.entries(RECORDED).map(
    ([table, entity]) => `select '${table} ' || id as what from ${table} where id not in
      (select entity_id from ledger where entity_type = '${entity}' and action = 'create')`,
  );
  return {
    'is not in the ledger': unrecorded.join(' union all '),
    'has lost bytes': `select 'content ' || id as what from contents where size <> coalesce((select
      sum(length(bytes)) from content_chunks where content_id = contents.id), 0)`,
    'has bytes of another': `select 'file ' || files.id as what from files join contents
      on contents.id = content_id where contents.size <> files.size or contents.crc <> files.crc`,
  };
}

const undelivered = (each: number): string => `select 'notification ' || id as what from notifications
  where (select count(*) from notification_deliveries where notification_id = notifications.id) <> ${each}`;

export interface Expectation {
  /** How many terminals each notification went to. */
  readonly deliveriesEach?: number;
}

/** What is half-written, lost or miscounted in a database, also one in use; each in words. */
export function problemsIn(file: string, { deliveriesEach }: Expectation = {}): string[] {
  const all = {
    ...questions(),
    ...(deliveriesEach === undefined ? {} : { 'is delivered in part': undelivered(deliveriesEach) }),
  };
  const problems = [...checkFile(file)];
  const database = new Sqlite(file, { readonly: true });
  try {
    for (const [problem, query] of Object.entries(all)) {
      const found = database.prepare(query).pluck().all() as string[];
      problems.push(...found.map((what) => `${what} ${problem}`));
    }
    return problems;
  } finally {
    database.close();
  }
}
