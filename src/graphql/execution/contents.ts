import { randomBytes } from 'node:crypto';

import type { Units } from '../../database/work.js';
import { readContent } from '../../resources/content/content.service.js';
import { CONTENT_COST } from '../limits/cost.js';
import { beyondContent } from '../schema/errors.js';
import type { OperationCounters } from './request.js';

/** Which bytes, and how many they are. */
export interface Content {
  readonly id: number;
  readonly size: number;
}

export interface ContentsOptions {
  readonly units: Units;
  readonly companyId: number;
  /** What one operation answers at most. */
  readonly maxBytes: number;
  readonly tally: OperationCounters;
}

/** What is made part of a text at once. */
const MAX_TEXT_BYTES = 256 * 1024;

/**
 * The bytes that one operation answers. As parts of one text, large ones would be in memory several times over, and
 * nobody else would be served while the text is made. A transport that sends texts in pieces says so: there, marks
 * stand for the bytes until `fill` reads them, as fast as the client takes them. Over the others, small contents
 * are answered only.
 */
export class OperationContents {
  /** Drawn anew each time, so that no text from outside can hold it. */
  readonly #mark = `content:${randomBytes(16).toString('hex')}:`;
  readonly #marked: Content[] = [];
  #inPieces = false;
  #bytes = 0;

  constructor(private readonly options: ContentsOptions) {}

  /** For transports that send what `fill` makes of the answer's text. */
  sendInPieces(): void {
    this.#inPieces = true;
  }

  /** Whether the answer's text has to be filled. */
  get hasMarks(): boolean {
    return this.#marked.length > 0;
  }

  /** The bytes in base64, or the mark for them. Errors: more than an operation answers. */
  async base64(content: Content): Promise<string> {
    const { maxBytes, tally } = this.options;
    const maximum = this.#inPieces ? maxBytes : Math.min(maxBytes, MAX_TEXT_BYTES);
    const bytes = this.#bytes + content.size;
    if (bytes > maximum) throw beyondContent(bytes, maximum);
    this.#bytes = bytes;
    tally.nodes += CONTENT_COST;
    if (this.#inPieces) return `${this.#mark}${this.#marked.push(content) - 1};`;
    let text = '';
    for await (const piece of this.#pieces(content)) text += piece;
    return text;
  }

  /** The answer's text with the bytes where their marks stand. */
  async *fill(text: string): AsyncGenerator<string> {
    const parts = text.split(new RegExp(`${this.#mark}([0-9]+);`));
    for (const [place, part] of parts.entries()) {
      const content = place % 2 === 0 ? undefined : this.#marked[Number(part)];
      if (content === undefined) yield part;
      else yield* this.#pieces(content);
    }
  }

  async *#pieces({ id }: Content): AsyncGenerator<string> {
    const { units, companyId } = this.options;
    for await (const bytes of readContent(units, companyId, id)) yield Buffer.from(bytes).toString('base64');
  }
}
