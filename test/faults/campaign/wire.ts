import { connect } from 'node:net';

import { bodyOf, bytesOf, type Attempt } from './requests/attempt.js';

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Received {
  /** All responses on the connection, 1xx left out. */
  readonly answers: readonly Answer[];
  readonly milliseconds: number;
  /** Whether the server kept the connection open without a complete response until the client gave up. */
  readonly gaveUp: boolean;
}

const PATIENCE_MS = 15_000;
/** For streams, and for requests that the server may wait for. */
const SHORT_PATIENCE_MS = 250;
const PIECES = 4;
const PIECE_MS = 15;

/** Sends a request on a connection of its own and reads until the server closes it. Never rejects. */
export async function sendAttempt(url: string, attempt: Attempt): Promise<Received> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const mayWait = attempt.delivery === 'cut' || attempt.isMisframed === true || attempt.surface === 'streams';
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  const chunks: Buffer[] = [];
  let gaveUp = false;
  const closed = new Promise<void>((resolve) => {
    const timer = setTimeout(
      () => {
        gaveUp = true;
        socket.destroy();
      },
      mayWait ? SHORT_PATIENCE_MS : PATIENCE_MS,
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.once('connect', () => void deliver(socket, attempt));
  await closed;
  return {
    answers: parseAnswers(Buffer.concat(chunks), attempt.method === 'HEAD'),
    milliseconds: performance.now() - started,
    gaveUp,
  };
}

async function deliver(socket: ReturnType<typeof connect>, attempt: Attempt): Promise<void> {
  const bytes = bytesOf(attempt);
  const middle = bytes.length - Math.ceil(bodyOf(attempt).length / 2) - 1;
  switch (attempt.delivery) {
    case 'whole':
      socket.write(bytes);
      return;
    case 'twice':
      socket.write(
        Buffer.concat([
          Buffer.from(bytes.toString('latin1').replace('Connection: close\r\n', ''), 'latin1'),
          bytes,
        ]),
      );
      return;
    case 'cut':
      socket.end(bytes.subarray(0, middle));
      return;
    case 'reset':
      socket.write(bytes.subarray(0, middle), () => void socket.resetAndDestroy());
      return;
    case 'slow':
      for (let piece = 0; piece < PIECES && !socket.destroyed; piece += 1) {
        const size = Math.ceil(bytes.length / PIECES);
        socket.write(bytes.subarray(piece * size, (piece + 1) * size));
        await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
      }
  }
}

function parseAnswers(bytes: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) return answers;
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0);
    rest = rest.subarray(headEnd + 4);
    const { body, length } =
      status === 204 || status === 304 || isHead || status < 200
        ? { body: Buffer.alloc(0), length: 0 }
        : bodyIn(rest, headers);
    rest = rest.subarray(length);
    if (status === 0 || status >= 200) answers.push({ status, headers, body });
    if (status === 0) return answers;
  }
}

function bodyIn(rest: Buffer, headers: ReadonlyMap<string, string>): { body: Buffer; length: number } {
  if (headers.get('transfer-encoding') === 'chunked') return unchunked(rest);
  const length = Number(headers.get('content-length') ?? rest.length);
  return { body: rest.subarray(0, length), length };
}

function unchunked(bytes: Buffer): { body: Buffer; length: number } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? 0 : parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd === -1 || !(size > 0)) {
      return {
        body: Buffer.concat(parts),
        length: lineEnd === -1 ? bytes.length : Math.min(bytes.length, lineEnd + 4),
      };
    }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 4 + size;
  }
}
