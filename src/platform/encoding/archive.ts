import { promisify } from 'node:util';
import { crc32, gunzip, gunzipSync, gzipSync, inflateRaw } from 'node:zlib';

import { DomainError } from '../errors.js';

/** Gzip of a few bytes, and the bytes in it. */
export const compressed = (bytes: Uint8Array): Buffer => gzipSync(bytes);
export const decompressed = (bytes: Uint8Array): Buffer => gunzipSync(bytes);

const inflateGzip = promisify(gunzip);
const inflateEntry = promisify(inflateRaw);

/** Signatures of the records of a zip archive, as bytes. */
const [LOCAL, CENTRAL, END] = ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06'] as const;
/** Bytes of these records, without names and what else varies. */
const [LOCAL_LENGTH, CENTRAL_LENGTH, END_LENGTH] = [30, 46, 22] as const;
/** Methods of compression. */
const [STORED, DEFLATED] = [0, 8] as const;

/** Error for bytes that would be more than the limit when unpacked. */
export class UnpackedTooLarge extends Error {
  override readonly name = 'UnpackedTooLarge';
}

const damaged = (what: string): DomainError =>
  new DomainError('malformed', `The ${what} is damaged: its bytes cannot be unpacked.`);

/** The content of gzip, or of a zip archive with one file; other bytes as they are. Errors: `malformed`, `UnpackedTooLarge`. */
export async function unpacked(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return await bounded('gzip', maxBytes, inflateGzip, bytes);
  if (isZip(bytes.toString('latin1', 0, 4))) return await onlyEntry(bytes, maxBytes);
  if (bytes.length > maxBytes) throw new UnpackedTooLarge();
  return bytes;
}

const isZip = (signature: string): boolean => signature === LOCAL || signature === END;

type Inflate = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

async function bounded(what: string, maxBytes: number, inflate: Inflate, bytes: Buffer): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
      ? new UnpackedTooLarge()
      : damaged(what);
  }
}

/** Errors: `malformed` for an archive that is damaged or encrypted, or has no or several files. */
async function onlyEntry(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const what = 'zip archive';
  const end = bytes.lastIndexOf(END, undefined, 'latin1');
  if (end === -1 || end + END_LENGTH > bytes.length) throw damaged(what);
  const entries = bytes.readUInt16LE(end + 10);
  if (entries !== 1) {
    throw new DomainError('malformed', `The zip archive has ${entries} files. Send one with a single text.`);
  }
  const { method, isEncrypted, crc, stored } = readEntry(bytes, bytes.readUInt32LE(end + 16)) ?? {};
  if (stored === undefined) throw damaged(what);
  if (isEncrypted === true || (method !== STORED && method !== DEFLATED)) {
    throw new DomainError(
      'malformed',
      'The zip archive is encrypted or compressed in another way than deflate.',
    );
  }
  if (method === STORED && stored.length > maxBytes) throw new UnpackedTooLarge();
  const content = method === STORED ? stored : await bounded(what, maxBytes, inflateEntry, stored);
  if (crc32(content) !== crc) throw damaged(what);
  return content;
}

/** The entry of the central directory at an offset, with its bytes; undefined if it is not whole. */
function readEntry(bytes: Buffer, offset: number) {
  if (!bytes.subarray(offset, offset + 4).equals(Buffer.from(CENTRAL, 'latin1'))) return undefined;
  const entry = bytes.subarray(offset);
  if (entry.length < CENTRAL_LENGTH) return undefined;
  const local = bytes.subarray(entry.readUInt32LE(42));
  if (local.length < LOCAL_LENGTH || local.toString('latin1', 0, 4) !== LOCAL) return undefined;
  const start = LOCAL_LENGTH + local.readUInt16LE(26) + local.readUInt16LE(28);
  const size = entry.readUInt32LE(20);
  if (start + size > local.length) return undefined;
  return {
    method: entry.readUInt16LE(10),
    isEncrypted: (entry.readUInt16LE(8) & 1) === 1,
    crc: entry.readUInt32LE(16),
    stored: local.subarray(start, start + size),
  };
}
