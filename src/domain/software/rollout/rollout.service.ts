import { getFrom, Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type DomainError, invalid, invalidRecord } from '../../../platform/errors.js';
import type { Caller } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { countingRecords } from '../../base/alert/alert.service.js';
import { cancelJob, jobs, startJob } from '../../base/job/job.service.js';
import { companies } from '../../people/company/company.service.js';
import type { RolloutPlan } from './rollout-plan.service.js';
import { NO_FIGURES, type Rollout, LeaveOut, PassWave, type RolloutState } from './rollout.model.js';
import * as store from './rollout.repository.js';

export { newRows, rollouts, rolloutTerminals, terminalsOfRollout } from './rollout.repository.js';

export const [DRAW, GRANT, UNDO] = ['rolloutDraw', 'rolloutGrant', 'rolloutUndo'] as const;

const records = new Records(store.rolloutTable);
export const { get: getRollout } = records;

/** Alerts of rollouts that have stopped by themselves. */
export const stoppedRollouts = countingRollouts('stopped_by_failures', ['updatedAt', 'gte']);

/** Alerts of rollouts whose wave waits for terminals, of which none has moved for some time. */
export const unmovedRollouts = countingRollouts('running', ['unmovedSince', 'lt']);

function countingRollouts(state: RolloutState, [field, operator]: readonly [string, 'gte' | 'lt']) {
  const isIn = { field: 'state', operator: 'eq', value: state } as const;
  return countingRecords(
    store.rollouts,
    'ID',
    (since) => ({ and: [isIn, { field, operator, value: since }] }),
    ({ name }) => name,
  );
}

const noTakers = (count: number): DomainError =>
  count === 0
    ? invalid('target', 'There is no terminal in the target: choose logical numbers that have one.')
    : invalid('target', 'None of the {count} terminals can get these versions: dryRun says why.', { count });

/** Creates a planned rollout. A job stores its terminals. Errors: `invalid` if there are none. */
export async function createRollout(work: WriteWork, { fields, drawn }: RolloutPlan): Promise<Rollout> {
  if (!drawn.some(({ obstacle }) => obstacle === null)) throw noTakers(drawn.length);
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
    replacedIds: [],
    waves,
    hours: window && { ...window, zone: window.zone ?? timeZone },
    total: drawn.length,
    drawn: 0,
    wave: -1,
    waveStartedAt: null,
    jobId: null,
    figures: waves.map(({ size }) => ({ ...NO_FIGURES, waiting: size })),
    payments: [],
    figuresAt: null,
    unmovedSince: null,
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

/** The waves, of which one is given the versions by a job. */
const wavesWith = ({ waves }: Rollout, wave: number, jobId: number) =>
  waves.map((each, place) => (place === wave ? { ...each, jobIds: [...(each.jobIds ?? []), jobId] } : each));

async function startRows(work: WriteWork, kind: string, { id: rolloutId }: Rollout, rows: readonly object[]) {
  const job = await startJob(work, { kind, input: { rolloutId }, rows: rows as readonly Json[] });
  return job.id;
}

type Step = 'start_wave' | 'pause' | 'resume' | 'stop' | 'end' | 'undo' | 'leave_out' | 'pass_wave';

/** Changes a rollout, and notes the step in the ledger, with `more` about it. */
export async function takeStep(
  work: WriteWork,
  current: Rollout,
  action: Step,
  changes: Partial<Rollout>,
  more: object = {},
) {
  const rollout = await changeRollout(work, current, { unmovedSince: null, ...changes });
  work.ledger.updated('rollout', recorded(current), { ...recorded(rollout), ...more }, { action });
  return rollout;
}

/** Figures from which a node decided about a rollout. */
export type Seen = Pick<Rollout, 'figures' | 'payments' | 'figuresAt'>;

type Begun = Seen & Pick<Rollout, 'wave'>;

/** Begins a wave, in the name of the server. Its job gives the versions with the rights of `starter`. */
export async function startWave(
  work: WriteWork,
  starter: Caller,
  current: Rollout,
  { wave, ...seen }: Begun,
) {
  const from = work.now.getTime();
  const begun = { from, countedAt: from, now: null, before: null, waiting: null };
  const rows = await store.selectRows(work, current, wave);
  const jobId = await startRows({ ...work, caller: starter }, GRANT, current, rows);
  return await takeStep(work, current, 'start_wave', {
    ...seen,
    payments: [...seen.payments, begun],
    state: 'running',
    waves: wavesWith(current, wave, jobId),
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

function requireState({ state }: Rollout, allowed: readonly RolloutState[]): void {
  if (allowed.includes(state)) return;
  const shown = state.replaceAll('_', ' ');
  throw invalidRecord('A rollout that is {state} cannot be changed in this way.', { state: shown });
}

/** Gives the versions to no further terminal until it is resumed. Errors: `invalid`. */
export async function pauseRollout(work: WriteWork, current: Rollout): Promise<Rollout> {
  requireState(current, ['planned', 'running']);
  if (current.drawn === current.total) await endJob(work, current);
  return await takeStep(work, current, 'pause', { state: 'paused', dueAt: work.now });
}

/** Goes on with a rollout that is paused or has stopped. Errors: `invalid`. */
export async function resumeRollout(work: WriteWork, current: Rollout): Promise<Rollout> {
  requireState(current, ['paused', 'stopped_by_failures']);
  const { wave } = current;
  const changes = { stoppedBecause: null, dueAt: work.now };
  if (wave < 0) return await takeStep(work, current, 'resume', { ...changes, state: 'planned' });
  const jobId = await startRows(work, GRANT, current, await store.selectRows(work, current, wave));
  const waves = wavesWith(current, wave, jobId);
  return await takeStep(work, current, 'resume', { ...changes, state: 'running', waves, jobId });
}

/** Stops a rollout for a reason with its figures; a node looks at it again at once, if `more` has no other time. */
export async function stopRollout(work: WriteWork, current: Rollout, reason: string, more: Partial<Rollout>) {
  await endJob(work, current);
  const stopped = { state: 'stopped_by_failures', stoppedBecause: reason, dueAt: work.now } as const;
  return await takeStep(work, current, 'stop', { ...stopped, ...more });
}

const UNDECIDED = ['planned', 'running', 'paused', 'stopped_by_failures'] as const;

/** Leaves terminals out of a rollout for good: no wave waits for them or counts them. Errors: `invalid`. */
export async function leaveOut(work: WriteWork, current: Rollout, input: unknown): Promise<Rollout> {
  requireState(current, UNDECIDED);
  const { deviceIds, reason } = parse(LeaveOut, input);
  const terminals = await store.findTerminals(work, current, deviceIds);
  if (terminals.length < deviceIds.length)
    throw invalid('deviceIds', 'must hold ids of {what} only', { what: 'terminals of it' });
  const leftOut = { state: 'excluded', obstacle: 'left_out' } as const;
  await store.updateTerminals(
    work,
    terminals.map((terminal) => ({ ...terminal, ...leftOut })),
  );
  const dueAt = current.dueAt && work.now;
  return await takeStep(work, current, 'leave_out', { dueAt }, { deviceIds, reason });
}

/** Passes the wave that has begun last, whatever is proven: a node goes on at once. Errors: `invalid`. */
export async function passWave(work: WriteWork, current: Rollout, input: unknown): Promise<Rollout> {
  requireState(current, ['running']);
  const { wave, reason } = parse(PassWave, input);
  const begun = current.wave + 1;
  if (wave !== begun)
    throw invalid('wave', 'must be {values}: the wave that has begun last', { values: String(begun) });
  const waves = current.waves.map((each, place) =>
    place === current.wave ? { ...each, passedByPerson: true } : each,
  );
  return await takeStep(work, current, 'pass_wave', { waves, dueAt: work.now }, { reason });
}

/** Takes the versions back: each terminal gets what it had. Errors: `invalid`. */
export async function undoRollout(work: WriteWork, current: Rollout): Promise<Rollout> {
  requireState(current, ['running', 'paused', 'stopped_by_failures', 'finished']);
  await endJob(work, current);
  const jobId = await startRows(work, UNDO, current, await store.selectRows(work, current, null));
  // The figures stay those before the undo.
  return await takeStep(work, current, 'undo', { state: 'undone', jobId, dueAt: null });
}
