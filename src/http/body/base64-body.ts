import type { Request } from 'express';

import { Base64Content, SentBytes, type SentContent } from '../../platform/encoding/content.js';
import {
  FormFieldScanner,
  JsonFieldScanner,
  type FieldScanner,
} from '../../platform/encoding/field-scanner.js';
import type { Caller } from '../../platform/requests.js';
import { headerOf } from '../request.js';
import * as bodies from './body.js';
import { largerThan, type UploadInProgress, type Uploads } from './uploads.js';

/** A body; `release` drops the bytes of its field, unless a record has them by then. */
export interface HeldBody extends bodies.Body {
  readonly release: () => void;
}

/** Reads a JSON or form body where one field holds a file as base64 text: the field becomes `SentBytes`. */
export type Base64BodyReader = (request: Request, field: string, caller: Caller) => Promise<HeldBody>;

/** Maximum body bytes per byte of a file: base64 in a form, percent-encoded, with line breaks. */
const MAX_SENT_PER_BYTE = 5;

/**
 * Reads bodies like `readBody`, but decodes the base64 text of one field while it arrives: it may be as large as an
 * uploaded file. Errors: 400, 408, 413, 415, 503. Text that is not base64 is left to the model.
 */
export function createBase64BodyReader(uploads: Uploads): Base64BodyReader {
  const { limits } = uploads;
  const maxBytes = MAX_SENT_PER_BYTE * limits.maxFileBytes + bodies.MAX_BODY_BYTES;
  return async (request, field, caller) => {
    const tooLarge = () => largerThan(limits.maxFileBytes, `The ${field}`);
    await bodies.refuseLabels(request, limits.bodyMs);
    const upload = uploads.open(caller);
    const body = new Base64Body(request, field, limits.maxFileBytes, upload);
    try {
      for await (const piece of bodies.bodyPieces(request, { ...limits, maxBytes, tooLarge }))
        await body.add(piece);
      return { ...(await body.finish()), release: upload.release };
    } catch (error) {
      upload.release();
      throw error;
    }
  };
}

class Base64Body {
  readonly #text = new TextDecoder('utf-8', { fatal: true });
  #scanner: FieldScanner | null = null;
  #base64: Base64Content | null = null;
  /** Text of the body without the value of the field. */
  #rest = '';
  #restBytes = 0;

  constructor(
    private readonly request: Request,
    private readonly field: string,
    private readonly maxFileBytes: number,
    private readonly upload: UploadInProgress,
  ) {}

  /** Parses the received body. Errors: 400, 422, 503. */
  async finish(): Promise<bodies.Body> {
    this.#keep(this.#decode());
    this.#keep(this.#scanner?.finish() ?? '');
    const body = bodies.fieldsOf(this.#rest, this.#contentType);
    const content = await this.#sentContent();
    // Replaces the body in the fingerprint of an idempotent request.
    const bytes = Buffer.from(JSON.stringify([this.#rest, content?.sha256]));
    const isTaken = this.#base64 !== null && typeof body.fields[this.field] === 'string';
    const fields = isTaken ? { ...body.fields, [this.field]: new SentBytes(content) } : body.fields;
    return { ...body, fields, bytes };
  }

  /** Takes a piece of the body. Errors: 400, 413, 503. */
  async add(bytes: Buffer): Promise<void> {
    const text = this.#decode(bytes);
    this.#scanner ??= this.#scannerFor(text);
    this.#keep(this.#scanner?.add(text) ?? text);
    if (this.upload.size > this.maxFileBytes) throw largerThan(this.maxFileBytes, `The ${this.field}`);
    await this.upload.settle();
  }

  /** Content that was uploaded; null if the body has no such field, or if its text is not base64. */
  async #sentContent(): Promise<SentContent | null> {
    return this.#base64?.isBase64 === true ? await this.upload.store() : null;
  }

  get #contentType(): string {
    return headerOf(this.request, 'content-type') ?? '';
  }

  /** Scanner for a JSON or form body; null while only white space has arrived, and for other bodies. */
  #scannerFor(text: string): FieldScanner | null {
    const first = text.trimStart().charAt(0);
    const target = {
      // Called for each field of this name: a later field replaces an earlier one.
      begin: () => {
        this.upload.begin();
        this.#base64 = new Base64Content(this.upload);
      },
      add: (piece: string) => this.#base64?.add(piece),
    };
    if (first === '{') return new JsonFieldScanner(this.field, target);
    return first !== '' && bodies.isFormType(this.#contentType)
      ? new FormFieldScanner(this.field, target)
      : null;
  }

  #keep(text: string): void {
    this.#rest += text;
    this.#restBytes += Buffer.byteLength(text);
    if (this.#restBytes <= bodies.MAX_BODY_BYTES) return;
    throw largerThan(bodies.MAX_BODY_BYTES, `The body without its ${this.field}`);
  }

  /** Decodes a part of the body as UTF-8. Call it without bytes at the end of the body. Errors: 400. */
  #decode(bytes?: Buffer): string {
    try {
      return this.#text.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw bodies.notUtf8();
    }
  }
}
