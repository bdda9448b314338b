import busboy from 'busboy';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import type { Caller } from '../../platform/caller.js';
import type { ChunkedContent, SentContent } from '../../platform/encoding/content-builder.js';
import { DomainError } from '../../platform/errors.js';
import type { SpooledContent } from '../../platform/spool/received-content.js';
import { headerOf } from '../headers.js';
import { compressed, MAX_BODY_BYTES } from './body.js';
import { FormFields, type FormValue } from './form.js';
import { HttpProblem } from '../problem.js';
import { malformed } from '../query.js';
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

/** A file and its name as sent, perhaps with folders; empty if the client sent none. */
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
    refuseAtOnce(request, uploads.limits);
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
 * Whether a body that is labelled as multipart is a JSON object all the same (contract 1): up to 1 MiB, as its first
 * bytes tell. Leaves the body unread.
 */
export async function isMislabelled(request: IncomingMessage, waitMs: number): Promise<boolean> {
  if (Number(headerOf(request, 'content-length') ?? 0) > MAX_BODY_BYTES) return false;
  const options = { signal: AbortSignal.timeout(waitMs) };
  // Rejects if the client leaves or sends nothing; the reader of the body reports the reason.
  await Promise.race(['readable', 'end'].map((event) => once(request, event, options))).catch(
    () => undefined,
  );
  const first = request.read() as Buffer | null;
  if (first !== null) request.unshift(first);
  return /^\s*\{/.test(first?.toString('latin1') ?? '');
}

function refuseAtOnce(request: IncomingMessage, { maxFileBytes }: UploadLimits): void {
  if (headerOf(request, 'content-encoding') !== undefined) throw compressed();
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
  const files: Promise<ReceivedFile | null>[] = [];
  parser.on('file', (_part, stream, info) => {
    const fileName = info.filename ?? '';
    if (isInvalidUtf8(fileName)) refuse(malformed('The file name is not valid UTF-8.'));
    const file = readFile(stream, fileName, limits, upload);
    file.catch((error: unknown) => refuse(isRefusal(error) ? error : malformedBody()));
    // An incomplete body emits `error` here; without a listener that would end the process.
    stream.on('error', () => refuse(malformedBody()));
    files.push(file);
  });
  const maxBytes = limits.maxFileBytes + OVERHEAD_BYTES;
  const tooLargeBody = (): HttpProblem => fileTooLarge(limits.maxFileBytes);
  const receiving = { ...limits, maxBytes, tooLarge: tooLargeBody, unreadable: malformedBody };
  await receiveInto(request, parser, receiving, stop);
  const [file = null] = await Promise.all(files);
  return { fields: fields.values, file };
}

function openParser(request: IncomingMessage, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      // The file service reduces the path to its base name.
      preservePath: true,
      ...{ highWaterMark: TURN_BYTES, fileHwm: TURN_BYTES },
      limits: {
        files: 1,
        fields: MAX_FIELDS,
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

function collectFields(parser: busboy.Busboy, refuse: (error: Error) => void): FormFields {
  const fields = new FormFields();
  // busboy's types are wrong here: a part may lack a name.
  parser.on('field', (name: string | undefined, value, info) => {
    if (name === undefined) refuse(malformed('A form field has no name.'));
    else if (name.length > MAX_FIELD_NAME)
      refuse(tooLarge(`The name of a form field has more than ${MAX_FIELD_NAME} characters.`));
    else if (info.valueTruncated) refuse(tooLarge(`A form field has more than ${MAX_FIELD_BYTES} bytes.`));
    else if (isInvalidUtf8(name) || isInvalidUtf8(value))
      refuse(malformed('A form field is not valid UTF-8.'));
    else fields.add(name, value);
  });
  const tooMany = (): void => refuse(tooLarge(`The body has more than ${MAX_FIELDS} form fields.`));
  parser.on('fieldsLimit', tooMany);
  parser.on('partsLimit', tooMany);
  parser.on('filesLimit', () => refuse(malformed('The body has more than one file. Send exactly one.')));
  return fields;
}

/** The parser replaces invalid bytes by U+FFFD. */
function isInvalidUtf8(text: string): boolean {
  return text.includes('\ufffd');
}

/** Null for a part without file name and bytes: browsers send it if no file was chosen. */
async function readFile(
  stream: NodeJS.ReadableStream,
  fileName: string,
  { maxFileBytes }: UploadLimits,
  upload: UploadInProgress,
): Promise<ReceivedFile | null> {
  const content = upload.begin();
  const pace = createPacer();
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    content.add(bytes);
    if (content.size > maxFileBytes) throw fileTooLarge(maxFileBytes);
    await pace(bytes);
    await content.settle();
  }
  return content.size === 0 && fileName === '' ? null : { fileName, ...(await content.finish()) };
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
