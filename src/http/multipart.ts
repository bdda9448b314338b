import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';

import { SECOND } from '../platform/clock.js';
import { Semaphore, type Release } from '../platform/concurrency/semaphore.js';
import { ContentBuilder } from '../resources/content/content.model.js';
import { HttpProblem } from './problem.js';
import { malformed } from './query.js';
import type { Upload, UploadedFile } from './upload.js';

const MAX_FIELDS = 10;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_BYTES = 16 * 1024;
/** Boundaries, headers of parts and text fields, beside the file. */
const FRAME_BYTES = 512 * 1024;

export interface UploadLimits {
  readonly maxFileBytes: number;
  /** A larger file is received under a semaphore, since its bytes are held in memory until they are stored. */
  readonly smallBytes: number;
  /** Large files received at the same time. */
  readonly concurrency: number;
  /** Milliseconds that a large upload waits for the semaphore. */
  readonly maxWaitMs: number;
  /** How long a client may send nothing at all. */
  readonly idleMs: number;
}

const DEFAULTS = {
  smallBytes: 256 * 1024,
  concurrency: 4,
  maxWaitMs: 60 * SECOND,
  idleMs: 30 * SECOND,
} as const;

/** What was received; `release` says that its bytes are no longer held. */
export interface HeldUpload extends Upload {
  release(): void;
}

export type UploadReader = (request: IncomingMessage) => Promise<HeldUpload>;

/**
 * Reads multipart bodies: one file at most, whatever its part is called, and a few text fields (contract 23).
 * Refusals: 400 broken, 408 a client that stopped sending, 413 too large, 415 not multipart, 503 too many large
 * ones at once. After a refusal the request is paused, not destroyed: it can still be answered.
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
  if (request.headers['content-encoding'] !== undefined) {
    throw new HttpProblem(415, 'unsupported_encoding', 'Send the body without compression.');
  }
  if (Number(request.headers['content-length'] ?? 0) > maxFileBytes + FRAME_BYTES) {
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
    if (isBroken(fileName)) refuse(malformed('The file name is not UTF-8.'));
    const file = gather(stream, fileName, limits, enter);
    file.catch((error: unknown) => refuse(error instanceof HttpProblem ? error : brokenBody()));
    // Without a listener of its own, a body that breaks off would end the process.
    stream.on('error', () => refuse(brokenBody()));
    files.push(file);
  });
  await feed(request, parser, limits, stop);
  const [file = null] = await Promise.all(files);
  return { fields, file };
}

function openParser(request: IncomingMessage, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      // What a base name is, the domain decides.
      preservePath: true,
      limits: {
        files: 1,
        fields: MAX_FIELDS,
        // The parser counts boundaries, and says so as soon as the number is reached.
        parts: MAX_FIELDS + 2,
        fieldSize: MAX_FIELD_BYTES + 1,
        fileSize: maxFileBytes + 1,
      },
    });
  } catch {
    throw new HttpProblem(415, 'not_multipart', 'Send multipart/form-data with a boundary.');
  }
}

function collectFields(parser: busboy.Busboy, refuse: (error: Error) => void): Map<string, string> {
  const fields = new Map<string, string>();
  // A part may come without a name, whatever the types say.
  parser.on('field', (name: string | undefined, value, info) => {
    if (name === undefined) refuse(malformed('A form field has no name.'));
    else if (name.length > MAX_FIELD_NAME) refuse(tooLarge('The name of a form field is too long.'));
    else if (info.valueTruncated) refuse(tooLarge(`A form field has more than ${MAX_FIELD_BYTES} bytes.`));
    else if (fields.has(name)) refuse(malformed('A form field is given more than once.'));
    else if (isBroken(name) || isBroken(value)) refuse(malformed('A form field is not UTF-8.'));
    else fields.set(name, value);
  });
  const tooMany = (): void => refuse(tooLarge(`Send at most ${MAX_FIELDS} form fields.`));
  parser.on('fieldsLimit', tooMany);
  parser.on('partsLimit', tooMany);
  parser.on('filesLimit', () => refuse(malformed('Send one file only.')));
  return fields;
}

/** The parser puts this character where bytes are no text. */
function isBroken(text: string): boolean {
  return text.includes('\ufffd');
}

/** A form whose file was not chosen has a part without name and bytes: that is no file. */
async function gather(
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

/** Pipes the body into the parser until one of both ends or `stop` is told; the request outlives it. */
async function feed(
  request: IncomingMessage,
  parser: busboy.Busboy,
  { maxFileBytes, idleMs }: UploadLimits,
  stop: AbortController,
): Promise<void> {
  let received = 0;
  const broken = (): void => stop.abort(brokenBody());
  const brokenOff = (): void => (request.complete ? undefined : broken());
  const idle = setTimeout(() => {
    // While others have their turn it is the server that does not read.
    if (request.isPaused() || request.complete) idle.refresh();
    else stop.abort(tooSlow());
  }, idleMs);
  const count = (bytes: Buffer): void => {
    idle.refresh();
    received += bytes.length;
    if (received > maxFileBytes + FRAME_BYTES) stop.abort(fileTooLarge(maxFileBytes));
  };
  try {
    await new Promise<void>((resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error));
      parser.on('error', broken).once('finish', resolve);
      request.on('data', count).on('error', brokenOff).on('close', brokenOff);
      request.pipe(parser);
    });
  } finally {
    clearTimeout(idle);
    request.off('data', count).off('error', brokenOff).off('close', brokenOff);
    request.unpipe(parser);
    parser.destroy();
  }
}

function brokenBody(): HttpProblem {
  return malformed('The multipart body is broken.');
}

function tooSlow(): HttpProblem {
  return new HttpProblem(408, 'too_slow', 'Nothing came for too long.');
}

function fileTooLarge(maxFileBytes: number): HttpProblem {
  return tooLarge(`The file is larger than ${maxFileBytes} bytes.`);
}

function tooLarge(message: string): HttpProblem {
  return new HttpProblem(413, 'too_large', message);
}
