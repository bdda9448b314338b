import type { Logger } from '../logger.js';

/** What a trace has of a request when it has ended: no value that a client chose but its id. */
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
  /** What `use` starts, and all that it awaits, belongs to the request. */
  run<T>(use: () => T): T;
  end(request: EndedRequest): void;
}

export interface OperationSpan {
  run<T>(use: () => T): T;
  /** `code` is that of the first error. */
  failed(code: string): void;
  /** `type` is null where the document was refused, `name` where the operation has none. */
  end(type: string | null, name: string | null): void;
}

export interface Tracing {
  /** `traceparent` is the header of the client: its trace is continued if it is well-formed. */
  request(method: string, traceparent: string | undefined): RequestSpan;
  /** An operation of the request that runs; `isAlone` begins a trace, for those of sockets and streams. */
  operation(isAlone: boolean): OperationSpan;
  /** Null where no sampled request or operation runs. Otherwise to be called with the error, if any, at the end. */
  statement(sql: string): ((error?: unknown) => void) | null;
  /** Spans that were not sent, since the start. */
  dropped(): number;
  /** Sends what is left, for up to 2 seconds. Never rejects. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** The address to which spans are sent, for example `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** The share of traces that are recorded, 0 to 1. */
  readonly share: number;
  /** The name that the conventions give the database, for example `sqlite`. */
  readonly databaseSystem: string;
  readonly logger: Pick<Logger, 'warn'>;
}
