import { crc16Of, formatCrc16 } from '../../platform/encoding/crc16.js';
import { knownCrc, type TerminalRoute } from '../../terminal/index.js';
import { droppedBy } from '../asset/asset.service.js';
import type { AdmittedDevice } from '../terminal/terminal-access.service.js';
import { getManifest } from './manifest.service.js';

/** What a terminal gets, as JSON and as its settings file. */
export const manifestRoutes: readonly TerminalRoute<AdmittedDevice>[] = [
  {
    method: 'GET',
    path: '/manifest',
    read: async (work, device) => {
      const manifest = await getManifest(work, device);
      const { text: content, etag } = manifest;
      const note = await droppedBy(work, device, manifest);
      return { type: 'application/json; charset=utf-8', content, etag, note };
    },
  },
  {
    method: 'GET',
    path: '/params.dat',
    read: async (work, device, { query }) => {
      const known = knownCrc(query);
      const manifest = await getManifest(work, device);
      const note = await droppedBy(work, device, manifest);
      const { paramsDat: content } = manifest;
      const crc = formatCrc16(crc16Of(Buffer.from(content)));
      const headers = { 'X-CRC16': crc };
      return { type: 'text/plain; charset=utf-8', content, headers, isUnchanged: crc === known, note };
    },
  },
];
