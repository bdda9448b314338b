import { getFrom, Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import type { Json } from '../../../platform/encoding/json.js';
import { invalid, DomainError } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { countingRecords } from '../../base/alert/alert.service.js';
import { MAX_JOB_ROWS } from '../../base/job/job.model.js';
import { cancelJob, jobs, startJob } from '../../base/job/job.service.js';
import { findTarget } from '../../fleet/logical-number/logical-number.service.js';
import { companies } from '../../people/company/company.service.js';
import { GrantTarget } from '../app/app.model.js';
import { demandVersions, type GrantRequest, linkedNumbers, targetOf } from '../app/grant.service.js';
import {
  type Candidate,
  NO_FIGURES,
  type Rollout,
  RolloutCreate,
  type RolloutState,
} from './rollout.model.js';
import * as store from './rollout.repository.js';
import { drawWaves } from './rollout.rules.js';

export { newRows, rollouts, rolloutTerminals, terminalsOfRollout } from './rollout.repository.js';

export const [DRAW, GRANT, UNDO] = ['rolloutDraw', 'rolloutGrant', 'rolloutUndo'] as const;

/** Days until a rollout begins, at most: its job, which knows who started it, is deleted some time later. */
const MAX_DAYS_AHEAD = 60;

const records = new Records(store.rolloutTable);
export const { get: getRollout } = records;

/** Alerts of rollouts that have stopped by themselves. */
export const stoppedRollouts = countingRecords(
  store.rollouts,
  'ID',
  (since) => ({
    and: [
      { field: 'state', operator: 'eq', value: 'stopped_by_failures' },
      { field: 'updatedAt', operator: 'gte', value: since },
    ],
  }),
  ({ name }) => name,
);

/** A rollout that was checked, and its terminals in their waves. */
export type RolloutPlan = Awaited<ReturnType<typeof planRollout>>;

type Target = Pick<GrantRequest, 'conditions' | 'all'> & Readonly<Record<string, unknown>>;

/**
 * Checks a rollout, and draws the terminals of its target into waves. Changes nothing. Errors: `invalid`,
 * `too_many_records`.
 */
export async function planRollout(work: ReadWork, input: unknown, target: Target) {
  const fields = parse(RolloutCreate, input);
  demandWaves(fields);
  if (fields.startAt !== null && fields.startAt.getTime() > work.now.getTime() + MAX_DAYS_AHEAD * DAY) {
    throw invalid('startAt', `must be at most ${MAX_DAYS_AHEAD} days ahead`);
  }
  const { appVersionIds } = fields;
  const grant = { mode: 'replace_of_same_app', appVersionIds } as const;
  await demandVersions(work, grant);
  const numbers = await findTarget(work, targetOf(parse(GrantTarget, target), target), MAX_JOB_ROWS);
  const attached = new Set(await linkedNumbers(work, numbers, grant));
  const byId = new Map(numbers.map((number) => [number.id, number]));
  const devices = await store.selectDevicesOf(work, [...byId.keys()]);
  const candidates = devices.flatMap((device): readonly Candidate[] => {
    const found = byId.get(device.logicalNumberId);
    if (found === undefined) return [];
    const { number, groupId } = found;
    return [{ ...device, number, groupId, isAttached: attached.has(found) }];
  });
  if (candidates.length > MAX_JOB_ROWS) throw invalid('target', `must have at most ${MAX_JOB_ROWS} entries`);
  const drawn = await drawWaves(candidates, fields.waves, work.now.getTime(), Math.random);
  const withTerminal = new Set(candidates.map(({ logicalNumberId }) => logicalNumberId));
  const taking = new Set(
    drawn.flatMap(({ obstacle, logicalNumberId }) => (obstacle === null ? [logicalNumberId] : [])),
  );
  return {
    fields,
    drawn,
    /** The logical numbers whose terminals get the versions. */
    numbers: numbers.filter(({ id }) => taking.has(id)),
    /** Number of logical numbers of the target without a terminal. */
    withoutTerminal: numbers.length - withTerminal.size,
  };
}

/** Refuses waves whose terminals are not clear. */
function demandWaves({ waves }: RolloutCreate): void {
  for (const [place, { percent, logicalNumbers, groupIds }] of waves.entries()) {
    const given = [percent, logicalNumbers, groupIds].filter((each) => each != null).length;
    const isLast = place === waves.length - 1;
    if (given > 1 || (given === 0 && !isLast)) {
      throw invalid(
        `waves.${place}`,
        'must have exactly one of percent, logicalNumbers and groupIds; the last wave may have none, and gets the rest',
      );
    }
  }
  const all = waves.reduce((sum, { percent }) => sum + (percent ?? 0), 0);
  if (all > 100) throw invalid('waves', 'must have at most 100 percent together');
}

/** Creates a planned rollout. A job stores its terminals. Errors: `invalid` if there are none. */
export async function createRollout(work: WriteWork, { fields, drawn }: RolloutPlan): Promise<Rollout> {
  if (!drawn.some(({ obstacle }) => obstacle === null)) {
    throw invalid('target', 'must not be empty: no terminal of it can get the versions, see dryRun');
  }
  const { waves: drawnWaves, window, ...others } = fields;
  const waves = drawnWaves.map(({ minProvenPercent, minDuration }, place) => {
    const size = drawn.filter(({ wave }) => wave === place).length;
    return { size, minProvenPercent, minDuration };
  });
  // Terminals of the company show times in its time zone.
  const { timeZone } = await getFrom(companies, work, work.caller.companyId, 'company');
  const rollout = await store.rolloutTable.insert(work, {
    ...others,
    state: 'planned',
    waves,
    hours: window && { ...window, zone: window.zone ?? timeZone },
    total: drawn.length,
    drawn: 0,
    wave: -1,
    waveStartedAt: null,
    jobId: null,
    figures: waves.map(({ size }) => ({ ...NO_FIGURES, waiting: size })),
    payments: [],
    stoppedBecause: null,
    dueAt: null,
    sequence: await store.nextSequence(work),
  });
  work.ledger.created('rollout', recorded(rollout));
  const rows = drawn.map((each): store.DrawnRow => {
    const { deviceId: id, logicalNumberId: numberId, number: name, wave, obstacle } = each;
    return { id, numberId, name, wave, obstacle };
  });
  return await changeRollout(work, rollout, { jobId: await startRows(work, DRAW, rollout, rows) });
}

/** The rollout as the ledger shows it: with the number of the last wave that has begun, 0 before the first. */
function recorded(rollout: Rollout) {
  const { id, name, state, wave, appVersionIds, total, stoppedBecause, revision } = rollout;
  return { id, name, state, wave: wave + 1, appVersionIds, total, stoppedBecause, revision };
}

/** Changes a rollout without an entry in the ledger. */
export async function changeRollout(work: WriteWork, current: Rollout, changes: Partial<Rollout>) {
  const values = { ...current, ...changes, sequence: await store.nextSequence(work) };
  return await store.rolloutTable.update(work, current, values);
}

/** Starts a job with rows of a rollout, and returns its id. */
async function startRows(work: WriteWork, kind: string, { id: rolloutId }: Rollout, rows: readonly object[]) {
  const job = await startJob(work, { kind, input: { rolloutId }, rows: rows as readonly Json[] });
  return job.id;
}

type Step = 'start_wave' | 'pause' | 'resume' | 'stop' | 'end' | 'undo';

/** Changes a rollout, and notes the step in the ledger. */
export async function takeStep(work: WriteWork, current: Rollout, action: Step, changes: Partial<Rollout>) {
  const rollout = await changeRollout(work, current, changes);
  work.ledger.updated('rollout', recorded(current), recorded(rollout), { action });
  return rollout;
}

/** Figures from which a node decided about a rollout. */
export type Seen = Pick<Rollout, 'figures' | 'payments'>;

/** Gives the versions to the terminals of a wave that wait for them. */
export async function startWave(work: WriteWork, current: Rollout, wave: number, seen: Seen) {
  const from = work.now.getTime();
  const begun = { from, countedAt: from, now: null, before: null, waiting: null };
  const jobId = await startRows(work, GRANT, current, await store.selectRows(work, current, wave));
  return await takeStep(work, current, 'start_wave', {
    ...seen,
    payments: [...seen.payments, begun],
    state: 'running',
    wave,
    waveStartedAt: work.now,
    jobId,
    dueAt: work.now,
  });
}

/** Job that gives the versions, or takes them back. */
export async function jobOf(work: ReadWork, { jobId }: Rollout) {
  return jobId === null ? undefined : (await jobs.byIds(work, [jobId])).get(jobId);
}

async function endJob(work: WriteWork, rollout: Rollout): Promise<void> {
  const job = await jobOf(work, rollout);
  if (job !== undefined) await cancelJob(work, job);
}

function demandState({ state }: Rollout, allowed: readonly RolloutState[]): void {
  if (allowed.includes(state)) return;
  const shown = state.replaceAll('_', ' ');
  throw new DomainError('invalid', `A rollout that is ${shown} cannot be changed in this way.`);
}

/** Gives the versions to no further terminal until it is resumed. Errors: `invalid`. */
export async function pauseRollout(work: WriteWork, current: Rollout): Promise<Rollout> {
  demandState(current, ['planned', 'running']);
  if (current.drawn === current.total) await endJob(work, current);
  return await takeStep(work, current, 'pause', { state: 'paused', dueAt: work.now });
}

/** Goes on with a rollout that is paused or has stopped. Errors: `invalid`. */
export async function resumeRollout(work: WriteWork, current: Rollout): Promise<Rollout> {
  demandState(current, ['paused', 'stopped_by_failures']);
  const { wave } = current;
  const changes = { stoppedBecause: null, dueAt: work.now };
  if (wave < 0) return await takeStep(work, current, 'resume', { ...changes, state: 'planned' });
  const jobId = await startRows(work, GRANT, current, await store.selectRows(work, current, wave));
  return await takeStep(work, current, 'resume', { ...changes, state: 'running', jobId });
}

/** Stops a rollout for a reason with its figures; a node looks at it again at once, if `more` has no other time. */
export async function stopRollout(work: WriteWork, current: Rollout, reason: string, more: Partial<Rollout>) {
  await endJob(work, current);
  const stopped = { state: 'stopped_by_failures', stoppedBecause: reason, dueAt: work.now } as const;
  return await takeStep(work, current, 'stop', { ...stopped, ...more });
}

/** Takes the versions back: each terminal gets what it had. Errors: `invalid`. */
export async function undoRollout(work: WriteWork, current: Rollout): Promise<Rollout> {
  demandState(current, ['running', 'paused', 'stopped_by_failures', 'finished']);
  await endJob(work, current);
  const jobId = await startRows(work, UNDO, current, await store.selectRows(work, current, null));
  // The figures stay those before the undo.
  return await takeStep(work, current, 'undo', { state: 'undone', jobId, dueAt: null });
}
