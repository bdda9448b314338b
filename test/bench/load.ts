import { connect, type Socket } from 'node:net';

export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Drawn anew for each request. */
  readonly body?: () => string;
  /** Besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Load {
  readonly perSecond: number;
  /** Milliseconds within which half of the answers came, and 95 of 100. */
  readonly p50: number;
  readonly p95: number;
}

/** Asks over connections that are kept open, each its next question as soon as the last is answered. */
export async function load(
  url: string,
  ask: Ask,
  { milliseconds, connections }: { readonly milliseconds: number; readonly connections: number },
): Promise<Load> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const end = started + milliseconds;
  const times: number[] = [];
  const workers = Array.from({ length: connections }, async () => {
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
  const within = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond: times.length / seconds, p50: within(0.5), p95: within(0.95) };
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection. Knows just enough of HTTP for servers that say how long their answers are. */
class Line {
  /** Of an answer whose head is not whole yet. */
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  /** Bytes of the body that are still to come. */
  #rest = 0;
  #answered: (status: number) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('The server closed the connection.')));
  }

  ask({ method, path, body, headers = {} }: Ask): Promise<number> {
    const text = body?.() ?? '';
    const length = text === '' ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`;
    const others = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${others.join('')}${length}\r\n${text}`,
      );
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#status !== 0) {
      this.#body(chunk.length);
      return;
    }
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const headEnd = this.#head.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.#head.toString('latin1', 0, headEnd);
    const came = this.#head.length - headEnd - HEAD_END.length;
    this.#head = Buffer.alloc(0);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#failed(new Error(`An answer of no known length: ${head}`));
      return;
    }
    this.#status = Number(head.slice(9, 12));
    this.#rest = Number(length);
    this.#body(came);
  }

  #body(bytes: number): void {
    this.#rest -= bytes;
    if (this.#rest > 0) return;
    const status = this.#status;
    this.#status = 0;
    this.#answered(status);
  }
}
