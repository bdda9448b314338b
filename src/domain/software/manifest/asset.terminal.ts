import { z } from 'zod';

import { CHUNK_BYTES } from '../../../platform/encoding/content-builder.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import {
  type ByteRange,
  byteRangeOf,
  HttpProblem,
  STREAM_BYTES,
  type Parameter,
  type TerminalExchange,
  type TerminalRoute,
} from '../../../terminal/index.js';
import { type AdmittedDevice, demandOwnNumber } from '../../terminals/terminal/terminal-access.service.js';
import { readChunk } from '../content/content.service.js';
import { assetRequestOf, noteAsset, type RecordAssetRequest } from './asset.service.js';
import type { Asset, AssetEvidence } from './manifest.model.js';
import { findAsset } from './manifest.service.js';

type Exchange = TerminalExchange<AdmittedDevice>;

/** The CRC of what the terminal has, in `?crc=31C3`; null if it has nothing. Errors: `malformed`. */
export function knownCrc(query: ReadonlyMap<string, string>): string | null {
  const given = query.get('crc') ?? '';
  if (given === '') return null;
  if (/^[0-9a-f]{4}$/i.test(given)) return given.toUpperCase();
  const message = 'Query parameter "crc" must be 4 hexadecimal digits, for example 31C3, or empty.';
  throw new DomainError('malformed', message);
}

/** Description of `crc` in the query. */
export const CRC_PARAMETER: Parameter = {
  name: 'crc',
  in: 'query',
  description: 'CRC of what the terminal has. 304 if it is the same.',
  schema: { type: 'string', examples: ['31C3'] },
};

const text = { type: 'string' };

const ASSET_ROUTE = {
  method: 'GET',
  path: '/assets/{name}',
  scope: 'terminals',
  operationId: 'downloadTerminalAsset',
  summary: 'Download an asset',
  description:
    'The bytes of an application, module or file of the manifest. After a broken connection, ask for the rest with Range, and send the ETag of the first part in If-Range. Each download is recorded as a transaction.',
  parameters: [
    {
      name: 'name',
      in: 'path',
      required: true,
      schema: text,
      description: 'Name in the manifest, percent-encoded.',
      example: 'acme_sale.posxml',
    },
    CRC_PARAMETER,
    { name: 'app', in: 'query', description: 'The application that runs, for the record.', schema: text },
    {
      name: 'logical_number',
      in: 'query',
      schema: text,
      description: 'The logical number of the terminal, if it is sent. 422 for another one.',
    },
    { name: 'If-None-Match', in: 'header', description: 'ETag of the bytes that it has.', schema: text },
    { name: 'Range', in: 'header', description: 'One range of bytes: `bytes=4-`.', schema: text },
    { name: 'If-Range', in: 'header', description: 'ETag of the bytes before the range.', schema: text },
  ],
  response: z.string().meta({ format: 'binary' }),
  responseType: 'application/octet-stream',
  statuses: { 200: 'All bytes.', 206: 'The bytes of the range.', 304: 'The terminal has them. No body.' },
  headers: { ETag: 'SHA-256 of all bytes.', 'X-CRC16': 'CRC of all bytes.', 'Accept-Ranges': '`bytes`' },
  errors: [404, 409, 416, 422],
} satisfies Partial<TerminalRoute<AdmittedDevice>>;

/** The bytes of what the manifest names; `recordRequest` records each download. */
export function assetRoutes(recordRequest: RecordAssetRequest): readonly TerminalRoute<AdmittedDevice>[] {
  return [{ ...ASSET_ROUTE, exchange: (exchange) => sendAsset(exchange, recordRequest) }];
}

/** Records how a request for an asset has ended. */
type RecordOutcome = (status: 'success' | 'fail', result: string, evidence?: AssetEvidence) => Promise<void>;

async function sendAsset(exchange: Exchange, recordRequest: RecordAssetRequest): Promise<void> {
  const crc = knownCrc(exchange.query);
  const name = exchange.value('name');
  const { device, asset, ...request } = await exchange.read(async (work, terminal) => {
    await demandOwnNumber(work, terminal, exchange.query.get('logical_number'));
    const found = await findAsset(work, terminal, name);
    return { ...found, device: terminal, startedAt: work.now };
  });
  const record: RecordOutcome = async (status, result, evidence) => {
    if (exchange.method === 'HEAD') return;
    const outcome = { ...request, name, runningApp: exchange.query.get('app') ?? null, status, result };
    await exchange.note(async (work) => {
      await recordRequest(work, assetRequestOf(work, device, outcome));
      // A terminal that asks for what does not exist shows nothing.
      if (asset !== undefined && evidence !== undefined) await noteAsset(work, device, asset, evidence);
    });
  };
  if (asset === undefined) {
    await record('fail', 'no such asset');
    throw notFound('asset');
  }
  const etag = `"${asset.sha256}"`;
  const headers = { ETag: etag, 'X-CRC16': asset.crc, 'Accept-Ranges': 'bytes' };
  if (exchange.hasTag(etag) || crc === asset.crc) {
    await record('success', 'not changed', { has: 'shown', other: null });
    exchange.unchanged(headers);
    return;
  }
  const namesOther = crc !== null || exchange.header('if-none-match') !== undefined;
  const other = namesOther ? { crc } : null;
  const range = exchange.method === 'HEAD' ? null : rangeOf(exchange, asset, etag);
  if (range === 'unsatisfiable') {
    await record('fail', `no such range of ${asset.size} bytes`, { has: null, other });
    throw new HttpProblem(416, 'range_not_satisfiable', `The asset has ${asset.size} bytes.`, {
      'Content-Range': `bytes */${asset.size}`,
    });
  }
  await sendBytes(exchange, asset, range, { headers, other, record });
}

/** Null for all bytes. A range of other bytes than the terminal has a part of would be of no use to it. */
function rangeOf(exchange: Exchange, { size }: Asset, etag: string): ByteRange | 'unsatisfiable' | null {
  const condition = exchange.header('if-range');
  if (condition !== undefined && condition.trim() !== etag) return null;
  return byteRangeOf(exchange.header('range'), size);
}

interface Sending extends Pick<AssetEvidence, 'other'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly record: RecordOutcome;
}

async function sendBytes(
  exchange: Exchange,
  asset: Asset,
  range: ByteRange | null,
  { headers, other, record }: Sending,
): Promise<void> {
  const { size } = asset;
  const { start, end } = range ?? { start: 0, end: size };
  const head = {
    status: range === null ? 200 : 206,
    headers: {
      ...headers,
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(end - start),
      ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
    },
    heldBytes: Math.min(size, STREAM_BYTES),
  };
  const sent = { bytes: 0 };
  const of = range === null ? `${size} bytes` : `bytes ${start} to ${end - 1} of ${size}`;
  let isTaken = false;
  try {
    isTaken = await exchange.stream(head, piecesOf(exchange, asset, { start, end }, sent));
  } finally {
    const has = isTaken && end === size ? 'downloaded' : null;
    if (isTaken) await record('success', of, { has, other });
    else await record('fail', `${of}, ended after ${sent.bytes} bytes`, { has, other });
  }
}

/** Each chunk is read after the client took the one before, while the terminal may use the service. */
async function* piecesOf(
  exchange: Exchange,
  { contentId }: Asset,
  { start, end }: ByteRange,
  sent: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const sequence = Math.floor(at / CHUNK_BYTES);
    const chunk = await exchange.read((work) => readChunk(work, contentId, sequence));
    const from = at - sequence * CHUNK_BYTES;
    const bytes = chunk?.subarray(from, end - sequence * CHUNK_BYTES) ?? new Uint8Array(0);
    // The content was deleted 15 minutes after it was replaced. A response that ends early must not look complete.
    if (bytes.length === 0) throw new Error(`The content ${contentId} has no chunk ${sequence}`);
    yield bytes;
    sent.bytes += bytes.length;
    at += bytes.length;
  }
}
