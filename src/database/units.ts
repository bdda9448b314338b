import type { Transaction } from 'kysely';

import { warningsOfChange } from '../platform/card-data/card-data.js';
import type { Clock } from '../platform/clock.js';
import { inParts } from '../platform/concurrency/event-loop.js';
import type { KeyedHash } from '../platform/hashes.js';
import { LOCAL_ORIGIN, OF_PAYMENTS, type Caller, type Origin } from '../platform/requests.js';
import { PRESENCE_LIMITS, type PresenceLimits } from '../platform/terminal.js';
import type { Tables } from '../schema/schema.js';
import { inCompany } from './company/company-rows.js';
import type { CommittedChange, Database, Scope } from './database.js';
import { insertChained, NO_COMPANY, type LedgerRow } from './ledger-chain.js';
import { drawIds, insertDrawing, insertRows, NO_ENDING } from './statements.js';
import { instant, json, nullable } from './storage.js';
import type {
  Changes,
  CountedMetric,
  ReadDatabase,
  SystemWriteWork,
  Units,
  Ledger,
  LedgerChange,
} from './work.js';

/** Checks that there is room. A deletion may update records too; changes without entries are the server's. */
function admit(database: Database, entries: readonly RecordedChange[]): void {
  if (entries.length === 0) return;
  const has = (action: string): boolean => entries.some((entry) => entry.action === action);
  database.admit(has('delete') && !has('create') ? 'deletion' : 'other');
}

export interface UnitOptions {
  readonly onCounted?: (metric: CountedMetric, amount: number) => void;
  /** Key for the hashes of ledger entries; null if they get none. */
  readonly chain?: KeyedHash | null;
  readonly presence?: PresenceLimits;
}

/** Effects of a unit after its commit, besides the changes of its ledger. */
interface Outcome {
  readonly actions: (() => void)[];
  readonly reported: CommittedChange[];
  /** True if its success does not show that the disk has room. */
  frees: boolean;
}

class DatabaseUnits implements Units {
  /** Each with the entity types that it asks for; null for all. */
  readonly #listeners = new Map<(changes: Changes) => void, readonly string[] | null>();
  readonly #finishers: (() => void)[] = [];
  readonly #options: Required<UnitOptions>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    { onCounted = () => undefined, chain = null, presence = PRESENCE_LIMITS }: UnitOptions,
  ) {
    this.#options = { onCounted, chain, presence };
    database.onAnnounced((changes) => this.#tell(changes));
  }

  readonly read: Units['read'] = async (caller, use, { examines = false } = {}) => {
    const { database } = this;
    const { companyId } = caller;
    const read = (db: ReadDatabase) => use({ caller, examines, ...this.#parts(db) });
    return await (examines ? database.examine(companyId, read) : database.snapshot(companyId, read));
  };

  readonly write: Units['write'] = async (caller, use) =>
    await this.#write(caller.companyId, caller, (work) => use({ ...work, caller }));

  readonly systemRead: Units['systemRead'] = async (use) =>
    await this.database.snapshot(null, (db) => use(this.#parts(db)));

  readonly systemWrite: Units['systemWrite'] = async (origin, use, ofCompany) =>
    await this.#write(null, origin, use, ofCompany);

  readonly writeWithoutLedger: Units['writeWithoutLedger'] = async (companyId, use) =>
    await this.#write(companyId, { ...LOCAL_ORIGIN, companyId }, (work) => use(inCompany(work, companyId)));

  readonly onCommitted: Units['onCommitted'] = (listener, entityTypes) => {
    this.#listeners.set(listener, entityTypes ?? null);
    return () => this.#listeners.delete(listener);
  };

  readonly onUnfinished: Units['onUnfinished'] = (listener) => void this.#finishers.push(listener);

  #parts<Handle extends ReadDatabase>(db: Handle) {
    const { database, clock } = this;
    const everywhere = (): ReadDatabase => database.everywhere(db);
    return { db, everywhere, now: clock.now(), presence: this.#options.presence };
  }

  #tell(changes: Changes): void {
    for (const [listener, types] of this.#listeners) {
      const concerns = (type: string): boolean => types?.includes(type) ?? true;
      if (changes?.some(({ entityType }) => concerns(entityType)) ?? true) listener(changes);
    }
  }

  async #write<T>(
    scope: Scope,
    actor: Partial<Caller> & Origin,
    use: (work: SystemWriteWork) => Promise<T>,
    ofCompany?: number,
  ): Promise<T> {
    const { database } = this;
    database.health.requireWritable();
    const outcome: Outcome = { actions: [], reported: [], frees: false };
    let recorded: readonly RecordedChange[] = [];
    const change = async (db: Transaction<Tables>): Promise<T> => {
      const parts = this.#parts(db);
      const warnings: string[] = [];
      const ledger = createLedger(db, parts.now, actor, this.#options.chain, warnings);
      const used = await use(this.#work({ ...parts, ledger, warnings }, outcome));
      // Only a unit above companies may write in the ledgers of others, for example about a person of several companies.
      recorded = await (scope !== null && ledger.namesOthers()
        ? database.acrossCompanies(db, ledger.flush)
        : ledger.flush());
      admit(database, recorded);
      return used;
    };
    const result = await database.write(scope, change, ofCompany);
    if (!outcome.frees) database.health.recovered();
    for (const action of outcome.actions) action();
    const changes = [...recorded, ...outcome.reported];
    this.#tell(changes);
    if (database.isShared) database.announce(changes);
    return result;
  }

  #work(
    parts: Pick<SystemWriteWork, 'db' | 'everywhere' | 'now' | 'presence' | 'ledger' | 'warnings'>,
    outcome: Outcome,
  ) {
    const { database } = this;
    const afterCommit = (action: () => void): void => void outcome.actions.push(action);
    const work: SystemWriteWork = {
      ...parts,
      afterCommit,
      count: (metric, amount) => afterCommit(() => this.#options.onCounted(metric, amount)),
      deferFinish: () => afterCommit(() => this.#finishers.forEach((finish) => finish())),
      report: (reported) => void outcome.reported.push(reported),
      requireRoom: () => database.admit('other'),
      freesDiskSpace: () => {
        outcome.frees = true;
        database.admit('deletion');
      },
      acrossCompanies: (use) => database.acrossCompanies(parts.db, () => use(work)),
      lockCompanies: (companyIds) => database.lockCompanies(parts.db, companyIds),
    };
    return work;
  }
}

export const createUnits = (database: Database, clock: Clock, options: UnitOptions = {}): Units =>
  new DatabaseUnits(database, clock, options);

interface RecordedChange extends LedgerChange {
  readonly companyId: number | null;
  readonly userId: number | null;
  readonly jobId: number;
  readonly at: Date;
}

type Actor = Partial<Caller> & Pick<Caller, 'channel' | 'ip' | 'requestId'>;

/** Rows per statement: more would hold the event loop for too long. */
const ROWS_PER_INSERT = 200;

const state = nullable(json<object>());

interface UnitLedger extends Ledger {
  readonly flush: () => Promise<readonly RecordedChange[]>;
  readonly namesOthers: () => boolean;
}

/**
 * Creates the ledger of a unit of work (decisions.md#ledger). With `chain`, its entries get hashes. `warnings` gets those
 * about card numbers in names and the like: every record that people change on any surface has its entry.
 */
function createLedger(
  db: Transaction<Tables>,
  now: Date,
  actor: Actor,
  chain: KeyedHash | null,
  warnings: string[],
): UnitLedger {
  const entries: RecordedChange[] = [];
  let ofJob = actor.jobId ?? 0;
  const append: Ledger['append'] = (event) => {
    const { companyId = actor.companyId ?? null, userId = actor.userId ?? null } = event;
    const ofRequest = event.entityType === 'transaction' ? OF_PAYMENTS : 0;
    const jobId = (event.jobId ?? ofJob) || ofRequest;
    entries.push({ ...event, companyId, userId, jobId, at: now });
    const found = warningsOfChange(event.before, event.after);
    warnings.push(...found.filter((warning) => !warnings.includes(warning)));
  };
  return {
    append,
    created: (entityType, after, given) =>
      append({ action: 'create', entityType, entityId: after.id, after, ...given }),
    updated: (entityType, before, after, given) =>
      append({ action: 'update', entityType, entityId: before.id, before, after, ...given }),
    deleted: (entityType, before, given) =>
      append({ action: 'delete', entityType, entityId: before.id, before, after: null, ...given }),
    actFor: (jobId) => (ofJob = jobId),
    namesOthers: () => entries.some(({ companyId }) => companyId !== actor.companyId),
    flush: async () => {
      await insertEntries(db, entries, actor, chain);
      return entries;
    },
  };
}

async function insertEntries(
  db: Transaction<Tables>,
  entries: readonly RecordedChange[],
  actor: Actor,
  chain: KeyedHash | null,
): Promise<void> {
  const [only, ...others] = entries;
  if (chain === null && only !== undefined && others.length === 0 && only.companyId === actor.companyId) {
    // The usual case takes one statement.
    const drawing = { table: 'ledger', number: 'sequence', companyId: only.companyId };
    await insertDrawing(db, drawing, rowOf(only, actor), NO_ENDING);
    return;
  }
  for await (const part of inParts(await numbered(db, entries), ROWS_PER_INSERT)) {
    const rows = part.map(([entry, sequence]) => ({ sequence, ...rowOf(entry, actor) }));
    await (chain === null ? insertRows(db, 'ledger', rows) : insertChained(db, chain, rows));
  }
}

/** Assigns sequences to entries, which continue those of their company, in one statement. */
async function numbered(
  db: Transaction<Tables>,
  entries: readonly RecordedChange[],
): Promise<readonly (readonly [RecordedChange, number])[]> {
  const companyOf = ({ companyId }: RecordedChange): number => companyId ?? NO_COMPANY;
  const byCompany = Map.groupBy(entries, companyOf);
  const draws = [...byCompany].map(([companyId, own]) => ({ companyId, count: own.length }));
  // In one order, so that no two units wait for each other.
  draws.sort((a, b) => a.companyId - b.companyId);
  const next = new Map(await drawIds(db, 'ledger', draws));
  return entries.map((entry) => {
    const sequence = next.get(companyOf(entry)) ?? 0;
    next.set(companyOf(entry), sequence + 1);
    return [entry, sequence];
  });
}

function rowOf(entry: RecordedChange, actor: Actor): Omit<LedgerRow, 'sequence'> {
  return {
    company_id: entry.companyId,
    at: instant.toColumn(entry.at),
    // The server itself has no account: its id is 0.
    user_id: entry.userId === 0 ? null : entry.userId,
    token_id: actor.tokenId ?? null,
    job_id: entry.jobId,
    channel: actor.channel,
    action: entry.action,
    entity_type: entry.entityType,
    entity_id: entry.entityId,
    before: state.toColumn(entry.before ?? null),
    after: state.toColumn(entry.after ?? null),
    request_id: actor.requestId,
    ip: actor.ip,
  };
}
