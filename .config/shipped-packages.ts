/** The packages that users get: installed with the program, or joined into dist/ by the build. */
import { globSync, readFileSync } from 'node:fs';

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

const root = new URL('..', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Names of the packages that modules of src/ import. */
function importedNames(): ReadonlySet<string> {
  const modules = globSync('src/**/*.{ts,tsx}', { cwd: root, exclude: ['src/console/gql/**'] });
  const names = modules.flatMap((path) =>
    Array.from(
      textOf(path).matchAll(/(?:\bfrom|^import|\bimport\() ?'((?:@[\w.-]+\/)?[\w.-]+)[^':]*'/gm),
      ([, name = '']) => name,
    ),
  );
  return new Set(names.filter((name) => !name.startsWith('.')));
}

/** Path of what a package at `from` gets when it asks for a package; undefined if it is not locked. */
function found(lock: Lock, from: string, name: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (Object.hasOwn(lock, path) || from === '') return Object.hasOwn(lock, path) ? path : undefined;
  return found(lock, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** Their paths in package-lock.json, such as `node_modules/kysely`, with all that they depend on. */
export function shippedPackages(): ReadonlySet<string> {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { readonly packages: Lock };
  const shipped = new Set<string>();
  const add = (from: string, name: string): void => {
    const path = found(packages, from, name);
    if (path === undefined || shipped.has(path)) return;
    shipped.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const each of Object.keys(needed)) add(path, each);
  };
  for (const name of importedNames()) add('', name);
  // The build copies files of this one, which need none of what it depends on.
  shipped.add('node_modules/@graphql-yoga/render-graphiql');
  return shipped;
}
