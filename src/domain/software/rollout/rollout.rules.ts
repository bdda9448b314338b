/** Decisions about rollouts, from figures alone. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../platform/clock.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import {
  type Candidate,
  COMPARED_MS,
  MIN_COMPARED,
  NO_FIGURES,
  NO_WAVE,
  type Obstacle,
  type PaymentFigures,
  type Rollout,
  type RolloutWaveInput,
  SILENT_AFTER_MS,
  TIME_TO_ANSWER_MS,
  type WaveFigures,
  type WavePayments,
  type Window,
} from './rollout.model.js';

/** A terminal in its wave, by its place from 0; `NO_WAVE` if it is left out. */
export interface Drawn extends Candidate {
  readonly wave: number;
  readonly obstacle: Obstacle | null;
}

export function obstacleOf(candidate: Candidate, now: number): Obstacle | null {
  if (!candidate.isAttached) return 'not_attached';
  if (!candidate.enabled) return 'disabled';
  return now - candidate.lastSeenAt > SILENT_AFTER_MS ? 'silent' : null;
}

/**
 * Draws the terminals into waves: those of lists and groups into their wave, then others by chance until each wave has
 * its percent of all that can get the versions; the last wave gets the rest. Terminals of one logical number are in one
 * wave, those that are left out in none. `random` is from 0 to 1. Lets other work run between its steps, which take up to 30 ms each for 100,000 terminals.
 */
export async function drawWaves(
  candidates: readonly Candidate[],
  waves: readonly RolloutWaveInput[],
  now: number,
  random: () => number,
): Promise<readonly Drawn[]> {
  const last = waves.length - 1;
  const all = candidates.map((candidate) => ({ ...candidate, obstacle: obstacleOf(candidate, now) }));
  const takers = all.filter(({ obstacle }) => obstacle === null);
  const byNumber = Map.groupBy(takers, ({ logicalNumberId }) => logicalNumberId);
  await yieldToEventLoop();
  const placed = new Map<number, number>();
  const sizes = waves.map(() => 0);
  const place = (wave: number, [numberId, own]: readonly [number, readonly Candidate[]]): void => {
    placed.set(numberId, wave);
    sizes[wave] = (sizes[wave] ?? 0) + own.length;
  };
  const waveOf = naming(waves);
  for (const taker of takers) {
    const wave = waveOf(taker);
    if (wave >= 0) place(wave, [taker.logicalNumberId, [taker]]);
  }
  await yieldToEventLoop();
  const unnamed = [...byNumber].filter(([numberId]) => !placed.has(numberId));
  const free = shuffled(unnamed, random);
  await yieldToEventLoop();
  for (const [wave, { percent }] of waves.entries()) {
    const wanted = wave === last || percent == null ? 0 : Math.ceil((takers.length * percent) / 100);
    while ((sizes[wave] ?? 0) < wanted && free.length > 0) place(wave, free.pop() ?? [0, []]);
  }
  for (const entry of free) place(last, entry);
  await yieldToEventLoop();
  return all.map((each) => ({
    ...each,
    wave: each.obstacle === null ? (placed.get(each.logicalNumberId) ?? last) : NO_WAVE,
  }));
}

/** A function that finds the place of the wave which names a terminal, in its list or by its group; -1 if none does. */
function naming(waves: readonly RolloutWaveInput[]) {
  const named = waves.map(({ logicalNumbers, groupIds }) => ({
    numbers: new Set(logicalNumbers),
    groups: new Set<number | null>(groupIds),
  }));
  return ({ number, groupId }: Candidate): number =>
    named.findIndex(({ numbers, groups }) => numbers.has(number) || groups.has(groupId));
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const all = [...list];
  for (let end = all.length - 1; end > 0; end -= 1) {
    const other = Math.floor(random() * (end + 1));
    [all[end], all[other]] = [all[other] as T, all[end] as T];
  }
  return all;
}

/** Terminals of a wave that get the versions, or have them. */
const taking = (size: number, { excluded }: WaveFigures): number => size - excluded;

const share = (part: number, all: number): number => (all === 0 ? 0 : (part * 100) / all);

export type Decision =
  /** `isHeld`: until terminals of the wave prove the versions, and not only until a time. */
  | { readonly kind: 'wait'; readonly until: number | null; readonly isHeld?: boolean }
  | { readonly kind: 'stop'; readonly because: string }
  | { readonly kind: 'start_wave'; readonly wave: number }
  | { readonly kind: 'finish' };

/** Interval at which nodes look at a running rollout, in milliseconds. */
const LOOK_MS = 5 * SECOND;

/** The next step of a rollout. `figures` are those of its waves, by their places. */
export function decide(rollout: Rollout, figures: readonly WaveFigures[], now: number): Decision {
  const { state, wave, waves, stopWhen, hours, startAt } = rollout;
  if (state !== 'planned' && state !== 'running') return { kind: 'wait', until: lookAtEnded(rollout, now) };
  if (wave < 0 && startAt !== null && startAt.getTime() > now)
    return { kind: 'wait', until: startAt.getTime() };
  const because = reasonToStop(rollout, figures, now);
  if (because !== null) return { kind: 'stop', because };
  const isLate = stopWhen.deadline !== null && now >= stopWhen.deadline;
  const current = waves[wave];
  if (current !== undefined) {
    const own = figures[wave] ?? NO_FIGURES;
    const size = taking(current.size, own);
    const isProven = share(own.proven, size) >= current.minProvenPercent;
    const since = rollout.waveStartedAt?.getTime() ?? now;
    // A wave without terminals passes: none can prove anything.
    const isDone =
      size === 0 || current.passedByPerson === true || (isProven && now >= since + current.minDuration);
    const isOver = own.waiting === 0 && isDone;
    if (!isOver && !isLate)
      return { kind: 'wait', until: now + LOOK_MS, isHeld: now >= since + current.minDuration };
    if (isOver && wave === waves.length - 1)
      return now >= watchedUntil(rollout, figures)
        ? { kind: 'finish' }
        : { kind: 'wait', until: now + LOOK_MS };
  }
  if (isLate) return { kind: 'stop', because: LATE };
  const opens = hours === null ? now : opensAt(hours, now);
  if (opens <= now) return { kind: 'start_wave', wave: wave + 1 };
  return { kind: 'wait', until: wave < 0 ? opens : Math.min(opens, now + LOOK_AT_HELD_MS) };
}

/** Time for which terminals may still fail after the last wave has got the versions without a proof. */
const WATCHED_MS = DAY;

/** Until when a rollout is watched whose last wave has passed: until now if that proved something, or nothing is open. */
function watchedUntil({ waves, stopWhen, waveStartedAt }: Rollout, figures: readonly WaveFigures[]): number {
  const last = waves.findLast(({ size }, place) => taking(size, figures[place] ?? NO_FIGURES) > 0);
  const isOpen = figures.some(({ granted, downloaded, installed }) => granted + downloaded + installed > 0);
  if (!isOpen || last?.passedByPerson === true || (last?.minProvenPercent ?? 0) > 0) return 0;
  return stopWhen.deadline ?? (waveStartedAt?.getTime() ?? 0) + WATCHED_MS;
}

/** Interval, and days since its last wave, in which nodes look at the figures of a rollout that does not go on. */
const LOOK_AT_HELD_MS = MINUTE;
const DAYS_OF_ENDED = 30;

function lookAtEnded({ waveStartedAt }: Rollout, now: number): number | null {
  const isRecent = waveStartedAt !== null && now < waveStartedAt.getTime() + DAYS_OF_ENDED * DAY;
  return isRecent ? now + LOOK_AT_HELD_MS : null;
}

const LATE = 'The deadline has passed before the last wave was proven.';

/** The condition that stops a rollout, in words with its figures; null if none does. */
function reasonToStop(rollout: Rollout, figures: readonly WaveFigures[], now: number): string | null {
  const { wave, waves, stopWhen, waveStartedAt, payments } = rollout;
  const failed = figures.reduce((sum, each) => sum + each.failed, 0);
  if (stopWhen.failedCount !== null && failed >= stopWhen.failedCount) {
    return `${failed} terminals have failed: at least ${stopWhen.failedCount}.`;
  }
  // Terminals may fail long after the next wave has begun.
  for (const [place, { size: drawn, minDuration }] of waves.slice(0, wave + 1).entries()) {
    const own = figures[place] ?? NO_FIGURES;
    const size = taking(drawn, own);
    const where = `in wave ${place + 1}`;
    if (stopWhen.failedPercent !== null && share(own.failed, size) >= stopWhen.failedPercent) {
      return `${own.failed} of ${size} terminals have failed ${where}: at least ${stopWhen.failedPercent} %.`;
    }
    const since = payments[place]?.from ?? waveStartedAt?.getTime() ?? now;
    const hasAnswered = now >= since + Math.max(TIME_TO_ANSWER_MS, minDuration);
    if (stopWhen.silentPercent !== null && hasAnswered && share(own.silent, size) >= stopWhen.silentPercent) {
      return `${own.silent} of ${size} terminals have sent nothing ${where}: at least ${stopWhen.silentPercent} %.`;
    }
    const dropped = approvalDrop(payments[place], place, stopWhen.approvalDropPercent);
    if (dropped !== null) return dropped;
  }
  return null;
}

/** Share of approved payments among all attempts to pay, in percent; null if there are none. */
export const approvedPercent = ({ payments, approved, failed }: PaymentFigures): number | null =>
  payments + failed === 0 ? null : share(approved, payments + failed);

/** The last count of payments of a wave in words, if their approved share is lower by so many points. */
function approvalDrop(counted: WavePayments | undefined, wave: number, points: number | null): string | null {
  const { now, before, waiting } = counted ?? {};
  const isEnough = (side?: PaymentFigures | null): side is PaymentFigures =>
    side != null && side.payments + side.failed >= MIN_COMPARED;
  if (points === null || !isEnough(now)) return null;
  const own = approvedPercent(now) ?? 0;
  const others = [
    { side: before, where: 'a week before' },
    { side: waiting, where: 'on terminals that wait' },
  ].flatMap(({ side, where }) =>
    isEnough(side) ? [{ side, where, percent: approvedPercent(side) ?? 0 }] : [],
  );
  if (others.length === 0 || others.some(({ percent }) => percent - own < points)) return null;
  const text = ({ payments, failed }: PaymentFigures, percent: number): string =>
    `${percent.toFixed(1)} % of ${payments + failed}`;
  const compared = others.map(({ side, where, percent }) => `${text(side, percent)} ${where}`).join(' and ');
  return `${text(now, own)} payments are approved in wave ${wave + 1}, but ${compared}: at least ${points} points less.`;
}

/** Counts of payments come after this share of the time since the begin of the wave, and at most once a minute. */
const COUNTED_EACH = 1 / 60;
/** Payments that terminals send late are counted for this time after the span that is compared. */
const LATE_MS = DAY;

export function isCountDue({ state }: Rollout, { from, countedAt }: WavePayments, now: number): boolean {
  const isOver = state === 'undone' || countedAt >= from + COMPARED_MS + LATE_MS;
  return !isOver && now >= countedAt + Math.max(MINUTE, (countedAt - from) * COUNTED_EACH);
}

/** The next time from `now` on in the hours of a window, in milliseconds since 1970. */
export function opensAt({ from, to, zone }: Window, now: number): number {
  const clock = new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' });
  const isOpen = (at: number): boolean => {
    const hour = Number(clock.format(at));
    return from < to ? hour >= from && hour < to : hour >= from || hour < to;
  };
  if (isOpen(now)) return now;
  // Hours of time zones begin at full quarters of an hour of UTC.
  const quarter = 15 * MINUTE;
  const first = Math.ceil(now / quarter) * quarter;
  for (let at = first; at < now + 48 * HOUR; at += quarter) if (isOpen(at)) return at;
  return now + HOUR;
}
