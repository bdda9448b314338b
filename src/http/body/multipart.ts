import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';

import type { Caller } from '../../platform/caller.js';
import type { ChunkedContent, SentContent } from '../../platform/encoding/content-builder.js';
import { DomainError } from '../../platform/errors.js';
import type { SpooledContent } from '../../platform/spool/received-content.js';
import { headerOf } from '../headers.js';
import { HttpProblem } from '../problem.js';
import { malformed } from '../query.js';
import { CHARSET, firstBytes, MAX_BODY_BYTES, refuseLabels, unsupportedCharset } from './body.js';
import { FormFields, type FormValue } from './form.js';
import { createPacer, receiveInto, TURN_BYTES } from './receive.js';
import { largerThan, type UploadInProgress, type UploadLimits, type Uploads } from './uploads.js';

const MAX_FIELDS = 10;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_BYTES = 16 * 1024;
/** Allowance for boundaries, part headers and text fields besides the file. */
const OVERHEAD_BYTES = 512 * 1024;

/** A multipart body that was read (contract 23). */
export interface Upload {
  /** Text fields by name. */
  readonly fields: ReadonlyMap<string, FormValue>;
  readonly file: UploadedFile | null;
}

/** A file and its name as sent, perhaps with folders. */
export type UploadedFile = SentContent & { readonly fileName: string };
type ReceivedFile = (ChunkedContent | SpooledContent) & { readonly fileName: string };

/** An upload; `release` drops its bytes, unless a record has them by then. */
export interface HeldUpload extends Upload {
  readonly release: () => void;
}

export type UploadReader = (request: IncomingMessage, caller: Caller) => Promise<HeldUpload>;

/**
 * Reads multipart bodies: at most one file, in a part of any name, and at most 10 text fields (contract 23).
 * Errors: 400 malformed, 408 too slow, 413 too large, 415 not multipart, 503 too many large uploads at once or
 * no room for them. After an error the request is paused, not destroyed, so that a response can be sent.
 */
export function createUploadReader(uploads: Uploads): UploadReader {
  return async (request, caller) => {
    await refuseAtOnce(request, uploads.limits);
    const stop = new AbortController();
    const upload = uploads.open(caller, stop.signal);
    try {
      const { fields, file } = await receive(request, uploads.limits, stop, upload);
      const kept = file && { ...(await upload.keep(file)), fileName: file.fileName };
      return { fields, file: kept, release: upload.release };
    } catch (error) {
      upload.release();
      throw error;
    }
  };
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

async function refuseAtOnce(request: IncomingMessage, { maxFileBytes, rate }: UploadLimits): Promise<void> {
  await refuseLabels(request, rate);
  if (Number(headerOf(request, 'content-length') ?? 0) > maxFileBytes + OVERHEAD_BYTES) {
    throw fileTooLarge(maxFileBytes);
  }
}

async function receive(
  request: IncomingMessage,
  limits: UploadLimits,
  stop: AbortController,
  upload: UploadInProgress,
): Promise<{ readonly fields: Upload['fields']; readonly file: ReceivedFile | null }> {
  const parser = openParser(request, limits.maxFileBytes);
  const refuse = (error: Error): void => stop.abort(error);
  const fields = collectFields(parser, refuse);
  const files: Promise<ReceivedFile>[] = [];
  const texts: Promise<void>[] = [];
  parser.on('file', (part: string | undefined, stream, { filename: fileName = '', encoding }) => {
    refuseEncodedPart(encoding, refuse);
    if (isInvalidUtf8(fileName)) refuse(malformed('The file name is not valid UTF-8.'));
    const isFile = fileName !== '';
    if (isFile && files.length > 0) refuse(malformed('The body has more than one file. Send exactly one.'));
    const reading = isFile
      ? readFile(stream, fileName, limits, upload)
      : readText(stream).then((text) => (text === '' ? undefined : fields.add(part, text)));
    reading.catch((error: unknown) => refuse(isRefusal(error) ? error : malformedBody()));
    // An incomplete body emits `error` here; without a listener that would end the process.
    stream.on('error', () => refuse(malformedBody()));
    if (isFile) files.push(reading as Promise<ReceivedFile>);
    else texts.push(reading as Promise<void>);
  });
  const maxBytes = limits.maxFileBytes + OVERHEAD_BYTES;
  const tooLargeBody = (): HttpProblem => fileTooLarge(limits.maxFileBytes);
  const receiving = { ...limits, maxBytes, tooLarge: tooLargeBody, unreadable: malformedBody };
  await receiveInto(request, parser, receiving, stop);
  await Promise.all(texts);
  const [file = null] = await Promise.all(files);
  return { fields: fields.values, file };
}

function openParser(request: IncomingMessage, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      // The parser does not read an empty charset, and the bytes are UTF-8 whatever it is.
      headers: { 'content-type': (headerOf(request, 'content-type') ?? '').replace(CHARSET, '') },
      defParamCharset: 'utf8',
      // The file service reduces the path to its base name.
      preservePath: true,
      ...{ highWaterMark: TURN_BYTES, fileHwm: TURN_BYTES },
      limits: {
        // The parser counts boundaries, and emits `partsLimit` when the number is reached, not exceeded.
        parts: MAX_FIELDS + 2,
        fieldSize: MAX_FIELD_BYTES + 1,
        fileSize: maxFileBytes + 1,
      },
    });
  } catch {
    throw new HttpProblem(415, 'not_multipart', 'Send multipart/form-data with a boundary.');
  }
}

interface CollectedFields {
  readonly values: Upload['fields'];
  /** Refuses a field without a name, a text that is too long or not UTF-8, and more fields than may be sent. */
  add(name: string | undefined, value: string): void;
}

function collectFields(parser: busboy.Busboy, refuse: (error: Error) => void): CollectedFields {
  const fields = new FormFields();
  let count = 0;
  const add = (name: string | undefined, value: string): void => {
    count += 1;
    if (count > MAX_FIELDS) tooMany();
    else if (name === undefined) refuse(malformed('A form field has no name.'));
    else if (name.length > MAX_FIELD_NAME)
      refuse(tooLarge(`The name of a form field has more than ${MAX_FIELD_NAME} characters.`));
    else if (isInvalidUtf8(name) || isInvalidUtf8(value))
      refuse(malformed('A form field is not valid UTF-8.'));
    else fields.add(name, value);
  };
  const tooMany = (): void => refuse(tooLarge(`The body has more than ${MAX_FIELDS} form fields.`));
  // busboy's types are wrong here: a part may lack a name, and has no value if its charset is unknown.
  parser.on('field', (name: string | undefined, value: string | undefined, info) => {
    refuseEncodedPart(info.encoding, refuse);
    if (info.valueTruncated) refuse(longField());
    else if (value === undefined) refuse(unsupportedCharset());
    else add(name, value);
  });
  parser.on('partsLimit', tooMany);
  return { values: fields.values, add };
}

/** Refuses a part in base64 or quoted-printable: 415. */
function refuseEncodedPart(encoding: string, refuse: (error: Error) => void): void {
  if (['7bit', '8bit', 'binary'].includes(encoding)) return;
  const message =
    'A part of the body has a Content-Transfer-Encoding that is not supported: send the bytes as they are.';
  refuse(new HttpProblem(415, 'unsupported_encoding', message));
}

/** The text of a part of application/octet-stream without a file name; empty if a browser's user chose no file. */
async function readText(stream: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    size += bytes.length;
    if (size > MAX_FIELD_BYTES) throw longField();
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString();
}

function longField(): HttpProblem {
  return tooLarge(`A form field has more than ${MAX_FIELD_BYTES} bytes.`);
}

/** The parser replaces invalid bytes by U+FFFD. */
function isInvalidUtf8(text: string): boolean {
  return text.includes('\ufffd');
}

async function readFile(
  stream: NodeJS.ReadableStream,
  fileName: string,
  { maxFileBytes }: UploadLimits,
  upload: UploadInProgress,
): Promise<ReceivedFile> {
  const content = upload.begin();
  const pace = createPacer();
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    content.add(bytes);
    if (content.size > maxFileBytes) throw fileTooLarge(maxFileBytes);
    await pace(bytes);
    await content.settle();
  }
  return { fileName, ...(await content.finish()) };
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof HttpProblem || error instanceof DomainError;

function malformedBody(): HttpProblem {
  return malformed('The multipart body is malformed or incomplete.');
}

function fileTooLarge(maxFileBytes: number): HttpProblem {
  return largerThan(maxFileBytes, 'The file');
}

function tooLarge(message: string): HttpProblem {
  return new HttpProblem(413, 'too_large', message);
}
