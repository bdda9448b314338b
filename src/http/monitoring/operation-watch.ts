import type { Clock } from '../../platform/clock.js';
import type { OperationSpan, Tracing } from '../../platform/tracing/types.js';
import type { Metrics } from './metrics.js';
import { OperationNames } from './operation-names.js';

export interface OperationKind {
  /** `query`, `mutation` or `subscription`. */
  readonly type: string;
  readonly name: string | null;
}

/** A GraphQL operation that runs. */
export interface WatchedOperation {
  /** To be called once its document is admitted. */
  known(kind: OperationKind): void;
  /** `code` is that of its first error. */
  failed(code: string): void;
}

/**
 * Measures and traces what `use` does: an operation, or one event of a subscription. `isAlone` is for those that no
 * request waits for: they get a trace of their own.
 */
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
    const running = new RunningOperation(span);
    try {
      return await (span === null ? use(running) : span.run(() => use(running)));
    } catch (error) {
      running.failed(codeOf(error));
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

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'exception';
}

class RunningOperation implements WatchedOperation {
  kind: OperationKind | null = null;
  #hasFailed = false;

  constructor(private readonly span: OperationSpan | null) {}

  known(kind: OperationKind): void {
    this.kind = kind;
  }

  failed(code: string): void {
    if (!this.#hasFailed) this.span?.failed(code);
    this.#hasFailed = true;
  }
}
