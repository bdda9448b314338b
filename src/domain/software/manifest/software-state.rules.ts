import type { AssetEvidence, HeldVersion } from './manifest.model.js';

type State = HeldVersion['state'];

/** True if a terminal in this state has the bytes of the version, as far as is known. */
export const hasBytes = (state: State): boolean => ['downloaded', 'installed', 'proven'].includes(state);

const isNew = (known: HeldVersion | undefined): boolean =>
  known === undefined || (known.state === 'granted' && known.attempts === 0);

/** State after new evidence; `known` is undefined if nothing is known of the version. The newest evidence counts. */
function stateAfter(known: HeldVersion | undefined, { kind, other }: AssetEvidence): State {
  const state = known?.state ?? 'granted';
  switch (kind) {
    case 'failed':
      return 'failed';
    case 'installed':
      return state === 'proven' ? 'proven' : 'installed';
    case 'shown':
      // A terminal may have the bytes of a version that it could not install.
      return state === 'failed' || state === 'proven' ? state : 'installed';
    case 'downloaded':
      if (isNew(known) || state === 'failed') return 'downloaded';
      // A terminal that runs other bytes after an earlier download did not take these.
      if (other !== null) return 'granted';
      return state === 'granted' ? 'downloaded' : state;
    case null:
      return state === 'failed' ? 'failed' : 'granted';
  }
}

/** A version that a terminal does not have any more, since `now`. */
export const withoutBytes = (known: HeldVersion, now: Date): HeldVersion => ({
  ...known,
  state: 'granted',
  reason: null,
  detail: null,
  since: now,
});

/** Version and state on a terminal after new evidence; undefined if nothing changes. */
export function heldAfter(
  { deviceId, appVersionId }: Pick<HeldVersion, 'deviceId' | 'appVersionId'>,
  known: HeldVersion | undefined,
  evidence: AssetEvidence,
  now: Date,
): HeldVersion | undefined {
  const { kind, other, reason = null, detail = null } = evidence;
  if (kind === null && (other === null || known === undefined)) return undefined;
  const state = stateAfter(known, evidence);
  const isSame = known?.state === state;
  const isFailure = kind === 'failed';
  const isSaidBefore = !isFailure || (known?.reason === reason && known.detail === detail);
  if (isSame && kind !== 'downloaded' && isSaidBefore) return undefined;
  return {
    deviceId,
    appVersionId,
    state,
    reason: isFailure ? reason : null,
    detail: isFailure ? detail : null,
    attempts: (known?.attempts ?? 0) + (kind === 'downloaded' ? 1 : 0),
    since: isSame ? known.since : now,
  };
}
