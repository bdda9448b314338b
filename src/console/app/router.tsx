import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { tabStorage } from '../api/storage';
import { listAddress } from '../table/address';
import { texts, useTexts } from '../text';
import { Empty, FailureNote, Loading } from '../ui/states';
import { PAGES } from './pages';
import { Shell } from './shell';

const words = texts({
  notFound: ['There is no such page.', 'Esta página não existe.'],
  broken: [
    'This page could not be shown; the console may have been updated. Load it again.',
    'Não foi possível mostrar esta página; o console pode ter sido atualizado. Carregue-a de novo.',
  ],
});

function NotFound(): ReactNode {
  return <Empty>{useTexts(words).notFound}</Empty>;
}

/** Key of the time when the page was last loaded again for want of a file. */
const LOADED_AT = 'loaded-again-at';
const LEAST_MS = 60_000;

/**
 * Loads the whole page again, at most once a minute: after an update of the server the old files are gone.
 * Throws where that does not help, and while the server does not answer: what was typed stays.
 * The error is of its own: the router would load the page again for that of the browser.
 */
async function loadAgain(cause: unknown): Promise<never> {
  const isTooSoon = Date.now() - Number(tabStorage.get(LOADED_AT)) < LEAST_MS;
  if (tabStorage.isUsable && !isTooSoon) {
    const { ok } = await fetch('/console/', { method: 'HEAD' }).catch(() => ({ ok: false }));
    if (ok) {
      tabStorage.set(LOADED_AT, String(Date.now()));
      location.reload();
      // Nothing more runs in the page, which ends now.
      await Promise.race([]);
    }
  }
  throw new Error('A file of this page could not be loaded', { cause });
}

/** A page whose files are gone shows this when it was loaded again once, by itself. */
function Broken(): ReactNode {
  return <FailureNote failure={{ message: useTexts(words).broken }} onRetry={() => location.reload()} />;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    return redirect({ to: PAGES[0]?.path ?? '/', replace: true, throw: true });
  },
});

const pages = PAGES.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search) => ({ ...search, ...listAddress(search) }),
    component: lazyRouteComponent(() => load().catch(loadAgain)),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([home, ...pages]),
  basepath: '/console',
  defaultPendingComponent: Loading,
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});
