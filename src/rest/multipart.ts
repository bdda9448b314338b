import busboy from 'busboy';
import type { Request, Response } from 'express';
import { pipeline } from 'node:stream/promises';

import { ContentBuilder } from '../resources/content/content.model.js';
import { HttpProblem } from './problem.js';
import { malformed } from './query.js';
import type { Upload, UploadedFile } from './upload.js';

const MAX_FIELDS = 10;
const MAX_FIELD_BYTES = 64 * 1024;

/** A multipart body: one file at most, whatever its part is called, and a few text fields (decision 23). */
export async function readUpload(request: Request, maxFileBytes: number): Promise<Upload> {
  const parser = openParser(request, maxFileBytes);
  const fields = new Map<string, string>();
  const files: Promise<UploadedFile>[] = [];
  let problem: Error | undefined;
  const refuse = (error: Error): void => {
    problem ??= error;
    parser.destroy(error);
  };
  parser.on('field', (name, value, info) => {
    if (info.nameTruncated || info.valueTruncated) refuse(tooLarge('A form field is too long.'));
    else if (fields.has(name)) refuse(malformed('A form field is given more than once.'));
    else fields.set(name, value);
  });
  parser.on('file', (_part, stream, info) => {
    const file = gather(stream, info.filename, maxFileBytes);
    file.catch(refuse);
    files.push(file);
  });
  parser.on('filesLimit', () => refuse(malformed('Send one file only.')));
  parser.on('fieldsLimit', () => refuse(tooLarge(`Send at most ${MAX_FIELDS} form fields.`)));
  parser.on('partsLimit', () => refuse(tooLarge(`Send at most ${MAX_FIELDS} form fields.`)));
  try {
    await pipeline(request, parser);
    const [file = null] = await Promise.all(files);
    return { fields, file };
  } catch (error) {
    throw problem ?? (error instanceof HttpProblem ? error : malformed('The multipart body is broken.'));
  }
}

function openParser(request: Request, maxFileBytes: number): busboy.Busboy {
  if (request.headers['content-encoding'] !== undefined) {
    throw new HttpProblem(415, 'unsupported_encoding', 'Send the body without compression.');
  }
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        files: 1,
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 1,
        fieldNameSize: 100,
        fieldSize: MAX_FIELD_BYTES,
        fileSize: maxFileBytes + 1,
        headerPairs: 20,
      },
    });
  } catch {
    throw new HttpProblem(415, 'not_multipart', 'Send multipart/form-data with a boundary.');
  }
}

async function gather(
  stream: NodeJS.ReadableStream,
  fileName: string | undefined,
  maxFileBytes: number,
): Promise<UploadedFile> {
  const builder = new ContentBuilder();
  let size = 0;
  for await (const bytes of stream) {
    size += (bytes as Buffer).length;
    if (size > maxFileBytes) throw tooLarge(`The file is larger than ${maxFileBytes} bytes.`);
    builder.add(bytes as Buffer);
  }
  return { fileName: fileName ?? '', ...builder.finish() };
}

function tooLarge(message: string): HttpProblem {
  return new HttpProblem(413, 'too_large', message);
}

/** Tells a client that waits for permission to go on: only once somebody will read the body. */
export function inviteBody(request: Request, response: Response): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
}
