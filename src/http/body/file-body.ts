import type { Request } from 'express';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Release } from '../../platform/concurrency/semaphore.js';
import { Base64Content, SentBytes, type SentContent } from '../../platform/encoding/content.js';
import { invalid } from '../../platform/errors.js';
import type { Caller } from '../../platform/requests.js';
import { parsedJson } from '../../platform/validate.js';
import { HttpProblem } from '../problem.js';
import { headerOf } from '../request.js';
import * as bodies from './body.js';
import type { Upload, UploadReader } from './multipart.js';
import { largerThan, type UploadInProgress, type UploadLimits, type Uploads } from './uploads.js';

/** A file that a body may hold; `asText` also in JSON and forms, as base64 text in a field of that name. */
export interface DeclaredFile {
  readonly name: string;
  readonly asText?: true;
}

export interface ReceivedBody {
  /** A file that may be sent as text is `SentBytes` here, however it was sent. */
  readonly body: bodies.Body;
  /** The multipart body; absent for JSON and forms. */
  readonly upload?: Upload;
  /** Drops the bytes of a file, unless a record has them by then. */
  readonly release?: () => void;
}

/** Reads JSON, a form or multipart/form-data. Errors: 400, 408, 413, 415, 422, 503. */
export type FileBodyReader = (request: Request, caller: Caller, file: DeclaredFile) => Promise<ReceivedBody>;

export function createFileBodyReader(uploads: Uploads, readUpload: UploadReader): FileBodyReader {
  const { bodyMs } = uploads.limits;
  return async (request, caller, file) => {
    if (await bodies.hasMultipart(request, bodyMs)) return withFile(await readUpload(request, caller), file);
    if (file.asText === true) return await readWithText(request, caller, file.name, uploads);
    return { body: await bodies.readBody(request, { bodyMs, maxBytes: bodies.MAX_BODY_BYTES }) };
  };
}

function withFile(upload: Upload, { name, asText }: DeclaredFile): ReceivedBody {
  const { fields, file, release } = upload;
  // Stands for the body in the fingerprint of an idempotent request: two bodies have different boundaries.
  const content = JSON.stringify([[...fields].sort(), file?.fileName, file?.sha256]);
  const body = { ...bodies.formBody(fields), bytes: Buffer.from(content) };
  if (asText !== true || file === null) return { body, upload, release };
  if (fields.has(name)) {
    release();
    throw invalid(name, 'must be sent once: {advice}', { advice: 'as a file, or as base64 text' });
  }
  return { body: { ...body, fields: { ...body.fields, [name]: new SentBytes(file) } }, upload, release };
}

/** Reads JSON or a form in which a field may hold a file as base64 text. */
async function readWithText(
  request: Request,
  caller: Caller,
  field: string,
  uploads: Uploads,
): Promise<ReceivedBody> {
  const { limits, textPlaces } = uploads;
  const upload = uploads.open(caller);
  let leave: Release | undefined;
  const admit = async (size: number): Promise<void> => {
    if (size > limits.smallBytes) leave ??= await textPlaces.acquire(caller.companyId);
  };
  try {
    const { body, rest, base64 } = await readParts(request, field, limits, admit);
    const content = base64 === undefined ? null : await decode(base64, upload, field);
    // Stands for the body in the fingerprint of an idempotent request.
    const bytes = Buffer.from(JSON.stringify([rest, content?.sha256]));
    const fields = base64 === undefined ? body.fields : { ...body.fields, [field]: new SentBytes(content) };
    return { body: { ...body, fields, bytes }, release: upload.release };
  } catch (error) {
    upload.release();
    throw error;
  } finally {
    leave?.();
  }
}

async function readParts(
  request: Request,
  field: string,
  limits: UploadLimits,
  admit: (size: number) => Promise<void>,
): Promise<Parts> {
  const maxBytes = maxTextBodyBytes(limits);
  const tooLarge = (): HttpProblem => tooLargeAsText(field, limits);
  const { text } = await bodies.readText(request, { ...limits, maxBytes, tooLarge, admit });
  if (text.length > bodies.TURN_BYTES) await yieldToEventLoop();
  return partsOf(text, field, headerOf(request, 'content-type') ?? '');
}

interface Parts {
  readonly body: bodies.BodyFields;
  /** The text of the body without the value of the field. */
  readonly rest: string;
  /** The value of the field in pieces; undefined if it is not a text. */
  readonly base64: Iterable<string> | undefined;
}

/** Stands for the value of the field while the rest is parsed. */
const TAKEN_OUT = 'taken out';

/**
 * Parses a body without the value of one field. The rest has at most 1 MiB: 11 MiB of small values, such as `{}`, would
 * block the event loop for two seconds. Errors: 400, 413, 422.
 */
function partsOf(text: string, field: string, contentType: string): Parts {
  const isForm = !/^\s*\{/.test(text);
  const { start, end } = placeOf(text, field, isForm);
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (Buffer.byteLength(before) + Buffer.byteLength(after) > bodies.MAX_BODY_BYTES) {
    throw largerThan(bodies.MAX_BODY_BYTES, `The body without its ${field}`);
  }
  const isFound = start < end;
  const body = bodies.fieldsOf(isFound ? before + TAKEN_OUT + after : text, contentType);
  const isTaken = isFound && body.fields[field] === TAKEN_OUT;
  const value = text.slice(start, end);
  const pieces = isForm ? formPieces(value) : piecesOf(jsonText(value));
  return { body, rest: before + after, base64: isTaken ? pieces : undefined };
}

/** Place of the value of a field in JSON or a form; empty if it is not there, or has an escaped quotation mark. */
function placeOf(text: string, field: string, isForm: boolean) {
  const name = isForm ? `(?:^|&)${field}=` : `[{,]\\s*"${field}"\\s*:\\s*"`;
  const found = new RegExp(name).exec(text);
  if (found === null) return { start: 0, end: 0 };
  const start = found.index + found[0].length;
  const end = text.indexOf(isForm ? '&' : '"', start);
  if (!isForm && text[end - 1] === '\\') return { start: 0, end: 0 };
  return { start, end: end === -1 ? text.length : end };
}

/** Errors: 400 for a text that is no JSON string. */
function jsonText(value: string): string {
  const text = parsedJson(`"${value}"`);
  if (typeof text !== 'string') throw bodies.notJson();
  return text;
}

/** Pieces of a text; a percent sign and what it encodes are in the same one. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + bodies.TURN_BYTES, text.length);
    const percent = text.slice(end - 2, end).lastIndexOf('%');
    if (percent !== -1 && end < text.length) end += percent - 2;
    yield text.slice(start, end);
  }
}

/** A plus sign stands for a space. What cannot be decoded stays as it is: it is not base64. */
function* formPieces(value: string): Generator<string> {
  for (const piece of piecesOf(value)) {
    try {
      yield piece.includes('+') ? ' ' : decodeURIComponent(piece);
    } catch {
      yield piece;
    }
  }
}

/** The bytes of base64 text, which are received like those of a file; null if it is not base64. Errors: 413, 503. */
async function decode(
  pieces: Iterable<string>,
  upload: UploadInProgress,
  field: string,
): Promise<SentContent | null> {
  const { limits } = upload.uploads;
  const base64 = new Base64Content(upload);
  for (const piece of pieces) {
    base64.add(piece);
    if (upload.size > limits.maxTextFileBytes) throw tooLargeAsText(field, limits);
    await upload.settle();
    await yieldToEventLoop();
  }
  return base64.isBase64 ? await upload.store() : null;
}

const maxTextBodyBytes = ({ maxTextFileBytes }: UploadLimits): number =>
  Math.ceil(maxTextFileBytes / 3) * 4 + bodies.MAX_BODY_BYTES;

function tooLargeAsText(field: string, limits: UploadLimits): HttpProblem {
  const { maxTextFileBytes, maxFileBytes } = limits;
  const most = `it may have ${maxTextFileBytes} bytes, and the whole body ${maxTextBodyBytes(limits)}`;
  const instead = `Send it as multipart/form-data, which takes up to ${maxFileBytes} bytes.`;
  return new HttpProblem(413, 'too_large', `The ${field} is too large for base64 text: ${most}. ${instead}`);
}
