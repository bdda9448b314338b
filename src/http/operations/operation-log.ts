import type { Caller } from '../../platform/caller.js';
import type { Logger } from '../../platform/logger.js';
import type { Metrics } from './metrics.js';

export type Transport = 'websocket' | 'sse';

/** How an operation went that came over a connection which stays open. */
export interface EndedOperation {
  readonly requestId: string;
  readonly transport: Transport;
  readonly operation: string;
  /** The field of the schema that was followed; null for what has an answer. */
  readonly field: string | null;
  readonly events: number;
  readonly milliseconds: number;
  /** Why it ended, where not because it was done or its client had enough. */
  readonly code: string | null;
  readonly caller: Caller | null;
}

/** Is told what goes on over such connections. */
export interface LiveObserver {
  streamOpened(transport: Transport): void;
  eventSent(transport: Transport): void;
  streamClosed(transport: Transport): void;
  operationEnded(ended: EndedOperation): void;
}

/** Counts streams and events, and logs each operation once, when it has ended: nothing in it was chosen by a client. */
export function observeOperations(logger: Logger, metrics: Metrics): LiveObserver {
  return {
    streamOpened: metrics.streams.opened,
    eventSent: metrics.streams.event,
    streamClosed: metrics.streams.closed,
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
