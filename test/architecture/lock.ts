import { z } from 'zod';

/** A package of `package-lock.json`, as npm writes it. */
export const LockedPackage = z.object({
  version: z.string().optional(),
  /** Absent for packages of the registry. */
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  /** An SPDX expression; absent where the package has none, or has it in the old form. */
  license: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  /** Whether only development needs it. */
  dev: z.boolean().optional(),
});
export type LockedPackage = z.infer<typeof LockedPackage>;

interface Rules {
  /** The packages of the lock by their path in `node_modules`. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
  /** Names of packages with install scripts that were looked at, each with whether its scripts may run. */
  readonly allowScripts: Readonly<Record<string, boolean>>;
  /** The licence that an installed package states in the old form `licenses`, by its path. */
  readonly licenseInstalled: (path: string) => string | undefined;
}

/** Licences without conditions on the programs that use the package. */
const FOR_USERS = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];
/** Licences also allowed for development tools, which users do not install. */
const FOR_DEVELOPMENT = [...FOR_USERS, 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0'];
const REGISTRY = 'https://registry.npmjs.org/';

/** Problems of the locked packages, one line each: `path: problem`. */
export function problemsOfLock({ packages, allowScripts, licenseInstalled }: Rules): readonly string[] {
  const locked = Object.entries(packages).filter(([path]) => path !== '');
  const withScripts = locked.flatMap(([path, each]) =>
    each.hasInstallScript === true ? [nameOf(path)] : [],
  );
  return [
    ...locked.flatMap(([path, each]) => {
      const license = each.license ?? licenseInstalled(path) ?? 'none';
      const allowed = each.dev === true ? FOR_DEVELOPMENT : FOR_USERS;
      const problems = [
        ...(isAllowed(license, allowed) ? [] : [`the licence ${license} is not allowed`]),
        ...(each.hasInstallScript === true && !Object.hasOwn(allowScripts, nameOf(path))
          ? ['has an install script, and allowScripts does not name it']
          : []),
        ...(each.link === true || each.resolved?.startsWith(REGISTRY) === false
          ? [`is not of the registry: ${each.resolved ?? 'a link'}`]
          : []),
        ...(each.integrity?.startsWith('sha512-') === true ? [] : ['has no sha512 hash']),
      ];
      return problems.map((problem) => `${path}: ${problem}`);
    }),
    ...Object.keys(allowScripts)
      .filter((name) => !withScripts.includes(name))
      .map((name) => `${name}: is in allowScripts and has no install script`),
  ];
}

const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const PARENTHESES = /\(([^()]*)\)/;
const YES = 'yes';

/** Whether an SPDX expression can be met with allowed licences; `AND` binds more tightly than `OR`. */
export function isAllowed(license: string, allowed: readonly string[]): boolean {
  const ids = new Set([YES, ...allowed]);
  const meets = (flat: string): boolean =>
    flat.split(' OR ').some((choice) => choice.split(' AND ').every((id) => ids.has(id.trim())));
  let expression = license === YES ? 'none' : license;
  for (let inner = PARENTHESES.exec(expression); inner !== null; inner = PARENTHESES.exec(expression)) {
    expression = expression.replace(inner[0], meets(inner[1] ?? '') ? YES : 'none');
  }
  return meets(expression);
}
