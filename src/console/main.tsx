import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';

import { client } from './api/client';
import { LINK } from './app/code-link';
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

// A link that is opened in a tab of the console changes the address only.
addEventListener('hashchange', () => LINK.test(location.hash) && location.reload());

const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
