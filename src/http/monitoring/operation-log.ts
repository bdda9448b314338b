import type { Caller } from '../../platform/caller.js';
import type { Logger } from '../../platform/logger.js';
import type { Metrics, StreamCounters } from './metrics.js';
import type { WatchOperation } from './operation-watch.js';

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
export interface LiveObserver extends StreamCounters {
  operationEnded(ended: EndedOperation): void;
  readonly watch: WatchOperation;
}

/** Counts subscriptions and events and logs each operation when it ends. The log line has no value that a client chose. */
export function observeOperations(logger: Logger, metrics: Metrics, watch: WatchOperation): LiveObserver {
  return {
    ...metrics.streams,
    watch,
    operationEnded: ({ requestId, milliseconds, caller, field, events, code, ...kind }) => {
      logger.info(
        {
          ...{ request_id: requestId, path: PATHS[kind.transport], ...kind },
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
