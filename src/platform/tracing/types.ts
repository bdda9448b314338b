import type { Logger } from '../logger.js';

/**
 * Data that a trace records at the end of a request: no values that a client chose, except the request id.
 */
export interface EndedRequest {
  /** The documented path, for example `/v1/apps/{app_id}`; null where the path is unknown. */
  readonly route: string | null;
  /** Null if the client disconnected before a response. */
  readonly status: number | null;
  readonly requestId: string;
}

export interface RequestSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Runs `use`. Spans that start in it, or in what it awaits, belong to the request. */
  run<T>(use: () => T): T;
  end(request: EndedRequest): void;
}

export interface OperationSpan {
  run<T>(use: () => T): T;
  /** Marks the operation as failed; `code` is that of its first error. */
  failed(code: string): void;
  /** `type` is null if the document was refused, `name` if the operation has none. */
  end(type: string | null, name: string | null): void;
}

export interface Tracing {
  /**
   * Starts the span of a request. `traceparent` is the header of the client, whose trace is continued if it
   * is well-formed.
   */
  request(method: string, traceparent: string | undefined): RequestSpan;
  /**
   * Starts the span of an operation, within the current request. `isAlone` starts a new trace, for operations
   * of sockets and streams.
   */
  operation(isAlone: boolean): OperationSpan;
  /**
   * Starts the span of a statement. Returns the function that ends it, with the error if there is one; null
   * if no sampled request or operation runs.
   */
  statement(sql: string): ((error?: unknown) => void) | null;
  /** Number of spans that were not sent since the start. */
  dropped(): number;
  /** Sends the remaining spans for up to 2 seconds. Never rejects. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** URL that spans are sent to, for example `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Share of traces that are recorded, 0 to 1. */
  readonly share: number;
  /** Name of the database system in the conventions, for example `sqlite`. */
  readonly databaseSystem: string;
  readonly logger: Pick<Logger, 'warn'>;
}
