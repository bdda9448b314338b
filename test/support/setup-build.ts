import { execFileSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds dist/ if a source file or folder is newer than what the last build wrote at its end, or types that it generates are
 * missing. A folder is newer after a file was removed.
 */
export default function setup(): void {
  const built = existsSync(`${root}/src/console/gql/graphql.ts`) ? timeOf('dist/console/index.html') : 0;
  const sources = [
    ...globSync('src/**', { cwd: root, exclude: ['src/console/gql/**'] }),
    'schema.graphql',
    'tsconfig.json',
    'codegen.ts',
    '.config/build.sh',
    '.config/console-schema.ts',
    '.config/tsconfig.build.json',
    '.config/bundle.js',
    '.config/console-plugins.ts',
    '.config/vite.config.ts',
  ];
  if (sources.every((source) => timeOf(source) <= built)) return;
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' });
}

/** Time of the last change, in milliseconds since 1970; 0 if the path does not exist. */
function timeOf(path: string): number {
  return existsSync(`${root}/${path}`) ? statSync(`${root}/${path}`).mtimeMs : 0;
}
