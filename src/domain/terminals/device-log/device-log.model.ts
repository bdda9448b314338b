import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import { invalid } from '../../../platform/errors.js';
import { readInstant, TIMESTAMP_EXAMPLE } from '../../../platform/timestamps.js';
import { parse, recordId } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

const MIB = 1024 * 1024;
/** Bytes of a part as it is sent, and of its text when it is unpacked. */
export const MAX_SENT_BYTES = MIB;
export const MAX_TEXT_BYTES = 4 * MIB;
/** Bytes of the texts of all logs of a device, and number of these logs. */
export const MAX_BYTES_OF_DEVICE = 20 * MIB;
export const MAX_LOGS_OF_DEVICE = 500;
const MAX_PARTS = 50;

/** A log of a terminal, without its text. */
export type DeviceLog = RecordOf<'device_logs'>;

/** The query of an upload says to which log it belongs, and which part of it this is. */
const LogPart = z.object({
  name: identifyingName(100),
  at: z.date().optional(),
  part: z.int().min(1).max(MAX_PARTS).default(1),
  parts: z.int().min(1).max(MAX_PARTS).default(1),
  command: recordId.optional(),
});
export type LogPart = z.output<typeof LogPart>;

export const PARAMETERS = {
  name: 'Name of the log, for example main.log. Folders before it are left out. Default: main.log.',
  at: `When the log was taken: ${TIMESTAMP_EXAMPLE}. Default: now. Required with \`parts\`: all parts have the same.`,
  part: 'Number of the part, from 1. Default: 1.',
  parts: `Number of parts that the log has, up to ${MAX_PARTS}. Default: 1.`,
  command: 'Number of the command that asked for the log, if one did.',
};

const wholeNumber = (text: string | undefined): unknown =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;

/** Errors: `invalid`. */
export function logPartOf(query: ReadonlyMap<string, string>): LogPart {
  const at = query.get('at');
  const given = parse(LogPart, {
    // The terminal may send a path of its own.
    name: (query.get('name') ?? 'main.log').split(/[/\\]/).at(-1),
    at: at === undefined ? at : (readInstant(at) ?? at),
    part: wholeNumber(query.get('part')),
    parts: wholeNumber(query.get('parts')),
    command: wholeNumber(query.get('command')),
  });
  if (given.part > given.parts) throw invalid('part', 'must be at most {maximum}', { maximum: given.parts });
  if (given.parts > 1 && given.at === undefined) {
    throw invalid('at', 'is required: {advice}', { advice: 'all parts of a log have the same time' });
  }
  return given;
}

/** A piece of a text as it is stored: gzip of UTF-8. */
export interface PackedChunk {
  readonly bytes: Uint8Array;
  /** Bytes of the text, and its lines. */
  readonly size: number;
  readonly lineCount: number;
}

/** Lines of a log from one number on. */
export interface LineRequest {
  /** Only lines with this text, in any letter case and with any accents; empty for all. */
  readonly search: string;
  readonly first: number;
  /** Number of the line after which it begins; 0 for the first one. */
  readonly after: number;
}

export interface LogLines {
  readonly nodes: readonly { readonly number: number; readonly text: string }[];
  /** Number of the last line that was looked at. */
  readonly endLine: number;
  readonly hasNextPage: boolean;
}
