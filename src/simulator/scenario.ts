import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { createRandom } from '../platform/random.js';
import { checked, isObject, type PlacedProblem } from '../platform/validate.js';
import { Api, findGroup, SimulationRefused } from './api.js';
import { WantedFault } from './commands.js';
import { appNameOf, BEHAVIOURS, drawSome, type Behaviour, type ListedAsset, type Shared } from './shared.js';

const wave = z.int().min(1);
const percent = z.number().min(0).max(100);

/** A rollout, behaviours of terminals that get its versions, and the expected end. */
const RolloutScenario = z.strictObject({
  rollout: z.strictObject({
    name: z.string(),
    versions: z.array(z.strictObject({ app: z.string(), number: z.string() })).min(1),
    /** Waves and conditions as in `RolloutCreateInput`. */
    waves: z.array(z.unknown()),
    stopWhen: z.unknown().optional(),
  }),
  /** Percent of the terminals of a wave, rounded up; each behaves badly in one way at most. */
  terminals: z.array(z.strictObject({ wave, behaviour: z.enum(BEHAVIOURS), percent })),
  expect: z.strictObject({ stopsInWave: wave, undo: z.boolean().default(false) }),
});
type RolloutScenario = z.output<typeof RolloutScenario>;

const commands = z.array(WantedFault).min(1);
const WithRollout = RolloutScenario.extend({ commands: commands.optional() });
const WithoutRollout = z.strictObject({ commands });

const VERSION = `query ($app: String!, $number: String!) { apps(first: 1, filter: { name: { eq: $app } }) {
  nodes { versions(first: 1, filter: { number: { eq: $number } }) { nodes { id } } } } }`;
const CREATE = `mutation ($input: RolloutCreateInput!, $target: AppVersionGrantTargetInput!) {
  result: rolloutCreate(input: $input, target: $target) { rollout { id } userErrors { path message } } }`;
const UNDO =
  'mutation ($id: ID!) { result: rolloutUndo(id: $id) { rollout { id } userErrors { path message } } }';
const ROLLOUT = `query ($id: ID!) { rollout(id: $id) {
  state stoppedBecause job { state } waves { state size proven failed } } }`;
const ONLINE = `query ($filter: DeviceFilter) { devices(first: 0, filter: $filter) { totalCount } }`;
const TERMINALS = `query ($id: ID!, $after: String) { rollout(id: $id) { terminals(first: 100, after: $after) {
  nodes { wave obstacle grantedAt undoneAt device { serialNumber } } pageInfo { hasNextPage endCursor } } } }`;

type Nodes<T> = Readonly<{ nodes: readonly T[] }>;
type Versions = Readonly<{ apps: Nodes<{ versions: Nodes<{ id: string }> }> }>;
type UserError = Pick<PlacedProblem, 'path' | 'message'>;
type Changed = Readonly<{ result: { rollout: { id: string } | null; userErrors: readonly UserError[] } }>;
type Page = Readonly<{ nodes: readonly Terminal[]; pageInfo: { hasNextPage: boolean; endCursor: string } }>;

type Rollout = Readonly<{
  state: string;
  stoppedBecause: string | null;
  job: { state: string } | null;
  waves: readonly Readonly<{ state: string; size: number; proven: number; failed: number }>[];
}>;
interface Terminal extends Readonly<Record<'obstacle' | 'grantedAt' | 'undoneAt', string | null>> {
  readonly wave: number;
  readonly device: { readonly serialNumber: string } | null;
}

const LOOK_MS = SECOND;
/** The server stores within seconds that it has seen a terminal. */
const MAX_LOOKS_FOR_SEEN = 30;
/** Longer than the time between two looks of the server, after which a rollout that has not stopped would go on. */
const AFTERWARDS_MS = 6 * SECOND;

type ScenarioOptions = Readonly<{ token: string; seed: number; group: string | undefined }>;

/** A rollout during which some terminals behave badly. */
export class Scenario {
  #chosen: PromiseWithResolvers<ReadonlyMap<string, Behaviour>> | null = null;

  /** `token` has the scopes `read` and `write`; all terminals are the target unless a group is named. */
  constructor(
    private readonly file: RolloutScenario,
    private readonly options: ScenarioOptions,
  ) {}

  isAbout(app: ListedAsset): boolean {
    const { versions } = this.file.rollout;
    return versions.some((each) => each.app === appNameOf(app) && each.number === app.version);
  }

  /** Waits until the terminals of the rollout have been drawn, once it is about to be created. */
  async behaviourOf(serialNumber: string): Promise<Behaviour | null> {
    return (await this.#chosen?.promise)?.get(serialNumber) ?? null;
  }

  /** Runs until the rollout has stopped or ended, and is undone, or until `work` ends. Errors: `SimulationRefused`. */
  async run({ client, work, all }: Pick<Shared, 'client' | 'work' | 'all'>, simulated: number) {
    const { token, group: name, seed } = this.options;
    const api = new Api(client, token, all);
    const group = name === undefined ? null : await findGroup(api, name);
    await seen(api, work, simulated, group?.id);
    const chosen = Promise.withResolvers<ReadonlyMap<string, Behaviour>>();
    this.#chosen = chosen;
    try {
      const id = await this.#create(api, group?.id);
      const look = async () => (await asked<{ rollout: Rollout }>(api, ROLLOUT, { id })).rollout;
      let rollout = await look();
      const until = async (isReached: () => boolean): Promise<void> => {
        while (!isReached() && !work.hasEnded()) {
          await work.pause(LOOK_MS);
          rollout = await look();
        }
      };
      await until(() => rollout.state !== 'PLANNED');
      chosen.resolve(chosenOf(await terminalsOf(api, id), this.file.terminals, seed));
      await until(() => !['RUNNING', 'PAUSED'].includes(rollout.state));
      if (rollout.state === 'STOPPED_BY_FAILURES') await work.pause(AFTERWARDS_MS);
      rollout = await look();
      // An undo changes what is known of the versions.
      const { stoppedBecause, waves } = rollout;
      if (this.file.expect.undo && rollout.state === 'STOPPED_BY_FAILURES') {
        await changed(api, UNDO, { id });
        await until(() => rollout.state === 'UNDONE' && rollout.job?.state === 'DONE');
      }
      return resultOf({ ...rollout, stoppedBecause, waves }, await terminalsOf(api, id), this.file.expect);
    } finally {
      chosen.resolve(new Map());
    }
  }

  async #create(api: Api, groupId: string | undefined): Promise<string> {
    const { versions, ...fields } = this.file.rollout;
    const appVersionIds: string[] = [];
    for (const version of versions) {
      const { apps } = await asked<Versions>(api, VERSION, version);
      const found = apps.nodes[0]?.versions.nodes[0];
      if (found === undefined)
        throw new SimulationRefused(`There is no version ${version.number} of ${version.app}.`);
      appVersionIds.push(found.id);
    }
    const target = groupId === undefined ? { all: true } : { groupId };
    return await changed(api, CREATE, { input: { ...fields, appVersionIds }, target });
  }
}

/** A file of `simulate --scenario`: of a rollout, of faults with commands, or of both. Lists what is wrong with it. */
export function readScenario(document: unknown, options: ScenarioOptions) {
  const hasNoRollout = isObject(document) && 'commands' in document && !('rollout' in document);
  const { data, problems } = checked(hasNoRollout ? WithoutRollout : WithRollout, document);
  const scenario = data && 'rollout' in data ? new Scenario(data, options) : null;
  return { scenario, wantedFaults: data?.commands ?? null, problems };
}

const asked = async <T>(api: Api, query: string, variables: object, headers = {}): Promise<T> =>
  (await api.graphql(query, variables, headers)) as T;

/** Runs a mutation, once however often it is sent; resolves to the id of the rollout. Errors: `SimulationRefused`. */
async function changed(api: Api, query: string, variables: object): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const { result } = await asked<Changed>(api, query, variables, key);
  const errors = result.userErrors.map(({ path, message }) => `${path.join('.')} ${message}`);
  if (result.rollout === null) throw new SimulationRefused(`The rollout was refused: ${errors.join('; ')}`);
  return result.rollout.id;
}

/** Waits until the server has seen so many terminals: a rollout leaves out those that were silent for a week. */
async function seen(api: Api, work: Shared['work'], simulated: number, groupId?: string): Promise<void> {
  const filter = { presence: { eq: 'ONLINE' }, ...(groupId !== undefined && { group: { eq: groupId } }) };
  for (let look = 0; look < MAX_LOOKS_FOR_SEEN && !work.hasEnded(); look += 1) {
    const { devices } = await asked<{ devices: { totalCount: number } }>(api, ONLINE, { filter });
    if (devices.totalCount >= simulated) return;
    await work.pause(LOOK_MS);
  }
}

async function terminalsOf(api: Api, id: string): Promise<readonly Terminal[]> {
  const all: Terminal[] = [];
  for (let after: string | null = null; ;) {
    const page: { rollout: { terminals: Page } } = await asked(api, TERMINALS, { id, after });
    const { nodes, pageInfo } = page.rollout.terminals;
    all.push(...nodes);
    if (!pageInfo.hasNextPage) return all;
    after = pageInfo.endCursor;
  }
}

/** How terminals behave, by serial numbers: the same seed and the same draw make the same choices. */
function chosenOf(drawn: readonly Terminal[], wanted: RolloutScenario['terminals'], seed: number) {
  const random = createRandom(seed);
  const chosen = new Map<string, Behaviour>();
  for (const { wave: number, behaviour, percent: share } of wanted) {
    const own = drawn.filter((each) => each.wave === number && each.obstacle === null);
    const serials = own.flatMap(({ device }) => device?.serialNumber ?? []).toSorted();
    const free = serials.filter((each) => !chosen.has(each));
    for (const serial of drawSome(random, free, (own.length * share) / 100)) chosen.set(serial, behaviour);
  }
  return chosen;
}

/** The end of a rollout; `problems` are sentences about all that is not as expected. */
function resultOf(rollout: Rollout, terminals: readonly Terminal[], expected: RolloutScenario['expect']) {
  const state = expected.undo ? 'UNDONE' : 'STOPPED_BY_FAILURES';
  const last = rollout.waves.filter((each) => each.state !== 'WAITING').length;
  const granted = terminals.filter(({ grantedAt }) => grantedAt !== null);
  const waves = rollout.waves.map(({ size, proven, failed }, index) => {
    const own = granted.filter((each) => each.wave === index + 1);
    const undone = own.filter(({ undoneAt }) => undoneAt !== null).length;
    return { size, granted: own.length, undone, proven, failed };
  });
  const later = granted.filter((each) => each.wave > expected.stopsInWave).length;
  const left = expected.undo ? granted.filter(({ undoneAt }) => undoneAt === null).length : 0;
  const problems = [
    ...(rollout.state === state ? [] : [`The rollout is ${rollout.state}, not ${state}.`]),
    ...(last === expected.stopsInWave ? [] : [`Wave ${last} began last, not ${expected.stopsInWave}.`]),
    ...(later === 0 ? [] : [`${later} terminals of later waves got the versions.`]),
    ...(left === 0 ? [] : [`${left} terminals did not get back what they had.`]),
  ];
  return { state: rollout.state, because: rollout.stoppedBecause, waves, problems };
}
