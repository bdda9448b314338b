/** What the main thread and a reader thread send to each other. */

export interface ThreadOptions {
  readonly file: string;
  /** One number: not 0 from the moment at which what the thread is doing is to end. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Bytes of text, after which a statement ends. */
  readonly maxBytes: number;
  /** By how much its priority is lower than that of the process. */
  readonly nice: number;
}

export type Request =
  | { readonly kind: 'read'; readonly sql: string; readonly parameters: readonly unknown[] }
  /** Ends the transaction that the first read has begun. */
  | { readonly kind: 'end' }
  /** Asks for the reply `settled`. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'close' };

/** An error of SQLite (`sqlite` is its code) or of the thread itself. */
export interface ThreadError {
  readonly message: string;
  readonly sqlite: string | null;
}

/** There is one reply to each read, in the order of the reads. */
export type Reply =
  | { readonly kind: 'rows'; readonly rows: unknown[] }
  | { readonly kind: 'error'; readonly error: ThreadError }
  | { readonly kind: 'stopped' | 'too_large' }
  /** What was sent before is done. */
  | { readonly kind: 'settled' }
  /** The first message: the connection is open. */
  | { readonly kind: 'open' }
  /** The first and last message: it could not be opened. */
  | { readonly kind: 'refused'; readonly error: ThreadError };
