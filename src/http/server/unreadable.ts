import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { randomUUID } from 'node:crypto';

import { HttpProblem, problemResponse, type HttpCode } from '../problem.js';
import { SECURITY_HEADERS } from './security-headers.js';

const UNREADABLE: Readonly<Record<string, readonly [number, HttpCode, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'too_large', 'The chunk extensions of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'too_slow', 'The request did not come in time.'],
};

/**
 * Answers what is no HTTP request, or not in time, as everything else is answered: with an error object, and
 * nothing that names the server. The connection ends, since nobody can say where a next request would begin.
 */
export function answerUnreadable(server: Server): void {
  const underWay = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response: ServerResponse) => {
    underWay.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = underWay.get(socket);
    const isInterrupting = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || isInterrupting || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, code, message] = UNREADABLE[error.code ?? ''] ?? [
      400,
      'malformed' as const,
      'This is not a well-formed HTTP request.',
    ];
    socket.end(textOf(new HttpProblem(status, code, message)), () => socket.destroy());
  });
}

function textOf(problem: HttpProblem): string {
  const requestId = randomUUID();
  const { status, body } = problemResponse(problem, requestId);
  const text = JSON.stringify(body);
  const headers = {
    ...SECURITY_HEADERS,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', text].join('\r\n');
}
