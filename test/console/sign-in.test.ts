import { it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { useConsole, WINDOWS } from './pages.js';

const { open } = useConsole();

it.each(WINDOWS)('the sign-in page can be used by all people: $name', async ({ name: _, ...window }) => {
  const page = await open('/devices', window);
  await page.getByRole('heading', { name: window.locale === 'en-US' ? 'Sign in' : 'Entrar' }).waitFor();
  await expectSound(page);
});
