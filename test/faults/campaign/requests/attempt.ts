import type { Sender } from '../companies.js';
import { toJson } from './values.js';

export type Surface = 'REST' | 'GraphQL' | 'streams' | 'sockets';

/** How the bytes of a request are sent. */
export type Delivery = 'whole' | 'slow' | 'cut' | 'reset' | 'twice';

/** One request, in parts. */
export interface Attempt {
  readonly surface: Surface;
  readonly sender: Sender;
  readonly method: string;
  readonly path: string;
  /** Encoded: `page=1`. */
  readonly query: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body: object | string | Buffer | null;
  readonly delivery: Delivery;
  /** Whether lengths and encodings in the headers may contradict the body. */
  readonly isMisframed?: boolean;
}

export function bodyOf({ body }: Attempt): Buffer {
  if (body === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : toJson(body));
}

/** The bytes of the request as they are sent. */
export function bytesOf(attempt: Attempt): Buffer {
  const { method, path, query, headers } = attempt;
  const body = bodyOf(attempt);
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const framed = ['content-length', 'transfer-encoding'].some((name) => names.has(name));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(names.has('host') ? [] : ['Host: campaign']),
    ...(names.has('connection') ? [] : ['Connection: close']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(framed || (body.length === 0 && ['GET', 'HEAD'].includes(method))
      ? []
      : [`Content-Length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

const LONGEST_SHOWN = 6_000;

/** The request as a line for a shell; the token is named, not shown. */
export function repeatCommand(attempt: Attempt): string {
  const bytes = bytesOf(attempt);
  const token = attempt.sender.token;
  const text =
    token === null ? bytes.toString('latin1') : bytes.toString('latin1').replaceAll(token, '$TOKEN');
  const escaped = text.replace(/[^ -~]|["\\`$%]/g, (char) =>
    char === '$' ? '$' : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  const shown = escaped.length > LONGEST_SHOWN ? `${escaped.slice(0, LONGEST_SHOWN)}… (cut)` : escaped;
  return `# as ${attempt.sender.label}, sent ${attempt.delivery}\nprintf "${shown}" | nc 127.0.0.1 4000`;
}
