import type { LargeData } from './large.js';
import type { Request } from './request.js';

/** Something expensive, as far as the limits allow it. */
export interface Operation {
  readonly name: string;
  /** The largest size to try; 1 by default: the operation is the same in every size. */
  readonly most?: number;
  /** Connections that repeat it at the same time. */
  readonly connections: number;
  /** Requests of each connection; by default it repeats them until the time is over. */
  readonly times?: number;
  /** The n-th request of all connections together, from 0, in a size from 1 to `most`. */
  readonly request: (n: number, size: number) => Request;
  /** How long after it the server has work left, in ms. */
  readonly settleMs?: number;
}

export const globalId = (type: string, id: number): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');
export const aliased = (count: number, field: (n: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, n) => `a${n}: ${field(n)}`).join(' ')} }`;
export const texts = (count: number, text: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => text(n));
/** New in each run: names must not be taken yet. */
export const unique = `${Date.now().toString(36)}-`;

/** Makes requests of the large company. */
export class Requests {
  constructor(private readonly data: LargeData) {}

  readonly #headers = (): Record<string, string> => ({ authorization: `Bearer ${this.data.token}` });

  operation = (query: string, variables: object = {}): Request => ({
    method: 'POST',
    path: '/graphql',
    headers: { ...this.#headers(), 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });

  rest = (method: string, path: string, body?: object): Request => ({
    method,
    path: `/v1/${path}`,
    headers: { ...this.#headers(), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

  upload = (bytes: Buffer, name: string): Request => {
    const head = `--part\r\nContent-Disposition: form-data; name="asset"; filename="${name}"\r\n\r\n`;
    return {
      method: 'POST',
      path: '/v1/files',
      headers: { ...this.#headers(), 'content-type': 'multipart/form-data; boundary=part' },
      body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--part--\r\n')]),
    };
  };
}
