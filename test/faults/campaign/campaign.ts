import { createSchema } from '../../../src/app/graphql/schema.js';
import { createRandom, type Random } from '../../../src/platform/random.js';
import { SCOPES } from '../../../src/platform/requests.js';
import { readGauges } from '../../support/gauges.js';
import { problemsOf, type Problem, type Secrets } from './checks.js';
import { Companies, type Sender } from './companies.js';
import type { Known } from './records.js';
import type { Attempt, Surface } from './requests/attempt.js';
import { GraphqlRequests } from './requests/graphql-requests.js';
import { withOddHttp } from './requests/http-oddities.js';
import { RestRequests } from './requests/rest-requests.js';
import { OddValues } from './requests/values.js';
import { asAttempt, nextSession, runSession } from './sockets.js';
import { startTarget, type Target } from './target.js';
import { sendAttempt } from './wire.js';

export interface CampaignOptions {
  /** Path of a database that does not exist yet. */
  readonly file: string;
  readonly seed: number;
  /** The campaign ends after so many milliseconds, or so many bursts of 240 requests. */
  readonly milliseconds?: number;
  readonly bursts?: number;
  readonly onProgress?: (result: CampaignResult) => void;
}

export interface Finding extends Problem {
  /** The request that showed it; null for what no single request shows. */
  readonly attempt: Attempt | null;
}

export type CampaignResult = Campaign['result'];

const BURST = 240;
const SESSIONS = 6;
const CONNECTIONS = 8;
const RENEW_EVERY = 4;
const SHOWN_OF_KIND = 3;
const HEALTH_MS = 500;
const HEALTH_PATIENCE_MS = 5_000;
const MAX_MEMORY_MB = 900;

/** Attacks a server of two companies with mutated requests until its end. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const companies = await Companies.create(options.file);
  await companies.renew();
  const campaign = new Campaign(options, companies, await createSchema());
  return await campaign.run();
}

class Campaign {
  readonly #random: Random;
  readonly #odd: OddValues;
  readonly #rest: RestRequests;
  readonly #graphql: GraphqlRequests;
  readonly #secrets: Secrets;
  readonly #responses: Record<Surface, Record<string, number>> = {
    REST: {},
    GraphQL: {},
    streams: {},
    sockets: {},
  };
  readonly #findings: Finding[] = [];
  readonly #kinds: Record<string, number> = {};
  readonly #memory: number[] = [];
  #tokens: string[] = [];

  constructor(
    private readonly options: CampaignOptions,
    private readonly companies: Companies,
    schema: Awaited<ReturnType<typeof createSchema>>,
  ) {
    const known = (company: 0 | 1): Known => companies.known(company);
    const ids = (): readonly number[] =>
      [known(0), known(1)].flatMap((each) => Object.values(each.ids).flat());
    this.#random = createRandom(options.seed);
    this.#odd = new OddValues(this.#random, ids);
    this.#rest = new RestRequests(this.#random, this.#odd, known);
    this.#graphql = new GraphqlRequests(schema, this.#random, this.#odd, known);
    this.#secrets = { tokens: () => this.#tokens, cards: this.#odd.cards };
    this.#tokens = this.#knownTokens();
  }

  #knownTokens(): string[] {
    return this.companies.senders.flatMap(({ token, company }) =>
      token === null || company === null ? [] : [token],
    );
  }

  get result() {
    return {
      seed: this.options.seed,
      /** By surface and class: `2xx`, or `none` if the connection ended without one. */
      responses: this.#responses,
      /** The first findings of each kind. */
      findings: this.#findings,
      /** All findings by kind. */
      kinds: this.#kinds,
      /** Resident memory after each burst, in MB. */
      memory: this.#memory,
    };
  }

  async run(): Promise<CampaignResult> {
    const target = await startTarget(this.options.file, this.#secrets, (problem) =>
      this.#found(problem, null),
    );
    const health = setInterval(() => void this.#requireHealth(target), HEALTH_MS);
    const { milliseconds = Infinity, bursts = Infinity } = this.options;
    const end = performance.now() + milliseconds;
    try {
      for (let burst = 0; burst < bursts && performance.now() < end && target.end() === null; burst += 1) {
        if (burst % RENEW_EVERY === RENEW_EVERY - 1) await this.#renew();
        await this.#burst(target, burst % 2 === 0 ? 0 : 1, end);
        this.options.onProgress?.(this.result);
      }
      if (target.end() !== null) this.#found({ kind: 'the process ended', detail: target.end() ?? '' }, null);
    } finally {
      clearInterval(health);
      await target.stop();
    }
    this.#requireFlatMemory();
    return this.result;
  }

  async #renew(): Promise<void> {
    await this.companies.renew();
    this.#tokens = [...this.#tokens.slice(-50), ...this.#knownTokens()];
  }

  /** Requests of one company, and of nobody: the other company must be as it was. */
  async #burst(target: Target, company: 0 | 1, end: number): Promise<void> {
    const other = company === 0 ? 1 : 0;
    const senders = this.companies.senders.filter((sender) => sender.company !== other);
    const before = this.companies.digest(other);
    let left = BURST;
    const work = async (): Promise<void> => {
      while (left > 0 && target.end() === null && performance.now() < end) {
        left -= 1;
        const attempt = this.#next(this.#pickSender(senders));
        for (const problem of await this.#try(target, attempt)) this.#found(problem, attempt);
      }
    };
    await Promise.all([...Array.from({ length: CONNECTIONS }, work), this.#sessions(target, senders)]);
    if (target.end() !== null) return;
    if (this.companies.digest(other) !== before) {
      this.#found(
        { kind: 'records of the other company changed', detail: `by requests of company ${company + 1}` },
        null,
      );
    }
    this.#memory.push((await readGauges(target.url)).memory);
  }

  /** Mostly those who may do everything: most other requests end with 401 and 403. */
  #pickSender(senders: readonly Sender[]): Sender {
    const able = senders.filter(({ label }) => label.endsWith(`admin ${SCOPES.join()}`));
    return this.#random.pick(this.#random.chance(0.6) ? able : senders);
  }

  #next(sender: Sender): Attempt {
    const random = this.#random;
    const attempt = random.chance(0.5) ? this.#rest.next(sender) : this.#graphql.next(sender);
    return withOddHttp(random, attempt);
  }

  async #try(target: Target, attempt: Attempt): Promise<readonly Problem[]> {
    const received = await sendAttempt(target.url, attempt);
    const answers = received.answers.map(({ status }) => `${Math.floor(status / 100)}xx`);
    for (const kind of answers.length === 0 ? ['none'] : answers) this.#count(attempt.surface, kind);
    return problemsOf(attempt, received, this.#secrets);
  }

  #count(surface: Surface, kind: string): void {
    const counts = this.#responses[surface];
    counts[kind] = (counts[kind] ?? 0) + 1;
  }

  async #sessions(target: Target, senders: readonly Sender[]): Promise<void> {
    const sessions = Array.from({ length: SESSIONS }, () =>
      nextSession(this.#random, this.#odd, this.#graphql, this.#pickSender(senders)),
    );
    for (const session of sessions) {
      if (target.end() !== null) return;
      const { received, problems } = await runSession(target.url, session, this.#secrets);
      this.#count('sockets', received > 0 ? '2xx' : 'none');
      for (const problem of problems) this.#found(problem, asAttempt(session));
    }
  }

  #found(problem: Problem, attempt: Attempt | null): void {
    this.#kinds[problem.kind] = (this.#kinds[problem.kind] ?? 0) + 1;
    const shown = this.#findings.filter(({ kind }) => kind === problem.kind).length;
    if (shown < SHOWN_OF_KIND) this.#findings.push({ ...problem, attempt });
  }

  async #requireHealth(target: Target): Promise<void> {
    if (target.end() !== null) return;
    const options = { signal: AbortSignal.timeout(HEALTH_PATIENCE_MS) };
    const status = await fetch(`${target.url}/healthz`, options).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 0,
    );
    if (status !== 200) this.#found({ kind: 'a health check without 200', detail: String(status) }, null);
  }

  /** Memory may grow with caches at first, and with the database. */
  #requireFlatMemory(): void {
    const highest = Math.max(0, ...this.#memory);
    if (highest > MAX_MEMORY_MB) this.#found({ kind: 'memory is not flat', detail: `${highest} MB` }, null);
    const fifth = Math.floor(this.#memory.length / 5);
    if (fifth < 5) return;
    const median = (part: readonly number[]): number =>
      [...part].sort((a, b) => a - b)[part.length >> 1] ?? 0;
    const [early, late] = [median(this.#memory.slice(fifth, 2 * fifth)), median(this.#memory.slice(-fifth))];
    if (late > early * 1.5 + 64) {
      this.#found({ kind: 'memory is not flat', detail: `${early} MB early, ${late} MB at the end` }, null);
    }
  }
}
