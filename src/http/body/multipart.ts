import busboy from 'busboy';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import type { SentContent } from '../../platform/encoding/content.js';
import { DomainError } from '../../platform/errors.js';
import type { Caller } from '../../platform/requests.js';
import { HttpProblem } from '../problem.js';
import { headerOf, malformed } from '../request.js';
import * as bodies from './body.js';
import { FormFields, type FormValues } from './form.js';
import { largerThan, type UploadInProgress, type UploadLimits, type Uploads } from './uploads.js';

const MAX_FIELDS = 10;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_BYTES = 16 * 1024;
/** Allowance for boundaries, part headers and text fields besides the file. */
const OVERHEAD_BYTES = 512 * 1024;

/** A multipart body that was read (contract 23); `release` drops its bytes, unless a record has them by then. */
export interface Upload {
  readonly fields: FormValues;
  readonly file: UploadedFile | null;
  readonly release: () => void;
}

/** A file and its name as sent, perhaps with folders. */
export type UploadedFile = SentContent & { readonly fileName: string };

export type UploadReader = (request: IncomingMessage, caller: Caller) => Promise<Upload>;

/**
 * Reads multipart bodies: at most one file, in a part of any name, and 10 text fields (contract 23). Leaves the request
 * open for a response. Errors: 400, 408, 413, 415, 503 too many large uploads or no room for them.
 */
export function createUploadReader(uploads: Uploads): UploadReader {
  return async (request, caller) => {
    await bodies.refuseLabels(request, uploads.limits.bodyMs);
    const upload = uploads.open(caller);
    try {
      const { fields, fileName } = await receive(request, uploads.limits, upload);
      const file = fileName === null ? null : { ...(await upload.store()), fileName };
      return { fields: fields.values, file, release: upload.release };
    } catch (error) {
      upload.release();
      throw error;
    }
  };
}

/** The text fields, and the name of the file, whose bytes `upload` has. */
async function receive(request: IncomingMessage, limits: UploadLimits, upload: UploadInProgress) {
  const { maxFileBytes } = limits;
  const parser = openParser(request, maxFileBytes);
  const stop = new AbortController();
  const refused = once(stop.signal, 'abort');
  const parts = new Parts(parser, upload, maxFileBytes, (error) => stop.abort(error));
  const receiving = {
    ...limits,
    maxBytes: maxFileBytes + OVERHEAD_BYTES,
    tooLarge: () => largerThan(maxFileBytes, 'The file'),
  };
  const write = (piece: Buffer) => new Promise((resolve) => parser.write(piece, resolve));
  try {
    for await (const piece of bodies.bodyPieces(request, receiving, stop.signal)) {
      await Promise.race([write(piece), refused]);
    }
    parser.end();
    await once(parser, 'finish', { signal: stop.signal });
    await Promise.all(parts.reading);
    stop.signal.throwIfAborted();
    return parts;
  } catch (error) {
    throw stop.signal.aborted ? (stop.signal.reason as Error) : error;
  } finally {
    parser.destroy();
  }
}

function openParser(request: IncomingMessage, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      // The parser does not read an empty charset, and the bytes are UTF-8 whatever it is.
      headers: { 'content-type': (headerOf(request, 'content-type') ?? '').replace(bodies.CHARSET, '') },
      defParamCharset: 'utf8',
      // The file service reduces the path to its base name.
      preservePath: true,
      highWaterMark: bodies.TURN_BYTES,
      fileHwm: bodies.TURN_BYTES,
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

/** The parts of a body as they are parsed. `refuse` is called with each error. */
class Parts {
  readonly fields = new FormFields();
  fileName: string | null = null;
  readonly reading: Promise<void>[] = [];
  #fields = 0;

  constructor(
    parser: busboy.Busboy,
    private readonly upload: UploadInProgress,
    private readonly maxFileBytes: number,
    refuse: (error: Error) => void,
  ) {
    const attempt = (read: () => void): void => {
      try {
        read();
      } catch (error) {
        refuse(error as Error);
      }
    };
    const refuseMalformed = (): void => refuse(malformedBody());
    // busboy's types are wrong here: a part may lack a name, and has no value if its charset is unknown.
    parser.on('field', (name: string | undefined, value: string | undefined, { encoding, valueTruncated }) =>
      attempt(() => {
        requirePlain(encoding);
        if (valueTruncated) throw longField();
        if (value === undefined) throw bodies.unsupportedCharset();
        this.#addField(name, value);
      }),
    );
    parser.on('file', (name: string | undefined, stream, { filename: fileName = '', encoding }) => {
      attempt(() => this.#requireOneFile(fileName, encoding));
      const reading = fileName === '' ? this.#readField(name, stream) : this.#readFile(stream);
      reading.catch((error: unknown) => (isRefusal(error) ? refuse(error) : refuseMalformed()));
      // An incomplete body emits `error` here; without a listener that would end the process.
      stream.on('error', refuseMalformed);
      this.reading.push(reading);
    });
    parser.on('partsLimit', () => refuse(tooManyFields())).on('error', refuseMalformed);
  }

  #addField(name: string | undefined, value: string): void {
    this.#fields += 1;
    if (this.#fields > MAX_FIELDS) throw tooManyFields();
    if (name === undefined) throw malformed('A form field has no name.');
    if (name.length > MAX_FIELD_NAME)
      throw tooLarge(`The name of a form field has more than ${MAX_FIELD_NAME} characters.`);
    if (isInvalidUtf8(name) || isInvalidUtf8(value)) throw malformed('A form field is not valid UTF-8.');
    this.fields.add(name, value);
  }

  #requireOneFile(fileName: string, encoding: string): void {
    requirePlain(encoding);
    if (fileName === '') return;
    if (isInvalidUtf8(fileName)) throw malformed('The file name is not valid UTF-8.');
    if (this.fileName !== null) throw malformed('The body has more than one file. Send exactly one.');
    this.fileName = fileName;
  }

  /** Reads a part of application/octet-stream without a file name. Ignores it if a browser's user chose no file. */
  async #readField(name: string | undefined, stream: NodeJS.ReadableStream): Promise<void> {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      size += bytes.length;
      if (size > MAX_FIELD_BYTES) throw longField();
      pieces.push(bytes);
    }
    if (size > 0) this.#addField(name, Buffer.concat(pieces).toString());
  }

  async #readFile(stream: NodeJS.ReadableStream): Promise<void> {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      this.upload.add(bytes);
      if (this.upload.size > this.maxFileBytes) throw largerThan(this.maxFileBytes, 'The file');
      await this.upload.settle();
    }
  }
}

/** Errors: 415 for a part in base64 or quoted-printable. */
function requirePlain(encoding: string): void {
  if (['7bit', '8bit', 'binary'].includes(encoding)) return;
  const message =
    'A part of the body has a Content-Transfer-Encoding that is not supported: send the bytes as they are.';
  throw new HttpProblem(415, 'unsupported_encoding', message);
}

/** The parser replaces invalid bytes by U+FFFD. */
const isInvalidUtf8 = (text: string): boolean => text.includes('\ufffd');

const isRefusal = (error: unknown): error is Error =>
  error instanceof HttpProblem || error instanceof DomainError;

const malformedBody = (): HttpProblem => malformed('The multipart body is malformed or incomplete.');
const tooLarge = (message: string): HttpProblem => new HttpProblem(413, 'too_large', message);
const longField = (): HttpProblem => tooLarge(`A form field has more than ${MAX_FIELD_BYTES} bytes.`);
const tooManyFields = (): HttpProblem => tooLarge(`The body has more than ${MAX_FIELDS} form fields.`);
