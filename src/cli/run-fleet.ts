import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

import type { Plan } from '../domain/software/plan/plan.service.js';
import { DocumentProblem, valueOfDocument } from '../platform/encoding/yaml.js';
import { counted } from '../platform/errors.js';
import { namingPath } from '../platform/files.js';
import { isObject, parsedJson, type PlacedProblem } from '../platform/validate.js';
import { CommandError, EXIT } from './command-error.js';
import type { CommandIo, JsonOption, Result } from './command-io.js';

export interface ServerOptions extends JsonOption {
  readonly url?: string;
  readonly tokenFile: string;
}

export interface ApplyOptions extends ServerOptions {
  readonly file: string;
  readonly yes?: true;
  readonly undoFile?: string;
}

export interface StateOptions extends ServerOptions {
  readonly group?: string;
  readonly logicalNumbers: boolean;
  readonly devices: boolean;
}

type UserError = Pick<PlacedProblem, 'path' | 'message'>;

interface Applied {
  readonly count: number;
  readonly undo: object;
  readonly job: { readonly databaseId: number } | null;
  readonly warnings: readonly string[];
  readonly userErrors: readonly UserError[];
}

const ERRORS = 'userErrors { path message }';
const STATE = `query ($groupId: ID, $logicalNumbers: Boolean, $devices: Boolean) {
  fleetState(groupId: $groupId, logicalNumbers: $logicalNumbers, devices: $devices) }`;
const GROUP = 'query ($name: String) { group(name: $name) { id } }';
const PLAN = `query ($document: JSON!) { fleetPlan(document: $document) {
  plan { id terminals losing changes { path action before after } } ${ERRORS} } }`;
const APPLY = `mutation ($document: JSON!, $planId: String!) {
  fleetApply(document: $document, planId: $planId) { count undo job { databaseId } warnings ${ERRORS} } }`;

export async function printState(
  io: CommandIo,
  { group, logicalNumbers, devices, ...options }: StateOptions,
): Promise<Result> {
  const ask = connected(io, options);
  const found = group === undefined ? null : await ask<{ id: string } | null>(GROUP, { name: group });
  if (group !== undefined && found === null) throw new CommandError(`--group: there is no group ${group}.`);
  const value = await ask<object>(STATE, { groupId: found?.id ?? null, logicalNumbers, devices });
  return { value, lines: [written(value).trimEnd()] };
}

/** Prints what a document would change and, with `yes`, makes these changes and no others. */
export async function applyFile(
  io: CommandIo,
  { file, yes, undoFile, ...options }: ApplyOptions,
): Promise<Result> {
  const ask = connected(io, options);
  const document = documentIn(
    '--file',
    file === '-' ? await io.readInput() : namingPath(file, () => readFileSync(file, 'utf8')),
  );
  const planned = await ask<{ plan: Plan | null; userErrors: readonly UserError[] }>(PLAN, { document });
  const { plan } = planned;
  if (plan === null) throw refused(planned.userErrors);
  const lines = linesOf(plan);
  if (plan.changes.length === 0) return { value: { plan }, lines };
  if (yes !== true) {
    const failure = new CommandError('Nothing was changed. Make these changes with --yes.', EXIT.differs);
    return { value: { plan }, lines, failure };
  }
  for (const line of options.json === true ? [] : lines) io.print(line);
  // A file that cannot be written is found before the change.
  if (undoFile !== undefined) namingPath(undoFile, () => writeFileSync(undoFile, '', { flag: 'wx' }));
  const applied = await ask<Applied>(APPLY, { document, planId: plan.id });
  if (applied.userErrors.length > 0) {
    if (undoFile !== undefined) rmSync(undoFile);
    throw refused(applied.userErrors);
  }
  for (const warning of applied.warnings) io.notice(`warning: ${warning}`);
  if (undoFile !== undefined) writeFileSync(undoFile, written(applied.undo));
  const done = `${counted(applied.count, 'change')} made, as job ${applied.job?.databaseId}.`;
  return { value: { plan, applied }, lines: [done] };
}

const written = (document: object): string => stringify(document, { lineWidth: 0 });

/** A document of YAML or JSON, which `option` has given. Errors: `CommandError`. */
export function documentIn(option: string, text: string): unknown {
  try {
    return valueOfDocument(text);
  } catch (error) {
    throw error instanceof DocumentProblem ? new CommandError(`${option}: ${error.message}`) : error;
  }
}

const refused = (errors: readonly UserError[]): CommandError =>
  new CommandError(errors.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));

const SIGNS = { ADD: '+', CHANGE: '~', REMOVE: '-' } as const;
/** Longer values are cut off in the text; `--json` prints them whole. */
const MAX_SHOWN = 100;

function linesOf({ id, terminals, losing, changes }: Plan): readonly string[] {
  if (changes.length === 0) return ['No changes: the fleet is as the document says.'];
  const shown = (value: unknown): string => {
    const text = JSON.stringify(value);
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  };
  const differences = changes.map(({ path, action, before, after }) => {
    const texts = { ADD: shown(after), CHANGE: `${shown(before)} → ${shown(after)}`, REMOVE: shown(before) };
    return `${SIGNS[action]} ${path.join('.')}: ${texts[action]}`;
  });
  const loss = losing === 0 ? '' : `, of which ${losing} ${losing === 1 ? 'loses' : 'lose'} app versions`;
  return [
    ...differences,
    `${counted(changes.length, 'change')} for ${counted(terminals, 'terminal')}${loss}. Plan ${id.slice(0, 16)}`,
  ];
}

/** Address of a server; by default, of this machine. Errors: `CommandError`. */
export function serverUrl({ environment }: CommandIo, given?: string): URL {
  const text = given ?? `http://127.0.0.1:${environment.PORT ?? '4000'}`;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new CommandError(`--url: ${text} is no http or https URL.`);
}

/** The first line of a file that is not empty, for example a token. Errors: `CommandError`. */
export function firstLine(path: string): string {
  const lines = namingPath(path, () => readFileSync(path, 'utf8')).split('\n');
  const line = lines.map((each) => each.trim()).find((each) => each !== '');
  if (line === undefined) throw new CommandError(`${path} is empty.`);
  return line;
}

/** Runs GraphQL operations of one field on a server; each resolves to its value. Errors: `CommandError` for any refusal. */
function connected(io: CommandIo, options: { readonly url?: string; readonly tokenFile: string }) {
  const [url, token] = [serverUrl(io, options.url), firstLine(options.tokenFile)];
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return async <T>(query: string, variables: object): Promise<T> => {
    const request = { method: 'POST', headers, body: JSON.stringify({ query, variables }) };
    const response = await fetch(new URL('/graphql', url), request).catch(() => {
      throw new CommandError(`${url.origin} cannot be reached.`, EXIT.busy);
    });
    const text = await response.text();
    const body = parsedJson(text);
    const { data = null, errors = [] } = isObject(body) ? body : {};
    const messages = (errors as readonly { readonly message: string }[]).map(({ message }) => message);
    if (messages.length > 0) throw new CommandError(messages.join('\n'));
    if (isObject(data)) return Object.values(data)[0] as T;
    throw new CommandError(`${url.origin} responds with ${response.status}: ${text.slice(0, 300)}`);
  };
}
