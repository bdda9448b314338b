import { z } from 'zod';

import { crc16Of, formatCrc16, etagOfText } from '../../../platform/encoding/checksum.js';
import { JSON_TYPE, type TerminalExchange, type TerminalRoute } from '../../../terminal/index.js';
import type { AdmittedDevice } from '../../terminals/terminal/terminal-access.service.js';
import { LANGUAGES } from '../app/app.model.js';
import { droppedBy } from './asset.service.js';
import { CRC_PARAMETER, knownCrc } from './asset.terminal.js';
import type { RenderedManifest } from './manifest.model.js';
import { getManifest } from './manifest.service.js';

const crc = z
  .string()
  .describe('CRC-16/XMODEM: 4 hexadecimal digits.')
  .meta({ examples: ['31C3'] });
const asset = {
  name: z.string().describe('Name of the asset, for `/terminal/v1/assets/{name}`.'),
  size: z.int().describe('Bytes.'),
  crc,
  sha256: z.string().describe('64 hexadecimal digits.'),
};
const software = { ...asset, type: z.enum(LANGUAGES), version: z.string() };

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
    files: z.array(z.strictObject(asset)),
    params_dat: z.strictObject({ size: z.int().describe('Bytes.'), crc }),
  })
  .meta({ id: 'Manifest', description: 'Everything that a terminal gets.' });

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'ETag of the last answer. 304 if it is still the same.',
  schema: { type: 'string' },
} as const;
const STATUSES = { 200: 'What the terminal gets.', 304: 'The terminal has it already. No body.' };
const ETAG = 'For If-None-Match.';

type Exchange = TerminalExchange<AdmittedDevice>;

/** Routes of the manifest, as JSON and as settings file. */
export const manifestRoutes: readonly TerminalRoute<AdmittedDevice>[] = [
  {
    method: 'GET',
    path: '/manifest',
    scope: 'terminals',
    operationId: 'getTerminalManifest',
    summary: 'Read the manifest',
    description:
      'The parameters of the logical number and of its group, and the applications and files of the app versions that the number has.',
    parameters: [IF_NONE_MATCH],
    response: ManifestShape,
    statuses: STATUSES,
    headers: { ETag: ETAG },
    errors: [409],
    exchange: async (exchange) => {
      const { text: content, etag } = await manifestOf(exchange);
      await exchange.send({ type: JSON_TYPE, content, etag });
    },
  },
  {
    method: 'GET',
    path: '/params.dat',
    scope: 'terminals',
    operationId: 'getTerminalParameters',
    summary: 'Read the settings file',
    description: 'What the manifest has, as the settings file `params.dat` that terminals keep.',
    parameters: [CRC_PARAMETER, IF_NONE_MATCH],
    response: z.string().meta({ examples: ['host=gw3.acme.example\nport=7000\n'] }),
    responseType: 'text/plain',
    statuses: STATUSES,
    headers: { ETag: ETAG, 'X-CRC16': 'CRC of the whole file.' },
    errors: [409],
    exchange: async (exchange) => {
      const known = knownCrc(exchange.query);
      const { paramsDat: content } = await manifestOf(exchange);
      const crc = formatCrc16(crc16Of(Buffer.from(content)));
      const etag = etagOfText(content);
      const headers = { 'X-CRC16': crc };
      if (crc === known) exchange.unchanged({ ETag: etag, ...headers });
      else await exchange.send({ type: 'text/plain; charset=utf-8', content, etag, headers });
    },
  },
];

/** The manifest of the terminal. Stores which assets it does not name any more. */
async function manifestOf(exchange: Exchange): Promise<RenderedManifest> {
  const { manifest, note } = await exchange.read(async (work, device) => {
    const found = await getManifest(work, device);
    return { manifest: found, note: await droppedBy(work, device, found) };
  });
  if (note !== undefined) await exchange.note(note);
  return manifest;
}
