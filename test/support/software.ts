import { expect } from 'vitest';

import type { Client, Fields } from './client.js';

let names = 0;
/** A name that no other record of the test has. */
export const unique = (): string => `name ${++names}`;

/** Creates apps, versions and files through REST; every request must succeed. */
export interface Software {
  create(key: string, path: string, fields: Fields): Promise<Fields>;
  /** Creates an app; resolves to the path of its versions. */
  app(fields?: Fields): Promise<string>;
  version(path: string, fields?: Fields): Promise<Fields>;
  /** Each creates a record and resolves to its id; `module` is a version of a new app of kind `module`. */
  group(): Promise<number>;
  module(): Promise<number>;
  file(): Promise<number>;
}

export function softwareOf(client: Client): Software {
  const create: Software['create'] = async (key, path, fields) => {
    const created = await client.post(path, fields);
    expect(created.status, created.text).toBe(201);
    return created.record(key);
  };
  const app: Software['app'] = async (fields = {}) => {
    const { id } = await create('app', 'apps', { name: unique(), ...fields });
    return `apps/${String(id)}/versions`;
  };
  const version: Software['version'] = (path, fields = {}) =>
    create('app_version', path, { number: unique(), ...fields });
  return {
    create,
    app,
    version,
    group: async () => (await create('group', 'groups', { name: unique() })).id as number,
    module: async () => (await version(await app({ kind: 'module' }))).id as number,
    file: async () => {
      const form = new FormData();
      form.set('file', new Blob(['x']), unique());
      const created = await client.post('files', form);
      expect(created.status, created.text).toBe(201);
      return created.record('file').id as number;
    },
  };
}
