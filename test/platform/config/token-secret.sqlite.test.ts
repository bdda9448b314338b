import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { loadTokenSecret } from '../../../src/platform/config/token-secret.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';

const folder = scratchFolder();
afterAll(() => removeFolder(folder));

let files = 0;
const databaseFile = (): string => join(folder, `database${++files}.db`);

describe('the secret that API tokens are derived from', () => {
  it('is generated once, into a file that only its owner can read', () => {
    const file = databaseFile();
    const secret = loadTokenSecret({ database: { file }, tokenSecret: null });
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(`${file}.secret`, 'utf8').trim()).toBe(secret);
    expect(statSync(`${file}.secret`).mode & 0o777).toBe(0o600);
    expect(loadTokenSecret({ database: { file }, tokenSecret: null })).toBe(secret);
    expect(loadTokenSecret({ database: { file: databaseFile() }, tokenSecret: null })).not.toBe(secret);
  });

  it('comes from the settings if it is set', () => {
    const file = databaseFile();
    const tokenSecret = 'configured: 0123456789abcdefghijklm';
    expect(loadTokenSecret({ database: { file }, tokenSecret })).toBe(tokenSecret);
    expect(existsSync(`${file}.secret`)).toBe(false);
  });

  it.each([
    ['that other users can read', 'f00dfeed12345678'.repeat(4), 0o644, 'can be read by other users'],
    ['that is too short', '0123456789abcdef', 0o600, 'at least 32 characters'],
    ['that repeats itself', 'a'.repeat(64), 0o600, 'must be random'],
    ['that is empty', '', 0o600, 'at least 32 characters'],
  ])('AT-29 is refused in a file %s', (_case, text, mode, message) => {
    const file = databaseFile();
    writeFileSync(`${file}.secret`, text);
    chmodSync(`${file}.secret`, mode);
    const load = (): string => loadTokenSecret({ database: { file }, tokenSecret: null });
    expect(load).toThrow(message);
    expect(load).toThrow(`${file}.secret`);
    expect(readFileSync(`${file}.secret`, 'utf8')).toBe(text);
  });
});
