import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';

import { client } from './api/client';
import { tabStorage } from './api/storage';
import { usePreferences } from './app/preferences';
import { router } from './app/router';
import { SessionGate } from './app/session';
import { tagOf } from './text';
import './style/base.css';
import './style/controls.css';
import './style/layout.css';
import './style/table.css';

function Console(): ReactNode {
  const { language } = usePreferences();
  return (
    <I18nProvider locale={tagOf(language)}>
      <Provider value={client}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </Provider>
    </I18nProvider>
  );
}

/** Time of the last load of the page for want of a file. */
const LOADED_AT = 'loaded-again-at';
const LEAST_MS = 60_000;

// A file of a page is gone once the server was updated: the page that is loaded again names the new ones.
addEventListener('vite:preloadError', () => {
  const lastAt = Number(tabStorage.get(LOADED_AT));
  if (!tabStorage.isUsable || Date.now() - lastAt < LEAST_MS) return;
  void fetch('/console/', { method: 'HEAD' }).then(({ ok }) => {
    if (!ok) return;
    tabStorage.set(LOADED_AT, String(Date.now()));
    location.reload();
  });
});

const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
