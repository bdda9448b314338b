import { SECOND } from '../platform/clock.js';
import { createRandom } from '../platform/random.js';
import { Commands } from './commands.js';
import { Downloads } from './downloads.js';
import { Confirmations } from './inbox.js';
import { Installs } from './installs.js';
import { sendLog } from './logs.js';
import { MqttWait } from './mqtt-waiting.js';
import { appNameOf, type Shared } from './shared.js';
import * as access from './terminal-http.js';
import { FRAMEWORK_VERSION, Transactions, type At } from './transactions.js';
import { HttpWait } from './waiting.js';

/** Pause after an answer that does not have the documented form. */
const UNEXPECTED_MS = 5 * SECOND;
/** Shares of activities that are a report, and a full update; the others are transactions. */
const [REPORTS, UPDATES] = [0.1, 0.15];
/** Share of terminals that send a log when they start. */
const LOGS = 0.3;
/** Minimum time between checks for changes: requests of a terminal are limited. */
const LOOK_MS = 3 * SECOND;
/** Share of new tokens whose answer is lost. */
const LOST = 0.2;

/** Seeds per terminal: it uses its own and the following ones. */
export const SEEDS_PER_TERMINAL = 4;

/** One terminal: its start, what it does, and how it waits for notifications. */
export class SimulatedTerminal {
  readonly serialNumber: string;
  readonly #reported: access.Reported;
  readonly #parts: access.TerminalParts;
  readonly #installs: Installs;
  readonly #downloads: Downloads;
  readonly #transactions: Transactions;
  #confirmations: Confirmations | null = null;
  #lookedAt = 0;
  /** When it was started last, as it reports. */
  #startedAt: Date;
  /** Activities and commands follow each other. */
  #doing: Promise<unknown> = Promise.resolve();
  /** When the token is renewed next; infinite for terminals that keep theirs. */
  #renewAt = Infinity;

  /** Parts for waiting. Their random numbers are independent of those for activities. */
  readonly #waitingParts: access.TerminalParts;

  /** `seed` determines all random choices of the terminal. */
  constructor(
    identity: access.Identity,
    shared: Shared,
    private readonly seed: number,
  ) {
    this.serialNumber = identity.serialNumber;
    this.#reported = identity.reported ?? { frameworkVersion: null, meta: { model: 'simulated' } };
    const partsOf = (own: number): access.TerminalParts => {
      const http = new access.TerminalHttp(identity, shared, createRandom(own));
      return { shared, http, random: createRandom(own + 1), serialNumber: identity.serialNumber };
    };
    this.#parts = partsOf(seed);
    this.#waitingParts = partsOf(seed + SEEDS_PER_TERMINAL / 2);
    this.#installs = new Installs(this.#parts, (body) => this.#sendInstall(body));
    this.#downloads = new Downloads(this.#parts, this.#installs);
    this.#transactions = new Transactions(this.#parts);
    this.#startedAt = shared.clock.now();
  }

  /** True if the server has admitted the terminal, so that it can receive notifications. */
  get isConnected(): boolean {
    return this.#confirmations !== null;
  }

  /** True if a notification sent now would arrive at once. Over MQTT, the broker connection may be lost. */
  get isReceiving(): boolean {
    return this.#confirmations?.wait.isConnected === true;
  }

  /** Runs the terminal. Resolves when its activities end; notifications are received until the run ends. */
  async run(): Promise<void> {
    await this.#persist(() => this.#start());
    const confirmations = this.#confirmations;
    if (confirmations === null) return;
    void this.#persist(() => confirmations.wait.receive(confirmations));
    await this.#persist(() => this.#work());
  }

  /** Confirms received notifications and verifies the last transactions. Errors: `RunIsOver`. */
  async finish(): Promise<void> {
    await this.#confirmations?.finished();
    await this.#transactions.verify();
  }

  end(): void {
    this.#confirmations?.wait.end();
  }

  /** Repeats `use` after any error except the end of the run. */
  async #persist(use: () => Promise<void>): Promise<void> {
    const { stats, all } = this.#parts.shared;
    while (!all.hasEnded()) {
      try {
        await use();
        return;
      } catch (error) {
        if (error instanceof access.RunIsOver) return;
        stats.error(error instanceof Error ? error.message : String(error));
        await all.pause(UNEXPECTED_MS);
      }
    }
  }

  async #start(): Promise<void> {
    if (this.#isOnlyWaiting) await this.#downloads.updateManifest();
    else await this.#downloads.update();
    if (!this.#isOnlyWaiting) await this.#report();
    if (!this.#isOnlyWaiting) await this.#sendLog();
    this.#lookedAt = this.#parts.shared.clock.elapsed();
    const { transport } = this.#parts.shared;
    const wait =
      transport.over === 'mqtt'
        ? new MqttWait(transport, this.logicalNumber, this.#waitingParts)
        : new HttpWait(this.#waitingParts);
    const commands = new Commands(this.#waitingParts, {
      update: () => this.#alone(() => this.#downloads.update()),
      restart: () => this.#alone(() => this.#restart()),
    });
    this.#confirmations = new Confirmations(this.#waitingParts, wait, (command, receivedAt) =>
      commands.take(command, receivedAt),
    );
  }

  /** With random numbers of its own, so that other choices do not depend on it. */
  async #sendLog(): Promise<void> {
    const random = createRandom(this.seed);
    if (random.chance(LOGS)) await sendLog({ ...this.#parts, random });
  }

  get #isOnlyWaiting(): boolean {
    return this.#parts.shared.everyMs === 0;
  }

  /** Logical number in the manifest; empty before the first manifest. */
  get logicalNumber(): string {
    return this.#downloads.manifest?.logical_number ?? '';
  }

  /** The application that it sells with: one of the scenario, or the first one. */
  get #at(): At {
    const { apps = [] } = this.#downloads.manifest ?? {};
    const app = apps.find((each) => this.#parts.shared.scenario?.isAbout(each)) ?? apps[0];
    return {
      logicalNumber: this.logicalNumber,
      appName: app === undefined ? 'sale.posxml' : appNameOf(app),
      approvedShare: this.#installs.approvedShare(app?.name ?? ''),
    };
  }

  async #work(): Promise<void> {
    const { random, shared } = this.#parts;
    if (this.#isOnlyWaiting) return;
    this.#planRenewal();
    for (;;) {
      await shared.work.pause(random.whole(0, 2 * shared.everyMs));
      if (shared.work.hasEnded()) return;
      await this.#alone(() => this.#act());
    }
  }

  async #act(): Promise<void> {
    await this.#renewWhenDue();
    await this.#installs.repeat();
    await this.#lookForChanges();
    const share = this.#parts.random.whole(0, 999) / 1_000;
    if (share < REPORTS) await this.#report();
    else if (share < REPORTS + UPDATES) await this.#downloads.update();
    else await this.#transactions.record(this.#at);
  }

  /** Calls `use` when nothing else is done. */
  async #alone(use: () => Promise<void>): Promise<void> {
    const done = this.#doing.then(use);
    this.#doing = done.catch(() => undefined);
    await done;
  }

  /** Ends what it does, starts again, and reports when. */
  async #restart(): Promise<void> {
    await this.#parts.shared.work.pause(this.#parts.random.whole(1, 3) * SECOND);
    this.#startedAt = this.#parts.shared.clock.now();
    await this.#report();
  }

  #planRenewal(): void {
    const { random, shared } = this.#parts;
    if (shared.renewEveryMs === null) return;
    this.#renewAt = shared.clock.elapsed() + random.whole(0, 2 * shared.renewEveryMs);
  }

  async #renewWhenDue(): Promise<void> {
    const { http, random, shared } = this.#parts;
    if (shared.clock.elapsed() < this.#renewAt) return;
    this.#planRenewal();
    await http.renewToken(shared.hasFaults && random.chance(LOST));
  }

  /** Checks for changes before an activity: a granted version is downloaded within about `2 * everyMs`. */
  async #lookForChanges(): Promise<void> {
    const now = this.#parts.shared.clock.elapsed();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    await this.#downloads.updateIfChanged();
  }

  /** Over MQTT if the broker is connected: the terminal waits for no answer then. */
  async #sendInstall(body: string): Promise<void> {
    const { http, shared } = this.#parts;
    const confirmations = shared.transport.over === 'mqtt' && this.isReceiving ? this.#confirmations : null;
    if (confirmations === null) await http.post('/terminal/v1/installs', body);
    else void confirmations.wait.confirm(`{"type":"install",${body.slice(1)}`).catch(() => undefined);
  }

  async #report(): Promise<void> {
    const { http, random, shared } = this.#parts;
    const { frameworkVersion, meta } = this.#reported;
    const body = JSON.stringify({
      framework_version: frameworkVersion ?? FRAMEWORK_VERSION,
      meta: {
        ...meta,
        battery_level: String(random.whole(5, 100)),
        started_at: this.#startedAt.toISOString(),
      },
    });
    await http.post('/terminal/v1/report', body);
    shared.stats.count('reports');
  }
}
