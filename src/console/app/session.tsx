import {
  createContext,
  Fragment,
  lazy,
  Suspense,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react';

import { restartChanges } from '../api/changes';
import { closeSockets, connection } from '../api/client';
import { graphql } from '../api/graphql';
import { useQuery } from '../api/query';
import type { SessionQuery } from '../gql/graphql';
import { LocaleContext, tagOf } from '../text';
import { Loading, PageFailure } from '../ui/states';
import { adoptPreferences, usePreferences, type Preferences } from './preferences';

const SignIn = lazy(() => import('./sign-in'));

const SESSION = graphql(`
  query Session {
    viewer {
      user { id name email timeZone }
      company { id name timeZone }
      companies {
        company { id name }
        role
      }
      role
      scopes
      preferences
      session { id }
    }
  }
`);

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

/** Who is signed in. */
export function useSession(): SessionValue {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is used outside of a session');
  return session;
}

/** Whether the role of the person allows this. The API refuses it all the same. */
export function useMay(scope: 'WRITE' | 'ADMIN'): boolean {
  return useSession().viewer.scopes.includes(scope);
}

/** Shows the pages to people who are signed in, and the sign-in page to all others. */
export function SessionGate({ children }: { readonly children: ReactNode }): ReactNode {
  const [isSignedOut, setSignedOut] = useState(localStorage.getItem(SIGNED_IN) === null);
  // Pages of another session or company begin anew.
  const [generation, setGeneration] = useState(0);
  const { data, error, isLoading, reload } = useQuery(SESSION, isSignedOut ? null : {});
  const preferences = usePreferences();
  useEffect(() => {
    const leave = (): void => {
      restartChanges();
      localStorage.removeItem(SIGNED_IN);
      setSignedOut(true);
    };
    connection.addEventListener('signed-out', leave);
    return () => connection.removeEventListener('signed-out', leave);
  }, []);
  const timeZone = data?.viewer.user?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { language } = preferences;
  const locale = useMemo(() => ({ language, timeZone }), [language, timeZone]);
  useEffect(() => {
    document.documentElement.lang = tagOf(language);
  }, [language]);
  const saved = data?.viewer.preferences;
  useEffect(() => {
    if (saved !== undefined) adoptPreferences(saved as Partial<Preferences>);
  }, [saved]);
  const restart = useCallback((): void => {
    closeSockets();
    restartChanges();
    localStorage.setItem(SIGNED_IN, 'yes');
    setSignedOut(false);
    setGeneration((count) => count + 1);
    reload();
  }, [reload]);
  useEffect(() => {
    connection.addEventListener('refused', restart);
    return () => connection.removeEventListener('refused', restart);
  }, [restart]);
  const session = useMemo(
    () => data && { viewer: data.viewer, reload, restart, leave: () => connection.signedOut() },
    [data, reload, restart],
  );
  return (
    <LocaleContext value={locale}>
      {isSignedOut ? (
        <Suspense fallback={<Loading />}>
          <SignIn onSignedIn={restart} />
        </Suspense>
      ) : session ? (
        <SessionContext value={session}>
          <Fragment key={generation}>{children}</Fragment>
        </SessionContext>
      ) : error && !isLoading ? (
        <PageFailure error={error} onRetry={reload} />
      ) : (
        <Loading />
      )}
    </LocaleContext>
  );
}
