import type { EntityType } from '../gql/graphql';
import { client } from './client';
import { graphql } from './graphql';

export type { EntityType };

const APPENDED = graphql(`
  subscription Changes {
    ledgerAppended { sequence entityKind }
  }
`);

/** Changes that come within this time are one to a page. */
const TOGETHER_MS = 400;
/** Pages are loaded again at most this often, so that a busy fleet does not use up the requests of the hour. */
const PAUSE_MS = 5_000;

type Listener = () => void;
const listeners = new Map<Listener, readonly EntityType[]>();
const changed = new Set<EntityType>();
let timer: number | undefined;
let publishedAt = 0;
/** When the next changes are published. */
let dueAt = Infinity;
let subscription: { unsubscribe: () => void } | undefined;

/** Calls `listener` after records of these types have changed, at most every 5 s. Returns how to end that. */
export function onChanges(types: readonly EntityType[], listener: Listener): () => void {
  const entry: Listener = () => listener();
  listeners.set(entry, types);
  subscription ??= client
    .subscription<{ ledgerAppended: { entityKind: EntityType } }>(APPENDED.toString(), {})
    .subscribe(({ data }) => {
      if (data) noteChange(data.ledgerAppended.entityKind, PAUSE_MS);
    });
  return () => listeners.delete(entry);
}

/**
 * Has the pages that show records of this type load them again: changes of this browser soon, those of others, with a
 * pause, at most once in that time.
 */
export function noteChange(type: EntityType, pause = 0): void {
  changed.add(type);
  const now = Date.now();
  const at = Math.max(now + TOGETHER_MS, publishedAt + pause);
  if (at >= dueAt) return;
  clearTimeout(timer);
  dueAt = at;
  timer = setTimeout(publish, at - now);
}

document.addEventListener('visibilitychange', () => {
  if (changed.size > 0) publish();
});

/** Follows the ledger of the company that the session now works for. */
export function restartChanges(): void {
  subscription?.unsubscribe();
  subscription = undefined;
}

function publish(): void {
  dueAt = Infinity;
  // A page that is not seen is loaded again when it is.
  if (document.hidden) return;
  publishedAt = Date.now();
  for (const [listener, types] of listeners) {
    if (types.some((type) => changed.has(type))) listener();
  }
  changed.clear();
}
