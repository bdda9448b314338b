import { useMemo, type ComponentType } from 'react';

import type { Scope } from '../gql/graphql';
import type { IconName } from '../ui/icon';
import type { PageName } from '../ui/words';
import { useSession } from './session';

/**
 * A page at the path of its name, below /console, and in the menu under the heading of its section. Its shortcut is the
 * second key after `g`. Without the right for its scope, it is not shown.
 */
const page = (
  name: PageName,
  icon: IconName,
  section: PageName | null,
  shortcut: string,
  load: () => Promise<{ default: ComponentType }>,
  scope: Scope = 'READ',
) => ({ path: `/${name}`, name, icon, section, shortcut, load, scope });

export type PageEntry = ReturnType<typeof page>;

/** All pages, in the order of the menu. The first one is shown at `/console`. */
export const PAGES: readonly PageEntry[] = [
  page('overview', 'home', null, 'o', () => import('../pages/overview/overview-page')),
  page('alerts', 'warning', null, 'i', () => import('../pages/alerts/alerts-page')),
  page('devices', 'device', 'fleet', 'd', () => import('../pages/devices/devices-page')),
  page('logical-numbers', 'number', 'fleet', 'l', () => import('../pages/logical-numbers/numbers-page')),
  page('groups', 'group', 'fleet', 'r', () => import('../pages/groups/groups-page')),
  page('plan', 'edit', 'fleet', 'y', () => import('../pages/plan/plan-page')),
  page('unknown-terminals', 'warning', 'fleet', 'u', () => import('../pages/devices/unknown-terminals-page')),
  page('transactions', 'payment', 'payments', 't', () => import('../pages/transactions/transactions-page')),
  page('rankings', 'columns', 'payments', 'k', () => import('../pages/rankings/rankings-page')),
  page('apps', 'box', 'software', 'p', () => import('../pages/software/apps-page')),
  page('app-versions', 'history', 'software', 'v', () => import('../pages/software/versions-page')),
  page('rollouts', 'steps', 'software', 'x', () => import('../pages/rollouts/rollouts-page')),
  page('files', 'file', 'software', 'f', () => import('../pages/software/files-page')),
  page(
    'notifications',
    'notification',
    'messages',
    'n',
    () => import('../pages/notifications/notifications-page'),
  ),
  page('commands', 'send', 'messages', 'c', () => import('../pages/commands/commands-page')),
  page('parameters', 'sliders', 'messages', 'e', () => import('../pages/values/parameters-page')),
  page('metacontents', 'text', 'messages', 'm', () => import('../pages/values/metacontents-page')),
  page('members', 'people', 'company', 'b', () => import('../pages/company/members-page'), 'ADMIN'),
  page('jobs', 'check', 'company', 'j', () => import('../pages/company/jobs-page')),
  page('ledger', 'history', 'company', 'h', () => import('../pages/company/ledger-page'), 'ADMIN'),
  page('webhooks', 'send', 'company', 'w', () => import('../pages/webhooks/webhooks-page'), 'ADMIN'),
  page('alert-rules', 'sliders', 'company', 'q', () => import('../pages/alerts/rules-page')),
  page('settings', 'gear', 'company', 's', () => import('../pages/company/settings-page')),
  page('account', 'user', 'company', 'a', () => import('../pages/account/account-page')),
];

/** Pages that the person may see. */
export function usePages(): readonly PageEntry[] {
  const { viewer } = useSession();
  return useMemo(() => PAGES.filter(({ scope }) => viewer.scopes.includes(scope)), [viewer.scopes]);
}
