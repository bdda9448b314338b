import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = globSync('src/console/**/*.tsx', { exclude: ['src/console/gql/**'] });

/** Files of the controls themselves, which show the reason. */
const CONTROLS = ['src/console/ui/button.tsx', 'src/console/ui/field.tsx'];

it('nothing in the console is disabled without a reason that is shown', () => {
  const silent = sources
    .filter((path) => !CONTROLS.includes(path))
    .flatMap((path) =>
      Array.from(
        readFileSync(path, 'utf8').matchAll(/^.*(?:\bisDisabled\b|\sdisabled[={]|aria-disabled).*$/gm),
        ([line]) => `${path}: ${line.trim()}`,
      ),
    );
  expect(silent).toEqual([]);
});

it('a control that is disabled is described by its reason', () => {
  for (const path of CONTROLS) {
    const source = readFileSync(path, 'utf8');
    expect(source).toContain('disabledReason');
    expect(source).toMatch(/'?aria-describedby'?[:=]/);
  }
});
