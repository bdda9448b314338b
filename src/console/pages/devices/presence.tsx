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
  return <Badge tone={TONES[presence]}>{text[presence]}</Badge>;
}

/** Whether the terminal of a device may work. */
export function EnabledBadge({ enabled }: { readonly enabled: boolean }): ReactNode {
  const text = useTexts(words);
  return <Badge tone={enabled ? 'good' : 'bad'}>{enabled ? text.enabled : text.disabled}</Badge>;
}
