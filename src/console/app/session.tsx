import {
  createContext,
  lazy,
  Suspense,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react';

import { graphql, useQuery } from '../api';
import { restartChanges } from '../api/changes';
import { closeSockets, connection } from '../api/client';
import { browserStorage, tabStorage } from '../api/storage';
import type { Scope, SessionQuery } from '../gql/graphql';
import { LocaleContext, tagOf, texts } from '../text';
import { Button } from '../ui/button';
import { Loading, PageFailure } from '../ui/states';
import { LINK } from './code-link';
import { adoptPreferences, usePreferences } from './preferences';

const SignIn = lazy(() => import('./sign-in'));

const SESSION = graphql(`
  query Session {
    viewer {
      user { id name email timeZone }
      company { id name timeZone currency }
      companies { company { id name } role }
      invitations { company { id name } }
      role scopes preferences
      session { id }
    }
  }
`);

const words = texts({
  elsewhere: [
    'This browser went on in another company. What you did last was not done here: nothing was changed.',
    'Este navegador passou para outra empresa. O que você fez por último não foi feito aqui: nada foi alterado.',
  ],
  goOn: ['Go on in the other company', 'Continuar na outra empresa'],
});

/** The last response, and that of the session or company before, which the cache of queries may show once more. */
const responses: Partial<Record<'last' | 'before', SessionQuery | undefined>> = {};

/** Tells all tabs of the browser which company the session goes on in. */
const switches = new BroadcastChannel('company');

/** Says that the session goes on in another company, from where this tab begins anew, too. */
export function goOnIn(companyId: string): void {
  switches.postMessage(companyId);
  loadAgain('/console/overview');
}

/** Loads a page of another company: records in the address, and all that runs in the page, are of the one before. */
function loadAgain(path = location.pathname): void {
  connection.company = null;
  location.replace(path);
}

/** Noted in the browser while there may be a session, since scripts cannot see its cookie. */
const SIGNED_IN = 'signed-in';

export type Viewer = SessionQuery['viewer'];

interface SessionValue {
  readonly viewer: Viewer;
  /** Loads the viewer again, after a change of its own data. */
  readonly reload: () => void;
  /** Begins anew, for the session or the company that the cookie now stands for. */
  readonly restart: () => void;
  /** Shows the sign-in page. */
  readonly leave: () => void;
}

const SessionContext = createContext<SessionValue | null>(null);

/** The session of the person who is signed in. */
export function useSession(): SessionValue {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is used outside of a session');
  return session;
}

/** True if the role of the person allows this. The API refuses it all the same. */
export function useMay(scope: Scope): boolean {
  return useSession().viewer.scopes.includes(scope);
}

/** Shows the pages to people who are signed in, and the sign-in page to all others, at the same address. */
export function SessionGate({ children }: { readonly children: ReactNode }): ReactNode {
  const [isSignedIn, setSignedIn] = useState(
    () => browserStorage.get(SIGNED_IN) !== null || !browserStorage.isUsable,
  );
  // Pages of another session or company begin anew.
  const [generation, setGeneration] = useState(0);
  const [isElsewhere, setElsewhere] = useState(false);
  const [hasEnded, setEnded] = useState(false);
  const begin = useCallback((isIn: boolean): void => {
    closeSockets();
    restartChanges();
    connection.company = null;
    responses.before = responses.last;
    browserStorage.set(SIGNED_IN, isIn ? 'yes' : null);
    setSignedIn(isIn);
    setEnded(false);
    setGeneration((count) => count + 1);
  }, []);
  const restart = useCallback(() => begin(true), [begin]);
  const leave = useCallback((): void => {
    // Drafts are of this person.
    tabStorage.clear();
    begin(false);
  }, [begin]);
  useEffect(() => {
    if (isElsewhere) return undefined;
    const follow = ({ data }: MessageEvent): void => {
      if (connection.company !== null && data !== connection.company) loadAgain();
    };
    switches.addEventListener('message', follow);
    const ends = [
      connection.on('signed-out', () => {
        // A browser that keeps nothing asks without having had a session.
        const wasIn = browserStorage.get(SIGNED_IN) !== null || responses.last !== undefined;
        begin(false);
        setEnded(wasIn);
      }),
      // The session has ended: the server answers 401. Or it goes on in another company.
      connection.on('refused', restart),
      connection.on('elsewhere', () => setElsewhere(true)),
    ];
    return () => {
      switches.removeEventListener('message', follow);
      ends.forEach((end) => end());
    };
  }, [begin, restart, isElsewhere]);
  if (isElsewhere) return <Elsewhere />;
  return !isSignedIn ? (
    <LocaleOf timeZone={null} currency={null}>
      <Suspense fallback={<Loading />}>
        <SignIn hasEnded={hasEnded} onSignedIn={restart} />
      </Suspense>
    </LocaleOf>
  ) : (
    <SignedIn key={generation} restart={restart} leave={leave}>
      {children}
    </SignedIn>
  );
}

/** In place of a page whose company the session has left. */
function Elsewhere(): ReactNode {
  const text = words[usePreferences().language];
  return (
    <LocaleOf timeZone={null} currency={null}>
      <main className="sign-in">
        <p role="alert">{text.elsewhere}</p>
        <Button variant="primary" onPress={() => loadAgain()}>
          {text.goOn}
        </Button>
      </main>
    </LocaleOf>
  );
}

interface LocaleProps {
  /** Null for that of the browser. */
  readonly timeZone: string | null;
  readonly currency: string | null;
  readonly children: ReactNode;
}

/** The language of this browser, a time zone and a currency for all that is below. */
function LocaleOf(props: LocaleProps): ReactNode {
  const { currency } = props;
  const { language } = usePreferences();
  const timeZone = props.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const locale = useMemo(() => ({ language, timeZone, currency }), [language, timeZone, currency]);
  useEffect(() => {
    document.documentElement.lang = tagOf(language);
  }, [language]);
  return <LocaleContext value={locale}>{props.children}</LocaleContext>;
}

/** Drafts in this tab are of the person who was signed in when they were entered. */
function clearDraftsOfOthers(userId: string): void {
  if (tabStorage.get('user') !== userId) tabStorage.clear();
  tabStorage.set('user', userId);
}

/** True if the tab may show a company as it is: where it showed another one before, the page is loaded again. */
function show(companyId: string): boolean {
  const before = responses.before?.viewer.company?.id ?? tabStorage.get('company') ?? companyId;
  tabStorage.set('company', companyId);
  if (before !== companyId) loadAgain();
  else connection.company = companyId;
  return before === companyId;
}

/** Loads who is signed in, and shows the pages then. */
function SignedIn(props: {
  readonly restart: () => void;
  readonly leave: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { restart, leave } = props;
  const { data, error, isLoading, reload } = useQuery(SESSION, {});
  const [hasLink, setLink] = useState(() => LINK.test(location.hash));
  const saved = data?.viewer.preferences;
  useEffect(() => {
    if (saved !== undefined) adoptPreferences(saved);
  }, [saved]);
  const session = useMemo(() => {
    if (!data || data === responses.before) return false;
    responses.last = data;
    clearDraftsOfOthers(data.viewer.user?.id ?? '');
    return show(data.viewer.company?.id ?? '') && { viewer: data.viewer, reload, restart, leave };
  }, [data, reload, restart, leave]);
  const stay = (): void => {
    reload();
    setLink(false);
  };
  return (
    <LocaleOf
      timeZone={data?.viewer.user?.timeZone ?? null}
      currency={data?.viewer.company?.currency ?? null}
    >
      {session ? (
        <SessionContext value={session}>
          {hasLink ? (
            <Suspense fallback={<Loading />}>
              <SignIn present={{ name: session.viewer.user?.name ?? '', stay }} onSignedIn={restart} />
            </Suspense>
          ) : (
            props.children
          )}
        </SessionContext>
      ) : error && !isLoading ? (
        <PageFailure error={error} onRetry={reload} />
      ) : (
        <Loading />
      )}
    </LocaleOf>
  );
}
