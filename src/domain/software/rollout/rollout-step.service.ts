import type { Units, WriteWork } from '../../../database/work.js';
import { SECOND } from '../../../platform/clock.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { demandScope, localCaller, type Caller } from '../../../platform/requests.js';
import { getJob, type Rejected, starterOf } from '../../base/job/job.service.js';
import { devices } from '../../fleet/device/device.service.js';
import { logicalNumbers, withVersions } from '../../fleet/logical-number/logical-number.service.js';
import { replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import { ascending } from '../app/app-version.service.js';
import { grantVersions, linksOf } from '../app/grant.service.js';
import type { Rollout, RolloutTerminal } from './rollout.model.js';
import {
  type DrawnRow,
  findDueAfter,
  findTerminals,
  insertDrawn,
  selectFigures,
  setDue,
  type TerminalRow,
  updateTerminals,
} from './rollout.repository.js';
import { decide, type Decision } from './rollout.rules.js';
import { changeRollout, getRollout, startWave, stopRollout, takeStep } from './rollout.service.js';

const rolloutIn = (work: WriteWork, input: Json): Promise<Rollout> =>
  getRollout(work, (input as { readonly rolloutId: number }).rolloutId);

const NONE: Rejected = new Map();

/** Stores terminals that were drawn; the rollout begins once it has all. */
export async function storeDrawn(work: WriteWork, input: Json, rows: readonly Json[]): Promise<Rejected> {
  const rollout = await rolloutIn(work, input);
  await insertDrawn(work, rollout.id, rows as unknown as readonly DrawnRow[]);
  const drawn = rollout.drawn + rows.length;
  const isReady = drawn === rollout.total && rollout.state === 'planned';
  await changeRollout(work, rollout, { drawn, dueAt: isReady ? (rollout.startAt ?? work.now) : null });
  return NONE;
}

/** Terminals of rows of a job, each with its place. */
async function terminalsOf(work: WriteWork, rows: readonly Json[]) {
  const given = rows as unknown as readonly TerminalRow[];
  const found = await findTerminals(
    work,
    given.map(({ id }) => id),
  );
  return given.flatMap(({ id }, place) => {
    const terminal = found.get(id);
    return terminal === undefined ? [] : [{ place, terminal }];
  });
}

/** Gives the versions of a rollout to terminals. One that has another logical number now is left out. */
export async function grantToTerminals(
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
): Promise<Rejected> {
  const rollout = await rolloutIn(work, input);
  const waiting = (await terminalsOf(work, rows)).filter(({ terminal }) => terminal.grantedAt === null);
  const present = await devices.byIds(
    work,
    waiting.map(({ terminal }) => terminal.deviceId),
  );
  const isThere = ({ deviceId, logicalNumberId }: RolloutTerminal): boolean =>
    present.get(deviceId)?.logicalNumberId === logicalNumberId;
  const numberIds = waiting.flatMap(({ terminal }) => (isThere(terminal) ? [terminal.logicalNumberId] : []));
  const { appVersionIds } = rollout;
  const granted = await grantVersions(work, [...new Set(numberIds)], {
    mode: 'replace_of_same_app',
    appVersionIds,
  });
  const rejected = new Map<number, DomainError>();
  const changed = waiting.map(({ place, terminal }): RolloutTerminal => {
    const change = isThere(terminal) ? granted.get(terminal.logicalNumberId) : undefined;
    if (change !== undefined) return { ...terminal, ...change, grantedAt: work.now };
    const obstacle = isThere(terminal) ? 'not_attached' : 'moved';
    rejected.set(place, isThere(terminal) ? new DomainError('invalid', NOT_ATTACHED) : notFound('terminal'));
    return { ...terminal, obstacle };
  });
  if (changed.length > 0) await updateTerminals(work, rollout.id, changed);
  return rejected;
}

const NOT_ATTACHED = 'The group of the logical number does not have the versions any more.';

/** Gives back to terminals what they had before a rollout. */
export async function undoOfTerminals(
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
): Promise<Rejected> {
  const rollout = await rolloutIn(work, input);
  const having = (await terminalsOf(work, rows)).flatMap(({ terminal }) =>
    terminal.undoneAt === null ? [terminal] : [],
  );
  // The first one of several terminals of a logical number got the versions; the others have no changes.
  const changes = new Map<number, { added: readonly number[]; removed: readonly number[] }>();
  for (const { logicalNumberId, added, removed } of having) {
    const before = changes.get(logicalNumberId) ?? { added: [], removed: [] };
    changes.set(logicalNumberId, {
      added: [...before.added, ...added],
      removed: [...before.removed, ...removed],
    });
  }
  await takeBackVersions(work, changes);
  const undone = having.map((terminal) => ({ ...terminal, undoneAt: work.now }));
  if (undone.length > 0) await updateTerminals(work, rollout.id, undone);
  return NONE;
}

/** Versions that a logical number gets and loses. */
interface VersionChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/**
 * Takes back what logical numbers, given by their ids, have got and lost. A version that the group of a number no longer
 * has stays lost. A constant number of statements.
 */
async function takeBackVersions(work: WriteWork, changes: ReadonlyMap<number, VersionChange>) {
  const numbers = await withVersions(work, [
    ...(await logicalNumbers.byIds(work, [...changes.keys()])).values(),
  ]);
  const lost = [...new Set([...changes.values()].flatMap(({ removed }) => removed))];
  const groupIds = [...new Set(numbers.flatMap(({ groupId }) => groupId ?? []))];
  const links = new Set(
    (await linksOf(work, groupIds, lost)).map((link) => `${link.group_id} ${link.app_version_id}`),
  );
  const after = new Map(
    numbers.map(({ id, groupId, appVersionIds }) => {
      const { added = [], removed = [] } = changes.get(id) ?? {};
      const kept = appVersionIds.filter((each) => !added.includes(each));
      const again = removed.filter((each) => links.has(`${groupId} ${each}`));
      return [id, ascending([...new Set([...kept, ...again])])] as const;
    }),
  );
  const changed = numbers.filter(({ id, appVersionIds }) => after.get(id)?.join() !== appVersionIds.join());
  if (changed.length > 0) await replaceVersions(work, changed, after);
}

/** Interval until the next look at a rollout whose state has changed meanwhile. */
const AGAIN_MS = SECOND;

/**
 * Decides about the next rollout that is due, of a company after `companyId`: figures are read first, then the decision
 * is stored in one unit of work, if the rollout is still the same. Returns the id of the company; null if none is due.
 */
export async function takeRolloutStep(units: Units, companyId: number): Promise<number | null> {
  const found = await units.systemRead(
    async (work) => (await findDueAfter(work, companyId)) ?? (await findDueAfter(work, 0)),
  );
  if (found === undefined) return null;
  const server = localCaller({ companyId: found.companyId, userId: 0, timeZone: 'UTC' });
  const { rollout, caller, decision } = await units.read(server, async (work) => {
    const rollout = await getRollout(work, found.id);
    const job = rollout.jobId === null ? undefined : await getJob(work, rollout.jobId);
    const caller = job === undefined ? server : await starterOf(work, job);
    const figures = (await selectFigures(work, [rollout])).get(rollout.id) ?? [];
    const failure = rollout.wave >= 0 && job?.state === 'failed' ? job.failure : null;
    const decision: Decision =
      failure === null ? decide(rollout, figures, work.now.getTime()) : { kind: 'stop', because: failure };
    return { rollout, caller, decision };
  });
  const allowed = mayWrite(caller) ? decision : ({ kind: 'stop', because: NOT_ALLOWED } as const);
  await units.write(mayWrite(caller) ? caller : server, async (work) => {
    const current = await getRollout(work, rollout.id);
    if (current.revision === rollout.revision) await apply(work, current, allowed);
    else if (current.dueAt !== null) await setDue(work, current, work.now.getTime() + AGAIN_MS);
  });
  return found.companyId;
}

const NOT_ALLOWED = 'The person who started it may not change the company any more.';

function mayWrite(caller: Caller): boolean {
  try {
    demandScope(caller, 'write');
    return true;
  } catch {
    return false;
  }
}

async function apply(work: WriteWork, rollout: Rollout, decision: Decision): Promise<void> {
  switch (decision.kind) {
    case 'wait':
      await setDue(work, rollout, decision.until);
      return;
    case 'start_wave':
      await startWave(work, rollout, decision.wave);
      return;
    case 'finish':
      await takeStep(work, rollout, 'end', { state: 'finished', dueAt: null });
      return;
    case 'stop':
      await stopRollout(work, rollout, decision.because);
  }
}
