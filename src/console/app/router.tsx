import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';

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

/** A page whose files are gone shows this when it was loaded again once, by itself. */
function Broken(): ReactNode {
  return <FailureNote failure={{ message: useTexts(words).broken }} onRetry={() => location.reload()} />;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const first = PAGES[0]?.path ?? '/';
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    return redirect({ to: first, replace: true, throw: true });
  },
});

const pages = PAGES.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search) => ({ ...search, ...listAddress(search) }),
    component: lazyRouteComponent(load),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([home, ...pages]),
  basepath: '/console',
  defaultPendingComponent: Loading,
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});
