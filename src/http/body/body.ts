import type { Request, Response } from 'express';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import { numbersAsText } from '../../platform/encoding/json-numbers.js';
import { problemOfJson } from '../../platform/encoding/json.js';
import { DomainError } from '../../platform/errors.js';
import { headerOf } from '../headers.js';
import { HttpProblem } from '../problem.js';
import { malformed } from '../query.js';
import { receiveBody, type BodyRate } from './receive.js';

/** Largest JSON or form body, in bytes. A field that `readBase64Body` streams to a file does not count. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Largest body, in bytes, that is read before authentication: any client can make the server buffer it. */
export const MAX_OPEN_BODY_BYTES = 16 * 1024;

/** Limits for a body that is read into memory. */
export interface BodyLimits {
  readonly rate: BodyRate;
  readonly maxBytes: number;
}

export interface BodyFields {
  /** Decoded fields by name. In a form, each value is a text or a list of texts. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isForm: boolean;
  /** The named fields, with JSON numbers as the text that was sent: `1.10` instead of 1.1. */
  readonly numbersAsText: (names: ReadonlySet<string>) => Readonly<Record<string, unknown>>;
}

export interface Body extends BodyFields {
  readonly bytes: Uint8Array;
}

/** A text, or a list for a name that was given as one. */
export type FormValue = string | readonly string[];

/** `file_ids[]` and `file_ids[0]`. */
const LIST_NAME = /^([^[\]]+)\[\d*\]$/;

/**
 * Collects the fields of a form by name. A name that is repeated or ends in `[]` or `[0]` has a list, in the order of
 * the form: `file_ids[]=1&file_ids[]=2` and `file_ids=1&file_ids=2` are both `file_ids: ['1', '2']`.
 */
export class FormFields {
  readonly #values = new Map<string, string | string[]>();

  add(sentName: string, value: string): void {
    const listName = LIST_NAME.exec(sentName)?.[1];
    const name = listName ?? sentName;
    const known = this.#values.get(name);
    if (typeof known === 'object') known.push(value);
    else if (known !== undefined) this.#values.set(name, [known, value]);
    else this.#values.set(name, listName === undefined ? value : [value]);
  }

  get values(): ReadonlyMap<string, FormValue> {
    return this.#values;
  }
}

/** Body of a form. Forms have no JSON numbers, so `numbersAsText` returns the fields unchanged. */
export function formBody(form: ReadonlyMap<string, FormValue>): BodyFields {
  const fields = Object.fromEntries(form);
  return { fields, isForm: true, numbersAsText: () => fields };
}

/** Sends `100 Continue` if the client expects it. Call after authentication, just before reading the body. */
export function inviteBody(request: Request, response: Response): void {
  if (headerOf(request, 'expect')?.toLowerCase() === '100-continue') response.writeContinue();
}

/**
 * Reads the fields of a body, for any method: a JSON object whatever the Content-Type, otherwise a form
 * (contract 1). Errors: 400, 408 too slow, 413, 415.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  const { bytes, text } = await readText(request, limits);
  return { bytes, ...fieldsOf(text, headerOf(request, 'content-type') ?? '') };
}

/** The body as text, for any Content-Type. Errors: 400, 408, 413, 415. */
export async function readText(
  request: Request,
  limits: BodyLimits,
): Promise<{ readonly bytes: Uint8Array; readonly text: string }> {
  await refuseLabels(request, limits.rate);
  if (!hasBody(request)) return { bytes: NO_BYTES, text: '' };
  const bytes = await readBytes(request, limits);
  return { bytes, text: decodeText(bytes) };
}

const NO_BYTES = Buffer.alloc(0);
/** Result of `readBody` for a request without a body. */
const EMPTY_BODY: Body = { bytes: NO_BYTES, ...jsonBody(Object.freeze({}), '{}') };

/** Like `readBody`, without waiting, for a request without a body; undefined if it has one. */
export function emptyBody(request: Request): Body | undefined {
  return hasBody(request) ? undefined : EMPTY_BODY;
}

/**
 * Checks Content-Encoding and Content-Type. Errors: 415 for a compressed body, a charset other than UTF-8, or
 * a list of types. The headers are ignored if the body has no bytes (contract 1).
 */
export async function refuseLabels(request: IncomingMessage, { windowMs }: BodyRate): Promise<void> {
  const problem = problemOfLabels(request);
  if (problem === undefined || !hasBody(request)) return;
  const isChunked = headerOf(request, 'transfer-encoding') !== undefined;
  if (!isChunked || (await firstBytes(request, windowMs)) !== 'none') throw problem;
}

/**
 * First bytes of a body, without consuming them. `none` if it has no bytes; undefined if none arrive within
 * `waitMs` or the client disconnects.
 */
async function firstBytes(request: IncomingMessage, waitMs: number): Promise<Buffer | 'none' | undefined> {
  if (!hasBody(request)) return 'none';
  const options = { signal: AbortSignal.timeout(waitMs) };
  await Promise.race(['readable', 'end'].map((event) => once(request, event, options))).catch(
    () => undefined,
  );
  const first = request.read() as Buffer | null;
  if (first !== null) request.unshift(first);
  return first ?? (request.complete ? 'none' : undefined);
}

export function isMultipart(request: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(headerOf(request, 'content-type') ?? '');
}

/**
 * Whether a body that is labelled as multipart is a JSON object of up to 1 MiB, as its first bytes tell, or empty
 * (contract 1). Leaves the body unread.
 */
export async function isMislabelled(request: IncomingMessage, waitMs: number): Promise<boolean> {
  if (Number(headerOf(request, 'content-length') ?? 0) > MAX_BODY_BYTES) return false;
  const first = await firstBytes(request, waitMs);
  return first === 'none' || /^\s*\{/.test(first?.toString('latin1') ?? '');
}

/** Whether the headers announce a body that was not read to its end. */
export function hasBody(request: IncomingMessage): boolean {
  if (request.readableEnded) return false;
  const encoding = headerOf(request, 'transfer-encoding');
  return encoding !== undefined || Number(headerOf(request, 'content-length') ?? 0) > 0;
}

/** Buffers at most `maxBytes`; after an error the rest stays unread (`sendProblem` drains it). */
async function readBytes(request: Request, limits: BodyLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = (chunk: Buffer): undefined => void chunks.push(chunk);
  await receiveBody(request, { ...limits, tooLarge: () => tooLarge(limits) }, collect);
  return Buffer.concat(chunks);
}

function tooLarge({ maxBytes }: BodyLimits): HttpProblem {
  return new HttpProblem(413, 'too_large', `The body is larger than the limit of ${maxBytes} bytes.`);
}

/** UTF-8, and labels that old clients put on plain ASCII texts. */
const CHARSETS = ['', 'utf-8', 'utf8', 'us-ascii', 'ascii', 'iso-8859-1', 'latin1', 'windows-1252'];

/** 415 error for Content-Encoding and Content-Type of the request; undefined if the body is readable. */
export function problemOfLabels(request: IncomingMessage): HttpProblem | undefined {
  const coding = headerOf(request, 'content-encoding') ?? 'identity';
  const type = headerOf(request, 'content-type');
  if (coding.toLowerCase() !== 'identity') {
    const message = 'Content-Encoding is not supported: send the body uncompressed.';
    return new HttpProblem(415, 'unsupported_encoding', message);
  }
  if (type === undefined) return undefined;
  if (/,[^;]*\//.test(type.replace(/"[^"]*"/g, ''))) {
    const message = 'Content-Type lists several types: send the one type of the body.';
    return new HttpProblem(415, 'unsupported_type', message);
  }
  const charset = CHARSET.exec(type)?.[1]?.replace(/["']/g, '').trim() ?? '';
  return CHARSETS.includes(charset.toLowerCase()) ? undefined : unsupportedCharset();
}

/** The parameter `charset` of a Content-Type, perhaps empty or in quotes. */
export const CHARSET = /;\s*charset\s*=\s*("[^"]*"|'[^']*'|[^;\s]*)/i;

export function unsupportedCharset(): HttpProblem {
  const message = 'The charset of the Content-Type is not supported: send the body as UTF-8.';
  return new HttpProblem(415, 'unsupported_charset', message);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

export function notUtf8(): HttpProblem {
  return malformed('The body is not valid UTF-8.');
}

/** The fields of the whole text of a body. Errors: 400, 422. */
export function fieldsOf(text: string, contentType: string): BodyFields {
  if (text.trim() === '') return jsonBody({}, '{}');
  const json = parseJson(text);
  if (json !== undefined) return jsonBody(objectOf(json.value), text);
  const looksLikeJson = /^\s*[[{"]/.test(text);
  if (!looksLikeJson && isFormType(contentType)) return formBody(formFields(text));
  throw new HttpProblem(400, 'malformed_json', 'The body is not well-formed JSON.');
}

function jsonBody(fields: BodyFields['fields'], text: string): BodyFields {
  return { fields, isForm: false, numbersAsText: (names) => numbersAsText(text, names) };
}

export function isFormType(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

export function notAnObject(): HttpProblem {
  return new HttpProblem(400, 'malformed_json', 'The body must be a JSON object.');
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notAnObject();
  }
  for (const [field, entry] of Object.entries(value)) {
    const problem = typeof entry === 'object' ? problemOfJson(entry) : undefined;
    if (problem !== undefined) {
      throw new DomainError('invalid', 'Some fields are not valid.', { fields: { [field]: [problem] } });
    }
  }
  return value as Readonly<Record<string, unknown>>;
}

function formFields(text: string): ReadonlyMap<string, FormValue> {
  const form = new FormFields();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    form.add(formText(name), formText(value.join('=')));
  }
  return form.values;
}

/** Decodes a name or value of a form. A percent sign without two hexadecimal digits is taken literally. */
function formText(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw notUtf8();
  }
}
