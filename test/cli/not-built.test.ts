import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

import { removeFolder, scratchFolder } from '../support/scratch.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it.each(['prepare', 'start', 'demo', 'cli'])(
  'RU-64 npm run %s says what to do where the program is not built, and cannot be',
  (script) => {
    const folder = scratchFolder();
    onTestFinished(() => removeFolder(folder));
    mkdirSync(join(folder, '.config'));
    for (const path of ['package.json', '.config/not-built.sh']) cpSync(join(ROOT, path), join(folder, path));
    const { status, stderr } = spawnSync('npm', ['run', '-s', script], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      78,
      'terminal-gateway is not built: dist/boot.js is missing, and building needs the development packages. Run: npm ci --include=dev\n',
    ]);
  },
);
