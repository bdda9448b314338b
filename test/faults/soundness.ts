import type { TestPlace } from '../support/databases/place.js';

/** Entity types of the ledger, by table. */
const ENTITY_TYPES: Readonly<Record<string, string>> = {
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

/** Queries for records of a change that was stored only in part, by the problem that they show. */
function problemQueries(): Readonly<Record<string, string>> {
  const unrecorded = Object.entries(ENTITY_TYPES).map(
    ([table, entity]) => `select '${table} ' || id as what from ${table} where (company_id, id) not in
      (select company_id, entity_id from ledger where entity_type = '${entity}' and action = 'create')`,
  );
  return {
    'is not in the ledger': unrecorded.join(' union all '),
    'has lost bytes': `select 'content ' || id as what from contents where size <> coalesce((select
      sum(length(bytes)) from content_chunks where company_id = contents.company_id and content_id = contents.id), 0)`,
    'has the bytes of another file': `select 'file ' || files.id as what from files join contents
      on contents.company_id = files.company_id and contents.id = content_id where contents.size <> files.size or contents.crc <> files.crc`,
  };
}

const partlyDelivered = (each: number): string => `select 'notification ' || id as what from notifications
  where (select count(*) from notification_deliveries where company_id = notifications.company_id
    and notification_id = notifications.id) <> ${each}`;

export interface Expectation {
  /** Number of logical numbers that each notification goes to. */
  readonly deliveriesEach?: number;
}

/** A message for each record that is half-written, lost or miscounted. The database may be in use. */
export async function problemsIn(
  place: Pick<TestPlace, 'check' | 'sql'>,
  { deliveriesEach }: Expectation = {},
): Promise<readonly string[]> {
  const all = {
    ...problemQueries(),
    ...(deliveriesEach === undefined ? {} : { 'is only partly delivered': partlyDelivered(deliveriesEach) }),
  };
  const problems = [...(await place.check())];
  for (const [problem, query] of Object.entries(all)) {
    const found = await place.sql<{ what: string }>(query);
    problems.push(...found.map(({ what }) => `${what} ${problem}`));
  }
  return problems;
}
