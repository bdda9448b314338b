/** Messages between the main thread and a reader thread. */

export interface ThreadOptions {
  readonly file: string;
  /** One number. If it is not 0, the thread must end what it is doing. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Maximum bytes of text in the rows of a statement. */
  readonly maxBytes: number;
  /** Value that is added to the `nice` value of the process, which lowers the priority. */
  readonly nice: number;
}

export type Request =
  | { readonly kind: 'read'; readonly sql: string; readonly parameters: readonly unknown[] }
  /** Ends the transaction that the first read has begun. */
  | { readonly kind: 'end' }
  /** Requests the reply `settled`. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'close' };

/** An error of SQLite (`sqlite` is its code) or of the thread itself. */
export interface ThreadError {
  readonly message: string;
  readonly sqlite: string | null;
}

/** Replies; one to each read, in the order of the reads. */
export type Reply =
  | { readonly kind: 'rows'; readonly rows: unknown[] }
  | { readonly kind: 'error'; readonly error: ThreadError }
  | { readonly kind: 'stopped' | 'too_large' }
  /** All earlier requests are done. */
  | { readonly kind: 'settled' }
  /** First message: the connection is open. */
  | { readonly kind: 'open' }
  /** First and last message: the connection could not be opened. */
  | { readonly kind: 'refused'; readonly error: ThreadError };
