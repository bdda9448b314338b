import { SECOND } from '../platform/clock.js';
import type { Ask, HttpClient, Reply } from './http-client.js';
import { NoAnswer } from './http-client.js';
import type { Pauses } from './pauses.js';

/** The server has refused what the run needs, for example a token without the scope `read`. */
export class SimulationRefused extends Error {}

const PAUSE_MS = SECOND;

/** Requests to the APIs for people and back offices, with one token. */
export class Api {
  constructor(
    private readonly client: HttpClient,
    private readonly token: string,
    private readonly all: Pauses,
    private readonly attempts = 60,
  ) {}

  /** Repeats the request while the server cannot be reached or is busy. Errors: `SimulationRefused`. */
  async ask(ask: Ask): Promise<Reply> {
    let problem = '';
    for (let attempt = 1; attempt <= this.attempts && !this.all.hasEnded(); attempt += 1) {
      try {
        const headers = {
          'content-type': 'application/json',
          authorization: `Bearer ${this.token}`,
          ...ask.headers,
        };
        const reply = await this.client.ask({ ...ask, headers });
        if (reply.status < 400) return reply;
        problem = `${ask.path}: status ${reply.status}: ${reply.body.toString().slice(0, 300)}`;
        if (reply.status < 500 && reply.status !== 429) throw new SimulationRefused(problem);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        problem = error.message;
      }
      await this.all.pause(PAUSE_MS);
    }
    throw new SimulationRefused(problem);
  }

  /** Resolves to `data`. Errors: `SimulationRefused`. */
  async graphql(query: string, variables: object): Promise<unknown> {
    const body = JSON.stringify({ query, variables });
    const reply = await this.ask({ method: 'POST', path: '/graphql', body });
    const { data, errors } = JSON.parse(reply.body.toString()) as { data?: unknown; errors?: unknown };
    if (errors !== undefined)
      throw new SimulationRefused(`/graphql: ${JSON.stringify(errors).slice(0, 300)}`);
    return data;
  }
}
