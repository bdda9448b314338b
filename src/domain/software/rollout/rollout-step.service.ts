import { isDeepStrictEqual } from 'node:util';

import { MANY_ROWS } from '../../../database/company/company-rows.js';
import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, invalidRecord, isTemporary } from '../../../platform/errors.js';
import { localCaller, mayUse, type Caller } from '../../../platform/requests.js';
import type { Ids } from '../../../platform/validate.js';
import { type ChangeRows, reasonOf, starterOf } from '../../base/job/job.service.js';
import { logicalNumbers, withVersions } from '../../fleet/logical-number/logical-number.service.js';
import { replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import { appVersions, ascending } from '../app/app-version.service.js';
import { grantVersions, linksOf } from '../app/grant.service.js';
import { countPart } from './rollout-payments.service.js';
import { OBSTACLES, type Rollout, type RolloutTerminal } from './rollout.model.js';
import * as store from './rollout.repository.js';
import { decide } from './rollout.rules.js';
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

/** Terminals as they are now: with the device that has the logical number, or the reason why none counts for it. */
function asPresent(terminals: readonly RolloutTerminal[], presences: readonly store.Presence[]) {
  const byId = new Map(presences.map((presence) => [presence.id, presence]));
  const taken = new Set<number>();
  return terminals.map((terminal): RolloutTerminal => {
    const { obstacle, successorId } = byId.get(terminal.id) ?? { ...terminal, successorId: null };
    if (successorId === null || taken.has(successorId))
      return { ...terminal, state: obstacle === null ? 'granted' : 'excluded', obstacle };
    taken.add(successorId);
    return { ...terminal, deviceId: successorId, hasAnswered: false, state: 'granted', obstacle: null };
  });
}

/** Gives the versions of a rollout to terminals. One whose device is not there any more, or is disabled, is left out. */
export const grantToTerminals: ChangeRows = async (work, input, rows) => {
  const rollout = await rolloutIn(work, input);
  const waiting = (await terminalsOf(work, rows)).filter(({ terminal }) => terminal.state === 'waiting');
  const drawn = waiting.map(({ terminal }) => terminal);
  const ids = drawn.map(({ id }) => id);
  const present = asPresent(drawn, await store.selectPresences(work, rollout, ids));
  const numberIds = present.flatMap(({ obstacle, logicalNumberId }) =>
    obstacle === null ? [logicalNumberId] : [],
  );
  const grant = { mode: 'replace_of_same_app', appVersionIds: rollout.appVersionIds } as const;
  const granted = await grantVersions(work, [...new Set(numberIds)], grant);
  const rejected = new Map<number, DomainError>();
  const changed = present.map((terminal, index): RolloutTerminal => {
    const change = terminal.obstacle === null ? granted.get(terminal.logicalNumberId) : undefined;
    if (change !== undefined) return { ...terminal, ...change, grantedAt: work.now };
    const obstacle = terminal.obstacle ?? 'not_attached';
    rejected.set(waiting[index]?.place ?? 0, invalidRecord(OBSTACLES[obstacle]));
    return { ...terminal, state: 'excluded', obstacle };
  });
  await store.updateTerminals(work, changed);
  const lost = changed.flatMap(({ removed }) => removed);
  const replacedIds = ascending([...new Set([...rollout.replacedIds, ...lost])]);
  if (replacedIds.length > rollout.replacedIds.length) await store.noteLook(work, rollout, { replacedIds });
  return rejected;
};

/** Gives back to terminals what they had before a rollout. Those that do not get all of it are refused. */
export const undoOfTerminals: ChangeRows = async (work, input, rows) => {
  const { appVersionIds } = await rolloutIn(work, input);
  const found = (await terminalsOf(work, rows)).filter(({ terminal }) => terminal.undoneAt === null);
  const having = found.map(({ terminal }) => terminal);
  const lacking = await takeBackVersions(work, appVersionIds, having);
  const isUndone = ({ logicalNumberId }: RolloutTerminal): boolean => !lacking.has(logicalNumberId);
  const undone = having.filter(isUndone).map((terminal) => ({ ...terminal, undoneAt: work.now }));
  await store.updateTerminals(work, undone);
  return new Map(
    found.flatMap(({ place, terminal }) => {
      const reason = lacking.get(terminal.logicalNumberId);
      return reason === undefined ? [] : [[place, new DomainError('invalid', reason)] as const];
    }),
  );
};

/**
 * Takes back what the logical numbers of terminals have got and lost by the versions of a rollout. A version that the group
 * of a number no longer has stays lost, and so do those of an app of which it has another version since. A constant number
 * of statements. Returns the reasons by the ids of the logical numbers that do not get all back.
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
  const lacking = new Map(
    [...byNumber.keys()].filter((id) => !found.has(id)).map((id) => [id, 'Its logical number was deleted.']),
  );
  const after = new Map(
    numbers.map(({ id, groupId, appVersionIds }) => {
      const own = byNumber.get(id) ?? [];
      const added = own.flatMap((terminal) => terminal.added);
      const removed = own.flatMap((terminal) => terminal.removed);
      const kept = appVersionIds.filter((each) => !added.includes(each));
      const others = kept.filter((each) => !versionIds.includes(each));
      const changedSince = new Set(others.map((each) => versions.get(each)?.appId));
      const missing = removed.filter((each) => !links.has(`${groupId} ${each}`));
      const again = removed.filter(
        (each) => !missing.includes(each) && !changedSince.has(versions.get(each)?.appId),
      );
      if (missing.length > 0)
        lacking.set(id, 'The group of its logical number does not have what it had before.');
      else if (again.length < removed.length) lacking.set(id, 'It has got another version of the app since.');
      return [id, ascending([...new Set([...kept, ...again])])] as const;
    }),
  );
  const changed = numbers.filter(({ id, appVersionIds }) => after.get(id)?.join() !== appVersionIds.join());
  if (changed.length > 0) await replaceVersions(work, changed, after);
  return lacking;
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
    const seen = await units.read(server, see, { examines: found.total > MANY_ROWS });
    await units.write(server, async (work) => {
      const current = await service.getRollout(work, found.id);
      if (current.revision !== seen.rollout.revision) return;
      if (seen.changed.length === 0) await apply(work, current, seen);
      else await noteChanged(work, current, seen.changed);
    });
  } catch (error) {
    if (isTemporary(error)) throw error;
    // Other rollouts, and steps of other companies, go on.
    await units.write(server, async (work) => {
      const current = await service.getRollout(work, found.id);
      await service.stopRollout(work, current, reasonOf(error), { dueAt: null });
    });
    if (!(error instanceof DomainError)) throw error;
  }
  return found.companyId;
}

type Look = Awaited<ReturnType<typeof look>>;

/**
 * Looks at a rollout: its figures, the decision, and the person in whose name jobs give the versions. What the figures
 * count is kept by the triggers `note_new_software`, `note_changed_software` and `note_answers`.
 */
async function look(work: ReadWork, id: number, server: Caller, counted: Rollout['payments']) {
  const rollout = await service.getRollout(work, id);
  // Another node may have counted meanwhile, or begun a wave.
  const payments = rollout.payments.map((last, place) => {
    const other = counted[place] ?? last;
    return other.countedAt > last.countedAt ? other : last;
  });
  const job = await service.jobOf(work, rollout);
  const figures = await store.selectFigures(work, rollout);
  const changed = await store.selectPresences(work, rollout);
  const starter = job === undefined ? server : await starterOf(work, job);
  const isAllowed = mayUse(starter, 'write');
  const failure = rollout.state === 'running' && job?.state === 'failed' ? job.failure : null;
  const decision = decide({ ...rollout, payments }, figures, work.now.getTime());
  const because = failure ?? (isAllowed || decision.kind === 'wait' ? null : NOT_ALLOWED);
  return {
    rollout,
    changed,
    seen: { figures, payments, figuresAt: work.now },
    starter,
    decision: because === null ? decision : ({ kind: 'stop', because } as const),
  };
}

/** Notes terminals whose devices have gone, come back or been replaced; then a node looks again. */
async function noteChanged(work: WriteWork, rollout: Rollout, changed: readonly store.Presence[]) {
  const ids = changed.map(({ id }) => id);
  const found = await store.rolloutTerminals.byIds(work, ids);
  await store.updateTerminals(work, asPresent([...found.values()], changed));
  await store.noteLook(work, rollout, { dueAt: work.now });
}

const NOT_ALLOWED = 'The person who started it may not change the company any more.';

async function apply(work: WriteWork, rollout: Rollout, { decision, seen, starter }: Look) {
  switch (decision.kind) {
    case 'wait': {
      const { figures, payments } = seen;
      const hasMoved = !isDeepStrictEqual(figures, rollout.figures);
      const isSame = !hasMoved && isDeepStrictEqual(payments, rollout.payments);
      const news = isSame ? {} : { ...seen, sequence: await store.nextSequence(work) };
      const dueAt = decision.until === null ? null : new Date(decision.until);
      const heldSince = (hasMoved ? null : rollout.unmovedSince) ?? work.now;
      const unmovedSince = decision.isHeld === true ? heldSince : null;
      await store.noteLook(work, rollout, { ...news, dueAt, unmovedSince, figuresAt: work.now });
      return;
    }
    case 'start_wave':
      await service.startWave(work, starter, rollout, { ...seen, wave: decision.wave });
      return;
    case 'finish':
      await service.takeStep(work, rollout, 'end', { ...seen, state: 'finished', dueAt: work.now });
      return;
    case 'stop':
      await service.stopRollout(work, rollout, decision.because, seen);
  }
}
