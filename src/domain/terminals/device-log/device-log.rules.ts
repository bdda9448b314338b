import { type Scrubbed, scrubText } from '../../../platform/card-data/card-data.js';
import { folded } from '../../../platform/card-data/text-search.js';
import { compressed, decompressed } from '../../../platform/encoding/archive.js';
import type { PackedChunk } from './device-log.model.js';

/** Characters of a chunk. Hiding card data in one takes 2 to 30 ms. */
const CHUNK_LENGTH = 32 * 1024;
/** Characters beside a cut that may belong to card data on both sides of it. */
const EDGE = 200;
/** Characters of a line that are shown. */
const SHOWN_LENGTH = 2_000;

/** Control characters but tab and ends of lines. Without NUL, UTF-16 text without a mark is readable too. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Forms of UTF-16 by the mark that they begin with. */
const WIDE: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text in bytes of UTF-8, or of UTF-16 with its mark; all other bytes are read as Windows-1252 (Latin-1). */
export function textOfBytes(bytes: Buffer): string {
  const wide = WIDE[bytes.toString('hex', 0, 2)];
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Pieces of a text, each with whole lines; a line that is longer than a piece is cut. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + CHUNK_LENGTH;
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end - 1) + 1;
      if (line > start) end = line;
    }
    yield text.slice(start, end);
  }
}

/** A piece without control characters and card data. */
export const harmless = (piece: string): Scrubbed<string> => scrubText(piece.replace(CONTROL, ''));

/** Hides card data in a line that is cut between two pieces. Null if there is none, or the first ends with a line. */
export function harmlessAcross(before: string, after: string) {
  if (before === '' || before.endsWith('\n')) return null;
  const tail = before.slice(Math.max(before.length - EDGE, before.lastIndexOf('\n') + 1));
  const head = /^.*/.exec(after.slice(0, EDGE))?.[0] ?? '';
  const { value, scrubs } = scrubText(tail + head);
  if (scrubs === 0) return null;
  return {
    before: before.slice(0, before.length - tail.length) + value.slice(0, tail.length),
    after: value.slice(tail.length) + after.slice(head.length),
    scrubs,
  };
}

export function packed(text: string): PackedChunk {
  const plain = Buffer.from(text);
  return { bytes: compressed(plain), size: plain.length, lineCount: linesOf(text).length };
}

export const unpackedText = (bytes: Uint8Array): string => decompressed(bytes).toString();

/** Lines without their ends. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The part of a line that is shown. */
export const shownLine = (line: string): string =>
  line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;

/** Whether a line has the text that is searched for, which is folded. */
export const hasText = (line: string, search: string): boolean =>
  search === '' || folded(line).includes(search);
