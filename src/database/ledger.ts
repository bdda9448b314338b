import type { Transaction } from 'kysely';

import { instant, json, nullable } from './storage.js';
import type { Tables } from './tables.js';
import type { Caller } from '../platform/caller.js';

/** One change, as it is recorded: never a secret, a password or a file's bytes in `before` or `after`. */
export interface LedgerChange {
  /** `create`, `update`, `delete`, or an event's own name. */
  readonly action: string;
  readonly entityType: string;
  readonly entityId: number | null;
  readonly before?: object | null;
  readonly after?: object | null;
  /** Where the work stands above companies. */
  readonly companyId?: number | null;
  readonly userId?: number | null;
}

export interface RecordedChange extends LedgerChange {
  readonly companyId: number | null;
  readonly userId: number | null;
  readonly at: Date;
}

export interface Ledger {
  /** Recorded in the same transaction as the change, in the order of the calls. */
  append(event: LedgerChange): void;
}

type Actor = Partial<Caller> & Pick<Caller, 'channel' | 'ip' | 'requestId'>;

/** Rows in one statement; SQLite binds at most 32,766 values. */
const ROWS_AT_A_TIME = 1_000;

const state = nullable(json<object>());

export function createLedger(
  db: Transaction<Tables>,
  now: Date,
  actor: Actor,
): Ledger & { flush(): Promise<readonly RecordedChange[]> } {
  const entries: RecordedChange[] = [];
  return {
    append: (event) => {
      entries.push({
        ...event,
        companyId: event.companyId === undefined ? (actor.companyId ?? null) : event.companyId,
        userId: event.userId === undefined ? (actor.userId ?? null) : event.userId,
        at: now,
      });
    },
    flush: async () => {
      for (let start = 0; start < entries.length; start += ROWS_AT_A_TIME) {
        const rows = entries.slice(start, start + ROWS_AT_A_TIME).map((entry) => rowOf(entry, actor));
        await db.insertInto('ledger').values(rows).execute();
      }
      return entries;
    },
  };
}

function rowOf(entry: RecordedChange, actor: Actor) {
  return {
    company_id: entry.companyId,
    at: instant.toColumn(entry.at),
    user_id: entry.userId,
    token_id: actor.tokenId ?? null,
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
