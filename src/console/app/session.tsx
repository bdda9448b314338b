import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react';

import { restartChanges } from '../api/changes';
import { closeSockets, connection } from '../api/client';
import { graphql } from '../api/graphql';
import { useQuery } from '../api/query';
import type { SessionQuery } from '../gql/graphql';
import { LocaleContext, tagOf } from '../text';
import { Loading, PageFailure } from '../ui/states';
import { usePreferences } from './preferences';
import { SignIn } from './sign-in';

const SESSION = graphql(`
  query Session {
    viewer {
      user {
        id
        name
        email
        timeZone
      }
      company {
        id
        name
        timeZone
      }
      role
      scopes
    }
  }
`);

export type Viewer = SessionQuery['viewer'];

interface SessionValue {
  readonly viewer: Viewer;
  /** Loads the viewer again, after a change of the company or of its own data. */
  readonly reload: () => void;
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
  const [isSignedOut, setSignedOut] = useState(false);
  const { data, error, isLoading, reload } = useQuery(SESSION, {});
  const preferences = usePreferences();
  useEffect(() => {
    const leave = (): void => setSignedOut(true);
    connection.addEventListener('signed-out', leave);
    return () => connection.removeEventListener('signed-out', leave);
  }, []);
  const timeZone = data?.viewer.user?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { language } = preferences;
  const locale = useMemo(() => ({ language, timeZone }), [language, timeZone]);
  useEffect(() => {
    document.documentElement.lang = tagOf(language);
  }, [language]);
  const session = useMemo(
    () => data && { viewer: data.viewer, reload, leave: () => setSignedOut(true) },
    [data, reload],
  );
  const begin = (): void => {
    closeSockets();
    restartChanges();
    setSignedOut(false);
    reload();
  };
  return (
    <LocaleContext value={locale}>
      {isSignedOut ? (
        <SignIn onSignedIn={begin} />
      ) : session ? (
        <SessionContext value={session}>{children}</SessionContext>
      ) : error && !isLoading ? (
        <PageFailure error={error} onRetry={reload} />
      ) : (
        <Loading />
      )}
    </LocaleContext>
  );
}
