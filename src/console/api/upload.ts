import { CombinedError } from 'urql';

import { connection, textOf } from './client';
import type { Document } from './query';

/** A file that goes with a mutation. */
export interface Attachment {
  /** Path of the variable for the file, which is null in the variables: `input.file`. */
  readonly path: string;
  readonly file: File;
}

interface Response<Data> {
  readonly data?: Data | null;
  readonly errors?: ConstructorParameters<typeof CombinedError>[0]['graphQLErrors'];
}

/** Sends a mutation with a file, and reports the share that is sent, which `fetch` cannot. Errors: `CombinedError`. */
export async function upload<Data, Variables>(
  document: Document<Data, Variables>,
  variables: Variables,
  { path, file }: Attachment,
  onProgress: (share: number) => void,
): Promise<Data> {
  const form = new FormData();
  form.set('operations', JSON.stringify({ query: textOf(document), variables }));
  form.set('map', JSON.stringify({ file: [`variables.${path}`] }));
  form.set('file', file, file.name);
  const request = new XMLHttpRequest();
  request.open('POST', '/graphql');
  request.setRequestHeader('apollo-require-preflight', 'true');
  if (connection.company !== null) request.setRequestHeader('X-Company', connection.company);
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  return await new Promise<Data>((resolve, reject) => {
    request.onerror = () => {
      connection.setOnline(false);
      reject(new CombinedError({ networkError: new Error('offline') }));
    };
    request.onload = () => {
      if (request.status === 401) connection.publish('signed-out');
      if (request.status === 409) connection.publish('elsewhere');
      const { data, errors = [] } = (request.response ?? {}) as Response<Data>;
      if (data) resolve(data);
      else reject(new CombinedError({ graphQLErrors: errors }));
    };
    request.send(form);
  });
}
