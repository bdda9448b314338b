import { setTimeout as sleep } from 'node:timers/promises';

import '../app/wings.js';
import type { Database } from '../database/database.js';
import {
  countOld,
  type Kind,
  KINDS,
  type OldOfCompany,
  prune,
  type Rules,
  rulesOf,
} from '../domain/base/ledger/retention.service.js';
import { listCompanies } from '../domain/people/company/company.service.js';
import { MINUTE, SECOND, systemClock } from '../platform/clock.js';
import { loadTokenSecret } from '../platform/config/token-secret.js';
import { ledgerChainHash } from '../platform/keys.js';
import { instantBefore, type Period } from '../platform/period.js';
import { withDatabase, type CommandContext } from './command-context.js';
import { CommandError } from './command-error.js';
import { printResult, table, type CommandIo, type JsonOption } from './command-io.js';

export interface PruneOptions extends JsonOption {
  readonly dryRun?: true;
  readonly transactions?: Period | null;
  readonly ledger?: Period | null;
  readonly deliveries?: Period | null;
}

export async function runPrune(io: CommandIo, options: PruneOptions): Promise<void> {
  const isDryRun = options.dryRun === true;
  await withDatabase(io, (context) => pruneIn(io, context, options), { usesReserve: !isDryRun });
}

async function pruneIn(io: CommandIo, context: CommandContext, options: PruneOptions): Promise<void> {
  const { config, units, database } = context;
  const given = Object.entries(options).filter(([name]) => (KINDS as readonly string[]).includes(name));
  const rules: Rules = { ...rulesOf(config.keep), ...Object.fromEntries(given) };
  const now = systemClock.now();
  const old = await countOld(units, { rules, now });
  const isDryRun = options.dryRun === true;
  const counts = isDryRun ? countsOf(old) : await deleteAll(io, context, { rules, now }, old);
  const names = new Map((await units.systemRead(listCompanies)).map(({ id, name }) => [id, name]));
  const nameOf = (companyId: number): string => names.get(companyId) ?? 'no company';
  const value = {
    database: database.name,
    dry_run: isDryRun,
    before: limitsOf(rules, now),
    deleted: counts,
    companies: old.map(({ kind, companyId, ...rows }) => ({ company: nameOf(companyId), kind, ...rows })),
  };
  printResult(io, options, value, linesOf(old, counts, isDryRun, nameOf));
}

function limitsOf(rules: Rules, now: Date): Readonly<Record<string, Date | null>> {
  const limits = Object.entries(rules).map(([kind, kept]) => [kind, kept && instantBefore(now, kept)]);
  return Object.fromEntries(limits) as Record<string, Date | null>;
}

type Counts = Readonly<Record<Kind, number>>;

function countsOf(old: readonly Pick<OldOfCompany, 'kind' | 'count'>[]): Counts {
  const counts = { transactions: 0, ledger: 0, deliveries: 0, tokens: 0 };
  for (const { kind, count } of old) counts[kind] += count;
  return counts;
}

async function deleteAll(
  io: CommandIo,
  { config, units, database }: CommandContext,
  due: { readonly rules: Rules; readonly now: Date },
  old: readonly OldOfCompany[],
): Promise<Counts> {
  const total = old.reduce((sum, { count }) => sum + count, 0);
  const progress = io.progress('Deleting');
  const deleted: { kind: Kind; count: number }[] = [];
  let done = 0;
  const hash = ledgerChainHash(loadTokenSecret(config));
  await alone(io, database, async () => {
    await prune(units, {
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
  return countsOf(deleted);
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

function linesOf(
  old: readonly OldOfCompany[],
  counts: Counts,
  isDryRun: boolean,
  nameOf: (companyId: number) => string,
): string[] {
  const rows = old.map(({ kind, companyId, count, oldest, newest }) => [
    nameOf(companyId),
    kind,
    String(count),
    oldest?.toISOString() ?? '',
    newest?.toISOString() ?? '',
  ]);
  const sums = KINDS.map((kind) => `${kind} ${counts[kind]}`).join(', ');
  return [
    ...(rows.length === 0 ? [] : [table(['company', 'kind', 'rows', 'oldest', 'newest'], rows)]),
    isDryRun ? `Would be deleted: ${sums}. Nothing was changed.` : `Deleted: ${sums}.`,
  ];
}
