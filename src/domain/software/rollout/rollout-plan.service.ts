import type { ReadWork } from '../../../database/work.js';
import { DAY, HOUR } from '../../../platform/clock.js';
import { invalid, requireAtMost } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { MAX_JOB_ROWS } from '../../base/job/job.model.js';
import { groups } from '../../fleet/group/group.service.js';
import { findAllByNumbers, findTarget } from '../../fleet/logical-number/logical-number.service.js';
import { GrantTarget } from '../app/app.model.js';
import { requireVersions, type GrantRequest, linkedNumbers, targetOf } from '../app/grant.service.js';
import { type Candidate, RolloutCreate } from './rollout.model.js';
import { selectDevicesOf } from './rollout.repository.js';
import { drawWaves, type Drawn } from './rollout.rules.js';

/** Days until a rollout begins, at most: its job, which knows who started it, is deleted some time later. */
const MAX_DAYS_AHEAD = 60;

/** A rollout that was checked, and its terminals in their waves. */
export type RolloutPlan = Awaited<ReturnType<typeof planRollout>>;

type Target = Pick<GrantRequest, 'conditions' | 'all'> & Readonly<Record<string, unknown>>;

/**
 * Checks a rollout, and draws the terminals of its target into waves. Changes nothing. Errors: `invalid`,
 * `too_many_records`.
 */
export async function planRollout(work: ReadWork, input: unknown, target: Target) {
  const fields = parse(RolloutCreate, input);
  requireWaves(fields);
  requireTimes(fields, work.now.getTime());
  const { appVersionIds } = fields;
  const grant = { mode: 'replace_of_same_app', appVersionIds } as const;
  await requireVersions(work, grant);
  for (const [place, { logicalNumbers, groupIds }] of fields.waves.entries()) {
    await findAllByNumbers(work, logicalNumbers ?? [], `waves.${place}.logicalNumbers`);
    const known = await groups.byIds(work, groupIds ?? []);
    if (known.size < (groupIds ?? []).length)
      throw invalid(`waves.${place}.groupIds`, 'must hold ids of {what} only', { what: 'groups' });
  }
  const numbers = await findTarget(work, targetOf(parse(GrantTarget, target), target), MAX_JOB_ROWS);
  const attached = new Set(await linkedNumbers(work, numbers, grant));
  const byId = new Map(numbers.map((number) => [number.id, number]));
  const devices = await selectDevicesOf(work, [...byId.keys()]);
  const candidates = devices.flatMap((device): readonly Candidate[] => {
    const found = byId.get(device.logicalNumberId);
    if (found === undefined) return [];
    const { number, groupId } = found;
    return [{ ...device, number, groupId, isAttached: attached.has(found) }];
  });
  requireAtMost('target', candidates.length, MAX_JOB_ROWS);
  const drawn = await drawWaves(candidates, fields.waves, work.now.getTime(), Math.random);
  const withTerminal = new Set(candidates.map(({ logicalNumberId }) => logicalNumberId));
  const taking = new Set(
    drawn.flatMap(({ obstacle, logicalNumberId }) => (obstacle === null ? [logicalNumberId] : [])),
  );
  if (taking.size > 0) requireTakers(fields, drawn);
  return {
    fields,
    drawn,
    /** The logical numbers whose terminals get the versions. */
    numbers: numbers.filter(({ id }) => taking.has(id)),
    /** Logical numbers of the target without a device. */
    without: numbers.filter(({ id }) => !withTerminal.has(id)),
  };
}

/** Refuses times at which nothing can begin. A client may be slow: what was to begin a moment ago begins at once. */
function requireTimes({ startAt, stopWhen: { deadline } }: RolloutCreate, now: number): void {
  const start = startAt?.getTime() ?? now;
  if (start > now + MAX_DAYS_AHEAD * DAY)
    throw invalid('startAt', 'must be at most {maximum} days ahead', { maximum: MAX_DAYS_AHEAD });
  if (start < now - HOUR) throw invalid('startAt', 'must be in the future');
  if (deadline !== null && deadline <= now) throw invalid('stopWhen.deadline', 'must be in the future');
  if (deadline !== null && deadline <= start)
    throw invalid('startAt', 'must not be after {field}', { field: 'stopWhen.deadline' });
}

/** Refuses a wave that names logical numbers or groups, but nobody who gets the versions: all others would get them at once. */
function requireTakers({ waves }: RolloutCreate, drawn: readonly Drawn[]): void {
  for (const [place, { logicalNumbers, groupIds }] of waves.entries()) {
    if (logicalNumbers == null && groupIds == null) continue;
    if (drawn.some(({ wave, obstacle }) => wave === place && obstacle === null)) continue;
    const field = `waves.${place}.${groupIds == null ? 'logicalNumbers' : 'groupIds'}`;
    const advice = 'no terminal of the wave is in the target and can get the versions';
    throw invalid(field, 'must not be empty: {advice}', { advice });
  }
}

/** Refuses waves whose terminals are not clear. */
function requireWaves({ waves }: RolloutCreate): void {
  for (const [place, { percent, logicalNumbers, groupIds }] of waves.entries()) {
    const given = [percent, logicalNumbers, groupIds].filter((each) => each != null).length;
    const isLast = place === waves.length - 1;
    if (given > 1 || (given === 0 && !isLast)) {
      throw invalid(`waves.${place}`, 'must have exactly one of {choices}', {
        choices: 'percent, logicalNumbers and groupIds; the last wave may have none, and gets the rest',
      });
    }
  }
  const all = waves.reduce((sum, { percent }) => sum + (percent ?? 0), 0);
  if (all > 100) throw invalid('waves', 'must have at most {maximum} percent together', { maximum: 100 });
}
