import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { SETTINGS } from '../../src/platform/config/settings.js';
import { readDocument, ROOT } from '../documents/markdown.js';

interface Service extends Readonly<Record<string, unknown>> {
  readonly image: string;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: { readonly front: { readonly ipv4_address: string } };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const FOLDER = '.config/container';
const composeOf = (name: string): Compose =>
  parse(readDocument(`${FOLDER}/${name}`), { merge: true }) as Compose;
const isNode = ({ image }: Service): boolean => image.includes('terminal-gateway');
const nodesOf = ({ services }: Compose): Service[] => Object.values(services).filter(isNode);

const RESTRICTED = {
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  restart: 'unless-stopped',
  init: true,
};
const NEEDED = ['mem_limit', 'pids_limit', 'healthcheck', 'stop_grace_period', 'tmpfs'];
const FORBIDDEN = ['privileged', 'cap_add', 'network_mode', 'pid', 'ipc', 'devices'];
const KNOWN = ['POSTGRES_PASSWORD_FILE', 'POSTGRES_INITDB_ARGS', ...SETTINGS.map(({ name }) => name)];

describe.each(['compose.yaml', 'compose.sqlite.yaml'])('%s', (file) => {
  const compose = composeOf(file);

  it.each(Object.entries(compose.services))('%s has no right that it does not need', (_name, service) => {
    expect(service).toMatchObject(RESTRICTED);
    expect(Object.keys(service)).toEqual(expect.arrayContaining(NEEDED));
    expect(Object.keys(service).filter((key) => FORBIDDEN.includes(key))).toEqual([]);
    expect(service.image).toMatch(/:[\w.-]*\d[\w.-]*\}?$/);
    if (!isNode(service)) expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it.each(Object.entries(compose.services))('%s has its secrets in files of its own', (_name, service) => {
    const { environment = {}, secrets = [], volumes = [] } = service;
    expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
    for (const [name, value] of Object.entries(environment)) {
      if (/secret|password/i.test(name)) expect(name).toMatch(/_FILE$/);
      if (name.endsWith('_FILE')) expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value);
      expect(String(value)).not.toMatch(/:\/\/[^/@]*:[^/@]*@/);
    }
    for (const [source = '', , mode] of volumes.map((volume) => volume.split(':'))) {
      if (!source.startsWith('.')) expect(Object.keys(compose.volumes)).toContain(source);
      else expect([existsSync(join(ROOT, FOLDER, source)), mode]).toEqual([true, 'ro']);
    }
  });

  it('starts the image that build.sh builds for this version, with time to stop', () => {
    const { version } = JSON.parse(readDocument('package.json')) as { version: string };
    for (const { image, stop_grace_period: grace, environment } of nodesOf(compose)) {
      // The server stops within 30 s.
      expect([image, grace]).toEqual([`\${IMAGE:-localhost/terminal-gateway:${version}}`, '35s']);
      expect(environment).toHaveProperty('TOKEN_SECRET_FILE');
    }
    expect(readDocument(`${FOLDER}/build.sh`)).toContain('${1:-localhost/terminal-gateway:$version}');
  });

  it('reads secrets from files of one folder', () => {
    for (const { file: path } of Object.values(compose.secrets))
      expect(path).toMatch(/^\.\/secrets\/[\w.-]+$/);
  });
});

it('compose.sqlite.yaml has its database in a volume', () => {
  for (const { volumes } of nodesOf(composeOf('compose.sqlite.yaml')))
    expect(volumes).toEqual(['data:/data']);
});

describe('compose.yaml', () => {
  const compose = composeOf('compose.yaml');
  const addressOf = ({ networks }: Service): string | undefined => networks?.front.ipv4_address;

  it('has nodes that wait for PostgreSQL, whose password is in a file', () => {
    for (const node of nodesOf(compose)) {
      expect(node.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
      expect(node.environment).toHaveProperty('DATABASE_PASSWORD_FILE');
    }
  });

  it('has the addresses of the nodes that nginx.conf has, and nodes that trust the proxy alone', () => {
    const nodes = nodesOf(compose);
    const servers = readDocument(`${FOLDER}/nginx.conf`).matchAll(/^ +server ([\d.]+):4000 /gm);
    expect(Array.from(servers, ([, address]) => address)).toEqual(nodes.map(addressOf));
    expect(nodes).toHaveLength(2);
    const proxy = Object.values(compose.services).find(({ image }) => image.includes('nginx'));
    for (const { environment } of nodes) expect(environment?.TRUST_PROXY).toBe(proxy && addressOf(proxy));
  });
});
