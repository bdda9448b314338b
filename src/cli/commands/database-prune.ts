import { setTimeout as sleep } from 'node:timers/promises';

import '../../app/wings.js';
import type { Database } from '../../database/database.js';
import * as retention from '../../domain/base/ledger/retention.service.js';
import { listCompanies } from '../../domain/people/company/company.service.js';
import { MINUTE, SECOND, systemClock } from '../../platform/clock.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { ledgerChainHash } from '../../platform/hashes.js';
import { instantBefore, type Period } from '../../platform/timestamps.js';
import { withDatabase, type CommandContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { table, type CommandIo, type JsonOption, type Result } from '../command-io.js';

export interface PruneOptions extends JsonOption {
  readonly dryRun?: boolean;
  readonly transactions?: Period | null;
  readonly ledger?: Period | null;
  readonly deliveries?: Period | null;
  readonly logs?: Period | null;
}

export async function prune(io: CommandIo, { json: _json, dryRun = false, ...given }: PruneOptions) {
  const pruned = (context: CommandContext): Promise<Result> => pruneIn(io, context, given, dryRun);
  return await withDatabase(io, pruned, { usesReserve: !dryRun });
}

async function pruneIn(
  io: CommandIo,
  context: CommandContext,
  given: Partial<retention.Rules>,
  isDryRun: boolean,
) {
  const { config, units, database } = context;
  const rules = { ...retention.rulesOf(config.keep), ...given };
  const now = systemClock.now();
  const old = await retention.countOld(units, { rules, now });
  const deleted = isDryRun ? old : await deleteAll(io, context, { rules, now }, old);
  const names = new Map((await units.systemRead(listCompanies)).map(({ id, name }) => [id, name]));
  const companies = old.map(({ kind, companyId, ...rows }) => {
    return { company: names.get(companyId) ?? 'no company', kind, ...rows };
  });
  const counts = countsOf(deleted);
  const before = Object.fromEntries(
    Object.entries(rules).map(([kind, kept]) => [kind, kept && instantBefore(now, kept)]),
  );
  const value = { database: database.name, dry_run: isDryRun, before, deleted: counts, companies };
  const cells = companies.map(({ company, kind, count, ...at }) => {
    return [company, kind, count, at.oldest?.toISOString(), at.newest?.toISOString()];
  });
  const header = ['company', 'kind', 'rows', 'oldest', 'newest'];
  const sums = retention.KINDS.map((kind) => `${kind} ${counts[kind]}`).join(', ');
  const line = isDryRun ? `Would be deleted: ${sums}. Nothing was changed.` : `Deleted: ${sums}.`;
  return { value, lines: [...(cells.length === 0 ? [] : [table(header, cells)]), line] };
}

type Count = Pick<retention.OldOfCompany, 'kind' | 'count'>;

function countsOf(rows: readonly Count[]): Readonly<Record<retention.Kind, number>> {
  const counts = { transactions: 0, ledger: 0, deliveries: 0, logs: 0, tokens: 0, jobs: 0, alerts: 0 };
  for (const { kind, count } of rows) counts[kind] += count;
  return counts;
}

async function deleteAll(
  io: CommandIo,
  { config, units, database }: CommandContext,
  due: { readonly rules: retention.Rules; readonly now: Date },
  old: readonly retention.OldOfCompany[],
): Promise<readonly Count[]> {
  const total = old.reduce((sum, { count }) => sum + count, 0);
  const progress = io.progress('Deleting');
  const deleted: Count[] = [];
  let done = 0;
  const hash = ledgerChainHash(loadTokenSecret(config));
  await alone(io, database, async () => {
    await retention.prune(units, {
      ...due,
      hash,
      maxUnits: Infinity,
      isStopped: () => false,
      onDeleted: (kind, _companyId, count) => {
        deleted.push({ kind, count });
        progress((done += count), Math.max(total, done));
      },
    });
  });
  return deleted;
}

const MAX_WAIT_MS = 5 * MINUTE;

/** One node deletes at a time; a server does so for a part of each minute. */
async function alone(io: CommandIo, database: Database, use: () => Promise<void>): Promise<void> {
  const since = systemClock.elapsed();
  let isNoticed = false;
  while (!(await database.alone('retention', use))) {
    if (systemClock.elapsed() - since > MAX_WAIT_MS) {
      throw new CommandError('Another node has been deleting for 5 minutes: try again later.');
    }
    if (!isNoticed) io.notice('Another node is deleting; waiting for it.');
    isNoticed = true;
    await sleep(SECOND);
  }
}
