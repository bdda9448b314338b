import { isDeepStrictEqual } from 'node:util';

import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { demandScope, localCaller, type Caller } from '../../../platform/requests.js';
import { isPassing, jobs, reasonOf, type Rejected, starterOf } from '../../base/job/job.service.js';
import { devices } from '../../fleet/device/device.service.js';
import { logicalNumbers, withVersions } from '../../fleet/logical-number/logical-number.service.js';
import { replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import { ascending } from '../app/app-version.service.js';
import { grantVersions, linksOf } from '../app/grant.service.js';
import { countPart } from './rollout-payments.service.js';
import type { Rollout, RolloutTerminal } from './rollout.model.js';
import {
  type DrawnRow,
  findDueAfter,
  findTerminals,
  insertDrawn,
  noteLook,
  selectFigures,
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
  try {
    const counted = await countPart(units, server, found.id);
    if (counted === null) return found.companyId;
    const { rollout, caller, decision, seen } = await units.read(
      server,
      (work) => look(work, found.id, server, counted),
      { examines: 'when_needed' },
    );
    await units.write(caller, async (work) => {
      const current = await getRollout(work, rollout.id);
      if (current.revision === rollout.revision) await apply(work, current, decision, seen);
    });
  } catch (error) {
    if (isPassing(error)) throw error;
    // Other rollouts, and steps of other companies, go on.
    await units.write(server, async (work) => {
      await stopRollout(work, await getRollout(work, found.id), reasonOf(error), {
        dueAt: null,
      });
    });
    if (!(error instanceof DomainError)) throw error;
  }
  return found.companyId;
}

/** Looks at a rollout: its figures, the decision, and the person in whose name it is carried out. */
async function look(work: ReadWork, id: number, server: Caller, counted: Rollout['payments']) {
  const rollout = await getRollout(work, id);
  // Another node may have counted meanwhile, or begun a wave.
  const payments = rollout.payments.map((last, place) => {
    const other = counted[place] ?? last;
    return other.countedAt > last.countedAt ? other : last;
  });
  const job =
    rollout.jobId === null ? undefined : (await jobs.byIds(work, [rollout.jobId])).get(rollout.jobId);
  const figures = await selectFigures(work, rollout);
  const starter = job === undefined ? server : await starterOf(work, job);
  const isAllowed = mayWrite(starter);
  const failure = rollout.state === 'running' && job?.state === 'failed' ? job.failure : null;
  const decision = decide({ ...rollout, payments }, figures, work.now.getTime());
  const because = failure ?? (isAllowed || decision.kind === 'wait' ? null : NOT_ALLOWED);
  return {
    rollout,
    seen: { figures, payments },
    caller: isAllowed ? starter : server,
    decision: because === null ? decision : ({ kind: 'stop', because } as const),
  };
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

async function apply(
  work: WriteWork,
  rollout: Rollout,
  decision: Decision,
  seen: Pick<Rollout, 'figures' | 'payments'>,
): Promise<void> {
  switch (decision.kind) {
    case 'wait':
      await noteLook(work, rollout, {
        dueAt: decision.until,
        seen: isDeepStrictEqual(seen, { figures: rollout.figures, payments: rollout.payments }) ? null : seen,
      });
      return;
    case 'start_wave':
      await startWave(work, rollout, decision.wave, seen);
      return;
    case 'finish':
      await takeStep(work, rollout, 'end', { ...seen, state: 'finished', dueAt: work.now });
      return;
    case 'stop':
      await stopRollout(work, rollout, decision.because, seen);
  }
}
