import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';

import { SECOND } from '../platform/clock.js';
import { Semaphore, type Release } from '../platform/concurrency/semaphore.js';
import { ContentBuilder, type ChunkedContent } from '../platform/encoding/content-builder.js';
import { compressed } from './body.js';
import { FormFields, type FormValue } from './form.js';
import { HttpProblem } from './problem.js';
import { malformed } from './query.js';

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

export interface UploadedFile extends ChunkedContent {
  /** As sent, perhaps with folders; empty if the client sent none. */
  readonly fileName: string;
}

export interface UploadLimits {
  readonly maxFileBytes: number;
  /** A larger file is received under a semaphore, since its bytes are held in memory until they are stored. */
  readonly smallBytes: number;
  /** Large files received at the same time. */
  readonly concurrency: number;
  /** Milliseconds that a large upload waits for the semaphore. */
  readonly maxWaitMs: number;
  /** 408 after this long without a byte from the client. */
  readonly idleMs: number;
}

const DEFAULTS = {
  smallBytes: 256 * 1024,
  concurrency: 4,
  maxWaitMs: 60 * SECOND,
  idleMs: 30 * SECOND,
} as const;

/** An upload in memory; `release` leaves the semaphore once its bytes are stored or dropped. */
export interface HeldUpload extends Upload {
  release(): void;
}

export type UploadReader = (request: IncomingMessage) => Promise<HeldUpload>;

/**
 * Reads multipart bodies: at most one file, in a part of any name, and at most 10 text fields (contract 23).
 * Errors: 400 malformed, 408 the client stopped sending, 413 too large, 415 not multipart, 503 too many large
 * uploads at once. After an error the request is paused, not destroyed, so that a response can be sent.
 */
export function createUploadReader(
  given: Pick<UploadLimits, 'maxFileBytes'> & Partial<UploadLimits>,
): UploadReader {
  const limits = { ...DEFAULTS, ...given };
  const largeUploads = new Semaphore({ ...limits, busy: tooManyLargeUploads });
  return async (request) => {
    refuseAtOnce(request, limits);
    const stop = new AbortController();
    let leave: Release | undefined;
    let released = false;
    const release = (): void => {
      released = true;
      leave?.();
    };
    const enter = async (): Promise<void> => {
      leave = await largeUploads.acquire(stop.signal);
      if (released) leave();
    };
    try {
      return { ...(await receive(request, limits, stop, enter)), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

function tooManyLargeUploads(): HttpProblem {
  return new HttpProblem(503, 'busy', 'Too many large uploads at the same time; try again in 10 seconds.', {
    'Retry-After': '10',
  });
}

export function isMultipart(request: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(request.headers['content-type'] ?? '');
}

function refuseAtOnce(request: IncomingMessage, { maxFileBytes }: UploadLimits): void {
  if (request.headers['content-encoding'] !== undefined) throw compressed();
  if (Number(request.headers['content-length'] ?? 0) > maxFileBytes + OVERHEAD_BYTES) {
    throw fileTooLarge(maxFileBytes);
  }
}

async function receive(
  request: IncomingMessage,
  limits: UploadLimits,
  stop: AbortController,
  enter: () => Promise<void>,
): Promise<Upload> {
  const parser = openParser(request, limits.maxFileBytes);
  const refuse = (error: Error): void => stop.abort(error);
  const fields = collectFields(parser, refuse);
  const files: Promise<UploadedFile | null>[] = [];
  parser.on('file', (_part, stream, info) => {
    const fileName = info.filename ?? '';
    if (isInvalidUtf8(fileName)) refuse(malformed('The file name is not valid UTF-8.'));
    const file = readFile(stream, fileName, limits, enter);
    file.catch((error: unknown) => refuse(error instanceof HttpProblem ? error : malformedBody()));
    // An incomplete body emits `error` here; without a listener that would end the process.
    stream.on('error', () => refuse(malformedBody()));
    files.push(file);
  });
  await pipeBody(request, parser, limits, stop);
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
  { maxFileBytes, smallBytes }: UploadLimits,
  enter: () => Promise<void>,
): Promise<UploadedFile | null> {
  const builder = new ContentBuilder();
  let size = 0;
  let small = true;
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    size += bytes.length;
    if (size > maxFileBytes) throw fileTooLarge(maxFileBytes);
    if (small && size > smallBytes) {
      small = false;
      await enter();
    }
    builder.add(bytes);
  }
  return size === 0 && fileName === '' ? null : { fileName, ...builder.finish() };
}

/** Pipes the body into the parser until either ends or `stop` is aborted; leaves the request open. */
async function pipeBody(
  request: IncomingMessage,
  parser: busboy.Busboy,
  { maxFileBytes, idleMs }: UploadLimits,
  stop: AbortController,
): Promise<void> {
  let received = 0;
  const fail = (): void => stop.abort(malformedBody());
  const aborted = (): void => (request.complete ? undefined : fail());
  const idle = setTimeout(() => {
    // A paused request waits for its turn: then the server does not read, and the client is not slow.
    if (request.isPaused() || request.complete) idle.refresh();
    else stop.abort(new HttpProblem(408, 'too_slow', `No bytes arrived for ${idleMs / SECOND} seconds.`));
  }, idleMs);
  const count = (bytes: Buffer): void => {
    idle.refresh();
    received += bytes.length;
    if (received > maxFileBytes + OVERHEAD_BYTES) stop.abort(fileTooLarge(maxFileBytes));
  };
  try {
    await new Promise<void>((resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error));
      parser.on('error', fail).once('finish', resolve);
      request.on('data', count).on('error', aborted).on('close', aborted);
      request.pipe(parser);
    });
  } finally {
    clearTimeout(idle);
    request.off('data', count).off('error', aborted).off('close', aborted);
    request.unpipe(parser);
    parser.destroy();
  }
}

function malformedBody(): HttpProblem {
  return malformed('The multipart body is malformed or incomplete.');
}

function fileTooLarge(maxFileBytes: number): HttpProblem {
  return tooLarge(`The file is larger than ${maxFileBytes} bytes.`);
}

function tooLarge(message: string): HttpProblem {
  return new HttpProblem(413, 'too_large', message);
}
