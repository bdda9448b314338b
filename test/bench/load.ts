import { connect, type Socket } from 'node:net';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Called for each request, so that bodies can differ. */
  readonly body?: () => string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Median of the response times, in milliseconds. */
  readonly p50: number;
  /** 95th percentile of the response times, in milliseconds. */
  readonly p95: number;
}

/** Repeats a request over keep-alive connections; each connection sends the next one after the response. */
export async function runLoad(
  url: string,
  request: BenchRequest,
  { milliseconds, connections }: { readonly milliseconds: number; readonly connections: number },
): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const end = started + milliseconds;
  const times: number[] = [];
  const workers = Array.from({ length: connections }, async () => {
    const connection = new HttpConnection(connect(Number(port), hostname));
    for (let now = performance.now(); now < end; now = performance.now()) {
      const status = await connection.send(request);
      if (status !== 200 && status !== 201)
        throw new Error(`${url} ${request.method} ${request.path} responded with ${status}`);
      times.push(performance.now() - now);
    }
    connection.close();
  });
  await Promise.all(workers);
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const percentile = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p50: percentile(0.5),
    p95: percentile(0.95),
  };
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** A minimal HTTP client: one request at a time, responses must have a Content-Length. */
class HttpConnection {
  /** Received bytes of an incomplete response head. */
  #head: Buffer = Buffer.alloc(0);
  /** Status of the response whose body is being received; 0 before its head is complete. */
  #status = 0;
  #missingBytes = 0;
  #resolve: (status: number) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#reject(error));
    socket.on('close', () => this.#reject(new Error('The server closed the connection.')));
  }

  /** Resolves to the status of the response after its body has been received. */
  send({ method, path, body, headers = {} }: BenchRequest): Promise<number> {
    const text = body?.() ?? '';
    const length = text === '' ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.socket.write(`${method} ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${text}`);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#status !== 0) {
      this.#receiveBody(chunk.length);
      return;
    }
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const headEnd = this.#head.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.#head.toString('latin1', 0, headEnd);
    const bodyBytes = this.#head.length - headEnd - HEAD_END.length;
    this.#head = Buffer.alloc(0);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#reject(new Error(`The response has no Content-Length: ${head}`));
      return;
    }
    this.#status = Number(head.slice(9, 12));
    this.#missingBytes = Number(length);
    this.#receiveBody(bodyBytes);
  }

  #receiveBody(bytes: number): void {
    this.#missingBytes -= bytes;
    if (this.#missingBytes > 0) return;
    const status = this.#status;
    this.#status = 0;
    this.#resolve(status);
  }
}
