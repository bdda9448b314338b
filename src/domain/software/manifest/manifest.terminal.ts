import { z } from 'zod';

import { DomainError, notFound } from '../../../platform/errors.js';
import { etagOfText } from '../../../platform/hashes.js';
import {
  type ByteRange,
  byteRangeOf,
  HttpProblem,
  isUnchanged,
  JSON_TYPE,
  parameter,
  STREAM_BYTES,
  type TerminalAnswer,
  type TerminalCall,
  type TerminalRoute,
} from '../../../terminal/index.js';
import { type AdmittedDevice, ownNumber } from '../../terminals/terminal/access.service.js';
import { LANGUAGES } from '../app/app.model.js';
import { readPart } from '../app/content.service.js';
import { type Asset, type AssetEvidence, PARAMS_DAT, type RenderedManifest } from './manifest.model.js';
import * as service from './manifest.service.js';

const crc = z
  .string()
  .describe('CRC-16/XMODEM: 4 hexadecimal digits.')
  .meta({ examples: ['31C3'] });
const fileShape = {
  name: z.string().describe('Name of the asset, for `/terminal/v1/assets/{name}`.'),
  size: z.int().describe('Bytes.'),
  crc,
  sha256: z.string().describe('64 hexadecimal digits.'),
};
const software = { ...fileShape, type: z.enum(LANGUAGES), version: z.string() };

const ManifestShape = z
  .strictObject({
    device: z.strictObject({ serial_number: z.string(), enabled: z.boolean() }),
    logical_number: z.string(),
    group: z.string().nullable().describe('Name of the group of the logical number.'),
    parameters: z.array(
      z.strictObject({ key: z.string(), value: z.string(), source: z.enum(['group', 'logical_number']) }),
    ),
    apps: z.array(
      z.strictObject({
        label: z.string().describe('As it stands in the menu; `X` if it is not in the menu.'),
        ...software,
        modules: z.array(z.strictObject(software)),
      }),
    ),
    files: z.array(z.strictObject(fileShape)),
    params_dat: z.strictObject({ size: z.int().describe('Bytes.'), crc }),
  })
  .meta({ id: 'Manifest', description: 'Everything that a terminal gets.' });

const CRC = parameter('query', 'crc', 'CRC of what the terminal has. 304 if it is the same.', {
  examples: ['31C3'],
});
const IF_NONE_MATCH = parameter(
  'header',
  'If-None-Match',
  'ETag of the last answer. 304 if it is still the same.',
);
const GET = { method: 'GET', scope: 'terminals' } as const;
const STATUSES = { 200: 'What the terminal gets.', 304: 'The terminal has it already. No body.' };
const ETAG = 'For If-None-Match.';

type Call = TerminalCall<AdmittedDevice>;

const isHead = ({ request }: Call): boolean => request.method === 'HEAD';

const MANIFEST_ROUTES: readonly TerminalRoute<AdmittedDevice>[] = [
  {
    ...GET,
    path: '/manifest',
    operationId: 'getTerminalManifest',
    summary: 'Read the manifest',
    description:
      'The parameters of the logical number and of its group, and the applications and files of the app versions that the number has.',
    parameters: [IF_NONE_MATCH],
    response: ManifestShape,
    statuses: STATUSES,
    headers: { ETag: ETAG },
    errors: [409],
    answer: async (call) => {
      const { text: body, etag } = await manifestOf(call);
      return { type: JSON_TYPE, body, etag };
    },
  },
  {
    ...GET,
    path: '/params.dat',
    operationId: 'getTerminalParameters',
    summary: 'Read the settings file',
    description: 'What the manifest has, as the settings file `params.dat` that terminals keep.',
    parameters: [CRC, IF_NONE_MATCH],
    response: z.string().meta({ examples: ['host=gw3.acme.example\nport=7000\n'] }),
    responseType: 'text/plain',
    statuses: STATUSES,
    headers: { ETag: ETAG, 'X-CRC16': 'CRC of the whole file.' },
    errors: [409],
    answer: async (call) => {
      const known = knownCrc(call);
      const shown = (text: string): string => known ?? service.crcOfParams(text);
      const { paramsDat: body } = await manifestOf(call, isHead(call) ? undefined : shown);
      const headers = { ETag: etagOfText(body), 'X-CRC16': service.crcOfParams(body) };
      if (headers['X-CRC16'] === known) return { status: 304, headers };
      return { type: 'text/plain; charset=utf-8', body, headers, etag: headers.ETag };
    },
  },
];

const ASSET_ROUTE = {
  ...GET,
  path: '/assets/{name}',
  operationId: 'downloadTerminalAsset',
  summary: 'Download an asset',
  description:
    'The bytes of an application, module or file of the manifest. After a broken connection, ask for the rest with Range, and send the ETag of the first part in If-Range. Each download is recorded as a transaction.',
  parameters: [
    {
      ...parameter('path', 'name', 'Name in the manifest, percent-encoded.'),
      example: 'acme_sale.posxml',
    },
    CRC,
    parameter('query', 'app', 'The application that runs, for the record.'),
    parameter(
      'query',
      'logical_number',
      'The logical number of the terminal, if it is sent. 422 for one that it never had.',
    ),
    parameter('header', 'If-None-Match', 'ETag of the bytes that it has.'),
    parameter('header', 'Range', 'One range of bytes: `bytes=4-`.'),
    parameter('header', 'If-Range', 'ETag of the bytes before the range.'),
  ],
  response: z.string().meta({ format: 'binary' }),
  responseType: 'application/octet-stream',
  statuses: { 200: 'All bytes.', 206: 'The bytes of the range.', 304: 'The terminal has them. No body.' },
  headers: { ETag: 'SHA-256 of all bytes.', 'X-CRC16': 'CRC of all bytes.', 'Accept-Ranges': '`bytes`' },
  errors: [404, 409, 416, 422],
} satisfies Partial<TerminalRoute<AdmittedDevice>>;

/** Routes of the manifest, as JSON and as settings file, and of its assets; `record` records each download. */
export const manifestRoutes = (
  record: service.RecordAssetRequest,
): readonly TerminalRoute<AdmittedDevice>[] => [
  ...MANIFEST_ROUTES,
  { ...ASSET_ROUTE, answer: (call) => sendAsset(call, record) },
];

/**
 * The manifest of the terminal. Stores which assets it does not name any more and, with `shown`, the CRC of the settings
 * file that the terminal has or gets.
 */
async function manifestOf(call: Call, shown?: (paramsDat: string) => string): Promise<RenderedManifest> {
  const { manifest, notes } = await call.read(async (work, device) => {
    const found = await service.getManifest(work, device);
    const dropped = await service.droppedBy(work, device, found);
    const named = shown && (await service.noteOfFile(work, device, PARAMS_DAT, shown(found.paramsDat)));
    return { manifest: found, notes: [dropped, named] };
  });
  for (const note of notes) if (note !== undefined) await call.note(note);
  return manifest;
}

/** The CRC of what the terminal has, in `?crc=31C3`; null if it has nothing. Errors: `malformed`. */
function knownCrc({ query }: Call): string | null {
  const given = query.get('crc') ?? '';
  if (given === '') return null;
  if (/^[0-9a-f]{4}$/i.test(given)) return given.toUpperCase();
  const message = 'Query parameter "crc" must be 4 hexadecimal digits, for example 31C3, or empty.';
  throw new DomainError('malformed', message);
}

type RecordOutcome = (status: 'success' | 'fail', result: string, evidence?: AssetEvidence) => Promise<void>;

async function sendAsset(call: Call, recordRequest: service.RecordAssetRequest): Promise<TerminalAnswer> {
  const known = knownCrc(call);
  const name = call.values.get('name') ?? '';
  const { device, asset, ...request } = await call.read(async (work, terminal) => {
    const named = await ownNumber(work, terminal, call.query.get('logical_number'));
    const found = await service.findAsset(work, terminal, name, named);
    return { ...found, device: terminal, startedAt: work.now };
  });
  const record: RecordOutcome = async (status, result, evidence) => {
    if (isHead(call)) return;
    const outcome = { ...request, name, runningApp: call.query.get('app') ?? null, status, result };
    await call.note(async (work) => {
      // A terminal that asks for what does not exist shows nothing.
      const shown = asset && evidence && service.noteAsset(work, device, asset, evidence);
      await Promise.all([recordRequest(work, service.assetRequestOf(work, device, outcome)), shown]);
    });
  };
  if (asset === undefined) {
    await record('fail', 'no such asset');
    throw notFound('asset');
  }
  const etag = `"${asset.sha256}"`;
  const headers = { ETag: etag, 'X-CRC16': asset.crc, 'Accept-Ranges': 'bytes' };
  if (isUnchanged(call.request, etag) || known === asset.crc) {
    await record('success', 'not changed', { kind: 'shown', other: null });
    return { status: 304, headers };
  }
  const namesOther = known !== null || call.request.get('if-none-match') !== undefined;
  const other = namesOther ? { crc: known } : null;
  const range = isHead(call) ? null : rangeOf(call, asset, etag);
  if (range === 'unsatisfiable') {
    await record('fail', `no such range of ${asset.size} bytes`, { kind: null, other });
    throw new HttpProblem(416, 'range_not_satisfiable', `The asset has ${asset.size} bytes.`, {
      'Content-Range': `bytes */${asset.size}`,
    });
  }
  return bytesOf(call, asset, range, headers, (status, result, kind) =>
    record(status, result, { kind, other }),
  );
}

/** Null for all bytes. A range of other bytes than the terminal has a part of would be of no use to it. */
function rangeOf({ request }: Call, { size }: Asset, etag: string): ByteRange | 'unsatisfiable' | null {
  const condition = request.get('if-range');
  if (condition !== undefined && condition.trim() !== etag) return null;
  return byteRangeOf(request.get('range'), size);
}

function bytesOf(
  call: Call,
  { size, contentId }: Asset,
  range: ByteRange | null,
  resourceHeaders: Readonly<Record<string, string>>,
  record: (status: 'success' | 'fail', result: string, kind: AssetEvidence['kind']) => Promise<void>,
): TerminalAnswer {
  const { start, end } = range ?? { start: 0, end: size };
  const headers = {
    ...resourceHeaders,
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(end - start),
    ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
  };
  const delivered = { bytes: 0 };
  const of = range === null ? `${size} bytes` : `bytes ${start} to ${end - 1} of ${size}`;
  const sent = async (isTaken: boolean): Promise<void> => {
    const kind = isTaken && end === size ? 'downloaded' : null;
    if (isTaken) await record('success', of, kind);
    else await record('fail', `${of}, ended after ${delivered.bytes} bytes`, kind);
  };
  const pieces = piecesOf(call, contentId, { start, end }, delivered);
  const stream = { pieces, heldBytes: Math.min(size, STREAM_BYTES), sent };
  return { status: range === null ? 200 : 206, headers, stream };
}

/** Each chunk is read after the client took the one before, while the terminal may use the service. */
async function* piecesOf(call: Call, contentId: number, range: ByteRange, delivered: { bytes: number }) {
  for await (const bytes of readPart((use) => call.read(use), contentId, range)) {
    yield bytes;
    delivered.bytes += bytes.length;
  }
}
