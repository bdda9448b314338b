import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';

import { graphql, mutations, useQuery, useSubscription } from '../api';
import { connection } from '../api/client';
import { ActionButton } from '../record/dialog-button';
import { texts, useTexts } from '../text';
import { IconButton } from '../ui/button';
import { Badge } from '../ui/facts';
import { Icon } from '../ui/icon';
import { Secrets } from '../ui/secrets';
import { Toasts } from '../ui/toasts';
import { useMenu } from '../ui/use-menu';
import { pageNames } from '../ui/words';
import { PAGES, usePages } from './pages';
import { useSession } from './session';
import { Shortcuts } from './shortcuts';

const AccountMenu = lazy(() => import('./account-menu'));

const words = texts({
  accept: ['Become a member', 'Tornar-me membro'],
  account: ['Account menu', 'Menu da conta'],
  asks: ['asks you to become a member.', 'convida você a ser membro.'],
  decline: ['Decline', 'Recusar'],
  menu: ['Menu', 'Menu'],
  pages: ['Pages', 'Páginas'],
  search: ['Search', 'Buscar'],
  skip: ['Go to the content', 'Ir para o conteúdo'],
  offline: [
    'No connection to the server. What you see may be out of date.',
    'Sem conexão com o servidor. Os dados podem estar desatualizados.',
  ],
});

/** Menu, account and the page that is shown. */
export function Shell(): ReactNode {
  const text = useTexts(words);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [shown, show] = useState<'palette' | 'help' | null>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const names = useTexts(pageNames);
  const page = PAGES.find((each) => path.endsWith(each.path));
  useEffect(() => {
    setMenuOpen(false);
    document.title = page ? `${names[page.name]} – Terminal Gateway` : 'Terminal Gateway';
  }, [names, page]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {text.skip}
      </a>
      <header className="topbar">
        <IconButton
          icon="menu"
          label={text.menu}
          aria-expanded={isMenuOpen}
          onPress={() => setMenuOpen(!isMenuOpen)}
        />
        <strong className="brand">Terminal Gateway</strong>
        <button type="button" className="button search-button" onClick={() => show('palette')}>
          <Icon name="search" />
          <span className="wide-only">{text.search}</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
        <Account onShortcuts={() => show('help')} />
      </header>
      <Menu isOpen={isMenuOpen} />
      <main id="content" tabIndex={-1}>
        <Offline />
        <Invitations />
        <Secrets>
          <Outlet />
        </Secrets>
      </main>
      <Toasts />
      <Shortcuts shown={shown} show={show} />
    </div>
  );
}

/** The person who is signed in and the company, on the button of their menu. */
function Account({ onShortcuts }: { readonly onShortcuts: () => void }): ReactNode {
  const text = useTexts(words);
  const { viewer } = useSession();
  const menu = useMenu();
  return (
    <>
      <AriaButton {...menu.trigger} className="button button-quiet account">
        <Icon name="user" />
        <span className="wide-only">{viewer.user?.name}</span>
        <small className="wide-only">{viewer.company?.name}</small>
        <span className="unseen">{text.account}</span>
        <Icon name="down" />
      </AriaButton>
      <Suspense>
        {menu.wasOpened && <AccountMenu menu={menu} label={text.account} onShortcuts={onShortcuts} />}
      </Suspense>
    </>
  );
}

function Menu({ isOpen }: { readonly isOpen: boolean }): ReactNode {
  const text = useTexts(words);
  const names = useTexts(pageNames);
  const shown = usePages();
  const sections = [...new Set(shown.map(({ section }) => section))];
  return (
    <nav className="menu" data-open={isOpen} aria-label={text.pages}>
      {sections.map((section) => (
        <div key={section ?? ''} className="menu-section">
          {section !== null && <h2>{names[section]}</h2>}
          {shown
            .filter((page) => page.section === section)
            .map(({ path, name, icon }) => (
              <Link key={path} to={path} activeProps={{ 'aria-current': 'page' }}>
                <Icon name={icon} />
                {names[name]}
                {name === 'alerts' && <AlertCount />}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  );
}

const OPEN = graphql(`
  query OpenAlerts { alerts(filter: { open: { eq: true }, acknowledged: { eq: false } }) { totalCount } }
`);
const CHANGED = graphql(`subscription AlertChanged { alertChanged { sequence } }`);

/** Number of open alerts that no person has acknowledged. By its subscription, all pages follow alerts. */
function AlertCount(): ReactNode {
  const { data } = useQuery(OPEN, {}, ['ALERT']);
  useSubscription(CHANGED, {}, 'ALERT');
  const count = data?.alerts.totalCount ?? 0;
  return count > 0 && <Badge tone="bad">{count}</Badge>;
}

/** Asks the person about invitations of other companies, until they are answered. */
function Invitations(): ReactNode {
  const text = useTexts(words);
  const { viewer, reload } = useSession();
  return viewer.invitations.map(({ company: { id, name } }) => {
    const answer = { variables: { id }, onDone: reload };
    return (
      <section key={id} className="buttons" aria-label={name}>
        <strong>{name}</strong> {text.asks}
        <ActionButton {...answer} label={text.accept} document={mutations.invitationAccept} />
        <ActionButton {...answer} label={text.decline} document={mutations.invitationDecline} />
      </section>
    );
  });
}

function Offline(): ReactNode {
  const text = useTexts(words);
  const isOnline = useSyncExternalStore(
    (listener) => connection.on('change', listener),
    () => connection.isOnline,
  );
  if (isOnline) return null;
  return (
    <p className="offline" role="alert">
      <Icon name="warning" /> {text.offline}
    </p>
  );
}
