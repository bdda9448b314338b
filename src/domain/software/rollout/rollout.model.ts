import { z } from 'zod';

import { DAY, HOUR } from '../../../platform/clock.js';
import { type Audit, printableName, recordId, recordIds, TimeZone } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export type RolloutState = 'planned' | 'running' | 'paused' | 'stopped_by_failures' | 'finished' | 'undone';

/** Why a terminal of the target does not get the versions. */
export type Obstacle = 'disabled' | 'silent' | 'not_attached' | 'moved';

export const MAX_WAVES = 20;
const MAX_VERSIONS = 20;
/** A terminal without a request for this time is left out: it would hold up its wave. */
export const SILENT_AFTER_MS = 7 * DAY;
const MAX_DURATION_DAYS = 90;

const percent = z.number().int().min(1).max(100);
const duration = z
  .number()
  .min(0)
  .max(MAX_DURATION_DAYS * DAY, `must be at most ${MAX_DURATION_DAYS} days`);

/** Terminals of a wave, and what must be so before the next one begins. */
export const RolloutWaveInput = z.object({
  percent: percent.nullish(),
  logicalNumbers: z.array(z.string()).min(1, 'must not be empty').nullish(),
  groupIds: recordIds.nullish(),
  minProvenPercent: z
    .number()
    .int()
    .min(0)
    .max(100)
    .nullish()
    .transform((value) => value ?? 0),
  minDuration: duration.nullish().transform((value) => value ?? 0),
});
export type RolloutWaveInput = z.output<typeof RolloutWaveInput>;

const orNull = <Value>(type: z.ZodType<Value>) => type.nullish().transform((value) => value ?? null);

const StopWhenFields = z.object({
  failedPercent: orNull(percent),
  failedCount: orNull(z.number().int().min(1)),
  silentPercent: orNull(percent),
  approvalDropPercent: orNull(percent),
  deadline: orNull(z.date()),
});

const hour = z.number().int().min(0).max(24);

/** Hours of the day, `to` excluded: from 22 to 6 is the night; all hours if both are the same. */
const WindowFields = z.object({ from: hour, to: hour, zone: TimeZone.nullish() });

export const RolloutCreate = z.object({
  name: printableName(100),
  appVersionIds: z
    .array(recordId)
    .min(1, 'must not be empty')
    .max(MAX_VERSIONS, `must have at most ${MAX_VERSIONS} entries`),
  waves: z.array(RolloutWaveInput).min(1, 'must not be empty').max(MAX_WAVES),
  stopWhen: StopWhenFields.nullish().transform((value) => value ?? StopWhenFields.parse({})),
  window: orNull(WindowFields),
  startAt: orNull(z.date()),
});
export type RolloutCreate = z.output<typeof RolloutCreate>;

/** A wave as it is stored: its terminals are rows. */
export interface RolloutWave {
  readonly size: number;
  readonly minProvenPercent: number;
  /** In milliseconds. */
  readonly minDuration: number;
}

/** Each is null unless given. */
export interface StopWhen {
  /** Share of failed terminals of a wave. */
  readonly failedPercent: number | null;
  /** Number of failed terminals of all waves. */
  readonly failedCount: number | null;
  /** Share of terminals of a wave that sent no request since they got the versions. */
  readonly silentPercent: number | null;
  /** Points by which the share of approved payments of a wave is lower than that of those it is compared with. */
  readonly approvalDropPercent: number | null;
  /** Time, in milliseconds since 1970, by which the last wave must have begun. */
  readonly deadline: number | null;
}

/** Hours of the day in a time zone. */
export interface Window extends z.output<typeof WindowFields> {
  readonly zone: string;
}

export type Rollout = RecordOf<
  'rollouts',
  Audit & {
    readonly state: RolloutState;
    readonly appVersionIds: readonly number[];
    readonly waves: readonly RolloutWave[];
    readonly stopWhen: StopWhen;
    readonly hours: Window | null;
    /** Figures of each wave when a node last looked. */
    readonly figures: readonly WaveFigures[];
    /** Payments of each wave that has begun. */
    readonly payments: readonly WavePayments[];
  }
>;

export type RolloutTerminal = RecordOf<
  'rollout_terminals',
  {
    readonly obstacle: Obstacle | null;
    readonly added: readonly number[];
    readonly removed: readonly number[];
  }
>;

/** Numbers of terminals of a wave by what is known of the versions on them. Each is counted once. */
export interface WaveFigures {
  /** Not given the versions yet. */
  readonly waiting: number;
  /** Left out, see `Obstacle`. */
  readonly excluded: number;
  readonly granted: number;
  readonly downloaded: number;
  readonly installed: number;
  readonly proven: number;
  readonly failed: number;
  /** Terminals that have the versions, and sent no request since. Counted in the others too. */
  readonly silent: number;
}

export const NO_FIGURES: WaveFigures = {
  waiting: 0,
  excluded: 0,
  granted: 0,
  downloaded: 0,
  installed: 0,
  proven: 0,
  failed: 0,
  silent: 0,
};

/** Payments of terminals in a span of time. */
export interface PaymentFigures {
  readonly terminals: number;
  /** Transactions with a payment. */
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
