import type { ReactNode } from 'react';

import type { DevicePresence } from '../../gql/graphql';
import { Badge, type Tone } from '../../ui/facts';
import { useText } from './words';

const TONES: Readonly<Record<DevicePresence, Tone>> = {
  ONLINE: 'good',
  STALE: 'warning',
  OFFLINE: 'bad',
  NEVER_SEEN: 'plain',
};
export const PRESENCES = Object.keys(TONES) as DevicePresence[];

export function PresenceBadge({ presence }: { readonly presence: DevicePresence }): ReactNode {
  const text = useText();
  return <Badge tone={TONES[presence]}>{text[presence]}</Badge>;
}

export function EnabledBadge({ enabled }: { readonly enabled: boolean }): ReactNode {
  const text = useText();
  return <Badge tone={enabled ? 'good' : 'bad'}>{enabled ? text.enabled : text.disabled}</Badge>;
}
