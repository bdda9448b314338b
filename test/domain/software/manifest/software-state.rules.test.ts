import { describe, expect, it } from 'vitest';

import type { AssetEvidence, HeldVersion } from '../../../../src/domain/software/manifest/manifest.model.js';
import { heldAfter } from '../../../../src/domain/software/manifest/software-state.rules.js';

type SoftwareState = HeldVersion['state'];

const VERSION = { deviceId: 2, appVersionId: 1 };
const [BEFORE, NOW] = [new Date(1_000), new Date(2_000)];
const OTHER = { crc: '0F0F' };

const held = (state: SoftwareState, more: Partial<HeldVersion> = {}): HeldVersion => ({
  ...VERSION,
  state,
  reason: null,
  detail: null,
  attempts: 1,
  since: BEFORE,
  ...more,
});

const EVIDENCE: Readonly<Record<string, AssetEvidence>> = {
  nothing: { kind: null, other: null },
  downloaded: { kind: 'downloaded', other: null },
  'downloaded, others named': { kind: 'downloaded', other: OTHER },
  shown: { kind: 'shown', other: null },
  'others named': { kind: null, other: OTHER },
  installed: { kind: 'installed', other: null },
  failed: { kind: 'failed', other: null, reason: 'SIGNATURE', detail: 'bad' },
};

/** State after each evidence, by the state before it; `-` if nothing is stored. */
const TABLE: Readonly<Record<string, Readonly<Record<SoftwareState | 'unknown', SoftwareState | '-'>>>> = {
  nothing: { unknown: '-', granted: '-', downloaded: '-', installed: '-', proven: '-', failed: '-' },
  downloaded: {
    unknown: 'downloaded',
    granted: 'downloaded',
    downloaded: 'downloaded',
    installed: 'installed',
    proven: 'proven',
    failed: 'downloaded',
  },
  'downloaded, others named': {
    unknown: 'downloaded',
    granted: 'granted',
    downloaded: 'granted',
    installed: 'granted',
    proven: 'granted',
    failed: 'downloaded',
  },
  shown: {
    unknown: 'installed',
    granted: 'installed',
    downloaded: 'installed',
    installed: '-',
    proven: '-',
    failed: '-',
  },
  'others named': {
    unknown: '-',
    granted: '-',
    downloaded: 'granted',
    installed: 'granted',
    proven: 'granted',
    failed: '-',
  },
  installed: {
    unknown: 'installed',
    granted: 'installed',
    downloaded: 'installed',
    installed: '-',
    proven: '-',
    failed: 'installed',
  },
  failed: {
    unknown: 'failed',
    granted: 'failed',
    downloaded: 'failed',
    installed: 'failed',
    proven: 'failed',
    failed: 'failed',
  },
};

const CASES = Object.entries(TABLE).flatMap(([evidence, states]) =>
  Object.entries(states).map(([before, after]) => [before, evidence, after] as const),
);

describe('the state of a version on a terminal', () => {
  it.each(CASES)('%s, then %s: %s', (before, evidence, after) => {
    const known = before === 'unknown' ? undefined : held(before as SoftwareState);
    const given = EVIDENCE[evidence];
    const result = given && heldAfter(VERSION, known, given, NOW);
    expect(result?.state ?? '-').toBe(after);
    if (result !== undefined) expect(result.since).toEqual(before === after ? BEFORE : NOW);
  });

  it('has the reason of the latest failure, and none in other states', () => {
    const failed = held('failed', { reason: 'SPACE', detail: 'full' });
    const again = { kind: 'failed', other: null, reason: 'SPACE', detail: 'full' } as const;
    expect(heldAfter(VERSION, failed, again, NOW)).toBeUndefined();
    expect(heldAfter(VERSION, failed, { ...again, reason: 'SIGNATURE' }, NOW)).toEqual({
      ...failed,
      reason: 'SIGNATURE',
    });
    const installed = heldAfter(VERSION, failed, { kind: 'installed', other: null }, NOW);
    expect(installed).toEqual(held('installed', { since: NOW }));
  });

  it('counts complete downloads of these bytes', () => {
    const download = { kind: 'downloaded', other: null } as const;
    const first = heldAfter(VERSION, undefined, download, NOW);
    expect(first?.attempts).toBe(1);
    expect(heldAfter(VERSION, first, download, NOW)?.attempts).toBe(2);
    expect(heldAfter(VERSION, first, { kind: 'installed', other: null }, NOW)?.attempts).toBe(1);
    expect(heldAfter(VERSION, undefined, { kind: 'failed', other: null }, NOW)?.attempts).toBe(0);
  });
});
