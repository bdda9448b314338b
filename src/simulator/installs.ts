import { SECOND } from '../platform/clock.js';
import type { Behaviour, ListedAsset } from './shared.js';
import type { TerminalParts } from './terminal-http.js';

const ATTEMPTS = 3;
/** Bounds of the delay of a late report, in which the terminal does nothing else. */
const [LATE_FROM, LATE_TO] = [30 * SECOND, 120 * SECOND];
const [APPROVED, APPROVED_LESS] = [0.9, 0.3];

/** Reports of one terminal about its applications, and what it does wrong. */
export class Installs {
  /** Failed attempts by name and CRC. */
  readonly #failed = new Map<string, number>();
  /** The last report by name. */
  readonly #last = new Map<string, string>();
  /** Names of applications under which fewer payments are approved. */
  readonly #sellingLess = new Set<string>();

  /** `send` takes the body of `POST /terminal/v1/installs`. */
  constructor(
    private readonly parts: TerminalParts,
    private readonly send: (body: string) => Promise<void>,
  ) {}

  hasGivenUp(app: ListedAsset): boolean {
    return this.#attempts(app) === ATTEMPTS;
  }

  /** True if the terminal has failed to install a version, and tries again. */
  get areUnfinished(): boolean {
    return [...this.#failed.values()].some((attempts) => attempts < ATTEMPTS);
  }

  async behaviourOf(app: ListedAsset): Promise<Behaviour | null> {
    const { scenario } = this.parts.shared;
    return scenario?.isAbout(app) ? await scenario.behaviourOf(this.parts.serialNumber) : null;
  }

  /** Share of payments that are approved, from 0 to 1. */
  approvedShare(name: string): number {
    return this.#sellingLess.has(name) ? APPROVED_LESS : APPROVED;
  }

  /** Reports what became of a downloaded application; resolves to whether the terminal uses the asset now. */
  async report(app: ListedAsset, behaviour: Behaviour | null): Promise<boolean> {
    const { random, shared } = this.parts;
    const { name, crc, version } = app;
    if (version === undefined) return true;
    if (behaviour === 'fails') {
      const attempt = this.#attempts(app) + 1;
      this.#failed.set(`${name} ${crc}`, attempt);
      shared.stats.count('installs_failed');
      const detail = `simulated, attempt ${attempt}`;
      await this.#send(name, { crc, result: 'failed', code: 'SIGNATURE', detail });
      return false;
    }
    if (behaviour === 'sellsLess') this.#sellingLess.add(name);
    else this.#sellingLess.delete(name);
    shared.stats.count('installs_reported');
    const other = crc === '0000' ? '0001' : '0000';
    const fields = { crc: behaviour === 'wrongCrc' ? other : crc, result: 'installed' };
    if (behaviour === 'late') await shared.work.pause(random.whole(LATE_FROM, LATE_TO));
    await this.#send(name, fields);
    return true;
  }

  /** Sends the last reports again if they went over MQTT, where the server confirms none. */
  async repeat(): Promise<void> {
    if (this.parts.shared.transport.over === 'http') return;
    for (const body of this.#last.values()) await this.send(body);
  }

  #attempts({ name, crc }: ListedAsset): number {
    return this.#failed.get(`${name} ${crc}`) ?? 0;
  }

  async #send(name: string, fields: object): Promise<void> {
    const body = JSON.stringify({ name, ...fields });
    this.#last.set(name, body);
    await this.send(body);
  }
}
