import { isDeepStrictEqual } from 'node:util';

import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { localCaller, mayUse, type Caller } from '../../../platform/requests.js';
import type { Ids } from '../../../platform/validate.js';
import { type ChangeRows, isPassing, reasonOf, starterOf } from '../../base/job/job.service.js';
import { devices } from '../../fleet/device/device.service.js';
import { logicalNumbers, withVersions } from '../../fleet/logical-number/logical-number.service.js';
import { replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import { appVersions, ascending } from '../app/app-version.service.js';
import { grantVersions, linksOf } from '../app/grant.service.js';
import { countPart } from './rollout-payments.service.js';
import type { Rollout, RolloutTerminal } from './rollout.model.js';
import * as store from './rollout.repository.js';
import { decide, type Decision } from './rollout.rules.js';
import * as service from './rollout.service.js';

const rolloutIn = (work: WriteWork, input: Json): Promise<Rollout> =>
  service.getRollout(work, (input as { readonly rolloutId: number }).rolloutId);

const NONE = new Map<number, DomainError>();

/** Stores terminals that were drawn; the rollout begins once it has all. */
export const storeDrawn: ChangeRows = async (work, input, rows) => {
  const rollout = await rolloutIn(work, input);
  await store.insertDrawn(work, rollout.id, rows as unknown as readonly store.DrawnRow[]);
  const drawn = rollout.drawn + rows.length;
  const isReady = drawn === rollout.total && rollout.state === 'planned';
  const dueAt = isReady ? (rollout.startAt ?? work.now) : null;
  await service.changeRollout(work, rollout, { drawn, dueAt });
  return NONE;
};

/** Terminals of rows of a job, each with its place. */
async function terminalsOf(work: WriteWork, rows: readonly Json[]) {
  const ids = (rows as unknown as readonly store.TerminalRow[]).map(({ id }) => id);
  const found = await store.rolloutTerminals.byIds(work, ids);
  return ids.flatMap((id, place) => {
    const terminal = found.get(id);
    return terminal === undefined ? [] : [{ place, terminal }];
  });
}

/** Gives the versions of a rollout to terminals. One that has another logical number now is left out. */
export const grantToTerminals: ChangeRows = async (work, input, rows) => {
  const rollout = await rolloutIn(work, input);
  const waiting = (await terminalsOf(work, rows)).filter(({ terminal }) => terminal.grantedAt === null);
  const deviceIds = waiting.map(({ terminal }) => terminal.deviceId);
  const present = await devices.byIds(work, deviceIds);
  const isThere = ({ deviceId, logicalNumberId }: RolloutTerminal): boolean =>
    present.get(deviceId)?.logicalNumberId === logicalNumberId;
  const numberIds = waiting.flatMap(({ terminal }) => (isThere(terminal) ? [terminal.logicalNumberId] : []));
  const grant = { mode: 'replace_of_same_app', appVersionIds: rollout.appVersionIds } as const;
  const granted = await grantVersions(work, [...new Set(numberIds)], grant);
  const rejected = new Map<number, DomainError>();
  const changed = waiting.map(({ place, terminal }): RolloutTerminal => {
    const change = isThere(terminal) ? granted.get(terminal.logicalNumberId) : undefined;
    if (change !== undefined) return { ...terminal, ...change, state: 'granted', grantedAt: work.now };
    const obstacle = isThere(terminal) ? 'not_attached' : 'moved';
    rejected.set(place, isThere(terminal) ? new DomainError('invalid', NOT_ATTACHED) : notFound('terminal'));
    return { ...terminal, state: 'excluded', obstacle };
  });
  await store.updateTerminals(work, changed);
  return rejected;
};

const NOT_ATTACHED = 'The group of the logical number does not have the versions any more.';

/** Gives back to terminals what they had before a rollout. */
export const undoOfTerminals: ChangeRows = async (work, input, rows) => {
  const { appVersionIds } = await rolloutIn(work, input);
  const found = await terminalsOf(work, rows);
  const having = found.map(({ terminal }) => terminal).filter(({ undoneAt }) => undoneAt === null);
  await takeBackVersions(work, appVersionIds, having);
  const undone = having.map((terminal) => ({ ...terminal, undoneAt: work.now }));
  await store.updateTerminals(work, undone);
  return NONE;
};

/**
 * Takes back what the logical numbers of terminals have got and lost by the versions of a rollout. A version that the group
 * of a number no longer has stays lost, and so do those of an app of which it has another version since. A constant number
 * of statements.
 */
async function takeBackVersions(work: WriteWork, versionIds: Ids, having: readonly RolloutTerminal[]) {
  // The first one of several terminals of a logical number got the versions; the others have no changes.
  const byNumber = Map.groupBy(having, ({ logicalNumberId }) => logicalNumberId);
  const found = await logicalNumbers.byIds(work, [...byNumber.keys()]);
  const numbers = await withVersions(work, [...found.values()]);
  const lost = [...new Set(having.flatMap(({ removed }) => removed))];
  const groupIds = [...new Set(numbers.flatMap(({ groupId }) => groupId ?? []))];
  const links = new Set(
    (await linksOf(work, groupIds, lost)).map((link) => `${link.group_id} ${link.app_version_id}`),
  );
  const present = numbers.flatMap(({ appVersionIds }) => appVersionIds);
  const versions = await appVersions.byIds(work, [...new Set([...lost, ...present])]);
  const after = new Map(
    numbers.map(({ id, groupId, appVersionIds }) => {
      const own = byNumber.get(id) ?? [];
      const added = own.flatMap((terminal) => terminal.added);
      const removed = own.flatMap((terminal) => terminal.removed);
      const kept = appVersionIds.filter((each) => !added.includes(each));
      const others = kept.filter((each) => !versionIds.includes(each));
      const changedSince = new Set(others.map((each) => versions.get(each)?.appId));
      const again = removed.filter(
        (each) => links.has(`${groupId} ${each}`) && !changedSince.has(versions.get(each)?.appId),
      );
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
    async (work) => (await store.findDueAfter(work, companyId)) ?? (await store.findDueAfter(work, 0)),
  );
  if (found === undefined) return null;
  const server = localCaller({ companyId: found.companyId, userId: 0, timeZone: 'UTC' });
  try {
    const counted = await countPart(units, server, found.id);
    if (counted === null) return found.companyId;
    const see = (work: ReadWork) => look(work, found.id, server, counted);
    const { rollout, caller, decision, seen } = await units.read(server, see, { examines: 'when_needed' });
    await units.write(caller, async (work) => {
      const current = await service.getRollout(work, rollout.id);
      if (current.revision === rollout.revision) await apply(work, current, decision, seen);
    });
  } catch (error) {
    if (isPassing(error)) throw error;
    // Other rollouts, and steps of other companies, go on.
    await units.write(server, async (work) => {
      const current = await service.getRollout(work, found.id);
      await service.stopRollout(work, current, reasonOf(error), { dueAt: null });
    });
    if (!(error instanceof DomainError)) throw error;
  }
  return found.companyId;
}

/** Looks at a rollout: its figures, the decision, and the person in whose name it is carried out. */
async function look(work: ReadWork, id: number, server: Caller, counted: Rollout['payments']) {
  const rollout = await service.getRollout(work, id);
  // Another node may have counted meanwhile, or begun a wave.
  const payments = rollout.payments.map((last, place) => {
    const other = counted[place] ?? last;
    return other.countedAt > last.countedAt ? other : last;
  });
  const job = await service.jobOf(work, rollout);
  const figures = await store.selectFigures(work, rollout);
  const starter = job === undefined ? server : await starterOf(work, job);
  const isAllowed = mayUse(starter, 'write');
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

async function apply(work: WriteWork, rollout: Rollout, decision: Decision, seen: service.Seen) {
  switch (decision.kind) {
    case 'wait': {
      const { figures, payments } = rollout;
      const isSame = isDeepStrictEqual(seen, { figures, payments });
      const news = isSame ? {} : { ...seen, sequence: await store.nextSequence(work) };
      const dueAt = decision.until === null ? null : new Date(decision.until);
      await store.noteLook(work, rollout, { ...news, dueAt });
      return;
    }
    case 'start_wave':
      await service.startWave(work, rollout, decision.wave, seen);
      return;
    case 'finish':
      await service.takeStep(work, rollout, 'end', { ...seen, state: 'finished', dueAt: work.now });
      return;
    case 'stop':
      await service.stopRollout(work, rollout, decision.because, seen);
  }
}
