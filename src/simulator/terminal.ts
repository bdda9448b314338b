import { SECOND } from '../platform/clock.js';
import { createRandom } from '../platform/random.js';
import { Downloads } from './downloads.js';
import { RunIsOver, TerminalHttp, type Identity, type Reported } from './http/terminal-http.js';
import { MqttWait, topicsOf } from './mqtt/waiting.js';
import { Confirmations, type SendConfirmation } from './notifications/confirmations.js';
import { waitByPolling, waitByStream } from './notifications/waiting.js';
import { FRAMEWORK_VERSION } from './payments.js';
import type { Shared } from './shared.js';
import type { TerminalParts } from './terminal-parts.js';
import { Transactions } from './transactions.js';

/** Share of terminals that wait with event streams; the others send requests that the server holds. */
const STREAMS = 0.3;
/** After an answer of another form than the documented one. */
const UNEXPECTED_MS = 5 * SECOND;
/** Share of activities that are a report, and a check of all that it has; the others are transactions. */
const [REPORTS, UPDATES] = [0.1, 0.15];
/** A terminal that is more active than this does not look for changes each time: its requests are limited. */
const LOOK_MS = 3 * SECOND;

/** A terminal uses its seed and those after it, so many in all. */
export const SEEDS_PER_TERMINAL = 4;

/** One terminal: its start, what it does, and how it waits for notifications. */
export class SimulatedTerminal {
  readonly serialNumber: string;
  readonly #reported: Reported;
  readonly #parts: TerminalParts;
  readonly #downloads: Downloads;
  readonly #transactions: Transactions;
  #confirmations: Confirmations | null = null;
  #mqtt: MqttWait | null = null;
  #lookedAt = 0;

  /** For what happens at the same time as its activities, so that neither changes the other's choices. */
  readonly #waitingParts: TerminalParts;

  /** The same seed makes the same choices. */
  constructor(identity: Identity, shared: Shared, seed: number) {
    this.serialNumber = identity.serialNumber;
    this.#reported = identity.reported ?? { frameworkVersion: null, meta: { model: 'simulated' } };
    const partsOf = (own: number): TerminalParts => {
      const http = new TerminalHttp(identity, shared, createRandom(own));
      return { shared, http, random: createRandom(own + 1), serialNumber: identity.serialNumber };
    };
    this.#parts = partsOf(seed);
    this.#waitingParts = partsOf(seed + SEEDS_PER_TERMINAL / 2);
    this.#downloads = new Downloads(this.#parts);
    this.#transactions = new Transactions(this.#parts);
  }

  /** Whether the server has let it in, so that notifications reach it. */
  get isConnected(): boolean {
    return this.#confirmations !== null;
  }

  /** Whether what is sent to it now arrives at once: over MQTT, it may have lost its connection to the broker. */
  get isReceiving(): boolean {
    return this.isConnected && this.#mqtt?.isConnected !== false;
  }

  /** Starts, and resolves when its activities have ended; it goes on waiting until the run ends. */
  async run(): Promise<void> {
    await this.#persist(() => this.#start());
    const waiting = this.#confirmations;
    if (waiting === null) return;
    void this.#persist(() => this.#wait(waiting));
    await this.#persist(() => this.#work());
  }

  /** Confirms what it has received, and asks for the last transactions. Errors: `RunIsOver`. */
  async finish(): Promise<void> {
    await this.#confirmations?.finished();
    await this.#transactions.verify();
  }

  end(): void {
    this.#mqtt?.end();
  }

  /** Repeats `use` after errors that are none of the run's end. */
  async #persist(use: () => Promise<void>): Promise<void> {
    const { figures, all } = this.#parts.shared;
    while (!all.hasEnded()) {
      try {
        await use();
        return;
      } catch (error) {
        if (error instanceof RunIsOver) return;
        figures.error(error instanceof Error ? error.message : String(error));
        await all.pause(UNEXPECTED_MS);
      }
    }
  }

  async #start(): Promise<void> {
    if (this.#isOnlyWaiting) await this.#downloads.updateManifest();
    else await this.#downloads.update();
    if (!this.#isOnlyWaiting) await this.#report();
    this.#lookedAt = this.#parts.shared.clock.elapsed();
    this.#confirmations = new Confirmations(this.#waitingParts, this.#sender());
  }

  get #isOnlyWaiting(): boolean {
    return this.#parts.shared.everyMs === 0;
  }

  /** Empty before the first manifest. */
  get logicalNumber(): string {
    return this.#downloads.manifest?.logical_number ?? '';
  }

  /** As the terminal knows it, without the company before the first underscore. */
  get #appName(): string {
    const [app] = this.#downloads.manifest?.apps ?? [];
    return app?.name.replace(/^[^_]*_/, '') ?? 'sale.posxml';
  }

  #sender(): SendConfirmation {
    const { http, shared } = this.#waitingParts;
    const { transport } = shared;
    if (transport.over === 'mqtt') {
      const topics = topicsOf(transport.companyId, this.logicalNumber);
      const mqtt = new MqttWait(transport.broker, topics, this.#waitingParts);
      this.#mqtt = mqtt;
      return (body) => mqtt.confirm(body);
    }
    return async (body) => {
      const headers = { 'content-type': 'application/json' };
      await http.ask({ method: 'POST', path: '/terminal/v1/notifications/confirm', headers, body });
    };
  }

  async #wait(confirmations: Confirmations): Promise<void> {
    const { random, shared } = this.#waitingParts;
    if (shared.transport.over === 'mqtt') {
      await this.#mqtt?.receive(confirmations);
    } else if (random.chance(STREAMS)) {
      await waitByStream(this.#waitingParts, confirmations);
    } else {
      await waitByPolling(this.#waitingParts, confirmations);
    }
  }

  async #work(): Promise<void> {
    const { random, shared } = this.#parts;
    if (this.#isOnlyWaiting) return;
    for (;;) {
      await shared.work.pause(random.whole(0, 2 * shared.everyMs));
      if (shared.work.hasEnded()) return;
      await this.#lookForChanges();
      const share = random.whole(0, 999) / 1_000;
      if (share < REPORTS) await this.#report();
      else if (share < REPORTS + UPDATES) await this.#downloads.update();
      else await this.#transactions.record({ logicalNumber: this.logicalNumber, appName: this.#appName });
    }
  }

  /** Before each activity, so that a version that is granted is downloaded after about `2 * everyMs` at most. */
  async #lookForChanges(): Promise<void> {
    const now = this.#parts.shared.clock.elapsed();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    await this.#downloads.updateIfChanged();
  }

  async #report(): Promise<void> {
    const { http, random, shared } = this.#parts;
    const { frameworkVersion, meta } = this.#reported;
    const body = JSON.stringify({
      framework_version: frameworkVersion ?? FRAMEWORK_VERSION,
      meta: { ...meta, battery_level: String(random.whole(5, 100)) },
    });
    const headers = { 'content-type': 'application/json' };
    await http.ask({ method: 'POST', path: '/terminal/v1/report', headers, body });
    shared.figures.count('reports');
  }
}
