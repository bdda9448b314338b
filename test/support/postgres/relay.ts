import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Passes connections on to PostgreSQL; may keep answers back, be silent, or refuse connections. */
export class Relay {
  /** How often something was sent after something was received. */
  trips = 0;
  /** While it is set, answers of PostgreSQL are kept back until the promise resolves. */
  held: Promise<void> | null = null;
  isSilent = false;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#connect(near));
  #port = 0;

  constructor(private readonly target: string) {}

  /** Accepts connections, always at the same port; resolves to the URL of the database through it. */
  async start(): Promise<string> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  /** Refuses connections, and ends those that are open. */
  stop(): void {
    this.#server.close();
    this.cut();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #connect(near: Socket): void {
    const { hostname, port } = new URL(this.target);
    const far = connect(Number(port), hostname);
    let wasAnswered = true;
    near.on('data', (sent: Buffer) => {
      if (wasAnswered) this.trips += 1;
      wasAnswered = false;
      if (!this.isSilent) far.write(sent);
    });
    far.on('data', (answer: Buffer) => {
      void (this.held ?? Promise.resolve()).then(() => {
        wasAnswered = true;
        if (!this.isSilent) near.write(answer);
      });
    });
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  }
}
