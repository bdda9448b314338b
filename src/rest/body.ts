import { raw, type Request, type RequestHandler, type Response } from 'express';

import { DomainError } from '../platform/errors.js';
import { problemOfJson } from '../platform/json.js';
import { HttpProblem } from './problem.js';
import { malformed } from './query.js';

export const MAX_BODY_BYTES = 1024 * 1024;

export interface Body {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields of a form are all texts: numbers among them are read as such. */
  readonly isForm: boolean;
  readonly bytes: Uint8Array;
}

const readRaw = raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false }) as RequestHandler;

/** The body of any method as fields: JSON whatever its label says, else a form (decision 1). */
export async function readBody(request: Request, response: Response): Promise<Body> {
  refuseForeignCharset(request.headers['content-type']);
  await new Promise<void>((resolve, reject) => {
    void readRaw(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(explain(error));
    });
  });
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { bytes, ...fieldsOf(decodeText(bytes), request.headers['content-type'] ?? '') };
}

/** What the reader of bodies throws, in our words. */
function explain(error: unknown): Error {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new HttpProblem(413, 'too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  if (type === 'encoding.unsupported') {
    return new HttpProblem(415, 'unsupported_encoding', 'Send the body without compression.');
  }
  if (status !== undefined && status < 500) return malformed('The body could not be read whole.');
  return error instanceof Error ? error : new Error('The body could not be read.', { cause: error });
}

const UTF8 = ['utf-8', 'utf8', 'us-ascii', 'ascii'];
/** Old clients name these for texts that are plain ASCII. */
const ASCII_COMPATIBLE = ['iso-8859-1', 'latin1', 'windows-1252'];

function refuseForeignCharset(contentType: string | undefined): void {
  const match = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(contentType ?? '');
  if (match === null) return;
  const charset = (match[1] ?? '').toLowerCase();
  if (UTF8.includes(charset) || ASCII_COMPATIBLE.includes(charset)) return;
  throw new HttpProblem(415, 'unsupported_charset', 'Send the body as UTF-8.');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function fieldsOf(text: string, contentType: string): Pick<Body, 'fields' | 'isForm'> {
  if (text.trim() === '') return { fields: {}, isForm: false };
  const json = parseJson(text);
  if (json !== undefined) return { fields: objectOf(json.value), isForm: false };
  const looksLikeJson = /^\s*[[{"]/.test(text);
  if (!looksLikeJson && /^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return { fields: formFields(text), isForm: true };
  }
  throw new HttpProblem(400, 'malformed_json', 'The body is not well-formed JSON.');
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpProblem(400, 'malformed_json', 'The body must be a JSON object.');
  }
  for (const [field, entry] of Object.entries(value)) {
    const problem = typeof entry === 'object' ? problemOfJson(entry) : undefined;
    if (problem !== undefined) {
      throw new DomainError('invalid', 'Some fields are not valid.', { fields: { [field]: [problem] } });
    }
  }
  return value as Readonly<Record<string, unknown>>;
}

function formFields(text: string): Readonly<Record<string, unknown>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw malformed('A form field is given more than once.');
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
