import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../database/work.js';
import type { Row } from '../platform/requests/rows.js';
import type { RowStore } from '../rest/lines/line-route.js';
import type { Description } from '../rest/openapi/described.js';

interface RouteBase {
  /** Below /terminal/v1, with placeholders: `/assets/{name}`. */
  readonly path: string;
}

/** Values in the path and query of a request. */
export interface TerminalCall {
  /** Parameters that a route does not use are ignored. */
  readonly query: ReadonlyMap<string, string>;
  /** Decoded value of a placeholder. Not validated: may contain any characters. */
  value(placeholder: string): string;
}

export interface TerminalAnswer {
  /** Content-Type, for example `text/plain; charset=utf-8`. */
  readonly type: string;
  readonly content: string;
  /** Strong ETag with its quotes. Default: computed from the content. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the terminal has the content already: the response is then 304. */
  readonly isUnchanged?: boolean;
  /** Change caused by the request; runs in its own unit of work before the answer is sent. See `note`. */
  readonly note?: ((work: WriteWork) => Promise<void>) | undefined;
}

/** Route that changes something in one unit of work. `T` is a terminal that may use the service. */
export interface TerminalWriteRoute<T> extends RouteBase {
  readonly method: 'POST';
  /** Model of the JSON body. The answer lists other fields as `ignored`. */
  readonly body: z.ZodObject;
  write(work: WriteWork, terminal: T, input: Readonly<Record<string, unknown>>): Promise<void>;
}

/** The request of a terminal that may use the service. */
export interface BatchCall<T, Input> {
  readonly terminal: T;
  /** Id of the gateway token; null if the request has the token of the device. */
  readonly tokenId: number | null;
  readonly input: Input;
}

/**
 * Performs similar requests of one company's terminals in one unit of work, with a constant number of
 * statements. Adds no ledger entry. Resolves to one result or error each; an error does not undo other calls.
 */
export interface TerminalBatch<T, Input, Result extends object, Work extends ReadWork> {
  perform(work: Work, calls: readonly BatchCall<T, Input>[]): Promise<readonly (Result | Error)[]>;
}

export type TerminalReadBatch<T, Input, Result extends object> = TerminalBatch<T, Input, Result, ReadWork>;
export type TerminalWriteBatch<T, Input, Result extends object> = TerminalBatch<T, Input, Result, WriteWork>;

/** Route whose requests are performed together with those of the company's other terminals. */
export interface TerminalBatchRoute<T> extends RouteBase {
  readonly method: 'POST';
  /** Model of the JSON body; other fields are ignored. */
  readonly body: z.ZodObject;
  /** Each result is the body of one response. */
  readonly batch: TerminalWriteBatch<T, Readonly<Record<string, unknown>>, object>;
}

/** Route that reads in one unit of work. Sends an ETag, or 304 if If-None-Match names it. Also HEAD. */
export interface TerminalReadRoute<T> extends RouteBase {
  readonly method: 'GET';
  read(work: ReadWork, terminal: T, call: TerminalCall): Promise<TerminalAnswer>;
}

/** Maximum concurrent requests of one kind. */
export interface Places {
  readonly ofTerminal: number;
  readonly ofCompany: number;
  /** Whether the route itself ends a request whose terminal may no longer use the service. */
  readonly checksItself?: true;
}

/** Route with its own units of work and response: long polls, event streams, large contents. */
export interface TerminalExchangeRoute<T> extends RouteBase {
  readonly method: 'GET' | 'POST';
  /** Resolves when the response is sent. Errors before that become the response; later errors cut it. */
  exchange(exchange: TerminalExchange<T>): Promise<unknown>;
}

/** A route of any kind, as the toolkit serves it. */
export type ServedRoute<T> =
  | TerminalWriteRoute<T>
  | TerminalBatchRoute<T>
  | TerminalReadRoute<T>
  | TerminalExchangeRoute<T>;

export type TerminalRoute<T> = ServedRoute<T> & { readonly describe: Description };

/**
 * Request whose route sends the response itself. Each unit of work first checks the token and the terminal
 * again, so that a route which runs for hours notices a revoked token.
 */
export interface TerminalExchange<T> extends TerminalCall {
  /** HTTP method. With HEAD, the response ends after its headers and `pieces` are not read. */
  readonly method: string;
  header(name: string): string | undefined;
  /** Aborted when the client leaves, the server stops, or the terminal may no longer use the service. */
  readonly ended: AbortSignal;
  /** Whether the request ended because the server stops: the client is still connected. */
  readonly isStopping: boolean;
  /** Reads in a unit of work. Errors: those of the token and of `admit`. */
  read<V>(use: (work: ReadWork, terminal: T) => Promise<V>): Promise<V>;
  /** Writes in a unit of work. Errors: those of the token and of `admit`. */
  write<V>(use: (work: WriteWork, terminal: T) => Promise<V>): Promise<V>;
  /** Reads as part of a batch. Null if the request ended before. Errors: those of `read` and of this call. */
  readTogether<Input, Result extends object>(
    batch: TerminalReadBatch<T, Input, Result>,
    input: Input,
  ): Promise<Result | null>;
  /** Writes as part of a batch. Null and errors as for `readTogether`. */
  writeTogether<Input, Result extends object>(
    batch: TerminalWriteBatch<T, Input, Result>,
    input: Input,
  ): Promise<Result | null>;
  /**
   * Stores a side effect of the request, for example how it ended, without checking the terminal again.
   * Resolves even if that fails.
   */
  note(use: (work: WriteWork) => Promise<void>): Promise<void>;
  /**
   * Counts the request among those of `kind` from now on, no longer among the requests in progress of its
   * terminal and company. Errors: 429, `busy`.
   */
  occupy(kind: string, places: Places): void;
  /** The bytes of the body, as they arrive. Errors: 400, 408, 415. */
  body(): AsyncGenerator<Uint8Array, undefined>;
  /**
   * Rows of the whole body: NDJSON, or one JSON object. Errors: 400, 408, 413 too many bytes or rows, 415.
   */
  rows(limits: RowLimits): Promise<readonly Row[]>;
  /** Stores rows like `write`. Answers with a line per row that `store.shows` accepts, and the totals. */
  answerRows<Checked>(store: RowStore<Checked>, rows: readonly Row[]): Promise<void>;
  /** Sends the whole answer, or 304 if the request has its ETag. Without `etag`, the response has no ETag. */
  send(answer: Omit<TerminalAnswer, 'note'> & { readonly status?: number }): Promise<void>;
  /** Sends 304 with these headers. */
  unchanged(headers: Readonly<Record<string, string>>): void;
  /** Whether the request has this ETag, or `*`, in If-None-Match. */
  hasTag(etag: string): boolean;
  /**
   * Sends each piece after the client has received the previous ones. `pieces` must end when `ended` is
   * aborted. Resolves to whether all were sent.
   */
  stream(head: StreamHead, pieces: AsyncIterable<string | Uint8Array>): Promise<boolean>;
}

export interface RowLimits {
  readonly rows: number;
  readonly bytes: number;
}

export interface StreamHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum bytes in memory for the response; counted until it is closed. */
  readonly heldBytes: number;
}
