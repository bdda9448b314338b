import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { NoAnswer, type Ask, type HttpClient, type Reply } from './http-client.js';
import type { Pauses } from './shared.js';
import type { Identity } from './terminal-http.js';

/** The server has refused what the run needs, for example a token without the scope `read`. */
export class SimulationRefused extends Error {}

const PAUSE_MS = SECOND;

/** An answer of GraphQL; errors that pass say when to try again. */
const Answer = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z.object({ retryAfter: z.number().optional() }).optional(),
      }),
    )
    .optional(),
});

/** Requests to the APIs for people and back offices, with one token. */
export class Api {
  constructor(
    private readonly client: HttpClient,
    readonly token: string,
    private readonly all: Pauses,
    private readonly attempts = 60,
  ) {}

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

  async graphql(query: string, variables: object, headers = {}): Promise<unknown> {
    const body = JSON.stringify({ query, variables });
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.ask({ method: 'POST', path: '/graphql', headers, body });
      const { data, errors } = Answer.parse(JSON.parse(reply.body.toString()));
      if (errors === undefined) return data;
      const isPassing = errors.every(({ extensions }) => extensions?.retryAfter !== undefined);
      if (!isPassing || attempt === this.attempts || this.all.hasEnded())
        throw new SimulationRefused(`/graphql: ${JSON.stringify(errors).slice(0, 300)}`);
      await this.all.pause(PAUSE_MS);
    }
  }
}

/** Terminals of the company that may use the service, one of each logical number. */
export interface Fleet {
  readonly terminals: readonly Identity[];
  readonly groupId: number | null;
}

const PAGE = 100;

const GROUP = `query ($name: String!) { groups(first: 1, filter: { name: { eq: $name } }) { nodes { id databaseId } } }`;
const NUMBERS = `query ($filter: LogicalNumberFilter, $after: String) {
  logicalNumbers(first: ${PAGE}, after: $after, filter: $filter) {
    nodes { devices(first: 1, filter: { enabled: { eq: true } }) { nodes { serialNumber frameworkVersion meta } } }
    pageInfo { hasNextPage endCursor } } }`;
const COMPANY = '{ viewer { company { databaseId } } }';

const nodes = <T extends z.ZodType>(node: T) => z.object({ nodes: z.array(node) });
const Device = z.object({
  serialNumber: z.string(),
  frameworkVersion: z.string().nullable(),
  meta: z.record(z.string(), z.string()),
});
const Groups = z.object({ groups: nodes(z.object({ id: z.string(), databaseId: z.int() })) });
const Numbers = z.object({
  logicalNumbers: nodes(z.object({ devices: nodes(Device) })).extend({
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
});
const OwnCompany = z.object({ viewer: z.object({ company: z.object({ databaseId: z.int() }).nullable() }) });

/** The number of the company, which is part of the topics of its terminals. Errors: `SimulationRefused`. */
export async function findCompany(api: Api): Promise<string> {
  const { viewer } = OwnCompany.parse(await api.graphql(COMPANY, {}));
  if (viewer.company === null) throw new SimulationRefused('The token is of no company.');
  return String(viewer.company.databaseId);
}

/** At most `count` terminals, of one group if it is named. Errors: `SimulationRefused`. */
export async function findFleet(api: Api, count: number, groupName?: string): Promise<Fleet> {
  const group = groupName === undefined ? null : await findGroup(api, groupName);
  const filter = group === null ? null : { groupId: { eq: group.id } };
  const terminals: Identity[] = [];
  for (let after: string | null = null; terminals.length < count;) {
    const { logicalNumbers } = Numbers.parse(await api.graphql(NUMBERS, { filter, after }));
    for (const { serialNumber, ...reported } of logicalNumbers.nodes.flatMap((each) => each.devices.nodes)) {
      terminals.push({ serialNumber, reported, token: api.token, isNamed: true });
    }
    after = logicalNumbers.pageInfo.endCursor;
    if (!logicalNumbers.pageInfo.hasNextPage) break;
  }
  return { terminals: terminals.slice(0, count), groupId: group?.databaseId ?? null };
}

/** Errors: `SimulationRefused` if there is none. */
export async function findGroup(api: Api, name: string) {
  const [group] = Groups.parse(await api.graphql(GROUP, { name })).groups.nodes;
  if (group === undefined) throw new SimulationRefused(`There is no group ${name}.`);
  return group;
}
