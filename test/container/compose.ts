import { parse } from 'yaml';

import { SETTINGS } from '../../src/platform/config/settings.js';
import { NODE_VARIABLES, tagProblems } from './containerfile.js';

type Values = Readonly<Record<string, unknown>>;

export interface Service extends Values {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly unknown[];
  readonly volumes?: readonly unknown[];
  readonly networks?: unknown;
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets?: Readonly<Record<string, { readonly file?: string; readonly environment?: string }>>;
  readonly volumes?: Values;
  readonly networks?: Values;
}

const SETTING_NAMES = new Set([...SETTINGS.map(({ name }) => name), ...NODE_VARIABLES]);
/** Variables that the image of PostgreSQL reads. */
const POSTGRES_NAMES = new Set(['POSTGRES_PASSWORD_FILE', 'POSTGRES_INITDB_ARGS']);

export const parseCompose = (text: string): Compose => parse(text, { merge: true }) as Compose;

export const isNode = ({ image = '' }: Service): boolean => image.includes('terminal-gateway');

/** Problems of a compose file, each with the name of its service. `exists` says whether a mounted path exists. */
export function composeProblems(text: string, exists: (path: string) => boolean): string[] {
  const compose = parseCompose(text);
  const ofServices = Object.entries(compose.services).flatMap(([name, service]) =>
    [
      ...restrictionProblems(service),
      ...imageProblems(service),
      ...environmentProblems(service),
      ...mountProblems(service, compose, exists),
      ...(isNode(service) ? nodeProblems(service) : []),
    ].map((problem) => `${name}: ${problem}`),
  );
  return [...ofServices, ...secretProblems(compose)];
}

const equals = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Problems with the restrictions of a container and with the settings that keep it running. */
function restrictionProblems(service: Service): string[] {
  const required: readonly [string, unknown][] = [
    ['read_only', true],
    ['cap_drop', ['ALL']],
    ['security_opt', ['no-new-privileges:true']],
    ['restart', 'unless-stopped'],
    ['init', true],
  ];
  return [
    ...required
      .filter(([key, value]) => !equals(service[key], value))
      .map(([key, value]) => `${key} must be ${JSON.stringify(value)}`),
    ...['mem_limit', 'pids_limit', 'healthcheck', 'stop_grace_period', 'tmpfs']
      .filter((key) => service[key] === undefined)
      .map((key) => `${key} is missing`),
    ...['privileged', 'cap_add', 'network_mode', 'pid', 'ipc', 'devices']
      .filter((key) => key in service)
      .map((key) => `${key} gives more rights than needed`),
  ];
}

function imageProblems(service: Service): string[] {
  const image = (service.image ?? '').replace(/^\$\{\w+:-(.*)\}$/, '$1');
  return [
    ...tagProblems(image),
    ...(isNode(service) || /^\d+:\d+$/.test(String(service.user)) ? [] : ['user must be numbers']),
  ];
}

function environmentProblems(service: Service): string[] {
  const known = isNode(service) ? SETTING_NAMES : POSTGRES_NAMES;
  return Object.entries(service.environment ?? {}).flatMap(([name, value]) => [
    ...(known.has(name) ? [] : [`${name} is no setting`]),
    ...(/secret|password/i.test(name) && !name.endsWith('_FILE')
      ? [`${name} is a secret in plain text`]
      : []),
    ...(/:\/\/[^/@]*:[^/@]*@/.test(String(value)) ? [`${name} has a password in plain text`] : []),
  ]);
}

/** Every secret, volume and file that a service names must be there; every `_FILE` must be a secret of the service. */
function mountProblems(service: Service, compose: Compose, exists: (path: string) => boolean): string[] {
  const secrets = (service.secrets ?? []).map(String);
  const files = Object.entries(service.environment ?? {}).filter(([name]) => name.endsWith('_FILE'));
  const mounts = (service.volumes ?? []).map((volume) => String(volume).split(':'));
  return [
    ...secrets
      .filter((name) => compose.secrets?.[name] === undefined)
      .map((name) => `there is no secret ${name}`),
    ...files
      .filter(([, path]) => !secrets.some((name) => path === `/run/secrets/${name}`))
      .map(([name]) => `${name} is no secret of this service`),
    ...mounts.flatMap(([source = '', , mode]) => {
      if (!source.startsWith('.'))
        return source in (compose.volumes ?? {}) ? [] : [`there is no volume ${source}`];
      if (!exists(source)) return [`${source} does not exist`];
      return mode === 'ro' ? [] : [`${source} is not mounted read-only`];
    }),
  ];
}

/** Problems of a server node, besides those of any container. */
function nodeProblems({ environment = {}, depends_on: before, ...service }: Service): string[] {
  const usesServer = String(environment.DATABASE_URL).startsWith('postgres:');
  return [
    ...(equals(service.stop_grace_period, '35s')
      ? []
      : ['stop_grace_period must be 35s: the server stops within 30 s']),
    ...('TOKEN_SECRET_FILE' in environment ? [] : ['TOKEN_SECRET_FILE is missing']),
    ...(usesServer && !('DATABASE_PASSWORD_FILE' in environment)
      ? ['DATABASE_PASSWORD_FILE is missing']
      : []),
    ...(usesServer && !equals(before, { postgres: { condition: 'service_healthy' } })
      ? ['does not wait for postgres']
      : []),
    ...(!usesServer && service.volumes === undefined ? ['the database is in no volume'] : []),
  ];
}

/** Secrets are files that a person makes, in a folder that Git ignores. */
function secretProblems({ secrets = {} }: Compose): string[] {
  return Object.entries(secrets)
    .filter(([, { file = '' }]) => !/^[.]\/secrets\/[\w.-]+$/.test(file))
    .map(([name]) => `secret ${name} is no file in ./secrets/`);
}
