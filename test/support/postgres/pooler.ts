/**
 * A pooler of connections, as PgBouncer is one: it takes any client in, ignores the parameters of its startup, and gives
 * it a session of PostgreSQL until it ends, or for one transaction.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';

export interface PoolerOptions {
  readonly mode: 'session' | 'transaction';
  /** Sessions of PostgreSQL in transaction mode. */
  readonly sessions?: number;
  /** The free session that a transaction gets: the one that was used last, or the one that was used first. */
  readonly order?: 'last' | 'first';
}

interface Session {
  readonly client: pg.Client;
  readonly stream: Socket;
  owner: PooledClient | null;
}

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const AUTHENTICATED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const SSL_REQUEST = 80_877_103;

export async function startPooler(url: string, { mode, sessions = 2, order = 'last' }: PoolerOptions) {
  const all: Session[] = [];
  const free: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  const sockets = new Set<Socket>();
  const open = async (): Promise<Session> => {
    const session = await openSession(url);
    all.push(session);
    return session;
  };
  const give = (session: Session): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(session);
    else next(session);
  };
  const take = async (): Promise<Session> => {
    if (mode === 'session') return await open();
    const session = order === 'last' ? free.pop() : free.shift();
    return session ?? (await new Promise((resolve) => waiting.push(resolve)));
  };
  if (mode === 'transaction') for (let n = 0; n < sessions; n += 1) free.push(await open());
  const server = createServer((socket) => {
    sockets.add(socket);
    const client = new PooledClient(socket, take, mode === 'transaction' ? give : null);
    socket.on('data', (bytes: Buffer) => client.receive(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      client.leave();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pooled = new URL(url);
  pooled.port = String((server.address() as AddressInfo).port);
  return {
    /** The URL of the database through the pooler. */
    url: pooled.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const { stream } of all) stream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Connects by `pg`, and takes the bytes from it afterwards. */
async function openSession(url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  const session: Session = { client, stream, owner: null };
  let rest = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    rest = eachMessage(Buffer.concat([rest, bytes]), (message) => session.owner?.answer(message));
  });
  return session;
}

/** Calls `use` with each whole message, of which each begins with its type and its length; returns what is left. */
function eachMessage(bytes: Buffer, use: (message: Buffer) => void): Buffer<ArrayBuffer> {
  let at = 0;
  while (bytes.length - at >= 5) {
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    if (bytes.length < end) break;
    use(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.from(bytes.subarray(at));
}

const typeOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0);

class PooledClient {
  #session: Session | null = null;
  #isStarted = false;
  #rest = Buffer.alloc(0);
  /** Queries without an answer. */
  #unanswered = 0;
  #sending = Promise.resolve();

  constructor(
    private readonly socket: Socket,
    private readonly take: () => Promise<Session>,
    /** Null if a session stays with its client. */
    private readonly give: ((session: Session) => void) | null,
  ) {}

  receive(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (!this.#isStarted && !this.#start()) return;
    this.#rest = eachMessage(this.#rest, (message) => {
      this.#sending = this.#sending.then(() => this.#send(message));
    });
  }

  /** False until the whole startup has arrived. */
  #start(): boolean {
    if (this.#rest.length < 8 || this.#rest.length < this.#rest.readUInt32BE(0)) return false;
    const isSslRequest = this.#rest.readUInt32BE(4) === SSL_REQUEST;
    this.#rest = Buffer.from(this.#rest.subarray(this.#rest.readUInt32BE(0)));
    this.socket.write(isSslRequest ? 'N' : Buffer.concat([AUTHENTICATED, READY]));
    this.#isStarted = !isSslRequest;
    return this.#isStarted;
  }

  async #send(message: Buffer): Promise<void> {
    if (typeOf(message) === 'X') {
      this.socket.end();
      return;
    }
    if (this.#session === null) {
      this.#session = await this.take();
      this.#session.owner = this;
    }
    if ('QS'.includes(typeOf(message))) this.#unanswered += 1;
    this.#session.stream.write(message);
  }

  answer(message: Buffer): void {
    this.socket.write(message);
    if (typeOf(message) !== 'Z') return;
    this.#unanswered -= 1;
    const isIdle = String.fromCharCode(message[5] ?? 0) === 'I';
    if (isIdle && this.#unanswered === 0) this.leave();
  }

  /** Gives the session back for other clients. */
  leave(): void {
    const session = this.#session;
    if (session === null || this.give === null) return;
    this.#session = null;
    session.owner = null;
    this.give(session);
  }
}
