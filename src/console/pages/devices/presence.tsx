import type { ReactNode } from 'react';

import type { DevicePresence } from '../../gql/graphql';
import { useTexts } from '../../text';
import { Badge, type Tone } from '../../ui/facts';
import { words } from './words';

const TONES: Readonly<Record<DevicePresence, Tone>> = {
  ONLINE: 'good',
  STALE: 'warning',
  OFFLINE: 'bad',
  NEVER_SEEN: 'plain',
};

export function PresenceBadge({ presence }: { readonly presence: DevicePresence }): ReactNode {
  const text = useTexts(words);
  const names = { ONLINE: text.online, STALE: text.stale, OFFLINE: text.offline, NEVER_SEEN: text.neverSeen };
  return <Badge tone={TONES[presence]}>{names[presence]}</Badge>;
}
