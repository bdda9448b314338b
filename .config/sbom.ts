/** Writes the list of parts (SBOM) of the program, in the form of CycloneDX: sbom.ts FILE. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

import { shippedPackages } from './shipped-packages.js';

interface Part {
  readonly 'bom-ref': string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Bom {
  readonly metadata: { readonly component: Part };
  readonly components: readonly Part[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const [file = ''] = process.argv.slice(2);
const OPTIONS = ['--package-lock-only', '--flatten-components', '--no-validate', '--output-format', 'JSON'];
execFileSync('cyclonedx-npm', [...OPTIONS, '--output-file', file], { stdio: 'inherit' });

/** Path of a part, such as `node_modules/kysely`. */
const pathOf = ({ properties }: Part): string | undefined =>
  properties.find(({ name }) => name === 'cdx:npm:package:path')?.value;

// The tool lists all packages of the lock file, those of development too.
const bom = JSON.parse(readFileSync(file, 'utf8')) as Bom;
const shipped = shippedPackages();
const components = bom.components.filter((part) => shipped.has(pathOf(part) ?? ''));
const refs = new Set([bom.metadata.component, ...components].map((part) => part['bom-ref']));
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map((each) => ({ ...each, dependsOn: each.dependsOn?.filter((ref) => refs.has(ref)) }));
writeFileSync(file, `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`);
