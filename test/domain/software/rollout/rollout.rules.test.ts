import { describe, expect, it } from 'vitest';

import {
  type Candidate,
  MIN_COMPARED,
  NO_FIGURES,
  NO_WAVE,
  type PaymentFigures,
  type Rollout,
  type RolloutWaveInput,
  type WaveFigures,
  type WavePayments,
} from '../../../../src/domain/software/rollout/rollout.model.js';
import {
  decide,
  drawWaves,
  isCountDue,
  obstacleOf,
  opensAt,
} from '../../../../src/domain/software/rollout/rollout.rules.js';
import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';

const NOW = Date.UTC(2026, 2, 2, 12);

const candidate = (deviceId: number, more: Partial<Candidate> = {}): Candidate => ({
  deviceId,
  logicalNumberId: deviceId,
  number: String(deviceId),
  groupId: 1,
  enabled: true,
  lastSeenAt: NOW,
  isAttached: true,
  ...more,
});

const wave = (more: Partial<RolloutWaveInput> = {}): RolloutWaveInput => ({
  minProvenPercent: 0,
  minDuration: 0,
  ...more,
});

/** Numbers from 0 to 1 that are the same in each run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('the draw of a rollout', () => {
  const sizesOf = (drawn: Awaited<ReturnType<typeof drawWaves>>, waves: number): number[] =>
    Array.from({ length: waves }, (_, place) => drawn.filter((each) => each.wave === place).length);

  it('gives each wave its share of all terminals, and the rest to the last one', async () => {
    const candidates = Array.from({ length: 1000 }, (_, index) => candidate(index + 1));
    const waves = [wave({ percent: 1 }), wave({ percent: 25 }), wave()];
    for (const seed of [1, 2, 3]) {
      const drawn = await drawWaves(candidates, waves, NOW, sequence(seed));
      expect(drawn.map(({ deviceId }) => deviceId)).toEqual(candidates.map(({ deviceId }) => deviceId));
      expect(sizesOf(drawn, 3)).toEqual([10, 250, 740]);
    }
    const wavesOf = async (seed: number): Promise<readonly number[]> =>
      (await drawWaves(candidates, waves, NOW, sequence(seed))).map((each) => each.wave);
    const [one, other] = [await wavesOf(1), await wavesOf(2)];
    expect(one).not.toEqual(other);
  });

  it('puts lists and groups into their waves, and the terminals of a number together', async () => {
    const candidates = [
      ...Array.from({ length: 20 }, (_, index) => candidate(index + 1)),
      candidate(21, { groupId: 2 }),
      candidate(22, { logicalNumberId: 3, number: '3' }),
    ];
    const waves = [
      wave({ logicalNumbers: ['3', 'unknown'] }),
      wave({ groupIds: [2] }),
      wave({ percent: 50 }),
      wave(),
    ];
    const drawn = await drawWaves(candidates, waves, NOW, sequence(7));
    const of = (place: number) => drawn.flatMap((each) => (each.wave === place ? [each.deviceId] : []));
    expect([of(0), of(1), of(2).length, of(3).length]).toEqual([[3, 22], [21], 11, 8]);
  });

  it('counts percents of the terminals that can get the versions, and puts the others in no wave', async () => {
    const candidates = Array.from({ length: 100 }, (_, index) =>
      candidate(index + 1, { enabled: index % 2 === 0 }),
    );
    const drawn = await drawWaves(candidates, [wave({ percent: 20 }), wave()], NOW, sequence(5));
    const first = drawn.filter((each) => each.wave === 0);
    expect(first.map(({ obstacle }) => obstacle)).toEqual(Array.from({ length: 10 }, () => null));
    expect(drawn.filter(({ obstacle }) => obstacle !== null).map((each) => each.wave)).toEqual(
      Array.from({ length: 50 }, () => NO_WAVE),
    );
  });

  it('leaves out terminals that cannot get the versions', () => {
    expect([
      obstacleOf(candidate(1), NOW),
      obstacleOf(candidate(1, { enabled: false }), NOW),
      obstacleOf(candidate(1, { isAttached: false, enabled: false }), NOW),
      obstacleOf(candidate(1, { lastSeenAt: NOW - 7 * DAY }), NOW),
      obstacleOf(candidate(1, { lastSeenAt: NOW - 7 * DAY - 1 }), NOW),
    ]).toEqual([null, 'disabled', 'not_attached', null, 'silent']);
  });
});

const WAVES = [
  { size: 10, minProvenPercent: 50, minDuration: HOUR },
  { size: 100, minProvenPercent: 0, minDuration: 0 },
];
const NEVER = {
  failedPercent: null,
  failedCount: null,
  silentPercent: null,
  approvalDropPercent: null,
  deadline: null,
};

const rollout = (more: Partial<Rollout> = {}): Rollout =>
  ({
    state: 'running',
    startAt: null,
    wave: 0,
    waves: WAVES,
    stopWhen: NEVER,
    hours: null,
    payments: [],
    waveStartedAt: new Date(NOW),
    ...more,
  }) as Rollout;

const figures = (...given: readonly Partial<WaveFigures>[]): readonly WaveFigures[] =>
  WAVES.map((_, place) => ({ ...NO_FIGURES, ...given[place] }));

describe('the decision about a rollout', () => {
  it('begins with the first wave', () => {
    expect(decide(rollout({ wave: -1, waveStartedAt: null }), figures(), NOW)).toEqual({
      kind: 'start_wave',
      wave: 0,
    });
  });

  it('begins the next wave once enough terminals are proven and the time is over', () => {
    const at = (proven: number, excluded: number, now: number, waiting = 0) =>
      decide(rollout(), figures({ proven, excluded, waiting }), now).kind;
    expect(at(5, 0, NOW + HOUR)).toBe('start_wave');
    expect(at(5, 0, NOW + HOUR - 1)).toBe('wait');
    expect(at(4, 0, NOW + HOUR)).toBe('wait');
    expect(at(4, 2, NOW + HOUR)).toBe('start_wave');
    expect(at(5, 0, NOW + HOUR, 1)).toBe('wait');
  });

  it('passes a wave of which no terminal is left, at once and wherever it stands', () => {
    const waves = (more: object) =>
      [0, 1, 2].map(() => ({ size: 0, minProvenPercent: 0, minDuration: 0, ...more }));
    for (const more of [
      {},
      { minProvenPercent: 80 },
      { minDuration: DAY },
      { size: 3, minProvenPercent: 80 },
    ]) {
      for (const deadline of [null, NOW + HOUR]) {
        const given = { waves: waves(more), stopWhen: { ...NEVER, deadline } };
        const empty = waves({}).map(() => ({ ...NO_FIGURES, excluded: 'size' in more ? 3 : 0 }));
        const kinds = [0, 1, 2].map((wave) => decide(rollout({ ...given, wave }), empty, NOW).kind);
        expect(kinds, JSON.stringify(more)).toEqual(['start_wave', 'start_wave', 'finish']);
      }
    }
  });

  it('watches terminals after a last wave that need not be proven: for a day, or until the deadline', () => {
    const at = (now: number, open: Partial<WaveFigures>, deadline: number | null = null) =>
      decide(rollout({ wave: 1, stopWhen: { ...NEVER, deadline } }), figures({}, open), now).kind;
    expect(at(NOW + DAY - 1, { granted: 100 })).toBe('wait');
    expect(at(NOW + DAY, { granted: 100 })).toBe('finish');
    expect(at(NOW + DAY, { installed: 1, proven: 99 }, NOW + 2 * DAY)).toBe('wait');
    expect(at(NOW + 2 * DAY, { installed: 1, proven: 99 }, NOW + 2 * DAY)).toBe('finish');
    expect(at(NOW + 2 * DAY, { waiting: 1, proven: 99 }, NOW + 2 * DAY)).toBe('stop');
    expect(at(NOW, { proven: 98, failed: 2 })).toBe('finish');
  });

  it('finishes once a last wave is proven that must be', () => {
    const waves = WAVES.map((each) => ({ ...each, minProvenPercent: 50 }));
    const at = (proven: number) =>
      decide(rollout({ wave: 1, waves }), figures({}, { proven, granted: 100 - proven }), NOW);
    expect(at(49)).toEqual({ kind: 'wait', until: NOW + 5_000, isHeld: true });
    expect(at(50).kind).toBe('finish');
  });

  it('goes on after a wave that a person has passed, once all of its terminals have the versions', () => {
    const waves = WAVES.map((each) => ({ ...each, passedByPerson: true }));
    const at = (wave: number, waiting: number) =>
      decide(rollout({ wave, waves }), figures({ granted: 9, waiting }, { granted: 100 }), NOW).kind;
    expect([at(0, 1), at(0, 0), at(1, 0)]).toEqual(['wait', 'start_wave', 'finish']);
  });

  it('stops by the share of a wave, by the number of all, and by silence after an hour', () => {
    const stop = (
      stopWhen: Partial<Rollout['stopWhen']>,
      now: number,
      ...given: readonly Partial<WaveFigures>[]
    ) => {
      const decision = decide(
        rollout({ wave: 1, stopWhen: { ...NEVER, ...stopWhen } }),
        figures(...given),
        now,
      );
      return decision.kind === 'stop' ? decision.because : decision.kind;
    };
    const waiting = { waiting: 1 };
    expect(stop({ failedPercent: 4 }, NOW, {}, { ...waiting, failed: 3 })).toBe('wait');
    expect(stop({ failedPercent: 4 }, NOW, {}, { ...waiting, failed: 4 })).toBe(
      '4 of 100 terminals have failed in wave 2: at least 4 %.',
    );
    expect(stop({ failedCount: 4 }, NOW, { failed: 2 }, { ...waiting, failed: 2 })).toBe(
      '4 terminals have failed: at least 4.',
    );
    expect(stop({ failedPercent: 50 }, NOW, { failed: 5 }, waiting)).toBe(
      '5 of 10 terminals have failed in wave 1: at least 50 %.',
    );
    expect(stop({ silentPercent: 50 }, NOW + HOUR, { silent: 5 }, waiting)).toBe(
      '5 of 10 terminals have sent nothing in wave 1: at least 50 %.',
    );
    const silent = { silent: 50, proven: 50, waiting: 1 };
    expect(stop({ silentPercent: 50 }, NOW + HOUR - 1, {}, silent)).toBe('wait');
    expect(stop({ silentPercent: 50 }, NOW + HOUR, {}, silent)).toBe(
      '50 of 100 terminals have sent nothing in wave 2: at least 50 %.',
    );
    expect(stop({ deadline: NOW }, NOW, {}, waiting)).toContain('deadline');
    expect(stop({ deadline: NOW + 1 }, NOW, {}, waiting)).toBe('wait');
  });

  it('begins waves in the hours of the window only', () => {
    const hours = { from: 22, to: 6, zone: 'America/Sao_Paulo' };
    const decision = decide(rollout({ wave: -1, hours }), figures(), NOW);
    expect(decision).toEqual({ kind: 'wait', until: Date.UTC(2026, 2, 3, 1) });
    const later = NOW + HOUR;
    const between = decide(rollout({ hours }), figures({ proven: 10 }), later);
    expect(between).toEqual({ kind: 'wait', until: later + MINUTE });
  });
});

describe('the comparison of payments', () => {
  const side = (percent: number, payments = 200, failed = 0): PaymentFigures => ({
    terminals: 10,
    payments: payments - failed,
    approved: (payments * percent) / 100,
    failed,
  });

  const stop = (
    now: PaymentFigures | null,
    before: PaymentFigures | null,
    waiting: PaymentFigures | null,
  ): string => {
    const payments: readonly WavePayments[] = [{ from: NOW, countedAt: NOW, now, before, waiting }];
    const stopWhen = { ...NEVER, approvalDropPercent: 10 };
    const decision = decide(rollout({ stopWhen, payments }), figures(), NOW);
    return decision.kind === 'stop' ? decision.because : decision.kind;
  };

  it('stops when fewer are approved than a week before, and than on terminals that wait', () => {
    expect(stop(side(80), side(90), null)).toBe(
      '80.0 % of 200 payments are approved in wave 1, but 90.0 % of 200 a week before: at least 10 points less.',
    );
    expect(stop(side(80, 100, 20), side(95, 400), side(90, 1000))).toBe(
      '80.0 % of 100 payments are approved in wave 1, but 95.0 % of 400 a week before and 90.0 % of 1000 on terminals that wait: at least 10 points less.',
    );
    expect(stop(side(80.5), side(90), null)).toBe('wait');
    expect(stop(side(0), side(100), side(100))).toContain('0.0 % of 200');
  });

  it('does not stop when the terminals that wait have the same drop', () => {
    expect(stop(side(60), side(95), side(60))).toBe('wait');
    expect(stop(side(60), side(95), side(69.5))).toBe('wait');
    expect(stop(side(60), side(60), side(95))).toBe('wait');
  });

  it('needs enough payments of the wave, and compares it with those sides that have enough', () => {
    const few = MIN_COMPARED - 1;
    expect(stop(side(0, few), side(100), null)).toBe('wait');
    expect(stop(side(0), side(100, few), side(100, few))).toBe('wait');
    expect(stop(side(0), side(0, few), side(100))).toContain('but 100.0 % of 200 on terminals that wait: at');
    expect(stop(side(0), null, side(0))).toBe('wait');
    expect(stop(null, null, null)).toBe('wait');
    expect(stop(side(0), side(100), side(0, few))).toContain('a week before: at least');
    expect(stop(side(0, MIN_COMPARED), side(100, MIN_COMPARED), null)).toContain('at least 10 points less');
  });

  it('is counted once a minute at first, then at each sixtieth of the span, for eight days', () => {
    const due = (countedAt: number, now: number, state: Rollout['state'] = 'running'): boolean => {
      const counted = { from: NOW, countedAt, now: null, before: null, waiting: null };
      return isCountDue(rollout({ state }), counted, now);
    };
    expect([due(NOW, NOW + MINUTE - 1), due(NOW, NOW + MINUTE)]).toEqual([false, true]);
    const day = NOW + DAY;
    expect([due(day, day + 24 * MINUTE - 1), due(day, day + 24 * MINUTE)]).toEqual([false, true]);
    expect([due(NOW + 8 * DAY - 1, NOW + 9 * DAY), due(NOW + 8 * DAY, NOW + 90 * DAY)]).toEqual([
      true,
      false,
    ]);
    expect([due(NOW, day, 'undone'), due(NOW, day, 'finished')]).toEqual([false, true]);
  });
});

describe('the window of a rollout', () => {
  it('opens at the next full hour in its zone', () => {
    const india = { from: 9, to: 17, zone: 'Asia/Kolkata' };
    expect(opensAt(india, NOW)).toBe(Date.UTC(2026, 2, 3, 3, 30));
    expect(opensAt(india, Date.UTC(2026, 2, 3, 3, 30))).toBe(Date.UTC(2026, 2, 3, 3, 30));
    expect(opensAt(india, Date.UTC(2026, 2, 3, 11, 29))).toBe(Date.UTC(2026, 2, 3, 11, 29));
    // The hour from 2 to 3 does not exist in Berlin on this day: the window opens on the next one.
    const skipped = { from: 2, to: 3, zone: 'Europe/Berlin' };
    expect(opensAt(skipped, Date.UTC(2026, 2, 29, 0, 30))).toBe(Date.UTC(2026, 2, 30, 0));
    expect(opensAt({ from: 0, to: 24, zone: 'UTC' }, NOW + MINUTE)).toBe(NOW + MINUTE);
  });
});
