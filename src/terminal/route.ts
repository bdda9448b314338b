import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../database/work.js';
import type { Row } from '../platform/requests/rows.js';
import type { RowStore } from '../rest/lines/line-route.js';
import type { Description } from '../rest/openapi/described.js';

interface RouteBase {
  /** Below /terminal/v1, with placeholders: `/assets/{name}`. */
  readonly path: string;
}

/** What a request gives in its path and query. */
export interface TerminalCall {
  /** Parameters that a route does not use are ignored. */
  readonly query: ReadonlyMap<string, string>;
  /** The decoded value in the path, as it was sent: any characters. */
  value(placeholder: string): string;
}

export interface TerminalAnswer {
  /** Content-Type, for example `text/plain; charset=utf-8`. */
  readonly type: string;
  readonly content: string;
  /** Strong, with its quotes. By default it is made from the content. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the terminal has the content: the answer is 304. */
  readonly isUnchanged?: boolean;
  /** Changes something because of the request, in a unit of its own, before the answer is sent; see `note`. */
  readonly note?: ((work: WriteWork) => Promise<void>) | undefined;
}

/** Changes something in one unit of work. `T` is a terminal that may use the service. */
export interface TerminalWriteRoute<T> extends RouteBase {
  readonly method: 'POST';
  /** Fields of the JSON body, in the model's names; the answer names others as `ignored`. */
  readonly body: z.ZodObject;
  write(work: WriteWork, terminal: T, input: Readonly<Record<string, unknown>>): Promise<void>;
}

/** A terminal that may use the service, and what it asks for. */
export interface BatchCall<T, Input> {
  readonly terminal: T;
  /** Of a gateway token; null with the token of the device. */
  readonly tokenId: number | null;
  readonly input: Input;
}

/**
 * What several terminals of one company ask for at about the same time, in one unit of work with constant statements. It adds
 * no ledger entry. Resolves to the result or the error of each; an error of one undoes nothing of the others.
 */
export interface TerminalBatch<T, Input, Result extends object, Work extends ReadWork> {
  perform(work: Work, calls: readonly BatchCall<T, Input>[]): Promise<readonly (Result | Error)[]>;
}

export type TerminalReadBatch<T, Input, Result extends object> = TerminalBatch<T, Input, Result, ReadWork>;
export type TerminalWriteBatch<T, Input, Result extends object> = TerminalBatch<T, Input, Result, WriteWork>;

/** The same for terminals of a company together. */
export interface TerminalBatchRoute<T> extends RouteBase {
  readonly method: 'POST';
  /** Fields of the JSON body, in the model's names; others are ignored. */
  readonly body: z.ZodObject;
  /** The results are the bodies of the responses. */
  readonly batch: TerminalWriteBatch<T, Readonly<Record<string, unknown>>, object>;
}

/** Reads in one unit of work. The answer has an ETag: 304 for a request that names it in If-None-Match. Also HEAD. */
export interface TerminalReadRoute<T> extends RouteBase {
  readonly method: 'GET';
  read(work: ReadWork, terminal: T, call: TerminalCall): Promise<TerminalAnswer>;
}

/** How many requests of a kind there may be at the same time. */
export interface Places {
  readonly ofTerminal: number;
  readonly ofCompany: number;
  /** Whether the route itself ends a request whose terminal may not use the service any more. */
  readonly checksItself?: true;
}

/** Opens its own units of work and sends the response itself: waits, streams of events, bytes of any length. */
export interface TerminalExchangeRoute<T> extends RouteBase {
  readonly method: 'GET' | 'POST';
  /** Resolves when the response is sent. Errors that come before it become the response; later ones cut it. */
  exchange(exchange: TerminalExchange<T>): Promise<unknown>;
}

/** What the toolkit needs to serve a route. */
export type ServedRoute<T> =
  | TerminalWriteRoute<T>
  | TerminalBatchRoute<T>
  | TerminalReadRoute<T>
  | TerminalExchangeRoute<T>;

export type TerminalRoute<T> = ServedRoute<T> & { readonly describe: Description };

/**
 * A request whose route sends the response itself. The terminal is known in units of work only: each begins by looking up
 * the token again and admitting the terminal again, so a route that goes on for hours notices that it may not.
 */
export interface TerminalExchange<T> extends TerminalCall {
  /** HEAD: the response ends after its headers, and its pieces are not made. */
  readonly method: string;
  header(name: string): string | undefined;
  /** Aborted when the client has left, the server stops, or the terminal may not use the service any more. */
  readonly ended: AbortSignal;
  /** Whether it ended because the server stops: the client is still there, and can be answered. */
  readonly isStopping: boolean;
  /** Errors: those of the token and of `admit`. */
  read<V>(use: (work: ReadWork, terminal: T) => Promise<V>): Promise<V>;
  /** Errors: those of the token and of `admit`. */
  write<V>(use: (work: WriteWork, terminal: T) => Promise<V>): Promise<V>;
  /** As part of a batch; null if the request has ended before its turn. Errors: the same, and that of its call. */
  readTogether<Input, Result extends object>(
    batch: TerminalReadBatch<T, Input, Result>,
    input: Input,
  ): Promise<Result | null>;
  /** The same. */
  writeTogether<Input, Result extends object>(
    batch: TerminalWriteBatch<T, Input, Result>,
    input: Input,
  ): Promise<Result | null>;
  /**
   * Changes something that the response does not depend on, for example notes how the request ended. The terminal was
   * admitted before, and is not admitted again. Resolves also where that fails.
   */
  note(use: (work: WriteWork) => Promise<void>): Promise<void>;
  /**
   * From now on, the request counts among those of this kind, and not among the requests in progress of its terminal and
   * company. Errors: 429, `busy`.
   */
  occupy(kind: string, places: Places): void;
  /** The bytes of the body, as they arrive. Errors: 400, 408, 415. */
  body(): AsyncGenerator<Uint8Array, undefined>;
  /** The rows of the whole body: NDJSON, or one JSON object. Errors: 400, 408, 413 for more bytes or rows, 415. */
  rows(limits: RowLimits): Promise<readonly Row[]>;
  /**
   * Stores rows in units of work as `write` makes them, and answers with a line for each that `store` shows, and the totals.
   */
  answerRows<Checked>(store: RowStore<Checked>, rows: readonly Row[]): Promise<void>;
  /** Sends the whole answer, or 304. Without `etag`, there is no ETag. */
  send(answer: Omit<TerminalAnswer, 'note'> & { readonly status?: number }): Promise<void>;
  /** Sends 304 with these headers. */
  unchanged(headers: Readonly<Record<string, string>>): void;
  /** Whether the request has this ETag, or `*`, in If-None-Match. */
  hasTag(etag: string): boolean;
  /**
   * Sends pieces as they are made, each when the client has taken those before. They must end when `ended` is aborted.
   * Resolves to whether the connection has taken all of them.
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
  /** The most that is in memory for it at a time: counted until the response is closed. */
  readonly heldBytes: number;
}
