import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BLOCK_BYTES = 512;

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}

/** Packages that `npm ci --omit=dev` installs, as paths such as `node_modules/kysely`. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)));
}

/** Bytes on the disk of a folder, without the packages in it. */
function bytesOnDisk(folder: string): number {
  let bytes = lstatSync(folder).blocks * BLOCK_BYTES;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesOnDisk(path) : lstatSync(path).blocks * BLOCK_BYTES;
  }
  return bytes;
}

it('the packages of the running program take at most 240 MB on the disk, with the Node runtime', () => {
  const packages = productionPackages();
  expect(packages).toContain('node_modules/kysely');
  const megabytes = packages.reduce((sum, path) => sum + bytesOnDisk(join(ROOT, path)), 0) / 1024 ** 2;
  expect(megabytes).toBeGreaterThan(80);
  expect(megabytes).toBeLessThanOrEqual(240);
});
