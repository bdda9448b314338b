import { malformed } from '../http/query.js';
import type { Parameter } from '../rest/openapi/request.js';

/** The CRC of what the terminal has, in `?crc=31C3`; null if it has nothing. Errors: 400. */
export function knownCrc(query: ReadonlyMap<string, string>): string | null {
  const given = query.get('crc') ?? '';
  if (given === '') return null;
  if (/^[0-9a-f]{4}$/i.test(given)) return given.toUpperCase();
  throw malformed('Query parameter "crc" must be 4 hexadecimal digits, for example 31C3, or empty.');
}

export const CRC_PARAMETER: Parameter = {
  name: 'crc',
  in: 'query',
  description: 'CRC of what the terminal has. 304 if it is the same.',
  schema: { type: 'string', examples: ['31C3'] },
};
