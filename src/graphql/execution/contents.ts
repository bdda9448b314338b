import { randomBytes } from 'node:crypto';

import { base64Pieces } from '../../http/send.js';
import type { SentContent } from '../../platform/encoding/content.js';
import { CONTENT_COST } from '../limits/cost.js';
import { requestError } from '../schema/errors.js';
import type { Counters } from './reads.js';

/** Stored bytes: their id and how many they are. */
export interface Content {
  readonly id: number;
  readonly size: number;
}

/** Reads stored bytes in pieces whose lengths, except the last, are multiples of 3. */
export type ReadContent = (companyId: number, contentId: number) => AsyncIterable<Uint8Array>;

const MAX_MESSAGE_BYTES = 256 * 1024;

/**
 * The bytes (Base64 fields) in the response of one operation. Resolvers put placeholders into the response,
 * for example `content:3f…9a:0;`; the bytes are read after execution. HTTP streams them (`fill`), as fast as
 * the client reads, so that a large file is never in memory as a whole. WebSocket messages and events contain them.
 */
export class OperationContents {
  #madePrefix: string | null = null;
  readonly #contents: Content[] = [];
  #isStreamed = false;

  constructor(
    private readonly companyId: () => number,
    /** Maximum bytes of contents in a streamed response. */
    private readonly maxBytes: number,
    private readonly readContent: ReadContent,
    private readonly counters: Counters,
  ) {}

  /** Bytes that came with the operation, in pieces. */
  async *sent(content: SentContent): AsyncGenerator<Uint8Array> {
    if ('chunks' in content) yield* content.chunks;
    else yield* this.readContent(this.companyId(), content.stagedId);
  }

  /** Raises the limit to `maxBytes`, for transports that call `fill`. */
  allowStreaming(): void {
    this.#isStreamed = true;
  }

  get hasPlaceholders(): boolean {
    return this.#contents.length > 0;
  }

  /** A placeholder for bytes in Base64. Errors: BAD_USER_INPUT for more bytes than a response may have. */
  base64(content: Content): Promise<string> {
    const maximum = this.#isStreamed ? this.maxBytes : Math.min(this.maxBytes, MAX_MESSAGE_BYTES);
    const bytes = this.counters.bytes + content.size;
    if (bytes > maximum) {
      const message = `The contents of a response over this transport have at most ${maximum} bytes together, not ${bytes}. REST streams each file.`;
      return Promise.reject(requestError(message, { limit: 'contentBytes', maximum }));
    }
    this.counters.bytes = bytes;
    this.counters.nodes += CONTENT_COST;
    return Promise.resolve(this.#placeholder(this.#contents.push(content) - 1));
  }

  placeholdersIn(text: string): ReadonlyMap<string, Content> {
    const found = this.#contents.map((content, index) => [this.#placeholder(index), content] as const);
    return new Map(found.filter(([placeholder]) => text.includes(placeholder)));
  }

  /** Text in which placeholders are replaced by bytes, in pieces. */
  async *fill(text: string): AsyncGenerator<string> {
    const parts = text.split(new RegExp(`${this.#prefix}([0-9]+);`));
    for (const [index, part] of parts.entries()) {
      const content = index % 2 === 0 ? undefined : this.#contents[Number(part)];
      if (content === undefined) yield part;
      else yield* this.#pieces(content);
    }
  }

  /** True if the response has bytes and is one message: placeholders are replaced before it is sent. */
  get areInMessage(): boolean {
    return this.hasPlaceholders && !this.#isStreamed;
  }

  /** Random, so that no stored text can contain it. Made when it is needed: most operations have no bytes. */
  get #prefix(): string {
    return (this.#madePrefix ??= `content:${randomBytes(16).toString('hex')}:`);
  }

  #placeholder(index: number): string {
    return `${this.#prefix}${index};`;
  }

  async *#pieces({ id }: Content): AsyncGenerator<string> {
    for await (const bytes of this.readContent(this.companyId(), id)) yield* base64Pieces(bytes);
  }
}
