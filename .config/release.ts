/**
 * Makes a release in .release/: the package, the container image, the list of its parts (SBOM), notes and checksums. It runs
 * all checks before, and all tests on both databases. `--no-tests` leaves them out and packs what dist/ has,
 * `--without-image` leaves out the image.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const FOLDER = '.release';
const CHANGELOG = 'src/docs/changelog.md';
/** Exit code of the container script where no tool can build an image. */
const NO_TOOL = 69;

const { values: options } = parseArgs({
  options: { 'no-tests': { type: 'boolean' }, 'without-image': { type: 'boolean' } },
});

interface Manifest {
  readonly name: string;
  readonly version: string;
}

const manifestIn = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
const { name, version } = manifestIn('package.json');
const file = (ending: string): string => `${FOLDER}/${name}-${version}${ending}`;

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** Section of this version in the changelog, if it has a date. */
function notes(): string | undefined {
  const sections = readFileSync(CHANGELOG, 'utf8').split(/^## /m);
  const heading = /^(\S+) \(\d{4}-\d{2}-\d{2}\)\n+/;
  const found = sections.find((section) => heading.exec(section)?.[1] === version);
  return found?.replace(heading, '');
}

/** Reasons for which the present state of the repository cannot be released. */
function problems(): readonly string[] {
  const locked = manifestIn('package-lock.json').version;
  const changed = git('status', '--porcelain');
  const tag = git('for-each-ref', '--format=%(objectname) %(*objectname)', `refs/tags/v${version}`);
  // An annotated tag has an object of its own, and then that of its commit.
  const tagged = tag.split(' ').at(-1) ?? '';
  return [
    locked === version
      ? ''
      : `package-lock.json has the version ${locked}, package.json has ${version}. Run: npm install --package-lock-only`,
    notes() === undefined
      ? `${CHANGELOG} has no entry "## ${version} (YYYY-MM-DD)". Write one, with the day of the release.`
      : '',
    // A patch changes no table.
    !version.endsWith('.0') || existsSync(`test/support/releases/${version}`)
      ? ''
      : `test/support/releases/${version} is missing, the databases that later versions must open. See src/migrations.md.`,
    changed === '' ? '' : `These files are not committed:\n${changed}\nCommit or remove them.`,
    tagged === '' || tagged === git('rev-parse', 'HEAD')
      ? ''
      : `The tag v${version} names another commit, ${tagged}. Raise the version in package.json.`,
  ].filter((problem) => problem !== '');
}

function end(reason: string): never {
  process.stderr.write(`${reason}\nThere is no release.\n`);
  process.exit(1);
}

/** Runs a command, and returns its exit code. */
function run(command: string, ...args: readonly string[]): number | null {
  process.stdout.write(`$ ${[command, ...args].join(' ')}\n`);
  return spawnSync(command, args, { stdio: 'inherit' }).status;
}

function requireSuccess(command: string, ...args: readonly string[]): void {
  const code = run(command, ...args);
  if (code !== 0) end(`${[command, ...args].join(' ')} failed.`);
}

function buildImage(): void {
  const archive = file('-image.tar');
  const code = run('.config/container/build.sh', `localhost/${name}:${version}`, archive);
  if (code === NO_TOOL) {
    end(`${archive} is missing. Install podman, buildah or docker, or run again with --without-image.`);
  }
  if (code !== 0) end('The container image was not built. `--without-image` leaves it out.');
}

/** Lines that `sha256sum --check` reads. */
function checksums(): string {
  const lines = readdirSync(FOLDER).map((each) => {
    const hash = createHash('sha256').update(readFileSync(`${FOLDER}/${each}`));
    return `${hash.digest('hex')}  ${each}\n`;
  });
  return lines.join('');
}

const found = problems();
if (found.length > 0) end(found.join('\n'));
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
// The image first: where it cannot be built, nobody waits for the tests.
if (options['without-image'] !== true) buildImage();
if (options['no-tests'] !== true) {
  requireSuccess('npm', 'run', '-s', 'build');
  requireSuccess('npm', 'run', '-s', 'check');
  requireSuccess('npm', 'run', '-s', 'test:matrix');
  if (git('status', '--porcelain') !== '') end('The tests changed or added files: see git status.');
}
requireSuccess('npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', FOLDER);
requireSuccess('npm', 'run', '-s', 'sbom', '--', file('.cdx.json'));
writeFileSync(`${FOLDER}/notes.md`, notes() ?? '');
writeFileSync(`${FOLDER}/SHA256SUMS`, checksums());
process.stdout.write(`\n${name} ${version} is in ${FOLDER}/:\n`);
for (const each of readdirSync(FOLDER)) {
  process.stdout.write(`${String(statSync(`${FOLDER}/${each}`).size).padStart(12)}  ${each}\n`);
}
if (options['without-image'] === true) process.stdout.write('It has no container image.\n');
if (options['no-tests'] === true) process.stdout.write('It was not tested.\n');
