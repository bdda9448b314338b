import { SECOND, type Clock } from '../../platform/clock.js';
import { codeOf } from '../../platform/errors.js';
import type { Logger } from '../../platform/logger.js';
import type { Caller } from '../../platform/requests.js';
import type { Tracing } from '../../platform/tracing.js';
import type { Metrics } from './metrics.js';

export interface OperationKind {
  /** `query`, `mutation` or `subscription`. */
  readonly type: string;
  readonly name: string | null;
}

export interface WatchedOperation {
  /** To be called once its document is admitted. Returns its name for logs, see `OperationNames`. */
  known(kind: OperationKind): string;
  /** `code` is that of its first error. */
  failed(code: string): void;
}

/** Measures and traces what `use` does. `isAlone` is for what no request waits for: it gets a trace of its own. */
export type WatchOperation = <T>(
  use: (operation: WatchedOperation) => Promise<T>,
  isAlone?: boolean,
) => Promise<T>;

/** Without `tracing`, operations are only measured. */
export function watchOperations(
  metrics: Pick<Metrics, 'countOperation'>,
  tracing: Tracing | null,
  clock: Clock,
): WatchOperation {
  const names = new OperationNames();
  return async (use, isAlone = false) => {
    const started = clock.elapsed();
    const span = tracing?.operation(isAlone) ?? null;
    const running = { kind: null as OperationKind | null, hasFailed: false };
    const operation: WatchedOperation = {
      known: (kind) => {
        running.kind = kind;
        return names.shown(kind.name);
      },
      failed: (code) => {
        if (!running.hasFailed) span?.failed(code);
        running.hasFailed = true;
      },
    };
    try {
      return await (span === null ? use(operation) : span.run(() => use(operation)));
    } catch (error) {
      operation.failed(codeOf(error) ?? 'exception');
      throw error;
    } finally {
      const { kind } = running;
      const name = kind === null ? null : names.shown(kind.name);
      // A document that was refused has neither type nor name.
      if (kind !== null && name !== null) {
        metrics.countOperation({ type: kind.type, name }, clock.elapsed() - started);
      }
      span?.end(kind?.type ?? null, kind?.name == null ? null : name);
    }
  };
}

const MAX_NAMES = 200;
const MAX_LENGTH = 64;
const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;
/** A client could hide a card number or a token in a name. */
const MAX_DIGITS = 8;

const OTHER = 'other';

/** Names of operations in metrics and traces. Clients choose them, so at most `MAX_NAMES` are distinguished. */
export class OperationNames {
  readonly #known = new Set<string>();

  /** `anonymous` for an operation without a name, `other` for names beyond the limits. */
  shown(name: string | null): string {
    if (name === null) return 'anonymous';
    if (this.#known.has(name)) return name;
    if (this.#known.size >= MAX_NAMES || !isHarmless(name)) return OTHER;
    this.#known.add(name);
    return name;
  }
}

function isHarmless(name: string): boolean {
  return name.length <= MAX_LENGTH && NAME.test(name) && name.replace(/[^0-9]/g, '').length <= MAX_DIGITS;
}

/** When the oldest record was committed that a subscriber has not been given, in `elapsed` milliseconds; null if none. */
export type WaitingSince = () => number | null;

/** Live subscriptions, and how far they are behind what is committed. */
export class Followers {
  readonly #all = new Set<WaitingSince>();

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Until the returned function is called. */
  readonly follow = (waitingSince: WaitingSince): (() => void) => {
    this.#all.add(waitingSince);
    return () => this.#all.delete(waitingSince);
  };

  /** The delay of the one that is most behind, in seconds; 0 if none is. */
  delaySeconds(): number {
    const now = this.clock.elapsed();
    let oldest = now;
    for (const waitingSince of this.#all) oldest = Math.min(oldest, waitingSince() ?? now);
    return (now - oldest) / SECOND;
  }
}

export type Transport = 'websocket' | 'sse';

/** A GraphQL operation over a WebSocket or an event stream, when it has ended. */
export interface EndedOperation {
  readonly requestId: string;
  readonly transport: Transport;
  readonly operation: string;
  /** The subscribed field of the schema; null for queries and mutations. */
  readonly field: string | null;
  readonly events: number;
  readonly milliseconds: number;
  /** Code of the error that ended it; null if it completed or the client ended it. */
  readonly code: string | null;
  readonly caller: Caller | null;
}

/** Follows operations, and receives the events of live connections. */
export type LiveObserver = ReturnType<typeof observeOperations>;

/** Counts subscriptions and events and logs each operation when it ends. The log line has no value that a client chose. */
export function observeOperations(
  logger: Logger,
  metrics: Metrics,
  { follow }: Followers,
  watch: WatchOperation,
) {
  return {
    ...metrics.streams,
    follow,
    watch,
    operationEnded: (ended: EndedOperation): void => {
      const { requestId, milliseconds, caller, field, events, code, ...kind } = ended;
      logger.info(
        {
          request_id: requestId,
          path: PATHS[kind.transport],
          ...kind,
          ...(field === null ? {} : { field, events }),
          duration_ms: Math.round(milliseconds * 10) / 10,
          ...(code === null ? {} : { code }),
          ...(caller === null ? {} : { company_id: caller.companyId, user_id: caller.userId, ip: caller.ip }),
        },
        'operation',
      );
    },
  };
}

const PATHS: Readonly<Record<Transport, string>> = { websocket: '/graphql', sse: '/graphql/stream' };
