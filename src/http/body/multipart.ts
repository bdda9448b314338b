import busboy from 'busboy';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import type { Caller } from '../../platform/caller.js';
import type { SentContent } from '../../platform/encoding/content-builder.js';
import { DomainError } from '../../platform/errors.js';
import { headerOf } from '../headers.js';
import { HttpProblem } from '../problem.js';
import { malformed } from '../query.js';
import { CHARSET, FormFields, refuseLabels, unsupportedCharset, type FormValue } from './body.js';
import { receiveBody, TURN_BYTES } from './receive.js';
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
    await refuseLabels(request, uploads.limits.rate);
    const upload = uploads.open(caller);
    try {
      const { fields, fileName } = await receive(request, uploads.limits, upload);
      const file = fileName === null ? null : { ...(await upload.store()), fileName };
      return { fields, file, release: upload.release };
    } catch (error) {
      upload.release();
      throw error;
    }
  };
}

/** The text fields, and the name of the file, whose bytes `upload` has. */
async function receive(
  request: IncomingMessage,
  limits: UploadLimits,
  upload: UploadInProgress,
): Promise<{ readonly fields: Upload['fields']; readonly fileName: string | null }> {
  const { maxFileBytes } = limits;
  const parser = openParser(request, maxFileBytes);
  const stop = new AbortController();
  const refuse = (error: Error): void => stop.abort(error);
  const fields = collectFields(parser, refuse);
  const fileOf = collectFile(parser, refuse, fields, (stream) => readFile(stream, limits, upload));
  parser.on('error', () => refuse(malformedBody()));
  const receiving = {
    ...limits,
    maxBytes: maxFileBytes + OVERHEAD_BYTES,
    tooLarge: () => fileTooLarge(maxFileBytes),
  };
  const write = (piece: Buffer) => new Promise((resolve) => parser.write(piece, resolve));
  try {
    await receiveBody(request, receiving, write, stop.signal);
    parser.end();
    await once(parser, 'finish', { signal: stop.signal });
    return { fields: fields.values, fileName: await fileOf() };
  } catch (error) {
    throw stop.signal.aborted ? (stop.signal.reason as Error) : error;
  } finally {
    parser.destroy();
  }
}

/**
 * Reads the file with `read`, and other parts of application/octet-stream as fields. Returns a function that resolves
 * to the name of the file once all parts are read; null without a file.
 */
function collectFile(
  parser: busboy.Busboy,
  refuse: (error: Error) => void,
  fields: CollectedFields,
  read: (stream: NodeJS.ReadableStream) => Promise<void>,
): () => Promise<string | null> {
  const parts: Promise<void>[] = [];
  const names: string[] = [];
  parser.on('file', (part: string | undefined, stream, { filename: fileName = '', encoding }) => {
    refuseEncodedPart(encoding, refuse);
    if (isInvalidUtf8(fileName)) refuse(malformed('The file name is not valid UTF-8.'));
    if (fileName !== '') names.push(fileName);
    if (names.length > 1) refuse(malformed('The body has more than one file. Send exactly one.'));
    const reading =
      fileName === ''
        ? readText(stream).then((text) => (text === '' ? undefined : fields.add(part, text)))
        : read(stream);
    reading.catch((error: unknown) => refuse(isRefusal(error) ? error : malformedBody()));
    // An incomplete body emits `error` here; without a listener that would end the process.
    stream.on('error', () => refuse(malformedBody()));
    parts.push(reading);
  });
  return async () => {
    await Promise.all(parts);
    return names[0] ?? null;
  };
}

function openParser(request: IncomingMessage, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      // The parser does not read an empty charset, and the bytes are UTF-8 whatever it is.
      headers: { 'content-type': (headerOf(request, 'content-type') ?? '').replace(CHARSET, '') },
      defParamCharset: 'utf8',
      // The file service reduces the path to its base name.
      preservePath: true,
      highWaterMark: TURN_BYTES,
      fileHwm: TURN_BYTES,
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
  { maxFileBytes }: UploadLimits,
  upload: UploadInProgress,
): Promise<void> {
  upload.begin();
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    upload.add(bytes);
    if (upload.size > maxFileBytes) throw fileTooLarge(maxFileBytes);
    await upload.settle();
  }
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
