import { useMemo, type ComponentType } from 'react';

import { texts } from '../text';
import type { IconName } from '../ui/icon';
import { useSession } from './session';

export const pageNames = texts({
  account: ['Account', 'Conta'],
  apps: ['Apps', 'Aplicativos'],
  'app-versions': ['App versions', 'Versões de aplicativos'],
  devices: ['Devices', 'Dispositivos'],
  files: ['Files', 'Arquivos'],
  fleet: ['Fleet', 'Frota'],
  groups: ['Groups', 'Grupos'],
  ledger: ['Change history', 'Histórico de alterações'],
  'logical-numbers': ['Logical numbers', 'Números lógicos'],
  members: ['Members', 'Membros'],
  messages: ['Messages', 'Mensagens'],
  metacontents: ['Metacontents', 'Metaconteúdos'],
  notifications: ['Notifications', 'Notificações'],
  overview: ['Overview', 'Visão geral'],
  parameters: ['Parameters', 'Parâmetros'],
  payments: ['Payments', 'Pagamentos'],
  settings: ['Company and server', 'Empresa e servidor'],
  software: ['Software', 'Software'],
  company: ['Company', 'Empresa'],
  transactions: ['Transactions', 'Transações'],
  'unknown-terminals': ['Unknown terminals', 'Terminais desconhecidos'],
});

type PageName = keyof (typeof pageNames)['en'];

export interface PageEntry {
  /** Below /console: `/devices`. */
  readonly path: string;
  readonly name: PageName;
  readonly icon: IconName;
  /** Heading in the menu under which the page stands. */
  readonly section: PageName | null;
  /** Right without which the page is not shown. */
  readonly scope?: 'WRITE' | 'ADMIN';
  /** Second key of the shortcut that begins with `g`. */
  readonly shortcut: string;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** All pages, in the order of the menu. The first one is shown at `/console`. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/overview',
    name: 'overview',
    icon: 'home',
    section: null,
    shortcut: 'o',
    load: () => import('../pages/overview/overview-page'),
  },
  {
    path: '/devices',
    name: 'devices',
    icon: 'device',
    section: 'fleet',
    shortcut: 'd',
    load: () => import('../pages/devices/devices-page'),
  },
  {
    path: '/logical-numbers',
    name: 'logical-numbers',
    icon: 'number',
    section: 'fleet',
    shortcut: 'l',
    load: () => import('../pages/logical-numbers/numbers-page'),
  },
  {
    path: '/groups',
    name: 'groups',
    icon: 'group',
    section: 'fleet',
    shortcut: 'r',
    load: () => import('../pages/groups/groups-page'),
  },
  {
    path: '/unknown-terminals',
    name: 'unknown-terminals',
    icon: 'warning',
    section: 'fleet',
    shortcut: 'u',
    load: () => import('../pages/devices/unknown-terminals-page'),
  },
  {
    path: '/transactions',
    name: 'transactions',
    icon: 'payment',
    section: 'payments',
    shortcut: 't',
    load: () => import('../pages/transactions/transactions-page'),
  },
  {
    path: '/apps',
    name: 'apps',
    icon: 'box',
    section: 'software',
    shortcut: 'p',
    load: () => import('../pages/software/apps-page'),
  },
  {
    path: '/app-versions',
    name: 'app-versions',
    icon: 'history',
    section: 'software',
    shortcut: 'v',
    load: () => import('../pages/software/versions-page'),
  },
  {
    path: '/files',
    name: 'files',
    icon: 'file',
    section: 'software',
    shortcut: 'f',
    load: () => import('../pages/software/files-page'),
  },
  {
    path: '/notifications',
    name: 'notifications',
    icon: 'bell',
    section: 'messages',
    shortcut: 'n',
    load: () => import('../pages/notifications/notifications-page'),
  },
  {
    path: '/parameters',
    name: 'parameters',
    icon: 'sliders',
    section: 'messages',
    shortcut: 'e',
    load: () => import('../pages/values/parameters-page'),
  },
  {
    path: '/metacontents',
    name: 'metacontents',
    icon: 'text',
    section: 'messages',
    shortcut: 'm',
    load: () => import('../pages/values/metacontents-page'),
  },
  {
    path: '/members',
    name: 'members',
    icon: 'people',
    section: 'company',
    scope: 'ADMIN',
    shortcut: 'b',
    load: () => import('../pages/company/members-page'),
  },
  {
    path: '/ledger',
    name: 'ledger',
    icon: 'history',
    section: 'company',
    scope: 'ADMIN',
    shortcut: 'h',
    load: () => import('../pages/company/ledger-page'),
  },
  {
    path: '/settings',
    name: 'settings',
    icon: 'gear',
    section: 'company',
    shortcut: 's',
    load: () => import('../pages/company/settings-page'),
  },
  {
    path: '/account',
    name: 'account',
    icon: 'user',
    section: 'company',
    shortcut: 'a',
    load: () => import('../pages/account/account-page'),
  },
];

/** Pages that the person may see. */
export function usePages(): readonly PageEntry[] {
  const { viewer } = useSession();
  return useMemo(
    () => PAGES.filter(({ scope }) => scope === undefined || viewer.scopes.includes(scope)),
    [viewer.scopes],
  );
}
