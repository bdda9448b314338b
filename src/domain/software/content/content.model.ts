import type { SentContent } from '../../../platform/encoding/content-builder.js';
import { formatCrc16 } from '../../../platform/encoding/crc16.js';

/** Bytes of a new file or app version. Stored contents never change: an update stores new ones. */
export type NewContent = SentContent;

/** CRC of zero bytes. */
export const EMPTY_CRC = formatCrc16(0);
