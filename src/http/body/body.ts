import type { Request, Response } from 'express';
import type { IncomingMessage } from 'node:http';

import { SECOND, systemClock } from '../../platform/clock.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { brokenByJson, numbersAsText } from '../../platform/encoding/json.js';
import { invalidFields } from '../../platform/errors.js';
import { problemOf } from '../../platform/rules.js';
import { isObject, parsedJson } from '../../platform/validate.js';
import { HttpProblem } from '../problem.js';
import { headerOf, malformed } from '../request.js';
import { formFields, notUtf8, type FormValues } from './form.js';

/** Largest JSON or form body, in bytes, without a file in it. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Largest body, in bytes, that is read before authentication: any client can make the server buffer it. */
export const MAX_OPEN_BODY_BYTES = 16 * 1024;

export interface BodyLimits {
  /** Milliseconds over which the rate is measured at which a body arrives. */
  readonly bodyMs: number;
  /** Bytes of the whole body; more are refused with `tooLarge`. */
  readonly maxBytes?: number;
  readonly tooLarge?: () => Error;
  /** Awaited with the bytes that have arrived so far, before more are read. */
  readonly admit?: (size: number) => Promise<void>;
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

/** Body of a form. Forms have no JSON numbers, so `numbersAsText` returns the fields unchanged. */
export function formBody(form: FormValues): BodyFields {
  const fields = Object.fromEntries(form);
  return { fields, isForm: true, numbersAsText: () => fields };
}

/** Sends `100 Continue` if the client expects it. Call after authentication, just before reading the body. */
export function inviteBody(request: Request, response: Response): void {
  if (headerOf(request, 'expect')?.toLowerCase() === '100-continue') response.writeContinue();
}

/** Reads a JSON object, whatever the Content-Type, otherwise a form (contract 1). Errors: 400, 408, 413, 415. */
export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  const { bytes, text } = await readText(request, limits);
  return { bytes, ...fieldsOf(text, headerOf(request, 'content-type') ?? '') };
}

/** The body as text, for any Content-Type. Errors: 400, 408, 413, 415. */
export async function readText(request: Request, limits: BodyLimits) {
  await refuseLabels(request, limits.bodyMs);
  const bytes = await readBytes(request, limits);
  return { bytes, text: decodeText(bytes) };
}

/** The bytes of a body, whatever its headers say of them. Errors: 400, 408, 413. */
export async function readBytes(request: Request, limits: BodyLimits): Promise<Buffer> {
  if (!hasBody(request)) return NO_BYTES;
  const pieces: Buffer[] = [];
  let size = 0;
  // After an error, the rest stays unread (`sendProblem` drains it).
  for await (const piece of bodyPieces(request, limits)) {
    pieces.push(piece);
    size += piece.length;
    await limits.admit?.(size);
  }
  return Buffer.concat(pieces);
}

const NO_BYTES = Buffer.alloc(0);
/** Result of `readBody` for a request without a body. */
const EMPTY_BODY: Body = { bytes: NO_BYTES, ...jsonBody(Object.freeze({}), '{}') };

/** Like `readBody`, without waiting, for a request without a body; undefined if it has one. */
export const emptyBody = (request: Request): Body | undefined => (hasBody(request) ? undefined : EMPTY_BODY);

/** Errors: 415 for a compressed body, a charset but UTF-8 or a list of types, unless it is empty (contract 1). */
export async function refuseLabels(request: IncomingMessage, bodyMs: number): Promise<void> {
  const problem = problemOfLabels(request);
  if (problem === undefined || !hasBody(request)) return;
  const isChunked = headerOf(request, 'transfer-encoding') !== undefined;
  if (!isChunked || (await firstBytes(request, bodyMs)) !== 'none') throw problem;
}

/** First bytes of a body, which stay unread. `none` if it is empty; undefined if none arrive within `waitMs`. */
async function firstBytes(request: IncomingMessage, waitMs: number): Promise<Buffer | 'none' | undefined> {
  if (!hasBody(request)) return 'none';
  if (request.readableLength === 0 && !request.complete) await arrival(request, waitMs);
  const first = request.read() as Buffer | null;
  if (first !== null) request.unshift(first);
  return first ?? (request.complete ? 'none' : undefined);
}

export function isMultipart(request: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(headerOf(request, 'content-type') ?? '');
}

export async function hasMultipart(request: IncomingMessage, waitMs: number): Promise<boolean> {
  return isMultipart(request) && !(await isMislabelled(request, waitMs));
}

/** True if a body labelled as multipart is JSON of up to 1 MiB, or empty (contract 1). Leaves it unread. */
async function isMislabelled(request: IncomingMessage, waitMs: number): Promise<boolean> {
  if (Number(headerOf(request, 'content-length') ?? 0) > MAX_BODY_BYTES) return false;
  const first = await firstBytes(request, waitMs);
  return first === 'none' || /^\s*[{[]/.test(first?.toString('latin1') ?? '');
}

/** True if the headers announce a body that was not read to its end. */
export function hasBody(request: IncomingMessage): boolean {
  if (request.readableEnded) return false;
  const encoding = headerOf(request, 'transfer-encoding');
  return encoding !== undefined || Number(headerOf(request, 'content-length') ?? 0) > 0;
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

/** The fields of the whole text of a body. Errors: 400, 422. */
export function fieldsOf(text: string, contentType: string): BodyFields {
  const trimmed = text.trim();
  // PHP writes an empty object as `[]`.
  if (trimmed === '' || /^\[\s*\]$/.test(trimmed)) return jsonBody({}, '{}');
  const json = parsedJson(text);
  if (json !== undefined) return jsonBody(objectOf(json), text);
  const looksLikeJson = /^\s*[[{"]/.test(text);
  if (!looksLikeJson && isFormType(contentType)) return formBody(formFields(text));
  throw notJson();
}

export const notJson = (): HttpProblem =>
  new HttpProblem(400, 'malformed_json', 'The body is not well-formed JSON.');

function jsonBody(fields: BodyFields['fields'], text: string): BodyFields {
  return { fields, isForm: false, numbersAsText: (names) => numbersAsText(text, names) };
}

export function isFormType(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

export function notAnObject(): HttpProblem {
  return new HttpProblem(400, 'malformed_json', 'The body must be a JSON object.');
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw notAnObject();
  for (const [field, entry] of Object.entries(value)) {
    const broken = typeof entry === 'object' ? brokenByJson(entry) : undefined;
    if (broken !== undefined) throw invalidFields({ [field]: [problemOf(broken)] });
  }
  return value;
}

/** Bodies may arrive as slowly as this, on average; a modem of 2G sends two to four times as much. */
const LEAST_BYTES_PER_SECOND = 1024;
/** Parts of `bodyMs`. A wait counts as one part at most, so that a blocked event loop is not the client's fault. */
const PARTS = 30;
/** Bytes that are handled in one turn of the event loop; Node would handle 2 MiB of a fast client. */
export const TURN_BYTES = 64 * 1024;

/**
 * The bytes of a body as they arrive. Leaves the request open for a response. Errors: 408 for less than 1 KiB a second,
 * 400 for a body that ends early, `tooLarge`, and the reason of `stop`.
 */
export async function* bodyPieces(
  request: IncomingMessage,
  { bodyMs, maxBytes = Infinity, tooLarge = () => bodyTooLarge(maxBytes) }: BodyLimits,
  stop?: AbortSignal,
): AsyncGenerator<Buffer, undefined> {
  if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw tooLarge();
  let [received, ofTurn] = [0, 0];
  let [waitedMs, arrived] = [0, 0];
  for (;;) {
    stop?.throwIfAborted();
    if (request.destroyed && !request.readableEnded) {
      throw malformed('The connection closed before the whole body arrived.');
    }
    const piece = request.read() as Buffer | null;
    if (piece === null) {
      if (request.complete) return;
      waitedMs += await arrival(request, bodyMs / PARTS, stop);
      if (waitedMs < bodyMs) continue;
      if (arrived < (LEAST_BYTES_PER_SECOND * bodyMs) / SECOND) throw tooSlow(bodyMs);
      [waitedMs, arrived] = [0, 0];
      continue;
    }
    received += piece.length;
    arrived += piece.length;
    if (received > maxBytes) throw tooLarge();
    yield piece;
    ofTurn += piece.length;
    if (ofTurn < TURN_BYTES) continue;
    ofTurn = 0;
    await yieldToEventLoop();
  }
}

/** Waits for more of a body, its end or `stop`, for up to `maxMs`. Resolves to the milliseconds that it took. */
function arrival(request: IncomingMessage, maxMs: number, stop?: AbortSignal): Promise<number> {
  const began = systemClock.elapsed();
  const { promise, resolve } = Promise.withResolvers<number>();
  const events = ['readable', 'end', 'error', 'close'];
  const done = (): void => {
    clearTimeout(timer);
    for (const event of events) request.off(event, done);
    stop?.removeEventListener('abort', done);
    resolve(Math.min(systemClock.elapsed() - began, maxMs));
  };
  const timer = setTimeout(done, maxMs);
  for (const event of events) request.on(event, done);
  stop?.addEventListener('abort', done);
  return promise;
}

function bodyTooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(413, 'too_large', `The body is larger than the limit of ${maxBytes} bytes.`);
}

function tooSlow(windowMs: number): HttpProblem {
  const message = `The body arrived at less than ${LEAST_BYTES_PER_SECOND} bytes per second for ${windowMs / SECOND} seconds.`;
  return new HttpProblem(408, 'too_slow', message);
}
