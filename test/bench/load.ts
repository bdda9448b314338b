import { connect, type Socket } from 'node:net';

export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Drawn anew for each request. */
  readonly body?: () => string;
}

export interface Load {
  readonly perSecond: number;
  /** Milliseconds within which 95 of 100 answers came. */
  readonly p95: number;
}

const CONNECTIONS = 32;

/** Asks over 32 connections that are kept open, each its next question as soon as the last is answered. */
export async function load(url: string, ask: Ask, milliseconds: number): Promise<Load> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const end = started + milliseconds;
  const times: number[] = [];
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    const line = new Line(connect(Number(port), hostname));
    for (let now = performance.now(); now < end; now = performance.now()) {
      const status = await line.ask(ask);
      if (status !== 200 && status !== 201) throw new Error(`${ask.path} answered ${status}`);
      times.push(performance.now() - now);
    }
    line.close();
  });
  await Promise.all(workers);
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p95: times[Math.floor(times.length * 0.95)] ?? 0 };
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection. Knows just enough of HTTP for servers that say how long their answers are. */
class Line {
  #received: Buffer[] = [];
  #answered: (status: number) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('The server closed the connection.')));
  }

  ask({ method, path, body }: Ask): Promise<number> {
    const text = body?.() ?? '';
    const length = text === '' ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.socket.write(`${method} ${path} HTTP/1.1\r\nhost: bench\r\n${length}\r\n${text}`);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [bytes];
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = bytes.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) this.#failed(new Error(`An answer of no known length: ${head}`));
    else if (bytes.length >= headEnd + HEAD_END.length + Number(length)) {
      this.#received = [];
      this.#answered(Number(head.slice(9, 12)));
    }
  }
}
