import { z } from 'zod';

import { DAY, HOUR } from '../../../platform/clock.js';
import { rule } from '../../../platform/rules.js';
import {
  type Audit,
  type Ids,
  normalized,
  printableName,
  recordId,
  recordIds,
  TimeZone,
} from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export type RolloutState = 'planned' | 'running' | 'paused' | 'stopped_by_failures' | 'finished' | 'undone';

/** Why a terminal of the target does not get the versions, or does not count any more. */
export const OBSTACLES = {
  disabled: 'Its device is disabled.',
  silent: 'It has sent no request for seven days.',
  not_attached: 'The group of the logical number does not have the versions any more.',
  moved: 'Its device has another logical number now.',
  deleted: 'Its device was deleted.',
  left_out: 'A person has left it out.',
} as const;
export type Obstacle = keyof typeof OBSTACLES;

export const MAX_WAVES = 20;
/** Place of the wave of terminals that were left out when the waves were drawn. */
export const NO_WAVE = -1;
const MAX_VERSIONS = 20;
/** A terminal without a request for this time is left out: it would hold up its wave. */
export const SILENT_AFTER_MS = 7 * DAY;
const MAX_DURATION_DAYS = 90;

const percent = z.number().int().min(1).max(100);
const duration = z
  .number()
  .min(0)
  .refine(
    (time) => time <= MAX_DURATION_DAYS * DAY,
    rule('must be at most {maximum} days', { maximum: MAX_DURATION_DAYS }),
  );

const orNull = <Value>(type: z.ZodType<Value>) => type.nullish().transform((value) => value ?? null);
const orZero = (type: z.ZodType<number>) => type.nullish().transform((value) => value ?? 0);

/** Terminals of a wave, and what must be so before the next one begins. */
export const RolloutWaveInput = z.object({
  percent: percent.nullish(),
  logicalNumbers: z
    .array(z.string().transform((number) => normalized(number.trim())))
    .min(1)
    .nullish(),
  groupIds: recordIds.nullish(),
  minProvenPercent: orZero(z.number().int().min(0).max(100)),
  /** In milliseconds. */
  minDuration: orZero(duration),
});
export type RolloutWaveInput = z.output<typeof RolloutWaveInput>;

/** A wave as it is stored: its terminals are rows. */
export interface RolloutWave extends Readonly<Pick<RolloutWaveInput, 'minProvenPercent' | 'minDuration'>> {
  readonly size: number;
  /** True if a person has passed it, whatever was proven. */
  readonly passedByPerson?: boolean;
  /** Jobs that gave the versions, more than one if the wave was resumed; absent before it has begun. */
  readonly jobIds?: Ids;
}

/** Each is null unless given. */
const StopWhen = z.object({
  /** Share of failed terminals of a wave. */
  failedPercent: orNull(percent),
  failedCount: orNull(z.number().int().min(1)),
  /** Share of terminals of a wave that sent no request since they got the versions. */
  silentPercent: orNull(percent),
  /** Points by which the share of approved payments of a wave is lower than that of those it is compared with. */
  approvalDropPercent: orNull(percent),
  /** Time, in milliseconds since 1970, by which the last wave must have begun. */
  deadline: orNull(z.date().transform((at) => at.getTime())),
});
export type StopWhen = Readonly<z.output<typeof StopWhen>>;

const hour = z.number().int().min(0).max(24);

/** Hours of the day, `to` excluded: from 22 to 6 is the night. */
const WindowFields = z
  .object({ from: hour, to: hour, zone: TimeZone.nullish() })
  .refine(({ from, to }) => (from === 0 && to === 24) || from % 24 !== to % 24, {
    path: ['to'],
    ...rule('must not be the hour at which it begins: 0 to 24 is the whole day'),
  });

export const RolloutCreate = z.object({
  name: printableName(100),
  appVersionIds: z.array(recordId).min(1).max(MAX_VERSIONS),
  waves: z.array(RolloutWaveInput).min(1).max(MAX_WAVES),
  stopWhen: StopWhen.nullish().transform((value) => value ?? StopWhen.parse({})),
  window: orNull(WindowFields),
  startAt: orNull(z.date()),
});
export type RolloutCreate = z.output<typeof RolloutCreate>;

const reason = printableName(500);
export const LeaveOut = z.object({ deviceIds: recordIds, reason });
/** `wave` counts from 1. */
export const PassWave = z.object({ wave: z.number().int(), reason });

/** Hours of the day in a time zone. */
export type Window = Readonly<z.output<typeof WindowFields> & { zone: string }>;

export type Rollout = RecordOf<
  'rollouts',
  Audit & {
    readonly state: RolloutState;
    readonly appVersionIds: readonly number[];
    readonly replacedIds: readonly number[];
    readonly waves: readonly RolloutWave[];
    readonly stopWhen: StopWhen;
    readonly hours: Window | null;
    /** Figures of each wave when a node last looked. */
    readonly figures: readonly WaveFigures[];
    readonly payments: readonly WavePayments[];
  }
>;

export type RolloutTerminal = RecordOf<
  'rollout_terminals',
  {
    readonly state: Exclude<keyof WaveFigures, 'silent'>;
    readonly obstacle: Obstacle | null;
    readonly added: readonly number[];
    readonly removed: readonly number[];
  }
>;

/** A terminal of the target of a rollout, with what decides whether it can get the versions. */
export interface Candidate {
  readonly deviceId: number;
  readonly logicalNumberId: number;
  readonly number: string;
  readonly groupId: number | null;
  readonly enabled: boolean;
  /** Time of its last request, or of its creation if it sent none, in milliseconds since 1970. */
  readonly lastSeenAt: number;
  readonly isAttached: boolean;
}

/** Numbers of terminals of a wave by what is known of the versions on them. Each is counted once. */
export type WaveFigures = Readonly<typeof NO_FIGURES>;

export const NO_FIGURES = {
  /** Not given the versions yet. */
  waiting: 0,
  /** Left out, see `Obstacle`. */
  excluded: 0,
  granted: 0,
  downloaded: 0,
  installed: 0,
  proven: 0,
  failed: 0,
  /** Terminals that have the versions, and sent no request since. Counted in the others too. */
  silent: 0,
};

/** Payments of terminals in a span of time. */
export interface PaymentFigures {
  readonly terminals: number;
  readonly payments: number;
  /** Payments that the authorizer approved; cancellations and refunds too. */
  readonly approved: number;
  /** Failed transactions with a host, which have no payment. */
  readonly failed: number;
}

/** Payments of a wave when a node last counted them. Times are in milliseconds since 1970. */
export interface WavePayments {
  /** When the wave began. */
  readonly from: number;
  /** When they were counted; `from` if not yet. */
  readonly countedAt: number;
  /** The terminals of the wave, from its begin on. Null if not counted yet. */
  readonly now: PaymentFigures | null;
  /** Payments of these terminals in the same span, seven days earlier. */
  readonly before: PaymentFigures | null;
  /** Terminals of later waves without the versions, in the span of `now`. Null if there are none. */
  readonly waiting: PaymentFigures | null;
}

/** The payments of a wave are compared from its begin on, for this time at most. */
export const COMPARED_MS = 7 * DAY;

/** Payments and failed transactions that each side needs before a rollout is stopped by a comparison of them. */
export const MIN_COMPARED = 50;

/** Terminals need this time to send their next request: silent ones are counted after it. */
export const TIME_TO_ANSWER_MS = HOUR;
