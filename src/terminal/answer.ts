export interface TerminalAnswer {
  /** 200 if absent; 304 has no body. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strong ETag with its quotes: the answer is 304 to a request that has it. */
  readonly etag?: string;
  /** Content-Type of a text, for example `text/plain; charset=utf-8`. */
  readonly type?: string;
  /** A text, or an object that is sent as JSON. */
  readonly body?: object | string;
  readonly stream?: AnswerStream;
}

export interface AnswerStream {
  /** Each is sent after the client has received the one before. Must end when `ended` of the call is aborted. */
  readonly pieces: AsyncIterable<string | Uint8Array>;
  /** Maximum bytes in memory for the response; counted until it is closed. */
  readonly heldBytes: number;
  /** Called at the end, with whether the client has received all. */
  readonly sent: (isTaken: boolean) => unknown;
}
